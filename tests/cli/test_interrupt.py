"""Ctrl-C: within a second or so, exit code 130, nothing left behind."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

# Generous beside the promised second: the machine that runs this may be busy.
MAX_SECONDS = 3.0


@pytest.fixture(scope="module")
def large_text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Text with so many different words that merging them takes seconds."""
    draw = random.Random(0)
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    weights = [1 / rank for rank in range(1, 27)]
    words = ("".join(draw.choices(letters, weights, k=draw.randint(4, 16))) for _ in range(600_000))
    path = tmp_path_factory.mktemp("large") / "large.txt"
    path.write_text(" ".join(words))
    return path


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send to another process")
@pytest.mark.parametrize("stage", ["counting words", "training"])
def test_ctrl_c_ends_training_promptly_and_leaves_nothing(
    large_text: Path, tmp_path: Path, stage: str
) -> None:
    arguments = ["train", "bpe", str(large_text), "--vocab-size", "60000", "-o", "out.json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "toksmith", *arguments, "--progress"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout, process.stderr:
        for line in process.stderr:
            if stage in line:
                break
        else:
            pytest.fail("training ended before it could be interrupted")
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert time.monotonic() - sent < MAX_SECONDS
        rest = process.stderr.read()
        assert process.stdout.read() == ""
    assert rest.endswith("toksmith: interrupted\n")
    assert "Traceback" not in rest
    assert list(tmp_path.iterdir()) == []
