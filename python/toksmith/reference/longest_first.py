"""Encode a word by taking its longest tokens first.

Source: Xiong et al. 2024 (LBPE), Equation 2 and Algorithm 1. Length is the number of units
(bytes, or characters), equal lengths go left to right.
"""

from collections.abc import Collection

from toksmith.reference.boundary import Word
from toksmith.reference.model import Model
from toksmith.reference.spans import token_spans


def encode_longest_first(
    word: Word, model: Model, visible: Collection[int] | None = None
) -> list[int]:
    """Encode one word: its longest token, then the longest in what is left on either side.

    Args:
        word: one marked pretoken.
        model: its tokens are the vocabulary; merges are not read.
        visible: ids that may be used; None is all that the model does not hide. Units always may.
    Raises:
        KeyError: a part of the word is in no token that is taken.
    Cost: O(m * n) look-ups, m the longest token in bytes, and sorting.

    >>> from toksmith.reference.model import model_from_merges
    >>> merges = [(98, 99, 256), (97, 98, 257), (256, 100, 258)]  # bc, ab, bcd
    >>> model = model_from_merges("space-prefix", merges)
    >>> encode_longest_first(Word(False, b"ababcd", False), model)
    [257, 97, 258]
    >>> encode_longest_first(Word(False, b"ababcd", False), model, visible={256, 257})
    [257, 257, 99, 100]
    """
    spans = token_spans(word, model, visible)
    taken = [False] * len(model.spell(word))
    chosen = []
    for start, end in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        if not any(taken[start:end]):
            taken[start:end] = [True] * (end - start)
            chosen.append((start, end))
    if not all(taken):
        raise KeyError(word)
    return [spans[span] for span in sorted(chosen)]
