"""Nothing is lost, whatever the text; and all ways of encoding and decoding agree."""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toksmith as ts
from toksmith import _core

CORPORA = Path(__file__).parents[2] / "testdata" / "corpora"
FRAGMENTS = [
    bytes.fromhex(fragment)
    for fragment in json.loads((CORPORA / "hostile-fragments.json").read_text())["fragments"]
]
SMALL = [
    json.loads(line)["text"]
    # Not splitlines: it also cuts at U+2028, which stands inside a document.
    for line in (CORPORA / "small.jsonl").read_text(encoding="utf-8").strip().split("\n")
]
PATTERNS = (
    *(name for name in _core.pretokenizers() if name != "jieba"),
    # The user's own: with text between matches, empty matches, look-around, back-references,
    # anchors, and matches that begin with spaces, hold or end with them.
    r"\w+|[^\w\s]+",
    r"[A-Z]?[a-z]+",
    r"[0-9]+",
    r"x*",
    r"(?s:.{1,3})",
    r"\p{L}+(?=\s)|(?<=a).",
    r"(\w)\1|\s+$|^\s+",
    r" *\p{L}+ *|\n ",
    r"\S+\n| ?\S+",
)
RECIPES = ("bpe", "isbpe-single", "isbpe-dual")
ENCODERS = ("merge-rank", "longest-first")
SPECIAL_TOKENS = ("<|endoftext|>", "<eot>")

AllowedSpecial: TypeAlias = Literal["all"] | Sequence[str]
Handler: TypeAlias = Literal["strict", "replace", "ignore", "backslashreplace", "surrogateescape"]

hostile = st.lists(st.sampled_from(FRAGMENTS), max_size=25).map(b"".join)
texts = st.one_of(hostile, st.binary(max_size=60), st.text(max_size=40).map(str.encode))
recipes = st.sampled_from(RECIPES)
encoders = st.sampled_from(ENCODERS)
allowed = st.sampled_from([(), "all", ["<eot>"]])
error_handlers = st.sampled_from(
    ["strict", "replace", "ignore", "backslashreplace", "surrogateescape"]
)


@functools.cache
def tokenizer(
    recipe: str,
    encoder: str = "merge-rank",
    pattern: str = "gpt2-contraction-fix",
    whitespace: str = "split",
) -> ts.Tokenizer:
    if encoder != "merge-rank":
        return tokenizer(recipe, pattern=pattern, whitespace=whitespace).with_encoder(encoder)
    # A back-reference over the whole corpus takes seconds; two documents are enough for it.
    return ts.train(
        recipe,
        [*SMALL[-2:], *(fragment + b" " + fragment for fragment in FRAGMENTS)],
        vocab_size=1_700,
        pretokenizer=pattern,
        whitespace=whitespace,
        special_tokens=SPECIAL_TOKENS,
    )


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("recipe", RECIPES)
def test_decoding_gives_every_text_back(recipe: str, pattern: str) -> None:
    @given(texts, encoders, st.sampled_from(["split", "whole"]), allowed)
    @settings(max_examples=60, deadline=None)
    def check(data: bytes, encoder: str, whitespace: str, allowed_special: AllowedSpecial) -> None:
        tok = tokenizer(recipe, encoder, pattern, whitespace)
        ids = tok.encode(data, allowed_special=allowed_special)
        assert tok.decode_bytes(ids) == data
        assert tok.decode(ids, errors="surrogateescape").encode(errors="surrogateescape") == data
        assert tok.encode_with_offsets(data, allowed_special=allowed_special).ids == ids
        if not allowed_special and whitespace == "split":
            assert len(ids) >= tok.count_pretokens(data)

    check()


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("recipe", RECIPES)
def test_twenty_thousand_random_byte_strings_come_back(recipe: str, encoder: str) -> None:
    rng = random.Random(20_000)
    tok = tokenizer(recipe, encoder)
    strings = [rng.randbytes(rng.randrange(40)) for _ in range(10_000)]
    strings += [b"".join(rng.choices(FRAGMENTS, k=rng.randrange(30))) for _ in range(10_000)]
    for string, ids in zip(strings, tok.encode_batch(strings), strict=True):
        assert tok.decode_bytes(ids) == string


