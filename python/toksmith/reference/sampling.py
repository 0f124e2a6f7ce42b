"""Encode a word as a segmentation drawn at random, or as k different ones.

Sources: Kudo 2018 (forward filtering, backward sampling); Kool, van Hoof and Welling 2019 (Gumbel
top-k over a graph, without replacement).
"""

from heapq import heappop, heappush
from math import exp, inf, log, log1p

from toksmith.reference.boundary import Word
from toksmith.reference.lattice import Lattice, forward, word_lattice
from toksmith.reference.model import Model
from toksmith.reference.splitmix import SplitMix


def encode_sample(
    word: Word, model: Model, random: SplitMix, inverse_temperature: float = 1.0
) -> list[int]:
    """Encode one word at random, with probabilities in proportion to exp(t * score).

    Args:
        word: one marked pretoken.
        model: a model with scores.
        random: where the draws come from, one for each token.
        inverse_temperature: t. 0 makes all segmentations equally probable; the larger, the more
            often the best one is drawn.

    >>> tokens = tuple(Word(False, text, False) for text in (b"a", b"b", b"ab"))
    >>> model = Model("space-prefix", tokens, num_units=2, scores=(-2.0, -1.0, -2.5))
    >>> random = SplitMix(1)
    >>> [encode_sample(Word(False, b"ab", False), model, random) for _ in range(3)]
    [[2], [0, 1], [2]]
    """
    return sample_path(word_lattice(word, model), random, inverse_temperature)


def sample_path(lattice: Lattice, random: SplitMix, inverse_temperature: float = 1.0) -> list[int]:
    """Draw one path, from its end: each last token by the share of all ways that end in it.

    >>> from toksmith.reference.lattice import Edge, lattice_of
    >>> sample_path(lattice_of(1, [Edge(0, 1, 7, -1.0)]), SplitMix(0))
    [7]
    """
    sums = forward(lattice, inverse_temperature)
    tokens: list[int] = []
    at = lattice.length
    while at > 0:
        edges = lattice.ending_at(at)
        draw = random.uniform()
        chosen = edges[-1]  # if rounding leaves the shares short of 1
        share = 0.0
        for edge in edges:
            share += exp(sums[edge.start] + inverse_temperature * edge.score - sums[at])
            if draw < share:
                chosen = edge
                break
        tokens.append(chosen.token)
        at = chosen.start
    return tokens[::-1]


def encode_distinct_samples(
    word: Word, model: Model, k: int, random: SplitMix, inverse_temperature: float = 1.0
) -> list[list[int]]:
    """Encode one word in k different ways, drawn without replacement; fewer if there are not k.

    >>> tokens = tuple(Word(False, text, False) for text in (b"a", b"b", b"ab"))
    >>> model = Model("space-prefix", tokens, num_units=2, scores=(-2.0, -1.0, -2.5))
    >>> sorted(encode_distinct_samples(Word(False, b"ab", False), model, 5, SplitMix(0)))
    [[0, 1], [2]]
    """
    return sample_paths(word_lattice(word, model), k, random, inverse_temperature)


def sample_paths(
    lattice: Lattice, k: int, random: SplitMix, inverse_temperature: float = 1.0
) -> list[list[int]]:
    """Draw k different paths in the order in which draws without replacement would bring them.

    Each complete path gets its log probability plus Gumbel noise, and the k largest sums win. A
    set of paths with a common end gets the noise of its maximum first, and its parts theirs on
    condition that their maximum is that; so only the ends that can win are opened.

    >>> from toksmith.reference.lattice import Edge, lattice_of
    >>> sample_paths(lattice_of(1, [Edge(0, 1, 7, -1.0)]), 3, SplitMix(0))
    [[7]]
    """
    sums = forward(lattice, inverse_temperature)
    # (-perturbed, order of making, log probability of the end, place, tokens)
    queue: list[tuple[float, int, float, int, tuple[int, ...]]] = []
    heappush(queue, (-_gumbel(0.0, random), 0, 0.0, lattice.length, ()))
    num_made = 1
    paths: list[list[int]] = []
    while queue and len(paths) < k:
        negative, _, log_end, at, tokens = heappop(queue)
        if at == 0:
            paths.append(list(tokens))
            continue
        parts = []
        for edge in lattice.ending_at(at):
            share = sums[edge.start] + inverse_temperature * edge.score - sums[at]
            parts.append((edge, log_end + share, _gumbel(log_end + share, random)))
        largest = max(noisy for _, _, noisy in parts)
        for edge, log_probability, noisy in parts:
            perturbed = _below(noisy, largest, -negative)
            part = (-perturbed, num_made, log_probability, edge.start, (edge.token, *tokens))
            heappush(queue, part)
            num_made += 1
    return paths


def _gumbel(location: float, random: SplitMix) -> float:
    # Half a step up, and not to 1: at both ends there is no logarithm of a logarithm.
    return location - log(-log(min(random.uniform() + 2.0**-54, 1 - 2.0**-53)))


def _below(noisy: float, largest: float, maximum: float) -> float:
    """Move one of several Gumbel variables so that their largest becomes `maximum`.

    Source: Kool et al. 2019, appendix B.3, which keeps the digits.
    """
    if noisy == largest:
        return maximum
    v = maximum - noisy + log1p(-exp(noisy - largest))
    return maximum - max(0.0, v) - log1p(exp(-abs(v))) if v < inf else -inf
