//! Byte pair encoding (Gage 1994; Sennrich et al. 2016): join the most frequent adjacent pair, again
//! and again. Ties go to the smaller left id, then the smaller right id, so the result depends on
//! nothing but counts and ids.

use serde::{Deserialize, Serialize};

use crate::alphabet::Alphabet;
use crate::control::Control;
use crate::count::WordCounts;
use crate::error::Result;
use crate::model::Model;
use crate::types::Count;

use super::pairs::{CountQueue, Pairs, across_mark};
use super::{StopReason, Trained, Trainer, at_least};

/// The control is asked after this many merged places.
pub(super) const PLACES_PER_CONTROL: u64 = 1 << 16;

/// When training stops, beside the size of the vocabulary, and which merges are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BpeSettings {
    /// Stop when the best pair is rarer than this.
    #[serde(default = "default_min_pair_count")]
    pub min_pair_count: Count,
    /// Stop after this many merges.
    #[serde(default)]
    pub num_merges: Option<u64>,
    /// A pair that would make a longer token is left as it is.
    #[serde(default)]
    pub max_token_bytes: Option<u64>,
}

pub(super) fn default_min_pair_count() -> Count {
    2
}

impl Default for BpeSettings {
    fn default() -> Self {
        Self {
            min_pair_count: default_min_pair_count(),
            num_merges: None,
            max_token_bytes: None,
        }
    }
}

impl BpeSettings {
    pub(super) fn check(&self) -> Result<()> {
        at_least("min_pair_count", self.min_pair_count, 1)?;
        at_least("max_token_bytes", self.max_token_bytes.unwrap_or(1), 1)
    }
}

/// Trains byte pair encoding.
#[derive(Clone, Debug)]
pub struct Bpe {
    /// Stop at this many tokens, the alphabet counted in.
    pub num_tokens: usize,
    /// The other settings.
    pub settings: BpeSettings,
}

impl Trainer for Bpe {
    fn train(
        &self,
        counts: &WordCounts,
        alphabet: Alphabet,
        control: &dyn Control,
    ) -> Result<Trained> {
        let mut pairs = Pairs::new(counts, &alphabet, control)?;
        let mut queue = CountQueue::new(&pairs);
        let mut model = Model::of_alphabet(alphabet);
        let num_units = model.vocab().len();
        let total = self.num_tokens.saturating_sub(num_units) as u64;
        let max_merges = self.settings.num_merges.unwrap_or(u64::MAX);
        let max_bytes = self.settings.max_token_bytes.unwrap_or(u64::MAX);
        let mut since_control = 0;
        let stop_reason = loop {
            if model.vocab().len() >= self.num_tokens {
                break StopReason::VocabSizeReached;
            }
            if model.merges().len() as u64 >= max_merges {
                break StopReason::NumMergesReached;
            }
            let Some((count, pair)) = queue.pop(&pairs) else {
                break StopReason::NoPairsLeft;
            };
            if count < self.settings.min_pair_count {
                break StopReason::PairsTooRare;
            }
            if model.num_bytes_joined(pair.0, pair.1) > max_bytes {
                continue;
            }
            let new = model
                .push_merge(pair.0, pair.1)
                .ok_or_else(|| across_mark(pair))?;
            since_control += pairs.merge(pair, new).num_places;
            queue.push_risen(&pairs);
            if since_control >= PLACES_PER_CONTROL || model.merges().len() % 256 == 0 {
                since_control = 0;
                let done = (model.vocab().len() - num_units) as u64;
                control.check(done, total)?;
            }
        };
        Ok(Trained { model, stop_reason })
    }
}
