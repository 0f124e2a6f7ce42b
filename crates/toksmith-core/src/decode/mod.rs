//! Ids → bytes. Defined for every sequence of valid ids: a space is written between two tokens
//! unless the left one glues after or the right one glues before; both are constants of a token.

use crate::boundary::{Boundary, WhitespaceRule};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::special::{AddedKind, SpecialTokens};
use crate::types::TokenId;

/// What decoding needs to know of each token.
#[derive(Clone, Debug)]
pub struct Decoder {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    /// Ids below are tokens of the model.
    num_model: usize,
    /// The token that stands for text which no other spells.
    unk: Option<TokenId>,
    /// The space that stands before a text is not part of it.
    has_prefix: bool,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    end: u32,
    glue_before: bool,
    glue_after: bool,
    is_special: bool,
    /// False for an id that no token has.
    is_token: bool,
}

/// What is left to remember between two calls: whether a space would be missing, or is too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeState {
    glue: bool,
    /// The next token of the model may begin with the space put before the text.
    strips_space: bool,
    skip_special: bool,
}

impl Decoder {
    /// A decoder for a model and its added tokens, which glue on both sides.
    ///
    /// # Errors
    /// [`Error::TooLarge`] when all tokens together exceed 4 GiB.
    pub fn new(
        model: &Model,
        boundary: Boundary,
        whitespace: WhitespaceRule,
        special: &SpecialTokens,
        unk: Option<TokenId>,
    ) -> Result<Self> {
        let num_model = model.num_ids();
        let mut decoder = Self {
            bytes: Vec::new(),
            entries: Vec::with_capacity(num_model + special.tokens().len()),
            num_model,
            unk,
            has_prefix: boundary.has_prefix(),
        };
        for token in model.vocab().iter().take(num_model) {
            decoder.push(
                token.bytes,
                boundary.glue_before(whitespace, token.marks),
                boundary.glue_after(whitespace, token.bytes, token.marks),
            )?;
        }
        for (token, id) in special.numbered() {
            while decoder.entries.len() < id as usize {
                decoder.push(b"", true, true)?.is_token = false;
            }
            let entry = decoder.push(token.text.as_bytes(), true, true)?;
            entry.is_special = token.kind == AddedKind::Special;
        }
        Ok(decoder)
    }

    fn push(&mut self, bytes: &[u8], glue_before: bool, glue_after: bool) -> Result<&mut Entry> {
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
            is_special: false,
            is_token: true,
        });
        let last = self.entries.len() - 1;
        Ok(&mut self.entries[last])
    }

    /// The largest id + 1: the number of ids, special tokens and ids left out before them counted in.
    #[must_use]
    pub fn vocab_size(&self) -> usize {
        self.entries.len()
    }

    /// The bytes of a token without implicit spaces; `None` where no token has the id.
    #[must_use]
    pub fn token_bytes(&self, id: TokenId) -> Option<&[u8]> {
        let at = id as usize;
        let end = self.entry(id)?.end;
        let start = if at == 0 { 0 } else { self.entries[at - 1].end };
        Some(&self.bytes[start as usize..end as usize])
    }

    #[inline]
    fn entry(&self, id: TokenId) -> Option<&Entry> {
        let entry = self.entries.get(id as usize);
        entry.filter(|entry| entry.is_token)
    }

    /// The state before the first token of a text, or after the token `after` of one.
    ///
    /// # Errors
    /// [`Error::UnknownTokenId`].
    pub fn state(&self, after: Option<TokenId>, skip_special: bool) -> Result<DecodeState> {
        let glue = match after {
            None => true,
            Some(id) => {
                self.entry(id)
                    .ok_or_else(|| self.unknown(id, 0))?
                    .glue_after
            }
        };
        Ok(DecodeState {
            glue,
            strips_space: self.has_prefix && after.is_none(),
            skip_special,
        })
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
        let (Some(entry), Some(bytes)) = (self.entry(id), self.token_bytes(id)) else {
            return Err(self.unknown(id, at));
        };
        if state.skip_special && entry.is_special {
            state.glue = true;
            return Ok(());
        }
        if !state.glue && !entry.glue_before {
            out.push(b' ');
        }
        let is_text = (id as usize) < self.num_model || Some(id) == self.unk;
        let is_prefixed = state.strips_space && is_text;
        let bytes = match bytes {
            [b' ', rest @ ..] if is_prefixed => rest,
            bytes => bytes,
        };
        out.extend_from_slice(bytes);
        state.glue = entry.glue_after;
        state.strips_space &= !is_prefixed;
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
