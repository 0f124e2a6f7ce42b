"""The commands in docs/worked-examples.md print what stands below them."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

_PAGE = Path(__file__).resolve().parents[2] / "docs" / "worked-examples.md"


def test_commands_print_what_the_page_shows() -> None:
    page = _PAGE.read_text(encoding="utf-8")
    shown = re.findall(r"^```sh\ntoksmith (.*?)\n```\n\n```text\n(.*?)^```", page, re.M | re.S)
    assert shown
    for command, text in shown:
        done = subprocess.run(
            [sys.executable, "-m", "toksmith", *shlex.split(command)],
            env={**os.environ, "COLUMNS": "100"},
            capture_output=True,
            check=True,
        )
        assert done.stdout.decode() == text
