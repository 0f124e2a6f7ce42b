r"""Tokens saved by word: where a candidate's gain comes from.

Each `\p{L}+` run of the test text is an occurrence of a word; the tokens that begin inside it are
the word's. Counts are exact, and every token of the text is either in a word, white space, or
elsewhere, so the three savings add up to the whole one.
"""

from __future__ import annotations

import itertools
import typing
from collections.abc import Sequence
from dataclasses import dataclass

from toksmith.evaluate.letters import letter_runs
from toksmith.evaluate.results import WordChange, WordSavings
from toksmith.evaluate.vocabulary import ASCII_WHITESPACE

if typing.TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from toksmith._core import Tokenizer
    from toksmith.evaluate.vocabulary import VocabularyTable

NUM_WORDS_SHOWN = 20


@dataclass(frozen=True, slots=True, eq=False)
class WordRuns:
    """The words of a test text and all places where they occur.

    Attributes:
        words: distinct words, in the order of their first occurrence.
        num_occurrences: of each, shape (len(words),).
        places: for each document, starts and ends in bytes and the index of the word, each of
            shape (runs of the document,).
    """

    words: tuple[str, ...]
    num_occurrences: NDArray[np.int64]
    places: tuple[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]], ...]

    @classmethod
    def find(cls, documents: Sequence[bytes]) -> WordRuns:
        """Finds every run of letters, each maximal.

        >>> runs = WordRuns.find([b"to be or not", b"to be"])
        >>> runs.words, runs.num_occurrences.tolist()
        (('to', 'be', 'or', 'not'), [2, 2, 1, 1])
        """
        import numpy as np

        index: dict[str, int] = {}
        places = []
        for data in documents:
            words, starts, ends = letter_runs(data)
            found = np.fromiter(
                (index.setdefault(word, len(index)) for word in words), np.int64, len(words)
            )
            places.append((starts, ends, found))
        occurrences = np.zeros(len(index), np.int64)
        for _, _, found in places:
            occurrences += np.bincount(found, minlength=len(index))
        return cls(words=tuple(index), num_occurrences=occurrences, places=tuple(places))


@dataclass(frozen=True, slots=True, eq=False)
class WordTokens:
    """How one tokenizer spends its tokens on a `WordRuns`.

    Attributes:
        by_word: tokens of all occurrences of each word together, shape (words,).
        num_in_whitespace: tokens of ASCII white space only.
        num_elsewhere: all the others: punctuation, digits, parts of characters, …
    """

    by_word: NDArray[np.int64]
    num_in_words: int
    num_in_whitespace: int
    num_elsewhere: int


def token_starts(
    data: bytes, spans: Sequence[tuple[int, int]] | NDArray[np.int64]
) -> NDArray[np.int64]:
    """Where each token begins, in bytes, its boundary space left out.

    A token that starts with one space and goes on with something else begins after the space, so
    ` the` and an implicit-space `the` begin at the same place.

    Args:
        data: the source text.
        spans: (start, end) of each token in it, in text order.
    Returns:
        Shape (len(spans),).

    >>> token_starts(b"a the  b", [(0, 1), (1, 5), (5, 6), (6, 8)]).tolist()
    [0, 2, 5, 7]
    """
    import numpy as np

    if not isinstance(spans, np.ndarray):
        spans = np.fromiter(itertools.chain.from_iterable(spans), np.int64, 2 * len(spans)).reshape(
            -1, 2
        )
    starts, ends = spans[:, 0], spans[:, 1]
    # Two bytes of padding, so that the look one byte ahead needs no case of its own.
    source = np.frombuffer(data + b"\0\0", np.uint8)
    is_whitespace = np.isin(source, np.frombuffer(ASCII_WHITESPACE, np.uint8))
    has_space = (source[starts] == 0x20) & (ends - starts > 1) & ~is_whitespace[starts + 1]
    begins: NDArray[np.int64] = starts + has_space
    return begins


def count_word_tokens(
    tokenizer: Tokenizer, table: VocabularyTable, documents: Sequence[bytes], runs: WordRuns
) -> WordTokens:
    """Encodes the documents and counts the tokens of each word.

    Args:
        table: of the same tokenizer.
        runs: of the same documents.
    """
    import numpy as np

    by_word = np.zeros(len(runs.words), np.int64)
    num_tokens = num_whitespace = 0
    for data, (run_starts, run_ends, words) in zip(documents, runs.places, strict=True):
        encoding = tokenizer.encode_with_offsets(data)
        ids = np.array(encoding.ids, np.int64)
        ordinary = ~table.is_special[ids]
        starts = token_starts(data, encoding.byte_spans)[ordinary]
        num_tokens += len(starts)
        num_whitespace += int(table.is_whitespace[ids[ordinary]].sum())
        inside = np.searchsorted(starts, run_ends) - np.searchsorted(starts, run_starts)
        # Weights are floats, exact far beyond any count of tokens in one document (2^53).
        counts = np.bincount(words, weights=inside, minlength=len(by_word))
        by_word += counts.astype(np.int64)
    num_in_words = int(by_word.sum())
    return WordTokens(
        by_word=by_word,
        num_in_words=num_in_words,
        num_in_whitespace=num_whitespace,
        num_elsewhere=num_tokens - num_in_words - num_whitespace,
    )


def measure_savings(
    runs: WordRuns,
    baseline_name: str,
    baseline: WordTokens,
    candidate: WordTokens,
    *,
    num_words_shown: int = NUM_WORDS_SHOWN,
) -> WordSavings:
    """The words on which a candidate saves most, and those on which it loses most.

    Ties go to the word that is smaller by code points.

    Args:
        num_words_shown: how many of each at the most; words without a change are never shown.
    Source: the ISBPE post ("Measured tokens saved on code: else 518, raise 409, …").
    """
    import numpy as np

    saved = baseline.by_word - candidate.by_word
    changed = np.flatnonzero(saved)

    def changes(order: list[int]) -> tuple[WordChange, ...]:
        return tuple(
            WordChange(
                word=runs.words[i],
                num_occurrences=int(runs.num_occurrences[i]),
                num_tokens_baseline=int(baseline.by_word[i]),
                num_tokens_candidate=int(candidate.by_word[i]),
                num_tokens_saved=int(saved[i]),
            )
            for i in order[:num_words_shown]
        )

    gains = sorted(
        (i for i in changed.tolist() if saved[i] > 0), key=lambda i: (-saved[i], runs.words[i])
    )
    losses = sorted(
        (i for i in changed.tolist() if saved[i] < 0), key=lambda i: (saved[i], runs.words[i])
    )
    return WordSavings(
        against=baseline_name,
        num_words=len(runs.words),
        num_word_occurrences=int(runs.num_occurrences.sum()),
        num_tokens_in_words=candidate.num_in_words,
        num_tokens_in_whitespace=candidate.num_in_whitespace,
        num_tokens_elsewhere=candidate.num_elsewhere,
        num_tokens_saved_in_words=baseline.num_in_words - candidate.num_in_words,
        num_tokens_saved_in_whitespace=baseline.num_in_whitespace - candidate.num_in_whitespace,
        num_tokens_saved_elsewhere=baseline.num_elsewhere - candidate.num_elsewhere,
        most_saved=changes(gains),
        most_lost=changes(losses),
    )
