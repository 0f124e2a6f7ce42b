"""The core and its plain-Python twins agree on any input."""

from __future__ import annotations

import functools
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toksmith as ts
from toksmith import _core, reference
from toksmith.reference import Model, Word
from toksmith.reference import unicode as reference_unicode
from toksmith.reference.boundary import Mode, Whitespace
from toksmith.reference.pretokenize import Pattern

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
ENCODERS = {
    "merge-rank": reference.encode_merge_rank,
    "longest-first": reference.encode_longest_first,
    "longest-prefix": reference.encode_longest_prefix,
    "longest-suffix": reference.encode_longest_suffix,
    "fewest-tokens": reference.encode_fewest_tokens,
}
ALPHABETS: dict[Mode, int] = {mode: len(reference.alphabet(mode)) for mode in get_args(Mode)}

hostile = st.lists(st.sampled_from(FRAGMENTS), max_size=20).map(b"".join)
texts = st.one_of(hostile, st.binary(max_size=40), st.text(max_size=30).map(str.encode))
# Few letters make long merges, pairs that overlap, and ties.
repetitive = st.lists(
    st.sampled_from([b"a", b"aa", b"ab", b"b", b" ", b"\n", b".", b"#", b"\xff"]), max_size=40
).map(b"".join)
modes: st.SearchStrategy[Mode] = st.sampled_from(get_args(Mode))
whitespaces: st.SearchStrategy[Whitespace] = st.sampled_from(("split", "whole"))
patterns = st.sampled_from(get_args(Pattern))
versions = st.sampled_from([None, *reference_unicode.versions()])


@functools.cache
def tokenizer(
    mode: Mode,
    pattern: Pattern = "gpt2-contraction-fix",
    whitespace: Whitespace = "split",
    unicode: str | None = None,
    num_merges: int = 0,
) -> ts.Tokenizer:
    return ts.train(
        "bpe",
        SMALL,
        boundary=mode,
        vocab_size=ALPHABETS[mode] + num_merges + 2,
        pretokenizer=pattern,
        whitespace=whitespace,
        unicode=unicode,
        special_tokens=["<|endoftext|>", "<eot>"],
    )


def word_of(token: ts.Token) -> Word:
    return Word(token.lead, token.bytes, token.trail)


@functools.cache
def model_of(tok: ts.Tokenizer) -> Model:
    """The twins' model of a tokenizer, made from its merges alone."""
    return reference.model_from_merges(
        tok.boundary,  # type: ignore[arg-type]
        tok.merges,
        [name.encode() for name in tok.special_tokens],
    )


@given(texts, patterns, versions)
@settings(max_examples=300, deadline=None)
def test_pretokens_are_the_twins(data: bytes, pattern: Pattern, unicode: str | None) -> None:
    tok = tokenizer("space-prefix", pattern, unicode=unicode)
    pretokens = tok.pretokenize(data)
    assert pretokens == list(reference.pretokenize(data, pattern, unicode))
    assert tok.count_pretokens(data) == len(pretokens)


@given(
    st.one_of(texts, st.text("12 a.٣²\n中", max_size=30).map(str.encode)),
    patterns,
    st.sampled_from(_core.digit_rules()),
    modes,
    whitespaces,
)
@settings(max_examples=300, deadline=None)
def test_words_under_a_rule_for_digits_are_the_twins(
    data: bytes, pattern: Pattern, digits: str, mode: Mode, whitespace: Whitespace
) -> None:
    prefix = b" " if mode == "metaspace" and data else b""
    pretokens = list(reference.pretokenize(prefix + data, pattern, digits=digits))
    counts = ts.count_words(
        ts.Document(data),
        pretokenizer=pattern,
        digits=digits,
        boundary=mode,
        whitespace=whitespace,
    )
    words = reference.mark_pretokens(pretokens, mode, whitespace)
    assert {word_of(token): count for token, count in counts.items()} == Counter(words)


@given(texts, patterns, modes, whitespaces)
@settings(max_examples=300, deadline=None)
def test_marked_words_are_the_twins(
    data: bytes, pattern: Pattern, mode: Mode, whitespace: Whitespace
) -> None:
    counts = ts.count_words(
        ts.Document(data), pretokenizer=pattern, boundary=mode, whitespace=whitespace
    )
    twin = Counter(reference.mark(data, mode, pattern, whitespace))
    assert {word_of(token): count for token, count in counts.items()} == twin
    # The order of the words too: with the alphabet alone, ids are the marked bytes.
    tok = tokenizer(mode, pattern, whitespace)
    model = model_of(tok)
    ids = tok.encode(data, allowed_special="all")
    assert ids == reference.encode(data, model, pattern, whitespace)


