//! DeepSeek's pattern (V3 and R1) as a scanner: no backtracking, any bytes, linear.
//!
//! DeepSeek cuts three times, each time inside what the cut before left: groups of up to three
//! digits, runs of Chinese and Japanese characters, then words, punctuation and white space. One
//! expression does the same once its classes hold either those characters or others, never both, and
//! the end of a piece is written as "before a digit or such a character". What it does not match
//! (controls and the like) is a pretoken of its own, as in DeepSeek's cuts.
//!
//! Source: DeepSeek's `tokenizer.json`.

use super::PretokenClass;
use super::cl100k::WhitespaceRun;
use super::unicode::{CharKind, Character, UnicodeClasses, ascii_letters_end};

/// The text of the pattern.
pub(super) const PATTERN: &str = concat!(
    r"\p{N}{1,3}",
    // Inside a run of Chinese and Japanese characters, some of which are punctuation or unassigned.
    r"|[[一-龥\u3040-ヿ]&&[^\p{L}\p{P}\p{S}]]?[[一-龥\u3040-ヿ]&&[\p{L}\p{M}]]+",
    r"|[[一-龥\u3040-ヿ]&&[\p{P}\p{S}]]+",
    r"|[[一-龥\u3040-ヿ]&&[^\p{L}\p{M}\p{P}\p{S}]]+(?![[一-龥\u3040-ヿ]&&[\p{L}\p{M}]])",
    // Elsewhere.
    r#"|[!"\#$%\&'()*+,\-./:;<=>?@\[\\\]^_`{|}\~][A-Za-z]+"#,
    r"|[^\r\n\p{L}\p{N}\p{P}\p{S}一-龥\u3040-ヿ]?[[\p{L}\p{M}]&&[^一-龥\u3040-ヿ]]+",
    r"| ?[[\p{P}\p{S}]&&[^一-龥\u3040-ヿ]]+[\r\n]*",
    r"|\s*[\r\n]+|\s+(?![^\s\p{N}一-龥\u3040-ヿ])|\s+",
);

/// The scanner.
#[derive(Clone, Copy, Debug)]
pub struct Deepseek {
    classes: &'static UnicodeClasses,
}

/// What a character is to the pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Digit,
    Word,
    Space,
    Punctuation,
    Rest,
}

/// A part, and whether it is cut in a run of Chinese and Japanese characters or elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    part: Part,
    east_asian: bool,
}

impl Place {
    fn of(character: Character) -> Self {
        let part = match character.kind {
            CharKind::Number => Part::Digit,
            CharKind::Upper | CharKind::Lower | CharKind::Uncased | CharKind::Mark => Part::Word,
            CharKind::Space => Part::Space,
            CharKind::Punctuation | CharKind::Symbol => Part::Punctuation,
            CharKind::Rest => Part::Rest,
        };
        let east_asian = character.code_point.is_some_and(is_east_asian) && part != Part::Digit;
        Self { part, east_asian }
    }
}

/// `[一-龥\u3040-ヿ]`.
fn is_east_asian(code_point: u32) -> bool {
    matches!(code_point, 0x4E00..=0x9FA5 | 0x3040..=0x30FF)
}

impl Deepseek {
    pub(super) fn new(classes: &'static UnicodeClasses) -> Self {
        Self { classes }
    }

