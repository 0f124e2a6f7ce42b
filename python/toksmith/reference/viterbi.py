"""Encode a word as the segmentation of the highest score, or as the n best.

Source: Kudo 2018, section 3; ties as SentencePiece and `tokenizers` break them.
"""

from math import inf

from toksmith.reference.boundary import Word
from toksmith.reference.lattice import Lattice, word_lattice
from toksmith.reference.model import Model


def encode_viterbi(word: Word, model: Model) -> list[int]:
    """Encode one word.

    Raises:
        ValueError: the model has no scores.
        KeyError: there is no segmentation.

    >>> tokens = tuple(Word(False, text, False) for text in (b"a", b"b", b"ab"))
    >>> model = Model("space-prefix", tokens, num_units=2, scores=(-2.0, -1.0, -2.5))
    >>> encode_viterbi(Word(False, b"abb", False), model)
    [2, 1]
    """
    score, tokens = best_path(word_lattice(word, model))
    if score == -inf:
        raise KeyError(word)
    return tokens


def best_path(lattice: Lattice) -> tuple[float, list[int]]:
    """Return the highest score and its tokens.

    A score is the sum of its tokens', added from the left in double precision. Equal scores: the
    last token as long as possible, then the one before it.

    >>> from toksmith.reference.lattice import Edge, lattice_of
    >>> edges = [Edge(0, 1, 7, -1.0), Edge(1, 3, 8, -2.0), Edge(0, 2, 9, -2.0), Edge(2, 3, 6, -1.0)]
    >>> best_path(lattice_of(3, edges))
    (-3.0, [7, 8])
    """
    best: list[tuple[float, list[int]]] = [(0.0, [])]
    for end in range(1, lattice.length + 1):
        score, tokens = -inf, list[int]()
        for edge in lattice.ending_at(end):  # the longest first, and only a better one replaces it
            if best[edge.start][0] + edge.score > score:
                score = best[edge.start][0] + edge.score
                tokens = [*best[edge.start][1], edge.token]
        best.append((score, tokens))
    return best[lattice.length]


def encode_n_best(word: Word, model: Model, n: int) -> list[tuple[list[int], float]]:
    """Encode one word in the n ways of the highest scores, with these; fewer if there are not n.

    >>> tokens = tuple(Word(False, text, False) for text in (b"a", b"b", b"ab"))
    >>> model = Model("space-prefix", tokens, num_units=2, scores=(-2.0, -1.0, -2.5))
    >>> encode_n_best(Word(False, b"ab", False), model, 5)
    [([2], -2.5), ([0, 1], -3.0)]
    """
    return [(tokens, score) for score, tokens in best_paths(word_lattice(word, model), n)]


def best_paths(lattice: Lattice, n: int) -> list[tuple[float, list[int]]]:
    """Return the n highest scores and their tokens, the highest first; ties as in `best_path`.

    Of the ways to each place the n best are kept: no other can be part of the n best in all.

    >>> from toksmith.reference.lattice import Edge, lattice_of
    >>> edges = [Edge(0, 1, 7, -1.0), Edge(1, 3, 8, -2.0), Edge(0, 2, 9, -2.0), Edge(2, 3, 6, -1.0)]
    >>> best_paths(lattice_of(3, edges), 9)
    [(-3.0, [7, 8]), (-3.0, [9, 6])]
    """
    # With each path the starts of its tokens, the last one first: the tie rule in one comparison.
    best: list[list[tuple[float, tuple[int, ...], list[int]]]] = [[(0.0, (), [])]]
    for end in range(1, lattice.length + 1):
        paths = [
            (score + edge.score, (edge.start, *starts), [*tokens, edge.token])
            for edge in lattice.ending_at(end)
            for score, starts, tokens in best[edge.start]
        ]
        paths.sort(key=lambda path: (-path[0], path[1]))
        best.append(paths[:n])
    return [(score, tokens) for score, _, tokens in best[lattice.length][:n]]
