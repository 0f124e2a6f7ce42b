"""A vocabulary trained here gives the same ids when `tiktoken` runs it."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
import tiktoken

import toksmith as ts

# tiktoken's own way of writing it; both are GPT-2's pattern.
GPT2_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def theirs(tok: ts.Tokenizer) -> tiktoken.Encoding:
    specials = tok.special_tokens
    num_tokens = tok.vocab_size - len(specials)
    return tiktoken.Encoding(
        "from-toksmith",
        pat_str=GPT2_PATTERN,
        mergeable_ranks={tok.token(index).bytes: index for index in range(num_tokens)},
        special_tokens=specials,
        explicit_n_vocab=tok.vocab_size,
    )


def test_tiktoken_gives_our_ids_of_a_small_corpus(small_corpus: list[str]) -> None:
    tok = ts.BPE(pretokenizer="gpt2", special_tokens=["<|endoftext|>"]).train(
        small_corpus, vocab_size=3_000
    )
    encoding = theirs(tok)
    rng = random.Random(3)
    characters = "".join(small_corpus)
    mixed = ["".join(rng.choices(characters, k=rng.randrange(40))) for _ in range(2_000)]
    for text in [*small_corpus, *mixed, "", "<|endoftext|>", "a<|endoftext|> b", "a" * 3_000]:
        assert tok.encode(text) == encoding.encode_ordinary(text)
        allowed = encoding.encode(text, allowed_special="all")
        assert tok.encode(text, allowed_special="all") == allowed
        assert tok.decode(allowed) == encoding.decode(allowed) == text


@pytest.mark.parametrize(
    ("train", "test"),
    [("code/python.train", "code/python.test"), ("prose/english.train.00", "prose/english.test")],
)
def test_tiktoken_gives_our_ids_of_held_out_text(
    documents_of: Callable[[str], list[bytes]], train: str, test: str
) -> None:
    tok = ts.BPE(pretokenizer="gpt2").train(documents_of(train), vocab_size=32_768)
    encoding = theirs(tok)
    documents = [document.decode() for document in documents_of(test)]
    assert tok.encode_batch(documents) == encoding.encode_ordinary_batch(documents, num_threads=1)
