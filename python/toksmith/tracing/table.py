"""A trace as text."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from toksmith.tracing.steps import MergeStep, ScaffoldStep, Step, UnigramStep

__all__ = ["amount", "change", "headline", "score_text", "table_of"]

# Where there is no terminal to ask.
_DEFAULT_WIDTH: Final = 100
_INDENT: Final = "      "
# Of the pairs that were not taken so many are shown.
_NUM_CANDIDATES: Final = 5


def table_of(
    recipe: str,
    words: Mapping[str, int],
    units: Mapping[str, int],
    num_units: int,
    steps: Sequence[Step],
    *,
    width: int | None = None,
) -> str:
    """Draw all steps, as wide as the terminal if no width is given."""
    width = width or shutil.get_terminal_size((_DEFAULT_WIDTH, 24)).columns
    lines = [headline(recipe, words, num_units)]
    if not steps or not isinstance(steps[0], UnigramStep):
        lines += ["", "step 0: the units", *_wrapped(_frequencies(units), width)]
    for step in steps:
        lines.append("")
        if isinstance(step, MergeStep):
            lines += _merge_lines(step, width)
        elif isinstance(step, ScaffoldStep):
            lines += _scaffold_lines(step, width)
        else:
            lines += _unigram_lines(step, width)
    return "\n".join(lines)


def headline(recipe: str, words: Mapping[str, int], num_units: int) -> str:
    """Say what was trained on.

    >>> headline("bpe", {"low": 5, "new": 2}, 5)
    'bpe: 7 words, 2 different; 5 units'
    """
    return f"{recipe}: {sum(words.values()):,} words, {len(words):,} different; {num_units} units"


def change(size_change: int) -> str:
    """Write a change of size with its sign.

    >>> change(1), change(0), change(-1)
    ('+1', '0', '−1')
    """
    return f"+{size_change}" if size_change > 0 else f"−{-size_change}" if size_change else "0"


def score_text(score: Fraction | float) -> str:
    """Write a score: exactly where it is a count or a fraction, else six digits.

    >>> score_text(Fraction(1, 20)), score_text(0.5)
    ('1/20', '0.5')
    """
    return f"{score:.6g}" if isinstance(score, float) else str(score)


def amount(count: int | float) -> str:
    """Write a count, or an expected one.

    >>> amount(5), amount(2.5)
    ('5', '2.500')
    """
    return f"{count:,}" if isinstance(count, int) else f"{count:,.3f}"


def _merge_lines(step: MergeStep, width: int) -> list[str]:
    title = f"step {step.number}: {step.pair[0]} + {step.pair[1]} -> {step.token}"
    facts = [f"count {step.count:,}"]
    if step.score != step.count:
        facts.append(f"score {score_text(step.score)}")
    if step.num_ties > 1:
        facts.append(f"{step.num_ties} pairs tie")
    facts.append(f"size {step.size} ({change(step.size_change)})")
    if step.gone:
        facts.append(f"gone: {' '.join(step.gone)}")
    lines = [f"{title}   {', '.join(facts)}"]
    others = [
        f"{a}+{b} {score_text(candidate.score)}"
        for candidate in step.candidates[1 : _NUM_CANDIDATES + 1]
        for a, b in [candidate.pair]
    ]
    if others:
        more = step.num_candidates - 1 - len(others)
        others += [f"{more} more"] if more > 0 else []
        lines += _wrapped(["next:", *others], width)
    return lines + _wrapped(_frequencies(step.live), width)


def _scaffold_lines(step: ScaffoldStep, width: int) -> list[str]:
    if step.shown is None:
        title = f"step {step.number}: {step.pair[0]} + {step.pair[1]} -> {step.token}"
    else:
        title = f"step {step.number}: {step.shown} is shown again"
    facts = [f"count {step.count:,}"]
    facts.append(f"visible {step.size} ({change(step.size_change)})")
    if step.hidden:
        facts.append(f"hidden: {' '.join(step.hidden)}")
    lines = [f"{title}   {', '.join(facts)}"]
    if step.scaffolds:
        lines += _wrapped(["scaffolds:", *step.scaffolds], width)
    return lines + _wrapped(_frequencies(step.live), width)


def _unigram_lines(step: UnigramStep, width: int) -> list[str]:
    lines = [f"step {step.number}: {step.size} pieces, loss {step.loss:.4f}"]
    by_counts = any(row.cost_reestimated is not None for row in step.pieces)
    header = ["piece", "count", "probability", "used", "cost", "cost anew"][: 6 if by_counts else 5]
    rows = [header]
    for row in step.pieces:
        cells = [
            row.piece,
            amount(row.count),
            f"{row.count}/{step.total}"
            if isinstance(row.probability, Fraction)
            else f"{row.probability:.6f}",
            f"{row.used:,}",
            _cost(row.cost),
            _cost(row.cost_reestimated),
        ][: len(header)]
        rows.append(cells + (["removed"] if row.removed else []))
    widths = [max(len(cells[column]) for cells in rows) for column in range(len(header))]
    for cells in rows:
        aligned = [cells[0].ljust(widths[0])]
        aligned += [c.rjust(w) for c, w in zip(cells[1:], widths[1:], strict=False)]
        lines.append(_INDENT + "  ".join([*aligned, *cells[len(header) :]]))
    segmentations = [f"{word} = {'|'.join(parts)}" for word, parts in step.segmentations.items()]
    return lines + _wrapped(segmentations, width)


def _cost(cost: float | None) -> str:
    # A sum of logarithms that should be 0 may be 1e-14, or minus that.
    return "" if cost is None else f"{round(cost, 3) + 0.0:+.3f}"


def _frequencies(live: Mapping[str, int]) -> list[str]:
    return [f"{token} {count:,}" for token, count in live.items()]


def _wrapped(items: Sequence[str], width: int) -> list[str]:
    """Join items by two spaces, and never part one of them."""
    held = [item.replace(" ", "\0") for item in items]
    wrapped = textwrap.wrap(
        "  ".join(held),
        width=max(width, 40),
        initial_indent=_INDENT,
        subsequent_indent=_INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace("\0", " ") for line in wrapped]
