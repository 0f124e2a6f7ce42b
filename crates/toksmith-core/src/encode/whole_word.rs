//! Word-level encoding: the word if it is a token, else its units. What a vocabulary of words needs:
//! a rare word is spelled out, never cut into other words.

use crate::alphabet::Alphabet;
use crate::error::Result;
use crate::model::Model;
use crate::types::{Marks, Symbol, TokenId, symbol_parts};
use crate::vocab::Vocab;

use super::{Encoder, Scratch};

/// Encodes words that are tokens.
#[derive(Debug)]
pub struct WholeWord {
    alphabet: Alphabet,
    /// Visible tokens by their number, and the ids of these.
    words: Vocab,
    ids: Vec<TokenId>,
}

#[derive(Debug, Default)]
pub(super) struct Buffers {
    bytes: Vec<u8>,
}

impl WholeWord {
    /// Tables for a model; its hidden tokens are left out.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        let (mut words, mut ids) = (Vocab::new(), Vec::new());
        for (id, token) in model.visible_tokens() {
            words.push(token.bytes, token.marks);
            ids.push(id);
        }
        Self {
            alphabet: model.alphabet().clone(),
            words,
            ids,
        }
    }
}

impl Encoder for WholeWord {
    fn encode_word(
        &self,
        word: &[Symbol],
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let (Some(&first), Some(&last)) = (word.first(), word.last()) else {
            return Ok(());
        };
        let bytes = &mut scratch.whole_word.bytes;
        bytes.clear();
        bytes.extend(word.iter().map(|&symbol| symbol_parts(symbol).0));
        let marks = Marks::new(symbol_parts(first).1.lead(), symbol_parts(last).1.trail());
        if let Some(at) = self.words.id_of(bytes, marks) {
            out.push(self.ids[at as usize]);
            return Ok(());
        }
        super::push_units(&self.alphabet, word, out)
    }
}
