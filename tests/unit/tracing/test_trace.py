"""A trace tells what the twins did, shows it, and refuses what it cannot do."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import toksmith as ts
from toksmith.tracing import MergeStep, ScaffoldStep, UnigramStep, known_trainers
from toksmith.tracing.words import MAX_STEPS, MAX_UNITS

CASES = Path(__file__).parents[3] / "testdata" / "cases"
LOW = {"low_": 5, "lowest_": 2, "newer_": 6, "wider_": 3, "new_": 2}
HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


def read(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((CASES / name).read_text(encoding="utf-8"))
    return content


#: Cases that start from the characters alone, as a trace does.
MERGING = [
    case
    for case in read("trainers.json")["cases"]
    if "merges" in case and case["alphabet"].get("byte_fallback") is False
]


@pytest.mark.parametrize("case", MERGING, ids=lambda case: str(case["name"]))
def test_the_merges_told_are_those_of_the_case_file(case: dict[str, Any]) -> None:
    settings = dict(case["trainer"])
    alphabet = {k: v for k, v in case["alphabet"].items() if k not in ("alphabet", "byte_fallback")}
    trainer, vocab_size = settings.pop("type"), settings.pop("vocab_size")
    trace = ts.trace(
        trainer,
        case["counts"],
        vocab_size=vocab_size,
        steps=settings.pop("num_merges", None),
        boundary=case["boundary"],
        **settings,
        **alphabet,
    )
    merges = [
        [*step.pair, step.token]
        for step in trace
        if isinstance(step, MergeStep) or (isinstance(step, ScaffoldStep) and step.shown is None)
    ]
    assert merges == case["merges"]
    if trainer == "scaffold-bpe":
        last = trace[-1]
        assert isinstance(last, ScaffoldStep)
        assert list(last.scaffolds) == case["hidden"]


@pytest.mark.parametrize("case", read("unigram.json")["models"], ids=lambda case: str(case["name"]))
def test_the_losses_and_costs_told_are_those_of_the_case_file(case: dict[str, Any]) -> None:
    pieces = list(case["pieces"])
    (step,) = ts.trace(
        "unigram", case["words"], vocab_size=len(pieces), method="counts", pieces=pieces
    )
    assert isinstance(step, UnigramStep)
    assert (step.total, step.removed) == (case["total"], ())
    assert step.loss == pytest.approx(case["loss"], abs=1e-9)
    assert {row.piece: row.count for row in step.pieces} == case["pieces"]
    costs = {row.piece: row.cost for row in step.pieces if row.cost is not None}
    assert costs == pytest.approx(case["removal_costs"], abs=1e-9)
    anew = {row.piece: row.cost_reestimated for row in step.pieces if row.cost is not None}
    assert anew == pytest.approx(case["removal_costs_reestimated"], abs=1e-9)


def live_after(trace: ts.Trace) -> list[Mapping[str, int]]:
    return [step.live for step in trace if isinstance(step, MergeStep)]


@pytest.mark.parametrize("ties", ["ids", "first-met", "last-met"])
def test_sizes_and_what_is_gone_follow_from_the_live_tokens(ties: str) -> None:
    trace = ts.trace("bpe", LOW, vocab_size=15, ties=ties)
    before: Mapping[str, int] = trace.units
    for step, live in zip(trace, live_after(trace), strict=True):
        assert isinstance(step, MergeStep)
        assert step.size == len(live)
        assert step.size_change == len(live) - len(before)
        assert step.gone == tuple(token for token in before if token not in live)
        assert live[step.token] == step.count
        before = live
    assert list(before) == ["_", "d", "e", "i", "l", "o", "s", "t", "w", "er_", "new"]


def test_bytes_are_pinned_and_never_gone() -> None:
    trace = ts.trace("bpe", LOW, vocab_size=258, alphabet="bytes")
    assert trace.num_units == 256
    first, second = trace
    assert isinstance(first, MergeStep)
    assert isinstance(second, MergeStep)
    assert (first.gone, first.size, first.size_change) == ((), 257, 1)
    # `er` is a token and no byte: it may go.
    assert (second.gone, second.size, second.size_change) == (("er",), 257, 0)


def test_counts_may_be_word_counts_or_text() -> None:
    text = "low low lower lowest"
    steps = ts.trace("bpe", text, vocab_size=12).steps
    assert ts.trace("bpe", [text.encode()], vocab_size=12).steps == steps
    assert ts.trace("bpe", ts.count_words(text), vocab_size=12).steps == steps
    dual = ts.count_words(text, boundary="implicit-dual")
    assert (
        ts.trace("isbpe-dual", dual, steps=2).steps == ts.trace("isbpe-dual", text, steps=2).steps
    )


def test_a_trace_of_bytes_tells_the_merges_of_the_trained_tokenizer() -> None:
    text = "the low lower lowest tower, the new newer newest flower\n" * 3
    tokenizer = ts.BPE().train(text, vocab_size=280)
    trace = ts.trace("bpe", text, vocab_size=280, alphabet="bytes")
    told = [step.token for step in trace if isinstance(step, MergeStep)]
    assert told == [str(tokenizer.token(new)) for _, _, new in tokenizer.merges]


def test_boundaries_show_as_they_are_written() -> None:
    def told(boundary: str) -> list[str]:
        trace = ts.trace("bpe", "low low low low", steps=3, boundary=boundary)
        return [step.token for step in trace if isinstance(step, MergeStep)]

    assert told("end-of-word") == ["lo", "low", "low</w>"]
    assert told("metaspace") == ["▁l", "ow", "▁low"]
    assert told("space-prefix") == ["lo", "low", "\\slow"]
    # The first `low` begins with `l`, the others with a space.
    assert told("continuation") == ["##ow", "\\sl", "\\slow"]


def test_steps_end_a_trace_early_and_it_says_so() -> None:
    trace = ts.trace("bpe", LOW, steps=2)
    assert len(trace) == 2
    assert not trace.is_complete
    assert ts.trace("bpe", LOW, vocab_size=13).is_complete
    assert ts.trace("bpe", LOW, steps=0).steps == ()
    assert "step 0" in str(ts.trace("bpe", LOW, steps=0))


def test_a_trace_is_a_sequence_of_its_steps() -> None:
    trace = ts.trace("wordpiece-pmi", HUG, vocab_size=13)
    assert list(trace) == list(trace.steps)
    assert trace[1:3] == trace.steps[1:3]
    assert isinstance(trace[0], MergeStep)
    assert trace[0].score == Fraction(1, 20)


@pytest.mark.parametrize("recipe", known_trainers())
def test_every_trainer_shows_as_text_html_and_json(recipe: str) -> None:
    text = "<b>low</b> & low lower <i> low lower" if "isbpe" in recipe else {"<b>": 3, "a<b>|": 2}
    size = 4_000 if "isbpe" in recipe else 7
    trace = ts.trace(recipe, text, vocab_size=size)
    assert len(trace) >= 1
    for number in range(1, len(trace) + 1):
        assert f"step {number}: " in trace.table(width=80)
    html = trace._repr_html_()
    assert "<b>" not in html
    assert "&lt;" in html
    content = json.loads(trace.to_json())
    assert len(content["steps"]) == len(trace)
    assert (content["format"], content["version"]) == ("toksmith-trace", 1)
    assert content["settings"].keys() <= {"trainer", *ts.tracing.TraceSettings.__annotations__}


def test_drop_says_which_piece_goes_first() -> None:
    pieces = ["a", "b", "ab", "ba"]
    trace = ts.trace(
        "unigram", {"abba": 3}, vocab_size=3, method="counts", pieces=pieces, drop=["ba"]
    )
    assert [step.removed for step in trace if isinstance(step, UnigramStep)] == [("ba",), ()]


@pytest.mark.parametrize(
    ("recipe", "settings", "named"),
    [
        ("unigramm", {}, "did you mean 'unigram'"),
        ("words", {}, "known: bpe, isbpe-single"),
        ("bpe", {"score": "pmi"}, "no setting 'score'; known: boundary"),
        ("bpe", {"colour": "red"}, "no setting 'colour'"),
        ("bpe", {"ties": "first"}, "ties is 'first'; known: ids, first-met, last-met"),
        ("bpe", {"min_pair_count": 0}, "min_pair_count is 0"),
        ("bpe", {"min_pair_count": True}, "min_pair_count is True"),
        ("bpe", {"character_coverage": 1.5}, "character_coverage is 1.5"),
        ("bpe", {"alphabet": "bytes", "limit_alphabet": 3}, "go with alphabet='characters'"),
        ("bpe", {"whitespace": "drop"}, "only boundary 'continuation'"),
        ("bpe", {"pretokenizer": "gpt4"}, "pretokenizer is 'gpt4'"),
        ("isbpe-dual", {"boundary": "metaspace"}, "says 'implicit-dual'"),
        ("wordpiece-pmi", {"score": "frequency"}, "says 'pmi'"),
        ("wordpiece", {"min_score": "1"}, "min_score is '1'"),
        ("unigram", {"pieces": "hug"}, "pieces is 'hug'"),
        ("unigram", {"pieces": ["hug"]}, "pieces lack"),
        ("unigram", {"drop": ["hug"]}, "method='counts'"),
        ("unigram", {"drop": ["h"], "method": "counts"}, "drop has 'h'"),
        ("unigram", {"pieces": ["h"], "boundary": "continuation"}, "boundary without marks"),
    ],
)
def test_wrong_settings_are_refused_by_name(
    recipe: str, settings: dict[str, Any], named: str
) -> None:
    with pytest.raises(ts.SettingsError, match=named):
        ts.trace(recipe, HUG, vocab_size=20, **settings)


@pytest.mark.parametrize(
    ("stop", "named"),
    [
        ({}, "vocab_size, or steps"),
        ({"vocab_size": 2}, "vocab_size is 2, but the units alone need 7"),
        ({"vocab_size": True}, "vocab_size is True"),
        ({"vocab_size": 9, "steps": -1}, "steps is -1"),
    ],
)
def test_a_trace_needs_to_know_where_to_stop(stop: dict[str, int], named: str) -> None:
    with pytest.raises(ts.SettingsError, match=named):
        ts.trace("bpe", HUG, **stop)


def test_unigram_needs_a_vocab_size() -> None:
    with pytest.raises(ts.SettingsError, match="unigram goes down to a vocab_size"):
        ts.trace("unigram", HUG, steps=3)


@pytest.mark.parametrize(
    ("counts", "named"),
    [
        ({}, "no words"),
        ("", "no words"),
        ({"a": 0}, "count of 'a' is 0"),
        ({"a": 1.5}, "count of 'a' is 1.5"),
        ({"": 1}, "word ''"),
        ({3: 1}, "word 3"),
        (5, "counts is int"),
        ([5], "a text is int"),
    ],
)
def test_what_is_no_corpus_is_refused(counts: object, named: str) -> None:
    with pytest.raises(ts.CorpusError, match=named):
        ts.trace("bpe", counts, steps=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("recipe", ["bpe", "scaffold-bpe", "wordpiece-pmi", "unigram"])
def test_more_than_plain_python_can_do_is_refused_with_the_bound(recipe: str) -> None:
    most = MAX_UNITS[recipe.removesuffix("-pmi")]
    with pytest.raises(ts.TrainingError, match=f"{most + 2:,} units.* takes at most {most:,}"):
        ts.trace(recipe, {"ab" * (most // 2 + 1): 1}, vocab_size=9)
    with pytest.raises(ts.TrainingError, match=f"more than {100 * most:,} bytes"):
        ts.trace(recipe, "a " * (60 * most), vocab_size=9)


def test_more_steps_than_are_told_are_refused_with_the_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert MAX_STEPS == 1_000
    monkeypatch.setattr(importlib.import_module("toksmith.tracing.trace"), "MAX_STEPS", 3)
    assert len(ts.trace("bpe", LOW, steps=3)) == 3
    for stop in ({"vocab_size": 15}, {"steps": 4}):
        with pytest.raises(ts.TrainingError, match="more than 3 steps"):
            ts.trace("bpe", LOW, **stop)


def test_word_counts_of_another_boundary_are_refused() -> None:
    counts = ts.count_words("low lower", boundary="implicit-dual")
    with pytest.raises(ts.SettingsError, match="implicit-dual"):
        ts.trace("bpe", counts, steps=1, boundary="space-prefix")
    with pytest.raises(ts.SettingsError, match="continuation"):
        ts.trace("wordpiece-pmi", counts, steps=1)
