//! The patterns of cl100k's family as one scanner: no backtracking, any bytes, linear.
//!
//! They differ in how many digits stand together, in what a word may hold, and in what follows
//! punctuation. `\s*[\r\n]+` is "white space up to the last line end of the run"; with that, and with
//! `\s+(?!\S)|\s+` read as in GPT-2's scanner, no look-ahead is longer than one run.
//!
//! Source: tiktoken 0.14 (`openai_public.py`) for cl100k and o200k, Meta's and Alibaba's tokenizer
//! files for Llama 3 and Qwen 2.

use super::PretokenClass;
use super::unicode::{CharClass, CharKind, UnicodeClasses, ascii_lower_end};

/// Which pattern of the family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// OpenAI's, of GPT-3.5 and GPT-4. White space that ends the text is one pretoken.
    Cl100k,
    /// OpenAI's, of GPT-4o. A word is upper case, then lower case, and keeps its contraction.
    O200k,
    /// Meta's: cl100k as it was published first.
    Llama3,
    /// Alibaba's, of Qwen 2, 2.5 and 3: each digit by itself.
    Qwen2,
}

impl Family {
    /// The name of the pattern.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Cl100k => "cl100k",
            Self::O200k => "o200k",
            Self::Llama3 => "llama3",
            Self::Qwen2 => "qwen2",
        }
    }

    /// The text of the pattern.
    pub(super) const fn pattern(self) -> &'static str {
        match self {
            Self::Cl100k => {
                r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
            }
            Self::O200k => {
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
            }
            Self::Llama3 => {
                r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
            }
            Self::Qwen2 => {
                r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
            }
        }
    }

    const fn max_digits(self) -> usize {
        match self {
            Self::Cl100k | Self::O200k | Self::Llama3 => 3,
            Self::Qwen2 => 1,
        }
    }
}

/// The scanner.
#[derive(Clone, Copy, Debug)]
pub struct Cl100k {
    family: Family,
    classes: &'static UnicodeClasses,
}

/// A word that stands somewhere.
struct WordEnd {
    end: usize,
    all_letters: bool,
    /// Only the second of o200k's two alternatives matches it: it is all upper case.
    all_upper: bool,
}

impl Cl100k {
    pub(super) fn new(family: Family, classes: &'static UnicodeClasses) -> Self {
        Self { family, classes }
    }

    pub(super) fn family(&self) -> Family {
        self.family
    }

