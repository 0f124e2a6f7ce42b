"""What a run leaves: rows of figures with what was measured, on what and with what; and tables."""

from __future__ import annotations

import datetime
import hashlib
import importlib.metadata
import json
import os
import platform
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from speed.texts import REPO

_PEERS = ("toksmith", "tiktoken", "tokenizers", "numpy")


def describe_machine() -> dict[str, object]:
    """Processor, cores that may be used, operating system."""
    from toksmith.evaluate.timing import describe_machine

    machine = describe_machine()
    try:
        system = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        system = f"{platform.system()} {platform.release()}"
    return {"cpu": machine.cpu, "num_cores": machine.num_cores, "system": system}


def describe_versions() -> dict[str, str]:
    """Python and every library that is measured."""
    return {"python": platform.python_version()} | {
        name: importlib.metadata.version(name) for name in _PEERS
    }


def describe_source() -> dict[str, object]:
    """The commit, whether the tree differs from it, and a digest of the built core.

    The digest is what was really measured: a build can be older or newer than the commit.
    """
    return {
        "commit": _git("rev-parse", "HEAD"),
        "library_is_modified": bool(_git("status", "--porcelain", "crates", "python")),
        "core_sha256": core_digest(),
    }


def core_digest() -> str:
    """SHA-256 of the compiled core."""
    from toksmith import _core

    return hashlib.sha256(Path(_core.__file__).read_bytes()).hexdigest()


def load_average() -> float | None:
    """Processes that wanted a core in the last minute: above 1 or so the machine was not quiet."""
    try:
        return round(os.getloadavg()[0], 2)
    except (AttributeError, OSError):
        return None


def write(folder: Path, name: str, record: dict[str, Any]) -> Path:
    """Write `YYYY-MM-DD-name.json`, with a number where that is there already."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{datetime.date.today():%Y-%m-%d}-{name}"
    file, number = folder / f"{stem}.json", 2
    while file.exists():
        file, number = folder / f"{stem}-{number}.json", number + 1
    file.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return file


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns, the first flush left and the others right.

    >>> print(table(["", "MB/s"], [["a", "12"], ["bcd", "7"]]))
         MB/s
    a      12
    bcd     7
    """
    lines = [header, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=REPO, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None  # an unpacked archive, or no git
    return done.stdout.strip()
