"""Byte-level BPE is that of Hugging Face `tokenizers`, where both are asked for the same thing.

Same thing: whole documents, GPT-2's pattern, its byte alphabet in its order (ties between pairs go
to the smaller ids, so the order of the alphabet decides them).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

import toksmith as ts


def gpt2_bytes() -> dict[str, int]:
    """GPT-2's character for a byte -> the byte, as its `encoder.py` builds it."""
    shown = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1)]
    shown += [*range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in shown]
    return {chr(byte): byte for byte in shown} | {
        chr(256 + index): byte for index, byte in enumerate(others)
    }


_BYTES = gpt2_bytes()


def to_bytes(token: str) -> bytes:
    return bytes(_BYTES[character] for character in token)


class Theirs:
    """A BPE trained by `tokenizers` on whole documents."""

    def __init__(self, documents: Sequence[str], vocab_size: int) -> None:
        byte_level: Any = pre_tokenizers.ByteLevel
        self.tokenizer = Tokenizer(models.BPE())
        self.tokenizer.pre_tokenizer = byte_level(add_prefix_space=False)
        trainer = trainers.BpeTrainer(
            vocab_size=vocab_size,
            min_frequency=2,
            initial_alphabet=byte_level.alphabet(),
            show_progress=False,
        )
        self.tokenizer.train_from_iterator(documents, trainer=trainer)
        model = json.loads(self.tokenizer.to_str())["model"]
        self.merges = [(to_bytes(left), to_bytes(right)) for left, right in model["merges"]]
        self.ids = {to_bytes(token): index for token, index in model["vocab"].items()}

    def encode(self, text: str) -> list[int]:
        return list(self.tokenizer.encode(text).ids)


def tokens_in_bytes(tok: ts.Tokenizer) -> list[bytes]:
    return [tok.token(index).bytes for index in range(tok.vocab_size)]


def merges_in_bytes(tok: ts.Tokenizer) -> list[tuple[bytes, bytes]]:
    tokens = tokens_in_bytes(tok)
    return [(tokens[left], tokens[right]) for left, right, _ in tok.merges]


def train_in_their_order(documents: Sequence[str], vocab_size: int) -> ts.Tokenizer:
    trainer = ts.BPE(pretokenizer="gpt2", alphabet_order="gpt2")
    return trainer.train(documents, vocab_size=vocab_size)


def check_equal(ours: ts.Tokenizer, theirs: Theirs) -> None:
    assert ours.vocab_size == theirs.tokenizer.get_vocab_size()
    assert merges_in_bytes(ours) == theirs.merges
    assert {token: index for index, token in enumerate(tokens_in_bytes(ours))} == theirs.ids


@pytest.mark.parametrize("vocab_size", [256, 257, 400, 1_000, 3_000])
def test_merges_and_ids_of_a_small_corpus_are_theirs(
    small_corpus: list[str], vocab_size: int
) -> None:
    texts = [*small_corpus, "", " ", "\n", "a" * 5_000, " " * 5_000, "don't we'LL 's"]
    # Of the small part most pairs tie.
    for documents in (small_corpus, [small_corpus[0][:3_000], small_corpus[-1]]):
        ours = train_in_their_order(documents, vocab_size)
        theirs = Theirs(documents, vocab_size)
        check_equal(ours, theirs)
        for text in texts:
            assert ours.encode(text) == theirs.encode(text)


@pytest.fixture(scope="module")
def code(documents_of: Callable[[str], list[bytes]]) -> list[str]:
    return [document.decode() for document in documents_of("code/python.train")]


@pytest.fixture(scope="module")
def theirs(code: list[str]) -> Theirs:
    return Theirs(code, 32_768)


def test_merges_and_ids_of_twenty_megabytes_of_code_are_theirs(
    code: list[str], theirs: Theirs, documents_of: Callable[[str], list[bytes]]
) -> None:
    ours = train_in_their_order(code, 32_768)
    check_equal(ours, theirs)
    for document in documents_of("code/python.test"):
        assert ours.encode(document) == theirs.encode(document.decode())


def test_with_ids_that_are_bytes_only_ties_fall_otherwise(code: list[str], theirs: Theirs) -> None:
    counts = ts.count_words(code, pretokenizer="gpt2")
    ours = ts.BPE().train(counts, vocab_size=32_768)
    merges = merges_in_bytes(ours)
    tokens = set(tokens_in_bytes(ours))
    assert sum(a != b for a, b in zip(merges, theirs.merges, strict=True)) == 5_950
    assert len(tokens - theirs.ids.keys()) == len(theirs.ids.keys() - tokens) == 2

    assert tokens - theirs.ids.keys() == {b"\x83m", b"\x9c\x93"}
    assert theirs.ids.keys() - tokens == {b"\xc4\x83", b"\xe2\x9c"}

    # Ties explain both. Merges come in blocks of equal counts. Training that stops before a block,
    # by its count, stops at the same place in both orders and has merged the same pairs: so a merge
    # has moved only within its block. Two characters are the exception: `\u0103m` and `\u2713` are
    # bytes of which the first two pairs tie and overlap, so whichever goes first ends the other.
    overlapping = ("\u0103m".encode(), "\u2713".encode())
    num_exceptions = 0
    for count in (1_280, 320, 80, 40, 20, *range(15, 1, -1)):
        by_bytes, by_gpt2 = (
            ts.BPE(alphabet_order=order, min_pair_count=count).train(counts, vocab_size=32_768)
            for order in ("bytes", "gpt2")
        )
        assert by_bytes.vocab_size == by_gpt2.vocab_size
        first, second = merges_in_bytes(by_bytes), merges_in_bytes(by_gpt2)
        assert first == merges[: len(first)]
        assert second == theirs.merges[: len(second)]
        exceptions = set(first) ^ set(second)
        if by_bytes.vocab_size == 32_768:  # the size of the vocabulary cuts the last block
            break
        num_exceptions = len(exceptions)
        assert all(any(a + b in word for word in overlapping) for a, b in exceptions)
    assert num_exceptions == 6
    assert first == merges
