"""Encode a word by its model's merges: the encoder that belongs to byte-pair encoding.

Source: Sennrich et al. 2016.
"""

from itertools import pairwise

from toksmith.reference.boundary import Word
from toksmith.reference.model import Model


def encode_merge_rank(word: Word, model: Model) -> list[int]:
    """Encode one word: replace the adjacent pair of lowest rank until no pair is a merge.

    Among equal pairs the leftmost goes first. If a pair was stored twice, its first rank counts.

    Args:
        word: one marked pretoken.
        model: tokens and merges.
    Raises:
        KeyError: a part of the word is not among the model's units.
    Cost: O(n * n).

    >>> from toksmith.reference.model import model_from_merges
    >>> model = model_from_merges("space-prefix", [(98, 99, 256), (97, 98, 257)])
    >>> encode_merge_rank(Word(False, b"abcab", False), model)
    [97, 256, 257]
    """
    ranks: dict[tuple[int, int], tuple[int, int]] = {}
    for rank, (left, right, new) in enumerate(model.merges):
        ranks.setdefault((left, right), (rank, new))
    token_ids = model.ids()
    ids = [token_ids[unit] for unit in model.spell(word)]
    while True:
        found = [(*ranks[pair], index) for index, pair in enumerate(pairwise(ids)) if pair in ranks]
        if not found:
            return ids
        _, new, index = min(found)
        ids[index : index + 2] = [new]
