"""Corpora that the agreement tests share."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import toksmith as ts

_CORPORA = Path(__file__).parents[2] / "testdata" / "corpora"


@pytest.fixture(scope="session")
def small_corpus() -> list[str]:
    """Prose, code and other scripts, 74 kB in nine documents."""
    lines = (_CORPORA / "small.jsonl").read_text(encoding="utf-8").strip().split("\n")
    return [json.loads(line)["text"] for line in lines]


@pytest.fixture(scope="session")
def documents_of(shared_data: Path) -> Callable[[str], list[bytes]]:
    """Read a corpus of the shared data, cut into documents by its index."""

    def read(name: str) -> list[bytes]:
        return [d.data for d in ts.Corpus.from_input(shared_data / f"{name}.txt.xz").documents()]

    return read
