"""What the slots of a vocabulary hold, and how long its tokens are.

Everything here looks at tokens as bytes with marks. The *boundary space* is left out throughout:
one space at the start of a token that also holds something else. So ` the` of a byte-level BPE and
`the` of an implicit-space model are the same word and have the same length, 3.
"""

from __future__ import annotations

import typing
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from toksmith._core import Token
from toksmith.errors import UnknownTokenIdError
from toksmith.evaluate.letters import is_letters
from toksmith.evaluate.results import (
    LengthDistribution,
    PairSlots,
    Population,
    VocabularyMeasures,
)

if typing.TYPE_CHECKING:
    from typing import Literal

    import numpy as np
    from numpy.typing import NDArray

    from toksmith._core import Tokenizer

#: ASCII white space; the six bytes next to which no space is implied.
ASCII_WHITESPACE = b"\t\n\x0b\x0c\r "

#: The bins of the LBPE paper's Table II: shortest and longest length, both inside.
LENGTH_BINS: tuple[tuple[int, int | None], ...] = (
    (1, 3),
    (4, 6),
    (7, 9),
    (10, 12),
    (13, 15),
    (16, None),
)
LENGTH_BIN_NAMES = tuple(f"≥{a}" if b is None else f"{a}–{b}" for a, b in LENGTH_BINS)


def without_boundary_space(token: bytes) -> bytes:
    r"""The token without the space that only says "a new word starts here".

    A space before white space is white space, and a lone space is one too; both are kept.

    >>> without_boundary_space(b" the"), without_boundary_space(b" "), without_boundary_space(b"  ")
    (b'the', b' ', b'  ')
    >>> without_boundary_space(b" \n")
    b' \n'
    """
    if len(token) > 1 and token[0] == 0x20 and token[1] not in ASCII_WHITESPACE:
        return token[1:]
    return token


@dataclass(frozen=True, slots=True, eq=False)
class VocabularyTable:
    """A vocabulary as arrays, one entry for each id; an id that no token has is an empty one.

    Attributes:
        tokens: as the tokenizer gives them.
        words: their bytes without the boundary space.
        is_special: special tokens and empty entries; they count as slots and nowhere else.
        is_whitespace: ASCII white space only.
        num_characters: of the word; a byte outside well-formed UTF-8 counts as one character.
        num_bytes: of the word.
    """

    tokens: tuple[Token, ...]
    words: tuple[bytes, ...]
    is_special: NDArray[np.bool_]
    is_whitespace: NDArray[np.bool_]
    num_characters: NDArray[np.int64]
    num_bytes: NDArray[np.int64]

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> VocabularyTable:
        """Asks the tokenizer for each of its tokens, once."""
        import numpy as np

        tokens = tuple(_entry(tokenizer, i) for i in range(tokenizer.vocab_size))
        words = tuple(without_boundary_space(token.bytes) for token in tokens)
        return cls(
            tokens=tokens,
            words=words,
            is_special=np.array([t.is_special or not t.bytes for t in tokens], np.bool_),
            is_whitespace=np.array([not word.strip(ASCII_WHITESPACE) for word in words], np.bool_),
            num_characters=np.array(
                [len(word.decode("utf-8", "surrogateescape")) for word in words], np.int64
            ),
            num_bytes=np.array([len(word) for word in words], np.int64),
        )

    def __len__(self) -> int:
        """The number of slots."""
        return len(self.tokens)


def _entry(tokenizer: Tokenizer, token_id: int) -> Token:
    try:
        return tokenizer.token(token_id)
    except UnknownTokenIdError:
        return Token(b"")


