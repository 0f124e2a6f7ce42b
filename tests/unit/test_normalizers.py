"""Normalizers as users meet them: a setting of training, and what a tokenizer does with it."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

import toksmith as ts

TEXT = "Él ﬁne １２  the The THE e\u0301 中文 the\n"


def test_a_tokenizer_normalizes_text_and_bytes() -> None:
    tok = ts.BPE(normalizer=["nfkc", "lowercase"]).train(TEXT, vocab_size=270)
    assert tok.normalize("Ｅ\u0301") == "é"
    assert tok.normalize("Ｅ\u0301\n".encode()) == "é\n".encode()
    assert tok.normalize(bytearray(b"\xffA")) == b"\xffa"
    assert (
        tok.decode(tok.encode(TEXT))
        == tok.normalize(TEXT)
        == "él fine 12  the the the é 中文 the\n"
    )
    assert [step["type"] for step in tok.normalizer] == ["nfkc", "lowercase"]
    assert not tok.is_lossless


def test_without_normalizer_the_text_stays() -> None:
    tok = ts.BPE().train(TEXT, vocab_size=270)
    assert tok.normalize(TEXT) == TEXT
    assert tok.normalizer == []
    assert tok.is_lossless


def test_what_is_not_text_is_refused() -> None:
    tok = ts.BPE(normalizer="nfc").train(TEXT, vocab_size=270)
    with pytest.raises(TypeError, match="int"):
        tok.normalize(7)  # type: ignore[call-overload]
    with pytest.raises(ts.EncodeError, match="surrogate"):
        tok.normalize("\ud800")


def test_spans_are_those_of_the_source() -> None:
    tok = ts.BPE(normalizer="nfkc").train("株式会社", vocab_size=256)
    encoding = tok.encode_with_offsets("a㍿b")
    assert encoding.byte_spans == [(0, 1), *[(1, 4)] * 12, (4, 5)]
    assert encoding.char_spans == [(0, 1), *[(1, 2)] * 12, (2, 3)]
    # A base and its mark become one character, which covers both.
    assert tok.encode_with_offsets("ae\u0301").char_spans == [(0, 1), (1, 3), (1, 3)]


def test_inserted_bytes_cover_nothing() -> None:
    tok = ts.BPE(normalizer="bert").train("x", vocab_size=256)
    assert tok.encode_with_offsets("é中").char_spans == [
        *[(0, 1)],
        *[(1, 1)],
        *[(1, 2)] * 3,
        *[(2, 2)],
    ]


@pytest.mark.parametrize("recipe", ["bpe", "isbpe-single", "isbpe-dual"])
def test_files_and_pickles_keep_the_normalizer(recipe: str, tmp_path: Path) -> None:
    normalizer = ["nmt-nfkc", {"type": "replace", "pattern": "[0-9]", "by": "0"}]
    tok = ts.train(recipe, TEXT, vocab_size=1_030, normalizer=normalizer)
    tok.save(tmp_path / "a.tok.json")
    stages = json.loads((tmp_path / "a.tok.json").read_text(encoding="utf-8"))["stages"]
    assert stages["normalizer"] == [
        {"type": "nmt-nfkc", "unicode": "17.0"},
        {"type": "replace", "pattern": "[0-9]", "by": "0"},
    ]
    for again in (ts.load(tmp_path / "a.tok.json"), pickle.loads(pickle.dumps(tok))):
        assert again == tok
        assert again.normalize("１2") == "00"
        assert again.with_encoder("longest-first").normalize("１2") == "00"


def test_ready_word_counts_bring_their_normalizer() -> None:
    counts = ts.count_words(TEXT, normalizer="lowercase")
    assert ts.train("bpe", counts, vocab_size=270).normalize("A") == "a"
    assert ts.BPE(normalizer="lowercase").train(counts, vocab_size=270).normalize("A") == "a"
    with pytest.raises(ts.SettingsError, match="normalizer"):
        ts.train("bpe", counts, vocab_size=270, normalizer="nfc")
    by_hand = ts.WordCounts.from_dict({"low": 5}, normalizer=["lowercase"])
    assert ts.train("bpe", by_hand, vocab_size=257).normalize("A") == "a"
    with pytest.raises(ts.SettingsError, match="normalizer"):
        counts.merge(ts.count_words(TEXT))


def test_words_are_those_of_the_normalized_text() -> None:
    assert ts.count_words(TEXT, normalizer="bert") == ts.count_words(TEXT, normalizer=["bert"])
    tok = ts.BPE(normalizer="bert").train(TEXT, vocab_size=256)
    normalized = ts.count_words(tok.normalize(TEXT))
    assert dict(ts.count_words(TEXT, normalizer="bert").items()) == dict(normalized.items())


def test_every_step_is_in_the_message_about_an_unknown_one() -> None:
    with pytest.raises(ts.SettingsError) as error:
        ts.count_words(TEXT, normalizer="nfx")
    known = str(error.value).split("known: ")[1].split(", ")
    for name in known:
        if name != "replace":
            ts.count_words(TEXT, normalizer=name)


def test_a_comparison_takes_a_normalizer_and_ranks_nobody_who_changes_text() -> None:
    text = ["the cat sat on the mat", "The dog sat on the log"]
    result = ts.compare(
        ["isbpe-dual"], train=text, test=["The cat"], vocab_size=1_030, normalizer="lowercase"
    ).results
    assert result.arguments.normalizer == '[{"type": "lowercase", "unicode": "18.0"}]'
    broken = {c.candidate for c in result.checks if c.outcome == "broken"}
    assert broken == {"bpe", "isbpe-dual"}
