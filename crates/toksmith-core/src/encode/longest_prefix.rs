//! Longest-prefix encoding, also called greedy or maximal munch: the longest token at the start, then
//! the longest at the start of what is left. What WordPiece and FLOTA's "first" variant do.
//!
//! The automaton reads the word from its end, so one pass gives the longest token that starts at
//! each unit: linear time for any word (Song et al. 2021 reach the same with precomputed pops).

use crate::error::Result;
use crate::model::Model;
use crate::trie::{Direction, Entry, Trie};
use crate::types::{Symbol, TokenId};

use super::{Encoder, Scratch};

/// Encodes by longest prefix.
#[derive(Debug)]
pub struct LongestPrefix {
    trie: Trie,
}

#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// Longest token that starts at each unit, the last unit first.
    starting: Vec<Entry>,
}

impl LongestPrefix {
    /// Tables for a model; its hidden tokens are left out.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        Self {
            trie: Trie::new(model, Direction::Backward),
        }
    }
}

impl Encoder for LongestPrefix {
    fn encode_word(
        &self,
        word: &[Symbol],
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let starting = &mut scratch.longest_prefix.starting;
        starting.clear();
        let mut node = self.trie.start();
        for &symbol in word.iter().rev() {
            node = self.trie.read(node, symbol);
            starting.push(self.trie.longest(node));
        }
        let mut at = 0;
        while at < word.len() {
            let entry = self.trie.entry(starting[word.len() - 1 - at]);
            if entry.len == 0 {
                return Err(super::uncovered(word[at]));
            }
            out.push(entry.id);
            at += entry.len as usize;
        }
        Ok(())
    }
}
