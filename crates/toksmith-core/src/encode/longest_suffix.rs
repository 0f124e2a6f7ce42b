//! Longest-suffix encoding: the longest token at the end, then the longest at the end of what is left.
//! The mirror of [`LongestPrefix`](super::LongestPrefix), linear for the same reason.

use crate::error::Result;
use crate::model::Model;
use crate::trie::{Direction, Entry, Trie};
use crate::types::{Symbol, TokenId};

use super::{Encoder, Scratch};

/// Encodes by longest suffix.
#[derive(Debug)]
pub struct LongestSuffix {
    trie: Trie,
}

#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// Longest token that ends after each unit.
    ending: Vec<Entry>,
}

impl LongestSuffix {
    /// Tables for a model; its hidden tokens are left out.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        Self {
            trie: Trie::new(model, Direction::Forward),
        }
    }
}

impl Encoder for LongestSuffix {
    fn encode_word(
        &self,
        word: &[Symbol],
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let ending = &mut scratch.longest_suffix.ending;
        ending.clear();
        let mut node = self.trie.start();
        for &symbol in word {
            node = self.trie.read(node, symbol);
            ending.push(self.trie.longest(node));
        }
        let first = out.len();
        let mut end = word.len();
        while end > 0 {
            let entry = self.trie.entry(ending[end - 1]);
            if entry.len == 0 {
                out.truncate(first);
                return Err(super::uncovered(word[end - 1]));
            }
            out.push(entry.id);
            end -= entry.len as usize;
        }
        out[first..].reverse();
        Ok(())
    }
}
