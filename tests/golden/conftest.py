"""Tokenizers made from merges that a case file states, not from training."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import pytest

import toksmith as ts
from toksmith.reference import (
    Model,
    encode,
    encode_longest_first,
    encode_merge_rank,
    model_from_merges,
)
from toksmith.reference.boundary import Mode
from toksmith.reference.pretokenize import Pattern

TokenizerMaker = Callable[..., ts.Tokenizer]


def with_true_hash(file: dict[str, Any]) -> bytes:
    """A tokenizer file with the content hash of what it says."""
    unhashed = json.dumps({**file, "content_hash": ""}, separators=(",", ":"), ensure_ascii=False)
    digest = hashlib.sha256(unhashed.encode()).hexdigest()
    return json.dumps({**file, "content_hash": f"sha256:{digest}"}).encode()


@pytest.fixture(scope="session")
def tokenizer_of() -> TokenizerMaker:
    """Make a tokenizer file by hand and load it; its self-test ids are the plain-Python twins'."""

    def make(
        mode: Mode,
        merges: Iterable[Sequence[int]] = (),
        *,
        special_tokens: Sequence[str] = (),
        pretokenizer: str = "gpt2-contraction-fix",
        encoder: str = "merge-rank",
        hidden: Iterable[int] = (),
    ) -> ts.Tokenizer:
        model = model_from_merges(mode, [(a, b, c) for a, b, c in merges])
        counts = ts.count_words("a", pretokenizer=pretokenizer, boundary=mode)
        recipe = {
            "space-prefix": "bpe",
            "implicit-single": "isbpe-single",
            "implicit-dual": "isbpe-dual",
        }[mode]
        base = ts.train_recipe(recipe, counts, 1_024)
        file = json.loads(base.to_json())
        visible = set(range(len(model.tokens))) - set(hidden)
        file |= {
            "encoder": encoder,
            "training": None,
            "added_tokens": [{"text": text, "kind": "special"} for text in special_tokens],
            "tokens": [[int(t.lead), t.bytes.hex(), int(t.trail)] for t in model.tokens],
            "merges": [list(merge) for merge in model.merges],
            "hidden_tokens": sorted(hidden),
        }
        if pretokenizer in ("gpt2", "gpt2-contraction-fix", "whitespace", "none"):
            for test in file["self_test"]:
                test["ids"] = encode(
                    bytes.fromhex(test["hex"]),
                    model,
                    cast(Pattern, pretokenizer),
                    encode_word=(
                        encode_merge_rank
                        if encoder == "merge-rank"
                        else lambda word, model: encode_longest_first(word, model, visible)
                    ),
                )
        return ts.Tokenizer.from_json(with_true_hash(file))

    return make


@pytest.fixture(scope="session")
def model_of_vocab() -> Callable[[Sequence[str]], tuple[Model, set[int]]]:
    """Spell a vocabulary by merges that add one byte each, and say which tokens are but steps."""

    def make(vocab: Sequence[str]) -> tuple[Model, set[int]]:
        ids: dict[bytes, int] = {bytes([byte]): byte for byte in range(256)}
        merges: list[tuple[int, int, int]] = []
        for token in map(str.encode, vocab):
            for end in range(2, len(token) + 1):
                if token[:end] not in ids:
                    ids[token[:end]] = len(ids)
                    merges.append((ids[token[: end - 1]], token[end - 1], ids[token[:end]]))
        wanted = set(map(str.encode, vocab))
        steps = {index for token, index in ids.items() if index >= 256 and token not in wanted}
        return model_from_merges("space-prefix", merges), steps

    return make
