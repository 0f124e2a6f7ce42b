//! What becomes of text that the vocabulary cannot spell: an unknown token, in place of the whole word
//! (BERT) or of each run of characters that are no units (SentencePiece).
//!
//! Wraps any encoder, so that encoders need not know of it.

use serde::{Deserialize, Serialize};

use crate::alphabet::Alphabet;
use crate::error::{Error, Result};
use crate::types::{Symbol, TokenId};

use super::{Encoder, Scratch};

/// How much of the text one unknown token stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnkScope {
    /// The whole word (WordPiece).
    Word,
    /// Adjacent characters that are no units.
    #[default]
    Characters,
}

/// An encoder that does not fail where the vocabulary has no token.
#[derive(Debug)]
pub struct Unknown {
    encoder: Box<dyn Encoder>,
    alphabet: Alphabet,
    id: TokenId,
    scope: UnkScope,
}

impl Unknown {
    /// Wraps an encoder of a model with this alphabet; `id` is the unknown token's.
    #[must_use]
    pub fn new(
        encoder: Box<dyn Encoder>,
        alphabet: Alphabet,
        id: TokenId,
        scope: UnkScope,
    ) -> Self {
        Self {
            encoder,
            alphabet,
            id,
            scope,
        }
    }

    fn encode_runs(
        &self,
        word: &[Symbol],
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let mut at = 0;
        for (len, is_known) in runs(&self.alphabet, word) {
            if is_known {
                self.encoder
                    .encode_word(&word[at..at + len], scratch, out)?;
            } else {
                out.push(self.id);
            }
            at += len;
        }
        Ok(())
    }
}

impl Encoder for Unknown {
    fn encode_word(
        &self,
        word: &[Symbol],
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let first = out.len();
        let encoded = self.encoder.encode_word(word, scratch, out);
        let Err(Error::UncoveredSymbol { .. }) = encoded else {
            return encoded;
        };
        out.truncate(first);
        match self.scope {
            UnkScope::Word => {
                out.push(self.id);
                Ok(())
            }
            UnkScope::Characters => self.encode_runs(word, scratch, out),
        }
    }

    fn unknown_len(&self, word: &[Symbol], id: TokenId) -> Option<usize> {
        (id == self.id).then(|| match self.scope {
            UnkScope::Word => word.len(),
            UnkScope::Characters => runs(&self.alphabet, word).first().map_or(0, |run| run.0),
        })
    }
}

/// The longest runs of units and of what is none: number of symbols, and whether they are known.
fn runs(alphabet: &Alphabet, word: &[Symbol]) -> Vec<(usize, bool)> {
    let mut runs: Vec<(usize, bool)> = Vec::new();
    alphabet.for_each_unit(word, |unit| match runs.last_mut() {
        Some((len, is_known)) if *is_known == unit.id.is_some() => *len += unit.len,
        _ => runs.push((unit.len, unit.id.is_some())),
    });
    runs
}
