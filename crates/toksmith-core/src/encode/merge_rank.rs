//! BPE's own encoder: join the adjacent pair with the lowest rank, leftmost first, until none is
//! left (Sennrich et al. 2016).
//!
//! Short words are scanned for the lowest rank at each step; long ones keep their pairs in a heap,
//! so that a megabyte without a space costs n·log n and not its square.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::alphabet::Alphabet;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::types::{Rank, Symbol, TokenId, push_symbols};

use super::pair_table::{NO_MERGE, PairTable};
use super::{Encoder, FewestTokens, Scratch};

/// Words up to this many symbols are scanned. At 24 the scan and the heap cost the same on random
/// letters; real words are shorter, and there the scan wins.
const MAX_SCANNED: usize = 24;

const NONE: u32 = u32::MAX;

/// Encodes by merge rank.
#[derive(Debug)]
pub struct MergeRank {
    units: Units,
    merges: PairTable,
    /// The visible tokens that spell each hidden one.
    spelled: Option<Vec<Box<[TokenId]>>>,
}

/// How a word becomes its first parts.
#[derive(Debug)]
enum Units {
    /// Each symbol is one, by symbol.
    Symbols(Vec<TokenId>),
    /// Characters are units too.
    Characters(Box<Alphabet>),
}

#[derive(Debug, Default)]
pub(super) struct Buffers {
    units: Vec<TokenId>,
    links: Vec<Link>,
    heap: BinaryHeap<Reverse<(Rank, u32)>>,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    id: TokenId,
    before: u32,
    after: u32,
}

impl MergeRank {
    /// Tables for a model. A hidden token that merging ends with is written as the fewest visible
    /// tokens that spell it; of several such spellings the one whose last token is longest
    /// (Scaffold-BPE's demolition; Lian et al. 2024).
    ///
    /// # Errors
    /// [`Error::Incompatible`] for a model with tokens that no merge makes.
    pub fn new(model: &Model) -> Result<Self> {
        let alphabet = model.alphabet();
        if model.merges().is_empty() && model.vocab().len() > alphabet.len() {
            return Err(Error::Incompatible {
                what: "merge-rank joins pairs, but this vocabulary was not made by merges; the \
                       other encoders can use it"
                    .to_owned(),
            });
        }
        let num_symbols = alphabet.num_symbols();
        Ok(Self {
            units: if alphabet.len() == num_symbols {
                Units::Symbols(
                    (0..num_symbols as Symbol)
                        .filter_map(|s| alphabet.id(s))
                        .collect(),
                )
            } else {
                Units::Characters(Box::new(alphabet.clone()))
            },
            merges: PairTable::new(model.merges()),
            spelled: model
                .visible()
                .map(|visible| spelled(model, visible))
                .transpose()?,
        })
    }

    /// Parts stay where they start; one that is joined to its left neighbour has no rank any more
    /// and is skipped by `after`.
    fn scan(&self, mut ids: [TokenId; MAX_SCANNED], len: usize, out: &mut Vec<TokenId>) {
        // Rank of joining each part to the next, and the id that makes.
        let mut ranks = [NO_MERGE; MAX_SCANNED];
        let mut joined = [0; MAX_SCANNED];
        let mut before = [0_u8; MAX_SCANNED];
        let mut after = [0_u8; MAX_SCANNED];
        for at in 0..len {
            before[at] = at.saturating_sub(1) as u8;
            after[at] = at as u8 + 1;
            if at > 0 {
                (ranks[at - 1], joined[at - 1]) = self.merges.get(ids[at - 1], ids[at]);
            }
        }
        loop {
            let mut best = NO_MERGE;
            let mut at = 0;
            for (index, &rank) in ranks[..len].iter().enumerate() {
                if rank < best {
                    (best, at) = (rank, index);
                }
            }
            if best == NO_MERGE {
                break;
            }
            ids[at] = joined[at];
            let gone = usize::from(after[at]);
            ranks[gone] = NO_MERGE;
            after[at] = after[gone];
            let next = usize::from(after[at]);
            if next < len {
                before[next] = at as u8;
                (ranks[at], joined[at]) = self.merges.get(ids[at], ids[next]);
            } else {
                ranks[at] = NO_MERGE;
            }
            if at > 0 {
                let previous = usize::from(before[at]);
                (ranks[previous], joined[previous]) = self.merges.get(ids[previous], ids[at]);
            }
        }
        let mut at = 0;
        while at < len {
            out.push(ids[at]);
            at = usize::from(after[at]);
        }
    }

