//! GPT-2's pattern as a scanner: one pass, no backtracking, any bytes.
//!
//! `\s+(?!\S)|\s+` is "all of a run of white space but its last character, unless the run ends the
//! text or is one character long"; with that, no look-ahead is longer than one character.

use std::ops::ControlFlow;

use super::unicode::{CharClass, UnicodeClasses};
use super::{Pretoken, PretokenClass};

/// When an apostrophe and `s d m t ll ve re` are a pretoken of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contraction {
    /// As GPT-2 has it, so `b'test'` loses its `t`.
    Always,
    /// Only where no letter follows: the contraction fix of the ISBPE post.
    WholeWord,
    /// Only where no letter follows and one stands before, so that the quoted letter of a line that
    /// begins with `'s'` is no contraction either.
    AfterLetter,
}

impl Contraction {
    /// The name of the pattern with this rule.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Always => "gpt2",
            Self::WholeWord => "gpt2-contraction-fix",
            Self::AfterLetter => "gpt2-contraction-strict",
        }
    }

    /// The text of the pattern with this rule.
    pub(super) const fn pattern(self) -> &'static str {
        match self {
            Self::Always => {
                r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
            }
            Self::WholeWord => {
                r"'(?:[sdmt]|ll|ve|re)(?!\p{L})| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
            }
            Self::AfterLetter => {
                r"(?<=\p{L})'(?:[sdmt]|ll|ve|re)(?!\p{L})| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
            }
        }
    }
}

/// The scanner.
#[derive(Clone, Copy, Debug)]
pub struct Gpt2 {
    contraction: Contraction,
    classes: &'static UnicodeClasses,
}

impl Gpt2 {
    pub(super) fn new(contraction: Contraction, classes: &'static UnicodeClasses) -> Self {
        Self {
            contraction,
            classes,
        }
    }

    pub(super) fn contraction(&self) -> Contraction {
        self.contraction
    }

    pub(super) fn classes(&self) -> &'static UnicodeClasses {
        self.classes
    }

    #[inline]
    pub(super) fn for_each(&self, text: &[u8], mut emit: impl FnMut(Pretoken) -> ControlFlow<()>) {
        let mut start = 0;
        while start < text.len() {
            let (end, class) = self.pretoken_at(text, start);
            if emit(Pretoken { start, end, class }).is_break() {
                return;
            }
            start = end;
        }
    }

    /// End and class of the pretoken that starts at `start`, which is inside the text.
    #[inline]
    fn pretoken_at(&self, text: &[u8], start: usize) -> (usize, PretokenClass) {
        let (mut class, mut len) = self.classes.class_at(text, start);
        let mut at = start;
        if text[start] == b' ' {
            match text.get(start + 1) {
                None => return (start + 1, PretokenClass::Whitespace),
                Some(_) => {
                    let (next, next_len) = self.classes.class_at(text, start + 1);
                    if next == CharClass::Space {
                        return (self.whitespace_end(text, start), PretokenClass::Whitespace);
                    }
                    (class, len) = (next, next_len);
                    at = start + 1;
                }
            }
        } else if class == CharClass::Space {
            return (self.whitespace_end(text, start), PretokenClass::Whitespace);
        } else if text[start] == b'\'' {
            if let Some(end) = self.contraction_end(text, start) {
                return (end, PretokenClass::Other);
            }
        }
        match class {
            CharClass::Letter => {
                let end = self.classes.letters_end(text, at + len);
                (end, PretokenClass::Letters)
            }
            _ => {
                let end = self.classes.run_end(text, at + len, class);
                (end, PretokenClass::Other)
            }
        }
    }

    /// Where the white space pretoken ends that starts at `start`.
    fn whitespace_end(&self, text: &[u8], start: usize) -> usize {
        let mut at = start;
        let mut last = start;
        while at < text.len() {
            let (class, len) = self.classes.class_at(text, at);
            if class != CharClass::Space {
                // The last character of the run is left to what follows, if it is not all of it.
                return if last > start { last } else { at };
            }
            last = at;
            at += len;
        }
        at
    }

    /// Where the contraction ends that starts at the apostrophe at `start`.
    #[inline]
    fn contraction_end(&self, text: &[u8], start: usize) -> Option<usize> {
        let len = match *text.get(start + 1)? {
            b's' | b'd' | b'm' | b't' => 2,
            b'l' if text.get(start + 2) == Some(&b'l') => 3,
            b'v' | b'r' if text.get(start + 2) == Some(&b'e') => 3,
            _ => return None,
        };
        let end = start + len;
        let letter_follows =
            end < text.len() && self.classes.class_at(text, end).0 == CharClass::Letter;
        let is_contraction = match self.contraction {
            Contraction::Always => true,
            Contraction::WholeWord => !letter_follows,
            Contraction::AfterLetter => !letter_follows && self.is_after_letter(text, start),
        };
        is_contraction.then_some(end)
    }

    #[cold]
    #[inline(never)]
    fn is_after_letter(&self, text: &[u8], at: usize) -> bool {
        self.classes.class_before(text, at) == Some(CharClass::Letter)
    }
}
