//! `SentencePiece`'s own normalization rules (Kudo and Richardson 2018): `nmt_nfkc`, its default, and
//! `nfkc`, `nfkc_cf`, `nmt_nfkc_cf`.
//!
//! They are a table of strings and replacements, read longest match first, that was made from NFKC
//! of Unicode 17.0; so it is not quite NFKC: marks are not put in order, and a letter that was
//! composed takes no second mark. The rules, found in the table and held against it by a test:
//!
//! - A base and marks, each of which stands for one character (compatibility mappings included),
//!   become one character as long as each step of composing gives one.
//! - Any other character becomes its NFKC.
//! - `cf` folds the case of the outcome, by simple case folding (`ß` stays).
//! - `nmt` deletes control characters, makes a space of white space and of marks of direction, and
//!   leaves the fullwidth tilde alone.
//!
//! Ill-formed bytes stay here; `SentencePiece` makes U+FFFD of them.

use std::iter::once;

use icu_normalizer::properties::CanonicalCompositionBorrowed;
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

use super::case::fold;
use super::forms::Form;
use super::rewrite::Rewrite;

const NFKC: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfkc();
const NFKD: DecomposingNormalizerBorrowed<'static> = DecomposingNormalizerBorrowed::new_nfkd();
const COMPOSITION: CanonicalCompositionBorrowed<'static> = CanonicalCompositionBorrowed::new();

/// Which of the four tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rules {
    /// Control characters and white space too.
    pub(super) nmt: bool,
    /// Case is folded.
    pub(super) fold: bool,
}

impl Rules {
    pub(super) fn run(self, rewrite: &mut Rewrite<'_>) {
        for chunk in rewrite.source().utf8_chunks() {
            let mut rest = chunk.valid();
            while !rest.is_empty() {
                // In text that is NFKC already, nothing composes and nothing is mapped.
                let (normalized, other) = Form::Nfkc.split_normalized(rest);
                self.run_normalized(normalized, rewrite);
                // The next piece is read by the rules, whole: asking again at each of its marks
                // would take the square of their number.
                let (piece, after) = other.split_at(Form::Nfkc.first_piece(other));
                self.run_piece(piece, rewrite);
                rest = after;
            }
            rewrite.copy(chunk.invalid().len());
        }
    }

    /// Each character by itself, none of which NFKC would change.
    fn run_normalized(self, text: &str, rewrite: &mut Rewrite<'_>) {
        if !self.nmt && !self.fold {
            return rewrite.copy(text.len());
        }
        for c in text.chars() {
            let spaced = if self.nmt { nmt(c) } else { None };
            match spaced {
                Some(by) => rewrite.replace(c.len_utf8(), by),
                None if self.fold => {
                    let folded = self.folded(c);
                    rewrite.replace(c.len_utf8(), folded.encode_utf8(&mut [0; 4]));
                }
                None => rewrite.copy(c.len_utf8()),
            }
        }
    }

    /// Longest match first.
    fn run_piece(self, mut text: &str, rewrite: &mut Rewrite<'_>) {
        let mut by = String::new();
        while let Some(c) = text.chars().next() {
            by.clear();
            let len = match compose(text) {
                Some((composed, len)) => {
                    by.push(self.folded(composed));
                    len
                }
                None => {
                    self.push_single(c, &mut by);
                    c.len_utf8()
                }
            };
            rewrite.replace(len, &by);
            text = &text[len..];
        }
    }

    fn folded(self, c: char) -> char {
        match self.fold {
            true if c.is_ascii() => c.to_ascii_lowercase(),
            true if !is_later(c) => fold(c),
            _ => c,
        }
    }

    /// What one character becomes by itself.
    fn push_single(self, c: char, by: &mut String) {
        let spaced = if self.nmt { nmt(c) } else { None };
        match spaced {
            Some(spaced) => by.push_str(spaced),
            // The fullwidth tilde, which looks like other dashes.
            None if is_later(c) || (self.nmt && c == '\u{FF5E}') => by.push(c),
            None => by.extend(NFKC.normalize_iter(once(c)).map(|c| self.folded(c))),
        }
    }
}

/// What `nmt` makes of a character before anything else, if it does.
fn nmt(c: char) -> Option<&'static str> {
    match c {
        ' '..='~' => None,
        '\t' | '\n' | '\u{C}' | '\r' | '\u{61C}' | '\u{1680}' | '\u{200B}' | '\u{200C}'
        | '\u{200E}' | '\u{200F}' | '\u{2028}' | '\u{2029}' | '\u{2581}' | '\u{FEFF}'
        | '\u{FFFD}' => Some(" "),
        '\u{1}'..='\u{8}' | '\u{B}' | '\u{E}'..='\u{1F}' | '\u{7F}' | '\u{8F}' | '\u{9F}' => {
            Some("")
        }
        _ => None,
    }
}

/// True of the characters of Unicode 18.0 that are mapped or folded, which the rules do not know.
fn is_later(c: char) -> bool {
    matches!(c,
        '\u{558}' | '\u{58B}'..='\u{58C}' | '\u{209D}'..='\u{209F}' | '\u{A7DD}' | '\u{A7E2}'
        | '\u{AB6C}'..='\u{AB6D}' | '\u{107BB}'..='\u{107BF}' | '\u{1B123}'..='\u{1B126}'
        | '\u{1D6A6}' | '\u{1DF40}' | '\u{1DF48}' | '\u{1DF4A}' | '\u{1DF4D}' | '\u{1DF51}'
        | '\u{1DF68}' | '\u{1DF6A}' | '\u{1DF6C}' | '\u{1DF6E}' | '\u{1DF72}' | '\u{1DF74}'
        | '\u{1DF76}' | '\u{1DF78}' | '\u{1DF7A}' | '\u{1DF7C}' | '\u{1DF7E}' | '\u{1DF95}'
        | '\u{1DFCD}'..='\u{1DFFF}')
}

/// The one character that the longest beginning of a text makes, of two characters or more, and the
/// length of that beginning in bytes.
fn compose(text: &str) -> Option<(char, usize)> {
    let mut chars = text.chars();
    let first = chars.next()?;
    let mut composed = single(first)?;
    let mut len = first.len_utf8();
    for c in chars {
        let Some(together) = single(c).and_then(|mark| COMPOSITION.compose(composed, mark)) else {
            break;
        };
        composed = together;
        len += c.len_utf8();
    }
    (len > first.len_utf8()).then_some((composed, len))
}

/// The one character that a character stands for in NFKD, if it is one.
fn single(c: char) -> Option<char> {
    if is_later(c) {
        return None;
    }
    let mut decomposed = NFKD.normalize_iter(once(c));
    let first = decomposed.next()?;
    decomposed.next().is_none().then_some(first)
}
