"""Rows for a model: core and twin agree, and what must hold for any texts and settings."""

from __future__ import annotations

import functools
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toksmith as ts
from toksmith.reference import post

SPECIALS = ["[CLS]", "[SEP]", "[PAD]"]
TEMPLATES = [
    None,
    ("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1"),
    ("$A [SEP]", "$B:3 [SEP]:2 $A [SEP] [SEP]"),
    ("$A:1", "$A $B"),
]
# Tokens of several bytes, some of which cut characters; specials as text.
TEXTS = st.text(st.sampled_from("ab \n\u00e9\u4e2d\U0001f917[CLS]"), max_size=14)


@functools.cache
def tokenizer(recipe: str, template: tuple[str, str] | None) -> ts.Tokenizer:
    tok = ts.train(
        recipe,
        ["ab abab \u00e9\u00e9 \u4e2d\u4e2d ab [CLS] ba", "ab \u4e2d\u00e9ab"],
        vocab_size={"bpe": 256, "isbpe-dual": 1_024}[recipe] + 12 + len(SPECIALS),
        special_tokens=SPECIALS,
    )
    return tok if template is None else tok.with_template(*template)


@st.composite
def calls(draw: st.DrawFn) -> dict[str, Any]:
    return_overflow = draw(st.booleans())
    call: dict[str, Any] = {
        "truncation_side": draw(st.sampled_from(["left", "right"])),
        "add_special_tokens": draw(st.booleans()),
        "return_overflow": return_overflow,
    }
    if draw(st.booleans()):
        call["max_length"] = draw(st.integers(0, 20))
        call["truncation"] = draw(st.sampled_from(["longest-first", "only-first", "only-second"]))
        call["stride"] = draw(st.integers(0, 5)) if return_overflow else 0
    if draw(st.booleans()):
        lengths = ["longest", "max_length"] if "max_length" in call else ["longest"]
        call["padding"] = draw(st.sampled_from(lengths))
        call["pad_token"] = "[PAD]"
        call["padding_side"] = draw(st.sampled_from(["left", "right"]))
        call["pad_to_multiple_of"] = draw(st.none() | st.integers(1, 9))
    return call


def twin(
    tok: ts.Tokenizer,
    template: tuple[str, str] | None,
    texts: list[str],
    pairs: list[str] | None,
    call: dict[str, Any],
) -> tuple[list[list[post.Slot]], list[int]]:
    """What the twin makes of the ids of the library; and the number of each row's text."""
    single, pair = template or ("$A", "$A $B:1")
    form = (single if pairs is None else pair).split()
    pieces = post.read_template(form, tok.special_tokens, 1 if pairs is None else 2)
    if not call["add_special_tokens"]:
        pieces = [piece for piece in pieces if piece.text is not None]
    rows, samples = [], []
    for index, text in enumerate(texts):
        ids = (tok.encode(text), [] if pairs is None else tok.encode(pairs[index]))
        found = post.rows_of(
            ids,
            pieces,
            max_length=call.get("max_length"),
            strategy=call.get("truncation", "longest-first"),
            stride=call.get("stride", 0),
            side=call["truncation_side"],
            return_overflow=call["return_overflow"],
        )
        rows += found
        samples += [index] * len(found)
    if "padding" in call:
        rows = post.pad(
            rows,
            call["max_length"] if call["padding"] == "max_length" else None,
            tok.special_tokens["[PAD]"],
            side=call["padding_side"],
            multiple=call["pad_to_multiple_of"] or 1,
        )
    return rows, samples


