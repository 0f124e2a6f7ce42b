"""Write the table of Unicode general categories that the core and the Python twins read.

One text file holds the general category of every code point in several Unicode versions, so
that a model made under one version is cut the same way under every later release. Rows are
runs of code points that share a category over the same versions; unassigned code points (Cn)
have no row.

The categories come from one Python module per version, each asked in a process of its own: the
`unicodedata` of the running Python where it is that version, else the release of `unicodedata2`
for it, installed into a folder that is thrown away. `unicodedata2` 14.0 does not build on
Python 3.11, whose own `unicodedata` is 14.0: run this with Python 3.11. Nothing is written unless
the text, read back, gives every code point of every version the category its module gives.

    python3.11 tools/generate_unicode_table.py
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

VERSIONS = ("14.0", "15.0", "15.1", "16.0", "17.0", "18.0")
NUM_CODE_POINTS = 0x110000
UNASSIGNED = "Cn"
DEFAULT_OUTPUT = (
    Path(__file__).resolve().parent.parent
    / "crates/toksmith-core/data/unicode_general_category.tsv"
)

# Run in a fresh Python: prints the module's version, then two letters per code point.
PRINT_CATEGORIES = """
import sys
import {module} as module
print(module.unidata_version)
sys.stdout.write("".join(module.category(chr(i)) for i in range(sys.maxunicode + 1)))
"""

HEADER = """\
# General category of every code point in the Unicode versions below. Generated; do not edit.
# Made by: python3.11 tools/generate_unicode_table.py
# Columns: first and last code point (hex, both inside), category, since, until. A row holds in the
# versions from `since` to `until`, both inside; `-` is the newest. No row: unassigned (Cn).
# versions: {versions}
"""


def categories_of(version: str) -> list[str]:
    """Return the general category of every code point in one Unicode version, by code point."""
    full_version = f"{version}.0"
    with tempfile.TemporaryDirectory() as folder:
        if unicodedata.unidata_version == full_version:
            module = "unicodedata"
        else:
            module = "unicodedata2"
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
            subprocess.run([*pip, "--target", folder, f"{module}=={full_version}"], check=True)
        found, text = subprocess.run(
            [sys.executable, "-c", PRINT_CATEGORIES.format(module=module)],
            check=True,
            capture_output=True,
            text=True,
            # An empty folder or the release: either way this alone decides what is imported.
            env={"PYTHONPATH": folder},
        ).stdout.split("\n")
    if found != full_version or len(text) != 2 * NUM_CODE_POINTS:
        raise SystemExit(f"asked {module} for Unicode {full_version}, it is {found}")
    return [text[i : i + 2] for i in range(0, len(text), 2)]


def make_table(categories: Sequence[Sequence[str]]) -> str:
    """Return the table's text; `categories[v][code_point]` is of `VERSIONS[v]`."""
    rows: list[tuple[int, int, int, str, int]] = []  # start, since, end, category, until
    open_rows: dict[tuple[str, int, int], int] = {}  # (category, since, until) -> start
    for code_point in range(NUM_CODE_POINTS + 1):
        spans: list[tuple[str, int, int]] = []
        if code_point < NUM_CODE_POINTS:
            history = enumerate(column[code_point] for column in categories)
            for category, group in groupby(history, key=lambda item: item[1]):
                indices = [index for index, _ in group]
                if category != UNASSIGNED:
                    spans.append((category, indices[0], indices[-1]))
        for category, since, until in [span for span in open_rows if span not in spans]:
            start = open_rows.pop((category, since, until))
            rows.append((start, since, code_point - 1, category, until))
        for span in spans:
            open_rows.setdefault(span, code_point)
    lines = [HEADER.format(versions=" ".join(VERSIONS))]
    for start, since, end, category, until in sorted(rows):
        until_name = "-" if until == len(VERSIONS) - 1 else VERSIONS[until]
        lines.append(f"{start:04X}\t{end:04X}\t{category}\t{VERSIONS[since]}\t{until_name}\n")
    return "".join(lines)


def read_table(text: str) -> list[list[str]]:
    """Return the categories a table holds, as `make_table` takes them: its inverse."""
    categories = [[UNASSIGNED] * NUM_CODE_POINTS for _ in VERSIONS]
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        start, end, category, since, until = line.split("\t")
        last = VERSIONS[-1] if until == "-" else until
        for column in categories[VERSIONS.index(since) : VERSIONS.index(last) + 1]:
            for code_point in range(int(start, 16), int(end, 16) + 1):
                if column[code_point] != UNASSIGNED:
                    raise SystemExit(f"two rows cover U+{code_point:04X}")
                column[code_point] = category
    return categories


def main() -> None:
    """Make the table, check that it says what the modules say, and write it."""
    parser = argparse.ArgumentParser(description="Write the table of Unicode general categories.")
    parser.add_argument("--output", type=Path, default=DEFAULT_OUTPUT)
    output: Path = parser.parse_args().output
    categories = [categories_of(version) for version in VERSIONS]
    text = make_table(categories)
    if read_table(text) != categories:
        raise SystemExit("the table does not give back the categories it was made from")
    output.write_text(text, encoding="ascii", newline="\n")


if __name__ == "__main__":
    main()
