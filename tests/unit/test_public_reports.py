"""Inputs that fail in other libraries (public reports), for every trainer.

`test_tokenizer.py` has them for BPE in depth; here each kind of fault is looked for everywhere.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from typing import Unpack

import pytest

import toksmith as ts
from toksmith.corpus import CorpusInput
from toksmith.recipes import RecipeSettings, compositions

METHODS = list(compositions())
HUGS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


def train(
    method: str,
    corpus: CorpusInput | ts.WordCounts,
    vocab_size: int = 1_200,
    **settings: Unpack[RecipeSettings],
) -> ts.Tokenizer:
    return ts.train(method, corpus, vocab_size=vocab_size, **settings)


@pytest.mark.parametrize("method", METHODS)
def test_d1_an_unknown_character_is_kept_by_its_bytes(method: str) -> None:
    tok = train(method, ["hug pug pun bun hugs"] * 5, alphabet="characters")
    for text in ("mug", "mug😀", "xyz"):
        assert tok.decode(tok.encode(text)) == text


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scope", ["characters", "word"])
def test_d1_or_is_an_unknown_token_if_the_model_is_so(method: str, scope: str) -> None:
    boundary = ts.Recipe.parse(method).boundary
    tok = train(
        method,
        ts.WordCounts.from_dict(HUGS, boundary=boundary),
        alphabet="characters",
        byte_fallback=False,
        unk_token="[UNK]",
        unk_scope=scope,
    )
    assert not tok.is_lossless
    assert tok.unk_token == "[UNK]"
    unk = tok.special_tokens["[UNK]"]
    assert unk in tok.encode("mug😀")
    assert unk in tok.encode("xyz")
    # What is left over of a word is never dropped without a sign of it.
    shown = tok.decode(tok.encode("mug😀"))
    assert "[UNK]" in shown
    assert scope == "characters" or set(tok.encode("mug😀")) == {unk}
    encoding = tok.encode_with_offsets("mug😀")
    assert (encoding.byte_spans[0][0], encoding.byte_spans[-1][1]) == (0, 7)


@pytest.mark.parametrize("method", METHODS)
def test_d1_or_it_is_refused_before_training(method: str) -> None:
    with pytest.raises(ts.SettingsError, match="unk_token"):
        train(method, "hug", alphabet="characters", byte_fallback=False)


@pytest.mark.parametrize("method", METHODS)
def test_d2_bytes_that_training_never_saw_are_kept(method: str) -> None:
    tok = train(method, ["hello world"] * 5)
    for text in ("héllo wörld", "hello, world!"):
        assert tok.decode(tok.encode(text)) == text
    for data in (bytes(range(256)), bytes(range(255, -1, -1))):
        assert tok.decode_bytes(tok.encode(data)) == data


D3_TEXT = "Wel come to the 🤗 Tok en izers libr ary."
D3_PROGRAM = """
import json, sys, toksmith as ts
for method in sys.argv[1:]:
    # Hardly any pair of so short a text occurs twice.
    merges = ts.Recipe.parse(method).trainer in ("bpe", "scaffold-bpe", "wordpiece")
    own = {"min_pair_count": 1} if merges else {}
    for threads in (1, 2, 4):
        tok = ts.train(method, {text!r}, vocab_size=1_100, num_threads=threads, **own)
        num_units = json.loads(tok.to_json())["alphabet"]["num_units"]
        print(method, tok.content_hash, tok.vocab_size - num_units)
