//! BPE's own encoder: join the adjacent pair with the lowest rank, leftmost first, until none is
//! left (Sennrich et al. 2016).
//!
//! Short words are scanned for the lowest rank at each step; long ones keep their pairs in a heap,
//! so that a megabyte without a space costs n·log n and not its square.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::error::{Error, Result};
use crate::model::Model;
use crate::types::{Rank, Symbol, TokenId};

use super::{Encoder, Scratch};

/// Words up to this many symbols are scanned. At 24 the scan and the heap cost the same on random
/// letters; real words are shorter, and there the scan wins.
const MAX_SCANNED: usize = 24;

const NO_MERGE: Rank = Rank::MAX;
const NONE: u32 = u32::MAX;

/// Encodes by merge rank.
#[derive(Debug)]
pub struct MergeRank {
    unit_ids: Vec<TokenId>,
    merges: HashMap<u64, (Rank, TokenId), RandomState>,
}

#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// Id of each part, and the rank of joining it to the next.
    parts: Vec<(TokenId, Rank)>,
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
    /// Tables for a model.
    ///
    /// # Errors
    /// [`Error::Incompatible`] for a model with hidden tokens: merging cannot leave them out.
    pub fn new(model: &Model) -> Result<Self> {
        if model.visible().is_some() {
            return Err(Error::Incompatible {
                what: "merge-rank cannot leave out the tokens that this model hides; \
                       longest-first can"
                    .to_owned(),
            });
        }
        let alphabet = model.alphabet();
        let merges = (0..)
            .zip(model.merges())
            .map(|(rank, merge)| (key(merge.left, merge.right), (rank, merge.new)))
            .collect();
        Ok(Self {
            unit_ids: (0..alphabet.len() as Symbol)
                .map(|s| alphabet.id(s))
                .collect(),
            merges,
        })
    }

    #[inline]
    fn merge_of(&self, left: TokenId, right: TokenId) -> (Rank, TokenId) {
        self.merges
            .get(&key(left, right))
            .copied()
            .unwrap_or((NO_MERGE, 0))
    }

    fn unit(&self, symbol: Symbol) -> Result<TokenId> {
        self.unit_ids
            .get(usize::from(symbol))
            .copied()
            .ok_or_else(|| super::uncovered(symbol))
    }

    fn scan(&self, word: &[Symbol], parts: &mut Vec<(TokenId, Rank)>) -> Result<()> {
        parts.clear();
        for &symbol in word {
            let id = self.unit(symbol)?;
            if let Some(before) = parts.last_mut() {
                before.1 = self.merge_of(before.0, id).0;
            }
            parts.push((id, NO_MERGE));
        }
        loop {
            let mut best = NO_MERGE;
            let mut at = 0;
            for (index, &(_, rank)) in parts.iter().enumerate() {
                if rank < best {
                    (best, at) = (rank, index);
                }
            }
            if best == NO_MERGE {
                return Ok(());
            }
            let id = self.merge_of(parts[at].0, parts[at + 1].0).1;
            parts.remove(at + 1);
            let rank_after = parts
                .get(at + 1)
                .map_or(NO_MERGE, |&(after, _)| self.merge_of(id, after).0);
            parts[at] = (id, rank_after);
            if at > 0 {
                parts[at - 1].1 = self.merge_of(parts[at - 1].0, id).0;
            }
        }
    }

    fn merge_by_heap(
        &self,
        word: &[Symbol],
        buffers: &mut Buffers,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let Buffers { links, heap, .. } = buffers;
        links.clear();
        heap.clear();
        for (at, &symbol) in (0_u32..).zip(word) {
            links.push(Link {
                id: self.unit(symbol)?,
                before: at.wrapping_sub(1),
                after: at + 1,
            });
        }
        if let Some(last) = links.last_mut() {
            last.after = NONE;
        }
        let mut queue = Vec::from(std::mem::take(heap));
        for at in 1..links.len() {
            let (rank, _) = self.merge_of(links[at - 1].id, links[at].id);
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
            let (rank_now, id) = self.merge_of(link.id, after.id);
            if rank_now != rank {
                continue;
            }
            links[link.after as usize].after = link.after;
            links[at as usize].id = id;
            links[at as usize].after = after.after;
            if after.after != NONE {
                links[after.after as usize].before = at;
                let (rank, _) = self.merge_of(id, links[after.after as usize].id);
                if rank != NO_MERGE {
                    heap.push(Reverse((rank, at)));
                }
            }
            if link.before != NONE {
                let (rank, _) = self.merge_of(links[link.before as usize].id, id);
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
        Ok(())
    }
}

fn key(left: TokenId, right: TokenId) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

impl Encoder for MergeRank {
    fn encode_word(
        &self,
        word: &[Symbol],
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let buffers = &mut scratch.merge_rank;
        if word.len() > MAX_SCANNED {
            if word.len() >= NONE as usize {
                return Err(super::too_long(word.len()));
            }
            return self.merge_by_heap(word, buffers, out);
        }
        self.scan(word, &mut buffers.parts)?;
        out.extend(buffers.parts.iter().map(|&(id, _)| id));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alphabet::{Alphabet, AlphabetOrder};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_heap_and_the_scan_give_the_same_ids(
            word in prop::collection::vec(97_u16..100, 0..60),
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
            let mut by_heap = Vec::new();
            if !word.is_empty() {
                encoder.merge_by_heap(&word, &mut buffers, &mut by_heap).unwrap();
            }
            encoder.scan(&word, &mut buffers.parts).unwrap();
            let by_scan: Vec<_> = buffers.parts.iter().map(|&(id, _)| id).collect();
            prop_assert_eq!(by_heap, by_scan);
        }
    }
}
