"""Train byte-pair encoding by recounting all pairs at every step.

Source: Sennrich et al. 2016, Algorithm 1. It leaves ties open; the rule is in `best_pair`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from toksmith.reference.boundary import Mode, Word
from toksmith.reference.model import Model, join
from toksmith.reference.units import Units, byte_units

Pair = tuple[int, int]


def train(
    counts: Mapping[Word, int],
    mode: Mode,
    vocab_size: int,
    min_pair_count: int = 2,
    alphabet_order: Sequence[Word] | None = None,
    *,
    units: Units | None = None,
    num_merges: int | None = None,
    max_token_bytes: int | None = None,
) -> Model:
    """Learn merges from counted words.

    At each step the adjacent pair of `best_pair` is merged in all words, left to right. A merge
    that spells an existing token is stored with that token's id and uses up none.

    Args:
        counts: marked word -> how often it stands in the corpus.
        mode: the boundary the words were marked with.
        vocab_size: where to stop, special tokens not counted in.
        min_pair_count: stop when no pair is counted at least as often.
        alphabet_order: the alphabet in id order, which decides ties; None is `alphabet(mode)`.
        units: what to start from; None is all bytes, in `alphabet_order`.
        num_merges: stop after so many merges.
        max_token_bytes: no token gets longer.
    Raises:
        ValueError: `vocab_size` is below the units.
    Cost: O(merges * corpus).

    >>> low, lower = Word(False, b"low", False), Word(False, b"lower", False)
    >>> model = train({low: 5, lower: 2}, "space-prefix", 258)
    >>> [token.bytes for token in model.tokens[256:]]
    [b'lo', b'low']
    """
    training = Merging.start(counts, units or byte_units(mode, alphabet_order), vocab_size)
    while len(training.tokens) < vocab_size and len(training.merges) != num_merges:
        pair = best_pair(training, min_pair_count, max_token_bytes)
        if pair is None:
            break
        training.merge(*pair)
    return training.model()


def best_pair(
    training: "Merging", min_pair_count: int = 2, max_token_bytes: int | None = None
) -> Pair | None:
    """Return the pair with the highest count; ties go to the smaller left id, then right id.

    >>> from toksmith.reference.units import byte_units
    >>> training = Merging.start({Word(False, b"abab", False): 1}, byte_units("space-prefix"))
    >>> best_pair(training)
    (97, 98)
    """
    pair_counts = training.pair_counts(min_pair_count, max_token_bytes)
    return min(pair_counts, key=lambda pair: (-pair_counts[pair], pair), default=None)


@dataclass
class Merging:
    """Words under training by merges, and the tokens they are made of so far.

    Attributes:
        mode: the boundary.
        num_units: how many tokens there were at the start.
        tokens: tokens by id.
        ids: ids by token.
        words: ids of each run of a word, and the word's count, in the order of the counts.
        merges: (left, right, new) in order.
    """

    mode: Mode
    num_units: int
    tokens: list[Word]
    ids: dict[Word, int]
    words: list[tuple[list[int], int]]
    merges: list[tuple[int, int, int]] = field(default_factory=list)

    @staticmethod
    def start(counts: Mapping[Word, int], units: Units, vocab_size: int | None = None) -> "Merging":
        """Spell all words in units.

        Raises:
            ValueError: `vocab_size` is below the units.

        >>> from toksmith.reference.units import byte_units
        >>> Merging.start({Word(False, b"ab", False): 3}, byte_units("space-prefix")).words
        [([97, 98], 3)]
        """
        size = len(units.tokens)
        if vocab_size is not None and vocab_size < size:
            what = "byte alphabet needs" if units.are_bytes else "units alone need"
            raise ValueError(f"vocab_size is {vocab_size}, but the {what} {size}")
        ids = {token: index for index, token in enumerate(units.tokens)}
        words = [
            ([ids[unit] for unit in run], count)
            for word, count in counts.items()
            for run in units.runs(word)
        ]
        return Merging(units.mode, size, list(units.tokens), ids, words)

    def pair_counts(
        self, min_pair_count: int = 1, max_token_bytes: int | None = None
    ) -> Counter[Pair]:
        """Count adjacent pairs, in the order in which they are met.

        Overlapping ones are counted (`aaa` holds (a, a) twice).
        """
        pair_counts: Counter[Pair] = Counter()
        for ids, count in self.words:
            for pair in pairwise(ids):
                pair_counts[pair] += count
        for pair, count in list(pair_counts.items()):
            num_bytes = sum(len(self.tokens[part].bytes) for part in pair)
            if count < min_pair_count or (max_token_bytes and num_bytes > max_token_bytes):
                del pair_counts[pair]
        return pair_counts

    def token_counts(self) -> Counter[int]:
        """Count the tokens that the words are made of now."""
        token_counts: Counter[int] = Counter()
        for ids, count in self.words:
            for token_id in ids:
                token_counts[token_id] += count
        return token_counts

    def merge(self, left: int, right: int) -> int:
        """Merge a pair in all words and return the id of its token."""
        token = join(self.tokens[left], self.tokens[right])
        if token not in self.ids:
            self.ids[token] = len(self.tokens)
            self.tokens.append(token)
        new = self.ids[token]
        self.merges.append((left, right, new))
        self.words = [(replace(ids, left, right, new), count) for ids, count in self.words]
        return new

    def model(self) -> Model:
        """Return what was learned."""
        return Model(self.mode, tuple(self.tokens), tuple(self.merges), num_units=self.num_units)


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
