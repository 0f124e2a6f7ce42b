//! The prefix trees of the words, with an arc for each piece that ends at a node: all segmentations of all
//! words at once, common prefixes counted once.
//!
//! A node is a prefix; an arc of length n leads to it from the prefix n units shorter. Sums over all
//! segmentations of all words are then one pass forward and one back over the arcs, which lie in one
//! array. Probabilities are plain products; each carries an exponent of its own, so nothing underflows
//! however long the word.
//!
//! Words are cut into chunks by size alone. Several threads take chunks, and what each gives is added
//! up in the order of the chunks: the result is the same on any number of them.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::Builder;

use crate::control::Control;
use crate::error::{Error, Result};
use crate::types::Count;

use super::seeds::Seed;
use super::words::{SEPARATOR, Words};

/// A chunk is closed at the end of the word in which it gets this many nodes.
pub(super) const NODES_PER_CHUNK: u32 = 1 << 15;
/// The control is asked, and a request to stop noticed, after this many nodes.
const NODES_PER_CONTROL: usize = 1 << 16;

/// No node, no piece.
const NONE: u32 = u32::MAX;

/// Pieces: units by their number, then seeds by their place in the list.
pub(super) type Piece = u32;

/// Prefix trees and arcs.
#[derive(Debug)]
pub(super) struct Forest {
    words: Vec<WordInForest>,
    /// Words of each chunk, which have trees of their own.
    chunks: Vec<Range<usize>>,
    /// The unit that leads to each node: its arc of length 1.
    unit: Vec<u32>,
    /// The node one unit shorter; [`NONE`] for first units.
    parent: Vec<u32>,
    /// The first arc to each node, and the number of arcs.
    first_arc: Vec<u32>,
    /// Pieces of two units or more, longest first at each node.
    arc_piece: Vec<Piece>,
    arc_len: Vec<u8>,
    /// A node at which each seed ends.
    node_of_seed: Vec<u32>,
}

/// A word: the nodes of its units after the first `shared` ones, which are those of the word before it.
#[derive(Clone, Copy, Debug)]
struct WordInForest {
    first_node: u32,
    shared: u32,
    len: u32,
    count: Count,
}

impl Forest {
    /// The forest of all words, with arcs for the seeds, whose places are the ranges of `sorted`.
    /// `node_of` is a buffer with one entry for each cell.
    ///
    /// # Errors
    /// [`Error::TooLarge`] when the arcs exceed 32 bits.
    pub(super) fn new(
        words: &Words,
        seeds: &[Seed],
        num_units: u32,
        sorted: &[u32],
        mut node_of: Vec<u32>,
        nodes_per_chunk: u32,
        control: &dyn Control,
    ) -> Result<Self> {
        let mut this = Self {
            words: Vec::with_capacity(words.len()),
            chunks: Vec::new(),
            unit: Vec::new(),
            parent: Vec::new(),
            first_arc: Vec::new(),
            arc_piece: Vec::new(),
            arc_len: Vec::new(),
            node_of_seed: Vec::with_capacity(seeds.len()),
        };
        this.plant(words, &mut node_of, nodes_per_chunk);
        control.check(0, 0)?;
        this.add_arcs(seeds, num_units, sorted, &node_of, control)?;
        Ok(this)
    }

    /// Makes the nodes, and gives each cell the node that it alone owns.
    fn plant(&mut self, words: &Words, node_of: &mut [u32], nodes_per_chunk: u32) {
        let mut chunk_start = 0;
        let mut chunk_first_node = 0;
        let mut path: Vec<u32> = Vec::new();
        for at in 0..words.len() {
            let word = words.word(at);
            let shared = if at == chunk_start {
                0
            } else {
                let before = words.word(at - 1);
                let differs = before.iter().zip(word).position(|(a, b)| a != b);
                differs.unwrap_or(before.len().min(word.len()))
            };
            let first_node = self.unit.len() as u32;
            self.words.push(WordInForest {
                first_node,
                shared: shared as u32,
                len: word.len() as u32,
                count: words.counts[at],
            });
            let first_cell = words.starts[at] as usize;
            node_of[first_cell..first_cell + shared].fill(NONE);
            path.truncate(shared);
            for (offset, cell) in word.iter().enumerate().skip(shared) {
                let node = self.unit.len() as u32;
                self.unit.push(cell - 1);
                self.parent.push(path.last().copied().unwrap_or(NONE));
                path.push(node);
                node_of[first_cell + offset] = node;
            }
            debug_assert_eq!(words.cells[first_cell + word.len()], SEPARATOR);
            let num_nodes = self.unit.len() as u32;
            if num_nodes - chunk_first_node >= nodes_per_chunk || at + 1 == words.len() {
                self.chunks.push(chunk_start..at + 1);
                chunk_start = at + 1;
                chunk_first_node = num_nodes;
            }
        }
    }

