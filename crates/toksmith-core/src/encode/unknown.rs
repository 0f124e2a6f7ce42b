//! What becomes of text that the vocabulary cannot spell: an unknown token, in place of the whole word
//! (BERT) or of each run of characters that are no units (SentencePiece).
//!
//! Wraps any encoder, so that encoders need not know of it.

use serde::{Deserialize, Serialize};

use crate::alphabet::Alphabet;
use crate::error::{Error, Result};
use crate::types::{Symbol, TokenId, symbol_parts};

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

/// The token that stands for what the vocabulary cannot spell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnkSettings {
    /// Its name; one of the special tokens.
    pub token: String,
    /// How much of the text one of it stands for.
    #[serde(default)]
    pub scope: UnkScope,
    /// A word of more characters is unknown as a whole, as in BERT; `None` for no limit.
    #[serde(default)]
    pub max_characters: Option<usize>,
}

/// An encoder that does not fail where the vocabulary has no token.
#[derive(Debug)]
pub struct Unknown {
    encoder: Box<dyn Encoder>,
    alphabet: Alphabet,
    id: TokenId,
    settings: UnkSettings,
}

impl Unknown {
    /// Wraps an encoder of a model with this alphabet; `id` is the unknown token's.
    #[must_use]
    pub fn new(
        encoder: Box<dyn Encoder>,
        alphabet: Alphabet,
        id: TokenId,
        settings: UnkSettings,
    ) -> Self {
        Self {
            encoder,
            alphabet,
            id,
            settings,
        }
    }

    fn is_too_long(&self, word: &[Symbol]) -> bool {
        let is_start = |&symbol: &Symbol| !matches!(symbol_parts(symbol).0, 0x80..=0xBF);
        self.settings.max_characters.is_some_and(|max| {
            word.len() > max && word.iter().filter(|symbol| is_start(symbol)).count() > max
        })
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
        if self.is_too_long(word) {
            out.push(self.id);
            return Ok(());
        }
        let first = out.len();
        let encoded = self.encoder.encode_word(word, scratch, out);
        let Err(Error::UncoveredSymbol { .. }) = encoded else {
            return encoded;
        };
        out.truncate(first);
        match self.settings.scope {
            UnkScope::Word => {
                out.push(self.id);
                Ok(())
            }
            UnkScope::Characters => self.encode_runs(word, scratch, out),
        }
    }

    fn unknown_len(&self, word: &[Symbol], id: TokenId) -> Option<usize> {
        (id == self.id).then(|| match self.settings.scope {
            _ if self.is_too_long(word) => word.len(),
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
