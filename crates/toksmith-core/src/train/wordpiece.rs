//! WordPiece training (Schuster and Nakajima 2012, and what courses and libraries make of it): join the
//! pair with the best score, again and again. Ties go to the more frequent pair, then to the smaller
//! left id, then the smaller right id.
//!
//! A score rises when a part becomes rarer without the pair doing so. So each merge puts all pairs of
//! its two parts into the queue anew, where an entry is then never below its pair's score. That costs
//! time for each neighbour of a part, so a token that stands beside every other one (a lone space)
//! makes training slow; the queue itself is cleared of what is old, so memory stays that of the pairs.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use serde::{Deserialize, Serialize};

use crate::alphabet::Alphabet;
use crate::control::Control;
use crate::count::WordCounts;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::types::{Count, TokenId};

use super::bpe::{PLACES_PER_CONTROL, default_min_pair_count};
use super::pairs::{Pair, Pairs, across_mark};
use super::{StopReason, Trained, Trainer, at_least};

/// What decides which pair is joined.
///
/// With a and b the counts of the parts, k how often the pair would be joined, and N the number of all
/// tokens:
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Score {
    /// The pair's count / (a·b), compared exactly.
    #[default]
    Pmi,
    /// What the merge adds to the log likelihood of the corpus under a unigram model:
    /// F(k) + D(N, k) − D(a, k) − D(b, k) with F(x) = x·ln x and D(x, k) = F(x) − F(x−k); for a pair
    /// of equal parts F(k) + D(N, k) − D(a, 2k).
    Likelihood,
    /// The pair's count (Hugging Face `tokenizers`).
    Frequency,
}

/// Settings of WordPiece.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WordPieceSettings {
    /// What decides which pair is joined.
    #[serde(default)]
    pub score: Score,
    /// Stop when the best score is below this.
    #[serde(default)]
    pub min_score: Option<f64>,
    /// A rarer pair is not joined.
    #[serde(default = "default_min_pair_count")]
    pub min_pair_count: Count,
    /// A pair that would make a longer token is left as it is.
    #[serde(default)]
    pub max_token_bytes: Option<u64>,
}

impl Default for WordPieceSettings {
    fn default() -> Self {
        Self {
            score: Score::default(),
            min_score: None,
            min_pair_count: default_min_pair_count(),
            max_token_bytes: None,
        }
    }
}

impl WordPieceSettings {
    pub(super) fn check(&self) -> Result<()> {
        if let Some(score) = self.min_score.filter(|score| score.is_nan()) {
            return Err(Error::Incompatible {
                what: format!("min_score is {score}, but must be a number"),
            });
        }
        at_least("min_pair_count", self.min_pair_count, 1)?;
        at_least("max_token_bytes", self.max_token_bytes.unwrap_or(1), 1)
    }
}

/// Trains WordPiece.
#[derive(Clone, Debug)]
pub struct WordPiece {
    /// Stop at this many tokens, the alphabet counted in.
    pub num_tokens: usize,
    /// The other settings.
    pub settings: WordPieceSettings,
}

/// A score that can be compared with others of its kind.
#[derive(Clone, Copy, Debug)]
enum Value {
    /// `count` / `parts`.
    Ratio {
        count: Count,
        parts: u128,
    },
    Gain(f64),
    Count(Count),
}

