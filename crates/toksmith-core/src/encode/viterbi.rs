//! The segmentation with the best sum of scores (Viterbi 1967; Kudo 2018). Of equally good ones that whose
//! last token is longest is taken, and so on to the left.
//!
//! Sums of a model's scores are exact in any order: a word by itself is cut as it is in the best segmentation
//! of a whole text.
//!
//! Cost: for each unit the tokens that end there, so O(n·m) for tokens of up to m units.

use crate::error::{Error, Result};
use crate::model::Model;
use crate::trie::{Direction, Trie};
use crate::types::{Symbol, TokenId};

use super::best_path::{self, Best, Worth};
use super::{Encoder, Scratch};

/// Encodes with the best sum of scores.
#[derive(Debug)]
pub struct Viterbi {
    trie: Trie,
    scores: Vec<f64>,
}

#[derive(Debug, Default)]
pub(super) struct Buffers {
    best: Vec<Best<Score>>,
}

#[derive(Clone, Copy, Debug)]
struct Score(f64);

impl Worth for Score {
    const EMPTY: Self = Self(0.0);
    const UNREACHED: Self = Self(f64::NEG_INFINITY);

    fn is_better(self, other: Self) -> bool {
        self.0 > other.0
    }
}

impl Viterbi {
    /// Tables for a model; its hidden tokens are left out.
    ///
    /// # Errors
    /// [`Error::Incompatible`] for a model without scores.
    pub fn new(model: &Model) -> Result<Self> {
        Ok(Self {
            scores: scores(model)?,
            trie: Trie::new(model, Direction::Forward),
        })
    }
}

/// The scores of a model by id.
pub(super) fn scores(model: &Model) -> Result<Vec<f64>> {
    let scores = model.scores().ok_or_else(|| Error::Incompatible {
        what:
            "this vocabulary has no scores: segmentations are weighed by those of a unigram model"
                .to_owned(),
    })?;
    Ok(scores.to_vec())
}

impl Encoder for Viterbi {
    fn encode_word(
        &self,
        word: &[Symbol],
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let and = |before: Score, id| Score(before.0 + self.scores[id as usize]);
        best_path::encode(&self.trie, word, and, &mut scratch.viterbi.best, out)
    }
}
