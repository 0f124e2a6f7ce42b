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

/// The unknown token and what it stands for.
#[derive(Clone, Debug)]
pub struct UnknownRule {
    alphabet: Alphabet,
    id: TokenId,
    settings: UnkSettings,
}

impl UnknownRule {
    /// A rule for a model with this alphabet; `id` is the unknown token's.
    #[must_use]
    pub fn new(alphabet: Alphabet, id: TokenId, settings: UnkSettings) -> Self {
        Self {
            alphabet,
            id,
            settings,
        }
    }

    /// Whether a word is unknown for its length alone.
    pub(super) fn is_too_long(&self, word: &[Symbol]) -> bool {
        let is_start = |&symbol: &Symbol| !matches!(symbol_parts(symbol).0, 0x80..=0xBF);
        self.settings.max_characters.is_some_and(|max| {
            word.len() > max && word.iter().filter(|symbol| is_start(symbol)).count() > max
        })
    }

    /// The unknown token's id.
    pub(super) fn id(&self) -> TokenId {
        self.id
    }

    /// Appends the ids of a word with `encode`, which fails at what it cannot spell and appends nothing
    /// then.
    pub(super) fn encode(
        &self,
        word: &[Symbol],
        out: &mut Vec<TokenId>,
        mut encode: impl FnMut(&[Symbol], &mut Vec<TokenId>) -> Result<()>,
    ) -> Result<()> {
        if !self.is_too_long(word) {
            let first = out.len();
            let encoded = encode(word, out);
            let Err(Error::UncoveredSymbol { .. }) = encoded else {
                return encoded;
            };
            out.truncate(first);
        }
        let mut at = 0;
        for (len, is_known) in self.parts(word) {
            if is_known {
                encode(&word[at..at + len], out)?;
            } else {
                out.push(self.id);
            }
            at += len;
        }
        Ok(())
    }

    /// How a word that cannot be spelled, or is too long, is cut: number of symbols of each part, and whether it can be;
    /// each part that cannot is one unknown token.
    pub(super) fn parts(&self, word: &[Symbol]) -> Vec<(usize, bool)> {
        match self.settings.scope {
            UnkScope::Characters if !self.is_too_long(word) => runs(&self.alphabet, word),
            _ => vec![(word.len(), false)],
        }
    }
}

/// An encoder that does not fail where the vocabulary has no token.
#[derive(Debug)]
pub struct Unknown {
    encoder: Box<dyn Encoder>,
    rule: UnknownRule,
}

impl Unknown {
    /// Wraps an encoder.
    #[must_use]
    pub fn new(encoder: Box<dyn Encoder>, rule: UnknownRule) -> Self {
        Self { encoder, rule }
    }
}

impl Encoder for Unknown {
    fn encode_word(
        &self,
        word: &[Symbol],
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        self.rule.encode(word, out, |word, out| {
            self.encoder.encode_word(word, scratch, out)
        })
    }

    fn unknown_len(&self, word: &[Symbol], id: TokenId) -> Option<usize> {
        (id == self.rule.id).then(|| self.rule.parts(word).first().map_or(0, |part| part.0))
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
