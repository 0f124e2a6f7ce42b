//! What training makes and encoding reads: tokens, merges and visibility. The place of a merge in
//! the list (its rank), the id of the token it makes, and whether that token may be emitted are
//! three things.

use hashbrown::HashSet;

use crate::alphabet::Alphabet;
use crate::error::{Error, Result};
use crate::types::{Marks, TokenId, symbol_parts};
use crate::vocab::{TokenRef, Vocab};

/// One merge: the pair and the token it makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merge {
    /// Id of the left part.
    pub left: TokenId,
    /// Id of the right part.
    pub right: TokenId,
    /// Id of the result; an id that exists already where two pairs spell the same token.
    pub new: TokenId,
}

/// A vocabulary with its merges. Frozen once made.
#[derive(Clone, Debug)]
pub struct Model {
    alphabet: Alphabet,
    vocab: Vocab,
    merges: Vec<Merge>,
    visible: Option<Vec<bool>>,
}

impl Model {
    /// A model that holds the alphabet and nothing else.
    #[must_use]
    pub fn of_alphabet(alphabet: Alphabet) -> Self {
        let mut vocab = Vocab::new();
        for id in 0..alphabet.len() as TokenId {
            let (byte, marks) = symbol_parts(alphabet.symbol(id));
            vocab.push(&[byte], marks);
        }
        Self {
            alphabet,
            vocab,
            merges: Vec::new(),
            visible: None,
        }
    }

    /// Puts a model together again from merges, as a file holds them.
    ///
    /// # Errors
    /// [`Error::Format`] when a merge names an id that does not exist yet, joins a pair twice,
    /// joins across a mark (`left` with trail, or a marked `right` without lead), makes another token
    /// than its `new` says, or when all tokens together exceed `max_bytes`: merges of a few bytes can
    /// spell tokens of any length.
    pub fn from_merges(
        alphabet: Alphabet,
        merges: &[[TokenId; 3]],
        max_bytes: usize,
    ) -> Result<Self> {
        let mut model = Self::of_alphabet(alphabet);
        let mut pairs = HashSet::<(TokenId, TokenId), foldhash::fast::RandomState>::default();
        for (rank, &[left, right, new]) in merges.iter().enumerate() {
            let fault = |reason: String| Error::Format {
                format: "tokenizer file",
                place: format!("merges[{rank}]"),
                reason,
            };
            let num_tokens = model.vocab.len();
            let unknown = |id| {
                fault(format!(
                    "id {id} does not exist yet ({num_tokens} tokens so far)"
                ))
            };
            if left as usize >= num_tokens {
                return Err(unknown(left));
            }
            if right as usize >= num_tokens {
                return Err(unknown(right));
            }
            if !pairs.insert((left, right)) {
                return Err(fault(format!(
                    "the pair ({left}, {right}) is merged a second time"
                )));
            }
            let made = model
                .push_merge(left, right)
                .ok_or_else(|| fault(format!("({left}, {right}) would join across a mark")))?;
            if model.vocab.num_bytes() > max_bytes {
                return Err(fault(format!("the tokens exceed {max_bytes} bytes")));
            }
            if made != new {
                return Err(fault(format!(
                    "({left}, {right}) makes id {made}, not {new}"
                )));
            }
        }
        Ok(model)
    }

    /// Appends a merge and returns the id of its token: a new one, or the one that spells the same
    /// already. `None`, and nothing changes, when the pair would join across a mark or is unknown.
    pub(crate) fn push_merge(&mut self, left: TokenId, right: TokenId) -> Option<TokenId> {
        let (l, r) = (self.vocab.get(left)?, self.vocab.get(right)?);
        let marked = self.alphabet.len() > 256;
        if l.marks.trail() || (marked && !r.marks.lead()) {
            return None;
        }
        let mut bytes = Vec::with_capacity(l.bytes.len() + r.bytes.len());
        bytes.extend_from_slice(l.bytes);
        bytes.extend_from_slice(r.bytes);
        let marks = Marks::new(l.marks.lead(), r.marks.trail());
        let new = self.vocab.push(&bytes, marks);
        self.merges.push(Merge { left, right, new });
        Some(new)
    }

    /// The same model, with tokens that an encoder may not emit. Units are always visible.
    ///
    /// # Errors
    /// [`Error::Incompatible`] when the mask has another length than the vocabulary or hides a
    /// unit of the alphabet.
    pub fn with_visible(mut self, visible: Vec<bool>) -> Result<Self> {
        if visible.len() != self.vocab.len() {
            return Err(Error::Incompatible {
                what: format!(
                    "the visible mask has {} entries for {} tokens",
                    visible.len(),
                    self.vocab.len()
                ),
            });
        }
        if let Some(id) = visible[..self.alphabet.len()].iter().position(|&v| !v) {
            return Err(Error::Incompatible {
                what: format!("the visible mask hides id {id}, a unit of the alphabet"),
            });
        }
        self.visible = visible.contains(&false).then_some(visible);
        Ok(self)
    }

    /// The symbols the vocabulary starts with.
    #[must_use]
    pub fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    /// The tokens, special tokens not among them.
    #[must_use]
    pub fn vocab(&self) -> &Vocab {
        &self.vocab
    }

    /// The merges by rank.
    #[must_use]
    pub fn merges(&self) -> &[Merge] {
        &self.merges
    }

    /// The mask of tokens that may be emitted; `None` when all may.
    #[must_use]
    pub fn visible(&self) -> Option<&[bool]> {
        self.visible.as_deref()
    }

    /// True when tokens of this model carry marks.
    #[must_use]
    pub fn is_marked(&self) -> bool {
        self.alphabet.len() > 256
    }

    /// The visible tokens with their ids.
    pub(crate) fn visible_tokens(&self) -> impl Iterator<Item = (TokenId, TokenRef<'_>)> {
        (0..)
            .zip(self.vocab.iter())
            .filter(|&(id, _)| self.visible.as_ref().is_none_or(|mask| mask[id as usize]))
    }
}
