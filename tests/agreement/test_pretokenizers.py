"""Text is cut as the libraries cut it from which the named pretokenizers come."""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
import regex
import tiktoken_ext.openai_public
import tokenizers
from tokenizers import Regex, normalizers, pre_tokenizers
from tokenizers.pre_tokenizers import PreTokenizer

import toksmith as ts

# The version of the engines inside the peers. On these texts the later ones cut alike.
UNICODE = "16.0"

Cut = Callable[[str], list[str]]

HELD_OUT = [
    *(f"code/{name}.test" for name in ("python", "c", "html", "javascript")),
    "prose/english.test",
    *(f"multilingual/mono/{name}.test" for name in ("ar-diac", "hi", "ja", "ko", "th", "tr", "zh")),
]


@pytest.fixture(scope="session")
def held_out(shared_data: Path, documents_of: Callable[[str], list[bytes]]) -> list[str]:
    """Code, prose, other scripts, and strings that were collected because they break things."""
    texts = [document.decode() for name in HELD_OUT for document in documents_of(name)]
    for name in ("blns", "handmade"):
        with lzma.open(shared_data / "nasty" / f"{name}.jsonl.xz", "rt", encoding="utf-8") as lines:
            for line in lines:
                texts += [value for value in json.loads(line).values() if isinstance(value, str)]
    return [text for text in texts if text.encode("utf-8", "ignore").decode() == text]


def ours(name: str, digits: str | None = None) -> ts.Tokenizer:
    return ts.train("bpe", "x", vocab_size=256, pretokenizer=name, digits=digits, unicode=UNICODE)


def check(
    tok: ts.Tokenizer, theirs: Cut, texts: list[str], *, drop_whitespace: bool = False
) -> None:
    blank = regex.compile(r"\p{White_Space}+")
    for text in texts:
        pretokens = [pretoken.decode() for pretoken in tok.pretokenize(text)]
        if drop_whitespace:
            pretokens = [p for p in pretokens if not blank.fullmatch(p)]
        assert pretokens == theirs(text)


def spans_of(peer: PreTokenizer) -> Cut:
    return lambda text: [text[start:end] for _, (start, end) in peer.pre_tokenize_str(text)]


@pytest.mark.parametrize("name", ["cl100k", "o200k"])
def test_text_is_cut_as_by_tiktokens_patterns(
    name: str,
    small_corpus: list[str],
    held_out: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The patterns stand beside ranks that tiktoken would fetch.
    monkeypatch.setattr(tiktoken_ext.openai_public, "load_tiktoken_bpe", lambda *_, **__: {})
    pattern = tiktoken_ext.openai_public.ENCODING_CONSTRUCTORS[f"{name}_base"]()["pat_str"]
    tok = ours(name)
    assert tok.pattern == pattern
    # In Python, `$` also matches before a line end at the end of the text.
    check(tok, regex.compile(pattern.replace("$", r"\Z")).findall, [*small_corpus, *held_out])


def test_text_is_cut_as_by_llama_3(small_corpus: list[str], held_out: list[str]) -> None:
    tok = ours("llama3")
    assert tok.pattern is not None
    peer = pre_tokenizers.Split(Regex(tok.pattern), "isolated")
    check(tok, spans_of(peer), [*small_corpus, *held_out])


@pytest.mark.parametrize(("name", "file"), [("qwen2", "qwen3"), ("deepseek", "deepseek")])
def test_text_is_cut_as_by_published_tokenizer_files(
    name: str, file: str, shared_data: Path, held_out: list[str]
) -> None:
    path = shared_data / "vocabs" / "tokenizer_json" / f"{file}.json"
    peer = tokenizers.Tokenizer.from_file(str(path)).pre_tokenizer
    check(ours(name), spans_of(peer), held_out)


def test_text_is_cut_as_by_bert(small_corpus: list[str], held_out: list[str]) -> None:
    # There, spaces are put around Chinese characters first.
    spaced = normalizers.BertNormalizer(
        clean_text=False, handle_chinese_chars=True, strip_accents=False, lowercase=False
    )
    peer = pre_tokenizers.BertPreTokenizer()
    check(
        ours("bert"),
        lambda text: [p for p, _ in peer.pre_tokenize_str(spaced.normalize_str(text))],
        [*small_corpus, *held_out],
        drop_whitespace=True,
    )


def test_text_is_cut_as_by_tokenizers_of_one_rule(
    small_corpus: list[str], held_out: list[str]
) -> None:
    texts = [*small_corpus, *held_out]
    check(ours("punctuation"), spans_of(pre_tokenizers.Punctuation("isolated")), texts)
    check(ours("none", "single"), spans_of(pre_tokenizers.Digits(individual_digits=True)), texts)
    split = spans_of(pre_tokenizers.WhitespaceSplit())
    check(ours("whitespace"), split, texts, drop_whitespace=True)