    fn add_arcs(
        &mut self,
        seeds: &[Seed],
        num_units: u32,
        sorted: &[u32],
        node_of: &[u32],
        control: &dyn Control,
    ) -> Result<()> {
        let places = |seed: &Seed| {
            let len = seed.len as usize;
            sorted[seed.first as usize..=seed.last as usize]
                .iter()
                .map(move |&at| node_of[at as usize + len - 1])
                .filter(|&node| node != NONE)
        };
        let check = |index: usize, seen: &mut usize, seed: &Seed| {
            *seen += (seed.last - seed.first) as usize + 1;
            if *seen >= NODES_PER_CONTROL || index == 0 {
                *seen = 0;
                return control.check(0, 0);
            }
            Ok(())
        };
        let mut num_arcs = vec![0_u32; self.unit.len() + 1];
        let mut seen = 0;
        for (index, seed) in seeds.iter().enumerate() {
            check(index, &mut seen, seed)?;
            // No node has more arcs than pieces have lengths.
            places(seed).for_each(|node| num_arcs[node as usize] += 1);
        }
        let mut total = 0_u64;
        for slot in &mut num_arcs {
            let here = *slot;
            *slot = total as u32;
            total += u64::from(here);
        }
        if total >= u64::from(u32::MAX) {
            return Err(Error::TooLarge {
                what: "the number of places of all pieces together",
                value: u128::from(total),
                max: u128::from(u32::MAX),
            });
        }
        self.first_arc = num_arcs;
        self.arc_piece = vec![0; total as usize];
        self.arc_len = vec![0; total as usize];
        // Filling moves each start to the next node's; it is moved back below.
        for (index, (seed, piece)) in seeds.iter().zip(num_units..).enumerate() {
            check(index, &mut seen, seed)?;
            let mut place = NONE;
            for node in places(seed) {
                let slot = &mut self.first_arc[node as usize];
                self.arc_piece[*slot as usize] = piece;
                self.arc_len[*slot as usize] = seed.len as u8;
                *slot += 1;
                place = place.min(node);
            }
            self.node_of_seed.push(place);
        }
        self.first_arc.rotate_right(1);
        self.first_arc[0] = 0;
        Ok(())
    }

    /// Takes the arcs of dead pieces away.
    pub(super) fn retain(&mut self, is_alive: impl Fn(Piece) -> bool) {
        let mut kept = 0;
        let mut start = 0;
        for node in 0..self.unit.len() {
            let end = self.first_arc[node + 1] as usize;
            for arc in start..end {
                if is_alive(self.arc_piece[arc]) {
                    self.arc_piece[kept] = self.arc_piece[arc];
                    self.arc_len[kept] = self.arc_len[arc];
                    kept += 1;
                }
            }
            start = end;
            self.first_arc[node + 1] = kept as u32;
        }
        self.arc_piece.truncate(kept);
        self.arc_len.truncate(kept);
    }

    /// The unit of each node with the occurrences of all words that pass it.
    pub(super) fn count_units(&self, counts: &mut [Count]) {
        let mut open: Vec<Count> = Vec::new();
        for chunk in &self.chunks {
            for word in self.words[chunk.clone()].iter().rev() {
                let (shared, len) = (word.shared as usize, word.len as usize);
                open.resize(len.max(open.len()), 0);
                let mut passing = word.count;
                for offset in (shared..len).rev() {
                    passing += std::mem::take(&mut open[offset]);
                    let node = word.first_node as usize + offset - shared;
                    counts[self.unit[node] as usize] += passing;
                }
                if shared > 0 {
                    open[shared - 1] += passing;
                }
            }
        }
    }

    #[inline]
    fn arcs(&self, node: usize) -> Range<usize> {
        self.first_arc[node] as usize..self.first_arc[node + 1] as usize
    }

