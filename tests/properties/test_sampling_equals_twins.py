"""The core's Viterbi, n-best and draws agree with the plain-Python twins, draw for draw."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toksmith as ts
from toksmith import reference
from toksmith.reference import Model, SplitMix, Word
from toksmith.reference.boundary import Mode

TEXT = "low lower lowest newer newest wider; aa aaa aaaa abab ababab é éé\n  low low"
texts = st.lists(
    st.sampled_from([b"low", b"newest", b"a", b"ab", b" ", b"\n", "é".encode(), b"\xff", b"er"]),
    max_size=12,
).map(b"".join)
modes = st.sampled_from(get_args(Mode))
seeds = st.integers(0, 2**64 - 1)
alphas = st.sampled_from([0.0, 0.1, 0.5, 1.0, 4.0])


@functools.cache
def trained(recipe: str, mode: Mode) -> tuple[ts.Tokenizer, Model]:
    num_units = len(reference.alphabet(mode))
    tok = ts.train(recipe, TEXT, vocab_size=num_units + 40, boundary=mode, alphabet="bytes")
    tokens = [tok.token(id) for id in range(tok.vocab_size)]
    model = Model(
        mode,
        tuple(Word(token.lead, token.bytes, token.trail) for token in tokens),
        tuple(tok.merges),
        num_units=num_units,
        scores=tuple(tok.scores or ()),
    )
    return tok, model


def by_words(data: bytes, mode: Mode, encode_word: Callable[[Word], list[int]]) -> list[int]:
    return [id for word in reference.mark(data, mode) for id in encode_word(word)]


@given(texts, modes)
@settings(max_examples=200, deadline=None)
def test_viterbi_is_the_twin(data: bytes, mode: Mode) -> None:
    tok, model = trained("unigram", mode)
    wanted = by_words(data, mode, lambda word: reference.encode_viterbi(word, model))
    assert tok.encode(data) == wanted


@given(texts, modes, seeds, alphas)
@settings(max_examples=200, deadline=None)
def test_a_sample_is_that_of_the_twin(data: bytes, mode: Mode, seed: int, alpha: float) -> None:
    tok, model = trained("unigram", mode)
    random = SplitMix(seed)
    wanted = by_words(data, mode, lambda word: reference.encode_sample(word, model, random, alpha))
    assert tok.encode(data, sample=ts.Temperature(alpha), seed=seed) == wanted


@given(texts, modes, seeds, st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]))
@settings(max_examples=200, deadline=None)
def test_dropout_is_that_of_the_twin(
    data: bytes, mode: Mode, seed: int, probability: float
) -> None:
    tok, model = trained("bpe", mode)
    random = SplitMix(seed)
    wanted = by_words(
        data, mode, lambda word: reference.encode_dropout(word, model, probability, random)
    )
    assert tok.encode(data, sample=ts.Dropout(probability), seed=seed) == wanted


@given(st.sampled_from(["low", "lowest", "ababab", "aaaa", "newest", "éé"]), seeds, alphas)
@settings(max_examples=200, deadline=None)
def test_several_segmentations_are_those_of_the_twin(word: str, seed: int, alpha: float) -> None:
    tok, model = trained("unigram", "space-prefix")
    marked = Word(False, word.encode(), False)
    n_best = reference.encode_n_best(marked, model, 7)
    assert tok.n_best(word, 7) == [(ids, pytest.approx(score)) for ids, score in n_best]
    distinct = reference.encode_distinct_samples(marked, model, 5, SplitMix(seed), alpha)
    drawn = tok.sample_distinct(word, 5, alpha=alpha, seed=seed)
    assert [ids for ids, _ in drawn] == distinct
