//! An Aho–Corasick automaton over the visible tokens of a model: after each unit of a word it knows the
//! longest token that ends there, and the shorter ones as a chain.
//!
//! Nodes are numbered breadth first, so the children of a node are neighbours and only the first of
//! them is stored. Each chain carries jump pointers, so that the longest token of at most some length
//! is found in log steps however long the chain (`a`, `aa`, …, `a^m`).

use std::collections::VecDeque;

use crate::model::Model;
use crate::types::{Symbol, TokenId, push_symbols};

const ROOT: u32 = 0;
const NUM_SYMBOLS: usize = 1024;
/// Children of a node that are looked through one by one; more are searched by halves.
const MAX_SCANNED: usize = 8;
/// No token: the end of every chain.
const NO_ENTRY: u32 = 0;

/// From which end words are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// From the left: tokens are known where they end.
    Forward,
    /// From the right: tokens are known where they start.
    Backward,
}

type SymbolsAndId<'s> = (&'s [Symbol], TokenId);

/// The automaton.
#[derive(Debug)]
pub(crate) struct Trie {
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

/// What was read so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node(u32);

/// A token in a chain; [`Trie::entry`] tells what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry(u32);

/// One token of a chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChainEntry {
    /// Length in units; 0 at the end of the chain, which is no token.
    pub len: u32,
    /// The token.
    pub id: TokenId,
    shorter: u32,
    /// An entry further along, placed so that any length is found in log steps.
    jump: u32,
    depth: u32,
}

impl Trie {
    /// Builds the automaton over the visible tokens of a model, read in a direction.
    pub(crate) fn new(model: &Model, direction: Direction) -> Self {
        let mut symbols = Vec::new();
        let mut tokens = Vec::new();
        for (id, token) in model.visible_tokens() {
            let start = symbols.len();
            push_symbols(token.bytes, token.marks, model.is_marked(), &mut symbols);
            if direction == Direction::Backward {
                symbols[start..].reverse();
            }
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

    /// Nothing read yet.
    pub(crate) fn start(&self) -> Node {
        Node(ROOT)
    }

    /// Reads one more unit.
    #[inline]
    pub(crate) fn read(&self, node: Node, symbol: Symbol) -> Node {
        Node(self.step(node.0, symbol))
    }

    /// The longest token that ends with what was read.
    #[inline]
    pub(crate) fn longest(&self, node: Node) -> Entry {
        Entry(self.longest[node.0 as usize])
    }

    /// What an entry says.
    #[inline]
    pub(crate) fn entry(&self, entry: Entry) -> ChainEntry {
        self.chain[entry.0 as usize]
    }

    /// The next shorter token of the chain.
    pub(crate) fn shorter(&self, entry: Entry) -> Entry {
        Entry(self.chain[entry.0 as usize].shorter)
    }

    /// The longest token of a chain that is at most `limit` long; of length 0 if there is none.
    pub(crate) fn fitting(&self, entry: Entry, limit: u32) -> Entry {
        let mut at = entry.0;
        while self.chain[at as usize].len > limit {
            let entry = self.chain[at as usize];
            at = if self.chain[entry.jump as usize].len > limit {
                entry.jump
            } else {
                entry.shorter
            };
        }
        Entry(at)
    }
}
