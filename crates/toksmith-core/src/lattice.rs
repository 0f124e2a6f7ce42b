//! All ways to cut one sequence of units into tokens with scores: the best, the n best, and random ones.
//!
//! A place is a number of units read; an arc is a token that leads from one place to a later one, and its
//! score is a log probability. A path from the first place to the last is a segmentation, and
//! its score is the sum of its arcs. Nothing here is recursive, and everything but the two lists of
//! several paths is linear in the number of arcs.
//!
//! **Ties.** Of equally good paths the one whose last token is longest comes first, and so on to the
//! left. Scores of a model are multiples of 2⁻³⁰ and add up exactly, so a tie is a tie, in
//! whatever order a sum is taken. Logarithms and exponentials are those of `libm`, which
//! are the same on every machine.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

use crate::random::Random;
use crate::types::TokenId;

/// A token between two places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arc {
    /// The place it leaves.
    pub start: u32,
    /// The token.
    pub id: TokenId,
    /// Its log probability; finite.
    pub score: f64,
}

/// One segmentation.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Tokens in text order.
    pub ids: Vec<TokenId>,
    /// What the function that gave it says: a score or a log probability.
    pub score: f64,
}

/// Arcs over one sequence of units.
#[derive(Clone, Debug)]
pub struct Lattice {
    arcs: Vec<Arc>,
    /// For each place the first of the arcs that end there, and the number of arcs at last.
    first_arc: Vec<usize>,
}

/// No arc.
const NONE: usize = usize::MAX;

impl Default for Lattice {
    fn default() -> Self {
        Self::new()
    }
}

impl Lattice {
    /// A lattice over no units, which has one path: the empty one.
    #[must_use]
    pub fn new() -> Self {
        Self {
            arcs: Vec::new(),
            first_arc: vec![0, 0],
        }
    }

    /// Forgets all units and arcs.
    pub fn clear(&mut self) {
        self.arcs.clear();
        self.first_arc.clear();
        self.first_arc.extend([0, 0]);
    }

    /// Forgets all units, and their arcs, after the first `num_units`.
    pub fn truncate(&mut self, num_units: usize) {
        self.first_arc.truncate(num_units + 2);
        self.arcs
            .truncate(self.first_arc.last().copied().unwrap_or(0));
    }

    /// Appends a unit. The arcs that end behind it come next, before another unit.
    pub fn push_unit(&mut self) {
        self.first_arc.push(self.arcs.len());
    }

    /// Adds an arc that starts at a place and ends behind the last unit. Of several the longest comes
    /// first; the rule for ties rests on it.
    pub fn push_arc(&mut self, arc: Arc) {
        debug_assert!(
            (arc.start as usize) < self.num_units(),
            "an arc of no units"
        );
        self.arcs.push(arc);
        if let Some(end) = self.first_arc.last_mut() {
            *end = self.arcs.len();
        }
    }

    /// Number of units.
    #[must_use]
    pub fn num_units(&self) -> usize {
        self.first_arc.len() - 2
    }

    /// The arcs that end at a place, longest first.
    #[must_use]
    pub fn ending(&self, place: usize) -> &[Arc] {
        &self.arcs[self.first_arc[place]..self.first_arc[place + 1]]
    }

    /// For each place the score of the best way to it, minus infinity where there is none, and the last arc
    /// of that way.
    fn best(&self) -> (Vec<f64>, Vec<usize>) {
        let num_places = self.num_units() + 1;
        let mut best = vec![f64::NEG_INFINITY; num_places];
        let mut last = vec![NONE; num_places];
        best[0] = 0.0;
        for place in 1..num_places {
            for (at, arc) in (self.first_arc[place]..).zip(self.ending(place)) {
                let score = best[arc.start as usize] + arc.score;
                // Longest first, so an equal score later on does not replace it.
                if score > best[place] {
                    best[place] = score;
                    last[place] = at;
                }
            }
        }
        (best, last)
    }

    /// The best path with the sum of its scores; `None` when no path reaches the end (Viterbi 1967).
    #[must_use]
    pub fn viterbi(&self) -> Option<Path> {
        let (best, last) = self.best();
        let mut place = self.num_units();
        let score = best[place];
        if score == f64::NEG_INFINITY {
            return None;
        }
        let mut ids = Vec::new();
        while place > 0 {
            let arc = self.arcs[last[place]];
            ids.push(arc.id);
            place = arc.start as usize;
        }
        ids.reverse();
        Some(Path { ids, score })
    }