@pytest.mark.parametrize("recipe", [r for r in ts.known_recipes() if r.startswith("bpe-line-fed")])
def test_the_spoiled_baseline_loses_nothing_either(recipe: str) -> None:
    rng = random.Random(20_000)
    tok = ts.train(recipe, SMALL, vocab_size=700)
    strings = [b"".join(rng.choices(FRAGMENTS, k=rng.randrange(30))) for _ in range(20_000)]
    for string, ids in zip(strings, tok.encode_batch(strings), strict=True):
        assert tok.decode_bytes(ids) == string


@given(texts, recipes, encoders, allowed)
@settings(max_examples=300, deadline=None)
def test_spans_tile_the_text_except_for_implied_spaces(
    data: bytes, recipe: str, encoder: str, allowed_special: AllowedSpecial
) -> None:
    tok = tokenizer(recipe, encoder)
    encoding = tok.encode_with_offsets(data, allowed_special=allowed_special)
    assert len(encoding) == len(encoding.ids) == len(encoding.byte_spans)
    position = 0
    for token_id, (start, end) in zip(encoding.ids, encoding.byte_spans, strict=True):
        assert data[start:end] == tok.token(token_id).bytes
        if start != position:
            assert recipe != "bpe"
            assert data[position:start] == b" "
        position = end
    assert position == len(data)


@given(texts, recipes)
@settings(max_examples=300, deadline=None)
def test_character_spans_hold_every_character_a_token_touches(data: bytes, recipe: str) -> None:
    encoding = tokenizer(recipe).encode_with_offsets(data)
    starts = [0]  # of each character in bytes; a stray byte is a character
    for character in data.decode("utf-8", "surrogateescape"):
        starts.append(starts[-1] + len(character.encode("utf-8", "surrogateescape")))
    for (start, end), span in zip(encoding.byte_spans, encoding.char_spans, strict=True):
        touched = [
            index
            for index in range(len(starts) - 1)
            if starts[index] < end and starts[index + 1] > start
        ]
        assert span == (touched[0], touched[-1] + 1)


@given(st.lists(texts, max_size=8), recipes, encoders, allowed, st.sampled_from([None, 1, 2, 3, 8]))
@settings(max_examples=150, deadline=None)
def test_a_batch_is_a_loop(
    documents: list[bytes],
    recipe: str,
    encoder: str,
    allowed_special: AllowedSpecial,
    num_threads: int | None,
) -> None:
    tok = tokenizer(recipe, encoder)
    loop = [tok.encode(document, allowed_special=allowed_special) for document in documents]
    options: Any = {"allowed_special": allowed_special, "num_threads": num_threads}
    assert tok.encode_batch(documents, **options) == loop
    flat, offsets = tok.encode_batch_numpy(documents, **options)
    assert offsets.dtype == np.int64
    assert offsets[0] == 0
    pieces = [flat[a:b].tolist() for a, b in pairwise(offsets)]
    assert pieces == loop
    assert flat.tolist() == [i for ids in loop for i in ids]
    for document, ids in zip(documents, loop, strict=True):
        array = tok.encode_numpy(document, allowed_special=allowed_special)
        assert array.dtype == np.uint16
        assert array.tolist() == ids
        assert tok.count_tokens(document, allowed_special=allowed_special) == len(ids)
        assert tok.decode_bytes(array) == document


@given(st.text(max_size=60), recipes, encoders)
@settings(max_examples=150, deadline=None)
def test_text_and_its_bytes_are_encoded_alike(text: str, recipe: str, encoder: str) -> None:
    tok = tokenizer(recipe, encoder)
    data = text.encode()
    assert tok.encode(text) == tok.encode(data) == tok.encode(bytearray(data))
    assert tok.decode(tok.encode(text), errors="strict") == text


