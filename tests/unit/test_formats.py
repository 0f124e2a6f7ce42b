"""Files of other libraries: told apart by content, read whole, or refused with the place."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import toksmith as ts
from toksmith.evaluate.vocabulary import VocabularyTable, measure_vocabulary

ENCODERS = ("merge-rank", "longest-first", "longest-prefix", "longest-suffix", "fewest-tokens")
#: GPT-2's order: the bytes that it shows as themselves come first.
SHOWN = [b for b in range(256) if 33 <= b <= 126 or 161 <= b <= 172 or b >= 174]
GPT2_ORDER = [*SHOWN, *(b for b in range(256) if b not in SHOWN)]
TOKENS = (b"lo", b"low", b" low", b"er", b"lower", b"\xc3\xa9", b"  ")
NASTY = ("", " ", "low lower  low", "é\n\té", "lowé<|end|>low", "#low", "\x00\u2581", "l" * 5_000)


def ranks(tokens: Iterable[bytes] = TOKENS, order: Iterable[int] = range(256)) -> str:
    """A rank file: the bytes in some order, then tokens."""
    vocabulary = [*(bytes([byte]) for byte in order), *tokens]
    return "".join(
        f"{base64.b64encode(token).decode()} {rank}\n" for rank, token in enumerate(vocabulary)
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.tiktoken"
    path.write_text(ranks())
    return path


@pytest.mark.parametrize("order", [range(256), GPT2_ORDER])
def test_ids_are_ranks_in_either_order_of_bytes(order: Iterable[int], tmp_path: Path) -> None:
    path = tmp_path / "ranks"
    path.write_text(ranks(order=order))
    tok = ts.load(path, pretokenizer="gpt2")
    assert tok.vocab_size == 256 + len(TOKENS)
    for rank, token in enumerate([*(bytes([byte]) for byte in order), *TOKENS]):
        assert tok.token(rank) == ts.Token(token)
    assert tok.encode("lower low!") == [260, 258, list(order).index(ord("!"))]
    assert (tok.recipe, tok.encoder, tok.pretokenizer) == ("bpe", "merge-rank", "gpt2")
    assert tok.unicode_version == "16.0"
    assert tok.training is None


def test_every_encoder_round_trips_and_its_file_is_the_tokenizer(
    file: Path, tmp_path: Path
) -> None:
    tok = ts.load(file, pretokenizer="cl100k", special_tokens={"<|end|>": 300}, unicode="15.1")
    for encoder in ENCODERS:
        other = tok.with_encoder(encoder)
        for text in NASTY:
            assert other.decode(other.encode(text)) == text
            ids = other.encode(text, allowed_special="all")
            assert other.decode(ids) == text
            assert ids.count(300) == text.count("<|end|>")
        raw = bytes(range(256)) + b"\xff\xfe low"
        assert other.decode_bytes(other.encode(raw)) == raw
        other.save(tmp_path / "other.tok.json")
        loaded = ts.load(tmp_path / "other.tok.json")
        assert loaded == other
        assert loaded.special_tokens == {"<|end|>": 300}
        assert loaded.unicode_version == "15.1"


def test_the_content_tells_the_format_whatever_the_name_is(file: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.tok.json"
    wrong.write_bytes(file.read_bytes())
    tok = ts.load(wrong, pretokenizer="gpt2")
    other = tmp_path / "other.tiktoken"
    tok.save(other)
    assert ts.load(other) == tok


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\xfe", b"#version: 0.2\n\xc4\xa0 t\n", b'{"model": {}}', b"[PAD]\n", b"IQ= "],
)
def test_unknown_content_is_told_what_is_known(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.tiktoken"
    path.write_bytes(content)
    with pytest.raises(ts.FormatError, match=r"a\.tiktoken: unknown format.*tiktoken's ranks"):
        ts.load(path, pretokenizer="gpt2")


def test_a_pretokenizer_is_needed_and_the_known_ones_are_listed(file: Path) -> None:
    with pytest.raises(ts.SettingsError, match=r"263 tokens.*r50k_base, cl100k_base.*gpt2, "):
        ts.load(file)
    with pytest.raises(ts.SettingsError, match=r"did you mean 'cl100k'"):
        ts.load(file, pretokenizer="cl10k")
    with pytest.raises(ts.SettingsError, match="does not compile"):
        ts.load(file, pretokenizer="(")
    assert ts.load(file, pretokenizer=r"\S+|\s+").encode("low low") == [257, 32, 257]


def test_what_a_file_says_itself_cannot_be_given(file: Path, tmp_path: Path) -> None:
    ts.load(file, pretokenizer="gpt2").save(tmp_path / "own")
    given: dict[str, Any]
    for given in ({"pretokenizer": "gpt2"}, {"special_tokens": []}, {"unicode": "16.0"}):
        with pytest.raises(ts.SettingsError, match=f"says its {next(iter(given))} itself"):
            ts.load(tmp_path / "own", **given)


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("bG8= 256", "bG8 256", r"line 257: .*base64"),
        ("bG8= 256", "bG8= -256", r"line 257: .*rank"),
        ("bG8= 256", "bG8= 99999999999999999999", r"line 257: .*rank"),
        ("bG8= 256", "bG8=", r"line 257: "),
        ("bG8= 256", "bG8= 255", r"line 257: the rank 255 stands on line 256"),
        ("bG8= 256", "bG93 256", r"line 258: the token \"low\" stands on line 257"),
        ("bG8= 256", "bG8= 300", r"no line has rank 256"),
        ("bG8= 256\n", "", r"no line has rank 256"),
        ("bG8= 256", "YWJj 256", r"line 257: no two tokens of lower ranks make \"abc\""),
        ("YQ== 97", "YWI= 97", r"end of the file: the byte 0x61 is no token"),
    ],
)
def test_a_damaged_line_is_named(old: str, new: str, named: str, file: Path) -> None:
    assert ranks().count(old) == 1
    file.write_text(ranks().replace(old, new))
    with pytest.raises(ts.FormatError, match=named):
        ts.load(file, pretokenizer="gpt2")


def test_bytes_in_an_order_of_their_own_are_refused(file: Path) -> None:
    file.write_text(ranks(order=[*range(1, 256), 0]))
    with pytest.raises(ts.FormatError, match=r"neither the order of bytes nor GPT-2's"):
        ts.load(file, pretokenizer="gpt2")


def test_a_large_damaged_file_is_refused_at_once(tmp_path: Path) -> None:
    lines = ranks().splitlines()
    lines += [f"{base64.b64encode(b'lo' + str(i).encode()).decode()} 7" for i in range(200_000)]
    long = base64.b64encode(b"x" * 2_000_000).decode()
    for content in (
        "\n".join(lines),
        ranks() + f"{long} 263\n",
        ranks() + f"{long[:-1]} 263\n",
        "A" * 5_000_000 + " 0",
        "AA== " + "9" * 5_000_000,
        "AA== 0\n" * 500_000,
        "\n" * 5_000_000,
    ):
        path = tmp_path / "large"
        path.write_text(content)
        start = time.perf_counter()
        with pytest.raises(ts.FormatError) as raised:
            ts.load(path, pretokenizer="gpt2")
        assert time.perf_counter() - start < 2.0
        assert len(str(raised.value)) < 600


# Ids with gaps


def test_an_id_in_a_gap_is_no_token(file: Path, tmp_path: Path) -> None:
    tok = ts.load(file, pretokenizer="gpt2", special_tokens={"<b>": 270, "<a>": 263, "<c>": 271})
    assert tok.special_tokens == {"<a>": 263, "<b>": 270, "<c>": 271}
    assert tok.vocab_size == 272
    assert tok.encode("<b>low<a>", allowed_special="all") == [270, 257, 263]
    for use in (
        lambda: tok.decode([257, 265]),
        lambda: tok.decode_bytes([265]),
        lambda: tok.decode([257], after=265),
        lambda: tok.decode_stream().push(265),
        lambda: tok.token(265),
    ):
        with pytest.raises(ts.UnknownTokenIdError, match=r"265 .*no token has it.* 0 to 271"):
            use()
    with pytest.raises(ts.UnknownTokenIdError, match=r"272 .*\(ids are 0 to 271\)"):
        tok.decode([272])
    assert tok.with_added_tokens(["<d>"], match="special").special_tokens["<d>"] == 272
    added = json.loads(tok.to_json())["added_tokens"]
    assert [token.get("id") for token in added] == [None, 270, None]
    assert ts.load(_saved(tok, tmp_path)) == tok
    assert tok.with_encoder("longest-first").vocab_size == 272


def _saved(tok: ts.Tokenizer, folder: Path) -> Path:
    tok.save(folder / "saved.tok.json")
    return folder / "saved.tok.json"


def test_a_stated_id_that_is_the_next_one_changes_nothing(file: Path) -> None:
    names = ts.load(file, pretokenizer="gpt2", special_tokens=["<a>", "<b>"])
    ids = ts.load(file, pretokenizer="gpt2", special_tokens={"<a>": 263, "<b>": 264})
    assert names == ids
    assert names.to_json() == ids.to_json()


@pytest.mark.parametrize(
    ("special_tokens", "named"),
    [
        ({"<a>": 262}, r"\"<a>\" has id 262, but it must be from 263 to 65799"),
        ({"<a>": 263, "<b>": 263}, r"\"<b>\" has id 263, but it must be from 264"),
        ({"<a>": 65_800}, r"has id 65800, but it must be from 263 to 65799"),
        ({"<a>": 40_000, "<b>": 80_000}, r"from 40001 to 65800"),
        ({"<a>": 2**32 - 1}, r"has id 4294967295"),
        ({"<a>": 2**32}, r"special_tokens\[0\]\.id: invalid value"),
        ({"<a>": -1}, r"special_tokens\[0\]\.id: invalid value"),
        ({"<a>": True}, r"no int"),
        ({"": 263}, r"is empty"),
        (["<a>", "<a>"], r"given twice"),
        ("<a>", r"list of names"),
        ([7], r"not str"),
    ],
)
def test_special_tokens_that_cannot_be_are_refused(
    special_tokens: object, named: str, file: Path
) -> None:
    with pytest.raises(ts.SettingsError, match=named):
        ts.load(file, pretokenizer="gpt2", special_tokens=special_tokens)  # type: ignore[arg-type]


def test_gaps_count_as_slots_of_a_vocabulary_and_nowhere_else(file: Path) -> None:
    tok = ts.load(file, pretokenizer="gpt2", special_tokens={"<a>": 270})
    table = VocabularyTable.of(tok)
    measures = measure_vocabulary(table, table.num_bytes * 0 + 1)
    assert (measures.num_slots, measures.num_special_tokens) == (271, 1)
    plain = VocabularyTable.of(ts.load(file, pretokenizer="gpt2"))
    expected = measure_vocabulary(plain, plain.num_bytes * 0 + 1)
    assert measures.any_bytes.num_slots_in_pairs == expected.any_bytes.num_slots_in_pairs
    assert measures.lengths[0].mean_length == expected.lengths[0].mean_length
