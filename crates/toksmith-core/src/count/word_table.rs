//! A growing hash table from marked words to counts, all bytes in one buffer.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::types::{Count, Marks};

#[derive(Clone, Copy, Debug)]
struct Entry {
    start: usize,
    len: usize,
    marks: Marks,
    count: Count,
}

/// Marked word → count. Its order is never seen: who reads it sorts.
#[derive(Debug, Default)]
pub(super) struct WordTable {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    index: HashTable<usize>,
    hasher: RandomState,
}

impl WordTable {
    /// Adds to the count of a word. Returns false, changing nothing, if it would exceed 64 bits.
    pub(super) fn add(&mut self, word: &[u8], marks: Marks, count: Count) -> bool {
        let Self {
            bytes,
            entries,
            index,
            hasher,
        } = self;
        let hash = hasher.hash_one((word, marks));
        let found = index.find(hash, |&at| {
            let entry = &entries[at];
            entry.marks == marks && &bytes[entry.start..entry.start + entry.len] == word
        });
        if let Some(&at) = found {
            let entry = &mut entries[at];
            return match entry.count.checked_add(count) {
                Some(sum) => {
                    entry.count = sum;
                    true
                }
                None => false,
            };
        }
        let at = entries.len();
        entries.push(Entry {
            start: bytes.len(),
            len: word.len(),
            marks,
            count,
        });
        bytes.extend_from_slice(word);
        index.insert_unique(hash, at, |&at| {
            let entry = &entries[at];
            hasher.hash_one((&bytes[entry.start..entry.start + entry.len], entry.marks))
        });
        true
    }

    /// Number of distinct words.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The words in the order in which they were first seen.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u8], Marks, Count)> {
        self.entries.iter().map(|entry| {
            (
                &self.bytes[entry.start..entry.start + entry.len],
                entry.marks,
                entry.count,
            )
        })
    }
}
