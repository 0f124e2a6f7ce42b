"""Results as one self-contained HTML page: no network, no fonts, no scripts."""

from __future__ import annotations

import functools
import typing
from pathlib import Path

from toksmith.evaluate import wording
from toksmith.evaluate.results import Results
from toksmith.report import charts
from toksmith.report.selection import (
    charted_rivals,
    check_rows,
    corpus_lines,
    in_order,
    remarkable_checks,
    shared_settings,
    size_differs,
    test_lengths,
    training_seconds,
)

if typing.TYPE_CHECKING:
    from os import PathLike

    from jinja2 import Environment

_TEMPLATES = Path(__file__).parent / "templates"


def to_html(results: Results, *, plots: bool = True) -> str:
    """The report as a page that opens offline.

    Args:
        plots: False leaves the plots out; they are also left out, and the page says so, when the
            extra `report` is not installed.
    """
    why_no_plots = charts.why_not() if plots else "plots were not asked for"
    drawn: dict[str, object] = {}
    if why_no_plots is None:
        from markupsafe import Markup

        rivals = charted_rivals(results)
        svgs = {
            "gain": charts.gain_chart(results),
            "lengths": charts.length_chart(results),
            "words": charts.words_chart(rivals[0]) if rivals else None,
            "pairs": charts.pairs_chart(results),
        }
        # The drawing library has escaped every text in its SVG.
        drawn = {name: Markup(svg) for name, svg in svgs.items() if svg is not None}
    return (
        _environment()
        .get_template("report.html.jinja")
        .render(
            results=results,
            plots=drawn,
            why_no_plots=why_no_plots,
            min_charted=charts.MIN_SHARE_CHARTED_PERCENT,
            **_views(results),
        )
    )


def save_html(results: Results, path: str | PathLike[str], *, plots: bool = True) -> None:
    """Writes the page of `to_html` to `path`; a reader sees the old file or the new one."""
    from toksmith._core import write_atomically

    write_atomically(path, to_html(results, plots=plots).encode("utf-8", "replace"))


def html_fragment(results: Results) -> str:
    """The verdict and the main table, to be shown inside another page (a notebook)."""
    return (
        _environment()
        .get_template("fragment.html.jinja")
        .render(results=results, **_views(results))
    )


def _views(results: Results) -> dict[str, object]:
    return {
        "candidates": in_order(results),
        "rivals": charted_rivals(results),
        "check_groups": check_rows(results),
        "remarkable": remarkable_checks(results),
        "num_held": sum(check.outcome == "held" for check in results.checks),
        "test_lengths": test_lengths,
        "training_seconds": training_seconds,
        "size_differs": functools.partial(size_differs, results),
        "shared": shared_settings(results),
        "corpus_lines": corpus_lines(results),
    }


@functools.cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = wording.signed_percent
    environment.filters["interval"] = wording.interval
    environment.filters["signed"] = wording.signed_count
    environment.filters["count"] = lambda value: f"{value:,}"
    environment.filters["figure"] = _figure
    environment.filters["fixed"] = lambda value, digits=2: f"{value:,.{digits}f}"
    environment.filters["measure"] = _measure
    environment.filters["plural"] = wording.plural
    return environment


def _measure(value: float | None, unit: str, high: float | None = None) -> str:
    """A figure of a check with its unit, or two of them as a range.

    >>> _measure(0.5, "% of test documents"), _measure(72.0, "tokens", 74.0), _measure(None, "")
    ('0.50% of test documents', '72 to 74 tokens', '')
    """
    if value is None:
        return ""
    sign, words = ("%", unit[1:]) if unit.startswith("%") else ("", f" {unit}")
    last = "" if high is None or high == value else f" to {_figure(high)}{sign}"
    return f"{_figure(value)}{sign}{last}{words}".rstrip()


def _figure(value: float) -> str:
    """A figure of a check: whole numbers whole, others with two digits.

    >>> _figure(16384.0), _figure(0.3712)
    ('16,384', '0.37')
    """
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"
