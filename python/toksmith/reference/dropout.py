"""Encode a word by merges of which some are passed over at random: BPE-dropout.

Source: Provilkov et al. 2020, Algorithm 1.
"""

from itertools import pairwise

from toksmith.reference.boundary import Word
from toksmith.reference.model import Model
from toksmith.reference.scaffold_bpe import take_apart
from toksmith.reference.splitmix import SplitMix


def encode_dropout(word: Word, model: Model, probability: float, random: SplitMix) -> list[int]:
    """Encode one word: at each step every possible merge is dropped with a probability.

    Of those that are left the one of lowest rank is made, the leftmost first; when none is left
    the word is done, and hidden tokens are taken apart. Merges are asked in that order and only
    until one is kept, a number each, which is the paper's distribution with fewer draws.

    Args:
        word: one marked pretoken.
        model: tokens and merges.
        probability: 0 merges as `encode_merge_rank` does, 1 leaves units.
        random: where the draws come from; a merge is dropped if `uniform() < probability`.
    Raises:
        KeyError: a part of the word is not among the model's units.

    >>> from toksmith.reference.model import model_from_merges
    >>> model = model_from_merges("space-prefix", [(97, 98, 256)])  # ab
    >>> word = Word(False, b"abab", False)
    >>> [encode_dropout(word, model, p, SplitMix(5)) for p in (0.0, 0.5, 1.0)]
    [[256, 256], [97, 98, 256], [97, 98, 97, 98]]
    """
    ranks: dict[tuple[int, int], tuple[int, int]] = {}
    for rank, (left, right, new) in enumerate(model.merges):
        ranks.setdefault((left, right), (rank, new))
    token_ids = model.ids()
    ids = [token_ids[unit] for unit in model.spell(word)]
    while True:
        found = [(*ranks[pair], index) for index, pair in enumerate(pairwise(ids)) if pair in ranks]
        kept = (merge for merge in sorted(found) if random.uniform() >= probability)
        merge = next(kept, None)
        if merge is None:
            return take_apart(ids, model)
        _, new, index = merge
        ids[index : index + 2] = [new]