    fn merge_by_heap(&self, buffers: &mut Buffers, out: &mut Vec<TokenId>) {
        let Buffers { units, links, heap } = buffers;
        links.clear();
        heap.clear();
        for (at, &id) in (0_u32..).zip(&*units) {
            links.push(Link {
                id,
                before: at.wrapping_sub(1),
                after: at + 1,
            });
        }
        if let Some(last) = links.last_mut() {
            last.after = NONE;
        }
        let mut queue = Vec::from(std::mem::take(heap));
        for at in 1..links.len() {
            let (rank, _) = self.merges.get(links[at - 1].id, links[at].id);
            if rank != NO_MERGE {
                queue.push(Reverse((rank, at as u32 - 1)));
            }
        }
        *heap = queue.into();
        while let Some(Reverse((rank, at))) = heap.pop() {
            let link = links[at as usize];
            // A part that was joined to its left neighbour has itself as `after`.
            if link.after == NONE || link.after == at {
                continue;
            }
            let after = links[link.after as usize];
            let (rank_now, id) = self.merges.get(link.id, after.id);
            if rank_now != rank {
                continue;
            }
            links[link.after as usize].after = link.after;
            links[at as usize].id = id;
            links[at as usize].after = after.after;
            if after.after != NONE {
                links[after.after as usize].before = at;
                let (rank, _) = self.merges.get(id, links[after.after as usize].id);
                if rank != NO_MERGE {
                    heap.push(Reverse((rank, at)));
                }
            }
            if link.before != NONE {
                let (rank, _) = self.merges.get(links[link.before as usize].id, id);
                if rank != NO_MERGE {
                    heap.push(Reverse((rank, link.before)));
                }
            }
        }
        let mut at = 0;
        while at != NONE {
            let link = links[at as usize];
            out.push(link.id);
            at = link.after;
        }
    }

    /// The units of a word, merged.
    fn merge(&self, word: &[Symbol], buffers: &mut Buffers, out: &mut Vec<TokenId>) -> Result<()> {
        if word.len() >= NONE as usize {
            return Err(super::too_long(word.len()));
        }
        let units = &mut buffers.units;
        units.clear();
        match &self.units {
            Units::Symbols(ids) if word.len() <= MAX_SCANNED => {
                let mut parts = [0; MAX_SCANNED];
                for (part, &symbol) in parts.iter_mut().zip(word) {
                    *part = unit_of(ids, symbol)?;
                }
                self.scan(parts, word.len(), out);
                return Ok(());
            }
            Units::Symbols(ids) => {
                for &symbol in word {
                    units.push(unit_of(ids, symbol)?);
                }
            }
            Units::Characters(alphabet) => super::push_units(alphabet, word, units)?,
        }
        if units.len() <= MAX_SCANNED {
            let mut parts = [0; MAX_SCANNED];
            parts[..units.len()].copy_from_slice(units);
            self.scan(parts, units.len(), out);
        } else {
            self.merge_by_heap(buffers, out);
        }
        Ok(())
    }
}

impl Encoder for MergeRank {
    fn encode_word(
        &self,
        word: &[Symbol],
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let first = out.len();
        self.merge(word, &mut scratch.merge_rank, out)?;
        if let Some(spelled) = &self.spelled {
            spell(spelled, first, out);
        }
        Ok(())
    }
}

fn unit_of(ids: &[TokenId], symbol: Symbol) -> Result<TokenId> {
    ids.get(usize::from(symbol))
        .copied()
        .ok_or_else(|| super::uncovered(symbol))
}

/// For each id the fewest visible tokens that spell it; empty for a visible one.
pub(super) fn spelled(model: &Model, visible: &[bool]) -> Result<Vec<Box<[TokenId]>>> {
    let encoder = FewestTokens::new(model);
    let (mut scratch, mut symbols) = (Scratch::default(), Vec::new());
    let tokens = model.vocab().iter().zip(visible);
    tokens
        .map(|(token, &visible)| {
            let mut ids = Vec::new();
            if !visible {
                symbols.clear();
                push_symbols(token.bytes, token.marks, model.is_marked(), &mut symbols);
                encoder.encode_word(&symbols, &mut scratch, &mut ids)?;
            }
            Ok(ids.into_boxed_slice())
        })
        .collect()
}

/// Writes the hidden ids from `first` on as the visible ones that spell them.
pub(super) fn spell(spelled: &[Box<[TokenId]>], first: usize, out: &mut Vec<TokenId>) {
    if out[first..]
        .iter()
        .all(|&id| spelled[id as usize].is_empty())
    {
        return;
    }
    let merged = out.split_off(first);
    for id in merged {
        match &*spelled[id as usize] {
            [] => out.push(id),
            ids => out.extend_from_slice(ids),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alphabet::AlphabetOrder;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_heap_and_the_scan_give_the_same_ids(
            word in prop::collection::vec(97_u16..100, 0..=MAX_SCANNED),
            pairs in prop::collection::vec((0_usize..1000, 0_usize..1000), 0..40),
        ) {
            let mut model = Model::of_alphabet(Alphabet::new(256, AlphabetOrder::Bytes));
            let mut known = vec![97, 98, 99];
            let mut seen = std::collections::BTreeSet::new();
            for (left, right) in pairs {
                let pair = (known[left % known.len()], known[right % known.len()]);
                if seen.insert(pair) {
                    known.extend(model.push_merge(pair.0, pair.1));
                }
            }
            let encoder = MergeRank::new(&model).unwrap();
            let mut buffers = Buffers::default();
            buffers.units.extend(word.iter().map(|&symbol| TokenId::from(symbol)));
            let mut by_heap = Vec::new();
            if !word.is_empty() {
                encoder.merge_by_heap(&mut buffers, &mut by_heap);
            }
            let mut by_scan = Vec::new();
            encoder.merge(&word, &mut buffers, &mut by_scan).unwrap();
            prop_assert_eq!(by_heap, by_scan);
        }
    }
}
