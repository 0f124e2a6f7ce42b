//! The pretoken table: words seen before → their ids. Bounded; a miss costs an encoding, a full
//! table costs an eviction, and neither changes a result.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::types::{Marks, TokenId};

/// Words up to this many bytes are their own key.
const MAX_SHORT: usize = 15;
/// Ids kept beside a short word.
const MAX_INLINE: usize = 3;
/// Slots of the short table: 2 MB, about what a core's second-level cache holds.
const NUM_SLOTS: usize = 1 << 16;
/// Bytes and ids after which the table of long words starts anew.
const MAX_LONG_BYTES: usize = 4 << 20;
/// Longer words are not kept: they are rare, and each is unlike the others.
const MAX_KEPT: usize = 256;

/// Bytes, length and marks of a short word in one integer; 0 for none.
type ShortKey = u128;

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: ShortKey,
    ids: [TokenId; MAX_INLINE],
    num_ids: u32,
}

#[derive(Clone, Copy, Debug)]
struct LongEntry {
    start: usize,
    len: usize,
    marks: Marks,
    first_id: usize,
    num_ids: usize,
}

/// Word → ids.
#[derive(Debug)]
pub(crate) struct PretokenTable {
    slots: Vec<Slot>,
    hasher: RandomState,
    long: HashTable<LongEntry>,
    long_bytes: Vec<u8>,
    long_ids: Vec<TokenId>,
}

impl PretokenTable {
    pub(crate) fn new() -> Self {
        Self {
            slots: vec![Slot::default(); NUM_SLOTS],
            hasher: RandomState::default(),
            long: HashTable::new(),
            long_bytes: Vec::new(),
            long_ids: Vec::new(),
        }
    }

    /// Appends the ids of the word `text[start..end]` to `out`; on a miss they come from `encode`,
    /// which appends them, and are kept. Returns what `encode` returns.
    #[inline]
    pub(crate) fn get_or_encode<E>(
        &mut self,
        text: &[u8],
        (start, end): (usize, usize),
        marks: Marks,
        out: &mut Vec<TokenId>,
        encode: impl FnOnce(&mut Vec<TokenId>) -> Result<(), E>,
    ) -> Result<(), E> {
        if end - start > MAX_SHORT {
            return self.long_or_encode(&text[start..end], marks, out, encode);
        }
        let key = short_key(text, start, end, marks);
        let at = bucket(key);
        // Two slots a bucket: the one used last stands first.
        for way in [at, at ^ 1] {
            let slot = &self.slots[way];
            if slot.key == key {
                match slot.num_ids {
                    1 => out.push(slot.ids[0]),
                    n => out.extend_from_slice(&slot.ids[..n as usize]),
                }
                return Ok(());
            }
        }
        let before = out.len();
        encode(out)?;
        let made = &out[before..];
        if made.len() <= MAX_INLINE {
            let mut ids = [0; MAX_INLINE];
            ids[..made.len()].copy_from_slice(made);
            self.slots[at ^ 1] = self.slots[at];
            self.slots[at] = Slot {
                key,
                ids,
                num_ids: made.len() as u32,
            };
        }
        Ok(())
    }

    fn long_or_encode<E>(
        &mut self,
        word: &[u8],
        marks: Marks,
        out: &mut Vec<TokenId>,
        encode: impl FnOnce(&mut Vec<TokenId>) -> Result<(), E>,
    ) -> Result<(), E> {
        if word.len() > MAX_KEPT {
            return encode(out);
        }
        let hash = self.hasher.hash_one((word, marks));
        let found = self.long.find(hash, |entry| {
            entry.marks == marks && &self.long_bytes[entry.start..entry.start + entry.len] == word
        });
        if let Some(entry) = found {
            out.extend_from_slice(&self.long_ids[entry.first_id..entry.first_id + entry.num_ids]);
            return Ok(());
        }
        let before = out.len();
        encode(out)?;
        let made = &out[before..];
        if self.long_bytes.len() + 4 * self.long_ids.len() > MAX_LONG_BYTES {
            self.long.clear();
            self.long_bytes.clear();
            self.long_ids.clear();
        }
        let entry = LongEntry {
            start: self.long_bytes.len(),
            len: word.len(),
            marks,
            first_id: self.long_ids.len(),
            num_ids: made.len(),
        };
        self.long_bytes.extend_from_slice(word);
        self.long_ids.extend_from_slice(made);
        let (bytes, hasher) = (&self.long_bytes, &self.hasher);
        self.long.insert_unique(hash, entry, |entry| {
            hasher.hash_one((&bytes[entry.start..entry.start + entry.len], entry.marks))
        });
        Ok(())
    }
}

/// First slot of the two that a key may stand in.
#[inline]
fn bucket(key: ShortKey) -> usize {
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    let (low, high) = (key as u64, (key >> 64) as u64);
    let mixed = (low ^ high.rotate_left(29)).wrapping_mul(MULTIPLIER);
    let mixed = (mixed ^ high).wrapping_mul(MULTIPLIER);
    (mixed >> 48) as usize & (NUM_SLOTS - 1)
}

/// The word's bytes from the low end; length and marks in the highest byte, which is never 0.
#[inline]
fn short_key(text: &[u8], start: usize, end: usize, marks: Marks) -> ShortKey {
    let len = end - start;
    let bytes = match text.get(start..start + 16) {
        // The word and what follows it, in one load; what follows is shifted out.
        Some(window) => {
            let mut sixteen = [0; 16];
            sixteen.copy_from_slice(window);
            u128::from_le_bytes(sixteen) & !(u128::MAX << (8 * len))
        }
        None => {
            let mut sixteen = [0; 16];
            sixteen[..len].copy_from_slice(&text[start..end]);
            u128::from_le_bytes(sixteen)
        }
    };
    bytes | u128::from(len as u8 | marks.bits() << 4) << 120
}
