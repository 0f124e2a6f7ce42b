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

use super::{Encoder, Scratch};

/// Encodes with the best sum of scores.
#[derive(Debug)]
pub struct Viterbi {
    trie: Trie,
    scores: Vec<f64>,
}

#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// For each end: the best score up to it, and length and id of the last token.
    best: Vec<Best>,
}

#[derive(Clone, Copy, Debug)]
struct Best {
    score: f64,
    last_len: u32,
    last_id: TokenId,
}

const UNREACHED: Best = Best {
    score: f64::NEG_INFINITY,
    last_len: 0,
    last_id: 0,
};

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
        if word.len() >= u32::MAX as usize {
            return Err(super::too_long(word.len()));
        }
        let best = &mut scratch.viterbi.best;
        best.clear();
        best.push(Best {
            score: 0.0,
            ..UNREACHED
        });
        let mut node = self.trie.start();
        for (at, &symbol) in word.iter().enumerate() {
            node = self.trie.read(node, symbol);
            let mut here = UNREACHED;
            let mut entry = self.trie.longest(node);
            loop {
                let token = self.trie.entry(entry);
                if token.len == 0 {
                    break;
                }
                let before = best[at + 1 - token.len as usize].score;
                let score = before + self.scores[token.id as usize];
                // Longest first, so an equal score later on does not replace it.
                if score > here.score {
                    here = Best {
                        score,
                        last_len: token.len,
                        last_id: token.id,
                    };
                }
                entry = self.trie.shorter(entry);
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
}
