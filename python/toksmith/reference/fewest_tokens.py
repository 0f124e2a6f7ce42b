"""Encode a word with as few tokens as its vocabulary allows.

Source: PathPiece (Schmidt et al. 2024), section 3; ties as there: the last token as long as
possible, then the one before it.
"""

from collections.abc import Collection
from math import inf

from toksmith.reference.boundary import Word
from toksmith.reference.model import Model
from toksmith.reference.spans import token_spans


def encode_fewest_tokens(
    word: Word, model: Model, visible: Collection[int] | None = None
) -> list[int]:
    """Encode one word by dynamic programming over the ends of its tokens.

    Args and errors: as in `encode_longest_first`.
    Cost: O(m * n) look-ups, m the longest token in bytes.

    >>> from toksmith.reference.model import model_from_merges
    >>> model = model_from_merges("space-prefix", [(97, 97, 256), (256, 97, 257)])  # aa, aaa
    >>> encode_fewest_tokens(Word(False, b"aaaa", False), model)
    [97, 257]
    """
    spans = token_spans(word, model, visible)
    fewest: list[float] = [0]  # tokens needed up to each end
    start_of_last = [0]
    for end in range(1, len(model.spell(word)) + 1):
        starts = sorted(start for start, stop in spans if stop == end)
        best = min(starts, key=lambda start: fewest[start], default=0)  # the smallest of equal ones
        fewest.append(fewest[best] + 1 if starts else inf)
        start_of_last.append(best)
    if fewest[-1] == inf:
        raise KeyError(word)
    ids = []
    at = len(fewest) - 1
    while at > 0:
        ids.append(spans[start_of_last[at], at])
        at = start_of_last[at]
    return ids[::-1]
