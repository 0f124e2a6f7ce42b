//! BERT's boundary: words alone, white space lost. Which tokens continue a word is said by their
//! marks, which are the same for every word.

use crate::pretokenize::{Pretoken, PretokenClass};
use crate::types::Marks;

use super::{Mark, MarkState, Word};

#[derive(Clone, Copy, Debug)]
pub(crate) struct DropWhitespace;

impl Mark for DropWhitespace {
    #[inline]
    fn mark(
        self,
        _state: &mut MarkState,
        text: &[u8],
        pretoken: Pretoken,
        emit: &mut impl FnMut(Word),
    ) {
        let Pretoken { start, end, class } = pretoken;
        let start = start + usize::from(text[start] == b' ');
        if class != PretokenClass::Whitespace && start < end {
            emit(Word {
                start,
                end,
                marks: Marks::NONE,
            });
        }
    }
}
