//! BPE-dropout (Provilkov et al. 2020): merging by rank in which, at each step, every possible merge is left
//! out with a probability; of those that remain the one with the lowest rank is made, the leftmost first. When
//! none remains the word is done.
//!
//! Merges are drawn for in that order and only until one remains, which is the same distribution with fewer
//! draws. Cost: n·log n for a word of n units, times 1 / (1 − p) for the merges left out.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::alphabet::Alphabet;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::random::Random;
use crate::types::{Rank, Symbol, TokenId};

use super::merge_rank::{spell, spelled};
use super::pair_table::{NO_MERGE, PairTable};
use super::unknown::UnknownRule;

const NONE: u32 = u32::MAX;

/// Encodes by merge rank, with merges left out at random.
#[derive(Debug)]
pub struct Dropout {
    alphabet: Alphabet,
    merges: PairTable,
    /// The visible tokens that spell each hidden one.
    spelled: Option<Vec<Box<[TokenId]>>>,
    unknown: Option<UnknownRule>,
}

#[derive(Clone, Copy, Debug)]
struct Part {
    id: TokenId,
    before: u32,
    after: u32,
}

impl Dropout {
    /// Tables for a model.
    ///
    /// # Errors
    /// [`Error::Incompatible`] for a model with tokens that no merge makes.
    pub fn new(model: &Model, unknown: Option<UnknownRule>) -> Result<Self> {
        let alphabet = model.alphabet().clone();
        if model.merges().is_empty() && model.vocab().len() > alphabet.len() {
            return Err(Error::Incompatible {
                what: "dropout leaves out merges, but this vocabulary was not made by merges"
                    .to_owned(),
            });
        }
        Ok(Self {
            alphabet,
            merges: PairTable::new(model.merges()),
            spelled: model
                .visible()
                .map(|visible| spelled(model, visible))
                .transpose()?,
            unknown,
        })
    }

    /// Appends the ids of a word; a merge is left out where a draw is below `probability`.
    ///
    /// # Errors
    /// [`Error::UncoveredSymbol`] when a symbol is no unit and there is no unknown token.
    pub fn encode_word(
        &self,
        word: &[Symbol],
        probability: f64,
        random: &mut Random,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        if word.len() >= NONE as usize {
            return Err(super::too_long(word.len()));
        }
        let mut known = |word: &[Symbol], out: &mut Vec<TokenId>| {
            let mut units = Vec::new();
            super::push_units(&self.alphabet, word, &mut units)?;
            self.merge(&units, probability, random, out);
            Ok(())
        };
        match &self.unknown {
            None => known(word, out),
            Some(rule) => rule.encode(word, out, known),
        }
    }

    fn merge(
        &self,
        units: &[TokenId],
        probability: f64,
        random: &mut Random,
        out: &mut Vec<TokenId>,
    ) {
        let first = out.len();
        let mut parts: Vec<Part> = (0..)
            .zip(units)
            .map(|(at, &id)| Part {
                id,
                before: u32::wrapping_sub(at, 1),
                after: at + 1,
            })
            .collect();
        if let Some(last) = parts.last_mut() {
            last.after = NONE;
        }
        // Rank, place and result of each possible merge; some are stale.
        let mut heap = BinaryHeap::new();
        let possible = |parts: &[Part], left: u32| -> Option<Reverse<(Rank, u32, TokenId)>> {
            let right = parts[left as usize].after;
            if right == NONE {
                return None;
            }
            let (rank, new) = self
                .merges
                .get(parts[left as usize].id, parts[right as usize].id);
            (rank != NO_MERGE).then_some(Reverse((rank, left, new)))
        };
        heap.extend((0..parts.len() as u32).filter_map(|at| possible(&parts, at)));
        let mut left_out = Vec::new();
        while let Some(merge) = heap.pop() {
            let Reverse((_, at, new)) = merge;
            let part = parts[at as usize];
            // A part that was joined to its left neighbour has itself as `after`.
            if part.after == at || possible(&parts, at) != Some(merge) {
                continue;
            }
            if random.next_unit() < probability {
                left_out.push(merge);
                continue;
            }
            let gone = part.after;
            let after = parts[gone as usize].after;
            parts[gone as usize].after = gone;
            parts[at as usize] = Part {
                id: new,
                after,
                ..part
            };
            if after != NONE {
                parts[after as usize].before = at;
            }
            heap.extend(possible(&parts, at));
            if part.before != NONE {
                heap.extend(possible(&parts, part.before));
            }
            // They are asked again at the next step.
            heap.extend(left_out.drain(..));
        }
        let mut at = if parts.is_empty() { NONE } else { 0 };
        while at != NONE {
            let part = parts[at as usize];
            out.push(part.id);
            at = part.after;
        }
        if let Some(spelled) = &self.spelled {
            spell(spelled, first, out);
        }
    }
}