    /// Expected number of uses of each piece over all segmentations of all words, each segmentation
    /// weighted by its probability.
    ///
    /// Pieces that are in the arcs, and units, have a probability above 0.
    pub(super) fn expected_uses(
        &self,
        probability: &[f64],
        num_threads: NonZeroUsize,
        control: &dyn Fn() -> Result<()>,
    ) -> Result<Vec<f64>> {
        let mut total = vec![0.0; probability.len()];
        self.in_chunks(
            num_threads,
            control,
            || Expectation::new(probability.len()),
            |chunk, buffers, go_on| self.add_expected(chunk, probability, buffers, go_on),
            |buffers| {
                for (total, uses) in total.iter_mut().zip(&mut buffers.uses) {
                    *total += std::mem::take(uses);
                }
            },
        )?;
        Ok(total)
    }

    fn add_expected(
        &self,
        chunk: Range<usize>,
        probability: &[f64],
        buffers: &mut Expectation,
        go_on: &dyn Fn() -> Result<()>,
    ) -> Result<()> {
        let words = &self.words[chunk];
        let base = words[0].first_node as usize;
        let Expectation {
            uses,
            forward,
            on_path,
            path,
            backward,
        } = buffers;
        forward.clear();
        on_path.clear();
        on_path.push(Scaled::ONE);
        let mut until_control = NODES_PER_CONTROL;
        let mut step = || {
            until_control -= 1;
            if until_control == 0 {
                until_control = NODES_PER_CONTROL;
                return go_on();
            }
            Ok(())
        };
        for word in words {
            let (shared, len) = (word.shared as usize, word.len as usize);
            on_path.truncate(shared + 1);
            for depth in shared + 1..=len {
                let node = word.first_node as usize + depth - 1 - shared;
                let mut sum = on_path[depth - 1].times(probability[self.unit[node] as usize]);
                for arc in self.arcs(node) {
                    let before = on_path[depth - usize::from(self.arc_len[arc])];
                    sum.add(before.times(probability[self.arc_piece[arc] as usize]));
                }
                let sum = sum.normal();
                forward.push(sum);
                on_path.push(sum);
                step()?;
            }
        }
        let longest = words.iter().map(|word| word.len as usize).max();
        backward.clear();
        backward.resize(longest.unwrap_or(0) + 1, Scaled::ZERO);
        path.clear();
        path.resize(backward.len(), NONE);
        on_path.resize(backward.len(), Scaled::ONE);
        for word in words.iter().rev() {
            let (shared, len) = (word.shared as usize, word.len as usize);
            // The path to this word's end, as far as it is not that of the word behind it.
            let mut node = word.first_node + word.len - 1 - word.shared;
            let mut depth = len;
            while depth > 0 && path[depth] != node {
                path[depth] = node;
                on_path[depth] = forward[node as usize - base];
                node = self.parent[node as usize];
                depth -= 1;
            }
            backward[len].add(on_path[len].into_dividend(word.count as f64));
            for depth in (shared + 1..=len).rev() {
                let node = word.first_node as usize + depth - 1 - shared;
                let after = std::mem::replace(&mut backward[depth], Scaled::ZERO).normal();
                let mut use_arc = |piece: u32, start: usize| {
                    let through = after.times(probability[piece as usize]);
                    uses[piece as usize] += through.times_scaled(on_path[start]);
                    backward[start].add(through);
                };
                use_arc(self.unit[node], depth - 1);
                for arc in self.arcs(node) {
                    let len = usize::from(self.arc_len[arc]);
                    use_arc(self.arc_piece[arc], depth - len);
                }
                step()?;
            }
            backward[0] = Scaled::ZERO;
        }
        Ok(())
    }

    /// How often each piece stands in the best segmentations of all words. Of equally good ones that whose
    /// last piece is longest is taken, and so on to the left.
    pub(super) fn best_uses(
        &self,
        score: &[f64],
        num_threads: NonZeroUsize,
        control: &dyn Fn() -> Result<()>,
    ) -> Result<Vec<Count>> {
        let mut total = vec![0; score.len()];
        self.in_chunks(
            num_threads,
            control,
            || BestUses::new(score.len()),
            |chunk, buffers, go_on| self.add_best(chunk, score, buffers, go_on),
            |buffers| {
                for (total, uses) in total.iter_mut().zip(&mut buffers.uses) {
                    *total += std::mem::take(uses);
                }
            },
        )?;
        Ok(total)
    }

