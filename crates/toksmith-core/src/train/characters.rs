//! The vocabulary of characters or bytes: the alphabet and nothing else.

use crate::alphabet::Alphabet;
use crate::control::Control;
use crate::count::WordCounts;
use crate::error::Result;
use crate::model::Model;

use super::{StopReason, Trained, Trainer};

/// Takes the alphabet as the vocabulary.
#[derive(Clone, Copy, Debug)]
pub struct Characters {
    /// The most tokens there may be.
    pub num_tokens: usize,
}

impl Trainer for Characters {
    fn train(
        &self,
        _counts: &WordCounts,
        alphabet: Alphabet,
        _control: &dyn Control,
    ) -> Result<Trained> {
        let stop_reason = match alphabet.len() < self.num_tokens {
            true => StopReason::AllCharactersTaken,
            false => StopReason::VocabSizeReached,
        };
        Ok(Trained {
            model: Model::of_alphabet(alphabet),
            stop_reason,
        })
    }
}
