"""Slots in pairs and lengths."""

from __future__ import annotations

import numpy as np
import pytest

from toksmith import Token
from toksmith.evaluate.vocabulary import (
    LENGTH_BIN_NAMES,
    length_distribution,
    pair_slots,
    without_boundary_space,
)


@pytest.mark.parametrize(
    ("token", "word"),
    [
        (b" the", b"the"),
        (b"the", b"the"),
        (b" ", b" "),
        (b"  ", b"  "),
        (b"  the", b"  the"),
        (b" \n", b" \n"),
        (b"\n ", b"\n "),
        (b" =", b"="),
    ],
)
def test_only_a_space_before_something_else_is_a_boundary(token: bytes, word: bytes) -> None:
    assert without_boundary_space(token) == word


def test_pairs_with_a_space_count_both_slots() -> None:
    tokens = [Token(b"the"), Token(b" the"), Token(b"cat"), Token(b" ="), Token(b"=")]
    letters = pair_slots(tokens, letters_only=True)
    assert (letters.num_slots_in_pairs, letters.num_words, letters.num_forms) == (2, 2, 3)
    assert letters.slots_in_pairs_percent == pytest.approx(40.0)
    assert pair_slots(tokens, letters_only=False).num_slots_in_pairs == 4


def test_marks_make_forms_of_the_same_word() -> None:
    tokens = [Token(b"the"), Token(b"the", lead=True), Token(b".", lead=True, trail=True)]
    assert pair_slots(tokens, letters_only=True).forms_per_word == 2.0
    assert pair_slots(tokens, letters_only=False).num_slots_in_pairs == 2


def test_an_empty_vocabulary_has_no_pairs() -> None:
    assert pair_slots([], letters_only=False).slots_in_pairs_percent == 0.0


def test_every_length_is_in_one_bin() -> None:
    lengths = np.arange(1, 41)
    found = length_distribution(
        lengths, np.ones(40, np.int64), unit="bytes", population="vocabulary"
    )
    assert found.counts == (3, 3, 3, 3, 3, 25)
    assert LENGTH_BIN_NAMES == ("1–3", "4–6", "7–9", "10–12", "13–15", "≥16")
    assert sum(found.shares_percent) == pytest.approx(100.0)
    assert found.mean_length == pytest.approx(20.5)


def test_change_against_a_baseline_without_such_tokens_is_none() -> None:
    lengths = np.array([2, 5])
    base = length_distribution(lengths, np.array([4, 0]), unit="bytes", population="test tokens")
    found = length_distribution(
        lengths, np.array([3, 1]), unit="bytes", population="test tokens", baseline=base
    )
    assert found.change_percent[:2] == (-25.0, None)
