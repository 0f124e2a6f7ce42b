//! GPT-2's boundary: a space is the first byte of the word after it. No marks.

use crate::pretokenize::{Pretoken, PretokenClass};
use crate::types::Marks;

use super::{Mark, MarkState, Pending, WhitespaceRule, Word};

#[derive(Clone, Copy, Debug)]
pub(crate) struct SpacePrefix {
    pub whitespace: WhitespaceRule,
    /// The space at the start of a text was put there to be the first word's.
    pub has_prefix: bool,
}

impl Mark for SpacePrefix {
    #[inline]
    fn mark(
        self,
        state: &mut MarkState,
        text: &[u8],
        pretoken: Pretoken,
        emit: &mut impl FnMut(Word),
    ) {
        let Pretoken { start, end, class } = pretoken;
        let word = |start, end| Word {
            start,
            end,
            marks: Marks::NONE,
        };
        if self.whitespace == WhitespaceRule::Split {
            emit(word(start, end));
            return;
        }
        let is_whitespace = class == PretokenClass::Whitespace;
        let has_leading_space = !is_whitespace && text[start] == b' ' && end > start + 1;
        let mut start = start;
        if is_whitespace && state.pending_is_whitespace() {
            state.extend_pending(text, end);
            return;
        }
        if has_leading_space && state.at_start && !self.has_prefix {
            let space = Pending {
                word: word(start, start + 1),
                is_whitespace: true,
            };
            state.replace_pending(space, text, emit);
            start += 1;
        } else if has_leading_space && state.after_whitespace {
            state.extend_pending(text, start + 1);
            start += 1;
        }
        let next = Pending {
            word: word(start, end),
            is_whitespace,
        };
        state.replace_pending(next, text, emit);
    }
}
