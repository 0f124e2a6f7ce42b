//! The symbols a vocabulary starts with. They are pinned before training and nothing evicts them,
//! so every byte can always be encoded: losslessness is structural, not hoped for.

use serde::{Deserialize, Serialize};

use crate::types::{Symbol, TokenId, symbol, symbol_parts};

/// In which order the 256 bytes are numbered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AlphabetOrder {
    /// The id of a byte is the byte.
    #[default]
    Bytes,
    /// The order of GPT-2's byte-to-character table (`!` is 0), which Hugging Face `tokenizers`
    /// uses. It matters to training only where counts tie; it exists for agreement tests.
    Gpt2,
}

/// Symbol ↔ first token ids, `len` of them: 256 bytes, times two for each mark in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alphabet {
    order: AlphabetOrder,
    len: usize,
    id_of_byte: [u8; 256],
    byte_of_id: [u8; 256],
}

impl Alphabet {
    /// An alphabet of `len` symbols (256, 512 or 1024), in the given order.
    #[must_use]
    pub fn new(len: usize, order: AlphabetOrder) -> Self {
        let mut byte_of_id = [0_u8; 256];
        for (byte, slot) in (0..=255_u8).zip(byte_of_id.iter_mut()) {
            *slot = byte;
        }
        if order == AlphabetOrder::Gpt2 {
            // Bytes that GPT-2 shows as themselves keep their code point and so come first.
            byte_of_id.sort_by_key(|&byte| (!is_shown_as_itself(byte), byte));
        }
        let mut id_of_byte = [0_u8; 256];
        for (id, &byte) in (0..=255_u8).zip(byte_of_id.iter()) {
            id_of_byte[usize::from(byte)] = id;
        }
        Self {
            order,
            len,
            id_of_byte,
            byte_of_id,
        }
    }

    /// Number of symbols.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "an alphabet is never empty")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The order in which bytes are numbered.
    #[must_use]
    pub fn order(&self) -> AlphabetOrder {
        self.order
    }

    /// The token id of a symbol: `byte + 256 * lead + 512 * trail` in byte order.
    #[must_use]
    pub fn id(&self, of: Symbol) -> TokenId {
        let (byte, marks) = symbol_parts(of);
        TokenId::from(symbol(self.id_of_byte[usize::from(byte)], marks))
    }

    /// The symbol of a token id below [`len`](Self::len); the inverse of [`id`](Self::id).
    #[must_use]
    pub fn symbol(&self, id: TokenId) -> Symbol {
        let (index, marks) = symbol_parts(id as Symbol);
        symbol(self.byte_of_id[usize::from(index)], marks)
    }
}

/// The 188 bytes that GPT-2's table maps to their own code point.
fn is_shown_as_itself(byte: u8) -> bool {
    matches!(byte, 33..=126 | 161..=172 | 174..=255)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_symbols_are_inverse_in_both_orders() {
        for order in [AlphabetOrder::Bytes, AlphabetOrder::Gpt2] {
            let alphabet = Alphabet::new(1024, order);
            for id in 0..1024 {
                assert_eq!(alphabet.id(alphabet.symbol(id)), id);
            }
        }
    }

    #[test]
    fn gpt2_order_starts_with_the_exclamation_mark_and_ends_with_the_soft_hyphen() {
        let alphabet = Alphabet::new(256, AlphabetOrder::Gpt2);
        assert_eq!(alphabet.symbol(0), Symbol::from(b'!'));
        assert_eq!(alphabet.symbol(188), 0);
        assert_eq!(alphabet.symbol(255), 173);
    }
}
