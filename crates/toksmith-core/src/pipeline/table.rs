//! The pretoken table: words seen before → their ids. Bounded; a miss costs an encoding, a full
//! table costs an eviction, and neither changes a result.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::boundary::Word;
use crate::types::{Marks, TokenId};

/// Words up to this many bytes are their own key.
const MAX_SHORT: usize = 15;
/// Ids kept beside a short word.
const MAX_INLINE: usize = 3;
/// Buckets of the short table: 2 MB, about what a core's second-level cache holds.
const NUM_BUCKETS: usize = 1 << 15;
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

impl Slot {
    /// A slot for at most [`MAX_INLINE`] ids.
    fn new(key: ShortKey, ids: &[TokenId]) -> Self {
        let mut slot = Self {
            key,
            ids: [0; MAX_INLINE],
            num_ids: ids.len() as u32,
        };
        slot.ids[..ids.len()].copy_from_slice(ids);
        slot
    }
}

/// A cache line: the slot used last stands first.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Bucket([Slot; 2]);

/// A word about to be looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    word: Word,
    /// 0 for a long word.
    key: ShortKey,
    bucket: usize,
}

impl Request {
    /// What an unused place of a buffer holds.
    pub(crate) const EMPTY: Self = Self {
        word: Word::EMPTY,
        key: 0,
        bucket: 0,
    };
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
#[derive(Clone, Debug)]
pub(crate) struct PretokenTable {
    buckets: Vec<Bucket>,
    hasher: RandomState,
    long: HashTable<LongEntry>,
    long_bytes: Vec<u8>,
    long_ids: Vec<TokenId>,
}

impl PretokenTable {
    pub(crate) fn new() -> Self {
        Self {
            buckets: vec![Bucket::default(); NUM_BUCKETS],
            hasher: RandomState::default(),
            long: HashTable::new(),
            long_bytes: Vec::new(),
            long_ids: Vec::new(),
        }
    }

    /// Puts in a word that may come, if its bucket's second slot is free: words that do come take
    /// the first, and it gives way like any rare one.
    pub(crate) fn seed(&mut self, bytes: &[u8], marks: Marks, ids: &[TokenId]) {
        let word = Word {
            start: 0,
            end: bytes.len(),
            marks,
        };
        let request = self.request(bytes, word);
        let [_, second] = &mut self.buckets[request.bucket].0;
        if request.key != 0 && second.key == 0 && ids.len() <= MAX_INLINE {
            *second = Slot::new(request.key, ids);
        }
    }

    /// Prepares the look-up of a word: its key, and its bucket on the way from memory.
    #[inline]
    pub(crate) fn request(&self, text: &[u8], word: Word) -> Request {
        if word.end - word.start > MAX_SHORT {
            return Request {
                word,
                key: 0,
                bucket: 0,
            };
        }
        let key = short_key(text, word);
        let bucket = bucket(key);
        prefetch(&self.buckets[bucket]);
        Request { word, key, bucket }
    }

    /// Appends the ids of the words requested to `out`. A word that is not in the table is encoded by
    /// `encode`, which appends its ids, and kept.
    ///
    /// # Errors
    /// The first that `encode` returns.
    #[inline]
    pub(crate) fn get_or_encode<E>(
        &mut self,
        text: &[u8],
        requests: &[Request],
        out: &mut Vec<TokenId>,
        mut encode: impl FnMut(Word, &mut Vec<TokenId>) -> Result<(), E>,
    ) -> Result<(), E> {
        for request in requests {
            if request.key == 0 {
                self.long_or_encode(text, request.word, out, &mut encode)?;
                continue;
            }
            let [first, second] = &self.buckets[request.bucket].0;
            let slot = if first.key == request.key {
                first
            } else {
                second
            };
            if slot.key == request.key {
                // Always three, then some are taken back: no branch depends on their number.
                out.extend_from_slice(&slot.ids);
                out.truncate(out.len() - (MAX_INLINE - slot.num_ids as usize));
            } else {
                self.encode_short(request, out, &mut encode)?;
            }
        }
        Ok(())
    }

    #[cold]
    fn encode_short<E>(
        &mut self,
        request: &Request,
        out: &mut Vec<TokenId>,
        encode: &mut impl FnMut(Word, &mut Vec<TokenId>) -> Result<(), E>,
    ) -> Result<(), E> {
        let before = out.len();
        encode(request.word, out)?;
        let made = &out[before..];
        if made.len() <= MAX_INLINE {
            let [first, second] = &mut self.buckets[request.bucket].0;
            // Frequent words come early and keep the first slot; rare ones replace each other.
            let slot = if first.key == 0 { first } else { second };
            *slot = Slot::new(request.key, made);
        }
        Ok(())
    }

    fn long_or_encode<E>(
        &mut self,
        text: &[u8],
        word: Word,
        out: &mut Vec<TokenId>,
        encode: &mut impl FnMut(Word, &mut Vec<TokenId>) -> Result<(), E>,
    ) -> Result<(), E> {
        let (bytes, marks) = (&text[word.start..word.end], word.marks);
        if bytes.len() > MAX_KEPT {
            return encode(word, out);
        }
        let hash = self.hasher.hash_one((bytes, marks));
        let found = self.long.find(hash, |entry| {
            entry.marks == marks && &self.long_bytes[entry.start..entry.start + entry.len] == bytes
        });
        if let Some(entry) = found {
            out.extend_from_slice(&self.long_ids[entry.first_id..entry.first_id + entry.num_ids]);
            return Ok(());
        }
        let before = out.len();
        encode(word, out)?;
        let made = &out[before..];
        if self.long_bytes.len() + 4 * self.long_ids.len() > MAX_LONG_BYTES {
            self.long.clear();
            self.long_bytes.clear();
            self.long_ids.clear();
        }
        let entry = LongEntry {
            start: self.long_bytes.len(),
            len: bytes.len(),
            marks,
            first_id: self.long_ids.len(),
            num_ids: made.len(),
        };
        self.long_bytes.extend_from_slice(bytes);
        self.long_ids.extend_from_slice(made);
        let (bytes, hasher) = (&self.long_bytes, &self.hasher);
        self.long.insert_unique(hash, entry, |entry| {
            hasher.hash_one((&bytes[entry.start..entry.start + entry.len], entry.marks))
        });
        Ok(())
    }
}

/// Asks for a bucket's cache line without waiting for it.
#[inline]
fn prefetch(bucket: &Bucket) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: SSE is part of x86-64, and a prefetch neither reads nor faults, whatever the
        // address; without it the look-ups are the same and slower.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(bucket).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bucket;
}

/// The bucket that a key may stand in.
#[inline]
fn bucket(key: ShortKey) -> usize {
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    let (low, high) = (key as u64, (key >> 64) as u64);
    let mixed = (low ^ high.rotate_left(29)).wrapping_mul(MULTIPLIER);
    let mixed = (mixed ^ high).wrapping_mul(MULTIPLIER);
    (mixed >> 48) as usize & (NUM_BUCKETS - 1)
}

/// The word's bytes from the low end; length and marks in the highest byte, which is never 0.
#[inline]
fn short_key(text: &[u8], word: Word) -> ShortKey {
    let Word { start, end, marks } = word;
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
