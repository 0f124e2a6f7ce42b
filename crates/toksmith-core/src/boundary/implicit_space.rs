//! Implicit spaces (ISBPE): one space in front of a word is not stored, only its absence is marked.
//!
//! Rules 1 to 4 of the specification, section 5. The state's "last byte" is the last byte of the
//! source, which is the last byte of the output too wherever a rule asks for it: a dropped space is
//! always followed by the rest of its pretoken.

use crate::pretokenize::{Pretoken, PretokenClass};
use crate::types::Marks;

use super::{Mark, MarkState, Pending, WhitespaceRule, Word};

#[derive(Clone, Copy, Debug)]
pub(crate) struct ImplicitSpace<const DUAL: bool> {
    pub whitespace: WhitespaceRule,
}

impl<const DUAL: bool> Mark for ImplicitSpace<DUAL> {
    #[inline]
    fn mark(
        self,
        state: &mut MarkState,
        text: &[u8],
        pretoken: Pretoken,
        emit: &mut impl FnMut(Word),
    ) {
        let Pretoken { start, end, class } = pretoken;
        let mut word = Word {
            start,
            end,
            marks: Marks::NONE,
        };
        let is_whitespace = class == PretokenClass::Whitespace;
        if is_whitespace {
            if self.whitespace == WhitespaceRule::Whole && state.pending_is_whitespace() {
                state.extend_pending(text, end);
                return;
            }
            word.marks = Marks::new(!state.glue(), false);
        } else if text[start] == b' ' {
            word.start = start + 1;
            if state.at_start {
                let space = Pending {
                    word: Word {
                        start,
                        end: start + 1,
                        marks: Marks::NONE,
                    },
                    is_whitespace: true,
                };
                state.replace_pending(space, text, emit);
            } else if state.after_whitespace {
                state.extend_pending(text, start + 1);
            }
        } else if !state.glue() {
            match &mut state.pending {
                Some(before) if DUAL && class == PretokenClass::Letters => {
                    before.word.marks = Marks::new(before.word.marks.lead(), true);
                }
                _ => word.marks = Marks::new(true, false),
            }
        }
        let next = Pending {
            word,
            is_whitespace,
        };
        state.replace_pending(next, text, emit);
    }
}
