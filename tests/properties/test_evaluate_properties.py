"""What must hold for the statistics on any input."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from toksmith.corpus import Corpus
from toksmith.evaluate.compression import (
    bootstrap_token_ratios,
    bytes_per_token_gain_percent,
    measure_gain,
    percentile_interval,
    tokens_gain_percent,
)
from toksmith.evaluate.fairness import TestText
from toksmith.evaluate.letters import is_letters, letter_runs
from toksmith.evaluate.results import Interval
from toksmith.evaluate.vocabulary import length_distribution, without_boundary_space
from toksmith.evaluate.words import token_starts

_counts = st.integers(0, 10_000)
_pairs = st.lists(st.tuples(_counts, _counts), min_size=5, max_size=40)
# Texts in which spaces, letters, marks and stray bytes are near each other.
_texts = st.one_of(
    st.binary(max_size=60),
    st.text("ab é漢𝒳\u0301 _1\n\t", max_size=60).map(str.encode),
)


@given(st.lists(_counts, min_size=5, max_size=40), st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_the_interval_of_identical_candidates_is_zero(counts: list[int], seed: int) -> None:
    assume(sum(counts))
    gain = measure_gain("bpe", counts, counts, seed=seed, num_resamples=1_000)
    assert gain.bytes_per_token_percent == gain.tokens_percent == 0.0
    assert gain.bytes_per_token_percent_interval == Interval(0.0, 0.0)
    assert gain.tokens_percent_interval == Interval(0.0, 0.0)
    assert gain.wilcoxon_p_value == 1.0


@given(_pairs, st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_no_figure_depends_on_the_order_of_documents(
    pairs: list[tuple[int, int]], random: object
) -> None:
    shuffled = list(pairs)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assume(all(sum(side) for side in zip(*pairs, strict=True)))
    one, other = (
        measure_gain("bpe", [b for b, _ in rows], [c for _, c in rows], seed=3, num_resamples=1_000)
        for rows in (pairs, shuffled)
    )
    assert one.bytes_per_token_percent_interval == other.bytes_per_token_percent_interval
    assert one.tokens_percent_interval == other.tokens_percent_interval
    assert one.bytes_per_token_percent == other.bytes_per_token_percent


@given(_pairs, st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_ratios_lie_between_the_extreme_documents_and_repeat(
    pairs: list[tuple[int, int]], seed: int
) -> None:
    baseline = [1 + b for b, _ in pairs]
    candidate = [1 + c for _, c in pairs]
    ratios = bootstrap_token_ratios(baseline, candidate, seed=seed, num_resamples=200)
    again = bootstrap_token_ratios(baseline, candidate, seed=seed, num_resamples=200)
    assert np.array_equal(ratios, again)
    extremes = [c / b for b, c in zip(baseline, candidate, strict=True)]
    assert min(extremes) - 1e-9 <= ratios.min() <= ratios.max() <= max(extremes) + 1e-9
    interval = percentile_interval(ratios)
    assert interval.low <= interval.high


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_the_two_gains_say_the_same(baseline: int, candidate: int) -> None:
    tokens = tokens_gain_percent(baseline, candidate)
    per_token = bytes_per_token_gain_percent(baseline, candidate)
    assert np.isclose((1 + tokens / 100) * (1 + per_token / 100), 1.0)


@given(_texts)
def test_runs_are_letters_and_are_maximal(data: bytes) -> None:
    words, starts, ends = letter_runs(data)
    inside = np.zeros(len(data), bool)
    for word, start, end in zip(words, starts.tolist(), ends.tolist(), strict=True):
        assert data[start:end].decode() == word
        assert is_letters(data[start:end])
        inside[start:end] = True
    if len(starts):
        assert (starts[1:] > ends[:-1]).all()
    # What is left holds no letter.
    outside = b"\0".join(
        data[a:b] for a, b in zip([0, *ends.tolist()], [*starts.tolist(), len(data)], strict=True)
    )
    assert letter_runs(outside)[0] == []


@given(_texts, st.data())
def test_a_token_begins_inside_itself(data: bytes, draw: st.DataObject) -> None:
    cuts = sorted(draw.draw(st.sets(st.integers(1, max(1, len(data) - 1)), max_size=8)))
    cuts = [cut for cut in cuts if cut < len(data)]
    spans = list(zip([0, *cuts], [*cuts, len(data)], strict=True)) if data else []
    starts = token_starts(data, spans)
    for (start, end), begin in zip(spans, starts.tolist(), strict=True):
        assert start <= begin < end
        assert data[begin:end] == without_boundary_space(data[start:end])


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(0, 1000)), max_size=50))
def test_bins_of_length_hold_everything(rows: list[tuple[int, int]]) -> None:
    lengths = np.array([length for length, _ in rows], np.int64)
    weights = np.array([weight for _, weight in rows], np.int64)
    found = length_distribution(lengths, weights, unit="bytes", population="test tokens")
    assert sum(found.counts) == weights.sum()


@given(st.lists(st.binary(max_size=20), max_size=8), st.randoms(use_true_random=False))
def test_facts_of_a_corpus_do_not_depend_on_order(documents: list[bytes], random: object) -> None:
    shuffled = list(documents)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one, other = (TestText.read(Corpus(texts)) for texts in (documents, shuffled))
    assert one.facts == other.facts
    assert one.num_newline_spaces == other.num_newline_spaces
