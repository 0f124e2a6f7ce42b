"""All segmentations of a word as a graph, and sums over them.

Sources: Kudo 2018 (subword regularization); Baum 1972 (forward-backward).
"""

from collections import defaultdict
from collections.abc import Sequence
from math import exp, inf, log
from typing import NamedTuple

from toksmith.reference.boundary import Word
from toksmith.reference.model import Model
from toksmith.reference.spans import token_spans


class Edge(NamedTuple):
    """A token that spells the units from `start` to `end`.

    >>> Edge(0, 2, 256, -1.5).end
    2
    """

    start: int
    end: int
    token: int
    score: float


class Lattice(NamedTuple):
    """The edges over a word of `length` units, ordered by end, then start."""

    length: int
    edges: tuple[Edge, ...]

    def ending_at(self, end: int) -> list[Edge]:
        """Return the edges that end at a place, the longest first."""
        return [edge for edge in self.edges if edge.end == end]


def word_lattice(word: Word, model: Model) -> Lattice:
    """Lay out the tokens of a model over a word.

    Raises:
        ValueError: the model has no scores.

    >>> tokens = tuple(Word(False, text, False) for text in (b"a", b"b", b"ab"))
    >>> model = Model("space-prefix", tokens, num_units=2, scores=(-2.0, -1.0, -2.5))
    >>> [(edge.start, edge.end) for edge in word_lattice(Word(False, b"ab", False), model).edges]
    [(0, 1), (0, 2), (1, 2)]
    """
    if not model.scores:
        raise ValueError("the model has no scores: only Unigram's do")
    spans = token_spans(word, model)
    return lattice_of(
        len(model.spell(word)),
        [Edge(start, end, token, model.scores[token]) for (start, end), token in spans.items()],
    )


def lattice_of(length: int, edges: Sequence[Edge]) -> Lattice:
    """Put edges in order.

    >>> lattice_of(1, [Edge(0, 1, 7, 0.0)]).ending_at(1)
    [Edge(start=0, end=1, token=7, score=0.0)]
    """
    return Lattice(length, tuple(sorted(edges, key=lambda edge: (edge.end, edge.start))))


def log_sum(terms: Sequence[float]) -> float:
    """Return log(sum(exp(term))), the terms added in their order after taking out the largest.

    >>> log_sum([]), log_sum([-1.0])
    (-inf, -1.0)
    """
    largest = max(terms, default=-inf)
    if largest == -inf:
        return -inf
    return largest + log(sum(exp(term - largest) for term in terms))


def forward(lattice: Lattice, inverse_temperature: float = 1.0) -> list[float]:
    """Per place, the log of the summed probability of all ways to it from the start.

    >>> [round(exp(x), 3) for x in forward(lattice_of(1, [Edge(0, 1, 0, log(0.5))]))]
    [1.0, 0.5]
    """
    sums = [0.0]
    for end in range(1, lattice.length + 1):
        edges = lattice.ending_at(end)
        sums.append(log_sum([sums[e.start] + inverse_temperature * e.score for e in edges]))
    return sums


def backward(lattice: Lattice) -> list[float]:
    """Per place, the log of the summed probability of all ways from it to the end.

    >>> [round(exp(x), 3) for x in backward(lattice_of(1, [Edge(0, 1, 0, log(0.5))]))]
    [0.5, 1.0]
    """
    sums = [0.0] * (lattice.length + 1)
    for start in range(lattice.length - 1, -1, -1):
        edges = [edge for edge in lattice.edges if edge.start == start]
        sums[start] = log_sum([edge.score + sums[edge.end] for edge in edges])
    return sums


def expected_counts(lattice: Lattice) -> tuple[dict[int, float], float]:
    """Return how often each token is expected in a random segmentation, and the log of all mass.

    >>> a, aa = Edge(0, 1, 0, log(0.5)), Edge(0, 2, 1, log(0.25))
    >>> counts, log_total = expected_counts(lattice_of(2, [a, a._replace(start=1, end=2), aa]))
    >>> {token: round(count, 3) for token, count in counts.items()}, exp(log_total)
    ({0: 1.0, 1: 0.5}, 0.5)
    """
    before, after = forward(lattice), backward(lattice)
    total = before[lattice.length]
    counts: defaultdict[int, float] = defaultdict(float)
    for edge in lattice.edges:
        counts[edge.token] += exp(before[edge.start] + edge.score + after[edge.end] - total)
    return dict(counts), total
