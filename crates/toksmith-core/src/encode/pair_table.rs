//! Pair of ids → rank and id of their merge. Most pairs that an encoder asks for have none, so a small
//! filter that stays in cache answers first.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;

use crate::model::Merge;
use crate::types::{Rank, TokenId};

/// The rank of a pair that is not merged.
pub(super) const NO_MERGE: Rank = Rank::MAX;

#[derive(Clone, Copy, Debug)]
struct Slot {
    left: TokenId,
    right: TokenId,
    rank: Rank,
    new: TokenId,
}

const EMPTY: Slot = Slot {
    left: 0,
    right: 0,
    rank: NO_MERGE,
    new: 0,
};

/// The merges of a model; where a pair is listed twice its first rank counts.
#[derive(Debug)]
pub(super) struct PairTable {
    /// Odd, and drawn anew for each table: no file can be made to collide.
    multiplier: u64,
    /// Open addressing, at most half full; a power of two.
    slots: Vec<Slot>,
    slot_shift: u32,
    /// One bit for each hash that occurs; 16 bits or more a pair.
    filter: Vec<u64>,
    filter_shift: u32,
}

impl PairTable {
    pub(super) fn new(merges: &[Merge]) -> Self {
        let num_slots = (2 * merges.len().max(8)).next_power_of_two();
        let num_bits = num_slots * 8;
        let mut table = Self {
            multiplier: RandomState::default().hash_one(0) | 1,
            slots: vec![EMPTY; num_slots],
            slot_shift: 64 - num_slots.trailing_zeros(),
            filter: vec![0; num_bits / 64],
            filter_shift: 64 - num_bits.trailing_zeros(),
        };
        for (rank, merge) in (0..).zip(merges) {
            if table.get(merge.left, merge.right).0 != NO_MERGE {
                continue;
            }
            let hash = table.hash(merge.left, merge.right);
            let bit = hash >> table.filter_shift;
            table.filter[(bit / 64) as usize] |= 1 << (bit % 64);
            let mut at = (hash >> table.slot_shift) as usize;
            while table.slots[at].rank != NO_MERGE {
                at = (at + 1) & (num_slots - 1);
            }
            table.slots[at] = Slot {
                left: merge.left,
                right: merge.right,
                rank,
                new: merge.new,
            };
        }
        table
    }

    fn hash(&self, left: TokenId, right: TokenId) -> u64 {
        let key = u64::from(left) << 32 | u64::from(right);
        (key ^ key >> 29).wrapping_mul(self.multiplier)
    }

    /// Rank and id of a merge; [`NO_MERGE`] and 0 where there is none.
    #[inline]
    pub(super) fn get(&self, left: TokenId, right: TokenId) -> (Rank, TokenId) {
        let hash = self.hash(left, right);
        let bit = hash >> self.filter_shift;
        if self.filter[(bit / 64) as usize] >> (bit % 64) & 1 == 0 {
            return (NO_MERGE, 0);
        }
        let mut at = (hash >> self.slot_shift) as usize;
        loop {
            let slot = self.slots[at];
            if (slot.left, slot.right) == (left, right) || slot.rank == NO_MERGE {
                return (slot.rank, slot.new);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }
}
