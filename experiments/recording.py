"""What every experiment does: read the shared data, and write down what was found and how."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import toksmith as ts

__all__ = ["TEXTS", "corpora", "write"]

_REPO: Final = Path(__file__).resolve().parents[1]

#: Name -> file trained on, file measured on: 20 MB and about 4 MB each.
TEXTS: Final = {
    "code": ("code/python.train", "code/python.test"),
    "prose": ("prose/english.train.00", "prose/english.test"),
}


def corpora(text: str) -> tuple[ts.Corpus, ts.Corpus]:
    """Return the training and the held-out documents of a text.

    Ends the program where the shared data is not there.
    """
    data = Path(os.environ.get("TOKSMITH_DATA") or _REPO.parent / "shared" / "data")
    if not (data / "MANIFEST.md").is_file():
        sys.exit("This needs the shared evaluation data: name its folder in TOKSMITH_DATA.")
    train, test = (ts.Corpus(list(ts.Corpus(data / f"{name}.txt.xz"))) for name in TEXTS[text])
    return train, test


def write(experiment: str, **facts: Any) -> None:
    """Write `record/EXPERIMENT.json`: the facts, the command, the commit and the versions."""
    record = {
        "format": "toksmith.experiment",
        "command": f"experiments/{experiment}.py",
        "commit": _commit(),
        "versions": {"toksmith": ts.__version__, "python": platform.python_version()},
        **facts,
    }
    path = _REPO / "experiments" / "record" / f"{experiment}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _commit() -> str | None:
    """The commit, and whether the library differs from it."""
    try:
        commit, changes = (
            subprocess.run(
                ["git", *command], cwd=_REPO, capture_output=True, text=True, check=True
            ).stdout.strip()
            for command in (["rev-parse", "HEAD"], ["status", "--porcelain", "crates", "python"])
        )
    except (OSError, subprocess.CalledProcessError):
        return None  # an unpacked archive, or no git
    return f"{commit}, with changes" if changes else commit
