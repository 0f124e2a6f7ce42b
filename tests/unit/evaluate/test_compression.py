"""Gains and their intervals."""

from __future__ import annotations

import builtins

import numpy as np
import pytest

from toksmith.errors import ComparisonError
from toksmith.evaluate.compression import (
    MIN_DOCUMENTS_FOR_INTERVAL,
    bootstrap_token_ratios,
    bytes_per_token,
    measure_compression,
    measure_gain,
    percentile_interval,
    wilcoxon_p_value,
)


def test_bytes_per_token_of_no_tokens_is_refused() -> None:
    with pytest.raises(ComparisonError, match="no tokens"):
        bytes_per_token(3, 0)


def test_fewer_tokens_and_more_bytes_per_token_are_named_apart() -> None:
    gain = measure_gain("bpe", [100] * 10, [90] * 10, seed=0, num_resamples=1_000)
    assert gain.tokens_percent == pytest.approx(-10.0)
    assert gain.bytes_per_token_percent == pytest.approx(100 / 9)
    assert gain.num_documents_fewer_tokens == 10


def test_the_interval_is_that_of_a_plain_resampling_of_documents() -> None:
    generator = np.random.default_rng(1)
    baseline = generator.integers(50, 500, 60)
    candidate = (baseline * generator.uniform(0.9, 1.0, 60)).astype(int)
    draws = generator.integers(0, 60, (20_000, 60))
    plain = candidate[draws].sum(axis=1) / baseline[draws].sum(axis=1)
    expected = percentile_interval(plain)
    ratios = bootstrap_token_ratios(baseline, candidate, num_resamples=20_000)
    found = percentile_interval(ratios)
    assert found.low == pytest.approx(expected.low, abs=5e-4)
    assert found.high == pytest.approx(expected.high, abs=5e-4)


def test_slices_of_resamples_do_not_change_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toksmith.evaluate.compression._SLICE_CELLS", 7)
    assert bootstrap_token_ratios([1, 2, 3], [3, 2, 1], num_resamples=100).shape == (100,)


def test_few_documents_give_a_gain_without_an_interval() -> None:
    few = [10] * (MIN_DOCUMENTS_FOR_INTERVAL - 1)
    gain = measure_gain("bpe", few, few, seed=0, num_resamples=1_000)
    assert gain.bytes_per_token_percent_interval is None
    assert gain.tokens_percent_interval is None


def test_empty_documents_do_not_break_the_bootstrap() -> None:
    gain = measure_gain("bpe", [0, 0, 0, 0, 4], [0, 0, 0, 0, 2], seed=0, num_resamples=1_000)
    interval = gain.bytes_per_token_percent_interval
    assert interval is not None
    assert 0.0 <= interval.low <= interval.high <= 100.0


def test_wilcoxon_of_no_change_is_certain_that_there_is_none() -> None:
    assert wilcoxon_p_value([3, 4], [3, 4]) == (1.0, None)


def test_wilcoxon_sees_a_change_in_every_document() -> None:
    pytest.importorskip("scipy")
    p_value, note = wilcoxon_p_value(range(100, 140), range(99, 139))
    assert note is None
    assert p_value is not None
    assert p_value < 1e-6


def test_wilcoxon_without_scipy_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real_import = builtins.__import__

    def without_scipy(name: str, *args: object, **kwargs: object) -> object:
        if name.startswith("scipy"):
            raise ImportError("no scipy", name=name)
        return real_import(name, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without_scipy)
    p_value, note = wilcoxon_p_value([3, 4], [2, 3])
    assert p_value is None
    assert note is not None
    assert "toksmith[evaluate]" in note


def test_distance_to_the_lower_bound_is_of_the_bound() -> None:
    compression = measure_compression([60, 60], 480, 100)
    assert compression.bytes_per_token == 4.0
    assert compression.tokens_above_pretokens_percent == pytest.approx(20.0)
    assert compression.num_tokens_by_document == (60, 60)
