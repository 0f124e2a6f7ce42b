"""The comparison from end to end, on text small enough to be trained in a moment."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import pytest

import toksmith as ts
from toksmith.comparison import Comparison, compare, evaluate_tokenizers
from toksmith.errors import ComparisonError, FormatError, SettingsError
from toksmith.evaluate import Results
from toksmith.recipes import Recipe

_BODY = (
    "def name_{i}(value):\n    if value:\n        return other_{j}(value, {i})\n    return None\n\n"
)


def _documents(start: int, count: int) -> list[str]:
    return [
        "".join(_BODY.format(i=i * 7 % 97, j=i * 5 % 89) for i in range(n, n + 4 + n % 5))
        for n in range(start, start + count)
    ]


TRAIN = _documents(0, 40)
TEST = _documents(1000, 24)
RECIPES = ["bpe+longest-first", "isbpe-dual", "bpe-line-fed"]
# Times, the day, and the hash of the machine's state: what may differ between two runs.
_MEASURED_IN_TIME = ("speed", "created_at")


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare(RECIPES, train=TRAIN, test=TEST, vocab_size=1_100)


def _without_times(results: Results) -> dict[str, object]:
    plain = json.loads(results.to_json())
    plain.pop("created_at")
    for candidate in plain["candidates"]:
        candidate.pop("speed")
    return dict(plain)


def test_the_baseline_is_added_and_comes_first(comparison: Comparison) -> None:
    results = comparison.results
    assert results.baseline == "bpe"
    assert results.candidates[0].name == "bpe"
    assert results.candidates[0].is_baseline
    assert set(comparison.tokenizers) == {"bpe", *RECIPES}


def test_figures_are_those_of_the_tokenizers(comparison: Comparison) -> None:
    for candidate in comparison.results.candidates:
        tokenizer = comparison.tokenizers[candidate.name]
        counts = tuple(len(tokenizer.encode(text)) for text in TEST)
        assert candidate.compression.num_tokens_by_document == counts
        num_bytes = sum(len(text.encode()) for text in TEST)
        assert candidate.compression.bytes_per_token == num_bytes / sum(counts)
        assert candidate.compression.num_pretokens == sum(map(tokenizer.count_pretokens, TEST))
        assert candidate.vocab_size == tokenizer.vocab_size


def test_savings_by_place_add_up_to_the_whole_saving(comparison: Comparison) -> None:
    baseline = comparison.results.candidate("bpe").compression.num_tokens
    for candidate in comparison.results.candidates:
        words = candidate.words
        assert words is not None
        saved = (
            words.num_tokens_saved_in_words
            + words.num_tokens_saved_in_whitespace
            + words.num_tokens_saved_elsewhere
        )
        assert saved == baseline - candidate.compression.num_tokens


def test_lengths_count_every_token_once(comparison: Comparison) -> None:
    for candidate in comparison.results.candidates:
        for lengths in candidate.vocabulary.lengths:
            assert candidate.words is not None
            whole = {
                "test tokens": candidate.compression.num_tokens,
                "test tokens without white space": candidate.compression.num_tokens
                - candidate.words.num_tokens_in_whitespace,
                "vocabulary": candidate.vocab_size,
            }
            assert sum(lengths.counts) == whole[lengths.population]


def test_line_fed_is_flagged_never_ranked_and_its_effect_is_shown(comparison: Comparison) -> None:
    results = comparison.results
    spoiled = results.candidate("bpe-line-fed")
    assert spoiled.rank is None
    assert spoiled.standing == "not ranked"
    assert spoiled.is_line_fed
    assert "single lines" in spoiled.sentence
    assert results.line_fed is not None
    assert {row.candidate for row in results.line_fed.rows} == {"bpe+longest-first", "isbpe-dual"}
    base, fed = results.candidate("bpe").compression, spoiled.compression
    assert results.line_fed.num_extra_tokens == fed.num_tokens - base.num_tokens
    row = results.line_fed.rows[0]
    rival = results.candidate(row.candidate).compression
    expected = 100 * (fed.num_tokens / rival.num_tokens - 1)
    assert row.apparent_gain_percent == pytest.approx(expected)


def test_a_bpe_fed_whole_documents_owns_newline_and_indent(comparison: Comparison) -> None:
    checks = {c.candidate: c for c in comparison.results.checks if c.name == "fed whole documents"}
    assert checks["bpe"].outcome == "held"
    assert checks["bpe"].figure is not None
    assert checks["bpe"].figure >= 1
    assert checks["bpe-line-fed"].outcome == "warning"
    assert checks["bpe-line-fed"].figure == 0


def test_a_line_fed_vocabulary_is_found_out_without_its_name(comparison: Comparison) -> None:
    spoiled = ts.train("bpe", ts.Corpus(TRAIN).lines(), vocab_size=400)
    fair = ts.train("bpe", TRAIN, vocab_size=400)
    results = evaluate_tokenizers({"fair": fair, "spoiled": spoiled}, test=TEST).results
    checks = {c.candidate: c for c in results.checks if c.name == "fed whole documents"}
    assert checks["fair"].outcome == "held"
    assert checks["spoiled"].outcome == "warning"
    assert "line by line" in checks["spoiled"].sentence
    assert checks["spoiled"].sentence in results.candidate("spoiled").notes


def test_recipes_that_differ_in_the_encoder_share_the_vocabulary(comparison: Comparison) -> None:
    speed = comparison.results.candidate("bpe+longest-first").speed
    assert speed.training_shared_with == "bpe"
    assert speed.counts_shared_with == "bpe"
    assert comparison.results.candidate("isbpe-dual").speed.counts_shared_with is None
    tokenizer = comparison.tokenizers["bpe+longest-first"]
    assert tokenizer.encoder == "longest-first"
    assert tokenizer.merges == comparison.tokenizers["bpe"].merges


def test_ranks_follow_tokens(comparison: Comparison) -> None:
    ranked = [c for c in comparison.results.candidates if c.rank is not None]
    by_rank = sorted(ranked, key=lambda c: c.rank or 0)
    tokens = [c.compression.num_tokens for c in by_rank]
    assert tokens == sorted(tokens)
    assert by_rank[0].rank == 1


def test_two_runs_differ_in_times_only(comparison: Comparison) -> None:
    again = compare(RECIPES, train=TRAIN, test=TEST, vocab_size=1_100, num_threads=1)
    first, second = _without_times(comparison.results), _without_times(again.results)
    for plain in (first, second):
        arguments = plain["arguments"]
        assert isinstance(arguments, dict)
        arguments.pop("num_threads")
    assert first == second


def test_the_order_of_test_documents_changes_no_figure(comparison: Comparison) -> None:
    again = compare(RECIPES, train=TRAIN[::-1], test=TEST[::-1], vocab_size=1_100).results
    for candidate in comparison.results.candidates:
        other = again.candidate(candidate.name)
        assert other.gain == candidate.gain
        assert other.vocabulary == candidate.vocabulary
        assert other.words == candidate.words
        assert other.rank == candidate.rank
    assert again.test.digest == comparison.results.test.digest
    assert again.verdict == comparison.results.verdict


def test_training_documents_in_the_test_end_the_ranking() -> None:
    results = compare(["isbpe-dual"], train=TRAIN, test=[*TEST, TRAIN[0]], vocab_size=1_030).results
    assert all(candidate.rank is None for candidate in results.candidates)
    assert results.verdict.startswith("No ranking")
    assert "training documents too" in results.verdict


def test_a_ready_tokenizer_is_measured_but_not_ranked() -> None:
    ready = ts.train("isbpe-dual", TRAIN, vocab_size=1_030)
    results = compare([ready, "isbpe-single"], train=TRAIN, test=TEST, vocab_size=1_030).results
    candidate = results.candidate("isbpe-dual (ready-made)")
    assert candidate.rank is None
    assert "unknown corpus" in candidate.sentence
    assert results.candidate("isbpe-single").rank is not None


def test_evaluate_measures_without_ranking() -> None:
    tokenizers = {
        "a": ts.train("bpe", TRAIN, vocab_size=300),
        "b": ts.train("bpe", TRAIN, vocab_size=400),
    }
    results = evaluate_tokenizers(tokenizers, test=TEST, baseline="b").results
    assert results.baseline == "b"
    assert results.train is None
    assert [candidate.rank for candidate in results.candidates] == [None, None]
    gain = results.candidate("a").gain
    assert gain is not None
    assert gain.tokens_percent > 0
    with pytest.raises(ComparisonError, match="unknown baseline 'c'; there are: a, b"):
        evaluate_tokenizers(tokenizers, test=TEST, baseline="c")
    with pytest.raises(ComparisonError, match="no tokenizers"):
        evaluate_tokenizers({}, test=TEST)


def test_a_vocabulary_that_stops_short_is_named_and_ranked() -> None:
    results = compare(["bpe"], train=["ab ab ab"], test=["ab"] * 6, vocab_size=4_000).results
    assert results.candidates[0].rank == 1
    assert any("stopped short" in note for note in results.candidates[0].notes)


def test_special_tokens_are_slots_and_no_tokens_of_the_text() -> None:
    test = [*TEST, "a <eot> b"]
    results = compare(["bpe"], train=TRAIN, test=test, vocab_size=300, special_tokens=["<eot>"])
    candidate = results.results.candidate("bpe")
    assert candidate.vocab_size == 300
    assert candidate.vocabulary.num_special_tokens == 1
    assert sum(candidate.vocabulary.lengths[0].counts) == candidate.compression.num_tokens


def test_a_generator_can_be_trained_on() -> None:
    results = compare(
        ["isbpe-single", "isbpe-dual"], train=iter(TRAIN), test=iter(TEST), vocab_size=1_030
    ).results
    assert results.train is not None
    assert results.train.num_documents == len(TRAIN)


def test_recipe_objects_bring_their_pretokenizer_to_the_baseline() -> None:
    recipe = Recipe.parse("isbpe-dual", pretokenizer="gpt2")
    results = compare([recipe], train=TRAIN, test=TEST, vocab_size=1_030).results
    assert results.candidate("bpe").settings["pretokenizer"] == "gpt2"
    assert results.candidate("isbpe-dual").notes == ()


def test_another_pretokenizer_is_named_beside_the_figures() -> None:
    recipe = dataclasses.replace(Recipe.parse("bpe", pretokenizer="gpt2"), name="bpe-gpt2")
    results = compare([recipe, "bpe"], train=TRAIN, test=TEST, vocab_size=300).results
    assert any("'gpt2' instead of" in note for note in results.candidate("bpe-gpt2").notes)
    assert results.candidate("bpe-gpt2").rank is not None


def test_progress_is_told_and_can_stop_the_work() -> None:
    stages = []

    def stop(stage: str, done: int, total: int | None) -> None:
        stages.append(stage)
        if stage.startswith("encoding"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare(["bpe"], train=TRAIN, test=TEST, vocab_size=300, progress=stop)
    assert any(stage.startswith("counting words for bpe") for stage in stages)
    assert "training bpe" in stages


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"recipes": []}, ComparisonError, "no recipes"),
        ({"recipes": ["bpe", "bpe"]}, ComparisonError, "2 times"),
        ({"recipes": ["nope"]}, SettingsError, "known recipes"),
        ({"baseline": "bpe-line-fed"}, ComparisonError, "cannot be the baseline"),
        ({"num_resamples": 999}, SettingsError, "999"),
        ({"test": [""]}, ComparisonError, "empty"),
        ({"vocab_size": 100}, SettingsError, "100"),
    ],
)
def test_bad_input_is_refused(
    arguments: dict[str, object], error: type[Exception], message: str
) -> None:
    given = {"recipes": ["bpe"], "train": TRAIN, "test": TEST, "vocab_size": 300} | arguments
    recipes = given.pop("recipes")
    with pytest.raises(error, match=message):
        compare(recipes, **given)  # type: ignore[arg-type]


def test_results_come_back_from_their_file(comparison: Comparison, tmp_path: Path) -> None:
    comparison.save_json(tmp_path / "results.json")
    assert Results.load_json(tmp_path / "results.json") == comparison.results


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(extra=1), "unknown field 'extra'"),
        (lambda d: d.pop("verdict"), "field 'verdict' is missing"),
        (lambda d: d.update(version=2), "version 2"),
        (lambda d: d.update(version=True), "version True"),
        (lambda d: d.update(format="other"), "`format` is 'other'"),
        (lambda d: d["candidates"][0].update(rank="1"), r"candidates\[0\].rank: expected int"),
        (lambda d: d["candidates"][0].update(standing="won"), "'won' is not one of"),
        (lambda d: d["test"].update(num_bytes=1.5), "test.num_bytes: expected int, found float"),
        (lambda d: d.update(checks={}), "checks: expected list"),
    ],
)
def test_altered_results_are_refused_with_the_place(
    comparison: Comparison, change: object, message: str
) -> None:
    document = json.loads(comparison.results.to_json())
    change(document)  # type: ignore[operator]
    with pytest.raises(FormatError, match=message):
        Results.from_json(json.dumps(document).encode(), name="results.json")


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff", b'{"format": NaN}', b"[" * 100_000])
def test_what_is_no_results_file_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError, match=r"x: not a toksmith\.results file"):
        Results.from_json(data, name="x")


def test_an_unknown_candidate_is_named(comparison: Comparison) -> None:
    with pytest.raises(KeyError, match="there are: bpe"):
        comparison.results.candidate("nope")


def test_tokenizers_are_saved_under_their_names(comparison: Comparison, tmp_path: Path) -> None:
    paths = comparison.save_tokenizers(tmp_path / "new")
    assert paths["bpe+longest-first"].name == "bpe+longest-first.tok.json"
    assert ts.load(paths["isbpe-dual"]) == comparison.tokenizers["isbpe-dual"]


def test_repr_is_the_verdict(comparison: Comparison) -> None:
    assert comparison.results.verdict in repr(comparison)
    assert "<table>" in comparison._repr_html_()


def test_importing_loads_nothing_heavy() -> None:
    code = (
        "import sys, toksmith.evaluate, toksmith.report; "
        "print({'numpy', 'rich', 'jinja2', 'altair', 'scipy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_one_string_is_no_list_of_recipes() -> None:
    with pytest.raises(SettingsError, match=r"has to be a list, for example \['bpe', 'isbpe-dual'"):
        compare("bpe, isbpe-dual", train=TRAIN, test=TEST, vocab_size=300)
    tokenizer = ts.train("bpe", TRAIN, vocab_size=300)
    with pytest.raises(SettingsError, match="tokenizers is a list"):
        evaluate_tokenizers([tokenizer], test=TEST)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="'x' is a str, not a Tokenizer"):
        evaluate_tokenizers({"x": "file.tok.json"}, test=TEST)  # type: ignore[dict-item]


def test_records_of_the_same_training_text_are_said() -> None:
    one = ts.train("bpe", TRAIN, vocab_size=300)
    sentences = [
        evaluate_tokenizers({"one": one, "other": other}, test=TEST).results.candidates[1].sentence
        for other in (
            ts.train("bpe", TRAIN, vocab_size=400),
            ts.train("bpe", TRAIN[1:], vocab_size=400),
            ts.train("isbpe-dual", TRAIN, vocab_size=1_030),
        )
    ]
    assert ["same training text by their records" in s for s in sentences] == [True, False, False]
    assert ["unknown corpus" in s for s in sentences] == [False, True, True]


def test_files_left_out_are_in_the_results(tmp_path: Path) -> None:
    for side in ("train", "test"):
        (tmp_path / side).mkdir()
        for i, text in enumerate(TRAIN if side == "train" else TEST):
            (tmp_path / side / f"{i}.txt").write_text(text)
        for i in range(7):
            (tmp_path / side / f"{i}.bin").write_bytes(b"\0")
    results = compare(
        ["bpe"], train=tmp_path / "train", test=[tmp_path / "test"], vocab_size=300
    ).results
    assert results.train is not None
    for facts, side in ((results.train, "train"), (results.test, "test")):
        assert facts.num_skipped == 7
        assert len(facts.skipped) == 5
        assert "0.bin: " in facts.skipped[0]
        assert facts.name == str(tmp_path / side)


def test_every_recipe_can_be_compared_and_all_that_lose_nothing_are_ranked(tmp_path: Path) -> None:
    comparison = compare(ts.known_recipes(), train=TRAIN, test=TEST, vocab_size=1_100)
    results = comparison.results
    assert {c.name for c in results.candidates} == set(ts.known_recipes())
    for candidate in results.candidates:
        assert candidate.compression.num_tokens > 0
        assert (candidate.rank is None) == candidate.is_line_fed, candidate.name
    # One vocabulary has one training, whatever the number of its encoders.
    merged = results.candidate("wordpiece-pmi+merge-rank")
    assert merged.vocab_size == results.candidate("wordpiece-pmi").vocab_size
    comparison.save_html(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert all(name in page for name in ts.known_recipes())
