//! The suffixes of all words, sorted as far as a piece can reach.
//!
//! A suffix ends with its word, and pieces have a greatest length, so the order within that length is
//! all that is needed; the crates at hand sort bytes, to the end of the text, where units are of any
//! number. This one sorts by the first few units, then doubles the sorted length group by group (Larsson and
//! Sadakane 2007): O(n·log n·log depth) whatever the text, in place but for two arrays of 32 bits.

use crate::control::Control;
use crate::error::Result;

use super::words::SEPARATOR;

/// The control is asked after this many sorted suffixes.
const SUFFIXES_PER_CONTROL: usize = 1 << 17;

/// Positions of all cells that are no separators, sorted by the cells from there to the end of the word, at
/// most `depth` of them. Suffixes that are equal so far come in an order that depends on the cells alone.
///
/// `num_units` is above every unit, so cells are at most `num_units`.
pub(super) fn sort_suffixes(
    cells: &[u32],
    num_units: u32,
    depth: usize,
    control: &dyn Control,
) -> Result<Vec<u32>> {
    let bits = u32::BITS - num_units.leading_zeros();
    let per_key = ((u32::BITS / bits.max(1)) as usize).clamp(1, depth.max(1));
    let mut keys: Vec<u64> = Vec::with_capacity(cells.len());
    for (at, &cell) in cells.iter().enumerate() {
        if cell == SEPARATOR {
            continue;
        }
        let mut key = 0_u64;
        let mut ended = false;
        for ahead in 0..per_key {
            let cell = if ended { SEPARATOR } else { cells[at + ahead] };
            ended |= cell == SEPARATOR;
            key = key << bits | u64::from(cell);
        }
        keys.push(key << u32::BITS | at as u64);
    }
    control.check(0, 0)?;
    keys.sort_unstable();
    control.check(0, 0)?;

    let mut sorted: Vec<u32> = keys.iter().map(|&key| key as u32).collect();
    // One more than the index of the first suffix of the group; 0 for separators.
    let mut rank = vec![0_u32; cells.len()];
    // By the first suffix of a group: its suffixes end within the sorted length, so they are equal.
    let mut ended = vec![false; sorted.len()];
    let mut groups: Vec<(u32, u32)> = Vec::new();
    let last_unit = (1_u64 << bits) - 1;
    let mut first = 0;
    for group in keys.chunk_by(|a, b| a >> u32::BITS == b >> u32::BITS) {
        for &key in group {
            rank[key as u32 as usize] = first as u32 + 1;
        }
        ended[first] = group[0] >> u32::BITS & last_unit == 0;
        if group.len() > 1 && !ended[first] {
            groups.push((first as u32, (first + group.len()) as u32));
        }
        first += group.len();
    }
    drop(keys);

    let mut sorted_length = per_key;
    let mut keys = Vec::new();
    let mut since_control = 0;
    while sorted_length < depth && !groups.is_empty() {
        let mut smaller = Vec::new();
        for (first, end) in groups {
            let group = &mut sorted[first as usize..end as usize];
            since_control += group.len();
            if since_control >= SUFFIXES_PER_CONTROL {
                since_control = 0;
                control.check(0, 0)?;
            }
            keys.clear();
            // None of them has ended, so what follows is a cell of the word or its separator.
            keys.extend(group.iter().map(|&at| {
                u64::from(rank[at as usize + sorted_length]) << u32::BITS | u64::from(at)
            }));
            keys.sort_unstable();
            let whole = first as usize;
            let mut first = whole;
            let mut next = group.iter_mut();
            for equal in keys.chunk_by(|a, b| a >> u32::BITS == b >> u32::BITS) {
                for (&key, slot) in equal.iter().zip(&mut next) {
                    *slot = key as u32;
                    rank[key as u32 as usize] = first as u32 + 1;
                }
                let following = (equal[0] >> u32::BITS) as usize;
                // What follows may be this group, as it was: it had not ended.
                ended[first] = following == 0 || (following - 1 != whole && ended[following - 1]);
                if equal.len() > 1 && !ended[first] {
                    smaller.push((first as u32, (first + equal.len()) as u32));
                }
                first += equal.len();
            }
        }
        groups = smaller;
        sorted_length *= 2;
    }
    Ok(sorted)
}

#[cfg(test)]
mod tests {
    use super::super::words::Words;
    use super::*;
    use crate::control::NoControl;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn suffixes_are_sorted_to_the_depth_asked_for(
            words in prop::collection::vec(prop::collection::vec(0..3_u32, 1..40), 1..8),
            num_units in prop::sample::select(vec![3, 300, 70_000, 5_000_000_u32]),
            depth in 1..40_usize,
        ) {
            let words = Words::new(words.iter().map(|word| (&word[..], 1))).unwrap();
            let cells = &words.cells;
            let sorted = sort_suffixes(cells, num_units, depth, &NoControl).unwrap();
            let suffix = |&at: &u32| {
                let cells = &cells[at as usize..];
                let end = cells.iter().position(|&cell| cell == SEPARATOR).unwrap();
                &cells[..end.min(depth)]
            };
            prop_assert!(sorted.is_sorted_by_key(suffix));
            let mut all = sorted;
            all.sort_unstable();
            let wanted = (0..cells.len() as u32).filter(|&at| cells[at as usize] != SEPARATOR);
            prop_assert!(all.into_iter().eq(wanted));
        }
    }
}
