//! The units a vocabulary starts with. They are pinned before training and nothing evicts them.
//!
//! With the bytes among them every text can be encoded: losslessness is structural, not hoped for. On
//! top of the bytes, or without them, there may be characters of more than one byte.

use serde::{Deserialize, Serialize};

use crate::types::{Marks, Symbol, TokenId, symbol_parts};
use crate::vocab::Vocab;

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

/// The first token ids: the bytes in each of their forms, then characters.
#[derive(Clone, Debug)]
pub struct Alphabet {
    order: AlphabetOrder,
    num_forms: usize,
    has_bytes: bool,
    has_characters: bool,
    units: Vocab,
}

/// One unit of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its id; `None` for a character that the alphabet does not have, nor its bytes.
    pub id: Option<TokenId>,
    /// Number of symbols, at least one.
    pub len: usize,
    /// A byte that stands in for a part of a character which the alphabet does not have. Such bytes
    /// are not joined to anything in training.
    pub is_fallback: bool,
}

impl Alphabet {
    /// The alphabet of `len` symbols (256, 512 or 1024) and nothing else, in the given order.
    #[must_use]
    pub fn new(len: usize, order: AlphabetOrder) -> Self {
        Self {
            has_characters: false,
            ..Self::with_characters(len, order, true, &[])
        }
    }

    /// An alphabet of characters, each in some of its forms, in the order given: after the `len`
    /// symbols with `byte_fallback`, else alone. One that is a symbol already is not added. Also
    /// without any, a character of several bytes is none of its bytes to training.
    #[must_use]
    pub fn with_characters(
        len: usize,
        order: AlphabetOrder,
        byte_fallback: bool,
        characters: &[(&[u8], Marks)],
    ) -> Self {
        let mut bytes: Vec<u8> = (0..=255).collect();
        if order == AlphabetOrder::Gpt2 {
            // Bytes that GPT-2 shows as themselves keep their code point and so come first.
            bytes.sort_by_key(|&byte| (!is_shown_as_itself(byte), byte));
        }
        let mut units = Vocab::new();
        if byte_fallback {
            for id in 0..len {
                let (index, marks) = symbol_parts(id as Symbol);
                units.push(&[bytes[usize::from(index)]], marks);
            }
        }
        for &(character, marks) in characters {
            units.push(character, marks);
        }
        Self {
            order,
            num_forms: len / 256,
            has_bytes: byte_fallback,
            has_characters: true,
            units,
        }
    }

    /// The units by id.
    #[must_use]
    pub fn units(&self) -> &Vocab {
        &self.units
    }

    /// Number of units.
    #[must_use]
    #[expect(
        clippy::len_without_is_empty,
        reason = "nothing can be made of an empty alphabet"
    )]
    pub fn len(&self) -> usize {
        self.units.len()
    }

    /// The order in which bytes are numbered.
    #[must_use]
    pub fn order(&self) -> AlphabetOrder {
        self.order
    }

    /// True when every byte is a unit, so that every text can be encoded.
    #[must_use]
    pub fn has_bytes(&self) -> bool {
        self.has_bytes
    }

    /// Number of combinations of marks that a token can carry: those with the smallest bits.
    #[must_use]
    pub fn num_forms(&self) -> usize {
        self.num_forms
    }

    /// Number of symbols that are units.
    #[must_use]
    pub fn num_symbols(&self) -> usize {
        if self.has_bytes {
            self.num_forms * 256
        } else {
            0
        }
    }

    /// True when units carry marks.
    #[must_use]
    pub fn is_marked(&self) -> bool {
        self.num_forms > 1
    }

    /// The id of a symbol, if it is a unit. With bytes in their own order it is
    /// `byte + 256 * lead + 512 * trail`.
    #[must_use]
    pub fn id(&self, of: Symbol) -> Option<TokenId> {
        let (byte, marks) = symbol_parts(of);
        self.units.id_of(&[byte], marks)
    }

    /// Calls `emit` for each unit of a word, from left to right.
    ///
    /// A character of the alphabet is one unit, any other is its bytes; where the alphabet has no
    /// bytes it is one unit without an id, as is a byte of ill-formed UTF-8.
    pub fn for_each_unit(&self, word: &[Symbol], mut emit: impl FnMut(Unit)) {
        let mut at = 0;
        while at < word.len() {
            let len = if self.has_characters {
                character_len(&word[at..])
            } else {
                1
            };
            let character = &word[at..at + len];
            at += len;
            let id = self.id_of_character(character);
            if id.is_some() || !self.has_bytes {
                emit(Unit {
                    id,
                    len,
                    is_fallback: false,
                });
                continue;
            }
            for &byte in character {
                emit(Unit {
                    id: self.id(byte),
                    len: 1,
                    is_fallback: true,
                });
            }
        }
    }

    fn id_of_character(&self, character: &[Symbol]) -> Option<TokenId> {
        let [first, .., last] = character else {
            return self.id(character[0]);
        };
        let mut bytes = [0; 4];
        for (byte, &symbol) in bytes.iter_mut().zip(character) {
            *byte = symbol_parts(symbol).0;
        }
        let marks = Marks::new(symbol_parts(*first).1.lead(), symbol_parts(*last).1.trail());
        self.units.id_of(&bytes[..character.len()], marks)
    }
}