    pub(super) fn classes(&self) -> &'static UnicodeClasses {
        self.classes
    }

    /// End and class of the pretoken that starts at `start`, which is inside the text.
    #[inline]
    pub(super) fn pretoken_at(&self, text: &[u8], start: usize) -> (usize, PretokenClass) {
        let first = self.classes.character_at(text, start);
        let byte = text[start];
        match first.kind {
            CharKind::Upper | CharKind::Lower | CharKind::Uncased => {
                match self.word_at(text, start) {
                    Some(word) => self.with_contraction(text, word, true),
                    // A letter is a word, so this cannot be.
                    None => (start + first.len, PretokenClass::Letters),
                }
            }
            CharKind::Number => {
                let mut end = start + first.len;
                for _ in 1..self.family.max_digits() {
                    match text.get(end) {
                        Some(_) => match self.classes.class_at(text, end) {
                            (CharClass::Number, len) => end += len,
                            _ => break,
                        },
                        None => break,
                    }
                }
                (end, PretokenClass::Other)
            }
            CharKind::Space => {
                let next = start + first.len;
                if byte != b'\r' && byte != b'\n' {
                    if let Some(word) = self.word_at(text, next) {
                        return self.with_contraction(text, word, byte == b' ');
                    }
                    if byte == b' ' {
                        let end = self.punctuation_end(text, next);
                        if end > next {
                            return (end, PretokenClass::Other);
                        }
                    }
                }
                (self.whitespace_end(text, start), PretokenClass::Whitespace)
            }
            kind => {
                if byte == b'\'' && self.family != Family::O200k {
                    if let Some(end) = contraction_end(text, start) {
                        return (end, PretokenClass::Other);
                    }
                }
                let after = self.word_at(text, start + first.len);
                // A mark may begin a word or stand before one; where both can be, the first of
                // o200k's alternatives goes before the second.
                let word = if self.family == Family::O200k && kind == CharKind::Mark {
                    after
                        .filter(|word| !word.all_upper)
                        .or_else(|| self.word_at(text, start))
                } else {
                    after
                };
                match word {
                    Some(word) => self.with_contraction(text, word, false),
                    None => (self.punctuation_end(text, start), PretokenClass::Other),
                }
            }
        }
    }

    /// The word that stands at `at`, without what may stand before it.
    #[inline]
    fn word_at(&self, text: &[u8], at: usize) -> Option<WordEnd> {
        if at >= text.len() {
            return None;
        }
        if self.family == Family::O200k {
            return self.cased_word_at(text, at);
        }
        let (class, len) = self.classes.class_at(text, at);
        (class == CharClass::Letter).then(|| WordEnd {
            end: self.classes.letters_end(text, at + len),
            all_letters: true,
            all_upper: false,
        })
    }

    /// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+`, or where that matches nothing,
    /// one or more of the first set. After a run of the first set either something lower case
    /// follows, or the word ends after the last character that is in both sets.
    fn cased_word_at(&self, text: &[u8], at: usize) -> Option<WordEnd> {
        let mut all_letters = true;
        let mut end = at;
        let mut after_uncased = None;
        while end < text.len() {
            let character = self.classes.character_at(text, end);
            match character.kind {
                CharKind::Upper => end += character.len,
                CharKind::Uncased | CharKind::Mark => {
                    all_letters &= character.kind != CharKind::Mark;
                    end += character.len;
                    after_uncased = Some(end);
                }
                CharKind::Lower => {
                    after_uncased = Some(self.lower_end(text, end, &mut all_letters));
                    break;
                }
                _ => break,
            }
        }
        match after_uncased {
            Some(end) => Some(WordEnd {
                end,
                all_letters,
                all_upper: false,
            }),
            None => (end > at).then_some(WordEnd {
                end,
                all_letters,
                all_upper: true,
            }),
        }
    }

    /// Where the run of `[\p{Ll}\p{Lm}\p{Lo}\p{M}]` ends.
    #[inline]
    fn lower_end(&self, text: &[u8], mut at: usize, all_letters: &mut bool) -> usize {
        loop {
            at = ascii_lower_end(text, at);
            if text.get(at).is_none_or(u8::is_ascii) {
                return at;
            }
            let character = self.classes.character_at(text, at);
            match character.kind {
                CharKind::Lower | CharKind::Uncased => {}
                CharKind::Mark => *all_letters = false,
                _ => return at,
            }
            at += character.len;
        }
    }

    /// The end of a word, with the contraction that o200k lets it keep, and its class. `plain` says
    /// that nothing but a space may stand before it.
    #[inline]
    fn with_contraction(&self, text: &[u8], word: WordEnd, plain: bool) -> (usize, PretokenClass) {
        if self.family == Family::O200k && text.get(word.end) == Some(&b'\'') {
            if let Some(end) = contraction_end(text, word.end) {
                return (end, PretokenClass::Other);
            }
        }
        let class = match plain && word.all_letters {
            true => PretokenClass::Letters,
            false => PretokenClass::Other,
        };
        (word.end, class)
    }

    /// Where `[^\s\p{L}\p{N}]+` and the line ends after it end; `at` if nothing stands there.
    #[inline]
    fn punctuation_end(&self, text: &[u8], at: usize) -> usize {
        let mut end = self.classes.run_end(text, at, CharClass::Other);
        if end > at {
            let takes = |byte: u8| match byte {
                b'\r' | b'\n' => true,
                b'/' => self.family == Family::O200k,
                _ => false,
            };
            while text.get(end).is_some_and(|&byte| takes(byte)) {
                end += 1;
            }
        }
        end
    }

    /// Where the white space pretoken ends that starts at `start`.
    fn whitespace_end(&self, text: &[u8], start: usize) -> usize {
        let run = WhitespaceRun::at(text, start, self.classes);
        let ends_text = run.end == text.len();
        match run.after_line_end {
            Some(end) if !(ends_text && self.family == Family::Cl100k) => end,
            _ if ends_text => run.end,
            _ => run.without_last(),
        }
    }
}

/// A run of white space, as the patterns of the family and DeepSeek's see it.
pub(super) struct WhitespaceRun {
    start: usize,
    /// Where its last character starts.
    last: usize,
    /// Where it ends.
    pub end: usize,
    /// Where its last `\r` or `\n` ends.
    pub after_line_end: Option<usize>,
}

impl WhitespaceRun {
    pub(super) fn at(text: &[u8], start: usize, classes: &UnicodeClasses) -> Self {
        let mut run = Self {
            start,
            last: start,
            end: start,
            after_line_end: None,
        };
        while let Some(&byte) = text.get(run.end) {
            let (class, len) = classes.class_at(text, run.end);
            if class != CharClass::Space {
                break;
            }
            run.last = run.end;
            run.end += len;
            if byte == b'\r' || byte == b'\n' {
                run.after_line_end = Some(run.end);
            }
        }
        run
    }

    /// Its end without the last character, which is left to what follows, if it is not all of it.
    pub(super) fn without_last(&self) -> usize {
        match self.last > self.start {
            true => self.last,
            false => self.end,
        }
    }
}

/// Where the contraction ends that starts at the apostrophe at `start`, in any case. The long s
/// (U+017F) is an `s` in another case.
#[inline]
fn contraction_end(text: &[u8], start: usize) -> Option<usize> {
    let second = |wanted: u8| {
        text.get(start + 2)
            .is_some_and(|byte| byte.to_ascii_lowercase() == wanted)
            .then_some(start + 3)
    };
    match text.get(start + 1)?.to_ascii_lowercase() {
        b's' | b'd' | b'm' | b't' => Some(start + 2),
        b'l' => second(b'l'),
        b'v' | b'r' => second(b'e'),
        0xC5 if text.get(start + 2) == Some(&0xBF) => Some(start + 3),
        _ => None,
    }
}
