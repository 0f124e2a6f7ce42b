"""The library frames, cuts and fills up as the case file says, and names what it cannot do."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import toksmith as ts

CASES: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "testdata" / "cases" / "post-processing.json").read_text("utf-8")
)
COLUMNS = (
    "type_ids",
    "attention_mask",
    "special_tokens_mask",
    "sequence_ids",
    "overflow_to_sample",
)


def name_of(case: dict[str, Any]) -> str:
    return str(case["name"])


@pytest.fixture(scope="module")
def tok() -> ts.Tokenizer:
    """Bytes alone, and the special tokens of the case file."""
    specials = CASES["special_tokens"]
    return ts.BPE(special_tokens=specials).train("x", vocab_size=256 + len(specials))


@pytest.mark.parametrize("case", CASES["templates"], ids=name_of)
def test_templates_are_read_and_faults_named(tok: ts.Tokenizer, case: dict[str, Any]) -> None:
    if "error" in case:
        with pytest.raises(ts.SettingsError, match=re.escape(case["error"])):
            tok.with_template(case["single"], case.get("pair"))
        return
    template = tok.with_template(case["single"]).template
    assert template is not None
    assert template["single"] == case["written"]


@pytest.mark.parametrize("case", CASES["prepare"], ids=name_of)
def test_rows_are_those_of_the_case(tok: ts.Tokenizer, case: dict[str, Any]) -> None:
    template = CASES["bert"] if case["template"] == "bert" else case["template"]
    if template is not None:
        tok = tok.with_template(template["single"], template.get("pair"))
    if "error" in case:
        with pytest.raises(ts.SettingsError, match=re.escape(case["error"])):
            tok.prepare(case["texts"], case["pairs"], **case["settings"])
        return
    found = tok.prepare(case["texts"], case["pairs"], **case["settings"])
    shown = [" ".join(tok.token(index).bytes.decode() for index in row) for row in found.ids]
    assert shown == case["rows"]
    assert len(found) == len(shown)
    for column in COLUMNS:
        if column in case:
            assert getattr(found, column) == case[column], column
    if "byte_spans" in case:
        spans = [[tuple(span) for span in row] for row in case["byte_spans"]]
        assert found.byte_spans == found.char_spans == spans  # all texts are ASCII


@pytest.mark.parametrize("case", CASES["kept"], ids=lambda case: f"{case['lengths']}")
def test_texts_of_a_pair_keep_what_the_case_says(tok: ts.Tokenizer, case: dict[str, Any]) -> None:
    first, second = case["lengths"]
    found = tok.prepare(
        ["a" * first], ["b" * second], max_length=case["room"], truncation=case["strategy"]
    )
    assert [found.sequence_ids[0].count(text) for text in (0, 1)] == case["kept"]
