//! Longest-first encoding (LBPE, Xiong et al. 2024, Algorithm 1): take the longest span that is a
//! token, the leftmost of equal length; then the longest in what is left. Ranks are never read.
//!
//! The paper's loop tries every window. Here one pass of an Aho–Corasick automaton gives the longest
//! token that ends at each unit, with the shorter ones as a chain; spans are taken from a heap,
//! longest first, and one that meets a taken span goes back with the longest length that still
//! fits. Looking at both ends of a span is enough: all spans taken so far are at least as long, so
//! one that overlaps it covers an end. Lengths along a chain are found by jump pointers, so a chain
//! of `a`, `aa`, …, `a^m` costs log m. In all O(n·log n) for a word of n units, plus log per
//! shortened span; there are few of those (0.01 a unit on real text).

use std::collections::{BinaryHeap, VecDeque};

use crate::error::Result;
use crate::model::Model;
use crate::types::{Symbol, TokenId, push_symbols};

use super::{Encoder, Scratch};

const ROOT: u32 = 0;
const NUM_SYMBOLS: usize = 1024;
/// Children of a node that are looked through one by one; more are searched by halves.
const MAX_SCANNED: usize = 8;
/// No token: the end of every chain.
const NO_ENTRY: u32 = 0;

type SymbolsAndId<'s> = (&'s [Symbol], TokenId);

/// Encodes longest-first.
///
/// Nodes are numbered breadth first, so the children of a node are neighbours and only the first of
/// them is stored.
#[derive(Debug)]
pub struct LongestFirst {
    /// Child of the root, by symbol; [`ROOT`] where there is none.
    of_root: Vec<u32>,
    /// First child of each node; one entry more than there are nodes.
    first_child: Vec<u32>,
    /// Symbol that leads to each node; ascending among the children of one node.
    label: Vec<Symbol>,
    /// Node of the longest proper suffix in the trie.
    suffix: Vec<u32>,
    /// Longest token that ends at each node, as an index into `chain`.
    longest: Vec<u32>,
    /// Tokens, each linked to the next shorter one that ends at the same place.
    chain: Vec<ChainEntry>,
}

#[derive(Clone, Copy, Debug)]
struct ChainEntry {
    len: u32,
    id: TokenId,
    shorter: u32,
    /// An entry further along, placed so that any length is found in log steps.
    jump: u32,
    depth: u32,
}

#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// Chain entry of the span that ends after each unit.
    ending: Vec<u32>,
    /// For a taken unit the end of the span that covers it, else 0.
    covered_to: Vec<u32>,
    /// Token of the span that starts at each unit.
    token_at: Vec<TokenId>,
    /// Length, then leftmost first: `(len, u32::MAX - start)`.
    heap: BinaryHeap<(u32, u32)>,
}

