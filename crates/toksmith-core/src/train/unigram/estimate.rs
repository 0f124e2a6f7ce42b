//! The rounds of estimating and pruning, and the last choice.

use std::cmp::Ordering;
use std::num::NonZeroUsize;

use crate::control::Control;
use crate::error::{Error, Result};
use crate::model::rounded_score;
use crate::types::{Count, Marks};
use crate::vocab::Vocab;

use super::forest::{Alternative, Forest, NODES_PER_CHUNK, Piece};
use super::seeds::{Seed, seeds};
use super::suffix_array::sort_suffixes;
use super::words::Words;

/// Pieces expected less often than this are dropped.
const MIN_EXPECTED_USES: f64 = 0.5;
/// Pruning stops at this multiple of the wanted number of pieces.
const SPARE: f64 = 1.1;
/// What a unit that is no piece scores below the least piece.
const UNKNOWN_PENALTY: f64 = 10.0;
/// Between the scores of two units that were dropped.
const SCORE_STEP: f64 = 0.0001;
/// The control is asked after this many pieces.
const PIECES_PER_CONTROL: usize = 1 << 12;

/// A piece of two units or more and its score.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ScoredPiece {
    /// What it spells.
    pub bytes: Vec<u8>,
    /// Lead of its first unit, trail of its last.
    pub marks: Marks,
    /// Its log probability.
    pub score: f64,
}

/// Pieces of a trained model.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Estimate {
    /// Score of each unit, by id.
    pub unit_scores: Vec<f64>,
    /// Pieces of two units or more, best first.
    pub pieces: Vec<ScoredPiece>,
}

/// The rules' numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan<'u> {
    /// The units; all are in the vocabulary.
    pub units: &'u Vocab,
    /// Pieces wanted, units counted in.
    pub num_pieces: usize,
    /// Most seeds to start with.
    pub seed_size: usize,
    /// Share of the pieces that one pruning keeps.
    pub shrinking_factor: f64,
    /// Estimations between two prunings.
    pub num_sub_iterations: u64,
    /// Longest piece in units.
    pub max_len: u8,
}

impl Plan<'_> {
    /// Bytes before marks: the order of two pieces that tie, given as cells.
    fn compare(&self, a: &[u32], b: &[u32]) -> Ordering {
        let marks = |cells: &[u32]| {
            let marks = self.marks(cells);
            (marks.lead(), marks.trail())
        };
        let bytes = |cells: &[u32]| self.bytes(cells).collect::<Vec<u8>>();
        bytes(a)
            .cmp(&bytes(b))
            .then_with(|| marks(a).cmp(&marks(b)))
    }

    fn bytes(&self, cells: &[u32]) -> impl Iterator<Item = u8> {
        let units = cells.iter().filter_map(|cell| self.units.get(cell - 1));
        units.flat_map(|unit| unit.bytes.iter().copied())
    }

    fn marks(&self, cells: &[u32]) -> Marks {
        let marks = |cell: Option<&u32>| {
            let unit = cell.and_then(|cell| self.units.get(cell - 1));
            unit.map_or(Marks::NONE, |unit| unit.marks)
        };
        Marks::new(marks(cells.first()).lead(), marks(cells.last()).trail())
    }
}

/// Trains on words.
///
/// # Errors
/// [`Error::EmptyCorpus`], [`Error::TooLarge`] and [`Error::Interrupted`].
pub(super) fn estimate(plan: &Plan<'_>, words: Words, control: &dyn Control) -> Result<Estimate> {
    if words.len() == 0 {
        return Err(Error::EmptyCorpus);
    }
    State::new(plan, words, control)?.run(control)
}

struct State<'p> {
    plan: &'p Plan<'p>,
    num_units: usize,
    /// All words, to spell pieces from.
    cells: Vec<u32>,
    forest: Forest,
    /// A cell at which each seed starts.
    cell_of_seed: Vec<u32>,
    /// Place of each seed when the heaviest comes first.
    rank_of_seed: Vec<u32>,
    /// Sum of the counts of all words.
    num_words: f64,
    num_threads: NonZeroUsize,
    /// Units that occur in the words.
    occurs: Vec<bool>,
    // By piece: units first, then seeds.
    len: Vec<u8>,
    alive: Vec<bool>,
    score: Vec<f64>,
    probability: Vec<f64>,
    num_alive: usize,
}

