//! Word counts → model. A room that knows counts and an alphabet, never text, files or an encoder.

use serde::{Deserialize, Serialize};

use crate::alphabet::Alphabet;
use crate::control::Control;
use crate::count::WordCounts;
use crate::error::{Error, Result};
use crate::model::Model;

mod alphabet;
mod bpe;
mod characters;
mod pairs;
mod scaffold_bpe;
mod unigram;
mod wordpiece;
mod words;

pub use alphabet::AlphabetSettings;
pub use bpe::{Bpe, BpeSettings};
pub use characters::Characters;
pub use scaffold_bpe::ScaffoldBpe;
pub use unigram::{Unigram, UnigramSettings};
pub use wordpiece::{Score, WordPiece, WordPieceSettings};
pub use words::{Words, WordsSettings};

/// Which trainer, with its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum TrainerSettings {
    /// Byte pair encoding.
    Bpe(BpeSettings),
    /// Byte pair encoding in which tokens that only lead to longer ones are hidden.
    ScaffoldBpe(BpeSettings),
    /// Pairs joined by a score.
    Wordpiece(WordPieceSettings),
    /// The unigram language model.
    Unigram(UnigramSettings),
    /// The most frequent words.
    Words(WordsSettings),
    /// The alphabet alone.
    Characters {},
}

impl TrainerSettings {
    /// The trainer for these settings, for a model of at most `num_tokens` tokens.
    #[must_use]
    pub fn trainer(&self, num_tokens: usize) -> Box<dyn Trainer> {
        match self {
            Self::Bpe(settings) => Box::new(Bpe {
                num_tokens,
                settings: settings.clone(),
            }),
            Self::ScaffoldBpe(settings) => Box::new(ScaffoldBpe {
                num_tokens,
                settings: settings.clone(),
            }),
            Self::Wordpiece(settings) => Box::new(WordPiece {
                num_tokens,
                settings: settings.clone(),
            }),
            Self::Unigram(settings) => Box::new(Unigram {
                num_tokens,
                settings: settings.clone(),
            }),
            Self::Words(settings) => Box::new(Words {
                num_tokens,
                settings: settings.clone(),
            }),
            Self::Characters {} => Box::new(Characters { num_tokens }),
        }
    }

    /// Says what is wrong with these settings.
    ///
    /// # Errors
    /// [`Error::Incompatible`] that names the setting, its value and the bound.
    pub fn check(&self) -> Result<()> {
        match self {
            Self::Bpe(settings) | Self::ScaffoldBpe(settings) => settings.check(),
            Self::Wordpiece(settings) => settings.check(),
            Self::Unigram(settings) => settings.check(),
            Self::Words(settings) => settings.check(),
            Self::Characters {} => Ok(()),
        }
    }
}

/// Makes a model from counted words.
pub trait Trainer {
    /// Trains. The result depends on the counts, the alphabet and the settings alone.
    ///
    /// # Errors
    /// [`Error::EmptyCorpus`], [`Error::TooLarge`] and [`Error::Interrupted`].
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
    /// As many merges as asked for.
    NumMergesReached,
    /// The best pair left is rarer than `min_pair_count`.
    PairsTooRare,
    /// The best score left is below `min_score`.
    ScoresTooLow,
    /// No more pieces are used often enough to be kept.
    PiecesTooRare,
    /// The best word left is rarer than `min_word_count`.
    WordsTooRare,
    /// Every word is a token.
    AllWordsTaken,
    /// Every character is a token, as far as the settings of the alphabet allow.
    AllCharactersTaken,
    /// Every word is one token, or as few as `max_token_bytes` allows.
    NoPairsLeft,
}

impl StopReason {
    /// Its name in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::VocabSizeReached => "vocab-size-reached",
            Self::NumMergesReached => "num-merges-reached",
            Self::PairsTooRare => "pairs-too-rare",
            Self::ScoresTooLow => "scores-too-low",
            Self::PiecesTooRare => "pieces-too-rare",
            Self::WordsTooRare => "words-too-rare",
            Self::AllWordsTaken => "all-words-taken",
            Self::AllCharactersTaken => "all-characters-taken",
            Self::NoPairsLeft => "no-pairs-left",
        }
    }
}

/// Refuses a setting below its least value.
fn at_least(setting: &'static str, value: u64, least: u64) -> Result<()> {
    if value >= least {
        return Ok(());
    }
    Err(Error::Incompatible {
        what: format!("{setting} is {value}, but must be at least {least}"),
    })
}
