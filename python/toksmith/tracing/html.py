"""A trace as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from html import escape

from toksmith.tracing.steps import MergeStep, ScaffoldStep, Step, UnigramStep
from toksmith.tracing.table import amount, change, headline, score_text

__all__ = ["html_of"]


def html_of(
    recipe: str,
    words: Mapping[str, int],
    units: Mapping[str, int],
    num_units: int,
    steps: Sequence[Step],
) -> str:
    """Draw all steps; every token is escaped."""
    parts = [f"<p>{escape(headline(recipe, words, num_units))}</p>"]
    merges = [step for step in steps if not isinstance(step, UnigramStep)]
    if merges or not steps:
        header = ["step", "pair", "count", "score", "token", "gone or hidden", "size", "live"]
        rows = [["0", "", "", "", "", "", str(num_units), _frequencies(units)]]
        rows += [_merge_row(step) for step in merges]
        parts.append(_table(header, rows))
    parts += [_unigram(step) for step in steps if isinstance(step, UnigramStep)]
    return "".join(parts)


def _merge_row(step: MergeStep | ScaffoldStep) -> list[str]:
    pair = f"{step.pair[0]} + {step.pair[1]}"
    score, out = "", ""
    if isinstance(step, MergeStep):
        score = score_text(step.score)
        out = " ".join(step.gone)
    else:
        pair = pair if step.shown is None else f"{step.shown} is shown again"
        out = " ".join(step.hidden)
    size = f"{step.size} ({change(step.size_change)})"
    live = _frequencies(step.live)
    return [str(step.number), pair, f"{step.count:,}", score, step.token, out, size, live]


def _unigram(step: UnigramStep) -> str:
    header = ["piece", "count", "probability", "used", "cost", "cost anew", ""]
    rows = [
        [
            row.piece,
            amount(row.count),
            f"{row.count}/{step.total}"
            if isinstance(row.probability, Fraction)
            else f"{row.probability:.6f}",
            f"{row.used:,}",
            "" if row.cost is None else f"{row.cost:+.3f}",
            "" if row.cost_reestimated is None else f"{row.cost_reestimated:+.3f}",
            "removed" if row.removed else "",
        ]
        for row in step.pieces
    ]
    return f"<p>step {step.number}: loss {step.loss:.4f}</p>{_table(header, rows)}"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _frequencies(live: Mapping[str, int]) -> str:
    return " · ".join(f"{token} {count:,}" for token, count in live.items())
