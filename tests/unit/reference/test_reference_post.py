"""The plain-Python twin of post-processing gives the answers of the case file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toksmith.reference import post

CASES: dict[str, Any] = json.loads(
    (Path(__file__).parents[3] / "testdata" / "cases" / "post-processing.json").read_text("utf-8")
)
SPECIALS = {name: 256 + index for index, name in enumerate(CASES["special_tokens"])}
# What the library refuses before it comes to rows; the twin is not asked.
ONLY_THE_LIBRARY = (
    "only the second without pairs",
    "stride without windows",
    "no such padding token",
    "a multiple of nothing",
    "a length that no memory holds",
    "no form for pairs",
)


def name_of(case: dict[str, Any]) -> str:
    return str(case["name"])


def rows(case: dict[str, Any]) -> list[list[post.Slot]]:
    settings = case["settings"]
    forms = CASES["bert"] if case["template"] == "bert" else case["template"]
    if forms is None:
        forms = {"single": "$A", "pair": "$A $B:1"}
    pieces = forms["single" if case["pairs"] is None else "pair"].split()
    template = post.read_template(pieces, SPECIALS, 1 if case["pairs"] is None else 2)
    if not settings.get("add_special_tokens", True):
        template = [piece for piece in template if piece.text is not None]
    strategy = settings.get("truncation", "longest-first")
    found = []
    for text, pair in zip(case["texts"], case["pairs"] or [""] * len(case["texts"]), strict=True):
        found += post.rows_of(
            (text.encode(), pair.encode()),
            template,
            max_length=None if strategy is None else settings.get("max_length"),
            strategy=strategy or "longest-first",
            stride=settings.get("stride", 0),
            side=settings.get("truncation_side", "right"),
            return_overflow=settings.get("return_overflow", False),
        )
    if "padding" not in settings:
        return found
    return post.pad(
        found,
        settings["max_length"] if settings["padding"] == "max_length" else None,
        SPECIALS[settings["pad_token"]],
        side=settings.get("padding_side", "right"),
        multiple=settings.get("pad_to_multiple_of", 1),
    )


@pytest.mark.parametrize("case", CASES["templates"], ids=name_of)
def test_templates_are_read_or_refused(case: dict[str, Any]) -> None:
    pair = case.get("pair")
    pieces = (pair or case["single"]).split()
    if "error" in case:
        with pytest.raises(ValueError, match=r"text|type"):
            post.read_template(pieces, SPECIALS, 1 if pair is None else 2)
    else:
        read = post.read_template(pieces, SPECIALS)
        assert read == post.read_template(case["written"], SPECIALS)


PREPARE = [case for case in CASES["prepare"] if case["name"] not in ONLY_THE_LIBRARY]


@pytest.mark.parametrize("case", PREPARE, ids=name_of)
def test_rows_are_those_of_the_case(case: dict[str, Any]) -> None:
    if "error" in case:
        with pytest.raises(ValueError, match=r"max_length|stride|text"):
            rows(case)
        return
    names = {index: name for name, index in SPECIALS.items()}
    found = rows(case)
    shown = [" ".join(names.get(slot.id, chr(slot.id)) for slot in row) for row in found]
    assert shown == case["rows"]
    if "type_ids" in case:
        assert [[slot.type_id for slot in row] for row in found] == case["type_ids"]
    if "sequence_ids" in case:
        assert [[slot.text for slot in row] for row in found] == case["sequence_ids"]
    if "attention_mask" in case:
        assert [[slot.attention for slot in row] for row in found] == case["attention_mask"]


@pytest.mark.parametrize("case", CASES["kept"], ids=lambda case: f"{case['lengths']}")
def test_texts_of_a_pair_keep_what_the_case_says(case: dict[str, Any]) -> None:
    kept = post.kept_lengths(*case["lengths"], case["room"], case["strategy"])
    assert list(kept) == case["kept"]