"""


def test_d3_training_gives_the_same_bytes_over_threads_processes_and_hash_seeds() -> None:
    program = D3_PROGRAM.replace("{text!r}", repr(D3_TEXT))
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program, *METHODS],
            capture_output=True,
            check=True,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
        ).stdout
        for seed in range(4)
    }
    (output,) = outputs
    models = {tuple(line.split()) for line in output.splitlines()}
    assert len(models) == len(METHODS)
    for method, _, num_learned in models:
        # An alphabet of characters is all that `characters` learns.
        assert (int(num_learned) > 0) == (method != "characters"), method


D4_TEXT = "##c ##cac# #ab c# #### accc#a#a#b a cb"


@pytest.mark.parametrize("method", [m for m in METHODS if "merge-rank" in compositions()[m]])
@pytest.mark.parametrize("min_pair_count", [1, 2])
def test_d4_every_merge_occurs_often_enough_at_its_step(method: str, min_pair_count: int) -> None:
    if method == "characters":
        assert train(method, D4_TEXT).merges == []
        return
    recipe = ts.Recipe.parse(method, min_pair_count=min_pair_count, max_token_bytes=4)
    counts = ts.count_words(D4_TEXT, boundary=recipe.boundary)
    tok = ts.train_recipe(recipe, counts, 1_200)
    assert len(tok.merges) > 1
    ids = {tok.token(i): i for i in range(tok.vocab_size)}
    ids |= {token: tok.vocab_size + i for i, token in enumerate(tok.hidden_tokens)}
    marked = recipe.boundary in ("continuation", "implicit-single", "implicit-dual")
    words = []
    for token, count in counts.items():
        last = len(token.bytes) - 1
        symbols = [
            ts.Token(
                bytes([byte]),
                lead=marked and (at > 0 or token.lead),
                trail=at == last and token.trail,
            )
            for at, byte in enumerate(token.bytes)
        ]
        words.append(([ids[symbol] for symbol in symbols], count))
    for left, right, new in tok.merges:
        pairs = Counter[tuple[int, int]]()
        for word, count in words:
            for pair in pairwise(word):
                pairs[pair] += count
        assert pairs[left, right] >= min_pair_count
        words = [(joined(word, left, right, new), count) for word, count in words]
    assert all(len(tok.token(i).bytes) <= 4 for i in range(tok.vocab_size))


def joined(word: list[int], left: int, right: int, new: int) -> list[int]:
    out: list[int] = []
    at = 0
    while at < len(word):
        if word[at : at + 2] == [left, right]:
            out.append(new)
            at += 2
        else:
            out.append(word[at])
            at += 1
    return out


@pytest.mark.parametrize("method", METHODS)
def test_d7_an_added_token_cuts_no_word_unless_it_may_stand_anywhere(method: str) -> None:
    plain = train(method, ["over write overwrite"] * 5)
    tok = plain.with_added_tokens(["rw", "ilÖveyou", "č"])
    rw = tok.added_tokens["rw"]
    assert rw == plain.vocab_size
    assert tok.encode("overwrite") == plain.encode("overwrite")
    assert tok.encode("rw") == [rw]
    assert rw in tok.encode("(rw)")
    for text in ("overwrite", "rw", "(rw)", "č ilÖveyou", "xč", "_rw rw_ 1rw rw1 érw", "rw rw"):
        assert tok.decode(tok.encode(text)) == text
        assert tok.encode(text) == ts.Tokenizer.from_json(tok.to_json()).encode(text)
    anywhere = plain.with_added_tokens(["rw"], match="anywhere")
    assert rw in anywhere.encode("overwrite")
    assert anywhere.decode(anywhere.encode("overwrite")) == "overwrite"
    special = tok.with_added_tokens(["<pad>"], match="special")
    assert special.special_tokens["<pad>"] == tok.vocab_size
    assert special.added_tokens == tok.added_tokens
    with pytest.raises(ts.SettingsError, match='"rw" is given twice'):
        tok.with_added_tokens(["rw"])
    with pytest.raises(ts.SettingsError, match='unknown match "words"; known: word, anywhere'):
        tok.with_added_tokens(["x"], match="words")  # type: ignore[arg-type]


@pytest.mark.parametrize("method", METHODS)
def test_d8_the_vocabulary_size_is_never_exceeded_and_a_stop_is_told(method: str) -> None:
    characters = "".join(chr(0x4E00 + index) for index in range(500))
    with pytest.raises(ts.SettingsError, match="vocab_size is 100"):
        train(method, characters, 100)
    for vocab_size in (1_025, 1_026, 1_100, 1_250):
        tok = train(method, characters, vocab_size, special_tokens=["<s>"])
        assert tok.vocab_size <= vocab_size
    tok = train(method, "a b c d a b c", 4_000)
    assert tok.vocab_size < 4_000
    assert tok.training is not None
    assert tok.training["stop_reason"] != "vocab-size-reached"


@pytest.mark.parametrize("method", METHODS)
def test_d8_a_strict_training_gives_the_size_asked_for_or_says_which_can_be(method: str) -> None:
    corpus = "a b c d a b c hug hugs \u4e2d\u6587 \u4e2d\u6587"
    loose = ts.train(method, corpus, vocab_size=4_000, special_tokens=["<s>", "<pad>"])
    assert loose.training is not None
    most, reason = loose.vocab_size, loose.training["stop_reason"]
    with pytest.raises(ts.TrainingError) as caught:
        ts.train(method, corpus, vocab_size=4_000, strict=True, special_tokens=["<s>", "<pad>"])
    found = re.fullmatch(
        rf"vocab_size is 4000, but training stopped at {most} \({reason}\): with these words and "
        rf"settings it can be from (\d+), which .* take, to {most}",
        str(caught.value),
    )
    assert found is not None
    least = int(found[1])
    assert least <= most
    recipe = ts.Recipe.parse(method, special_tokens=["<s>", "<pad>"])
    counts = ts.count_words(corpus, boundary=recipe.boundary)
    with pytest.raises(ts.TrainingError, match=f"to {most}"):
        ts.train_recipe(recipe, counts, 4_000, strict=True)
    smallest = ts.train_recipe(recipe, counts, least, strict=True)
    assert smallest.vocab_size == least
    with pytest.raises(ts.SettingsError, match=f"at least {least}"):
        ts.train_recipe(recipe, counts, least - 1, strict=True)


def test_d8_every_class_takes_strict() -> None:
    trainers = [ts.BPE(), ts.ISBPE(), ts.ScaffoldBPE(), ts.WordPiece(), ts.Unigram(), ts.Words()]
    for trainer in [*trainers, ts.Characters()]:
        assert trainer.train("low low", vocab_size=4_000).vocab_size < 4_000
        with pytest.raises(ts.TrainingError, match="vocab_size is 4000"):
            trainer.train("low low", vocab_size=4_000, strict=True)


@pytest.mark.parametrize("method", METHODS)
def test_d10_white_space_is_kept(method: str) -> None:
    tok = train(method, ["hello world, hello  world\n\thello"] * 3)
    for text in (
        "hello  world",
        " hello world",
        "hello world ",
        "hello\nworld",
        "hello\tworld",
        "hello\u2581world",
        "\ufb01ne",
        "a\u00a0b",
    ):
        assert tok.decode(tok.encode(text)) == text
    assert tok.encode("hello world") != tok.encode(" hello world")
    assert tok.is_lossless


def test_d10_a_setting_that_loses_white_space_is_flagged() -> None:
    tok = ts.WordPiece(whitespace="drop").train(["hello world"] * 3, vocab_size=520)
    assert not tok.is_lossless
    assert tok.decode(tok.encode("hello  world ")) == "hello world"
