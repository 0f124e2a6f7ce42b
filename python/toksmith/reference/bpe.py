"""Train byte-pair encoding by recounting all pairs at every step.

Source: Sennrich et al. 2016, Algorithm 1. It leaves ties open; the rule is in `train`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from toksmith.reference.boundary import Mode, Word, symbols
from toksmith.reference.model import Model, alphabet, join


def train(
    counts: Mapping[Word, int],
    mode: Mode,
    vocab_size: int,
    min_pair_count: int = 2,
    alphabet_order: Sequence[Word] | None = None,
) -> Model:
    """Learn merges from counted words.

    At each step the adjacent pair of ids with the highest count is merged in all words, left to
    right. Overlapping pairs are counted (`aaa` holds (a, a) twice). Ties go to the smaller left
    id, then the smaller right id. A merge that spells an existing token is stored with that
    token's id and uses up none.

    Args:
        counts: marked word -> how often it stands in the corpus.
        mode: the boundary the words were marked with.
        vocab_size: where to stop, special tokens not counted in.
        min_pair_count: stop when no pair is counted at least as often.
        alphabet_order: the alphabet in id order, which decides ties; None is `alphabet(mode)`.
    Raises:
        ValueError: `vocab_size` is below the alphabet.
    Cost: O(merges * corpus).

    >>> low, lower = Word(False, b"low", False), Word(False, b"lower", False)
    >>> model = train({low: 5, lower: 2}, "space-prefix", 258)
    >>> [token.bytes for token in model.tokens[256:]]
    [b'lo', b'low']
    """
    tokens = list(alphabet(mode) if alphabet_order is None else alphabet_order)
    if vocab_size < len(tokens):
        raise ValueError(f"vocab_size is {vocab_size}, but the byte alphabet needs {len(tokens)}")
    ids = {token: index for index, token in enumerate(tokens)}
    words = [
        ([ids[symbol] for symbol in symbols(word, mode)], count) for word, count in counts.items()
    ]
    merges: list[tuple[int, int, int]] = []
    while len(tokens) < vocab_size:
        pair_counts: Counter[tuple[int, int]] = Counter()
        for word_ids, count in words:
            for pair in pairwise(word_ids):
                pair_counts[pair] += count
        if not pair_counts:
            break
        left, right = min(pair_counts, key=lambda pair: (-pair_counts[pair], pair))
        if pair_counts[left, right] < min_pair_count:
            break
        token = join(tokens[left], tokens[right])
        if token not in ids:
            ids[token] = len(tokens)
            tokens.append(token)
        merges.append((left, right, ids[token]))
        words = [(replace(word_ids, left, right, ids[token]), count) for word_ids, count in words]
    return Model(mode, tuple(tokens), tuple(merges))


def replace(word_ids: Sequence[int], left: int, right: int, new: int) -> list[int]:
    """Replace every (left, right) in a word by `new`, left to right.

    >>> replace([1, 1, 1, 2], 1, 1, 9)
    [9, 1, 2]
    """
    result: list[int] = []
    index = 0
    while index < len(word_ids):
        if tuple(word_ids[index : index + 2]) == (left, right):
            result.append(new)
            index += 2
        else:
            result.append(word_ids[index])
            index += 1
    return result