    fn add_best(
        &self,
        chunk: Range<usize>,
        score: &[f64],
        buffers: &mut BestUses,
        go_on: &dyn Fn() -> Result<()>,
    ) -> Result<()> {
        let words = &self.words[chunk];
        let base = words[0].first_node as usize;
        let BestUses {
            uses,
            last,
            on_path,
            passing,
        } = buffers;
        last.clear();
        on_path.clear();
        on_path.push(0.0);
        let mut until_control = NODES_PER_CONTROL;
        for word in words {
            let (shared, len) = (word.shared as usize, word.len as usize);
            on_path.truncate(shared + 1);
            for depth in shared + 1..=len {
                let node = word.first_node as usize + depth - 1 - shared;
                let mut best = (f64::NEG_INFINITY, NONE, 0);
                for arc in self.arcs(node) {
                    let (piece, len) = (self.arc_piece[arc], self.arc_len[arc]);
                    let sum = on_path[depth - usize::from(len)] + score[piece as usize];
                    if sum > best.0 {
                        best = (sum, piece, len);
                    }
                }
                let unit = self.unit[node];
                let sum = on_path[depth - 1] + score[unit as usize];
                if sum > best.0 || best.1 == NONE {
                    best = (sum, unit, 1);
                }
                on_path.push(best.0);
                last.push((best.1, best.2));
                until_control -= 1;
                if until_control == 0 {
                    until_control = NODES_PER_CONTROL;
                    go_on()?;
                }
            }
        }
        let longest = words.iter().map(|word| word.len as usize).max();
        passing.clear();
        passing.resize(longest.unwrap_or(0) + 1, 0);
        for word in words.iter().rev() {
            let (shared, len) = (word.shared as usize, word.len as usize);
            passing[len] += word.count;
            for depth in (shared + 1..=len).rev() {
                let count = std::mem::take(&mut passing[depth]);
                if count > 0 {
                    let node = word.first_node as usize + depth - 1 - shared;
                    let (piece, len) = last[node - base];
                    uses[piece as usize] += count;
                    passing[depth - usize::from(len)] += count;
                }
            }
            passing[0] = 0;
        }
        Ok(())
    }

    /// The best segmentation of a seed into shorter pieces, into `buffers.pieces` from right to left, and its score.
    /// Ties as in [`best_uses`](Self::best_uses).
    pub(super) fn best_without(
        &self,
        seed: usize,
        len: usize,
        score: &[f64],
        buffers: &mut Alternative,
    ) -> f64 {
        let Alternative {
            nodes,
            best,
            pieces,
        } = buffers;
        nodes.clear();
        let mut node = self.node_of_seed[seed];
        for _ in 0..len {
            nodes.push(node as usize);
            node = self.parent[node as usize];
        }
        nodes.reverse();
        best.clear();
        best.push((0.0, NONE, 0));
        for (depth, &node) in (1..).zip(nodes.iter()) {
            let mut here = (f64::NEG_INFINITY, NONE, 0);
            for arc in self.arcs(node) {
                let arc_len = usize::from(self.arc_len[arc]);
                // Longer arcs start before the piece, and one as long as it is the piece.
                if arc_len > depth || arc_len == len {
                    continue;
                }
                let piece = self.arc_piece[arc];
                let sum = best[depth - arc_len].0 + score[piece as usize];
                if sum > here.0 {
                    here = (sum, piece, arc_len);
                }
            }
            let unit = self.unit[node];
            let sum = best[depth - 1].0 + score[unit as usize];
            if sum > here.0 || here.1 == NONE {
                here = (sum, unit, 1);
            }
            best.push(here);
        }
        pieces.clear();
        let mut depth = len;
        while depth > 0 {
            let (_, piece, arc_len) = best[depth];
            pieces.push(piece);
            depth -= arc_len;
        }
        best[len].0
    }

