//! All pairs of adjacent tokens with their counts, and merging: what every trainer that joins pairs
//! works on.
//!
//! All words lie in one flat array of cells, with a separator after each. A token of `n` units
//! owns `n` cells and its id stands in the first and the last of them, so both neighbours of a
//! token are found from token lengths, without links. Merging costs time per occurrence of the
//! pair, not per word, and all merges together touch each cell a bounded number of times.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use crate::alphabet::Alphabet;
use crate::control::Control;
use crate::count::WordCounts;
use crate::error::{Error, Result};
use crate::types::{Count, TokenId, push_symbols};

/// A cell between two words, or in place of a character that the alphabet does not have.
const SEPARATOR: TokenId = TokenId::MAX;
/// A cell inside a token.
const INSIDE: TokenId = TokenId::MAX - 1;

/// Words read between two looks at the control.
const WORDS_PER_CONTROL: usize = 1 << 14;

/// Two tokens side by side.
pub(super) type Pair = (TokenId, TokenId);

/// How often a pair occurs now, and where it did when it was last seen.
#[derive(Debug, Default)]
struct PairInfo {
    count: Count,
    /// Cells at which the left token started; some may have been merged away since.
    places: Vec<u32>,
}

/// The words of a corpus as tokens, and the pairs in them.
pub(super) struct Pairs {
    cells: Vec<TokenId>,
    /// Cells of a token, by id.
    lens: Vec<u32>,
    /// Start of each run of equally frequent words, and their count; words are sorted by count.
    weights: Vec<(u32, Count)>,
    pairs: HashMap<Pair, PairInfo, RandomState>,
    /// Pairs whose count rose in the last merge.
    risen: Vec<Pair>,
    /// How often each token stands in the words.
    token_counts: Vec<Count>,
}

/// What one merge did.
pub(super) struct Merged {
    /// Places at which the pair was joined.
    pub num_places: u64,
    /// How often it was joined in the corpus.
    pub count: Count,
}

impl Pairs {
    /// The units of all words.
    ///
    /// # Errors
    /// [`Error::TooLarge`] and [`Error::Interrupted`].
    pub(super) fn new(
        counts: &WordCounts,
        alphabet: &Alphabet,
        control: &dyn Control,
    ) -> Result<Self> {
        let marked = counts.provenance().boundary.is_marked();
        let mut words: Vec<_> = counts.iter().collect();
        words.sort_by_key(|word| Reverse(word.count));
        let num_cells: u128 = words
            .iter()
            .map(|w| w.bytes.len() as u128 + 1)
            .sum::<u128>()
            + 1;
        let max_cells = u128::from(u32::MAX);
        if num_cells > max_cells {
            return Err(Error::TooLarge {
                what: "the length of all distinct words together",
                value: num_cells,
                max: max_cells,
            });
        }
        let total: u128 = words
            .iter()
            .map(|w| u128::from(w.count) * w.bytes.len() as u128)
            .sum();
        if total > u128::from(Count::MAX) {
            return Err(Error::TooLarge {
                what: "the number of symbols in all words together",
                value: total,
                max: u128::from(Count::MAX),
            });
        }
        let mut state = Self {
            cells: Vec::with_capacity(num_cells as usize),
            lens: vec![1; alphabet.len()],
            weights: Vec::new(),
            pairs: HashMap::default(),
            risen: Vec::new(),
            token_counts: vec![0; alphabet.len()],
        };
        state.cells.push(SEPARATOR);
        let mut symbols = Vec::new();
        for (at, word) in words.into_iter().enumerate() {
            if at % WORDS_PER_CONTROL == 0 {
                control.check(0, 0)?;
            }
            if state
                .weights
                .last()
                .is_none_or(|&(_, count)| count != word.count)
            {
                state.weights.push((state.cells.len() as u32, word.count));
            }
            symbols.clear();
            push_symbols(word.bytes, word.marks, marked, &mut symbols);
            alphabet.for_each_unit(&symbols, |unit| {
                let id = match unit.id {
                    Some(id) if !unit.is_fallback => id,
                    _ => SEPARATOR,
                };
                if let Some(token_count) = state.token_counts.get_mut(id as usize) {
                    *token_count += word.count;
                }
                let at = state.cells.len() as u32;
                let before = state.cells[state.cells.len() - 1];
                if before != SEPARATOR && id != SEPARATOR {
                    let info = state.pairs.entry((before, id)).or_default();
                    info.count += word.count;
                    info.places.push(at - 1);
                }
                state.cells.push(id);
            });
            state.cells.push(SEPARATOR);
        }
        Ok(state)
    }

    /// How often a pair occurs.
    pub(super) fn count(&self, pair: Pair) -> Count {
        self.pairs.get(&pair).map_or(0, |info| info.count)
    }

    /// How often a token stands in the words.
    pub(super) fn token_count(&self, id: TokenId) -> Count {
        self.token_counts[id as usize]
    }

    /// How often a pair of equal tokens would be joined: its occurrences may overlap.
    pub(super) fn num_joins(&self, pair: Pair) -> Count {
        let Some(info) = self.pairs.get(&pair) else {
            return 0;
        };
        let mut places = info.places.clone();
        places.sort_unstable();
        places.dedup();
        let len = self.lens[pair.0 as usize];
        let (mut joins, mut end, mut run) = (0, 0, 0);
        for start in places {
            let is_there = self.cells[start as usize] == pair.0
                && self.cells.get((start + len) as usize) == Some(&pair.1);
            if start >= end && is_there {
                joins += self.weight(&mut run, start);
                end = start + len + self.lens[pair.1 as usize];
            }
        }
        joins
    }