def decode_or_error(action: Callable[[], str]) -> str | None:
    """What it gives, None where the bytes are refused as not UTF-8."""
    try:
        return action()
    except ts.DecodeError:
        return None


@given(st.data(), recipes, error_handlers, st.booleans())
@settings(max_examples=400, deadline=None)
def test_streamed_chunks_joined_are_the_decoded_text(
    data: st.DataObject, recipe: str, errors: Handler, skip_special_tokens: bool
) -> None:
    tok = tokenizer(recipe)
    random_ids = st.lists(st.integers(0, tok.vocab_size - 1), max_size=15)
    real_ids = texts.map(lambda text: tok.encode(text, allowed_special="all"))
    ids = data.draw(random_ids | real_ids)

    def streamed() -> str:
        stream = tok.decode_stream(errors=errors, skip_special_tokens=skip_special_tokens)
        return "".join([*map(stream.push, ids), stream.finish()])

    whole = decode_or_error(
        lambda: tok.decode(ids, errors=errors, skip_special_tokens=skip_special_tokens)
    )
    assert decode_or_error(streamed) == whole
    if not skip_special_tokens and whole is not None and errors != "strict":
        assert whole == tok.decode_bytes(ids).decode("utf-8", errors)


@given(st.text(max_size=40), recipes, encoders)
@settings(max_examples=150, deadline=None)
def test_no_chunk_of_a_stream_holds_a_broken_character(
    text: str, recipe: str, encoder: str
) -> None:
    tok = tokenizer(recipe, encoder)
    stream = tok.decode_stream(errors="strict")
    written = ""
    for token_id in tok.encode(text):
        written += stream.push(token_id)
        assert text.startswith(written)
    assert stream.finish() == ""
    assert written == text


@given(st.data(), recipes)
@settings(max_examples=300, deadline=None)
def test_a_sequence_cut_anywhere_is_rebuilt(data: st.DataObject, recipe: str) -> None:
    tok = tokenizer(recipe)
    random_ids = st.lists(st.integers(0, tok.vocab_size - 1), min_size=1, max_size=15)
    real_ids = texts.map(lambda text: tok.encode(text, allowed_special="all")).filter(bool)
    ids = data.draw(random_ids | real_ids)
    cut = data.draw(st.integers(1, len(ids)))
    left = tok.decode_bytes(ids[:cut])
    right = tok.decode_bytes(ids[cut:], after=ids[cut - 1])
    assert left + right == tok.decode_bytes(ids)


def test_arrays_are_as_wide_as_the_largest_id_needs() -> None:
    # Random bytes in one word have as many pairs as one likes.
    corpus = random.Random(1).randbytes(150_000)
    trainer = ts.BPE(pretokenizer="none", min_pair_count=1)
    fits, does_not = (trainer.train(corpus, vocab_size=size) for size in (65_536, 65_537))
    assert (fits.vocab_size, does_not.vocab_size) == (65_536, 65_537)
    assert fits.encode_numpy(b"abc").dtype == np.uint16
    assert does_not.encode_numpy(b"abc").dtype == np.uint32
    assert does_not.encode_batch_numpy([b"abc"])[0].dtype == np.uint32
    assert fits.encode_numpy(corpus).tolist() == fits.encode(corpus)
    assert does_not.decode_bytes(does_not.encode_numpy(corpus)) == corpus


@pytest.mark.parametrize("whitespace", ["split", "whole"])
@pytest.mark.parametrize("recipe", RECIPES)
def test_no_text_needs_fewer_tokens_than_it_has_pretokens(recipe: str, whitespace: str) -> None:
    # Every word of this text becomes one token.
    text = "a \n b\n\n\nc  d" * 3
    tok = ts.train(recipe, [text] * 9, vocab_size=2_000, whitespace=whitespace)
    assert tok.count_pretokens(text) <= tok.count_tokens(text)
