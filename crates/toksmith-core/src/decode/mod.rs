//! Ids → bytes. Defined for every sequence of valid ids: a space is written between two tokens
//! unless the left one glues after or the right one glues before; both are constants of a token.

use crate::boundary::Boundary;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::special::SpecialTokens;
use crate::types::TokenId;

/// What decoding needs to know of each token.
#[derive(Clone, Debug)]
pub struct Decoder {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    num_regular: usize,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    end: u32,
    glue_before: bool,
    glue_after: bool,
}

/// What is left to remember between two calls: whether a space would be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeState {
    glue: bool,
    skip_special: bool,
}

impl Decoder {
    /// A decoder for a model and its special tokens, which glue on both sides.
    ///
    /// # Errors
    /// [`Error::TooLarge`] when all tokens together exceed 4 GiB.
    pub fn new(model: &Model, boundary: Boundary, special: &SpecialTokens) -> Result<Self> {
        let vocab = model.vocab();
        let mut decoder = Self {
            bytes: Vec::new(),
            entries: Vec::with_capacity(vocab.len() + special.names().len()),
            num_regular: vocab.len(),
        };
        for token in vocab.iter() {
            decoder.push(
                token.bytes,
                boundary.glue_before(token.marks),
                boundary.glue_after(token.bytes, token.marks),
            )?;
        }
        for name in special.names() {
            decoder.push(name.as_bytes(), true, true)?;
        }
        Ok(decoder)
    }

    fn push(&mut self, bytes: &[u8], glue_before: bool, glue_after: bool) -> Result<()> {
        self.bytes.extend_from_slice(bytes);
        let end = u32::try_from(self.bytes.len()).map_err(|_| Error::TooLarge {
            what: "the length of all tokens together",
            value: self.bytes.len() as u128,
            max: u128::from(u32::MAX),
        })?;
        self.entries.push(Entry {
            end,
            glue_before,
            glue_after,
        });
        Ok(())
    }

    /// Number of ids, special tokens counted in.
    #[must_use]
    pub fn vocab_size(&self) -> usize {
        self.entries.len()
    }

    /// The bytes of a token without implicit spaces; `None` outside the vocabulary.
    #[must_use]
    pub fn token_bytes(&self, id: TokenId) -> Option<&[u8]> {
        let at = id as usize;
        let end = self.entries.get(at)?.end;
        let start = if at == 0 { 0 } else { self.entries[at - 1].end };
        Some(&self.bytes[start as usize..end as usize])
    }

    /// The state before the first token of a text, or after the token `after` of one.
    ///
    /// # Errors
    /// [`Error::UnknownTokenId`].
    pub fn state(&self, after: Option<TokenId>, skip_special: bool) -> Result<DecodeState> {
        let glue = match after {
            None => true,
            Some(id) => {
                self.entries
                    .get(id as usize)
                    .ok_or_else(|| self.unknown(id, 0))?
                    .glue_after
            }
        };
        Ok(DecodeState { glue, skip_special })
    }

    /// Appends what one more token adds: its bytes, and the space before it if there is one.
    ///
    /// # Errors
    /// [`Error::UnknownTokenId`], which leaves state and output as they were; `at` is the position
    /// to name in it.
    #[inline]
    pub fn push_token(
        &self,
        id: TokenId,
        at: usize,
        state: &mut DecodeState,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let (Some(entry), Some(bytes)) = (self.entries.get(id as usize), self.token_bytes(id))
        else {
            return Err(self.unknown(id, at));
        };
        if state.skip_special && id as usize >= self.num_regular {
            state.glue = true;
            return Ok(());
        }
        if !state.glue && !entry.glue_before {
            out.push(b' ');
        }
        out.extend_from_slice(bytes);
        state.glue = entry.glue_after;
        Ok(())
    }

    /// The bytes of a sequence of ids.
    ///
    /// # Errors
    /// [`Error::UnknownTokenId`] with the position.
    pub fn decode(&self, ids: &[TokenId], mut state: DecodeState) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(ids.len() * 4);
        for (at, &id) in ids.iter().enumerate() {
            self.push_token(id, at, &mut state, &mut out)?;
        }
        Ok(out)
    }

    fn unknown(&self, id: TokenId, at: usize) -> Error {
        Error::UnknownTokenId {
            id: i128::from(id),
            at,
            vocab_size: self.vocab_size(),
        }
    }
}