    /// The `n` best paths, best first, each with the sum of its scores; fewer where there are no more. Ties
    /// as everywhere here.
    ///
    /// A* from the end, with the score of the best way to a place as the estimate of what is left. The
    /// estimate is exact, so only ends of results are looked at: O(n·units·arcs at a place), times the
    /// logarithm of that for ties.
    #[must_use]
    pub fn n_best(&self, n: usize) -> Vec<Path> {
        let (best, _) = self.best();
        let end = self.num_units();
        let mut links = Links::new(end);
        let mut paths = Vec::new();
        // Partial paths by the score of the best path that ends so.
        let mut waiting: BTreeMap<Score, Vec<(usize, f64)>> = BTreeMap::new();
        if best[end] > f64::NEG_INFINITY {
            waiting.insert(Score(best[end]), vec![(Links::ROOT, 0.0)]);
        }
        while paths.len() < n {
            let Some((priority, mut equal)) = waiting.pop_last() else {
                break;
            };
            // Parts of better ones are all here by now. From then on it is a stack: what the first one
            // leads to comes before the second.
            equal.sort_unstable_by(|&(a, _), &(b, _)| links.compare(b, a));
            while let Some((link, score)) = equal.pop() {
                if paths.len() >= n {
                    break;
                }
                let place = links.place(link);
                if place == 0 {
                    paths.push(links.path(link, score));
                    continue;
                }
                // Shortest first, so that the longest is on top.
                for arc in self.ending(place).iter().rev() {
                    let before = best[arc.start as usize];
                    if before > f64::NEG_INFINITY {
                        let score = score + arc.score;
                        let next = (links.push(arc.id, arc.start as usize, link), score);
                        if before + score == priority.0 {
                            equal.push(next);
                        } else {
                            waiting.entry(Score(before + score)).or_default().push(next);
                        }
                    }
                }
            }
        }
        paths
    }

    /// For each place the logarithm of the sum, over all ways to it, of exp(`inverse_temperature` · score).
    #[must_use]
    pub fn forward(&self, inverse_temperature: f64) -> Vec<f64> {
        let mut sums = vec![f64::NEG_INFINITY; self.num_units() + 1];
        sums[0] = 0.0;
        for place in 1..sums.len() {
            sums[place] = log_sum_exp(
                self.ending(place)
                    .iter()
                    .map(|arc| sums[arc.start as usize] + inverse_temperature * arc.score),
            );
        }
        sums
    }

    /// The same of all ways from each place to the end.
    #[must_use]
    pub fn backward(&self, inverse_temperature: f64) -> Vec<f64> {
        let mut sums = vec![f64::NEG_INFINITY; self.num_units() + 1];
        let end = self.num_units();
        sums[end] = 0.0;
        for place in (1..=end).rev() {
            for arc in self.ending(place) {
                let term = sums[place] + inverse_temperature * arc.score;
                let sum = &mut sums[arc.start as usize];
                *sum = log_sum_exp([*sum, term].into_iter());
            }
        }
        sums
    }

    /// For each arc, by the place where it ends, the probability that a random path takes it. Empty
    /// when no path reaches the end.
    #[must_use]
    pub fn posteriors(&self, inverse_temperature: f64) -> Vec<f64> {
        let forward = self.forward(inverse_temperature);
        let backward = self.backward(inverse_temperature);
        let total = forward[self.num_units()];
        if total == f64::NEG_INFINITY {
            return Vec::new();
        }
        (1..forward.len())
            .flat_map(|place| self.ending(place).iter().map(move |arc| (place, arc)))
            .map(|(place, arc)| {
                let through = forward[arc.start as usize] + inverse_temperature * arc.score;
                libm::exp(through + backward[place] - total)
            })
            .collect()
    }

    /// A random path, with probability proportional to exp(`inverse_temperature` · score), and the
    /// logarithm of that probability; `None` when no path reaches the end.
    ///
    /// Forward filtering, backward sampling (Kudo 2018, section 3.3): one draw for each token.
    #[must_use]
    pub fn sample(&self, inverse_temperature: f64, random: &mut Random) -> Option<Path> {
        let forward = self.forward(inverse_temperature);
        let mut place = self.num_units();
        if forward[place] == f64::NEG_INFINITY {
            return None;
        }
        let mut path = Path {
            ids: Vec::new(),
            score: -forward[place],
        };
        while place > 0 {
            let draw = random.next_unit();
            let mut share = 0.0;
            let mut taken = None;
            for arc in self.ending(place) {
                let log_weight = forward[arc.start as usize] + inverse_temperature * arc.score;
                let weight = libm::exp(log_weight - forward[place]);
                if weight > 0.0 {
                    // The last possible one is taken where rounding leaves the shares short of 1.
                    taken = Some(arc);
                    share += weight;
                    if draw < share {
                        break;
                    }
                }
            }
            // A place with a finite sum has an arc with a weight.
            let arc = taken?;
            path.ids.push(arc.id);
            path.score += inverse_temperature * arc.score;
            place = arc.start as usize;
        }
        path.ids.reverse();
        Some(path)
    }