    /// The count of the word at a place; `run` is where the search goes on from, for places in order.
    fn weight(&self, run: &mut usize, place: u32) -> Count {
        while self
            .weights
            .get(*run + 1)
            .is_some_and(|&(from, _)| from <= place)
        {
            *run += 1;
        }
        self.weights[*run].1
    }

    /// Number of different pairs.
    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// All pairs, sorted.
    pub(super) fn sorted(&self) -> Vec<Pair> {
        #[expect(clippy::disallowed_methods, reason = "sorted below")]
        let mut pairs: Vec<Pair> = self.pairs.keys().copied().collect();
        pairs.sort_unstable();
        pairs
    }

    /// The pairs whose count rose in the last merge, sorted.
    pub(super) fn risen(&self) -> &[Pair] {
        &self.risen
    }

    /// Joins the pair everywhere, left to right.
    pub(super) fn merge(&mut self, pair: Pair, new: TokenId) -> Merged {
        let (left, right) = pair;
        self.risen.clear();
        let mut places = self.pairs.remove(&pair).unwrap_or_default().places;
        // One list may have grown in several merges; equal ids must be joined left to right.
        if !places.is_sorted() {
            places.sort_unstable();
        }
        let left_len = self.lens[left as usize];
        let new_len = left_len + self.lens[right as usize];
        if new as usize == self.lens.len() {
            self.lens.push(new_len);
            self.token_counts.push(0);
        }
        let (mut num_places, mut count) = (0, 0);
        let mut run = 0;
        for start in places {
            let middle = start + left_len;
            let end = start + new_len;
            // A cell inside a token is INSIDE or the token's last; a last cell with this id would
            // belong to a token as long as the one that once started here, which cannot be.
            if self.cells[start as usize] != left || self.cells.get(middle as usize) != Some(&right)
            {
                continue;
            }
            let weight = self.weight(&mut run, start);
            let before = self.cells[start as usize - 1];
            let after = self.cells[end as usize];
            self.cells[middle as usize - 1] = INSIDE;
            self.cells[middle as usize] = INSIDE;
            self.cells[start as usize] = new;
            self.cells[end as usize - 1] = new;
            num_places += 1;
            count += weight;
            if before != SEPARATOR {
                self.lower((before, left), weight);
                let place = start - self.lens[before as usize];
                self.raise((before, new), weight, place);
            }
            if after != SEPARATOR {
                self.lower((right, after), weight);
                self.raise((new, after), weight, start);
            }
        }
        self.risen.sort_unstable();
        self.risen.dedup();
        self.token_counts[left as usize] -= count;
        self.token_counts[right as usize] -= count;
        self.token_counts[new as usize] += count;
        Merged { num_places, count }
    }

    /// An occurrence of a pair is gone. The pair being merged has no entry any more.
    fn lower(&mut self, pair: Pair, weight: Count) {
        if let Entry::Occupied(mut entry) = self.pairs.entry(pair) {
            let info = entry.get_mut();
            debug_assert!(
                info.count >= weight,
                "{pair:?} occurs less often than it was seen"
            );
            info.count = info.count.saturating_sub(weight);
            if info.count == 0 {
                entry.remove();
            }
        }
    }

    /// A pair now occurs at `place`.
    fn raise(&mut self, pair: Pair, weight: Count, place: u32) {
        let info = self.pairs.entry(pair).or_default();
        info.count += weight;
        info.places.push(place);
        self.risen.push(pair);
    }
}

/// The pairs by count, most frequent first; ties go to the smaller left id, then the smaller right
/// id.
pub(super) struct CountQueue {
    /// At least one entry for each pair, never below its count.
    heap: BinaryHeap<(Count, Reverse<Pair>)>,
}

impl CountQueue {
    /// All pairs that may be joined.
    pub(super) fn new(pairs: &Pairs, may_join: impl Fn(Pair) -> bool) -> Self {
        let mut this = Self {
            heap: BinaryHeap::new(),
        };
        this.push(&pairs.sorted(), pairs, may_join);
        this
    }

    /// Takes note of the last merge.
    pub(super) fn push_risen(&mut self, pairs: &Pairs, may_join: impl Fn(Pair) -> bool) {
        self.push(pairs.risen(), pairs, may_join);
    }

    fn push(&mut self, which: &[Pair], pairs: &Pairs, may_join: impl Fn(Pair) -> bool) {
        let joinable = which.iter().copied().filter(|&pair| may_join(pair));
        let entries = joinable.map(|pair| (pairs.count(pair), Reverse(pair)));
        self.heap.extend(entries);
    }

    /// The most frequent pair.
    pub(super) fn peek(&mut self, pairs: &Pairs) -> Option<(Count, Pair)> {
        while let Some(&(count, Reverse(pair))) = self.heap.peek() {
            let now = pairs.count(pair);
            if now == count && now > 0 {
                return Some((count, pair));
            }
            self.heap.pop();
            // Counts in the queue are never too small: one that fell goes back with what it is.
            // One that rose has a better entry, which came first and emptied the pair.
            if now > 0 && now < count {
                self.heap.push((now, Reverse(pair)));
            }
        }
        None
    }

    /// Takes the most frequent pair out.
    pub(super) fn pop(&mut self, pairs: &Pairs) -> Option<(Count, Pair)> {
        let best = self.peek(pairs);
        self.heap.pop();
        best
    }
}

/// What can only mean that a word carries marks inside, which no boundary makes.
pub(super) fn across_mark(pair: Pair) -> Error {
    Error::Incompatible {
        what: format!(
            "ids {} and {} stand side by side in a word, but a mark lies between them",
            pair.0, pair.1
        ),
    }
}
