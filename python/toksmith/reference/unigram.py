"""Train a unigram language model: many pieces first, then fewer and fewer.

Sources: Kudo 2018, section 3.2; the trainer of SentencePiece, whose numbers are taken where the
paper gives none. Choices of ours stand in `train_unigram`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import count as counting
from math import log
from typing import NamedTuple

from toksmith.reference.boundary import Word
from toksmith.reference.lattice import Edge, Lattice, expected_counts, lattice_of
from toksmith.reference.model import Model, join
from toksmith.reference.units import Units
from toksmith.reference.viterbi import best_path, best_paths

#: What a unit that is no piece scores below the lowest piece.
UNKNOWN_PENALTY = 10.0
#: Above the lowest piece, one step more for each unit that has to be put back at the end.
PUT_BACK_STEP = 0.0001
#: Training stops at so many times the pieces that are wanted; the last cut takes the best.
SPARE = 1.1
#: Scores are multiples of this, so that they add up without rounding and ties are ties.
SCORE_STEP = 2.0**-30
#: A piece that is expected less often is dropped.
MIN_EXPECTED_COUNT = 0.5

Runs = Mapping[tuple[Word, ...], int]
Scores = dict[Word, float]


class Round(NamedTuple):
    """One round of training: two EM steps, and what is pruned after them."""

    scores: Scores
    expected: dict[Word, float]
    log_likelihood: float
    losses: dict[Word, float]
    kept: list[Word]


def train_unigram(
    counts: Mapping[Word, int],
    units: Units,
    vocab_size: int,
    *,
    max_token_chars: int = 16,
    seed_size: int = 1_000_000,
    shrinking_factor: float = 0.75,
    num_sub_iterations: int = 2,
) -> Model:
    """Learn pieces with log probabilities from counted words.

    Units that the words have no use for take part neither in training nor in its sizes: `wanted`
    is `vocab_size` without them, and they get the lowest score less `UNKNOWN_PENALTY`. The others
    are pieces from the start and always in the result; one that training dropped gets the lowest
    score plus i * `PUT_BACK_STEP`, the i-th in the order of ids, from 0.

    Args:
        counts: marked word -> how often it stands in the corpus.
        units: what any word is spelled with.
        vocab_size: how many tokens in all, special tokens not counted in.
        max_token_chars: in units.
        seed_size: most pieces to start from, units not counted in.
        shrinking_factor: pruning keeps at least this share of the pieces.
        num_sub_iterations: EM steps before each pruning.
    Returns:
        A model: units, then pieces by falling score; ties: bytes, then no lead, then no trail.
    Raises:
        ValueError: `vocab_size` is below the units.
    Cost: O(rounds * corpus * longest piece).

    >>> from toksmith.reference.units import character_units
    >>> counts = {Word(False, b"abab", False): 9, Word(False, b"b", False): 4}
    >>> units = character_units(counts, "space-prefix", byte_fallback=False)
    >>> model = train_unigram(counts, units, 3)
    >>> model.tokens[2].bytes, [round(score, 2) for score in model.scores]
    (b'abab', [-2.33, -1.32, -0.57])
    """
    size = len(units.tokens)
    if vocab_size < size:
        raise ValueError(f"vocab_size is {vocab_size}, but the units alone need {size}")
    runs = unit_runs(counts, units)
    in_use = {unit for run in runs for unit in run}
    wanted = vocab_size - (size - len(in_use))
    scores: Scores = {}
    for state in rounds(
        runs,
        seeds(runs, max_token_chars, seed_size),
        wanted,
        shrinking_factor=shrinking_factor,
        num_sub_iterations=num_sub_iterations,
    ):
        scores = state.scores
    lowest = min(scores.values(), default=0.0)
    put_back = counting()
    unit_scores = [
        lowest - UNKNOWN_PENALTY
        if unit not in in_use
        else scores[unit]
        if unit in scores
        else lowest + next(put_back) * PUT_BACK_STEP
        for unit in units.tokens
    ]
    scores = {piece: rounded(score) for piece, score in scores.items()}
    longer = sorted(
        scores.keys() - set(units.tokens), key=lambda p: (-scores[p], p.bytes, p.lead, p.trail)
    )[: vocab_size - size]
    return Model(
        units.mode,
        (*units.tokens, *longer),
        num_units=size,
        scores=(*map(rounded, unit_scores), *(scores[piece] for piece in longer)),
    )


def rounded(score: float) -> float:
    """Return the nearest multiple of `SCORE_STEP`.

    >>> rounded(-0.5)
    -0.5
    """
    return round(score / SCORE_STEP) * SCORE_STEP


def unit_runs(counts: Mapping[Word, int], units: Units) -> Counter[tuple[Word, ...]]:
    """Spell all words in units, equal runs counted together.

    Words go by their bytes, then lead, then trail, so that sums do not depend on the order of the
    counts.

    >>> from toksmith.reference.units import byte_units
    >>> [len(run) for run in unit_runs({Word(False, b"ab", False): 3}, byte_units("space-prefix"))]
    [2]
    """
    runs: Counter[tuple[Word, ...]] = Counter()
    for word in sorted(counts, key=lambda word: (word.bytes, word.lead, word.trail)):
        for run in units.runs(word):
            runs[tuple(run)] += counts[word]
    return runs


def seeds(runs: Runs, max_token_chars: int, seed_size: int) -> Scores:
    """Return the pieces to start from, with log probabilities.

    All units; and of all longer substrings of runs that occur at least twice those with the
    highest occurrences times length. Ties: smaller bytes, then no lead, then no trail. A substring
    that the same unit follows everywhere is left out, as it is in a suffix tree, unless that would
    make it too long.

    >>> from toksmith.reference.units import byte_units
    >>> runs = unit_runs({Word(False, b"abc", False): 2}, byte_units("space-prefix"))
    >>> sorted(piece.bytes for piece in seeds(runs, 9, 9))
    [b'a', b'abc', b'b', b'bc', b'c']
    """
    occurrences: Counter[Word] = Counter()
    lengths: dict[Word, int] = {}
    followers: defaultdict[Word, set[Word | None]] = defaultdict(set)
    for run, count in runs.items():
        for start in range(len(run)):
            for end in range(start + 1, min(start + max_token_chars, len(run)) + 1):
                piece = spelled(run[start:end])
                occurrences[piece] += count
                lengths[piece] = end - start
                followers[piece].add(run[end] if end < len(run) else None)
    weights = {piece: n * lengths[piece] for piece, n in occurrences.items()}
    longer = [
        piece
        for piece, n in occurrences.items()
        if lengths[piece] > 1
        and n >= 2
        and (
            len(followers[piece]) > 1
            or None in followers[piece]
            or lengths[piece] == max_token_chars
        )
    ]
    longer.sort(key=lambda p: (-weights[p], p.bytes, p.lead, p.trail))
    single = sorted(
        (piece for piece in occurrences if lengths[piece] == 1),
        key=lambda p: (-weights[p], p.bytes, p.lead, p.trail),
    )
    chosen = [*single, *longer[:seed_size]]
    total = sum(weights[piece] for piece in chosen)
    return {piece: log(weights[piece]) - log(total) for piece in chosen}


def spelled(run: Sequence[Word]) -> Word:
    """Return the token that some units spell.

    >>> spelled([Word(False, b"a", False), Word(True, b"b", True)])
    Word(lead=False, bytes=b'ab', trail=True)
    """
    text = b"".join(unit.bytes for unit in run)
    return join(run[0], run[-1])._replace(bytes=text)


def rounds(
    runs: Runs,
    scores: Scores,
    wanted: int,
    *,
    shrinking_factor: float = 0.75,
    num_sub_iterations: int = 2,
) -> Iterator[Round]:
    """Train and prune until at most `SPARE` times the wanted pieces are left.

    The last round prunes nothing, and neither does one after which nothing can be pruned.

    >>> a = Word(False, b"a", False)
    >>> [len(state.kept) for state in rounds({(a, a): 1}, {a: 0.0}, 1)]
    [1]
    """
    enough = int(SPARE * wanted)
    while True:
        for _ in range(num_sub_iterations):
            expected, log_likelihood = expect(runs, scores)
            scores = maximize(expected)
        if len(scores) <= enough:
            yield Round(scores, expected, log_likelihood, {}, list(scores))
            return
        losses, kept = prune(runs, scores, max(enough, int(shrinking_factor * len(scores))))
        yield Round(scores, expected, log_likelihood, losses, kept)
        if len(kept) == len(scores):
            return
        scores = {piece: scores[piece] for piece in kept}


def run_lattice(run: Sequence[Word], pieces: Mapping[Word, tuple[int, float]]) -> Lattice:
    """Lay pieces, each with a number and a score, over a run.

    A unit that is no piece has the number -1 and the lowest score less `UNKNOWN_PENALTY`.

    >>> a = Word(False, b"a", False)
    >>> run_lattice([a], {a: (0, -1.0)}).edges
    (Edge(start=0, end=1, token=0, score=-1.0),)
    """
    longest = max((len(piece.bytes) for piece in pieces), default=1)
    unknown = (-1, min((score for _, score in pieces.values()), default=0.0) - UNKNOWN_PENALTY)
    edges = []
    for start in range(len(run)):
        for end in range(start + 1, min(start + longest, len(run)) + 1):
            found = pieces.get(spelled(run[start:end]), unknown if end == start + 1 else None)
            if found is not None:
                edges.append(Edge(start, end, *found))
    return lattice_of(len(run), edges)


def numbered(scores: Scores) -> dict[Word, tuple[int, float]]:
    """Number pieces in their order.

    >>> numbered({Word(False, b"a", False): -1.0})
    {Word(lead=False, bytes=b'a', trail=False): (0, -1.0)}
    """
    return {piece: (index, score) for index, (piece, score) in enumerate(scores.items())}


def expect(runs: Runs, scores: Scores) -> tuple[dict[Word, float], float]:
    """Expected count of each piece over all segmentations, and the log likelihood of the corpus.

    >>> a = Word(False, b"a", False)
    >>> expect({(a, a): 3}, {a: 0.0})
    ({Word(lead=False, bytes=b'a', trail=False): 6.0}, 0.0)
    """
    pieces = numbered(scores)
    expected = dict.fromkeys(range(len(scores)), 0.0)
    log_likelihood = 0.0
    for run, count in runs.items():
        counts, log_total = expected_counts(run_lattice(run, pieces))
        log_likelihood += count * log_total
        for number, expectation in counts.items():
            if number >= 0:
                expected[number] += count * expectation
    return {piece: expected[number] for piece, (number, _) in pieces.items()}, log_likelihood


def maximize(expected: Mapping[Word, float]) -> Scores:
    """Drop pieces that are hardly expected, and score the others: digamma(c) - digamma(sum of c).

    >>> maximize({Word(False, b"a", False): 1.0, Word(False, b"b", False): 0.4})
    {Word(lead=False, bytes=b'a', trail=False): 0.0}
    """
    left = {piece: count for piece, count in expected.items() if count >= MIN_EXPECTED_COUNT}
    if not left:
        return {}
    log_total = digamma(sum(left.values()))
    return {piece: digamma(count) - log_total for piece, count in left.items()}


def digamma(x: float) -> float:
    """Return the derivative of log gamma, for x > 0: by recurrence up to 10, then its series.

    >>> round(digamma(1.0), 12), round(digamma(0.5), 12)
    (-0.577215664902, -1.963510026021)
    """
    result = 0.0
    while x < 10:
        result -= 1 / x
        x += 1
    y = 1 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y / 132))))
    return result + log(x) - 0.5 / x - series


def prune(runs: Runs, scores: Scores, most: int) -> tuple[dict[Word, float], list[Word]]:
    """Say what the corpus loses without each piece, and keep the pieces that it needs most.

    A piece with one segmentation only, itself, is kept. One that its best segmentation splits is
    dropped, and so is one that is in no best segmentation of a run. For the others the loss is
    that of giving their count to the pieces of their second best segmentation:

        (f / F) * (log(f / S) - sum over these of log((f_i + f) / (S + f * (n - 1))))

    with f how often a piece is in best segmentations, S the sum of these counts, F that of runs and
    n the number of pieces in the second best. The pieces that are kept anyhow come first, then
    the others by falling loss, up to `most`; ties go to the earlier in the order of `scores`.

    Returns:
        The losses, and the pieces that are kept, in the order of `scores`.

    >>> a, b, ab = (Word(False, text, False) for text in (b"a", b"b", b"ab"))
    >>> losses, kept = prune({(a, b): 4, (a,): 1}, {a: -1.0, b: -1.0, ab: -1.0}, 2)
    >>> [piece.bytes for piece in kept], [piece.bytes for piece in losses]
    ([b'a', b'b'], [b'ab'])
    """
    pieces = numbered(scores)
    best_counts: defaultdict[int, int] = defaultdict(int)
    run_of = {spelled(run): run for run in _piece_runs(runs, scores)}
    for run, count in runs.items():
        for number in best_path(run_lattice(run, pieces))[1]:
            best_counts[number] += count
    total = sum(best_counts.values())
    num_runs = sum(runs.values())
    needed: list[Word] = []
    losses: dict[Word, float] = {}
    for piece, (number, _) in pieces.items():
        paths = [tokens for _, tokens in best_paths(run_lattice(run_of[piece], pieces), 2)]
        frequency = best_counts[number]
        if len(paths) == 1 or (len(paths[0]) == 1 and -1 in paths[1]):
            needed.append(piece)
        elif len(paths[0]) == 1 and frequency > 0:
            alternatives = paths[1]
            log_sum = log(total + frequency * (len(alternatives) - 1))
            log_without = sum(log(best_counts[i] + frequency) - log_sum for i in alternatives)
            loss = log(frequency) - log(total) - log_without
            losses[piece] = frequency / num_runs * loss
    room = max(0, most - len(needed))
    kept = {*needed, *sorted(losses, key=lambda piece: -losses[piece])[:room]}
    return losses, [piece for piece in scores if piece in kept]


def _piece_runs(runs: Runs, scores: Scores) -> Iterator[tuple[Word, ...]]:
    """The units of every piece, found where the piece stands."""
    longest = max(len(piece.bytes) for piece in scores)
    for run in runs:
        for start in range(len(run)):
            for end in range(start + 1, min(start + longest, len(run)) + 1):
                if spelled(run[start:end]) in scores:
                    yield run[start:end]
