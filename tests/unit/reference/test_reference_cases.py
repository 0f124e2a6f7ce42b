"""The plain-Python twins give the answers of the case files."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from toksmith.reference import (
    Model,
    Word,
    alphabet,
    byte_spans,
    decode,
    encode,
    encode_fewest_tokens,
    encode_longest_first,
    encode_longest_prefix,
    encode_longest_suffix,
    encode_merge_rank,
    form,
    mark,
    mark_pretokens,
    model_from_merges,
    normalize,
    parse_form,
    pretokenize,
    pretokenize_custom,
    train,
    unmark,
)
from toksmith.reference.boundary import Mode, Whitespace
from toksmith.reference.pretokenize import Pattern

CASES = Path(__file__).parents[3] / "testdata" / "cases"

# The case files' short names of the boundaries.
MODES: dict[str, Mode] = {
    "bpe": "space-prefix",
    "single": "implicit-single",
    "dual": "implicit-dual",
}
PATTERNS: tuple[Pattern, ...] = ("gpt2", "gpt2-contraction-fix")
WHITESPACES: tuple[Whitespace, ...] = ("split", "whole")


def read(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((CASES / name).read_text(encoding="utf-8"))
    return content


def word(row: list[Any]) -> Word:
    lead, hex_bytes, trail = row
    return Word(bool(lead), bytes.fromhex(hex_bytes), bool(trail))


def name_of(case: dict[str, Any]) -> str:
    return str(case["name"])


MARKS = read("implicit-space-marks.json")
MODELS = read("implicit-space-models.json")
DECODES = read("implicit-space-decode.json")
ENCODERS = read("encoders.json")
LONGEST_FIRST = read("longest-first.json")
EXTRA = read("implicit-space-extra.json")
NORMALIZERS = read("normalizers.json")


@pytest.mark.parametrize("case", MARKS["cases"], ids=name_of)
def test_marks_are_those_of_the_case_file(case: dict[str, Any]) -> None:
    data = bytes.fromhex(case["hex"])
    for pattern in PATTERNS:
        expected = case.get(pattern, case["gpt2-contraction-fix"])
        assert [p.hex() for p in pretokenize(data, pattern)] == expected["regex_pretokens"]
        for short in ("single", "dual"):
            for whitespace in WHITESPACES:
                answer = expected.get(f"{short}/{whitespace}", expected[f"{short}/split"])
                words = mark(data, MODES[short], pattern, whitespace)
                assert words == [word(row) for row in answer["marked"]]
                assert " | ".join(form(w) for w in words) == answer["shown"]
                assert unmark(words, MODES[short]) == data


def check_model(row: dict[str, Any], documents: list[str]) -> None:
    """Train the model of one row of a case file and check every answer that the row has."""
    mode = MODES[row["mode"]]
    pattern: Pattern = row["pattern"]
    whitespace: Whitespace = row["whitespace"]
    counts = Counter(w for d in documents for w in mark(d.encode(), mode, pattern, whitespace))
    model = train(counts, mode, row["vocab_size"], row["min_pair_count"])
    assert [list(merge) for merge in model.merges] == row["merges"]
    base = len(alphabet(mode))
    assert list(model.tokens[base:]) == [word(token) for token in row["tokens_from_base"]]
    for sample in row["samples"]:
        data = sample["text"].encode()
        ids = encode(data, model, pattern, whitespace)
        longest_first = encode(data, model, pattern, whitespace, encode_longest_first)
        assert ids == sample["ids"]
        assert longest_first == sample["ids_longest_first"]
        assert " | ".join(form(model.tokens[i]) for i in ids) == sample["shown"]
        assert decode(ids, model) == decode(longest_first, model) == data


@pytest.mark.parametrize("index", range(len(MODELS["models"])))
def test_models_are_those_of_the_case_file(index: int) -> None:
    check_model(MODELS["models"][index], MODELS["documents"])


@pytest.mark.parametrize("case", DECODES["cases"], ids=name_of)
def test_decoding_is_that_of_the_case_file(case: dict[str, Any]) -> None:
    model = model_from_merges(MODES[case["mode"]], [])
    data = decode(case["ids"], model)
    assert data.hex() == case["hex"]
    canonical = encode(data, model)
    assert (canonical == case["ids"]) == case["canonical"]
    assert canonical == (case["ids"] if case["canonical"] else case["canonical_ids"])


def bytes_model(vocab: list[str]) -> Model:
    """A model without marks whose tokens are all bytes and the given strings."""
    tokens = [*alphabet("space-prefix")]
    tokens += [Word(False, t.encode(), False) for t in vocab if len(t.encode()) > 1]
    return Model("space-prefix", tuple(tokens))


@pytest.mark.parametrize("group", LONGEST_FIRST["groups"], ids=name_of)
def test_longest_first_pieces_are_those_of_the_case_file(group: dict[str, Any]) -> None:
    model = bytes_model(group["vocab"])
    for case in group["cases"]:
        ids = encode_longest_first(Word(False, case["word"].encode(), False), model)
        assert [model.tokens[i].bytes.hex() for i in ids] == case["pieces_hex"]


@pytest.mark.parametrize("group", ENCODERS["groups"], ids=name_of)
def test_encoders_that_choose_spans_differ_as_the_case_file_says(group: dict[str, Any]) -> None:
    model = bytes_model(group["vocab"])
    visible = [
        i for i, t in enumerate(model.tokens) if t.bytes.decode("latin-1") not in group["hidden"]
    ]
    for name, encode_word in {
        "longest-first": encode_longest_first,
        "longest-prefix": encode_longest_prefix,
        "longest-suffix": encode_longest_suffix,
        "fewest-tokens": encode_fewest_tokens,
    }.items():
        for case in group["cases"]:
            ids = encode_word(Word(False, case["word"].encode(), False), model, visible)
            assert [model.tokens[i].bytes.decode() for i in ids] == case[name]


@pytest.mark.parametrize("index", range(len(EXTRA["models"])))
def test_further_models_are_those_of_the_case_file(index: int) -> None:
    check_model(EXTRA["models"][index], MODELS["documents"])


@pytest.mark.parametrize("case", EXTRA["space_prefix_whole_marks"], ids=name_of)
def test_space_prefix_with_whole_whitespace_joins_it(case: dict[str, Any]) -> None:
    data = bytes.fromhex(case["hex"])
    words = mark(data, "space-prefix", whitespace="whole")
    assert words == [word(row) for row in case["marked"]]
    assert unmark(words, "space-prefix") == data


@pytest.mark.parametrize("case", EXTRA["repeated_tokens"], ids=name_of)
def test_two_merges_may_spell_one_token(case: dict[str, Any]) -> None:
    mode = MODES[case["mode"]]
    model = model_from_merges(mode, [(a, b, c) for a, b, c in case["merges"]])
    base = len(alphabet(mode))
    assert list(model.tokens[base:]) == [word(token) for token in case["tokens_from_base"]]
    for row in case["words"]:
        marked = word(row["word"])
        assert encode_merge_rank(marked, model) == row["ids"]
        assert encode_longest_first(marked, model) == row["ids_longest_first"]


@pytest.mark.parametrize("case", EXTRA["special_tokens"], ids=name_of)
def test_special_tokens_part_a_text(case: dict[str, Any]) -> None:
    specials = [bytes.fromhex(token) for token in case["special_tokens"]]
    model = model_from_merges(MODES[case["mode"]], [], specials)
    data = bytes.fromhex(case["hex"])
    ids = encode(data, model)
    assert ids == case["ids"]
    assert decode(ids, model) == data
    for decoded in case["decode"]:
        assert decode(decoded["ids"], model).hex() == decoded["hex"]


@pytest.mark.parametrize("case", EXTRA["offsets"], ids=name_of)
def test_spans_leave_implied_spaces_out(case: dict[str, Any]) -> None:
    specials = [bytes.fromhex(token) for token in case["special_tokens"]]
    merges = [(a, b, c) for a, b, c in case["merges"]]
    model = model_from_merges(MODES[case["mode"]], merges, specials)
    ids = encode(bytes.fromhex(case["hex"]), model)
    assert ids == case["ids"]
    assert [list(span) for span in byte_spans(ids, model)] == case["byte_spans"]


@pytest.mark.parametrize("case", EXTRA["cut_documents"], ids=name_of)
def test_a_safe_cut_changes_no_word(case: dict[str, Any]) -> None:
    left, right = (bytes.fromhex(case[side]) for side in ("left_hex", "right_hex"))
    mode = MODES[case["mode"]]
    whitespace: Whitespace = case["whitespace"]
    left_words = mark(left, mode, whitespace=whitespace)
    right_words = mark(right, mode, whitespace=whitespace, at_start=False)
    assert left_words == [word(row) for row in case["left_marked"]]
    assert right_words == [word(row) for row in case["right_marked"]]
    assert left_words + right_words == mark(left + right, mode, whitespace=whitespace)


@pytest.mark.parametrize("case", EXTRA["decode_after"], ids=name_of)
def test_a_slice_gets_its_space_back(case: dict[str, Any]) -> None:
    specials = [bytes.fromhex(token) for token in case["special_tokens"]]
    model = model_from_merges(MODES[case["mode"]], [], specials)
    assert decode(case["ids"], model, case["after"]).hex() == case["hex"]


@pytest.mark.parametrize("case", EXTRA["visible"], ids=name_of)
def test_hidden_tokens_are_not_used(case: dict[str, Any]) -> None:
    model = bytes_model(case["vocab"])
    ids_of = model.ids()
    hidden = {ids_of[Word(False, token.encode(), False)] for token in case["hidden"]}
    visible = set(range(len(model.tokens))) - hidden
    for row in case["words"]:
        ids = encode_longest_first(Word(False, row["word"].encode(), False), model, visible)
        assert [model.tokens[i].bytes.decode() for i in ids] == row["pieces"]


@pytest.mark.parametrize("case", EXTRA["custom_patterns"], ids=name_of)
def test_text_between_matches_is_kept(case: dict[str, Any]) -> None:
    data = bytes.fromhex(case["hex"])
    pretokens = [p.encode() for p in pretokenize_custom(data.decode(), re.compile(case["pattern"]))]
    assert [p.hex() for p in pretokens] == case["pretokens"]
    words = mark_pretokens(pretokens, "implicit-dual")
    assert words == [word(row) for row in case["dual"]]
    assert unmark(words, "implicit-dual") == data


@pytest.mark.parametrize("case", EXTRA["named_patterns"], ids=name_of)
def test_whitespace_and_none_cut_as_said(case: dict[str, Any]) -> None:
    data = bytes.fromhex(case["hex"])
    pattern: Pattern = case["pattern"]
    assert [p.hex() for p in pretokenize(data, pattern)] == case["pretokens"]
    assert mark(data, "implicit-dual", pattern) == [word(row) for row in case["dual"]]


@pytest.mark.parametrize("case", EXTRA["forms"], ids=lambda case: str(case["form"]))
def test_forms_are_those_of_the_case_file(case: dict[str, Any]) -> None:
    token = word(case["token"])
    assert form(token) == case["form"]
    assert parse_form(case["form"]) == token


@pytest.mark.parametrize("case", NORMALIZERS["cases"], ids=name_of)
def test_normalizers(case: dict[str, Any]) -> None:
    assert normalize(bytes.fromhex(case["hex"]), case["normalizer"]).hex() == case["normalized"]


@pytest.mark.parametrize("case", read("boundaries.json")["cases"], ids=name_of)
def test_boundaries_mark_and_decode_as_the_case_file_says(case: dict[str, Any]) -> None:
    mode, whitespace = case["boundary"], case["whitespace"]
    words = mark(case["text"].encode(), mode, whitespace=whitespace)
    assert words == [word(row) for row in case["marked"]]
    assert unmark(words, mode, whitespace).decode() == case["decoded"]


@pytest.mark.parametrize("case", read("boundaries.json")["special_tokens"], ids=name_of)
def test_boundaries_beside_special_tokens(case: dict[str, Any]) -> None:
    model = model_from_merges(case["boundary"], [], [b"<s>"])
    assert encode(case["text"].encode(), model) == case["ids"]
    assert decode(case["ids"], model).decode() == case["text"]
