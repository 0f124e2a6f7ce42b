//! Word counts → model. A room that knows counts and an alphabet, never text, files or an encoder.

use serde::{Deserialize, Serialize};

use crate::alphabet::Alphabet;
use crate::control::Control;
use crate::count::WordCounts;
use crate::error::Result;
use crate::model::Model;

mod bpe;

pub use bpe::Bpe;

/// Which trainer, with its settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum TrainerSettings {
    /// Byte pair encoding.
    Bpe {
        /// Size of the vocabulary, alphabet and special tokens counted in.
        vocab_size: usize,
        /// The least count at which a pair is merged.
        #[serde(default = "default_min_pair_count")]
        min_pair_count: u64,
    },
}

fn default_min_pair_count() -> u64 {
    2
}

impl TrainerSettings {
    /// The trainer for these settings, with room for `num_special` special tokens.
    #[must_use]
    pub fn trainer(&self, num_special: usize) -> Box<dyn Trainer> {
        match *self {
            Self::Bpe {
                vocab_size,
                min_pair_count,
            } => Box::new(Bpe {
                num_tokens: vocab_size.saturating_sub(num_special),
                min_pair_count,
            }),
        }
    }

    /// The vocabulary size asked for.
    #[must_use]
    pub fn vocab_size(&self) -> usize {
        match *self {
            Self::Bpe { vocab_size, .. } => vocab_size,
        }
    }
}

/// Makes a model from counted words.
pub trait Trainer {
    /// Trains. The result depends on the counts, the alphabet and the settings alone.
    ///
    /// # Errors
    /// [`Error::EmptyCorpus`](crate::Error::EmptyCorpus),
    /// [`Error::TooLarge`](crate::Error::TooLarge) and
    /// [`Error::Interrupted`](crate::Error::Interrupted).
    fn train(
        &self,
        counts: &WordCounts,
        alphabet: Alphabet,
        control: &dyn Control,
    ) -> Result<Trained>;
}

/// What training gives.
#[derive(Debug)]
pub struct Trained {
    /// The model.
    pub model: Model,
    /// Why training stopped.
    pub stop_reason: StopReason,
}

/// Why training stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The vocabulary has the size asked for.
    VocabSizeReached,
    /// The best pair left is rarer than `min_pair_count`.
    PairsTooRare,
    /// Every word is one token.
    NoPairsLeft,
}