# Patterns and texts on which Python's `re` and the core's engines mean the same.
@given(
    st.text("aZ1 .\n#_'é\u4e2d", max_size=30),
    st.sampled_from([r"\w+|[^\w\s]+", r"[A-Z]?[a-z]+", "[0-9]+", "x*", " ?[a-z]+", r"\S+\n| ?\S+"]),
    modes,
    whitespaces,
)
@settings(max_examples=200, deadline=None)
def test_words_of_a_custom_pattern_are_the_twins(
    text: str, pattern: str, mode: Mode, whitespace: Whitespace
) -> None:
    prefix = " " if mode == "metaspace" and text else ""
    cut = reference.pretokenize_custom(prefix + text, re.compile(pattern))
    pretokens = [pretoken.encode() for pretoken in cut]
    words = reference.mark_pretokens(pretokens, mode, whitespace)
    counts = ts.count_words(
        ts.Document(text), pretokenizer=pattern, boundary=mode, whitespace=whitespace
    )
    assert {word_of(token): count for token, count in counts.items()} == Counter(words)


def gpt2_byte_order() -> list[int]:
    """Bytes in the order of GPT-2's byte-to-character table, as its `encoder.py` builds it."""
    shown = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1)]
    shown += [*range(ord("®"), ord("ÿ") + 1)]
    return shown + [byte for byte in range(256) if byte not in shown]


