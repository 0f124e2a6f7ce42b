//! The two patterns that look at white space alone: `\s+|\S+`, and the whole text as one pretoken.

use std::ops::ControlFlow;

use super::unicode::{CharClass, UnicodeClasses};
use super::{Pretoken, PretokenClass, class_of_span};

/// `\s+|\S+`.
#[derive(Clone, Copy, Debug)]
pub struct Whitespace {
    classes: &'static UnicodeClasses,
}

impl Whitespace {
    pub(super) fn new(classes: &'static UnicodeClasses) -> Self {
        Self { classes }
    }

    pub(super) fn classes(&self) -> &'static UnicodeClasses {
        self.classes
    }

    pub(super) fn for_each(&self, text: &[u8], mut emit: impl FnMut(Pretoken) -> ControlFlow<()>) {
        let mut start = 0;
        while start < text.len() {
            let (first, mut len) = self.classes.class_at(text, start);
            let (mut end, mut letters) = (start, true);
            let mut class = first;
            while (class == CharClass::Space) == (first == CharClass::Space) {
                letters &= class == CharClass::Letter;
                end += len;
                if end == text.len() {
                    break;
                }
                (class, len) = self.classes.class_at(text, end);
            }
            let class = match (first, letters) {
                (CharClass::Space, _) => PretokenClass::Whitespace,
                (_, true) => PretokenClass::Letters,
                (_, false) => PretokenClass::Other,
            };
            if emit(Pretoken { start, end, class }).is_break() {
                return;
            }
            start = end;
        }
    }
}

/// The whole text as one pretoken.
#[derive(Clone, Copy, Debug)]
pub struct WholeText {
    classes: &'static UnicodeClasses,
}

impl WholeText {
    pub(super) fn new(classes: &'static UnicodeClasses) -> Self {
        Self { classes }
    }

    pub(super) fn classes(&self) -> &'static UnicodeClasses {
        self.classes
    }

    pub(super) fn for_each(&self, text: &[u8], mut emit: impl FnMut(Pretoken) -> ControlFlow<()>) {
        if !text.is_empty() {
            let _ = emit(Pretoken {
                start: 0,
                end: text.len(),
                class: class_of_span(self.classes, text),
            });
        }
    }
}