    /// Runs `work` on every chunk, on several threads, each with buffers of its own, and hands the
    /// buffers to `absorb` in the order of the chunks. `control` is asked by the calling thread alone.
    fn in_chunks<B>(
        &self,
        num_threads: NonZeroUsize,
        control: &dyn Fn() -> Result<()>,
        buffers: impl Fn() -> B + Sync,
        work: impl Fn(Range<usize>, &mut B, &dyn Fn() -> Result<()>) -> Result<()> + Sync,
        absorb: impl FnMut(&mut B) + Send,
    ) -> Result<()> {
        let next = AtomicUsize::new(0);
        let stopped = AtomicBool::new(false);
        let turn = Mutex::new((0, absorb));
        let turn_ended = Condvar::new();
        let one_thread = |go_on: &dyn Fn() -> Result<()>| -> Result<()> {
            let mut buffers = buffers();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(chunk) = self.chunks.get(at) else {
                    return Ok(());
                };
                let done = go_on().and_then(|()| work(chunk.clone(), &mut buffers, go_on));
                let mut turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
                if let Err(error) = done {
                    stopped.store(true, Ordering::Relaxed);
                    turn_ended.notify_all();
                    return Err(error);
                }
                // Chunks are taken in order, so the one whose turn it is is always at work.
                while turn.0 != at {
                    if stopped.load(Ordering::Relaxed) {
                        return Err(Error::Interrupted);
                    }
                    turn = turn_ended
                        .wait(turn)
                        .unwrap_or_else(PoisonError::into_inner);
                }
                (turn.1)(&mut buffers);
                turn.0 += 1;
                turn_ended.notify_all();
            }
        };
        let not_stopped = || match stopped.load(Ordering::Relaxed) {
            true => Err(Error::Interrupted),
            false => Ok(()),
        };
        std::thread::scope(|scope| {
            let num_others = num_threads.get().min(self.chunks.len()).saturating_sub(1);
            let others: Vec<_> = (0..num_others)
                .map_while(|_| {
                    let thread = || one_thread(&not_stopped);
                    Builder::new().spawn_scoped(scope, thread).ok()
                })
                .collect();
            let mut result = one_thread(control);
            for other in others {
                let done = other.join();
                let done = done.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                result = result.and(done);
            }
            result
        })
    }
}

/// Buffers of one thread for [`Forest::expected_uses`].
struct Expectation {
    uses: Vec<f64>,
    /// For each node of the chunk the probability of its prefix.
    forward: Vec<Scaled>,
    /// The same along the path to the node at hand, by length.
    on_path: Vec<Scaled>,
    path: Vec<u32>,
    /// What the words behind each place on the path add to it.
    backward: Vec<Scaled>,
}

impl Expectation {
    fn new(num_pieces: usize) -> Self {
        Self {
            uses: vec![0.0; num_pieces],
            forward: Vec::new(),
            on_path: Vec::new(),
            path: Vec::new(),
            backward: Vec::new(),
        }
    }
}

/// Buffers of one thread for [`Forest::best_uses`].
struct BestUses {
    uses: Vec<Count>,
    /// Last piece of the best segmentation of each prefix, and its length.
    last: Vec<(Piece, u8)>,
    on_path: Vec<f64>,
    passing: Vec<Count>,
}

impl BestUses {
    fn new(num_pieces: usize) -> Self {
        Self {
            uses: vec![0; num_pieces],
            last: Vec::new(),
            on_path: Vec::new(),
            passing: Vec::new(),
        }
    }
}

/// Buffers and result of [`Forest::best_without`].
#[derive(Debug, Default)]
pub(super) struct Alternative {
    nodes: Vec<usize>,
    best: Vec<(f64, Piece, usize)>,
    /// The pieces, from right to left.
    pub pieces: Vec<Piece>,
}

/// A positive number with an exponent of its own: `mantissa · 2^(256 · exponent)`. Normal ones have a mantissa
/// from 2⁻¹²⁸ to 2¹²⁸, or are 0; so products with a probability above 2⁻³⁰⁰ and sums of many stay in range.
#[derive(Clone, Copy, Debug)]
struct Scaled {
    mantissa: f64,
    exponent: i32,
}

/// 2^256 and powers of it and its inverse, by exponent from -3.
const STEPS: [f64; 7] = [
    power_of_2(-768),
    power_of_2(-512),
    power_of_2(-256),
    1.0,
    power_of_2(256),
    power_of_2(512),
    power_of_2(768),
];

