//! One marked word and a model → token ids. A room that knows no text, pattern or special token.
//!
//! Every encoder is linear or n·log n in the length of the word, whatever the word.

use serde::{Deserialize, Serialize};

use crate::alphabet::Alphabet;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::types::{Symbol, TokenId};

mod best_path;
mod dropout;
mod fewest_tokens;
mod longest_first;
mod longest_prefix;
mod longest_suffix;
mod merge_rank;
mod pair_table;
mod segmentations;
mod unknown;
mod viterbi;
mod whole_word;

pub use dropout::Dropout;
pub use fewest_tokens::FewestTokens;
pub use longest_first::LongestFirst;
pub use longest_prefix::LongestPrefix;
pub use longest_suffix::LongestSuffix;
pub use merge_rank::MergeRank;
pub use segmentations::Segmentations;
pub use unknown::{UnkScope, UnkSettings, Unknown, UnknownRule};
pub use viterbi::Viterbi;
pub use whole_word::WholeWord;

/// Which encoder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EncoderKind {
    /// Join the pair with the lowest merge rank, again and again (BPE).
    #[default]
    MergeRank,
    /// Take the longest span that is a token, again and again (LBPE).
    LongestFirst,
    /// Take the longest token at the start, again and again (WordPiece's way).
    LongestPrefix,
    /// Take the longest token at the end, again and again.
    LongestSuffix,
    /// As few tokens as the vocabulary allows.
    FewestTokens,
    /// The best sum of scores (unigram).
    Viterbi,
    /// The word if it is a token, else its units.
    WholeWord,
}

impl EncoderKind {
    /// All encoders, in the order of the documentation.
    pub const ALL: [Self; 7] = [
        Self::MergeRank,
        Self::LongestFirst,
        Self::LongestPrefix,
        Self::LongestSuffix,
        Self::FewestTokens,
        Self::Viterbi,
        Self::WholeWord,
    ];

    /// The name users type.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MergeRank => "merge-rank",
            Self::LongestFirst => "longest-first",
            Self::LongestPrefix => "longest-prefix",
            Self::LongestSuffix => "longest-suffix",
            Self::FewestTokens => "fewest-tokens",
            Self::Viterbi => "viterbi",
            Self::WholeWord => "whole-word",
        }
    }

    /// The encoder of that name.
    ///
    /// # Errors
    /// [`Error::UnknownSetting`] with the list of names.
    pub fn from_name(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| Error::UnknownSetting {
                setting: "encoder",
                value: name.to_owned(),
                known: Self::ALL.map(Self::name).join(", "),
            })
    }

    /// Makes the encoder's tables for a model.
    ///
    /// # Errors
    /// [`Error::Incompatible`] when the model has what the encoder cannot honour.
    pub fn encoder(self, model: &Model) -> Result<Box<dyn Encoder>> {
        Ok(match self {
            Self::MergeRank => Box::new(MergeRank::new(model)?),
            Self::LongestFirst => Box::new(LongestFirst::new(model)),
            Self::LongestPrefix => Box::new(LongestPrefix::new(model)),
            Self::LongestSuffix => Box::new(LongestSuffix::new(model)),
            Self::FewestTokens => Box::new(FewestTokens::new(model)),
            Self::Viterbi => Box::new(Viterbi::new(model)?),
            Self::WholeWord => Box::new(WholeWord::new(model)),
        })
    }
}

/// How a text is encoded at random.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sample {
    /// Merging in which each merge is left out with this probability at each step.
    Dropout(f64),
    /// A segmentation with probability proportional to exp(this · sum of scores). 0 makes all equally
    /// likely; the larger, the more often the best one comes.
    Temperature(f64),
}

impl Sample {
    /// Says what is wrong with the number.
    ///
    /// # Errors
    /// [`Error::Incompatible`] that names the value and the bounds.
    pub fn check(self) -> Result<()> {
        match self {
            Self::Dropout(probability) if !(0.0..=1.0).contains(&probability) => {
                Err(Error::Incompatible {
                    what: format!("the dropout is {probability}, but must be from 0 to 1"),
                })
            }
            Self::Dropout(_) => Ok(()),
            Self::Temperature(alpha) => check_alpha(alpha),
        }
    }
}

/// Refuses an inverse temperature below 0, or so large that sums overflow.
///
/// # Errors
/// [`Error::Incompatible`] that names the value and the bounds.
pub fn check_alpha(alpha: f64) -> Result<()> {
    if (0.0..=MAX_ALPHA).contains(&alpha) {
        return Ok(());
    }
    Err(Error::Incompatible {
        what: format!("alpha is {alpha}, but must be from 0 to {MAX_ALPHA}"),
    })
}

/// The largest inverse temperature; from a few hundred on only the best segmentation is drawn.
const MAX_ALPHA: f64 = 1e6;

/// Cuts one word into tokens.
pub trait Encoder: std::fmt::Debug + Send + Sync {
    /// Appends the ids of a word, in text order; an empty word appends none.
    ///
    /// # Errors
    /// [`Error::UncoveredSymbol`] when no token holds one of the symbols, which cannot happen for
    /// a vocabulary with its whole alphabet.
    fn encode_word(
        &self,
        word: &[Symbol],
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()>;

    /// Number of symbols at the start of `word` that this id stands for, where it is the unknown
    /// token, which spells nothing itself; `None` for any other id.
    fn unknown_len(&self, _word: &[Symbol], _id: TokenId) -> Option<usize> {
        None
    }
}

/// Buffers that encoders reuse from word to word.
#[derive(Debug, Default)]
pub struct Scratch {
    merge_rank: merge_rank::Buffers,
    longest_first: longest_first::Buffers,
    longest_prefix: longest_prefix::Buffers,
    longest_suffix: longest_suffix::Buffers,
    fewest_tokens: fewest_tokens::Buffers,
    viterbi: viterbi::Buffers,
    whole_word: whole_word::Buffers,
}

/// Appends the units of a word.
fn push_units(alphabet: &Alphabet, word: &[Symbol], out: &mut Vec<TokenId>) -> Result<()> {
    let first = out.len();
    let (mut at, mut missing) = (0, None);
    alphabet.for_each_unit(word, |unit| {
        match unit.id {
            Some(id) => out.push(id),
            None => missing = missing.or(Some(word[at])),
        }
        at += unit.len;
    });
    match missing {
        None => Ok(()),
        Some(symbol) => {
            out.truncate(first);
            Err(uncovered(symbol))
        }
    }
}

fn uncovered(symbol: Symbol) -> Error {
    Error::UncoveredSymbol {
        byte: (symbol & 0xFF) as u8,
    }
}

fn too_long(num_symbols: usize) -> Error {
    Error::TooLarge {
        what: "the length of one word in bytes",
        value: num_symbols as u128,
        max: u128::from(u32::MAX - 1),
    }
}
