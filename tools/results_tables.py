"""Write the tables of results into README.md and experiments/README.md from the records.

    python tools/results_tables.py

A test says when a page is behind a record.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

_REPO: Final = Path(__file__).parents[1]
PAGES: Final = (_REPO / "README.md", _REPO / "experiments" / "README.md")
_TABLE: Final = re.compile(r"<!-- table (\w+)(?: (\w+))? -->\n.*?<!-- end of table -->", re.DOTALL)


def _figures(record: str) -> list[dict[str, Any]]:
    path = _REPO / "experiments" / "record" / f"{record}.json"
    figures: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["figures"]
    return figures


def _percent(value: float, digits: int = 2) -> str:
    return f"{value:+.{digits}f}%".replace("-", "−")


def _markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def methods(text: str) -> str:
    """Return gains over bpe, a row for each method and a column for each encoder."""
    rows = {row["recipe"]: row for row in _figures("methods") if row["text"] == text}
    encoders = ("merge-rank", "longest-first", "longest-prefix", "longest-suffix", "fewest-tokens")
    bases = [name for name in rows if "+" not in name]
    lines = []
    for base in bases:
        own = rows[base]
        gain = "" if own["gain_percent"] is None else f" ({_percent(own['gain_percent'])})"
        cells = [f"`{base}`", f"{own['num_tokens']:,}{gain}"]
        for encoder in encoders:
            row = rows.get(f"{base}+{encoder}")
            cells.append("" if row is None else _percent(row["gain_percent"]))
        lines.append(cells)
    return _markdown(["method", "own encoder", *(f"+{encoder}" for encoder in encoders)], lines)


def scaffold() -> str:
    """Return the share of hidden tokens, and bytes per token beside those of bpe."""
    lines = []
    for row in _figures("scaffold"):
        bpe = row["bpe+merge-rank"]
        cells = [f"{row['text']}, {row['vocab_size']:,}"]
        cells.append(f"{row['num_hidden']:,} ({row['hidden_percent']:.1f}%)")
        cells.append(f"{bpe:.3f}")
        for name in (
            "bpe+longest-first",
            "scaffold-bpe+merge-rank",
            "scaffold-bpe+longest-first",
        ):
            cells.append(f"{row[name]:.3f} ({_percent(100 * (row[name] / bpe - 1))})")
        lines.append(cells)
    head = ["text, ids", "hidden", "bpe", "bpe+longest-first", "scaffold-bpe"]
    return _markdown([*head, "scaffold-bpe+longest-first"], lines)


def token_lengths() -> str:
    """Return the change in the number of tokens by length."""
    figures = _figures("token_lengths")
    bins = list(figures[0]["by_length_percent"])
    lines = [
        [
            f"{row['text']}, {row['vocab_size']:,}",
            _percent(row["tokens_percent"]),
            *(_percent(row["by_length_percent"][name]) for name in bins),
        ]
        for row in figures
    ]
    return _markdown(["text, ids", "all tokens", *(f"{name} characters" for name in bins)], lines)


_MAKERS: Final[dict[str, Callable[..., str]]] = {
    "methods": methods,
    "scaffold": scaffold,
    "token_lengths": token_lengths,
}


def page_with_tables(page: str) -> str:
    """Return the page with its tables as the records have them now."""

    def table(found: re.Match[str]) -> str:
        arguments = [argument for argument in found.groups()[1:] if argument]
        begin = found.group().partition("\n")[0]
        return f"{begin}\n{_MAKERS[found.group(1)](*arguments)}\n<!-- end of table -->"

    return _TABLE.sub(table, page)


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(page_with_tables(path.read_text(encoding="utf-8")), encoding="utf-8")
