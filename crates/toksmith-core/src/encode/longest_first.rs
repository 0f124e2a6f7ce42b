//! Longest-first encoding (LBPE, Xiong et al. 2024, Algorithm 1): take the longest span that is a
//! token, the leftmost of equal length; then the longest in what is left. Ranks are never read. A
//! length is a number of units: bytes, or characters where the alphabet has them.
//!
//! The paper's loop tries every window. Here one pass of an Aho–Corasick automaton gives the longest
//! token that ends at each unit, with the shorter ones as a chain; spans are taken from a heap,
//! longest first, and one that meets a taken span goes back with the longest length that still
//! fits. Looking at both ends of a span is enough: all spans taken so far are at least as long, so
//! one that overlaps it covers an end. Lengths along a chain are found by jump pointers, so a chain
//! of `a`, `aa`, …, `a^m` costs log m. In all O(n·log n) for a word of n units, plus log per
//! shortened span; there are few of those (0.01 a unit on real text).

use std::collections::BinaryHeap;

use crate::error::Result;
use crate::model::Model;
use crate::trie::{ChainEntry, Direction, Entry, Trie};
use crate::types::{Symbol, TokenId, push_symbols};

use super::{Encoder, Scratch};

/// Encodes longest-first.
#[derive(Debug)]
pub struct LongestFirst {
    trie: Trie,
    /// Units of each token, where they are not its symbols.
    num_units: Option<Vec<u32>>,
}

#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// Chain entry of the span that ends after each unit.
    ending: Vec<Entry>,
    /// For a taken unit the end of the span that covers it, else 0.
    covered_to: Vec<u32>,
    /// Token of the span that starts at each unit.
    token_at: Vec<TokenId>,
    /// Most units, then leftmost first: `(num_units, u32::MAX - start, len)`.
    heap: BinaryHeap<(u32, u32, u32)>,
}

impl LongestFirst {
    /// Tables for a model; its hidden tokens are left out.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        let alphabet = model.alphabet();
        let num_units = (alphabet.len() > alphabet.num_symbols()).then(|| {
            let mut symbols = Vec::new();
            let tokens = model.vocab().iter().map(|token| {
                symbols.clear();
                push_symbols(token.bytes, token.marks, model.is_marked(), &mut symbols);
                let mut num_units = 0;
                alphabet.for_each_unit(&symbols, |_| num_units += 1);
                num_units
            });
            tokens.collect()
        });
        Self {
            trie: Trie::new(model, Direction::Forward),
            num_units,
        }
    }

    /// The place of a span in the queue.
    #[inline]
    fn span(&self, token: ChainEntry, end: u32) -> (u32, u32, u32) {
        let num_units = match &self.num_units {
            None => token.len,
            Some(num_units) => num_units[token.id as usize],
        };
        (num_units, u32::MAX - (end - token.len), token.len)
    }
}

impl Encoder for LongestFirst {
    fn encode_word(
        &self,
        word: &[Symbol],
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        if word.len() >= u32::MAX as usize {
            return Err(super::too_long(word.len()));
        }
        let Buffers {
            ending,
            covered_to,
            token_at,
            heap,
        } = &mut scratch.longest_first;
        ending.clear();
        let mut node = self.trie.start();
        for &symbol in word {
            node = self.trie.read(node, symbol);
            ending.push(self.trie.longest(node));
        }
        let Some(&last) = ending.last() else {
            return Ok(());
        };
        let whole = self.trie.entry(last);
        if whole.len as usize == word.len() {
            out.push(whole.id);
            return Ok(());
        }
        covered_to.clear();
        covered_to.resize(word.len(), 0);
        token_at.clear();
        token_at.resize(word.len(), 0);
        let mut spans = Vec::from(std::mem::take(heap));
        spans.clear();
        for (end, &entry) in (1_u32..).zip(ending.iter()) {
            let token = self.trie.entry(entry);
            if token.len > 0 {
                spans.push(self.span(token, end));
            }
        }
        *heap = spans.into();
        while let Some((_, start, len)) = heap.pop() {
            let start = u32::MAX - start;
            let end = start + len;
            if covered_to[end as usize - 1] != 0 {
                continue;
            }
            let taken_to = covered_to[start as usize];
            if taken_to == 0 {
                let entry = self.trie.fitting(ending[end as usize - 1], len);
                token_at[start as usize] = self.trie.entry(entry).id;
                covered_to[start as usize..end as usize].fill(end);
            } else {
                let entry = self.trie.fitting(ending[end as usize - 1], end - taken_to);
                let token = self.trie.entry(entry);
                if token.len > 0 {
                    ending[end as usize - 1] = entry;
                    heap.push(self.span(token, end));
                }
            }
        }
        let first = out.len();
        let mut at = 0;
        while at < word.len() {
            if covered_to[at] == 0 {
                out.truncate(first);
                return Err(super::uncovered(word[at]));
            }
            out.push(token_at[at]);
            at = covered_to[at] as usize;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alphabet::{Alphabet, AlphabetOrder};
    use proptest::prelude::*;

    /// Section 1 of the specification, word for word; single bytes are always tokens.
    fn by_definition<'w>(word: &'w [u8], tokens: &[String], out: &mut Vec<&'w [u8]>) {
        for len in (1..=word.len()).rev() {
            for start in 0..=word.len() - len {
                let span = &word[start..start + len];
                if len == 1 || tokens.iter().any(|token| token.as_bytes() == span) {
                    by_definition(&word[..start], tokens, out);
                    out.push(span);
                    by_definition(&word[start + len..], tokens, out);
                    return;
                }
            }
        }
    }

    proptest! {
        #[test]
        fn the_automaton_gives_what_the_definition_says(
            word in "[abc]{0,40}",
            tokens in prop::collection::vec("[abc]{1,9}", 0..30),
        ) {
            let mut model = Model::of_alphabet(Alphabet::new(256, AlphabetOrder::Bytes));
            for token in &tokens {
                for end in 2..=token.len() {
                    let id = |b: &[u8]| model.vocab().id_of(b, crate::types::Marks::NONE).unwrap();
                    let bytes = token.as_bytes();
                    let (left, right) = (id(&bytes[..end - 1]), id(&bytes[end - 1..end]));
                    model.push_merge(left, right);
                }
            }
            // Hide all prefixes that are not tokens themselves.
            let visible = model.vocab().iter().map(|t| {
                t.bytes.len() == 1 || tokens.iter().any(|token| token.as_bytes() == t.bytes)
            }).collect();
            let hidden = model.clone().with_visible(visible).unwrap();
            let mut ids = Vec::new();
            let symbols: Vec<Symbol> = word.bytes().map(Symbol::from).collect();
            LongestFirst::new(&hidden)
                .encode_word(&symbols, &mut Scratch::default(), &mut ids)
                .unwrap();
            let pieces: Vec<&[u8]> =
                ids.iter().map(|&id| model.vocab().get(id).unwrap().bytes).collect();
            let mut expected = Vec::new();
            by_definition(word.as_bytes(), &tokens, &mut expected);
            prop_assert_eq!(pieces, expected);
        }
    }
}
