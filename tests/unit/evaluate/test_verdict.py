"""Verdicts in words, from figures made by hand."""

from __future__ import annotations

import dataclasses

import pytest

from toksmith.comparison import compare
from toksmith.evaluate import Results
from toksmith.evaluate.compression import measure_compression, measure_gain
from toksmith.evaluate.results import Candidate
from toksmith.evaluate.verdict import judge, line_fed_effect, overall_verdict

_DOCUMENTS = 30


@pytest.fixture(scope="module")
def results() -> Results:
    texts = [f"def low_{i}():\n    return lower\n" for i in range(80)]
    return compare(["bpe"], train=texts[40:], test=texts[:_DOCUMENTS], vocab_size=280).results


def _candidate(results: Results, name: str, tokens: list[int], **changes: object) -> Candidate:
    base = [100] * _DOCUMENTS
    is_baseline = name == "bpe"
    made = dataclasses.replace(
        results.candidates[0],
        name=name,
        rank=None,
        is_baseline=is_baseline,
        standing="baseline" if is_baseline else "undecided",
        compression=measure_compression(tokens, 1_000, 50),
        gain=None
        if is_baseline
        else measure_gain("bpe", base, tokens, seed=0, num_resamples=1_000),
    )
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]


def _verdict(candidates: list[Candidate]) -> str:
    return overall_verdict(candidates, (), num_documents=_DOCUMENTS, seed=0, num_resamples=1_000)


def test_ranks_standings_and_the_best(results: Results) -> None:
    noisy = [90, 110] * (_DOCUMENTS // 2)
    judged = judge(
        [
            _candidate(results, "bpe", [100] * _DOCUMENTS),
            _candidate(results, "worse", [120] * _DOCUMENTS),
            _candidate(results, "best", [80] * _DOCUMENTS),
            _candidate(results, "twin", [80] * _DOCUMENTS),
            _candidate(results, "noise", noisy),
        ],
        "bpe",
    )
    found = {c.name: (c.rank, c.standing) for c in judged}
    assert found == {
        "bpe": (3, "baseline"),
        "best": (1, "ahead"),
        "twin": (1, "ahead"),
        "noise": (3, "level"),
        "worse": (5, "behind"),
    }
    assert judged[0].name == "bpe"
    assert _verdict(judged) == (
        "best and twin share first place: best +25.00% bytes/token over bpe (95% interval +25.00% "
        "to +25.00%) and twin +25.00% bytes/token over bpe (95% interval +25.00% to +25.00%), "
        "on 30 test documents; the interval between them holds 0."
    )
    alone = [c for c in judged if c.name != "twin"]
    assert _verdict(alone) == (
        "best is best: +25.00% bytes/token over bpe (95% interval +25.00% to +25.00%), "
        "on 30 test documents."
    )
    without = [c for c in judged if c.standing != "ahead"]
    assert _verdict(without) == (
        "Nothing beats bpe: noise is level with it, worse is behind, on 30 test documents."
    )


def test_different_sizes_of_ranked_vocabularies_are_in_the_verdict(results: Results) -> None:
    judged = judge(
        [
            _candidate(results, "bpe", [100] * _DOCUMENTS, vocab_size=5_584),
            _candidate(results, "best", [80] * _DOCUMENTS, vocab_size=5_900),
        ],
        "bpe",
    )
    assert _verdict(judged).endswith(
        "Vocabularies differ in size (bpe 5,584; best 5,900 slots), which by itself changes "
        "compression: equal sizes need a larger corpus, or a vocab_size of at most 5,584 where "
        "every alphabet fits."
    )


def test_a_candidate_that_broke_a_condition_keeps_no_rank(results: Results) -> None:
    broken = _candidate(
        results, "fast", [50] * _DOCUMENTS, standing="not ranked", sentence="it loses bytes"
    )
    judged = judge([_candidate(results, "bpe", [100] * _DOCUMENTS), broken], "bpe")
    assert judged[1].rank is None
    assert judged[1].sentence == "not ranked: it loses bytes"
    assert _verdict(judged) == "No verdict: nothing can be ranked beside bpe."


def test_the_line_fed_effect_is_computed_from_the_figures(results: Results) -> None:
    spoiled = _candidate(
        results, "fed", [110] * _DOCUMENTS, standing="not ranked", is_line_fed=True
    )
    candidates = [
        _candidate(results, "bpe", [100] * _DOCUMENTS),
        _candidate(results, "dual", [99] * _DOCUMENTS),
        spoiled,
    ]
    effect = line_fed_effect(judge(candidates, "bpe"), "bpe")
    assert effect is not None
    assert effect.num_extra_tokens == 10 * _DOCUMENTS
    assert effect.rows[0].apparent_gain_percent == pytest.approx(100 * (110 / 99 - 1))
    assert effect.rows[0].fair_gain_percent == pytest.approx(100 * (100 / 99 - 1))
    assert "+11.11%" in effect.sentence
    assert "+1.01%" in effect.sentence
    assert line_fed_effect(judge(candidates[:2], "bpe"), "bpe") is None
