"""Encode a word by taking the longest token at its start, again and again.

Source: greedy or maximal-munch tokenization, as WordPiece encodes (Song et al. 2021, section 2).
"""

from collections.abc import Collection

from toksmith.reference.boundary import Word
from toksmith.reference.model import Model
from toksmith.reference.spans import token_spans


def encode_longest_prefix(
    word: Word, model: Model, visible: Collection[int] | None = None
) -> list[int]:
    """Encode one word from left to right.

    Args and errors: as in `encode_longest_first`.
    Cost: O(m * n) look-ups, m the longest token in bytes.

    >>> from toksmith.reference.model import model_from_merges
    >>> model = model_from_merges("space-prefix", [(97, 98, 256), (98, 99, 257)])  # ab, bc
    >>> encode_longest_prefix(Word(False, b"abc", False), model)
    [256, 99]
    """
    spans = token_spans(word, model, visible)
    length = len(model.spell(word))
    ids = []
    at = 0
    while at < length:
        end = max((end for start, end in spans if start == at), default=at)
        if end == at:
            raise KeyError(word)
        ids.append(spans[at, end])
        at = end
    return ids
