//! DeepSeek's pattern (V3 and R1) as a scanner: no backtracking, any bytes, linear.
//!
//! DeepSeek cuts three times, each time inside what the cut before left: groups of up to three
//! digits, runs of Chinese and Japanese characters, then words, punctuation and white space. One
//! expression does the same once its classes leave out digits and those characters, and the end of
//! a piece is written as "before a digit or such a character"; what it does not match (controls and
//! the like) is a pretoken of its own, as in DeepSeek's cuts.
//!
//! Source: DeepSeek's `tokenizer.json`.

use super::cl100k::WhitespaceRun;
use super::unicode::{Character, CharKind, UnicodeClasses, ascii_letters_end};
use super::{PretokenClass, class_of_span};

/// The text of the pattern.
pub(super) const PATTERN: &str = r#"\p{N}{1,3}|[一-龥\u3040-ヿ]+|[!"\#$%\&'()*+,\-./:;<=>?@\[\\\]^_`{|}\~][A-Za-z]+|[^\r\n\p{L}\p{N}\p{P}\p{S}一-龥\u3040-ヿ]?[[\p{L}\p{M}]&&[^一-龥\u3040-ヿ]]+| ?[[\p{P}\p{S}]&&[^一-龥\u3040-ヿ]]+[\r\n]*|\s*[\r\n]+|\s+(?![^\s\p{N}一-龥\u3040-ヿ])|\s+"#;

/// The scanner.
#[derive(Clone, Copy, Debug)]
pub struct Deepseek {
    classes: &'static UnicodeClasses,
}

/// What a character is to the pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Digit,
    EastAsian,
    Word,
    Space,
    Punctuation,
    Rest,
}

impl Part {
    fn of(character: Character) -> Self {
        if character.code_point.is_some_and(is_east_asian) {
            return Self::EastAsian;
        }
        match character.kind {
            CharKind::Number => Self::Digit,
            CharKind::Upper | CharKind::Lower | CharKind::Uncased | CharKind::Mark => Self::Word,
            CharKind::Space => Self::Space,
            CharKind::Punctuation | CharKind::Symbol => Self::Punctuation,
            CharKind::Rest => Self::Rest,
        }
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
    fn part_at(&self, text: &[u8], at: usize) -> Option<(Part, usize)> {
        text.get(at)?;
        let character = self.classes.character_at(text, at);
        Some((Part::of(character), character.len))
    }

    /// End and class of the pretoken that starts at `start`, which is inside the text.
    #[inline]
    pub(super) fn pretoken_at(&self, text: &[u8], start: usize) -> (usize, PretokenClass) {
        let Some((part, len)) = self.part_at(text, start) else {
            return (text.len(), PretokenClass::Other);
        };
        let next = start + len;
        let end = match part {
            Part::Digit => {
                let mut end = next;
                for _ in 1..3 {
                    match self.part_at(text, end) {
                        Some((Part::Digit, len)) => end += len,
                        _ => break,
                    }
                }
                end
            }
            Part::EastAsian => self.run_end(text, next, Part::EastAsian),
            Part::Word => self.word_end(text, next),
            Part::Punctuation => {
                if text[start].is_ascii() {
                    let end = ascii_letters_end(text, next);
                    if end > next {
                        return (end, PretokenClass::Other);
                    }
                }
                return (self.punctuation_end(text, next), PretokenClass::Other);
            }
            Part::Space => {
                let byte = text[start];
                match self.part_at(text, next) {
                    Some((Part::Word, _)) if byte != b'\r' && byte != b'\n' => {
                        self.word_end(text, next)
                    }
                    Some((Part::Punctuation, _)) if byte == b' ' => {
                        return (self.punctuation_end(text, next), PretokenClass::Other);
                    }
                    _ => return (self.whitespace_end(text, start), PretokenClass::Whitespace),
                }
            }
            Part::Rest => match self.part_at(text, next) {
                Some((Part::Word, _)) => self.word_end(text, next),
                _ => self.unmatched_end(text, next),
            },
        };
        (end, class_of_span(self.classes, &text[start..end]))
    }

    fn run_end(&self, text: &[u8], mut at: usize, part: Part) -> usize {
        while let Some((found, len)) = self.part_at(text, at) {
            if found != part {
                break;
            }
            at += len;
        }
        at
    }

    #[inline]
    fn word_end(&self, text: &[u8], mut at: usize) -> usize {
        loop {
            at = ascii_letters_end(text, at);
            match self.part_at(text, at) {
                Some((Part::Word, len)) => at += len,
                _ => return at,
            }
        }
    }

    /// Where `[\p{P}\p{S}]+` and the line ends after it end.
    fn punctuation_end(&self, text: &[u8], at: usize) -> usize {
        let mut end = self.run_end(text, at, Part::Punctuation);
        while matches!(text.get(end), Some(b'\r' | b'\n')) {
            end += 1;
        }
        end
    }

    /// Where the text between two matches ends: before a character that begins one, or that stands
    /// before a word and so belongs to it.
    fn unmatched_end(&self, text: &[u8], mut at: usize) -> usize {
        while let Some((Part::Rest, len)) = self.part_at(text, at) {
            if let Some((Part::Word, _)) = self.part_at(text, at + len) {
                break;
            }
            at += len;
        }
        at
    }

    /// Where the white space pretoken ends that starts at `start`.
    fn whitespace_end(&self, text: &[u8], start: usize) -> usize {
        let run = WhitespaceRun::at(text, start, self.classes);
        match (run.after_line_end, self.part_at(text, run.end)) {
            (Some(end), _) => end,
            (None, None | Some((Part::Digit | Part::EastAsian, _))) => run.end,
            (None, Some(_)) => run.without_last(),
        }
    }
}
