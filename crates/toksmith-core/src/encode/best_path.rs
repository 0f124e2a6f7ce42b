//! The best segmentation of a word, by dynamic programming over the ends of tokens: what encoders share
//! that weigh whole segmentations. Of several equally good ones the one whose last token is longest
//! is taken, and so on to the left.
//!
//! Cost: for each unit the tokens that end there, so O(n·m) for tokens of up to m units.

use crate::error::Result;
use crate::trie::Trie;
use crate::types::{Symbol, TokenId};

/// What a segmentation is worth.
pub(super) trait Worth: Copy {
    /// Of no tokens.
    const EMPTY: Self;
    /// Of an end that no tokens lead to.
    const UNREACHED: Self;

    /// Whether this one is to be preferred.
    fn is_better(self, other: Self) -> bool;
}

/// The best way to one end: its worth, and length and id of its last token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best<W> {
    worth: W,
    last_len: u32,
    last_id: TokenId,
}

/// Appends the best segmentation of a word. `and` adds a token to what comes before it; `best` is a
/// buffer.
///
/// # Errors
/// [`Error::UncoveredSymbol`](crate::Error::UncoveredSymbol) where no tokens lead to the end, and
/// [`Error::TooLarge`](crate::Error::TooLarge).
#[inline]
pub(super) fn encode<W: Worth>(
    trie: &Trie,
    word: &[Symbol],
    and: impl Fn(W, TokenId) -> W,
    best: &mut Vec<Best<W>>,
    out: &mut Vec<TokenId>,
) -> Result<()> {
    if word.len() >= u32::MAX as usize {
        return Err(super::too_long(word.len()));
    }
    let way = |worth| Best {
        worth,
        last_len: 0,
        last_id: 0,
    };
    best.clear();
    best.push(way(W::EMPTY));
    let mut node = trie.start();
    for (at, &symbol) in word.iter().enumerate() {
        node = trie.read(node, symbol);
        let mut here = way(W::UNREACHED);
        let mut entry = trie.longest(node);
        loop {
            let token = trie.entry(entry);
            if token.len == 0 {
                break;
            }
            let worth = and(best[at + 1 - token.len as usize].worth, token.id);
            // Longest first, so an equal one later on does not replace it.
            if worth.is_better(here.worth) {
                here = Best {
                    worth,
                    last_len: token.len,
                    last_id: token.id,
                };
            }
            entry = trie.shorter(entry);
        }
        best.push(here);
    }
    let first = out.len();
    let mut end = word.len();
    while end > 0 {
        let last = best[end];
        if last.last_len == 0 {
            out.truncate(first);
            return Err(super::uncovered(word[end - 1]));
        }
        out.push(last.last_id);
        end -= last.last_len as usize;
    }
    out[first..].reverse();
    Ok(())
}
