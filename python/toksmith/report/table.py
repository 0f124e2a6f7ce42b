"""Results in a terminal."""

from __future__ import annotations

import io
import shutil
import typing

from toksmith.evaluate import wording
from toksmith.evaluate.results import Interval, Results
from toksmith.report.selection import (
    in_order,
    remarkable_checks,
    test_lengths,
    training_seconds,
)

if typing.TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.table import Table

# Below this the columns break in the middle of numbers.
_MIN_WIDTH = 96


class TextTable:
    """The tables of a comparison, for people.

    `str()` and `repr()` give plain text, so that a Python prompt shows the table; `rich` prints it
    with colours.
    """

    def __init__(self, results: Results) -> None:
        """Nothing is drawn before it is shown."""
        self._results = results

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yields the parts of the report to rich."""
        yield from _parts(self._results)

    def __str__(self) -> str:
        """Plain text, as wide as the terminal but no narrower than its columns."""
        from rich.console import Console

        width = max(_MIN_WIDTH, shutil.get_terminal_size((_MIN_WIDTH, 24)).columns)
        output = io.StringIO()
        console = Console(file=output, width=width, color_system=None, force_terminal=False)
        console.print(self)
        lines = (_visible(line).rstrip() for line in output.getvalue().split("\n"))
        return "\n".join(lines).strip("\n")

    def __repr__(self) -> str:
        """The same as `str()`, so that a Python prompt shows the table."""
        return str(self)


def _visible(line: str) -> str:
    r"""Makes visible what would paint the terminal, or what it could not be sent.

    >>> _visible("a\x1b[31m\udcff")
    'a\\x1b[31m\\udcff'
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in line)


def text_table(results: Results) -> TextTable:
    """The tables of a comparison, for a terminal; needs nothing but `rich`."""
    return TextTable(results)


def _parts(results: Results) -> RenderResult:
    from rich.text import Text

    yield Text(results.verdict, style="bold")
    yield Text("")
    yield _compression(results)
    yield _vocabulary_and_speed(results)
    said = set()
    for check in sorted(remarkable_checks(results), key=lambda check: not check.is_hard):
        if check.sentence not in said:
            said.add(check.sentence)
            mark, style = ("✗", "red") if check.is_hard else ("!", "yellow")
            yield _bullet(mark, style, check.sentence)
    num_held = sum(check.outcome == "held" for check in results.checks)
    yield _bullet("✓", "green", f"{num_held} of {len(results.checks)} checks held")
    if results.line_fed is not None:
        yield Text("")
        yield Text(results.line_fed.sentence)


def _interval(interval: Interval) -> str:
    """An interval as narrow as a column wants it.

    >>> _interval(Interval(-0.05, 0.3))
    '[−0.05, +0.30]'
    """
    low, high = (wording.signed_percent(end)[:-1] for end in (interval.low, interval.high))
    return f"[{low}, {high}]"


def _bullet(mark: str, style: str, sentence: str) -> Table:
    from rich.table import Table
    from rich.text import Text

    # A grid, so that long sentences wrap under themselves.
    grid = Table.grid(padding=(0, 1))
    grid.add_row(Text(mark, style=style), Text(sentence))
    return grid


def _compression(results: Results) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    test = results.test
    table = Table(
        box=box.SIMPLE_HEAD,
        title=(
            f"Test text {test.name}: {wording.plural(test.num_documents, 'document')}, "
            f"{wording.plural(test.num_bytes, 'byte')}"
        ),
        title_justify="left",
        title_style="",
    )
    confidence = f"{results.arguments.confidence_percent:g}% interval"
    table.add_column("", justify="right", no_wrap=True, min_width=2)
    table.add_column("tokenizer", no_wrap=True, overflow="ellipsis", max_width=34)
    for heading in (
        "bytes/token",
        f"vs {results.baseline}",
        confidence,
        "tokens",
        "change",
    ):
        table.add_column(heading, justify="right", no_wrap=True)
    styles = {"ahead": "green", "behind": "red", "not ranked": "dim"}
    for candidate in in_order(results):
        gain, compression = candidate.gain, candidate.compression
        interval = gain.bytes_per_token_percent_interval if gain else None
        style = styles.get(candidate.standing, "")
        table.add_row(
            "–" if candidate.rank is None else str(candidate.rank),
            Text(candidate.name),
            f"{compression.bytes_per_token:.4f}",
            Text(
                wording.signed_percent(gain.bytes_per_token_percent) if gain else "baseline",
                style=style,
            ),
            _interval(interval) if interval else "",
            f"{compression.num_tokens:,}",
            wording.signed_percent(gain.tokens_percent) if gain else "",
            style="dim" if candidate.rank is None else "",
        )
    return table


def _vocabulary_and_speed(results: Results) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("tokenizer", no_wrap=True, overflow="ellipsis", max_width=34)
    for heading in (
        "above bound",
        "in pairs",
        "unused",
        "length",
        "train",
        "encode",
        "warm",
    ):
        table.add_column(heading, justify="right", no_wrap=True)
    for candidate in in_order(results):
        vocabulary, speed = candidate.vocabulary, candidate.speed
        seconds = training_seconds(candidate)
        table.add_row(
            Text(candidate.name),
            wording.signed_percent(candidate.compression.tokens_above_pretokens_percent, 1),
            f"{vocabulary.letters.slots_in_pairs_percent:.1f}%",
            f"{vocabulary.unused_on_test_percent:.1f}%",
            f"{test_lengths(candidate).mean_length:.2f}",
            "" if seconds is None else f"{seconds:.1f} s",
            f"{speed.encode_cold_mb_per_second:.1f}",
            f"{speed.encode_warm_mb_per_second:.1f}",
            style="dim" if candidate.rank is None else "",
        )
    table.caption = (
        "above bound: tokens above the number of pretokens, which no vocabulary can beat; "
        "in pairs: slots of words held in two or more forms; unused: slots the test text never "
        "needs; length: characters per token of the test text, white space left out; "
        "encode: MB/s on one thread, first pass and warm"
    )
    table.caption_justify = "left"
    return table