/// Number of symbols of the character that a word begins with; 1 for a byte of ill-formed UTF-8.
fn character_len(word: &[Symbol]) -> usize {
    let len = match symbol_parts(word[0]).0 {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return 1,
    };
    let Some(character) = word.get(..len) else {
        return 1;
    };
    let mut bytes = [0; 4];
    for (byte, &symbol) in bytes.iter_mut().zip(character) {
        *byte = symbol_parts(symbol).0;
    }
    match std::str::from_utf8(&bytes[..len]) {
        Ok(_) => len,
        Err(_) => 1,
    }
}

/// The 188 bytes that GPT-2's table maps to their own code point.
fn is_shown_as_itself(byte: u8) -> bool {
    matches!(byte, 33..=126 | 161..=172 | 174..=255)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{push_symbols, symbol};

    #[test]
    fn ids_and_symbols_are_inverse_in_both_orders() {
        for order in [AlphabetOrder::Bytes, AlphabetOrder::Gpt2] {
            let alphabet = Alphabet::new(1024, order);
            for (id, unit) in (0..).zip(alphabet.units().iter()) {
                assert_eq!(alphabet.id(symbol(unit.bytes[0], unit.marks)), Some(id));
            }
        }
    }

    #[test]
    fn gpt2_order_starts_with_the_exclamation_mark_and_ends_with_the_soft_hyphen() {
        let alphabet = Alphabet::new(256, AlphabetOrder::Gpt2);
        assert_eq!(alphabet.id(Symbol::from(b'!')), Some(0));
        assert_eq!(alphabet.id(0), Some(188));
        assert_eq!(alphabet.id(173), Some(255));
    }

    fn units(alphabet: &Alphabet, word: &[u8]) -> Vec<(Option<TokenId>, usize, bool)> {
        let mut symbols = Vec::new();
        push_symbols(word, Marks::NONE, alphabet.is_marked(), &mut symbols);
        let mut units = Vec::new();
        alphabet.for_each_unit(&symbols, |unit| {
            units.push((unit.id, unit.len, unit.is_fallback));
        });
        units
    }

    #[test]
    fn a_character_is_a_unit_or_its_bytes() {
        let e_acute = "\u{e9}".as_bytes();
        let characters = [(e_acute, Marks::NONE)];
        let alphabet = Alphabet::with_characters(256, AlphabetOrder::Bytes, true, &characters);
        assert_eq!(
            units(&alphabet, "a\u{e9}\u{ea}".as_bytes()),
            [
                (Some(97), 1, false),
                (Some(256), 2, false),
                (Some(0xC3), 1, true),
                (Some(0xAA), 1, true),
            ]
        );
    }

    #[test]
    fn without_bytes_an_unknown_character_has_no_id() {
        let characters: [(&[u8], Marks); 1] = [(b"a", Marks::NONE)];
        let alphabet = Alphabet::with_characters(256, AlphabetOrder::Bytes, false, &characters);
        assert_eq!(
            units(&alphabet, b"a\xE4\xB8\xADb\xE4\xB8"),
            [
                (Some(0), 1, false),
                (None, 3, false),
                (None, 1, false),
                (None, 1, false),
                (None, 1, false),
            ]
        );
    }

    #[test]
    fn forms_of_a_character_are_different_units() {
        let e_acute = "\u{e9}".as_bytes();
        let characters = [(e_acute, Marks::NONE), (e_acute, Marks::new(true, false))];
        let alphabet = Alphabet::with_characters(512, AlphabetOrder::Bytes, true, &characters);
        assert_eq!(
            units(&alphabet, "\u{e9}\u{e9}".as_bytes()),
            [(Some(512), 2, false), (Some(513), 2, false)]
        );
    }
}
