//! Scaffold-BPE (Lian et al. 2024): byte pair encoding in which a token that only led to a longer one
//! is hidden, and its place in the vocabulary goes to another.
//!
//! All tokens ever made are kept with their merges; only the visible ones count towards the size.
//! The queue holds the pairs, and each scaffold at the place of the pair that first made it. A pair
//! at the head is merged; then each of its parts that is visible, no unit, and now rarer than the
//! head of the queue becomes a scaffold. A scaffold at the head becomes visible again, with its old
//! rank. Ties are those of BPE, and a scaffold comes before its own pair.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::alphabet::Alphabet;
use crate::control::Control;
use crate::count::WordCounts;
use crate::error::Result;
use crate::model::Model;
use crate::types::{Count, TokenId};

use super::bpe::{BpeSettings, PLACES_PER_CONTROL};
use super::pairs::{CountQueue, Pair, Pairs, across_mark};
use super::{StopReason, Trained, Trainer};

/// Trains Scaffold-BPE.
#[derive(Clone, Debug)]
pub struct ScaffoldBpe {
    /// Stop at this many visible tokens, the alphabet counted in.
    pub num_tokens: usize,
    /// The other settings: those of BPE.
    pub settings: BpeSettings,
}

/// The tokens made so far, and which of them are hidden.
struct Scaffolding {
    visible: Vec<bool>,
    num_visible: usize,
    /// The pair that first made each token that is no unit.
    made_by: Vec<Pair>,
    num_units: usize,
    /// At least one entry for each scaffold, never below its count.
    queue: BinaryHeap<(Count, Reverse<Pair>, TokenId)>,
}

impl Scaffolding {
    fn new(num_units: usize) -> Self {
        Self {
            visible: vec![true; num_units],
            num_visible: num_units,
            made_by: Vec::new(),
            num_units,
            queue: BinaryHeap::new(),
        }
    }

    /// Takes note of a token that a merge made.
    fn add(&mut self, id: TokenId, pair: Pair) {
        if id as usize == self.visible.len() {
            self.visible.push(true);
            self.num_visible += 1;
            self.made_by.push(pair);
        }
    }

    fn pair_of(&self, id: TokenId) -> Option<Pair> {
        let at = (id as usize).checked_sub(self.num_units)?;
        self.made_by.get(at).copied()
    }

    /// The most frequent scaffold, with the pair that made it.
    fn peek(&mut self, pairs: &Pairs) -> Option<(Count, Pair)> {
        while let Some(&(count, Reverse(pair), id)) = self.queue.peek() {
            let now = pairs.token_count(id);
            if now == count && !self.visible[id as usize] {
                return Some((count, pair));
            }
            self.queue.pop();
            // Like a pair's, its entry follows its count as that falls.
            if now < count && !self.visible[id as usize] {
                self.queue.push((now, Reverse(pair), id));
            }
        }
        None
    }

    /// Shows the most frequent scaffold again.
    fn show_first(&mut self) {
        if let Some((_, _, id)) = self.queue.pop() {
            self.visible[id as usize] = true;
            self.num_visible += 1;
        }
    }

    /// Hides a part of the pair that was merged if it is rarer than the head of the queue.
    fn hide_if_rarer(&mut self, id: TokenId, highest: Count, pairs: &Pairs) {
        let count = pairs.token_count(id);
        if let Some(pair) = self.pair_of(id) {
            if self.visible[id as usize] && count < highest {
                self.visible[id as usize] = false;
                self.num_visible -= 1;
                self.queue.push((count, Reverse(pair), id));
            }
        }
    }
}

impl Trainer for ScaffoldBpe {
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
        let mut scaffolding = Scaffolding::new(num_units);
        let total = self.num_tokens.saturating_sub(num_units) as u64;
        let max_merges = self.settings.num_merges.unwrap_or(u64::MAX);
        let max_bytes = self.settings.max_token_bytes.unwrap_or(u64::MAX);
        let mut since_control = 0;
        let stop_reason = loop {
            if scaffolding.num_visible >= self.num_tokens {
                break StopReason::VocabSizeReached;
            }
            if model.merges().len() as u64 >= max_merges {
                break StopReason::NumMergesReached;
            }
            let scaffold = scaffolding.peek(&pairs);
            let pair = queue.peek(&pairs);
            let rank = |(count, pair)| (count, Reverse(pair));
            let (Some((count, _)), is_scaffold) = (match scaffold.map(rank) >= pair.map(rank) {
                true => (scaffold, true),
                false => (pair, false),
            }) else {
                break StopReason::NoPairsLeft;
            };
            if count < self.settings.min_pair_count {
                break StopReason::PairsTooRare;
            }
            if is_scaffold {
                scaffolding.show_first();
                continue;
            }
            let Some((_, pair)) = queue.pop(&pairs) else {
                break StopReason::NoPairsLeft;
            };
            if model.num_bytes_joined(pair.0, pair.1) > max_bytes {
                continue;
            }
            let new = model
                .push_merge(pair.0, pair.1)
                .ok_or_else(|| across_mark(pair))?;
            scaffolding.add(new, pair);
            since_control += pairs.merge(pair, new).num_places;
            queue.push_risen(&pairs);
            let highest = [queue.peek(&pairs), scaffolding.peek(&pairs)];
            let highest = highest.into_iter().flatten().map(|(count, _)| count).max();
            for part in [pair.0, pair.1] {
                scaffolding.hide_if_rarer(part, highest.unwrap_or(0), &pairs);
            }
            if since_control >= PLACES_PER_CONTROL || model.merges().len() % 256 == 0 {
                since_control = 0;
                let done = (scaffolding.num_visible - num_units) as u64;
                control.check(done, total)?;
            }
        };
        Ok(Trained {
            model: model.with_hidden_last(&scaffolding.visible)?,
            stop_reason,
        })
    }
}
