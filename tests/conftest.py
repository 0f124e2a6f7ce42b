"""Fixtures that every folder of tests shares."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_REPO = Path(__file__).resolve().parents[1]

# Reports are told apart by this prefix: with pytest-xdist only reports come back from the workers.
_NO_DATA = "TOKSMITH_DATA has no data at "


def _data_folder() -> Path:
    return Path(os.environ.get("TOKSMITH_DATA") or _REPO.parent / "shared" / "data")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the shared evaluation data; a test that asks for it is left out without it.

    The folder is named by the environment variable TOKSMITH_DATA, and is `../shared/data` beside
    the repository by default. How many tests were left out is said at the end of the run.
    """
    folder = _data_folder()
    if not (folder / "MANIFEST.md").is_file():
        pytest.skip(f"{_NO_DATA}{folder}")
    return folder


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reasons = [
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(getattr(report, "longrepr", None), tuple)
    ]
    left_out = [reason for reason in reasons if reason.startswith(_NO_DATA)]
    if left_out:
        tests = "1 test" if len(left_out) == 1 else f"{len(left_out)} tests"
        terminalreporter.write_line(f"toksmith: {tests} left out because {left_out[0]}")