    /// `k` different random paths, drawn one after another without putting back, each with the logarithm
    /// of its probability among all paths; fewer where there are no more.
    ///
    /// Gumbel top-k over paths that grow from the end (Kool, van Hoof and Welling 2019): each partial
    /// path carries the largest Gumbel number of its completions, so the best first search meets whole paths
    /// in the order in which they are drawn. O(k·units·arcs at a place).
    #[must_use]
    pub fn sample_distinct(
        &self,
        k: usize,
        inverse_temperature: f64,
        random: &mut Random,
    ) -> Vec<Path> {
        let forward = self.forward(inverse_temperature);
        let end = self.num_units();
        let mut links = Links::new(end);
        let mut paths = Vec::new();
        let mut heap = BinaryHeap::new();
        let total = forward[end];
        if total > f64::NEG_INFINITY {
            heap.push(Partial {
                priority: Score(random.next_gumbel()),
                link: Links::ROOT,
                score: Score(-total),
            });
        }
        let mut drawn = Vec::new();
        while paths.len() < k {
            let Some(partial) = heap.pop() else { break };
            let place = links.place(partial.link);
            if place == 0 {
                paths.push(links.path(partial.link, partial.score.0));
                continue;
            }
            drawn.clear();
            let mut largest = f64::NEG_INFINITY;
            for arc in self.ending(place) {
                let before = forward[arc.start as usize];
                if before > f64::NEG_INFINITY {
                    let score = partial.score.0 + inverse_temperature * arc.score;
                    let gumbel = before + score + random.next_gumbel();
                    largest = largest.max(gumbel);
                    drawn.push((arc, score, gumbel));
                }
            }
            for &(arc, score, gumbel) in &drawn {
                heap.push(Partial {
                    priority: Score(with_largest(gumbel, largest, partial.priority.0)),
                    link: links.push(arc.id, arc.start as usize, partial.link),
                    score: Score(score),
                });
            }
        }
        paths
    }
}

/// A Gumbel number, moved so that the largest of its set, now `largest`, becomes `wanted`.
fn with_largest(gumbel: f64, largest: f64, wanted: f64) -> f64 {
    let below = gumbel - largest;
    // log(1 - exp(below)), by the form that is exact there.
    let log_rest = if below > -std::f64::consts::LN_2 {
        libm::log(-libm::expm1(below))
    } else {
        libm::log1p(-libm::exp(below))
    };
    let shift = wanted - gumbel + log_rest;
    wanted - shift.max(0.0) - libm::log1p(libm::exp(-shift.abs()))
}

/// The logarithm of a sum of exponentials; minus infinity of nothing.
fn log_sum_exp(terms: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = terms.clone().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    largest + libm::log(terms.map(|term| libm::exp(term - largest)).sum())
}

/// A path from some place to the end, on its way to the first place; the order is that of the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Partial {
    priority: Score,
    link: usize,
    score: Score,
}

/// A number in its total order.
#[derive(Clone, Copy, Debug)]
struct Score(f64);

impl Ord for Score {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Score {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Score {}

/// Partial paths share their ends: each is one token and a link to the rest. Links carry jump pointers of
/// skew-binary length (Myers 1983), so that two paths are compared in log steps.
struct Links(Vec<Link>);

#[derive(Clone, Copy)]
struct Link {
    id: TokenId,
    /// Where the token starts.
    place: usize,
    rest: usize,
    jump: usize,
    depth: usize,
}

impl Links {
    /// The empty path at the end.
    const ROOT: usize = 0;

    fn new(end: usize) -> Self {
        Self(vec![Link {
            id: 0,
            place: end,
            rest: Self::ROOT,
            jump: Self::ROOT,
            depth: 0,
        }])
    }

    fn push(&mut self, id: TokenId, place: usize, rest: usize) -> usize {
        let below = self.0[rest];
        let jumped = self.0[below.jump];
        let second = self.0[jumped.jump];
        let jump = if below.depth - jumped.depth == jumped.depth - second.depth {
            jumped.jump
        } else {
            rest
        };
        self.0.push(Link {
            id,
            place,
            rest,
            jump,
            depth: below.depth + 1,
        });
        self.0.len() - 1
    }