impl<'p> State<'p> {
    fn new(plan: &'p Plan<'p>, words: Words, control: &dyn Control) -> Result<Self> {
        let depth = usize::from(plan.max_len);
        let num_units = plan.units.len();
        let sorted = sort_suffixes(&words.cells, num_units as u32, depth, control)?;
        let mut by_cell = Vec::with_capacity(words.cells.len());
        for (word, &end) in (0..).zip(&words.starts[1..]) {
            by_cell.resize(end as usize, word);
        }
        let spelled = |seed: &Seed| {
            let start = sorted[seed.first as usize] as usize;
            &words.cells[start..start + seed.len as usize]
        };
        let compare = |a: &Seed, b: &Seed| {
            let by_weight = b.weight().cmp(&a.weight());
            by_weight.then_with(|| plan.compare(spelled(a), spelled(b)))
        };
        let max_seeds = u32::MAX as usize - num_units - 1;
        let seeds = seeds(
            &words,
            &sorted,
            &by_cell,
            u32::from(plan.max_len),
            plan.seed_size.min(max_seeds),
            compare,
            control,
        )?;
        let mut by_rank: Vec<u32> = (0..seeds.len() as u32).collect();
        by_rank.sort_unstable_by(|&a, &b| compare(&seeds[a as usize], &seeds[b as usize]));
        let mut rank_of_seed = vec![0; seeds.len()];
        for (rank, &seed) in (0..).zip(&by_rank) {
            rank_of_seed[seed as usize] = rank;
        }
        let forest = Forest::new(
            &words,
            &seeds,
            num_units as u32,
            &sorted,
            by_cell,
            NODES_PER_CHUNK,
            control,
        )?;
        let mut unit_counts = vec![0; num_units];
        forest.count_units(&mut unit_counts);
        let occurs: Vec<bool> = unit_counts.iter().map(|&count| count > 0).collect();
        let weights: Vec<u128> = unit_counts
            .iter()
            .map(|&count| u128::from(count))
            .chain(seeds.iter().map(Seed::weight))
            .collect();
        let log_total = libm::log(weights.iter().sum::<u128>() as f64);
        let score: Vec<f64> = weights
            .iter()
            .map(|&weight| libm::log(weight as f64) - log_total)
            .collect();
        let alive: Vec<bool> = weights.iter().map(|&weight| weight > 0).collect();
        let lens = seeds.iter().map(|seed| seed.len as u8);
        Ok(Self {
            plan,
            num_units,
            forest,
            cell_of_seed: seeds
                .iter()
                .map(|seed| sorted[seed.first as usize])
                .collect(),
            rank_of_seed,
            num_words: words.counts.iter().map(|&count| count as f64).sum(),
            num_threads: control.num_threads(),
            cells: words.cells,
            occurs,
            len: vec![1; num_units].into_iter().chain(lens).collect(),
            probability: score.iter().map(|&score| libm::exp(score)).collect(),
            score,
            num_alive: alive.iter().filter(|&&alive| alive).count(),
            alive,
        })
    }

    fn run(mut self, control: &dyn Control) -> Result<Estimate> {
        let num_idle = self.occurs.iter().filter(|&&occurs| !occurs).count();
        let wanted = self.plan.num_pieces.saturating_sub(num_idle);
        let enough = (SPARE * wanted as f64) as usize;
        let num_first = self.num_alive;
        loop {
            let to_drop = num_first.saturating_sub(enough) as u64;
            let dropped = (num_first - self.num_alive) as u64;
            let go_on = || control.check(dropped.min(to_drop), to_drop);
            for _ in 0..self.plan.num_sub_iterations {
                let uses =
                    self.forest
                        .expected_uses(&self.probability, self.num_threads, &go_on)?;
                self.maximize(&uses);
            }
            let before = self.num_alive;
            if self.num_alive > enough {
                self.prune(enough, &go_on)?;
            }
            // Pieces that nothing can take the place of may be too many.
            if self.num_alive == before {
                return Ok(self.finish());
            }
        }
    }

    /// New scores from expected uses; pieces that are hardly used are dropped.
    fn maximize(&mut self, uses: &[f64]) {
        for (alive, &uses) in self.alive.iter_mut().zip(uses) {
            *alive &= uses >= MIN_EXPECTED_USES;
        }
        let used = || self.alive.iter().zip(uses).filter(|&(&alive, _)| alive);
        let sum: f64 = used().map(|(_, uses)| uses).sum();
        let log_sum = digamma(sum.max(MIN_EXPECTED_USES));
        self.num_alive = used().count();
        let mut least = 0.0_f64;
        for (piece, &uses) in uses.iter().enumerate() {
            if self.alive[piece] {
                self.score[piece] = digamma(uses) - log_sum;
                self.probability[piece] = libm::exp(self.score[piece]);
                least = least.min(self.score[piece]);
            }
        }
        self.drop_dead(least);
    }

    /// Makes dead units unknown, for the least score there is, and takes the arcs of other dead
    /// pieces away.
    fn drop_dead(&mut self, least: f64) {
        let unknown = least - UNKNOWN_PENALTY;
        for unit in 0..self.num_units {
            if !self.alive[unit] {
                self.score[unit] = unknown;
                self.probability[unit] = libm::exp(unknown);
            }
        }
        let alive = &self.alive;
        self.forest.retain(|piece| alive[piece as usize]);
    }

    fn least_score(&self) -> f64 {
        let scores = self.score.iter().zip(&self.alive);
        scores
            .filter(|&(_, &alive)| alive)
            .map(|(&score, _)| score)
            .fold(0.0, f64::min)
    }

