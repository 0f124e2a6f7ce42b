//! The boundary of the first BPE: the space after a word is the word's last byte, so `er` at the end
//! of a word and inside one are different tokens. No marks.
//!
//! A word that something else follows (a stop, a line's end, the end of the text) has no end mark:
//! nothing is added, so nothing is lost.

use crate::pretokenize::{Pretoken, PretokenClass};
use crate::types::Marks;

use super::{Mark, MarkState, Pending, WhitespaceRule, Word};

#[derive(Clone, Copy, Debug)]
pub(crate) struct EndOfWord {
    pub whitespace: WhitespaceRule,
}

impl Mark for EndOfWord {
    #[inline]
    fn mark(
        self,
        state: &mut MarkState,
        text: &[u8],
        pretoken: Pretoken,
        emit: &mut impl FnMut(Word),
    ) {
        let Pretoken {
            mut start,
            end,
            class,
        } = pretoken;
        let is_whitespace = class == PretokenClass::Whitespace;
        let pending = |start, end, is_whitespace| Pending {
            word: Word {
                start,
                end,
                marks: Marks::NONE,
            },
            is_whitespace,
        };
        let joins = self.whitespace == WhitespaceRule::Whole;
        if text[start] == b' ' {
            if !state.glue() {
                state.extend_pending(text, start + 1);
                start += 1;
            } else if !is_whitespace {
                // A space that ends no word is white space by itself.
                if joins && state.pending_is_whitespace() {
                    state.extend_pending(text, start + 1);
                } else {
                    state.replace_pending(pending(start, start + 1, true), text, emit);
                }
                start += 1;
            }
        }
        if start == end {
            return;
        }
        if is_whitespace && joins && state.pending_is_whitespace() {
            state.extend_pending(text, end);
        } else {
            state.replace_pending(pending(start, end, is_whitespace), text, emit);
        }
    }
}
