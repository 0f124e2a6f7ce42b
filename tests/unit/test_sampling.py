"""Encoding at random: from a seed, and never without one."""

from __future__ import annotations

import math
import pickle
from collections import Counter

import pytest

import toksmith as ts

TEXT = "low lower lowest, newer newest wider; low low new"


@pytest.fixture(scope="module")
def bpe() -> ts.Tokenizer:
    return ts.BPE(special_tokens=["<eot>"]).train(TEXT, vocab_size=275)


@pytest.fixture(scope="module")
def unigram() -> ts.Tokenizer:
    return ts.Unigram(special_tokens=["<eot>"]).train(TEXT, vocab_size=275)


def test_equal_seeds_give_equal_ids_and_others_do_not(
    bpe: ts.Tokenizer, unigram: ts.Tokenizer
) -> None:
    sampled: list[tuple[ts.Tokenizer, ts.Dropout | ts.Temperature]] = [
        (bpe, ts.Dropout(0.5)),
        (unigram, ts.Temperature(0.2)),
    ]
    for tok, sample in sampled:
        ids = [tok.encode(TEXT, sample=sample, seed=seed) for seed in range(20)]
        assert ids == [tok.encode(TEXT, sample=sample, seed=seed) for seed in range(20)]
        assert len({tuple(one) for one in ids}) > 10
        assert {tok.decode(one) for one in ids} == {TEXT}


def test_the_ends_of_the_scale_are_the_best_encoding_and_units(
    bpe: ts.Tokenizer, unigram: ts.Tokenizer
) -> None:
    assert bpe.encode(TEXT, sample=ts.Dropout(0), seed=1) == bpe.encode(TEXT)
    assert bpe.encode(TEXT, sample=ts.Dropout(1), seed=1) == list(TEXT.encode())
    assert unigram.encode(TEXT, sample=ts.Temperature(1e5), seed=1) == unigram.encode(TEXT)


def test_a_sample_needs_a_seed_and_a_seed_a_sample(
    bpe: ts.Tokenizer, unigram: ts.Tokenizer
) -> None:
    for tok, sample in ((bpe, ts.Dropout(0.1)), (unigram, ts.Temperature(1.0))):
        with pytest.raises(ts.SettingsError, match="sample needs a seed"):
            tok.encode(TEXT, sample=sample)
        with pytest.raises(ts.SettingsError, match="seed goes with sample"):
            tok.encode(TEXT, seed=1)
    with pytest.raises(TypeError, match="seed"):
        unigram.sample_distinct(TEXT, 1)  # type: ignore[call-arg]


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, "1", True])
def test_a_seed_is_a_whole_number_of_64_bits(unigram: ts.Tokenizer, seed: int) -> None:
    with pytest.raises(ts.SettingsError, match="seed is"):
        unigram.encode(TEXT, sample=ts.Temperature(1), seed=seed)
    with pytest.raises(ts.SettingsError, match="seed is"):
        unigram.sample_distinct(TEXT, 1, seed=seed)


def test_what_a_vocabulary_cannot_do_is_said(bpe: ts.Tokenizer, unigram: ts.Tokenizer) -> None:
    with pytest.raises(ts.SettingsError, match="no scores"):
        bpe.encode(TEXT, sample=ts.Temperature(1), seed=1)
    with pytest.raises(ts.SettingsError, match="no scores"):
        bpe.n_best(TEXT, 1)
    with pytest.raises(ts.SettingsError, match="encoder is viterbi"):
        unigram.encode(TEXT, sample=ts.Dropout(0.1), seed=1)
    with pytest.raises(TypeError, match="not Dropout or Temperature"):
        bpe.encode(TEXT, sample=0.1, seed=1)  # type: ignore[arg-type]


@pytest.mark.parametrize("probability", [-0.1, 1.1, math.nan])
def test_a_dropout_is_a_probability(probability: float) -> None:
    with pytest.raises(ts.SettingsError, match="the dropout is"):
        ts.Dropout(probability)


