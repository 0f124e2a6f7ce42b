"""tiktoken's published vocabularies, read from their rank files, give tiktoken's ids."""

from __future__ import annotations

import base64
import json
import lzma
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import tiktoken
import tiktoken_ext.openai_public

import toksmith as ts

NAMES = ("r50k_base", "cl100k_base", "o200k_base")
OTHER_ENCODERS = ("longest-first", "longest-prefix", "longest-suffix", "fewest-tokens")

ENGLISH = ["prose/english.test", "prose/wikitext2.test", "prose/wikitext2.valid"]
CODE = [
    f"code/{name}.test"
    for name in ("python", "c", "go", "html", "java", "javascript", "rust", "sql")
]
#: As many bytes of each kind of text are compared.
NUM_BYTES = 5_000_000


@pytest.fixture(scope="module", params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def path(name: str, shared_data: Path) -> Path:
    return shared_data / "vocabs" / "tiktoken" / f"{name}.tiktoken"


@pytest.fixture
def peer(name: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> tiktoken.Encoding:
    """tiktoken's own, with the ranks of the same file in place of those that it would fetch."""
    ranks = {
        base64.b64decode(token): int(rank)
        for token, rank in (line.split() for line in path.read_bytes().splitlines())
    }
    monkeypatch.setattr(tiktoken_ext.openai_public, "load_tiktoken_bpe", lambda *_, **__: ranks)
    return tiktoken.Encoding(**tiktoken_ext.openai_public.ENCODING_CONSTRUCTORS[name]())


@pytest.fixture(scope="module")
def tok(path: Path) -> ts.Tokenizer:
    return ts.load(path)


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    with lzma.open(path, "rt", encoding="utf-8", newline="") as lines:
        for line in lines:
            yield json.loads(line)


def test_ids_spans_and_special_tokens_are_the_recorded_ones(
    name: str, tok: ts.Tokenizer, shared_data: Path
) -> None:
    num_texts = 0
    for row in lines_of(shared_data / "golden" / f"tiktoken.{name}.jsonl.xz"):
        text = base64.b64decode(row["text_b64"])
        encoding = tok.encode_with_offsets(text)
        assert tok.encode(text) == encoding.ids == row["ids"], row["id"]
        assert [list(span) for span in encoding.byte_spans] == row["byte_offsets"], row["id"]
        special = row.get("ids_special", row["ids"])
        assert tok.encode(text, allowed_special="all") == special, row["id"]
        assert tok.decode_bytes(special) == text
        num_texts += 1
    assert num_texts > 1_000


def test_any_ids_decode_to_the_recorded_bytes(
    name: str, tok: ts.Tokenizer, shared_data: Path
) -> None:
    for row in lines_of(shared_data / "golden" / "decode" / f"tiktoken.{name}.jsonl.xz"):
        assert tok.decode_bytes(row["ids"]) == base64.b64decode(row["bytes_b64"])


def test_tiktoken_gives_our_ids_of_english_code_and_many_languages(
    tok: ts.Tokenizer,
    peer: tiktoken.Encoding,
    shared_data: Path,
    documents_of: Callable[[str], list[bytes]],
) -> None:
    names = peer.special_tokens_set
    assert tok.special_tokens == {name: peer.encode_single_token(name) for name in names}
    assert tok.vocab_size == peer.n_vocab
    languages = sorted((shared_data / "multilingual" / "mono").glob("*.test.txt.xz"))
    multilingual = [f"multilingual/mono/{file.name[: -len('.txt.xz')]}" for file in languages]
    for names in (ENGLISH, CODE, multilingual):
        documents = [data.decode() for corpus in names for data in documents_of(corpus)]
        assert sum(map(len, map(str.encode, documents))) >= NUM_BYTES
        ids = peer.encode_ordinary_batch(documents, num_threads=2)
        assert tok.encode_batch(documents) == ids


def test_saved_and_loaded_it_is_the_same(tok: ts.Tokenizer, tmp_path: Path) -> None:
    tok.save(tmp_path / "a.tok.json")
    loaded = ts.load(tmp_path / "a.tok.json")
    assert loaded == tok
    assert loaded.vocab_size == tok.vocab_size
    assert loaded.special_tokens == tok.special_tokens


@pytest.mark.parametrize("encoder", OTHER_ENCODERS)
def test_other_encoders_lose_nothing(encoder: str, tok: ts.Tokenizer, shared_data: Path) -> None:
    other = tok.with_encoder(encoder)
    assert other.recipe == f"bpe+{encoder}"
    for file in ("handmade", "blns"):
        for row in lines_of(shared_data / "nasty" / f"{file}.jsonl.xz"):
            data = base64.b64decode(row["b64"]) * min(row.get("repeat", 1), 20_000)
            assert other.decode_bytes(other.encode(data)) == data, row["id"]