@settings(max_examples=400, deadline=None)
@given(
    made=st.tuples(st.sampled_from(["bpe", "isbpe-dual"]), st.sampled_from(TEMPLATES)),
    samples=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4),
    paired=st.booleans(),
    call=calls(),
    num_threads=st.sampled_from([1, 3]),
)
def test_rows_are_those_of_the_twin(
    made: tuple[str, tuple[str, str] | None],
    samples: list[tuple[str, str]],
    paired: bool,
    call: dict[str, Any],
    num_threads: int,
) -> None:
    tok = tokenizer(*made)
    texts = [text for text, _ in samples]
    pairs = [pair for _, pair in samples] if paired else None
    refused = call.get("truncation") == "only-second" and not paired
    try:
        rows, overflow_to_sample = twin(tok, made[1], texts, pairs, call)
    except ValueError:
        refused = True
    if refused:
        with pytest.raises(ts.SettingsError):
            tok.prepare(texts, pairs, num_threads=num_threads, **call)
        return
    found = tok.prepare(texts, pairs, num_threads=num_threads, **call)
    assert found.ids == [[slot.id for slot in row] for row in rows]
    assert found.type_ids == [[slot.type_id for slot in row] for row in rows]
    assert found.attention_mask == [[slot.attention for slot in row] for row in rows]
    assert found.sequence_ids == [[slot.text for slot in row] for row in rows]
    added = [[int(slot.text is None) for slot in row] for row in rows]
    assert found.special_tokens_mask == added
    assert found.overflow_to_sample == overflow_to_sample

    for kind in ("byte_spans", "char_spans"):
        spans = [
            [getattr(tok.encode_with_offsets(text), kind) for text in texts],
            [getattr(tok.encode_with_offsets(text), kind) for text in pairs or []],
        ]
        assert getattr(found, kind) == [
            [(0, 0) if slot.text is None else spans[slot.text][sample][slot.at] for slot in row]
            for row, sample in zip(rows, overflow_to_sample, strict=True)
        ]


@settings(deadline=None)
@given(
    samples=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=3),
    max_length=st.integers(5, 20),
    stride=st.integers(0, 6),
    side=st.sampled_from(["left", "right"]),
    strategy=st.sampled_from(["longest-first", "only-first", "only-second"]),
)
def test_windows_hold_every_id_and_are_never_too_long(
    samples: list[tuple[str, str]],
    max_length: int,
    stride: int,
    side: post.Side,
    strategy: post.Strategy,
) -> None:
    tok = tokenizer("bpe", TEMPLATES[1])
    texts, pairs = map(list, zip(*samples, strict=True))
    try:
        found = tok.prepare(
            texts,
            pairs,
            max_length=max_length,
            stride=stride,
            truncation=strategy,
            truncation_side=side,
            return_overflow=True,
        )
    except ts.SettingsError:
        return
    assert all(len(row) <= max_length for row in found.ids)
    for sample, both in enumerate(samples):
        for text in (0, 1):
            seen = {
                (span, index)
                for row, owner in enumerate(found.overflow_to_sample)
                if owner == sample
                for span, index, sequence in zip(
                    found.byte_spans[row], found.ids[row], found.sequence_ids[row], strict=True
                )
                if sequence == text
            }
            encoding = tok.encode_with_offsets(both[text])
            assert seen == set(zip(encoding.byte_spans, encoding.ids, strict=True))


@settings(deadline=None)
@given(texts=st.lists(TEXTS, max_size=4), template=st.sampled_from(TEMPLATES))
def test_special_tokens_are_added_the_same_way_everywhere(
    texts: list[str], template: tuple[str, str] | None
) -> None:
    tok = tokenizer("bpe", template)
    rows = tok.prepare(texts).ids
    assert [tok.encode(text, add_special_tokens=True) for text in texts] == rows
    assert tok.encode_batch(texts, add_special_tokens=True) == rows
    ids, offsets = tok.encode_batch_numpy(texts, add_special_tokens=True)
    assert [ids[a:b].tolist() for a, b in pairwise(offsets)] == rows
    assert tok.prepare(texts, add_special_tokens=False).ids == tok.encode_batch(texts)
    for text, row in zip(texts, rows, strict=True):
        assert tok.encode_numpy(text, add_special_tokens=True).tolist() == row
        # The text `[CLS]` gave no special token, so what is left after skipping is the text.
        assert tok.decode(row, skip_special_tokens=True) == text