@pytest.mark.parametrize("alpha", [-1.0, math.inf, math.nan])
def test_an_inverse_temperature_is_not_below_0(alpha: float, unigram: ts.Tokenizer) -> None:
    with pytest.raises(ts.SettingsError, match="alpha is"):
        ts.Temperature(alpha)
    with pytest.raises(ts.SettingsError, match="alpha is"):
        unigram.sample_distinct(TEXT, 1, alpha=alpha, seed=1)


@pytest.mark.parametrize("sample", [ts.Dropout(0.25), ts.Temperature(0.5)])
def test_samples_are_values(sample: ts.Dropout | ts.Temperature) -> None:
    assert pickle.loads(pickle.dumps(sample)) == sample
    assert repr(sample) in ("Dropout(0.25)", "Temperature(0.5)")


def test_n_best_begins_with_the_encoding_and_falls(unigram: ts.Tokenizer) -> None:
    best = unigram.n_best(TEXT, 8)
    assert best[0][0] == unigram.encode(TEXT)
    assert [score for _, score in best] == sorted((score for _, score in best), reverse=True)
    assert len({tuple(ids) for ids, _ in best}) == 8
    assert unigram.scores is not None
    for ids, score in best:
        assert score == sum(unigram.scores[id] for id in ids)
        assert unigram.decode(ids) == TEXT
    assert unigram.n_best(TEXT, 0) == []
    assert unigram.n_best("", 3) == [([], 0.0)]


def test_special_tokens_stay_where_they_are_allowed(
    bpe: ts.Tokenizer, unigram: ts.Tokenizer
) -> None:
    text = "low<eot>low"
    for tok, sample in ((bpe, ts.Dropout(0.5)), (unigram, ts.Temperature(0.1))):
        ids = tok.encode(text, sample=sample, seed=3, allowed_special="all")
        assert ids.count(tok.special_tokens["<eot>"]) == 1
        assert tok.decode(ids) == text
        assert tok.special_tokens["<eot>"] not in tok.encode(text, sample=sample, seed=3)
    for ids, _ in unigram.n_best(text, 3, allowed_special="all"):
        assert ids.count(unigram.special_tokens["<eot>"]) == 1


def test_distinct_samples_differ_and_their_probabilities_are_those_of_all(
    unigram: ts.Tokenizer,
) -> None:
    drawn = unigram.sample_distinct(" lowest", 10_000, alpha=0.3, seed=2)
    assert len({tuple(ids) for ids, _ in drawn}) == len(drawn)
    assert sum(math.exp(log_prob) for _, log_prob in drawn) == pytest.approx(1)
    every = {tuple(ids): score for ids, score in unigram.n_best(" lowest", 10_000)}
    assert every.keys() == {tuple(ids) for ids, _ in drawn}
    total = math.log(sum(math.exp(0.3 * score) for score in every.values()))
    for ids, log_prob in drawn:
        assert log_prob == pytest.approx(0.3 * every[tuple(ids)] - total)


def test_samples_come_as_often_as_their_probability_says(unigram: ts.Tokenizer) -> None:
    probabilities = {
        tuple(ids): math.exp(log_prob)
        for ids, log_prob in unigram.sample_distinct(" new", 99, alpha=0.4, seed=1)
    }
    draws = 4_000
    sample = ts.Temperature(0.4)
    seen = Counter(tuple(unigram.encode(" new", sample=sample, seed=n)) for n in range(draws))
    for ids, probability in probabilities.items():
        assert seen[ids] / draws == pytest.approx(probability, abs=0.035)


def test_unknown_characters_are_one_token_in_every_sample() -> None:
    tok = ts.Unigram(
        alphabet="characters", byte_fallback=False, unk_token="<unk>", character_coverage=1.0
    ).train(TEXT, vocab_size=30)
    unk = tok.special_tokens["<unk>"]
    text = "low\u00e9\u00e9 low"
    assert tok.encode(text).count(unk) == 1
    for ids, _ in [*tok.n_best(text, 4), *tok.sample_distinct(text, 4, seed=1)]:
        assert ids.count(unk) == 1
    assert tok.encode(text, sample=ts.Temperature(0.1), seed=1).count(unk) == 1
    assert tok.n_best(text, 1)[0][0] == tok.encode(text)
