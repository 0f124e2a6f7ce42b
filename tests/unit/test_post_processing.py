"""Templates and rows for a model, as their users meet them."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import toksmith as ts

SPECIALS = ["[CLS]", "[SEP]", "[PAD]", "two words", "a:1"]
FORMS = ("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1")


@pytest.fixture(scope="module")
def plain() -> ts.Tokenizer:
    return ts.BPE(special_tokens=SPECIALS).train("low low lower", vocab_size=258 + len(SPECIALS))


@pytest.fixture(scope="module")
def tok(plain: ts.Tokenizer) -> ts.Tokenizer:
    return plain.with_template(*FORMS)


# The template


def test_a_template_is_part_of_the_tokenizer_and_of_its_file(
    plain: ts.Tokenizer, tok: ts.Tokenizer
) -> None:
    assert plain.template is None
    assert b"template" not in plain.to_json()  # files from before there were templates are as new
    assert tok != plain
    assert tok.content_hash != plain.content_hash
    assert tok.template == {
        "single": ["[CLS]", "$A", "[SEP]"],
        "pair": ["[CLS]", "$A", "[SEP]", "$B:1", "[SEP]:1"],
    }
    assert tok.settings["template"] == tok.template
    for copy in (ts.Tokenizer.from_json(tok.to_json()), pickle.loads(pickle.dumps(tok))):
        assert copy == tok
        assert copy.template == tok.template
        assert copy.prepare(["low"], ["low"]).ids == tok.prepare(["low"], ["low"]).ids
    assert tok.with_encoder("longest-first").template == tok.template
    assert tok.with_template(None) == plain
    assert tok.encode("low") == plain.encode("low")


def test_pieces_in_a_list_may_hold_white_space_and_colons(plain: ts.Tokenizer) -> None:
    tok = plain.with_template(["two words", "$A", "two words:1", "a:1", "a:1:2"])
    names = [tok.token(index).bytes.decode() for index in tok.prepare(["x"]).ids[0]]
    assert names == ["two words", "x", "two words", "a:1", "a:1"]
    assert tok.prepare(["x"]).type_ids == [[0, 0, 1, 0, 2]]
    assert tok.template == {"single": ["two words", "$A", "two words:1", "a:1", "a:1:2"]}


def test_a_template_of_another_kind_is_refused(plain: ts.Tokenizer) -> None:
    for wrong in (1, ["$A", 2], b"$A"):
        with pytest.raises(TypeError, match="single is neither a str"):
            plain.with_template(wrong)  # type: ignore[arg-type]
    with pytest.raises(ts.SettingsError, match="needs a form for one text"):
        plain.with_template(None, "$A $B")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda t: {**t, "single": ["[BOS]", "$A"]}, r"template: template single, piece 0"),
        (lambda t: {**t, "single": []}, r"template: template single: \$A is missing"),
        (lambda t: {**t, "triple": []}, "unknown field `triple`"),
        (lambda t: {"pair": t["pair"]}, "missing field `single`"),
    ],
)
def test_a_damaged_template_in_a_file_is_named(
    tok: ts.Tokenizer, damage: Callable[[Any], Any], message: str
) -> None:
    file = json.loads(tok.to_json())
    file = {**file, "template": damage(file["template"]), "content_hash": ""}
    unhashed = json.dumps(file, separators=(",", ":"), ensure_ascii=False)
    file["content_hash"] = f"sha256:{hashlib.sha256(unhashed.encode()).hexdigest()}"
    with pytest.raises(ts.FormatError, match=message):
        ts.Tokenizer.from_json(json.dumps(file).encode())


def test_encode_adds_special_tokens_only_when_asked(plain: ts.Tokenizer, tok: ts.Tokenizer) -> None:
    ids = plain.encode("low lower")
    framed = [tok.special_tokens["[CLS]"], *ids, tok.special_tokens["[SEP]"]]
    assert tok.encode("low lower") == ids
    assert tok.encode("low lower", add_special_tokens=True) == framed
    assert tok.encode("", add_special_tokens=True) == [framed[0], framed[-1]]
    assert tok.count_tokens("low lower") == len(ids)
    # A tokenizer without a template has none to add.
    assert plain.encode("low lower", add_special_tokens=True) == ids
    assert plain.prepare(["low lower"]).ids == [ids]


# Rows


def test_text_that_spells_a_special_token_is_text_in_pairs_too(tok: ts.Tokenizer) -> None:
    text = "low[SEP]low"
    sep, cls = tok.special_tokens["[SEP]"], tok.special_tokens["[CLS]"]
    row = tok.prepare([text], [text]).ids[0]
    assert row == [cls, *tok.encode(text), sep, *tok.encode(text), sep]
    assert row.count(sep) == 2
    for allowed in ("all", ["[SEP]"]):
        found = tok.prepare([text], [text], allowed_special=allowed)  # type: ignore[arg-type]
        assert found.ids[0].count(sep) == 4
        # What a text spells is of that text.
        assert found.special_tokens_mask[0] == [1, 0, 0, 0, 1, 0, 0, 0, 1]
        assert found.sequence_ids[0] == [None, 0, 0, 0, None, 1, 1, 1, None]
        assert found.byte_spans[0][1:4] == [(0, 3), (3, 8), (8, 11)]
    with pytest.raises(ts.SettingsError, match="not in this tokenizer"):
        tok.prepare([text], allowed_special=["[MASK]"])


def test_rows_of_one_length_make_arrays(tok: ts.Tokenizer) -> None:
    found = tok.prepare(["low", "lower"], ["a", "b"], padding="longest", pad_token="[PAD]")
    arrays = found.numpy()
    assert {name: array.shape for name, array in arrays.items()} == {
        "ids": (2, 7),
        "attention_mask": (2, 7),
        "type_ids": (2, 7),
        "special_tokens_mask": (2, 7),
        "byte_spans": (2, 7, 2),
        "char_spans": (2, 7, 2),
        "sequence_ids": (2, 7),
        "overflow_to_sample": (2,),
    }
    assert all(array.dtype == np.int64 for array in arrays.values())
    for name, array in arrays.items():
        if name == "sequence_ids":
            field = [[-1 if i is None else i for i in row] for row in found.sequence_ids]
        else:
            field = getattr(found, name)
        assert np.array_equal(array, np.array(field))
    assert repr(found) == "Prepared(2 rows of 7 ids)"


def test_rows_of_several_lengths_make_lists_only(tok: ts.Tokenizer) -> None:
    found = tok.prepare(["low", "lower"])
    assert repr(found) == "Prepared(2 rows of 3 to 5 ids)"
    with pytest.raises(ts.SettingsError, match="rows have 3 to 5 ids, so they make no array"):
        found.numpy()


def test_no_texts_make_no_rows(tok: ts.Tokenizer) -> None:
    found = tok.prepare([], [], max_length=9, padding="max_length", pad_token="[PAD]")
    assert len(found) == 0
    assert found.ids == found.overflow_to_sample == []
    assert found.numpy()["ids"].size == 0


def test_a_row_may_end_inside_a_character_and_its_spans_say_so(plain: ts.Tokenizer) -> None:
    found = plain.prepare(["a\u00e9b"], max_length=2, return_overflow=True)
    assert found.byte_spans == [[(0, 1), (1, 2)], [(2, 3), (3, 4)]]
    assert found.char_spans == [[(0, 1), (1, 2)], [(1, 2), (2, 3)]]
    assert [plain.decode(row) for row in found.ids] == ["a\ufffd", "\ufffdb"]
    assert b"".join(map(plain.decode_bytes, found.ids)) == "a\u00e9b".encode()


def test_lengths_of_a_public_report_are_met_exactly(tok: ts.Tokenizer) -> None:
    for first, second in ((125, 130), (0, 200), (130, 130)):
        found = tok.prepare(["a" * first], ["b" * second], max_length=128)
        assert list(map(len, found.ids)) == [128]


def test_a_stride_that_is_one_below_the_room_moves_on_by_one(tok: ts.Tokenizer) -> None:
    found = tok.prepare(["a" * 50], max_length=12, stride=9, return_overflow=True)
    assert len(found) == 41
    assert [spans[1] for spans in found.byte_spans] == [(at, at + 1) for at in range(41)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"max_length": -1}, "max_length is -1, but must be at least 0"),
        ({"max_length": 5, "stride": -1}, "stride is -1, but must be at least 0"),
        ({"stride": 1}, "stride is 1, but nothing is truncated"),
        ({"max_length": 5, "truncation": None}, "neither truncation nor padding"),
        ({"truncation": "first"}, "known: longest-first, only-first, only-second"),
        ({"truncation_side": "top"}, 'unknown truncation_side "top"; known: left, right'),
        ({"padding_side": "top"}, 'unknown padding_side "top"; known: left, right'),
        ({"padding": "most"}, 'unknown padding "most"; known: longest, max_length'),
        ({"padding": "longest"}, "padding needs pad_token"),
        ({"padding": "max_length", "pad_token": "[PAD]"}, "max_length is not set"),
        ({"pad_to_multiple_of": 8}, "pad_to_multiple_of is set, but padding is not"),
        ({"num_threads": 0}, "num_threads is 0, but must be at least 1"),
        ({"pairs": []}, "there are 1 texts, but 0 pairs"),
    ],
)
def test_settings_that_make_no_sense_are_refused(
    tok: ts.Tokenizer, call: dict[str, Any], message: str
) -> None:
    with pytest.raises(ts.SettingsError, match=message):
        tok.prepare(["low"], **call)


def test_a_number_beyond_any_memory_is_refused_before_any_is_taken(tok: ts.Tokenizer) -> None:
    for call in (
        {"padding": "max_length", "max_length": 2**70},
        {"padding": "longest", "pad_to_multiple_of": 2**64 - 1},
    ):
        with pytest.raises(ts.SettingsError, match="the limit is 1073741824"):
            tok.prepare(["low"], pad_token="[PAD]", **call)  # type: ignore[arg-type]
    long = "ab" * 50_000
    with pytest.raises(ts.SettingsError, match="ids at once, padding and overlaps counted in"):
        tok.prepare([long], [long], max_length=99, stride=47, return_overflow=True)
    # A row that is never so long costs nothing.
    assert tok.prepare(["low"], max_length=2**70).ids == tok.prepare(["low"]).ids


def test_arguments_of_the_wrong_kind_are_type_errors(tok: ts.Tokenizer) -> None:
    with pytest.raises(TypeError, match="texts is one text"):
        tok.prepare("low")
    with pytest.raises(TypeError, match="pairs is one text"):
        tok.prepare(["low"], "low")
    with pytest.raises(TypeError, match=r"pairs\[1\] is int"):
        tok.prepare(["low", "low"], ["low", 1])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="max_length"):
        tok.prepare(["low"], max_length="5")  # type: ignore[arg-type]
    with pytest.raises(ts.EncodeError, match=r"pairs\[0\] holds a lone surrogate"):
        tok.prepare(["low"], ["\ud800"])


def test_rows_do_not_depend_on_the_number_of_threads(tok: ts.Tokenizer) -> None:
    texts = ["low lower " * (index % 7) for index in range(200)]
    call: dict[str, Any] = {"max_length": 12, "stride": 3, "return_overflow": True}
    one, many = (tok.prepare(texts, texts[::-1], num_threads=n, **call) for n in (1, 8))
    assert one.ids == many.ids
    assert one.overflow_to_sample == many.overflow_to_sample
