//! What the trainer starts with: the substrings of words that weigh most.

use std::cmp::{Ordering, Reverse};

use crate::control::Control;
use crate::error::Result;
use crate::types::Count;

use super::words::Words;

/// The control is asked after this many suffixes.
const SUFFIXES_PER_CONTROL: usize = 1 << 17;

/// A substring of two units or more, by the range of sorted suffixes that begin with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seed {
    /// Length in units.
    pub len: u32,
    /// The first of its suffixes.
    pub first: u32,
    /// The last of them.
    pub last: u32,
    /// How often it occurs; occurrences may overlap.
    pub count: Count,
}

impl Seed {
    /// Occurrences times length.
    pub(super) fn weight(&self) -> u128 {
        u128::from(self.count) * u128::from(self.len)
    }
}

/// The `seed_size` first in the order of `compare`, heaviest first, of all substrings of 2 to `max_len`
/// units that occur at least twice; longest first, and of one length as their suffixes are sorted.
///
/// Substrings that are always followed by the same unit are left out, as in a suffix tree: what follows
/// makes a longer one of the same count.
///
/// `word_of` gives the word of each cell. O(n·`max_len`) for n cells.
pub(super) fn seeds(
    words: &Words,
    sorted: &[u32],
    word_of: &[u32],
    max_len: u32,
    seed_size: usize,
    compare: impl Fn(&Seed, &Seed) -> Ordering,
    control: &dyn Control,
) -> Result<Vec<Seed>> {
    let mut heaviest = Heaviest {
        num_kept: seed_size,
        compare,
        seeds: Vec::new(),
    };
    // Substrings that begin the suffix at hand and are open to the right: length, first suffix and the
    // number of occurrences before it. Lengths ascend.
    let mut open: Vec<(u32, u32, Count)> = Vec::new();
    let mut before: Count = 0;
    let len_at = |at: u32| {
        let end = words.starts[word_of[at as usize] as usize + 1] - 1;
        (end - at).min(max_len)
    };
    for (index, &at) in sorted.iter().enumerate() {
        if index % SUFFIXES_PER_CONTROL == 0 {
            control.check(0, 0)?;
        }
        let len = len_at(at);
        if open.last().is_none_or(|&(shorter, ..)| shorter < len) {
            open.push((len, index as u32, before));
        }
        // All words together are below 2^64.
        before += words.counts[word_of[at as usize] as usize];
        let shared = sorted.get(index + 1).map_or(0, |&next| {
            let longest = len.min(len_at(next)) as usize;
            let (a, b) = (&words.cells[at as usize..], &words.cells[next as usize..]);
            let differs = a[..longest]
                .iter()
                .zip(&b[..longest])
                .position(|(a, b)| a != b);
            differs.unwrap_or(longest) as u32
        });
        let mut last_closed = None;
        while let Some(&(len, first, count_before)) = open.last() {
            if len <= shared {
                break;
            }
            open.pop();
            last_closed = Some((first, count_before));
            let count = before - count_before;
            if len >= 2 && count >= 2 {
                heaviest.push(Seed {
                    len,
                    first,
                    last: index as u32,
                    count,
                });
            }
        }
        if let Some((first, count_before)) = last_closed {
            if shared > 0 && open.last().is_none_or(|&(shorter, ..)| shorter < shared) {
                open.push((shared, first, count_before));
            }
        }
    }
    let mut seeds = heaviest.finish();
    seeds.sort_unstable_by_key(|seed| (Reverse(seed.len), seed.first));
    Ok(seeds)
}

/// Keeps the first of a stream in some order, in space for twice as many.
struct Heaviest<C> {
    num_kept: usize,
    compare: C,
    seeds: Vec<Seed>,
}

impl<C: Fn(&Seed, &Seed) -> Ordering> Heaviest<C> {
    fn push(&mut self, seed: Seed) {
        self.seeds.push(seed);
        if self.seeds.len() >= self.num_kept.saturating_mul(2).max(1) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.seeds.len() > self.num_kept {
            let compare = &self.compare;
            self.seeds.select_nth_unstable_by(self.num_kept, compare);
            self.seeds.truncate(self.num_kept);
        }
    }

    fn finish(mut self) -> Vec<Seed> {
        self.cut();
        self.seeds
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::suffix_array::sort_suffixes;
    use super::*;
    use crate::control::NoControl;
    use proptest::prelude::*;

    /// Substrings with their counts, from the definition.
    fn by_definition(words: &[(Vec<u32>, Count)], max_len: usize) -> BTreeMap<Vec<u32>, Count> {
        let mut counts = BTreeMap::<Vec<u32>, Count>::new();
        // What follows an occurrence; several words may end there.
        let mut following = BTreeMap::<Vec<u32>, Vec<Option<u32>>>::new();
        for (word, count) in words {
            for start in 0..word.len() {
                for end in start + 2..=word.len().min(start + max_len) {
                    let piece = word[start..end].to_vec();
                    *counts.entry(piece.clone()).or_default() += count;
                    following
                        .entry(piece)
                        .or_default()
                        .push(word.get(end).copied());
                }
            }
        }
        counts.retain(|piece, &mut count| {
            let next = &following[piece];
            let branches = next.iter().any(|&unit| unit.is_none() || unit != next[0]);
            count >= 2 && (branches || piece.len() == max_len)
        });
        counts
    }

    proptest! {
        #[test]
        fn seeds_are_the_heaviest_substrings(
            words in prop::collection::btree_map(prop::collection::vec(0..3_u32, 1..12), 1..4_u64, 1..8),
            max_len in 2..8_u32,
            seed_size in 0..40_usize,
        ) {
            let list: Vec<(Vec<u32>, Count)> = words.into_iter().collect();
            let words = Words::new(list.iter().map(|(word, count)| (&word[..], *count))).unwrap();
            let sorted = sort_suffixes(&words.cells, 3, max_len as usize, &NoControl).unwrap();
            let word_of: Vec<u32> = (0..words.len())
                .flat_map(|at| vec![at as u32; words.word(at).len() + 1])
                .collect();
            let spelled = |seed: &Seed| -> Vec<u32> {
                let at = sorted[seed.first as usize] as usize;
                words.cells[at..at + seed.len as usize].iter().map(|cell| cell - 1).collect()
            };
            let compare = |a: &Seed, b: &Seed| {
                (Reverse(a.weight()), spelled(a)).cmp(&(Reverse(b.weight()), spelled(b)))
            };
            let found =
                seeds(&words, &sorted, &word_of, max_len, seed_size, compare, &NoControl).unwrap();
            let mut found: Vec<(Vec<u32>, Count)> =
                found.iter().map(|seed| (spelled(seed), seed.count)).collect();
            let mut wanted: Vec<(Vec<u32>, Count)> =
                by_definition(&list, max_len as usize).into_iter().collect();
            let heavier = |(piece, count): &(Vec<u32>, Count)| {
                (Reverse(count * piece.len() as u64), piece.clone())
            };
            wanted.sort_by_key(heavier);
            wanted.truncate(seed_size);
            found.sort_by_key(heavier);
            prop_assert_eq!(found, wanted);
        }
    }
}
