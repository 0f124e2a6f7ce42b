//! The vocabulary of words: the alphabet and the most frequent words. Of equally frequent words the
//! one with the smaller bytes, then the smaller marks, comes first.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::alphabet::Alphabet;
use crate::control::Control;
use crate::count::WordCounts;
use crate::error::Result;
use crate::model::Model;
use crate::types::Count;

use super::{StopReason, Trained, Trainer, at_least};

/// Which words become tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WordsSettings {
    /// A rarer word does not become a token.
    #[serde(default = "one")]
    pub min_word_count: Count,
}

fn one() -> Count {
    1
}

impl Default for WordsSettings {
    fn default() -> Self {
        Self {
            min_word_count: one(),
        }
    }
}

impl WordsSettings {
    pub(super) fn check(&self) -> Result<()> {
        at_least("min_word_count", self.min_word_count, 1)
    }
}

/// Takes the most frequent words as the vocabulary.
#[derive(Clone, Debug)]
pub struct Words {
    /// Stop at this many tokens, the alphabet counted in.
    pub num_tokens: usize,
    /// The other settings.
    pub settings: WordsSettings,
}

impl Trainer for Words {
    fn train(
        &self,
        counts: &WordCounts,
        alphabet: Alphabet,
        control: &dyn Control,
    ) -> Result<Trained> {
        control.check(0, self.num_tokens as u64)?;
        let mut words: Vec<_> = counts.iter().collect();
        // Stable, so equally frequent words stay sorted by bytes and marks.
        words.sort_by_key(|word| Reverse(word.count));
        let mut model = Model::of_alphabet(alphabet);
        for word in words {
            if model.vocab().len() >= self.num_tokens {
                return Ok(Trained {
                    model,
                    stop_reason: StopReason::VocabSizeReached,
                });
            }
            if word.count < self.settings.min_word_count {
                return Ok(Trained {
                    model,
                    stop_reason: StopReason::WordsTooRare,
                });
            }
            model.push_token(word.bytes, word.marks);
        }
        Ok(Trained {
            model,
            stop_reason: StopReason::AllWordsTaken,
        })
    }
}
