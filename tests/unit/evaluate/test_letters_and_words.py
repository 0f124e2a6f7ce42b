r"""Runs of `\p{L}+` and the tokens that begin inside them."""

from __future__ import annotations

import numpy as np
import pytest

from toksmith.evaluate.letters import is_letters, letter_runs
from toksmith.evaluate.words import WordRuns, WordTokens, measure_savings, token_starts


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", []),
        (b"get_attraction2x", ["get", "attraction", "x"]),
        ("naïve café".encode(), ["naïve", "café"]),
        ("漢字かな、x".encode(), ["漢字かな", "x"]),
        ("e\u0301a".encode(), ["e", "a"]),  # a combining mark is no letter
        ("Ⅷ ½ ²".encode(), []),  # numbers, though Python's \w takes them
        ("𐐷𝒳 a".encode(), ["𐐷𝒳", "a"]),
        (b"a\xffb\xe2\x80c", ["a", "b", "c"]),
    ],
)
def test_runs_are_maximal_and_their_bytes_are_the_word(data: bytes, words: list[str]) -> None:
    found, starts, ends = letter_runs(data)
    assert found == words
    spans = zip(starts.tolist(), ends.tolist(), strict=True)
    assert [data[a:b].decode() for a, b in spans] == words


def test_half_a_character_is_no_letter() -> None:
    assert not is_letters("é".encode()[:1])
    assert is_letters("é".encode())


def test_a_token_with_the_space_begins_where_the_word_begins() -> None:
    data = b"in the  house"
    with_space = token_starts(data, [(0, 2), (2, 6), (6, 7), (7, 13)])
    without = token_starts(data, [(0, 2), (3, 6), (6, 7), (8, 13)])
    assert with_space.tolist() == without.tolist() == [0, 3, 6, 8]


def test_white_space_tokens_begin_at_their_first_byte() -> None:
    assert token_starts(b"a  \n b", [(0, 1), (1, 5), (5, 6)]).tolist() == [0, 1, 5]
    assert token_starts(b"a ", [(0, 1), (1, 2)]).tolist() == [0, 1]


def _tokens(by_word: list[int], whitespace: int = 0, elsewhere: int = 0) -> WordTokens:
    counts = np.array(by_word, np.int64)
    return WordTokens(counts, int(counts.sum()), whitespace, elsewhere)


def test_savings_are_sorted_by_size_then_by_word_and_sum_up() -> None:
    runs = WordRuns.find([b"b a c d d"])
    baseline = _tokens([2, 2, 5, 2], whitespace=4, elsewhere=1)
    savings = measure_savings(runs, "bpe", baseline, _tokens([1, 1, 1, 4], 5, 1))
    assert [change.word for change in savings.most_saved] == ["c", "a", "b"]
    assert [(c.word, c.num_tokens_saved) for c in savings.most_lost] == [("d", -2)]
    assert savings.most_lost[0].num_occurrences == 2
    assert savings.num_tokens_saved_in_words == 4
    assert savings.num_tokens_saved_in_whitespace == -1


def test_words_without_a_change_are_not_shown() -> None:
    runs = WordRuns.find([b"a b"])
    savings = measure_savings(runs, "bpe", _tokens([1, 1]), _tokens([1, 1]))
    assert savings.most_saved == savings.most_lost == ()
