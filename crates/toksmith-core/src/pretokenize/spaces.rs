//! Cuts at U+0020 and nowhere else, as SentencePiece does: before the last space of a run. The
//! other spaces of the run are a pretoken of their own, and so is a run that ends the text.

use super::unicode::UnicodeClasses;
use super::{PretokenClass, class_of_span};

/// The text of the pattern.
pub(super) const PATTERN: &str = r" ?[^ ]+| +(?![^ ])";

/// The scanner.
#[derive(Clone, Copy, Debug)]
pub struct Spaces {
    classes: &'static UnicodeClasses,
}

impl Spaces {
    pub(super) fn new(classes: &'static UnicodeClasses) -> Self {
        Self { classes }
    }

    pub(super) fn classes(&self) -> &'static UnicodeClasses {
        self.classes
    }

    /// End and class of the pretoken that starts at `start`, which is inside the text.
    pub(super) fn pretoken_at(&self, text: &[u8], start: usize) -> (usize, PretokenClass) {
        let run = |from: usize, is_space: bool| {
            let rest = text[from..].iter();
            from + rest.take_while(|&&b| (b == b' ') == is_space).count()
        };
        let after_spaces = run(start, true);
        if after_spaces == text.len() {
            return (after_spaces, PretokenClass::Whitespace);
        }
        if after_spaces > start + 1 {
            return (after_spaces - 1, PretokenClass::Whitespace);
        }
        let end = run(after_spaces, false);
        (end, class_of_span(self.classes, &text[start..end]))
    }
}
