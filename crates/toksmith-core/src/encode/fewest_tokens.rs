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

use super::best_path::{self, Best, Worth};
use super::{Encoder, Scratch};

/// Encodes with the fewest tokens.
#[derive(Debug)]
pub struct FewestTokens {
    trie: Trie,
}

#[derive(Debug, Default)]
pub(super) struct Buffers {
    best: Vec<Best<NumTokens>>,
}

#[derive(Clone, Copy, Debug)]
struct NumTokens(u32);

impl Worth for NumTokens {
    const EMPTY: Self = Self(0);
    const UNREACHED: Self = Self(u32::MAX);

    fn is_better(self, other: Self) -> bool {
        self.0 < other.0
    }
}

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
        let and = |before: NumTokens, _| NumTokens(before.0.saturating_add(1));
        let best = &mut scratch.fewest_tokens.best;
        best_path::encode(&self.trie, word, and, best, out)
    }
}