def pair_slots(tokens: Sequence[Token], *, letters_only: bool) -> PairSlots:
    """Slots that go to more than one form of the same word.

    A word is a token without its boundary space and without its marks; its forms are with and
    without the space (`the`, ` the`), or with different marks (`the`, `#the`). All forms of a word
    with at least two are counted. Special tokens and empty entries have no forms.

    Args:
        letters_only: count words made of letters alone; else words of any bytes.
    Source: the ISBPE post ("45.9% of all 65,536 vocabulary slots").

    >>> from toksmith import Token
    >>> vocabulary = [Token(b"the"), Token(b" the"), Token(b"cat"), Token(b" ")]
    >>> pair_slots(vocabulary, letters_only=True).slots_in_pairs_percent
    50.0
    """
    forms = Counter(
        without_boundary_space(token.bytes)
        for token in tokens
        if token.bytes and not token.is_special
    )
    if letters_only:
        forms = Counter({word: count for word, count in forms.items() if is_letters(word)})
    num_in_pairs = sum(count for count in forms.values() if count > 1)
    return PairSlots(
        num_words=len(forms),
        num_forms=forms.total(),
        forms_per_word=forms.total() / len(forms) if forms else 0.0,
        num_slots_in_pairs=num_in_pairs,
        slots_in_pairs_percent=100.0 * num_in_pairs / len(tokens) if tokens else 0.0,
    )


def length_distribution(
    lengths: NDArray[np.int64],
    weights: NDArray[np.int64],
    *,
    unit: Literal["characters", "bytes"],
    population: Population,
    baseline: LengthDistribution | None = None,
) -> LengthDistribution:
    """Counts by bins of length, with the change against the baseline.

    Args:
        lengths: of each id, in `unit`, shape (vocabulary size,).
        weights: how often each id counts: its occurrences, or 1 for each slot.
    Source: Xiong et al. 2024 (LBPE), Table II.
    """
    counts = tuple(
        int(weights[(lengths >= low) & ((lengths <= high) if high is not None else True)].sum())
        for low, high in LENGTH_BINS
    )
    total = int(weights.sum())
    change: tuple[float | None, ...] = (None,) * len(counts)
    if baseline is not None:
        change = tuple(
            100.0 * (count - base) / base if base else None
            for count, base in zip(counts, baseline.counts, strict=True)
        )
    return LengthDistribution(
        unit=unit,
        population=population,
        counts=counts,
        shares_percent=tuple(100.0 * count / total if total else 0.0 for count in counts),
        mean_length=float((lengths * weights).sum() / total) if total else 0.0,
        change_percent=change,
    )


def measure_vocabulary(
    table: VocabularyTable,
    occurrences: NDArray[np.int64],
    *,
    baseline: VocabularyMeasures | None = None,
) -> VocabularyMeasures:
    """All figures of one vocabulary.

    Args:
        occurrences: how often each id occurs on the test text, shape (len(table),).
        baseline: what this function gave for the baseline; None for the baseline itself.
    """
    import numpy as np

    ordinary = ~table.is_special
    units: tuple[tuple[Literal["characters", "bytes"], NDArray[np.int64]], ...] = (
        ("characters", table.num_characters),
        ("bytes", table.num_bytes),
    )
    populations: tuple[tuple[Population, NDArray[np.int64]], ...] = (
        ("test tokens", np.where(ordinary, occurrences, 0)),
        (
            "test tokens without white space",
            np.where(ordinary & ~table.is_whitespace, occurrences, 0),
        ),
        ("vocabulary", ordinary.astype(np.int64)),
    )
    lengths: list[LengthDistribution] = []
    for unit, values in units:
        for population, weights in populations:
            reference = None if baseline is None else baseline.lengths[len(lengths)]
            lengths.append(
                length_distribution(
                    values, weights, unit=unit, population=population, baseline=reference
                )
            )
    num_unused = int((ordinary & (occurrences == 0)).sum())
    num_ordinary = int(ordinary.sum())
    return VocabularyMeasures(
        num_slots=len(table),
        num_special_tokens=sum(token.is_special for token in table.tokens),
        letters=pair_slots(table.tokens, letters_only=True),
        any_bytes=pair_slots(table.tokens, letters_only=False),
        num_unused_on_test=num_unused,
        unused_on_test_percent=100.0 * num_unused / num_ordinary if num_ordinary else 0.0,
        lengths=tuple(lengths),
    )
