"""Faults that were found by attacking the library, each kept as a test."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

import toksmith as ts


def hashed(file: dict[str, Any]) -> bytes:
    text = json.dumps({**file, "content_hash": ""}, separators=(",", ":"), ensure_ascii=False)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return json.dumps({**file, "content_hash": f"sha256:{digest}"}).encode()


@pytest.mark.parametrize("encoder", ["longest-first", "longest-prefix", "fewest-tokens"])
def test_a_mark_that_the_boundary_does_not_have_is_refused_in_a_file(encoder: str) -> None:
    file = json.loads(ts.train(f"words+{encoder}", ["ab ab"], vocab_size=258).to_json())
    file["tokens"].append([1, "6162", 0])
    with pytest.raises(ts.FormatError, match=r"tokens\[258\].*a mark that the boundary does not"):
        ts.Tokenizer.from_json(hashed(file))


def test_nothing_is_put_into_an_empty_text_or_between_added_tokens() -> None:
    dash = {"type": "replace", "pattern": "x*", "by": "-"}
    tok = ts.BPE(normalizer=dash, user_defined_symbols=["<sep>"]).train("ab", vocab_size=258)
    assert tok.encode("") == tok.explain("").ids == []
    assert tok.encode("<sep><sep>") == tok.explain("<sep><sep>").ids == [256, 256]
    assert tok.normalize("") == ""


def test_an_unknown_token_is_text_to_the_space_before_it() -> None:
    tok = ts.Characters(
        boundary="metaspace", byte_fallback=False, unk_token="<unk>", unk_scope="word"
    ).train("a b", vocab_size=10)
    ids = tok.encode("zz a")
    assert tok.decode(ids) == "<unk> a"
    assert tok.decode(ids[:1]) + tok.decode(ids[1:], after=ids[0]) == "<unk> a"


def test_a_word_unknown_for_its_length_is_so_in_every_way_to_encode() -> None:
    tok = ts.Unigram(unk_token="<unk>", unk_max_characters=2).train("abc abc abc", vocab_size=262)
    unk = tok.special_tokens["<unk>"]
    assert tok.encode("abc") == tok.encode("abc", sample=ts.Temperature(1.0), seed=1) == [unk]
    assert [ids for ids, _ in tok.n_best("abc", 2)] == [[unk]]
    assert [ids for ids, _ in tok.sample_distinct("abc", 2, seed=1)] == [[unk]]


def test_a_self_test_that_fails_is_told_in_plain_words() -> None:
    file = json.loads(ts.train("bpe", "low low", vocab_size=258).to_json())
    file["self_test"][1]["ids"] = None
    with pytest.raises(ts.FormatError, match=r"self-test 1 gives \[.*\], but the file says no ids"):
        ts.Tokenizer.from_json(hashed(file))
