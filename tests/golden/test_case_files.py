"""The library gives the answers of the case files, as the plain-Python twins do."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import toksmith as ts
from toksmith.reference import Model
from toksmith.reference.boundary import Mode
from toksmith.reference.pretokenize import pretokenize

CASES = Path(__file__).parents[2] / "testdata" / "cases"

# The case files' short names of the boundaries.
MODES: dict[str, Mode] = {
    "bpe": "space-prefix",
    "single": "implicit-single",
    "dual": "implicit-dual",
}
RECIPES = {"bpe": "bpe", "single": "isbpe-single", "dual": "isbpe-dual"}
ALPHABETS = {"bpe": 256, "single": 512, "dual": 1_024}

TokenizerMaker = Callable[..., ts.Tokenizer]


def read(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((CASES / name).read_text(encoding="utf-8"))
    return content


def name_of(case: dict[str, Any]) -> str:
    return str(case["name"])


def token_of(row: Sequence[Any]) -> ts.Token:
    lead, hex_bytes, trail = row
    return ts.Token(bytes.fromhex(hex_bytes), lead=bool(lead), trail=bool(trail))


MARKS = read("implicit-space-marks.json")
MODELS = read("implicit-space-models.json")
DECODES = read("implicit-space-decode.json")
ENCODERS = read("encoders.json")
LONGEST_FIRST = read("longest-first.json")
EXTRA = read("implicit-space-extra.json")
NORMALIZERS = read("normalizers.json")
PRETOKENIZERS = read("pretokenizers.json")
CHINESE = read("jieba.json")
BOUNDARIES = read("boundaries.json")


def alphabet_tokenizer(short: str, *, pattern: str, whitespace: str = "split") -> ts.Tokenizer:
    """A tokenizer that holds nothing but the byte alphabet: its ids are the marked bytes."""
    return ts.train(
        RECIPES[short],
        "x",
        vocab_size=ALPHABETS[short],
        pretokenizer=pattern,
        whitespace=whitespace,
    )


def symbol_ids(words: Sequence[Sequence[Any]], short: str) -> list[int]:
    """The ids of marked words in a model of the alphabet alone, by the formula of the format."""
    marked = short != "bpe"
    ids = []
    for lead, hex_bytes, trail in words:
        word = bytes.fromhex(hex_bytes)
        for index, byte in enumerate(word):
            has_lead = marked and (index > 0 or lead)
            has_trail = index == len(word) - 1 and trail
            ids.append(byte + 256 * bool(has_lead) + 512 * bool(has_trail))
    return ids


def check_marks(
    data: bytes, words: Sequence[Sequence[Any]], short: str, pattern: str, whitespace: str
) -> None:
    """Check marked words by their counts, by the ids of their bytes, and by decoding them."""
    counts = ts.count_words(
        ts.Document(data),
        pretokenizer=pattern,
        boundary=MODES[short],
        whitespace=whitespace,
        num_threads=1,
    )
    assert dict(counts.items()) == Counter(token_of(word) for word in words)
    tokenizer = alphabet_tokenizer(short, pattern=pattern, whitespace=whitespace)
    ids = tokenizer.encode(data)
    assert ids == symbol_ids(words, short)
    assert tokenizer.encode_with_offsets(data).ids == ids
    assert tokenizer.decode_bytes(ids) == data


@pytest.mark.parametrize("case", MARKS["cases"], ids=name_of)
def test_marks_are_those_of_the_case_file(case: dict[str, Any]) -> None:
    data = bytes.fromhex(case["hex"])
    for pattern in ("gpt2", "gpt2-contraction-fix"):
        expected = case.get(pattern, case["gpt2-contraction-fix"])
        pretokens = alphabet_tokenizer("bpe", pattern=pattern).pretokenize(data)
        assert [pretoken.hex() for pretoken in pretokens] == expected["regex_pretokens"]
        for short in ("single", "dual"):
            for whitespace in ("split", "whole"):
                answer = expected.get(f"{short}/{whitespace}", expected[f"{short}/split"])
                check_marks(data, answer["marked"], short, pattern, whitespace)
                shown = " | ".join(str(token_of(word)) for word in answer["marked"])
                assert shown == answer["shown"]


@pytest.mark.parametrize("case", EXTRA["space_prefix_whole_marks"], ids=name_of)
def test_space_prefix_with_whole_whitespace_joins_it(case: dict[str, Any]) -> None:
    data = bytes.fromhex(case["hex"])
    check_marks(data, case["marked"], "bpe", "gpt2-contraction-fix", "whole")


@pytest.mark.parametrize("case", EXTRA["cut_documents"], ids=name_of)
def test_a_document_is_marked_as_if_it_had_not_been_cut(case: dict[str, Any]) -> None:
    words = case["left_marked"] + case["right_marked"]
    data = bytes.fromhex(case["left_hex"] + case["right_hex"])
    check_marks(data, words, case["mode"], "gpt2-contraction-fix", case["whitespace"])


@pytest.mark.parametrize("section", ["custom_patterns", "named_patterns"])
def test_patterns_cut_and_mark_as_said(section: str) -> None:
    for case in EXTRA[section]:
        data = bytes.fromhex(case["hex"])
        tokenizer = alphabet_tokenizer("dual", pattern=case["pattern"])
        assert [p.hex() for p in tokenizer.pretokenize(data)] == case["pretokens"], case["name"]
        assert tokenizer.count_pretokens(data) == len(case["dual"])
        check_marks(data, case["dual"], "dual", case["pattern"], "split")


@pytest.mark.parametrize("case", PRETOKENIZERS["cases"], ids=name_of)
def test_pretokenizers_cut_as_the_case_file_says(case: dict[str, Any]) -> None:
    expected = [bytes.fromhex(pretoken) for pretoken in case["pretokens"]]
    data = b"".join(expected)
    tokenizer = ts.train(
        "bpe", "x", vocab_size=256, pretokenizer=case["pattern"], digits=case.get("digits")
    )
    assert tokenizer.pretokenize(data) == expected
    assert list(pretokenize(data, case["pattern"], digits=case.get("digits"))) == expected


@pytest.mark.parametrize("case", CHINESE["cases"], ids=lambda case: case["text"])
def test_chinese_words_are_those_of_the_case_file(case: dict[str, Any]) -> None:
    tokenizer = ts.train("bpe", "x", vocab_size=256, pretokenizer="jieba")
    words = [pretoken.decode() for pretoken in tokenizer.pretokenize(case["text"])]
    assert words == case["words"]


MODEL_CASES = [*MODELS["models"], *EXTRA["models"]]


@pytest.mark.parametrize("index", range(len(MODEL_CASES)))
def test_models_are_those_of_the_case_files(index: int) -> None:
    case = MODEL_CASES[index]
    tokenizer = ts.train(
        RECIPES[case["mode"]],
        MODELS["documents"],
        vocab_size=case["vocab_size"],
        pretokenizer=case["pattern"],
        whitespace=case["whitespace"],
        min_pair_count=case["min_pair_count"],
    )
    assert [list(merge) for merge in tokenizer.merges] == case["merges"]
    made = [tokenizer.token(i) for i in range(ALPHABETS[case["mode"]], tokenizer.vocab_size)]
    assert made == [token_of(row) for row in case["tokens_from_base"]]
    longest_first = tokenizer.with_encoder("longest-first")
    for sample in case["samples"]:
        text = sample["text"]
        assert tokenizer.encode(text) == sample["ids"]
        assert longest_first.encode(text) == sample["ids_longest_first"]
        explanation = tokenizer.explain(text)
        assert explanation.ids == sample["ids"]
        assert " | ".join(explanation.forms) == sample["shown"]
        assert str(explanation).endswith(f" -> {sample['shown']}")
        for one in (tokenizer, longest_first):
            assert one.decode(one.encode(text)) == text
            assert one.encode_with_offsets(text).ids == one.encode(text)


@pytest.mark.parametrize("case", DECODES["cases"], ids=name_of)
def test_decoding_is_that_of_the_case_file(case: dict[str, Any]) -> None:
    tokenizer = alphabet_tokenizer(case["mode"], pattern="gpt2-contraction-fix")
    data = tokenizer.decode_bytes(case["ids"])
    assert data.hex() == case["hex"]
    canonical = tokenizer.encode(data)
    assert (canonical == case["ids"]) == case["canonical"]
    assert canonical == (case["ids"] if case["canonical"] else case["canonical_ids"])


def check_pieces(
    model: Model,
    hidden: set[int],
    words: list[tuple[str, list[str]]],
    make: TokenizerMaker,
    encoder: str = "longest-first",
) -> None:
    """Encode each word by itself: the pattern `none` makes a whole text one word."""
    tokenizer = make(
        "space-prefix",
        model.merges,
        pretokenizer="none",
        encoder="longest-first",
        hidden=hidden,
    ).with_encoder(encoder)
    for word, pieces in words:
        ids = tokenizer.encode(word)
        assert [tokenizer.token(i).bytes for i in ids] == [piece.encode() for piece in pieces]
        assert tokenizer.decode(ids) == word


@pytest.mark.parametrize("group", LONGEST_FIRST["groups"], ids=name_of)
def test_longest_first_pieces_are_those_of_the_case_file(
    group: dict[str, Any],
    tokenizer_of: TokenizerMaker,
    model_of_vocab: Callable[[Sequence[str]], tuple[Model, set[int]]],
) -> None:
    model, steps = model_of_vocab(group["vocab"])
    words = [(case["word"], case["pieces"]) for case in group["cases"]]
    check_pieces(model, steps, words, tokenizer_of)


@pytest.mark.parametrize("case", EXTRA["visible"], ids=name_of)
def test_hidden_tokens_are_not_used(
    case: dict[str, Any],
    tokenizer_of: TokenizerMaker,
    model_of_vocab: Callable[[Sequence[str]], tuple[Model, set[int]]],
) -> None:
    model, steps = model_of_vocab(case["vocab"])
    named = {
        index
        for index, token in enumerate(model.tokens)
        # A unit cannot be hidden: the case says that it stays, a file may not ask for it.
        if index >= 256 and token.bytes.decode() in case["hidden"]
    }
    words = [(row["word"], row["pieces"]) for row in case["words"]]
    check_pieces(model, steps | named, words, tokenizer_of)


@pytest.mark.parametrize("group", ENCODERS["groups"], ids=name_of)
@pytest.mark.parametrize(
    "encoder", ["longest-first", "longest-prefix", "longest-suffix", "fewest-tokens"]
)
def test_encoders_that_choose_spans_differ_as_the_case_file_says(
    encoder: str,
    group: dict[str, Any],
    tokenizer_of: TokenizerMaker,
    model_of_vocab: Callable[[Sequence[str]], tuple[Model, set[int]]],
) -> None:
    model, steps = model_of_vocab(group["vocab"])
    hidden = {i for i, t in enumerate(model.tokens) if t.bytes.decode("latin-1") in group["hidden"]}
    words = [(case["word"], case[encoder]) for case in group["cases"]]
    check_pieces(model, steps | hidden, words, tokenizer_of, encoder)


def test_a_file_that_hides_a_unit_is_refused(tokenizer_of: TokenizerMaker) -> None:
    with pytest.raises(ts.ToksmithError, match="unit"):
        tokenizer_of("space-prefix", encoder="longest-first", hidden=[97])


@pytest.mark.parametrize("case", EXTRA["repeated_tokens"], ids=name_of)
def test_two_merges_may_spell_one_token(case: dict[str, Any], tokenizer_of: TokenizerMaker) -> None:
    mode = MODES[case["mode"]]
    # A pretoken of `x` makes the letter word before it carry trail.
    pattern = "none" if mode == "space-prefix" else "x|[^x]+"
    tokenizer = tokenizer_of(mode, case["merges"], pretokenizer=pattern)
    longest_first = tokenizer.with_encoder("longest-first")
    made = [tokenizer.token(i) for i in range(ALPHABETS[case["mode"]], tokenizer.vocab_size)]
    assert made == [token_of(row) for row in case["tokens_from_base"]]
    for row in case["words"]:
        lead, hex_word, trail = row["word"]
        if lead:  # no text gives a letter word with lead (the theorem of the boundary)
            continue
        text = bytes.fromhex(hex_word) + b"x" * trail
        end = [ord("x")] * trail
        assert tokenizer.encode(text) == row["ids"] + end
        assert longest_first.encode(text) == row["ids_longest_first"] + end
    assert ts.Tokenizer.from_json(tokenizer.to_json()) == tokenizer


@pytest.mark.parametrize("case", EXTRA["special_tokens"], ids=name_of)
def test_special_tokens_part_a_text(case: dict[str, Any], tokenizer_of: TokenizerMaker) -> None:
    specials = [bytes.fromhex(token).decode() for token in case["special_tokens"]]
    tokenizer = tokenizer_of(MODES[case["mode"]], special_tokens=specials)
    data = bytes.fromhex(case["hex"])
    for allowed in ("all", specials):
        ids = tokenizer.encode(data, allowed_special=allowed)
        assert ids == case["ids"]
        assert tokenizer.decode_bytes(ids) == data
    for decoded in case["decode"]:
        assert tokenizer.decode_bytes(decoded["ids"]).hex() == decoded["hex"]


@pytest.mark.parametrize("case", EXTRA["offsets"], ids=name_of)
def test_spans_leave_implied_spaces_out(case: dict[str, Any], tokenizer_of: TokenizerMaker) -> None:
    specials = [bytes.fromhex(token).decode() for token in case["special_tokens"]]
    tokenizer = tokenizer_of(MODES[case["mode"]], case["merges"], special_tokens=specials)
    encoding = tokenizer.encode_with_offsets(bytes.fromhex(case["hex"]), allowed_special="all")
    assert encoding.ids == case["ids"]
    assert [list(span) for span in encoding.byte_spans] == case["byte_spans"]


@pytest.mark.parametrize("case", EXTRA["decode_after"], ids=name_of)
def test_a_slice_gets_its_space_back(case: dict[str, Any], tokenizer_of: TokenizerMaker) -> None:
    specials = [bytes.fromhex(token).decode() for token in case["special_tokens"]]
    tokenizer = tokenizer_of(MODES[case["mode"]], special_tokens=specials)
    assert tokenizer.decode_bytes(case["ids"], after=case["after"]).hex() == case["hex"]


@pytest.mark.parametrize("case", EXTRA["forms"], ids=lambda case: str(case["form"]))
def test_forms_are_those_of_the_case_file(case: dict[str, Any]) -> None:
    assert str(token_of(case["token"])) == case["form"]


@pytest.mark.parametrize("case", NORMALIZERS["cases"], ids=name_of)
def test_normalizers_are_those_of_the_case_file(case: dict[str, Any]) -> None:
    tok = ts.BPE(normalizer=case["normalizer"]).train("x", vocab_size=256)
    text = bytes.fromhex(case["hex"])
    assert tok.normalize(text).hex() == case["normalized"]
    # With the alphabet alone each byte is a token.
    encoding = tok.encode_with_offsets(text)
    assert bytes(encoding.ids).hex() == case["normalized"]
    spans = [tuple(span) for span in case.get("spans", encoding.byte_spans)]
    assert encoding.byte_spans == spans


@pytest.mark.parametrize("case", NORMALIZERS["refused"], ids=name_of)
def test_normalizers_that_are_not_are_refused(case: dict[str, Any]) -> None:
    with pytest.raises(ts.SettingsError) as error:
        ts.BPE(normalizer=case["normalizer"])
    for says in case["says"]:
        assert says in str(error.value)


@pytest.mark.parametrize("case", BOUNDARIES["cases"], ids=name_of)
def test_boundaries_mark_and_decode_as_the_case_file_says(case: dict[str, Any]) -> None:
    boundary = case["boundary"]
    tok = ts.train("bpe", "x", vocab_size=512, boundary=boundary, whitespace=case["whitespace"])
    short = "single" if boundary == "continuation" else "bpe"
    ids = tok.encode(case["text"])
    assert ids == symbol_ids(case["marked"], short)
    assert tok.decode(ids) == case["decoded"]


@pytest.mark.parametrize("case", BOUNDARIES["special_tokens"], ids=name_of)
def test_boundaries_beside_special_tokens(case: dict[str, Any]) -> None:
    tok = ts.train("bpe", "x", vocab_size=520, boundary=case["boundary"], special_tokens=["<s>"])
    assert tok.encode(case["text"], allowed_special="all") == case["ids"]
    assert tok.decode(case["ids"]) == case["text"]