    pub(super) fn classes(&self) -> &'static UnicodeClasses {
        self.classes
    }

    #[inline]
    fn place_at(&self, text: &[u8], at: usize) -> Option<(Place, usize)> {
        text.get(at)?;
        let character = self.classes.character_at(text, at);
        Some((Place::of(character), character.len))
    }

    /// Whether a character of a word stands at `at`, on the given side.
    fn is_word_at(&self, text: &[u8], at: usize, east_asian: bool) -> bool {
        let word = Place {
            part: Part::Word,
            east_asian,
        };
        self.place_at(text, at)
            .is_some_and(|(place, _)| place == word)
    }

    /// End and class of the pretoken that starts at `start`, which is inside the text.
    #[inline]
    pub(super) fn pretoken_at(&self, text: &[u8], start: usize) -> (usize, PretokenClass) {
        let Some((place, len)) = self.place_at(text, start) else {
            return (text.len(), PretokenClass::Other);
        };
        let next = start + len;
        let byte = text[start];
        match place.part {
            Part::Digit => {
                let mut end = next;
                for _ in 1..3 {
                    match self.place_at(text, end) {
                        Some((after, len)) if after == place => end += len,
                        _ => break,
                    }
                }
                (end, PretokenClass::Other)
            }
            Part::Word => self.word(text, start, start, place.east_asian),
            Part::Punctuation => {
                let mut end = start;
                if byte.is_ascii() {
                    end = ascii_letters_end(text, next);
                }
                if end <= next {
                    end = self.punctuation_end(text, next, place);
                }
                (end, PretokenClass::Other)
            }
            Part::Space if byte == b'\r' || byte == b'\n' => {
                (self.whitespace_end(text, start), PretokenClass::Whitespace)
            }
            Part::Space => match self.place_at(text, next) {
                Some((after, _)) if !after.east_asian && after.part == Part::Word => {
                    self.word(text, start, next, false)
                }
                Some((after, _))
                    if byte == b' ' && !after.east_asian && after.part == Part::Punctuation =>
                {
                    let end = self.punctuation_end(text, next, after);
                    (end, PretokenClass::Other)
                }
                _ => (self.whitespace_end(text, start), PretokenClass::Whitespace),
            },
            Part::Rest if self.is_word_at(text, next, place.east_asian) => {
                self.word(text, start, next, place.east_asian)
            }
            Part::Rest => {
                let end = self.unmatched_end(text, next, place);
                (end, PretokenClass::Other)
            }
        }
    }

    /// End and class of the pretoken at `start` whose letters and marks stand at `at`.
    #[inline]
    fn word(
        &self,
        text: &[u8],
        start: usize,
        mut at: usize,
        east_asian: bool,
    ) -> (usize, PretokenClass) {
        let mut all_letters = start == at || text[start] == b' ';
        loop {
            if !east_asian {
                at = ascii_letters_end(text, at);
            }
            if text.get(at).is_none_or(u8::is_ascii) {
                break;
            }
            let character = self.classes.character_at(text, at);
            let place = Place::of(character);
            if place.part != Part::Word || place.east_asian != east_asian {
                break;
            }
            all_letters &= character.kind != CharKind::Mark;
            at += character.len;
        }
        let class = match all_letters {
            true => PretokenClass::Letters,
            false => PretokenClass::Other,
        };
        (at, class)
    }

    /// Where `[\p{P}\p{S}]+` and the line ends after it end.
    fn punctuation_end(&self, text: &[u8], mut at: usize, place: Place) -> usize {
        while let Some((after, len)) = self.place_at(text, at) {
            if after != place {
                break;
            }
            at += len;
        }
        while !place.east_asian && matches!(text.get(at), Some(b'\r' | b'\n')) {
            at += 1;
        }
        at
    }

    /// Where the text between two matches ends: before a character that begins one, or that stands
    /// before a word and so belongs to it.
    fn unmatched_end(&self, text: &[u8], mut at: usize, place: Place) -> usize {
        while let Some((after, len)) = self.place_at(text, at) {
            if after != place || self.is_word_at(text, at + len, place.east_asian) {
                break;
            }
            at += len;
        }
        at
    }

    /// Where the white space pretoken ends that starts at `start`.
    fn whitespace_end(&self, text: &[u8], start: usize) -> usize {
        let run = WhitespaceRun::at(text, start, self.classes);
        if let Some(end) = run.after_line_end {
            return end;
        }
        match self.place_at(text, run.end) {
            Some((after, _)) if !after.east_asian && after.part != Part::Digit => {
                run.without_last()
            }
            _ => run.end,
        }
    }
}
