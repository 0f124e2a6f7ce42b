//! Each punctuation character by itself, and the runs between them.
//!
//! Punctuation is `\p{P}` and the symbols of ASCII, as in BERT and in `tokenizers`' `Punctuation`.

use super::unicode::{CharKind, Character, UnicodeClasses};
use super::{PretokenClass, class_of_span};

/// The text of the pattern.
pub(super) const PATTERN: &str = r"[\p{P}$+<=>^`|~]|[^\p{P}$+<=>^`|~]+";

/// `[\p{P}$+<=>^`|~]`.
pub(super) fn is_punctuation(character: Character) -> bool {
    match character.kind {
        CharKind::Punctuation => true,
        CharKind::Symbol => character.code_point.is_some_and(|point| point < 0x80),
        _ => false,
    }
}

/// The scanner.
#[derive(Clone, Copy, Debug)]
pub struct Punctuation {
    classes: &'static UnicodeClasses,
}

impl Punctuation {
    pub(super) fn new(classes: &'static UnicodeClasses) -> Self {
        Self { classes }
    }

    pub(super) fn classes(&self) -> &'static UnicodeClasses {
        self.classes
    }

    /// End and class of the pretoken that starts at `start`, which is inside the text.
    pub(super) fn pretoken_at(&self, text: &[u8], start: usize) -> (usize, PretokenClass) {
        let first = self.classes.character_at(text, start);
        let mut end = start + first.len;
        if is_punctuation(first) {
            return (end, PretokenClass::Other);
        }
        while end < text.len() {
            let character = self.classes.character_at(text, end);
            if is_punctuation(character) {
                break;
            }
            end += character.len;
        }
        (end, class_of_span(self.classes, &text[start..end]))
    }
}