    /// Takes away the pieces that are missed least.
    fn prune(&mut self, enough: usize, go_on: &dyn Fn() -> Result<()>) -> Result<()> {
        let uses = self
            .forest
            .best_uses(&self.score, self.num_threads, go_on)?;
        let total: f64 = uses.iter().map(|&uses| uses as f64).sum();
        let mut losses: Vec<(f64, u32)> = Vec::new();
        let mut others = Alternative::default();
        for piece in self.num_units..self.len.len() {
            if piece % PIECES_PER_CONTROL == 0 {
                go_on()?;
            }
            if !self.alive[piece] {
                continue;
            }
            let seed = piece - self.num_units;
            let len = usize::from(self.len[piece]);
            let score = self
                .forest
                .best_without(seed, len, &self.score, &mut others);
            if score > self.score[piece] {
                self.alive[piece] = false;
            } else if others.pieces.iter().all(|&p| self.alive[p as usize]) {
                self.alive[piece] = false;
                if uses[piece] > 0 {
                    losses.push((self.loss(piece, &others.pieces, &uses, total), seed as u32));
                }
            }
        }
        losses.sort_unstable_by(|&(a_loss, a), &(b_loss, b)| {
            let rank = |seed: u32| self.rank_of_seed[seed as usize];
            b_loss
                .total_cmp(&a_loss)
                .then_with(|| rank(a).cmp(&rank(b)))
        });
        let most = ((self.plan.shrinking_factor * self.num_alive as f64) as usize).max(enough);
        let num_needed = self.alive.iter().filter(|&&alive| alive).count();
        losses.truncate(most.saturating_sub(num_needed));
        for &(_, seed) in &losses {
            self.alive[self.num_units + seed as usize] = true;
        }
        self.num_alive = num_needed + losses.len();
        self.drop_dead(self.least_score());
        Ok(())
    }

    /// What the text loses, per word, when other pieces take the place of one.
    fn loss(&self, piece: usize, others: &[Piece], uses: &[Count], total: f64) -> f64 {
        let own = uses[piece] as f64;
        let log_total = libm::log(total + own * (others.len() as f64 - 1.0));
        let log_others: f64 = others
            .iter()
            .map(|&other| libm::log(uses[other as usize] as f64 + own) - log_total)
            .sum();
        own / self.num_words * (libm::log(own) - libm::log(total) - log_others)
    }

    /// The cells of a seed: its units plus one.
    fn cells_of(&self, piece: usize) -> &[u32] {
        let start = self.cell_of_seed[piece - self.num_units] as usize;
        &self.cells[start..start + usize::from(self.len[piece])]
    }

    fn finish(self) -> Estimate {
        let mut best: Vec<usize> = (self.num_units..self.len.len())
            .filter(|&piece| self.alive[piece])
            .collect();
        best.sort_unstable_by(|&a, &b| {
            let by_score = rounded_score(self.score[b]).total_cmp(&rounded_score(self.score[a]));
            by_score.then_with(|| self.plan.compare(self.cells_of(a), self.cells_of(b)))
        });
        best.truncate(self.plan.num_pieces.saturating_sub(self.num_units));
        let least = self.least_score();
        let mut put_back = least;
        let unit_scores = (0..self.num_units)
            .map(|unit| {
                if self.alive[unit] {
                    return self.score[unit];
                }
                if !self.occurs[unit] {
                    return least - UNKNOWN_PENALTY;
                }
                let score = put_back;
                put_back += SCORE_STEP;
                score
            })
            .collect();
        let pieces = best.into_iter().map(|piece| ScoredPiece {
            bytes: self.plan.bytes(self.cells_of(piece)).collect(),
            marks: self.plan.marks(self.cells_of(piece)),
            score: self.score[piece],
        });
        Estimate {
            unit_scores,
            pieces: pieces.collect(),
        }
    }
}

/// The logarithmic derivative of the gamma function, for positive numbers, to about 1e-14.
fn digamma(mut x: f64) -> f64 {
    // digamma(x) = digamma(x + 1) - 1/x, to where the series converges fast.
    let mut below = 0.0;
    while x < 10.0 {
        below += 1.0 / x;
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    // Bernoulli numbers B(2k) / 2k.
    let series =
        y * (1.0 / 12.0 - y * (1.0 / 120.0 - y * (1.0 / 252.0 - y * (1.0 / 240.0 - y / 132.0))));
    libm::log(x) - 0.5 / x - series - below
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digamma_is_that_of_the_tables() {
        // Abramowitz and Stegun, table 6.1, and the Euler–Mascheroni constant.
        for (x, value) in [
            (0.5, -1.963_510_026_021_423_5),
            (1.0, -0.577_215_664_901_532_9),
            (1.5, 0.036_489_973_978_576_52),
            (10.0, 2.251_752_589_066_721),
            (1e15, 34.538_776_394_910_684),
        ] {
            assert!((digamma(x) - value).abs() < 1e-13, "{x}: {}", digamma(x));
        }
    }
}
