//! Fewest tokens possible: dynamic programming over the ends of tokens. Of several shortest
//! segmentations the one whose last token is longest is taken, and so on to the left (PathPiece, Schmidt
//! et al. 2024).
//!
//! On a vocabulary that BPE made, fewest-token inference compresses best and trained models did worse
//! with it than with merging (46.5 against 49.0 in that paper's mean of ten tasks).
//!
//! Cost: for each unit the tokens that end there, so O(n·m) for tokens of up to m units.

use crate::error::Result;
use crate::model::Model;
use crate::trie::{Direction, Trie};
use crate::types::{Symbol, TokenId};

use super::{Encoder, Scratch};

/// Encodes with the fewest tokens.
#[derive(Debug)]
pub struct FewestTokens {
    trie: Trie,
}

#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// For each end: fewest tokens up to it, and length and id of the last of them.
    best: Vec<Best>,
}

#[derive(Clone, Copy, Debug)]
struct Best {
    num_tokens: u32,
    last_len: u32,
    last_id: TokenId,
}

const UNREACHED: Best = Best {
    num_tokens: u32::MAX,
    last_len: 0,
    last_id: 0,
};

impl FewestTokens {
    /// Tables for a model; its hidden tokens are left out.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        Self {
            trie: Trie::new(model, Direction::Forward),
        }
    }
}

impl Encoder for FewestTokens {
    fn encode_word(
        &self,
        word: &[Symbol],
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        if word.len() >= u32::MAX as usize {
            return Err(super::too_long(word.len()));
        }
        let best = &mut scratch.fewest_tokens.best;
        best.clear();
        best.push(Best {
            num_tokens: 0,
            ..UNREACHED
        });
        let mut node = self.trie.start();
        for (at, &symbol) in word.iter().enumerate() {
            node = self.trie.read(node, symbol);
            let mut fewest = UNREACHED;
            let mut entry = self.trie.longest(node);
            loop {
                let token = self.trie.entry(entry);
                if token.len == 0 {
                    break;
                }
                let before = best[at + 1 - token.len as usize].num_tokens;
                // Longest first, so an equal number later on does not replace it.
                if before < fewest.num_tokens.saturating_sub(1) {
                    fewest = Best {
                        num_tokens: before + 1,
                        last_len: token.len,
                        last_id: token.id,
                    };
                }
                entry = self.trie.shorter(entry);
            }
            best.push(fewest);
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
}