const fn power_of_2(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

impl Scaled {
    const ZERO: Self = Self {
        mantissa: 0.0,
        exponent: i32::MIN / 4,
    };
    const ONE: Self = Self {
        mantissa: 1.0,
        exponent: 0,
    };

    #[inline]
    fn times(self, factor: f64) -> Self {
        Self {
            mantissa: self.mantissa * factor,
            exponent: self.exponent,
        }
    }

    #[inline]
    fn add(&mut self, term: Self) {
        if self.exponent == term.exponent {
            self.mantissa += term.mantissa;
        } else if self.exponent > term.exponent {
            self.mantissa += term.mantissa * shift(term.exponent - self.exponent);
        } else {
            self.mantissa = term.mantissa + self.mantissa * shift(self.exponent - term.exponent);
            self.exponent = term.exponent;
        }
    }

    #[inline]
    fn normal(mut self) -> Self {
        while self.mantissa < power_of_2(-128) && self.mantissa > 0.0 {
            self.mantissa *= power_of_2(256);
            self.exponent -= 1;
        }
        while self.mantissa > power_of_2(128) {
            self.mantissa *= power_of_2(-256);
            self.exponent += 1;
        }
        self
    }

    /// The product of two, as an ordinary number.
    #[inline]
    fn times_scaled(self, other: Self) -> f64 {
        let exponent = self.exponent + other.exponent;
        let product = self.mantissa * other.mantissa;
        if exponent == 0 {
            product
        } else {
            product * shift(exponent)
        }
    }

    /// `dividend` divided by this.
    fn into_dividend(self, dividend: f64) -> Self {
        Self {
            mantissa: dividend / self.mantissa,
            exponent: -self.exponent,
        }
        .normal()
    }
}

/// `2^(256 · steps)`, 0 and a large number out of range.
#[inline]
fn shift(steps: i32) -> f64 {
    match steps {
        ..-3 => 0.0,
        4.. => power_of_2(1023),
        _ => STEPS[(steps + 3) as usize],
    }
}

#[cfg(test)]
mod tests {
    use super::super::seeds::seeds;
    use super::super::suffix_array::sort_suffixes;
    use super::*;
    use crate::control::NoControl;
    use crate::lattice::{Arc, Lattice};
    use proptest::prelude::*;

    const NUM_UNITS: u32 = 3;

    struct Case {
        words: Words,
        forest: Forest,
        /// Units of each piece.
        pieces: Vec<Vec<u32>>,
        score: Vec<f64>,
    }

    /// All substrings of up to five units as pieces; scores are eighths, so sums are exact.
    fn case(words: &[(Vec<u32>, Count)], scores: &[i32], nodes_per_chunk: u32) -> Case {
        let words = Words::new(words.iter().map(|(word, count)| (&word[..], *count))).unwrap();
        let sorted = sort_suffixes(&words.cells, NUM_UNITS, 5, &NoControl).unwrap();
        let word_of: Vec<u32> = (0..words.len())
            .flat_map(|at| vec![at as u32; words.word(at).len() + 1])
            .collect();
        let seeds = seeds(
            &words,
            &sorted,
            &word_of,
            5,
            999,
            |_, _| std::cmp::Ordering::Equal,
            &NoControl,
        )
        .unwrap();
        let forest = Forest::new(
            &words,
            &seeds,
            NUM_UNITS,
            &sorted,
            word_of,
            nodes_per_chunk,
            &NoControl,
        )
        .unwrap();
        let spelled = |seed: &Seed| {
            let at = sorted[seed.first as usize] as usize;
            words.cells[at..at + seed.len as usize]
                .iter()
                .map(|cell| cell - 1)
                .collect()
        };
        let units = (0..NUM_UNITS).map(|unit| vec![unit]);
        let pieces: Vec<Vec<u32>> = units.chain(seeds.iter().map(spelled)).collect();
        let score = (0..pieces.len())
            .map(|piece| f64::from(scores[piece % scores.len()]) / 8.0)
            .collect();
        Case {
            words,
            forest,
            pieces,
            score,
        }
    }

    fn lattice(
        units: &[u32],
        pieces: &[Vec<u32>],
        score: &[f64],
        without: Option<usize>,
    ) -> Lattice {
        let mut lattice = Lattice::new();
        for end in 1..=units.len() {
            lattice.push_unit();
            for start in 0..end {
                let found = pieces.iter().position(|piece| *piece == units[start..end]);
                if let Some(piece) = found.filter(|&piece| Some(piece) != without) {
                    lattice.push_arc(Arc {
                        start: start as u32,
                        id: piece as u32,
                        score: score[piece],
                    });
                }
            }
        }
        lattice
    }

    impl Case {
        fn units(&self, word: usize) -> Vec<u32> {
            self.words.word(word).iter().map(|cell| cell - 1).collect()
        }
    }

    fn words() -> impl Strategy<Value = Vec<(Vec<u32>, Count)>> {
        prop::collection::vec(
            (prop::collection::vec(0..NUM_UNITS, 1..14), 1..50_u64),
            1..12,
        )
    }

    fn threads(number: usize) -> NonZeroUsize {
        NonZeroUsize::new(number).unwrap()
    }

    proptest! {
        #[test]
        fn uses_are_those_of_the_lattices_of_all_words(
            words in words(),
            scores in prop::collection::vec(-200..0_i32, 1..60),
            nodes_per_chunk in 1..40_u32,
            num_threads in 1..4_usize,
        ) {
            let case = case(&words, &scores, nodes_per_chunk);
            let mut expected = vec![0.0; case.pieces.len()];
            let mut best = vec![0; case.pieces.len()];
            for word in 0..case.words.len() {
                let count = case.words.counts[word];
                let lattice = lattice(&case.units(word), &case.pieces, &case.score, None);
                let places = 1..=lattice.num_units();
                let arcs = places.flat_map(|place| lattice.ending(place));
                for (arc, posterior) in arcs.zip(lattice.posteriors(1.0)) {
                    expected[arc.id as usize] += posterior * count as f64;
                }
                for piece in lattice.viterbi().unwrap().ids {
                    best[piece as usize] += count;
                }
            }
            let probability: Vec<f64> = case.score.iter().map(|score| score.exp()).collect();
            let go_on = || Ok(());
            let found =
                case.forest.expected_uses(&probability, threads(num_threads), &go_on).unwrap();
            for (found, expected) in found.iter().zip(&expected) {
                prop_assert!((found - expected).abs() <= 1e-9 * expected.max(1.0));
            }
            let on_one = case.forest.expected_uses(&probability, threads(1), &go_on).unwrap();
            prop_assert_eq!(found, on_one);
            let found = case.forest.best_uses(&case.score, threads(num_threads), &go_on).unwrap();
            prop_assert_eq!(found, best);
        }

        #[test]
        fn the_best_segmentation_without_a_piece_is_that_of_its_lattice(
            words in words(),
            scores in prop::collection::vec(-200..0_i32, 1..60),
        ) {
            let case = case(&words, &scores, NODES_PER_CHUNK);
            let mut buffers = Alternative::default();
            for piece in NUM_UNITS as usize..case.pieces.len() {
                let units = &case.pieces[piece];
                let seed = piece - NUM_UNITS as usize;
                let score = case.forest.best_without(seed, units.len(), &case.score, &mut buffers);
                // Beside it, units at most are missing from the seeds.
                let lattice = lattice(units, &case.pieces, &case.score, Some(piece));
                let best = lattice.viterbi().unwrap();
                buffers.pieces.reverse();
                prop_assert_eq!((&buffers.pieces, score), (&best.ids, best.score));
            }
        }

        #[test]
        fn dead_pieces_are_used_no_more(words in words(), dead in prop::collection::vec(any::<bool>(), 99)) {
            let mut case = case(&words, &[-8], 9);
            let is_alive = |piece: Piece| piece < NUM_UNITS || !dead[piece as usize % 99];
            case.forest.retain(is_alive);
            let probability = vec![0.2; case.pieces.len()];
            let uses = case.forest.expected_uses(&probability, threads(1), &|| Ok(())).unwrap();
            for (piece, uses) in (0..).zip(uses) {
                prop_assert_eq!(uses > 0.0, is_alive(piece) && (piece >= NUM_UNITS || uses > 0.0));
            }
        }
    }

    #[test]
    fn nothing_underflows_in_a_word_of_a_million_units() {
        let word = vec![0; 1_000_000];
        let case = case(&[(word, 5_000_000_000_000)], &[-400, -800], NODES_PER_CHUNK);
        let probability: Vec<f64> = case.score.iter().map(|score| score.exp()).collect();
        let uses = case
            .forest
            .expected_uses(&probability, threads(2), &|| Ok(()))
            .unwrap();
        let units: f64 = uses
            .iter()
            .zip(&case.pieces)
            .map(|(n, piece)| n * piece.len() as f64)
            .sum();
        assert!((units / 5e18 - 1.0).abs() < 1e-9, "{units}");
    }
}
