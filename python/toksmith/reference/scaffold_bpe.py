"""Train and encode Scaffold-BPE: tokens that only lead to longer ones are hidden.

Source: Lian et al. 2024 (arXiv 2404.17808). It leaves open what is in `Scaffolding`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from toksmith.reference.boundary import Word
from toksmith.reference.bpe import Merging, Pair
from toksmith.reference.fewest_tokens import encode_fewest_tokens
from toksmith.reference.merge_rank import encode_merge_rank
from toksmith.reference.model import Model
from toksmith.reference.units import Units


def train_scaffold_bpe(
    counts: Mapping[Word, int],
    units: Units,
    vocab_size: int,
    min_pair_count: int = 2,
    *,
    num_merges: int | None = None,
    max_token_bytes: int | None = None,
) -> Model:
    """Learn merges from counted words until so many tokens are visible.

    Args:
        counts: marked word -> how often it stands in the corpus.
        units: what to start from.
        vocab_size: where to stop, hidden and special tokens not counted in.
        min_pair_count: stop when nothing in the queue is as frequent.
        num_merges: stop after so many merges.
        max_token_bytes: no token gets longer; pairs that would make one are in no queue.
    Returns:
        A model whose visible tokens come in the order of their creation, then the hidden ones in
        theirs.
    Raises:
        ValueError: `vocab_size` is below the units.
    Cost: O(merges * corpus).

    >>> from toksmith.reference.units import character_units
    >>> counts = {Word(False, b"abc", False): 9, Word(False, b"xy", False): 4}
    >>> units = character_units(counts, "space-prefix", byte_fallback=False)
    >>> model = train_scaffold_bpe(counts, units, 7)
    >>> [token.bytes for token in model.tokens[5:]], model.num_visible
    ([b'abc', b'xy', b'ab'], 7)
    """
    scaffolding = Scaffolding(Merging.start(counts, units, vocab_size), max_token_bytes)
    while scaffolding.num_visible < vocab_size and len(scaffolding.merging.merges) != num_merges:
        head = scaffolding.head(min_pair_count)
        if head is None:
            break
        scaffolding.step(head)
    return scaffolding.model()


@dataclass
class Scaffolding:
    """The state of training, with the choices that the paper leaves open.

    - The queue holds the adjacent pairs with their counts and each scaffold, at the place of the
      pair that first made it, with how often it stands in the corpus now. Highest first; ties
      go to the smaller left id, then the smaller right id, and of a scaffold and its own pair to
      the scaffold. (Ids of training: in order of creation, scaffolds counted in.)
    - A scaffold at the head becomes visible again, with its old id and rank; no text changes.
    - A pair at the head is merged. If it spells an existing token, that token's id is used and
      its visibility stays; if the very pair was merged before, it is not stored again.
    - Then each part of the pair that is a visible token, no unit, and stands in the corpus
      strictly less often than the head of the queue is counted becomes a scaffold.

    Attributes:
        merging: tokens and words; their tokens are the paper's expanded vocabulary.
        max_token_bytes: longer tokens are not made.
        hidden: ids of the scaffolds.
        made_by: the pair that first made a token.
    """

    merging: Merging
    max_token_bytes: int | None = None
    hidden: set[int] = field(default_factory=set)
    made_by: dict[int, Pair] = field(default_factory=dict)

    @property
    def num_visible(self) -> int:
        """How many tokens are visible, units among them."""
        return len(self.merging.tokens) - len(self.hidden)

    def queue(self) -> dict[tuple[Pair, int | None], int]:
        """Frequency of every entry: (pair, None), or (pair, scaffold)."""
        token_counts = self.merging.token_counts()
        entries: dict[tuple[Pair, int | None], int] = {
            (pair, None): count
            for pair, count in self.merging.pair_counts(1, self.max_token_bytes).items()
        }
        for scaffold in sorted(self.hidden):
            entries[self.made_by[scaffold], scaffold] = token_counts[scaffold]
        return entries

    def head(self, min_pair_count: int) -> tuple[Pair, int | None] | None:
        """Return the entry to take next; None if none is frequent enough."""
        entries = self.queue()
        head = min(entries, key=lambda e: (-entries[e], e[0], e[1] is None), default=None)
        return None if head is None or entries[head] < min_pair_count else head

    def step(self, head: tuple[Pair, int | None]) -> list[int]:
        """Take an entry, and return the ids that become scaffolds for it."""
        pair, scaffold = head
        if scaffold is not None:
            self.hidden.remove(scaffold)
            return []
        known = {(left, right) for left, right, _ in self.merging.merges}
        new = self.merging.merge(*pair)
        self.made_by.setdefault(new, pair)
        if pair in known:
            self.merging.merges.pop()
        token_counts = self.merging.token_counts()
        highest = max(self.queue().values(), default=0)
        demoted = [
            part
            for part in dict.fromkeys(pair)
            if part >= self.merging.num_units
            and part not in self.hidden
            and token_counts[part] < highest
        ]
        self.hidden.update(demoted)
        return demoted

    def model(self) -> Model:
        """Return what was learned, hidden tokens last."""
        tokens = self.merging.tokens
        order = sorted(range(len(tokens)), key=lambda token_id: token_id in self.hidden)
        place = {token_id: index for index, token_id in enumerate(order)}
        return Model(
            self.merging.mode,
            tuple(tokens[token_id] for token_id in order),
            tuple((place[a], place[b], place[new]) for a, b, new in self.merging.merges),
            num_units=self.merging.num_units,
            num_visible=self.num_visible,
        )


def encode_scaffold_bpe(word: Word, model: Model) -> list[int]:
    """Encode one word by all merges, then take each hidden token apart.

    A hidden token becomes as few visible ones as can be; ties: the last token as long as possible,
    then the one before it. Nothing is merged after that.

    >>> from toksmith.reference.units import character_units
    >>> counts = {Word(False, b"abc", False): 9, Word(False, b"xy", False): 4}
    >>> units = character_units(counts, "space-prefix", byte_fallback=False)
    >>> model = train_scaffold_bpe(counts, units, 7)
    >>> [model.tokens[i].bytes for i in encode_scaffold_bpe(Word(False, b"abcab", False), model)]
    [b'abc', b'a', b'b']
    """
    return take_apart(encode_merge_rank(word, model), model)


def take_apart(ids: Iterable[int], model: Model) -> list[int]:
    """Replace hidden tokens by as few visible ones as can be; see `encode_scaffold_bpe`.

    >>> tokens = tuple(Word(False, text, False) for text in (b"a", b"b", b"ab"))
    >>> take_apart([2, 0], Model("space-prefix", tokens, num_units=2, num_visible=2))
    [0, 1, 0]
    """
    visible_ids: list[int] = []
    for token_id in ids:
        if token_id in model.visible:
            visible_ids.append(token_id)
        else:
            visible_ids += encode_fewest_tokens(model.tokens[token_id], model)
    return visible_ids
