//! The unigram language model (Kudo 2018), trained as SentencePiece does: start with many substrings, estimate
//! their probabilities by expectation maximization, take away those that are missed least, and again,
//! until few enough are left.
//!
//! What is kept in memory is one forest of word prefixes with an arc for each place of each piece (`forest`);
//! the arcs are found once, from the sorted suffixes of all words, and after that no text, trie or
//! table is looked into: each step is a pass over arrays.
//!
//! # Rules
//! - Seeds are substrings of a word, 2 to `max_token_chars` units long, that occur at least twice, counts of
//!   words counted in; the `seed_size` heaviest by occurrences times length (`seeds`). Four times the wanted
//!   number is the default: more are slower and, at 4,000 to 64,000 pieces on code and on prose, make more
//!   tokens of unseen text (SentencePiece starts with 1,000,000).
//! - A round is `num_sub_iterations` times: expected uses of each piece over all segmentations; pieces used less
//!   than 0.5 times are dropped; the score of the others is digamma(uses) − digamma(sum of all uses), the
//!   variational Bayes estimate, which punishes rare pieces.
//! - Units are always there. One that is dropped is unknown from then on: it scores 10 below the least of all
//!   pieces, and is no piece that is counted. In the end it gets the least score, and 0.0001 more for each such
//!   unit before it. A unit that does not occur in the words scores 10 below the least.
//! - Then, while more than 1.1 times the wanted number are left, pieces are pruned: for each piece, the best
//!   segmentation without it. If that is better than the piece, or the piece stands in no word's best
//!   segmentation, it is dropped. Else its loss is what the text would lose if that segmentation took its place:
//!   uses · (log p − sum over the pieces in its place of log p′), with probabilities from uses in best
//!   segmentations, before and after. A piece whose place only an unknown unit could take is kept. The
//!   0.75 · n with the largest loss are kept, but at least 1.1 times the wanted number.
//! - At last the pieces with the best scores fill the vocabulary beside the units.
//! - Ties between losses go to the heavier seed; ties between seeds, and in the end between scores, to the
//!   smaller bytes, then to no lead, then to no trail.
//!
//! All sums are taken in an order that depends on nothing but the words, logarithms are the same on every machine,
//! and threads change nothing.

use serde::{Deserialize, Serialize};

use crate::alphabet::Alphabet;
use crate::control::Control;
use crate::count::WordCounts;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::types::push_symbols;

use super::{StopReason, Trained, Trainer, at_least};

mod estimate;
mod forest;
mod seeds;
mod suffix_array;
mod words;

use estimate::{Estimate, Plan, estimate};
use words::{UNCOVERED, Words};

/// Seeds for each token asked for, where the settings give no number.
const SEEDS_PER_TOKEN: usize = 4;
/// Lengths are kept in a byte, and nodes may have an arc of each length.
const MAX_TOKEN_CHARS: u64 = 255;

/// How pieces are found and taken away.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnigramSettings {
    /// Most substrings to start with; `None` is four for each token of the vocabulary.
    #[serde(default)]
    pub seed_size: Option<u64>,
    /// The share of the pieces that each pruning keeps.
    #[serde(default = "default_shrinking_factor")]
    pub shrinking_factor: f64,
    /// Estimations before each pruning.
    #[serde(default = "default_num_sub_iterations")]
    pub num_sub_iterations: u64,
    /// The longest token, in units of the alphabet: bytes or characters.
    #[serde(default = "default_max_token_chars")]
    pub max_token_chars: u64,
}

fn default_shrinking_factor() -> f64 {
    0.75
}

fn default_num_sub_iterations() -> u64 {
    2
}

fn default_max_token_chars() -> u64 {
    16
}

impl Default for UnigramSettings {
    fn default() -> Self {
        Self {
            seed_size: None,
            shrinking_factor: default_shrinking_factor(),
            num_sub_iterations: default_num_sub_iterations(),
            max_token_chars: default_max_token_chars(),
        }
    }
}

impl UnigramSettings {
    pub(super) fn check(&self) -> Result<()> {
        at_least("num_sub_iterations", self.num_sub_iterations, 1)?;
        at_least("max_token_chars", self.max_token_chars, 1)?;
        if self.max_token_chars > MAX_TOKEN_CHARS {
            return Err(Error::Incompatible {
                what: format!(
                    "max_token_chars is {}, but must be at most {MAX_TOKEN_CHARS}",
                    self.max_token_chars
                ),
            });
        }
        if !(self.shrinking_factor > 0.0 && self.shrinking_factor < 1.0) {
            return Err(Error::Incompatible {
                what: format!(
                    "shrinking_factor is {}, but must be above 0 and below 1",
                    self.shrinking_factor
                ),
            });
        }
        Ok(())
    }
}

/// Trains a unigram language model.
#[derive(Clone, Debug)]
pub struct Unigram {
    /// Stop at this many tokens, the alphabet counted in.
    pub num_tokens: usize,
    /// The other settings.
    pub settings: UnigramSettings,
}

impl Trainer for Unigram {
    fn train(
        &self,
        counts: &WordCounts,
        alphabet: Alphabet,
        control: &dyn Control,
    ) -> Result<Trained> {
        let words = words_of(counts, &alphabet)?;
        let settings = &self.settings;
        let seed_size = settings.seed_size.map_or_else(
            || self.num_tokens.saturating_mul(SEEDS_PER_TOKEN),
            |size| usize::try_from(size).unwrap_or(usize::MAX),
        );
        let plan = Plan {
            units: alphabet.units(),
            num_pieces: self.num_tokens,
            seed_size,
            shrinking_factor: settings.shrinking_factor,
            num_sub_iterations: settings.num_sub_iterations,
            max_len: settings.max_token_chars.min(MAX_TOKEN_CHARS) as u8,
        };
        let Estimate {
            unit_scores,
            pieces,
        } = estimate(&plan, words, control)?;
        let mut scores = unit_scores;
        let mut model = Model::of_alphabet(alphabet);
        for piece in pieces {
            let id = model.push_token(&piece.bytes, piece.marks);
            // Units that are no characters may spell one together.
            if id as usize == scores.len() {
                scores.push(piece.score);
            }
        }
        let stop_reason = if model.vocab().len() >= self.num_tokens {
            StopReason::VocabSizeReached
        } else {
            StopReason::PiecesTooRare
        };
        Ok(Trained {
            model: model.with_scores(scores)?,
            stop_reason,
        })
    }
}

/// The words in units. What the alphabet cannot spell, or only byte by byte, is part of no piece.
fn words_of(counts: &WordCounts, alphabet: &Alphabet) -> Result<Words> {
    let mut symbols = Vec::new();
    let mut units = Vec::new();
    let mut spans = Vec::with_capacity(counts.len());
    for word in counts.iter() {
        symbols.clear();
        push_symbols(word.bytes, word.marks, alphabet.is_marked(), &mut symbols);
        let start = units.len();
        alphabet.for_each_unit(&symbols, |unit| {
            units.push(match unit.id {
                Some(id) if !unit.is_fallback => id,
                _ => UNCOVERED,
            });
        });
        spans.push((start..units.len(), word.count));
    }
    Words::new(spans.into_iter().map(|(span, count)| (&units[span], count)))
}
