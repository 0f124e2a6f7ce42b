"""The commands in README.md run as they stand there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_REPO = Path(__file__).resolve().parents[2]


def _commands() -> list[str]:
    readme = (_REPO / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line.startswith("toksmith ")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What the commands name: sources to train on, others to test on, a README to encode."""
    standard_library = Path(json.__file__).parents[1]
    for name, module in [("src", "json"), ("src", "email"), ("held_out", "logging")]:
        shutil.copytree(standard_library / module, tmp_path / name / module)
    shutil.copy(_REPO / "README.md", tmp_path)
    return tmp_path


def test_every_command_of_the_readme_runs(folder: Path) -> None:
    commands = _commands()
    assert len(commands) >= 4
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command in commands:
        done = subprocess.run(
            ["sh", "-ec", command],
            cwd=folder,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stderr}"
    assert (folder / "report" / "report.html").stat().st_size > 10_000
    assert (folder / "code.tok.json").is_file()
