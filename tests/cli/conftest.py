"""A folder to work in, and two ways to run the command."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import toksmith as ts

Run = Callable[..., subprocess.CompletedProcess[bytes]]

TEXT = "def low(lower):\n    return lower.lowest\n\nlow low lower lowest\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the real command in an empty folder, in a process of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str | bytes, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "toksmith", *arguments],
            input=stdin,
            capture_output=True,
            check=False,
            timeout=60,
        )

    return run


@pytest.fixture
def text_file(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    return path


@pytest.fixture
def tokenizer_file(tmp_path: Path) -> Path:
    """A dual tokenizer that knows a few words of TEXT, with one special token."""
    path = tmp_path / "dual.tok.json"
    ts.ISBPE(special_tokens=["<eot>"]).train(TEXT * 2, vocab_size=1_040).save(path)
    return path