impl LongestFirst {
    /// Builds the automaton over the visible tokens of a model.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        let mut symbols = Vec::new();
        let mut tokens = Vec::new();
        for (id, token) in model.visible_tokens() {
            let start = symbols.len();
            push_symbols(token.bytes, token.marks, model.is_marked(), &mut symbols);
            tokens.push((start, symbols.len(), id));
        }
        let mut tokens: Vec<SymbolsAndId<'_>> = tokens
            .into_iter()
            .map(|(start, end, id)| (&symbols[start..end], id))
            .collect();
        tokens.sort_unstable();
        let mut this = Self {
            of_root: vec![ROOT; NUM_SYMBOLS],
            first_child: Vec::new(),
            label: vec![0],
            suffix: vec![ROOT],
            longest: vec![NO_ENTRY],
            chain: vec![ChainEntry {
                len: 0,
                id: 0,
                shorter: NO_ENTRY,
                jump: NO_ENTRY,
                depth: 0,
            }],
        };
        // A node is the tokens that begin with it; a suffix is shallower, so it is complete by then.
        let mut queue: VecDeque<(u32, usize, &[SymbolsAndId<'_>])> = [(ROOT, 0, &*tokens)].into();
        while let Some((node, depth, with_prefix)) = queue.pop_front() {
            this.first_child.push(this.label.len() as u32);
            let shorter = this.longest[this.suffix[node as usize] as usize];
            this.longest[node as usize] = shorter;
            // Sorted, so the token that ends here comes first.
            let longer = match with_prefix {
                [(symbols, id), longer @ ..] if symbols.len() == depth => {
                    this.longest[node as usize] = this.push_chain(depth as u32, *id, shorter);
                    longer
                }
                longer => longer,
            };
            for group in longer.chunk_by(|(a, _), (b, _)| a[depth] == b[depth]) {
                let symbol = group[0].0[depth];
                let child = this.label.len() as u32;
                let suffix = match node {
                    ROOT => ROOT,
                    _ => this.step(this.suffix[node as usize], symbol),
                };
                this.label.push(symbol);
                this.suffix.push(suffix);
                this.longest.push(NO_ENTRY);
                if node == ROOT {
                    this.of_root[usize::from(symbol)] = child;
                }
                queue.push_back((child, depth + 1, group));
            }
        }
        this.first_child.push(this.label.len() as u32);
        this
    }

    /// Appends a chain entry with a jump pointer of skew-binary length (Myers 1983).
    fn push_chain(&mut self, len: u32, id: TokenId, shorter: u32) -> u32 {
        let entry = |at: u32| self.chain[at as usize];
        let below = entry(shorter);
        let jumped = entry(below.jump);
        let second = entry(jumped.jump);
        let jump = if below.depth - jumped.depth == jumped.depth - second.depth {
            jumped.jump
        } else {
            shorter
        };
        let depth = below.depth + 1;
        self.chain.push(ChainEntry {
            len,
            id,
            shorter,
            jump,
            depth,
        });
        self.chain.len() as u32 - 1
    }

    #[inline]
    fn child(&self, node: u32, symbol: Symbol) -> Option<u32> {
        if node == ROOT {
            let child = self.of_root.get(usize::from(symbol)).copied();
            return child.filter(|&child| child != ROOT);
        }
        let first = self.first_child[node as usize];
        let children = first as usize..self.first_child[node as usize + 1] as usize;
        let labels = &self.label[children];
        let at = if labels.len() <= MAX_SCANNED {
            labels.iter().position(|&label| label == symbol)
        } else {
            labels.binary_search(&symbol).ok()
        };
        at.map(|at| first + at as u32)
    }

    /// The node of the longest suffix of what was read that is in the trie.
    #[inline]
    fn step(&self, mut node: u32, symbol: Symbol) -> u32 {
        loop {
            match self.child(node, symbol) {
                Some(child) => return child,
                None if node == ROOT => return ROOT,
                None => node = self.suffix[node as usize],
            }
        }
    }

    /// The longest entry of a chain that is at most `limit` long.
    fn fitting(&self, mut at: u32, limit: u32) -> u32 {
        while self.chain[at as usize].len > limit {
            let entry = self.chain[at as usize];
            at = if self.chain[entry.jump as usize].len > limit {
                entry.jump
            } else {
                entry.shorter
            };
        }
        at
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
        let mut node = ROOT;
        for &symbol in word {
            node = self.step(node, symbol);
            ending.push(self.longest[node as usize]);
        }
        let Some(&last) = ending.last() else {
            return Ok(());
        };
        let whole = self.chain[last as usize];
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
            let len = self.chain[entry as usize].len;
            if len == 0 {
                return Err(super::uncovered(word[end as usize - 1]));
            }
            spans.push((len, u32::MAX - (end - len)));
        }
        *heap = spans.into();
        while let Some((len, start)) = heap.pop() {
            let start = u32::MAX - start;
            let end = start + len;
            if covered_to[end as usize - 1] != 0 {
                continue;
            }
            let taken_to = covered_to[start as usize];
            if taken_to == 0 {
                let entry = self.fitting(ending[end as usize - 1], len);
                token_at[start as usize] = self.chain[entry as usize].id;
                covered_to[start as usize..end as usize].fill(end);
            } else {
                let entry = self.fitting(ending[end as usize - 1], end - taken_to);
                let len = self.chain[entry as usize].len;
                if len == 0 {
                    return Err(super::uncovered(word[end as usize - 1]));
                }
                ending[end as usize - 1] = entry;
                heap.push((len, u32::MAX - (end - len)));
            }
        }
        let mut at = 0;
        while at < word.len() {
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