def alphabet_in(order: str, mode: Mode) -> list[Word]:
    plain = reference.alphabet(mode)
    if order == "bytes":
        return plain
    return [
        plain[256 * block + byte]
        for block in range(len(plain) // 256)
        for byte in gpt2_byte_order()
    ]


@given(
    st.lists(st.one_of(repetitive, hostile), max_size=4),
    modes,
    whitespaces,
    st.integers(0, 40),
    st.integers(1, 3),
    st.sampled_from(["bytes", "gpt2"]),
    st.one_of(repetitive, hostile),
)
@settings(max_examples=250, deadline=None)
def test_training_and_both_encoders_are_the_twins(  # noqa: PLR0917
    documents: list[bytes],
    mode: Mode,
    whitespace: Whitespace,
    num_merges: int,
    min_pair_count: int,
    order: str,
    text: bytes,
) -> None:
    documents = [b"a b ab", *documents]
    vocab_size = ALPHABETS[mode] + num_merges
    tok = ts.train(
        "bpe",
        documents,
        boundary=mode,
        vocab_size=vocab_size,
        whitespace=whitespace,
        min_pair_count=min_pair_count,
        alphabet_order=order,
    )
    counts = Counter(
        word for data in documents for word in reference.mark(data, mode, whitespace=whitespace)
    )
    twin = reference.train(counts, mode, vocab_size, min_pair_count, alphabet_in(order, mode))
    assert tok.merges == list(twin.merges)
    assert [word_of(tok.token(i)) for i in range(tok.vocab_size)] == list(twin.tokens)
    for encoder, encode_word in ENCODERS.items():
        encoding = tok.with_encoder(encoder)
        for data in (*documents, text):
            marked = reference.mark(data, mode, whitespace=whitespace)
            ids = [i for word in marked for i in encode_word(word, twin)]
            assert encoding.encode(data) == ids


@given(st.data(), modes, patterns)
@settings(max_examples=150, deadline=None)
def test_ids_of_a_real_vocabulary_are_the_twins(
    data: st.DataObject, mode: Mode, pattern: Pattern
) -> None:
    tok = tokenizer(mode, pattern, num_merges=400)
    model = model_of(tok)
    words = st.sampled_from([token.bytes for token in model.tokens[ALPHABETS[mode] :]])
    text = data.draw(st.lists(words, max_size=6).map(b"".join))
    assert tok.encode(text, allowed_special="all") == reference.encode(text, model, pattern)
    longest_first = tok.with_encoder("longest-first")
    twin = reference.encode(text, model, pattern, encode_word=reference.encode_longest_first)
    assert longest_first.encode(text, allowed_special="all") == twin


@given(st.data(), modes)
@settings(max_examples=300, deadline=None)
def test_decoding_any_ids_is_the_twins(data: st.DataObject, mode: Mode) -> None:
    tok = tokenizer(mode, num_merges=400)
    model = model_of(tok)
    an_id = st.integers(0, tok.vocab_size - 1)
    ids = data.draw(st.lists(an_id, max_size=12))
    after = data.draw(st.none() | an_id)
    assert tok.decode_bytes(ids, after=after) == reference.decode(ids, model, after)


@given(texts, modes, whitespaces)
@settings(max_examples=200, deadline=None)
def test_byte_spans_are_the_twins(data: bytes, mode: Mode, whitespace: Whitespace) -> None:
    tok = tokenizer(mode, whitespace=whitespace, num_merges=400)
    encoding = tok.encode_with_offsets(data, allowed_special="all")
    model = model_of(tok)
    assert encoding.ids == reference.encode(data, model, whitespace=whitespace)
    # The twin gives the spans in the decoded text, which is the source.
    assert encoding.byte_spans == reference.byte_spans(encoding.ids, model)


@given(st.booleans(), texts.filter(bool), st.booleans())
@settings(max_examples=300, deadline=None)
def test_forms_are_the_twins_and_can_be_read_back(lead: bool, data: bytes, trail: bool) -> None:
    form = str(ts.Token(data, lead=lead, trail=trail))
    assert form == reference.form(Word(lead, data, trail))
    assert reference.parse_form(form) == Word(lead, data, trail)


def shown(tok: ts.Tokenizer, ids: Sequence[int], data: bytes) -> str:
    model = model_of(tok)
    return reference.explain(data, [model.tokens[i] for i in ids], mode=model.mode)


@given(texts, modes)
@settings(max_examples=200, deadline=None)
def test_explanations_are_the_twins(data: bytes, mode: Mode) -> None:
    tok = tokenizer(mode, num_merges=400)
    explanation = tok.explain(data)
    assert explanation.text == data
    assert explanation.ids == tok.encode(data)
    assert str(explanation) == shown(tok, explanation.ids, data)
    assert "\n" not in str(explanation)


@pytest.mark.parametrize("mode", get_args(Mode))
def test_words_of_a_long_document_are_the_twins_when_it_is_cut_for_threads(mode: Mode) -> None:
    document = ("".join(SMALL) * 12).encode() + b"".join(FRAGMENTS)
    assert len(document) > 3 * (256 << 10)  # below that no document is cut
    counts = ts.count_words([document, document], boundary=mode, num_threads=3)
    twin = Counter(reference.mark(document, mode))
    assert {word_of(token): count for token, count in counts.items()} == {
        word: 2 * count for word, count in twin.items()
    }


#: Unassigned and later characters, which Python's data does not know, and bytes of all kinds.
KNOWN = [
    chr(c)
    for c in range(0x1_0000)
    if reference_unicode.category(c, "14.0") == reference_unicode.category(c) != "Cs"
    and reference_unicode.category(c) != "Cn"
]
COMBINING = [c for c in KNOWN if unicodedata.combining(c) or unicodedata.decomposition(c)]
STEPS: tuple[Any, ...] = (
    *("nfc", "nfd", "nfkc", "nfkd", "lowercase", "strip-accents", "bert", "strip", "strip-left"),
    *("strip-right", "collapse-whitespace", "remove-extra-whitespaces", "nmt-nfkc"),
    *("nmt-nfkc-cf", "nfkc-cf", "sentencepiece-nfkc", "identity"),
    {"type": "bert", "lowercase": False},
    {"type": "bert", "strip_accents": False, "clean_text": False},
    {"type": "bert", "handle_chinese_chars": False},
    {"type": "replace", "literal": "aa", "by": "e\u0301"},
    {"type": "replace", "literal": " ", "by": ""},
    {"type": "replace", "pattern": r"[a-z]+|\d", "by": "\\1"},
)
normalizable = st.lists(
    st.one_of(
        st.sampled_from(FRAGMENTS),
        st.text(st.sampled_from(KNOWN), max_size=4).map(str.encode),
        st.text(st.sampled_from(COMBINING), max_size=4).map(str.encode),
        st.sampled_from(["a", "e", " ", "\u1100", "\u1161", "\u11a8", "\uac00"]).map(str.encode),
    ),
    max_size=10,
).map(b"".join)


@given(normalizable, st.lists(st.sampled_from(STEPS), min_size=1, max_size=3))
@settings(max_examples=1_000, deadline=None)
def test_normalized_texts_are_the_twins(data: bytes, steps: list[Any]) -> None:
    # Python's data is older: a character that is new to it is left out.
    known = data.decode("utf-8", "surrogateescape")
    data = "".join(
        c for c in known if "\udc80" <= c <= "\udcff" or unicodedata.category(c) != "Cn"
    ).encode("utf-8", "surrogateescape")
    tok = ts.BPE(normalizer=steps).train("x", vocab_size=256)
    assert tok.normalize(data) == reference.normalize(data, steps)
    assert bytes(tok.encode(data)) == tok.normalize(data)
