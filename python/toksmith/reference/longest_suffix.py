"""Encode a word by taking the longest token at its end, again and again.

Source: the mirror of greedy longest-prefix tokenization.
"""

from collections.abc import Collection

from toksmith.reference.boundary import Word
from toksmith.reference.model import Model
from toksmith.reference.spans import token_spans


def encode_longest_suffix(
    word: Word, model: Model, visible: Collection[int] | None = None
) -> list[int]:
    """Encode one word from right to left; the ids are in text order.

    Args and errors: as in `encode_longest_first`.
    Cost: O(m * n) look-ups, m the longest token in bytes.

    >>> from toksmith.reference.model import model_from_merges
    >>> model = model_from_merges("space-prefix", [(97, 98, 256), (98, 99, 257)])  # ab, bc
    >>> encode_longest_suffix(Word(False, b"abc", False), model)
    [97, 257]
    """
    spans = token_spans(word, model, visible)
    ids = []
    at = len(model.spell(word))
    while at > 0:
        start = min((start for start, end in spans if end == at), default=at)
        if start == at:
            raise KeyError(word)
        ids.append(spans[start, at])
        at = start
    return ids[::-1]
