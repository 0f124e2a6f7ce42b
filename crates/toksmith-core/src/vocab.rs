//! Tokens by id and ids by token. A token is its bytes and its marks, so in implicit-space models
//! one byte string may have up to four ids.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::types::{Marks, TokenId};

/// One token, borrowed from a [`Vocab`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenRef<'v> {
    /// What the token spells, without implicit spaces.
    pub bytes: &'v [u8],
    /// Its boundary marks.
    pub marks: Marks,
}

/// The tokens of a model, all bytes in one buffer.
#[derive(Clone, Debug, Default)]
pub struct Vocab {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    marks: Vec<Marks>,
    index: HashTable<TokenId>,
    hasher: RandomState,
}

impl Vocab {
    /// An empty vocabulary.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of tokens.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Length of all tokens together, in bytes.
    #[must_use]
    pub fn num_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// True when there is no token at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The token with this id, or `None` outside the vocabulary.
    #[must_use]
    pub fn get(&self, id: TokenId) -> Option<TokenRef<'_>> {
        let at = id as usize;
        let end = *self.ends.get(at)?;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        Some(TokenRef {
            bytes: &self.bytes[start..end],
            marks: self.marks[at],
        })
    }

    /// All tokens in the order of their ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = TokenRef<'_>> {
        let mut start = 0;
        self.ends
            .iter()
            .zip(&self.marks)
            .map(move |(&end, &marks)| {
                let bytes = &self.bytes[start..end];
                start = end;
                TokenRef { bytes, marks }
            })
    }

    /// The id of a token, or `None` if it is not in the vocabulary.
    #[must_use]
    pub fn id_of(&self, bytes: &[u8], marks: Marks) -> Option<TokenId> {
        self.index
            .find(self.hash(bytes, marks), |&id| {
                self.get(id) == Some(TokenRef { bytes, marks })
            })
            .copied()
    }

    /// Appends a token and returns its id; a token that is there already keeps the id it has.
    pub fn push(&mut self, bytes: &[u8], marks: Marks) -> TokenId {
        if let Some(id) = self.id_of(bytes, marks) {
            return id;
        }
        let id = self.len() as TokenId;
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len());
        self.marks.push(marks);
        let hash = self.hash(bytes, marks);
        let Self {
            bytes: buffer,
            ends,
            marks: all_marks,
            index,
            hasher,
        } = self;
        index.insert_unique(hash, id, |&id| {
            let at = id as usize;
            let start = if at == 0 { 0 } else { ends[at - 1] };
            hasher.hash_one((&buffer[start..ends[at]], all_marks[at]))
        });
        id
    }

    fn hash(&self, bytes: &[u8], marks: Marks) -> u64 {
        self.hasher.hash_one((bytes, marks))
    }
}
