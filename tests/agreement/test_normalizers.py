"""`tokenizers` and `sentencepiece` normalize alike, but for the Unicode version of their data."""

from __future__ import annotations

import base64
import functools
import json
import lzma
import random
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
from tokenizers import Regex, normalizers

import toksmith as ts
from toksmith import reference
from toksmith.recipes import NormalizerSettings
from toksmith.reference.unicode import category

Normalize = Callable[[str], str]

CODE_POINTS = [chr(c) for c in range(0x11_0000) if not 0xD800 <= c < 0xE000]

# Three characters of which at most one is of interest: neighbours must not hide a difference.
AROUND = "a{}b"

BERT_PARTS = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")


def bert(part: str | None = None) -> tuple[dict[str, Any], normalizers.Normalizer]:
    """BERT's normalizer, whole or one part of it alone: ours and theirs."""
    parts = {name: part is None or name == part for name in BERT_PARTS}
    return {"type": "bert", **parts}, normalizers.BertNormalizer(**parts)


# The step, and theirs.
PAIRS: dict[str, tuple[Any, normalizers.Normalizer]] = {
    "nfc": ("nfc", normalizers.NFC()),
    "nfd": ("nfd", normalizers.NFD()),
    "nfkc": ("nfkc", normalizers.NFKC()),
    "nfkd": ("nfkd", normalizers.NFKD()),
    "lowercase": ("lowercase", normalizers.Lowercase()),
    "strip-accents": ("strip-accents", normalizers.StripAccents()),
    "strip": ("strip", normalizers.Strip()),
    "strip-left": ("strip-left", normalizers.Strip(right=False)),
    "strip-right": ("strip-right", normalizers.Strip(left=False)),
    "bert": bert(),
    "bert: clean_text": bert("clean_text"),
    "bert: handle_chinese_chars": bert("handle_chinese_chars"),
    "bert: strip_accents": bert("strip_accents"),
    "bert: lowercase": bert("lowercase"),
    "nfd and strip-accents": (
        ["nfd", "strip-accents"],
        normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()]),
    ),
    "replace a literal": (
        {"type": "replace", "literal": "aa", "by": "\\0<"},
        normalizers.Replace("aa", "\\0<"),
    ),
    "replace a pattern": (
        {"type": "replace", "pattern": r"\s+", "by": "_"},
        normalizers.Replace(Regex(r"\s+"), "_"),
    ),
}

# Each table of sentencepiece, and the step of that name.
TABLES = {
    "nfkc": "sentencepiece-nfkc",
    "nmt_nfkc": "nmt-nfkc",
    "nfkc_cf": "nfkc-cf",
    "nmt_nfkc_cf": "nmt-nfkc-cf",
}


def ours(steps: NormalizerSettings) -> Normalize:
    # The alphabet alone: nothing is learned, and the text is not what matters.
    normalize: Normalize = ts.BPE(normalizer=steps).train("x", vocab_size=256).normalize
    return normalize


@functools.cache
def differing(name: str) -> frozenset[str]:
    """The characters on which ours and theirs differ when they stand alone."""
    steps, theirs = PAIRS[name]
    mine = ours(steps)
    return frozenset(
        c
        for c in CODE_POINTS
        if any(mine(text) != theirs.normalize_str(text) for text in (AROUND.format(c), c))
    )


@pytest.fixture(scope="session")
def texts(shared_data: Path) -> list[str]:
    """The nasty inputs that are text, and a piece of every language."""
    found = []
    for path in sorted((shared_data / "nasty").glob("*.jsonl.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        found += [base64.b64decode(row["b64"]).decode() for row in rows if row["valid_utf8"]]
    for path in sorted((shared_data / "multilingual" / "mono").glob("*.test.txt.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as file:
            found.append(file.read(20_000))
    return found


def generated(seed: int, num_texts: int) -> list[str]:
    """Texts of characters that combine with each other, of all kinds."""
    draw = random.Random(seed)
    marks = [c for c in CODE_POINTS if unicodedata.combining(c)]
    composed = [c for c in CODE_POINTS if unicodedata.decomposition(c)]
    hangul = [chr(c) for c in (*range(0x1100, 0x1113), *range(0x1161, 0x1176))]
    hangul += [chr(c) for c in (*range(0x11A7, 0x11C3), *range(0xAC00, 0xD7A4, 28), 0xAC01, 0xFFA1)]
    spaces = list(" \t\n\r\x0b\u00a0\u2003\u2028\u3000\u200b\ufeff\u2581")
    letters = list("aeouAEIσΣαωΩ中か\u30cf\uff8a")
    pools = [marks, composed, hangul, spaces, letters, letters, CODE_POINTS]
    return [
        "".join(draw.choice(draw.choice(pools)) for _ in range(draw.randrange(1, 12)))
        for _ in range(num_texts)
    ]


@pytest.mark.parametrize("name", PAIRS)
def test_characters_of_old_are_normalized_as_tokenizers_does(name: str) -> None:
    old = unicodedata.ucd_3_2_0
    # Their data is of several versions, the oldest of Unicode 8.0 or so.
    assert [c for c in differing(name) if old.category(c) == category(ord(c))] == []
    # On later characters the data of Python, which is newer than theirs, is on our side.
    steps, _ = PAIRS[name]
    mine = ours(steps)
    for c in differing(name):
        if unicodedata.category(c) == category(ord(c)) != "Cn":
            text = AROUND.format(c)
            assert mine(text) == reference.normalize(text.encode(), steps).decode()


@pytest.mark.parametrize("name", PAIRS)
def test_texts_are_normalized_as_tokenizers_does(name: str, texts: Sequence[str]) -> None:
    steps, theirs = PAIRS[name]
    mine = ours(steps)
    old = unicodedata.ucd_3_2_0
    # A mark that is new to them has no combining class, which shows only beside others.
    new = {c for c in CODE_POINTS if unicodedata.combining(c) != old.combining(c)}
    without = dict.fromkeys(map(ord, differing(name) | new))
    for text in [*texts, *generated(0, 5_000)]:
        known = text.translate(without)
        assert mine(known) == theirs.normalize_str(known)


def peer(
    table: str, *, remove_extra_whitespaces: bool = False
) -> sentencepiece.SentencePieceNormalizer:
    return sentencepiece.SentencePieceNormalizer(
        rule_name=table,
        add_dummy_prefix=False,
        escape_whitespaces=False,
        remove_extra_whitespaces=remove_extra_whitespaces,
    )


@pytest.mark.parametrize("table", TABLES)
def test_the_rules_are_those_of_the_table_of_sentencepiece(table: str) -> None:
    rules: dict[str, str] = dict(peer(table).decompile())
    assert len(rules) > 220_000
    mine = ours(TABLES[table])
    assert {text: mine(text) for text in rules} == rules
    # And no other character has a rule.
    assert [c for c in CODE_POINTS if c not in rules and mine(c) != c] == []


@pytest.mark.parametrize("table", TABLES)
def test_texts_are_normalized_as_sentencepiece_does(table: str, texts: Sequence[str]) -> None:
    theirs, mine = peer(table), ours(TABLES[table])
    for text in [*texts, *generated(1, 20_000)]:
        assert mine(text) == theirs.normalize(text)


def test_extra_white_space_is_removed_as_sentencepiece_does(texts: Sequence[str]) -> None:
    theirs = peer("nmt_nfkc", remove_extra_whitespaces=True)
    mine = ours(["nmt-nfkc", "remove-extra-whitespaces"])
    for text in [*texts, *generated(2, 20_000)]:
        assert mine(text) == theirs.normalize(text)