    fn place(&self, link: usize) -> usize {
        self.0[link].place
    }

    /// Which of two paths comes first: that whose last token is longer, then that before it.
    fn compare(&self, a: usize, b: usize) -> Ordering {
        let link = |at: usize| self.0[at];
        let raise = |mut at: usize, depth: usize| {
            while link(at).depth > depth {
                let jump = link(at).jump;
                at = if link(jump).depth >= depth {
                    jump
                } else {
                    link(at).rest
                };
            }
            at
        };
        let depth = link(a).depth.min(link(b).depth);
        let (mut a, mut b) = (raise(a, depth), raise(b, depth));
        while a != b && link(a).rest != link(b).rest {
            // Of equal depth, so they jump equally far.
            (a, b) = if link(a).jump == link(b).jump {
                (link(a).rest, link(b).rest)
            } else {
                (link(a).jump, link(b).jump)
            };
        }
        link(a).place.cmp(&link(b).place)
    }

    fn path(&self, mut link: usize, score: f64) -> Path {
        let mut ids = Vec::with_capacity(self.0[link].depth);
        while link != Self::ROOT {
            ids.push(self.0[link].id);
            link = self.0[link].rest;
        }
        Path { ids, score }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The lattice of a word under pieces; a piece's id is its place in the list.
    fn lattice(word: &str, pieces: &[(String, f64)]) -> Lattice {
        let mut lattice = Lattice::new();
        for end in 1..=word.len() {
            lattice.push_unit();
            for start in 0..end {
                let span = &word[start..end];
                if let Some(id) = pieces.iter().position(|(piece, _)| piece == span) {
                    lattice.push_arc(Arc {
                        start: start as u32,
                        id: id as TokenId,
                        score: pieces[id].1,
                    });
                }
            }
        }
        lattice
    }

    /// Every segmentation with its score, best first, ties as the module says.
    fn by_enumeration(word: &str, pieces: &[(String, f64)]) -> Vec<Path> {
        fn extend(
            word: &str,
            pieces: &[(String, f64)],
            tail: &mut Vec<usize>,
            all: &mut Vec<Path>,
        ) {
            if word.is_empty() {
                all.push(Path {
                    ids: tail.iter().rev().map(|&id| id as TokenId).collect(),
                    score: tail.iter().map(|&id| pieces[id].1).sum(),
                });
            }
            // Longest last token first, so a stable sort keeps ties in order.
            for start in 0..word.len() {
                if let Some(id) = pieces.iter().position(|(piece, _)| *piece == word[start..]) {
                    tail.push(id);
                    extend(&word[..start], pieces, tail, all);
                    tail.pop();
                }
            }
        }
        let mut all = Vec::new();
        extend(word, pieces, &mut Vec::new(), &mut all);
        all.sort_by(|a, b| b.score.total_cmp(&a.score));
        all
    }

    fn distinct(pieces: Vec<(String, i32)>) -> Vec<(String, f64)> {
        let mut kept: Vec<(String, f64)> = Vec::new();
        for (piece, score) in pieces {
            if kept.iter().all(|(known, _)| *known != piece) {
                // Eighths add up exactly, and often tie.
                kept.push((piece, f64::from(score) / 8.0));
            }
        }
        kept
    }

    proptest! {
        #[test]
        fn the_n_best_are_those_of_all_segmentations(
            word in "[ab]{0,9}",
            pieces in prop::collection::vec(("[ab]{1,4}", -40..0_i32), 1..12),
            n in 0_usize..40,
        ) {
            let pieces = distinct(pieces);
            let lattice = lattice(&word, &pieces);
            let all = by_enumeration(&word, &pieces);
            prop_assert_eq!(lattice.viterbi(), all.first().cloned());
            prop_assert_eq!(lattice.n_best(n), all[..n.min(all.len())].to_vec());
        }

        #[test]
        fn sums_and_posteriors_are_those_of_all_segmentations(
            word in "[ab]{1,9}",
            pieces in prop::collection::vec(("[ab]{1,4}", -40..0_i32), 1..12),
            inverse_temperature in 0.0..2.0_f64,
        ) {
            let pieces = distinct(pieces);
            let lattice = lattice(&word, &pieces);
            let all = by_enumeration(&word, &pieces);
            let weight = |path: &Path| (inverse_temperature * path.score).exp();
            let total: f64 = all.iter().map(weight).sum();
            let forward = lattice.forward(inverse_temperature)[word.len()];
            let backward = lattice.backward(inverse_temperature)[0];
            let posteriors = lattice.posteriors(inverse_temperature);
            if all.is_empty() {
                prop_assert_eq!((forward, backward), (f64::NEG_INFINITY, f64::NEG_INFINITY));
                prop_assert!(posteriors.is_empty());
            } else {
                prop_assert!((forward - total.ln()).abs() < 1e-9);
                prop_assert!((backward - total.ln()).abs() < 1e-9);
                let mut expected = vec![0.0; pieces.len()];
                for path in &all {
                    for &id in &path.ids {
                        expected[id as usize] += weight(path) / total;
                    }
                }
                for (arc, posterior) in lattice.arcs.iter().zip(posteriors) {
                    expected[arc.id as usize] -= posterior;
                }
                prop_assert!(expected.iter().all(|rest| rest.abs() < 1e-9));
            }
        }

        #[test]
        fn distinct_samples_are_distinct_segmentations_and_all_come_in_the_end(
            word in "[ab]{0,8}",
            pieces in prop::collection::vec(("[ab]{1,4}", -40..0_i32), 1..12),
            inverse_temperature in 0.0..2.0_f64,
            seed in any::<u64>(),
        ) {
            let pieces = distinct(pieces);
            let lattice = lattice(&word, &pieces);
            let all = by_enumeration(&word, &pieces);
            let mut drawn =
                lattice.sample_distinct(all.len() + 1, inverse_temperature, &mut Random::new(seed));
            let total: f64 = drawn.iter().map(|path| path.score.exp()).sum();
            prop_assert!(all.is_empty() || (total - 1.0).abs() < 1e-9, "{}", total);
            let mut ids: Vec<_> = all.into_iter().map(|path| path.ids).collect();
            ids.sort();
            drawn.sort_by(|a, b| a.ids.cmp(&b.ids));
            prop_assert_eq!(drawn.into_iter().map(|path| path.ids).collect::<Vec<_>>(), ids);
        }
    }

    fn three_ways() -> (Lattice, Vec<Path>) {
        let pieces = [
            ("a", -1.0),
            ("b", -1.5),
            ("c", -2.0),
            ("ab", -2.0),
            ("bc", -2.5),
        ]
        .map(|(piece, score)| (piece.to_owned(), score));
        (lattice("abc", &pieces), by_enumeration("abc", &pieces))
    }

    #[test]
    fn samples_come_as_often_as_their_probability_says() {
        let (lattice, all) = three_ways();
        for inverse_temperature in [0.0, 0.5, 1.0, 3.0] {
            let weights: Vec<f64> = all
                .iter()
                .map(|path| (inverse_temperature * path.score).exp())
                .collect();
            let total: f64 = weights.iter().sum();
            let mut random = Random::new(5);
            let draws = 40_000;
            let mut seen = vec![(0, 0); all.len()];
            for _ in 0..draws {
                let path = lattice.sample(inverse_temperature, &mut random).unwrap();
                let at = all.iter().position(|one| one.ids == path.ids).unwrap();
                seen[at].0 += 1;
                assert!((path.score.exp() - weights[at] / total).abs() < 1e-12);
                // The first of several distinct ones is a sample too.
                let first = &lattice.sample_distinct(2, inverse_temperature, &mut random)[0];
                seen[all.iter().position(|one| one.ids == first.ids).unwrap()].1 += 1;
            }
            for (weight, (alone, first)) in weights.iter().zip(seen) {
                let wanted = weight / total;
                for share in [alone, first].map(|n: u32| f64::from(n) / f64::from(draws)) {
                    assert!((share - wanted).abs() < 0.01, "{share} for {wanted}");
                }
            }
        }
    }

    #[test]
    fn a_long_tie_takes_no_longer_than_what_does_not_tie() {
        // 2^(n-1) segmentations, all with one score.
        let mut lattice = Lattice::new();
        for end in 1..=20_000_u32 {
            lattice.push_unit();
            if end > 1 {
                lattice.push_arc(Arc {
                    start: end - 2,
                    id: 2,
                    score: -2.0,
                });
            }
            lattice.push_arc(Arc {
                start: end - 1,
                id: 1,
                score: -1.0,
            });
        }
        let paths = lattice.n_best(20);
        assert_eq!(paths[0].ids, vec![2; 10_000]);
        assert!(paths.iter().all(|path| path.score == -20_000.0));
        assert_eq!(
            lattice.sample_distinct(5, 1.0, &mut Random::new(1)).len(),
            5
        );
    }
}