impl Value {
    fn as_f64(self) -> f64 {
        match self {
            Self::Ratio { count, parts } => count as f64 / parts as f64,
            Self::Gain(gain) => gain,
            Self::Count(count) => count as f64,
        }
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        match (*self, *other) {
            (
                Self::Ratio { count, parts },
                Self::Ratio {
                    count: other_count,
                    parts: other_parts,
                },
            ) => times(other_parts, count).cmp(&times(parts, other_count)),
            (Self::Count(count), Self::Count(other)) => count.cmp(&other),
            (one, other) => one.as_f64().total_cmp(&other.as_f64()),
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Value {}

/// The product in 192 bits, high part first: two counts and a third overflow 128.
fn times(parts: u128, count: Count) -> (u128, u64) {
    let low = u128::from(parts as u64) * u128::from(count);
    let high = (parts >> 64) * u128::from(count) + (low >> 64);
    (high, low as u64)
}

/// Best score first, then the count, then the smaller ids.
type Entry = (Value, Count, Reverse<Pair>);

/// Entries that the queue may hold for each pair, and how many it may hold in any case.
const MAX_ENTRIES_A_PAIR: usize = 4;
const MIN_CLEARED: usize = 1 << 16;

/// The pairs by score.
struct ScoreQueue {
    score: Score,
    /// At least one entry for each pair, never below its score.
    heap: BinaryHeap<Entry>,
    /// Every pair of each token that was ever seen, some of them gone.
    pairs_of: Vec<Vec<Pair>>,
    /// Number of tokens in the corpus.
    total: Count,
}

impl ScoreQueue {
    fn new(score: Score, pairs: &Pairs, num_units: usize) -> Self {
        let mut this = Self {
            score,
            heap: BinaryHeap::new(),
            pairs_of: vec![Vec::new(); num_units],
            total: (0..num_units as TokenId)
                .map(|id| pairs.token_count(id))
                .sum(),
        };
        let all = pairs.sorted();
        this.note_pairs(&all);
        this.push(&all, pairs);
        this
    }

    fn note_pairs(&mut self, pairs: &[Pair]) {
        if self.score == Score::Frequency {
            return;
        }
        for &pair in pairs {
            self.pairs_of[pair.0 as usize].push(pair);
            if pair.1 != pair.0 {
                self.pairs_of[pair.1 as usize].push(pair);
            }
        }
    }

    fn push(&mut self, which: &[Pair], pairs: &Pairs) {
        for &pair in which {
            let entry = self.entry(pair, pairs);
            self.heap.extend(entry);
        }
    }

    /// Leaves one entry for each pair when most are old.
    fn clear_old(&mut self, pairs: &Pairs) {
        if self.heap.len() > MAX_ENTRIES_A_PAIR * pairs.len() + MIN_CLEARED {
            self.heap.clear();
            self.push(&pairs.sorted(), pairs);
        }
    }

    fn entry(&self, pair: Pair, pairs: &Pairs) -> Option<Entry> {
        let count = pairs.count(pair);
        (count > 0).then(|| (self.value(pair, count, pairs), count, Reverse(pair)))
    }

    fn value(&self, pair: Pair, count: Count, pairs: &Pairs) -> Value {
        let (a, b) = (pairs.token_count(pair.0), pairs.token_count(pair.1));
        match self.score {
            Score::Pmi => Value::Ratio {
                count,
                parts: u128::from(a) * u128::from(b),
            },
            Score::Frequency => Value::Count(count),
            Score::Likelihood if pair.0 == pair.1 => {
                let k = pairs.num_joins(pair);
                Value::Gain(x_ln_x(k) + fall(self.total, k) - fall(a, 2 * k))
            }
            Score::Likelihood => Value::Gain(
                x_ln_x(count) + fall(self.total, count) - fall(a, count) - fall(b, count),
            ),
        }
    }

    /// Takes the best pair out.
    fn pop(&mut self, pairs: &Pairs) -> Option<Entry> {
        loop {
            let found = self.heap.pop()?;
            let Some(now) = self.entry(found.2.0, pairs) else {
                continue;
            };
            if now == found {
                return Some(found);
            }
            self.heap.push(now);
        }
    }

    /// Takes note of a merge that made `new` so many times.
    fn push_changed(&mut self, pair: Pair, new: TokenId, count: Count, pairs: &Pairs) {
        self.total -= count;
        if new as usize == self.pairs_of.len() {
            self.pairs_of.push(Vec::new());
        }
        self.note_pairs(pairs.risen());
        self.push(pairs.risen(), pairs);
        for part in [pair.0, pair.1, new] {
            let mut of_part = std::mem::take(&mut self.pairs_of[part as usize]);
            of_part.sort_unstable();
            of_part.dedup();
            of_part.retain(|&pair| pairs.count(pair) > 0);
            self.push(&of_part, pairs);
            self.pairs_of[part as usize] = of_part;
        }
        self.clear_old(pairs);
    }
}

fn x_ln_x(x: Count) -> f64 {
    let x = x as f64;
    if x > 0.0 { x * libm::log(x) } else { 0.0 }
}

/// By how much x·ln x falls when x falls by k, without subtracting large numbers.
fn fall(x: Count, k: Count) -> f64 {
    if k >= x {
        return x_ln_x(x);
    }
    let (x, k) = (x as f64, k as f64);
    k * libm::log(x) - (x - k) * libm::log1p(-k / x)
}

impl Trainer for WordPiece {
    fn train(
        &self,
        counts: &WordCounts,
        alphabet: Alphabet,
        control: &dyn Control,
    ) -> Result<Trained> {
        let mut pairs = Pairs::new(counts, &alphabet, control)?;
        let mut model = Model::of_alphabet(alphabet);
        let num_units = model.vocab().len();
        let mut queue = ScoreQueue::new(self.settings.score, &pairs, num_units);
        let total = self.num_tokens.saturating_sub(num_units) as u64;
        let max_bytes = self.settings.max_token_bytes.unwrap_or(u64::MAX);
        let mut since_control = 0;
        let stop_reason = loop {
            if model.vocab().len() >= self.num_tokens {
                break StopReason::VocabSizeReached;
            }
            let Some((score, count, Reverse(pair))) = queue.pop(&pairs) else {
                break StopReason::NoPairsLeft;
            };
            if count < self.settings.min_pair_count
                || model.num_bytes_joined(pair.0, pair.1) > max_bytes
            {
                continue;
            }
            if self
                .settings
                .min_score
                .is_some_and(|least| score.as_f64() < least)
            {
                break StopReason::ScoresTooLow;
            }
            let new = model
                .push_merge(pair.0, pair.1)
                .ok_or_else(|| across_mark(pair))?;
            let merged = pairs.merge(pair, new);
            queue.push_changed(pair, new, merged.count, &pairs);
            since_control += merged.num_places;
            if since_control >= PLACES_PER_CONTROL || model.merges().len() % 256 == 0 {
                since_control = 0;
                let done = (model.vocab().len() - num_units) as u64;
                control.check(done, total)?;
            }
        };
        Ok(Trained { model, stop_reason })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_compared_exactly_beyond_128_bits() {
        let ratio = |count, a: Count, b: Count| Value::Ratio {
            count,
            parts: u128::from(a) * u128::from(b),
        };
        let max = Count::MAX;
        assert!(ratio(max, max, max) > ratio(max - 1, max, max));
        assert!(ratio(1, max, max) < ratio(1, max, max - 1));
        assert_eq!(ratio(2, 6, 4), ratio(1, 3, 4));
    }

    #[test]
    fn a_fall_is_the_difference() {
        let difference = x_ln_x(1000) - x_ln_x(993);
        assert!((fall(1000, 7) - difference).abs() < 1e-9);
        assert!((fall(5, 5) - x_ln_x(5)).abs() < 1e-12);
    }
}
