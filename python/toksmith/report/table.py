"""Results in a terminal."""

from __future__ import annotations

import io
import shutil
import typing
from dataclasses import dataclass

from toksmith.evaluate import wording
from toksmith.evaluate.results import Interval, Results
from toksmith.report.selection import (
    corpus_lines,
    in_order,
    remarkable_checks,
    size_differs,
    test_lengths,
    training_seconds,
)

if typing.TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.table import Table
    from rich.text import Text

# Where there is no terminal to ask.
_DEFAULT_WIDTH = 100
# Names are folded before a column is dropped, but not below this.
_MIN_NAME_WIDTH = 20
_MAX_NAME_WIDTH = 34
# A space on both sides of a column, and the line of the box that is drawn as a space.
_PADDING = 3


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
        yield from _parts(self._results, options.max_width)

    def __str__(self) -> str:
        """Plain text, as wide as the terminal; columns are left out where it is narrow."""
        from rich.console import Console

        width = shutil.get_terminal_size((_DEFAULT_WIDTH, 24)).columns
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


def _parts(results: Results, width: int) -> RenderResult:
    from rich.text import Text

    yield Text(results.verdict, style="bold")
    yield Text("")
    for line in corpus_lines(results):
        yield Text(line)
    yield _compression(results, width)
    yield _vocabulary_and_speed(results, width)
    yield Text(_LEGEND, style="dim")
    yield Text("")
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


@dataclass(slots=True)
class _Column:
    """Figures of all candidates.

    Attributes:
        drop: columns with the highest number are left out first; 0 is never left out.
    """

    heading: str
    drop: int
    cells: list[Text]
    before_name: bool = False

    def width(self, *, folded: bool) -> int:
        heads = self.heading.split(" ") if folded else [self.heading]
        return max(map(len, [*heads, *(cell.plain for cell in self.cells)])) + _PADDING


def _fit(columns: list[_Column], names: list[str], width: int) -> tuple[list[_Column], int, bool]:
    """Chooses what fits: figures are shown whole or not at all.

    Returns:
        The columns, the width of the names, and whether headings are folded.
    """
    longest = max(map(len, [*names, "tokenizer"]))
    least = min(longest, _MIN_NAME_WIDTH)
    kept = list(columns)
    order = sorted((c for c in columns if c.drop), key=lambda c: -c.drop)
    # The first to go goes before headings are folded, which reads worse than one column less.
    steps = [(0, False), *((n, n > 1) for n in range(1, len(order) + 1))]
    steps.insert(2, (1, True))
    left, folded = 0, False
    for dropped, folded in steps:
        kept = [c for c in columns if c not in order[:dropped]]
        left = width - sum(c.width(folded=folded) for c in kept) - _PADDING - 1
        if left >= least:
            break
    return kept, max(min(left, longest, _MAX_NAME_WIDTH), 6), folded


def _figures(columns: list[_Column], results: Results, width: int) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    candidates = in_order(results)
    kept, name_width, folded = _fit(columns, [c.name for c in candidates], width)
    table = Table(box=box.SIMPLE_HEAD)
    kept.sort(key=lambda column: not column.before_name)
    num_before = sum(column.before_name for column in kept)
    for i, column in enumerate([*kept, None]):
        if i == num_before:
            table.add_column("tokenizer", overflow="fold", width=name_width)
        if column is None:
            break
        heading = column.heading.replace(" ", "\n") if folded else column.heading
        least = column.width(folded=folded) - _PADDING
        table.add_column(heading, justify="right", no_wrap=True, overflow="crop", min_width=least)
    for i, candidate in enumerate(candidates):
        cells = [column.cells[i] for column in kept]
        table.add_row(
            *cells[:num_before],
            Text(candidate.name),
            *cells[num_before:],
            style="dim" if candidate.rank is None else "",
        )
    return table


def _compression(results: Results, width: int) -> Table:
    from rich.text import Text

    rank = _Column("rank", 2, [], before_name=True)
    gains = _Column("vs baseline", 0, [])
    interval = _Column(f"{results.arguments.confidence_percent:g}% interval", 4, [])
    density = _Column("bytes/token", 3, [])
    slots = _Column("slots", 1, [])
    tokens = _Column("tokens", 5, [])
    change = _Column("change", 6, [])
    styles = {"ahead": "green", "behind": "red", "not ranked": "dim"}
    for candidate in in_order(results):
        gain, compression = candidate.gain, candidate.compression
        within = gain.bytes_per_token_percent_interval if gain else None
        rank.cells.append(Text("–" if candidate.rank is None else str(candidate.rank)))
        gains.cells.append(
            Text(
                wording.signed_percent(gain.bytes_per_token_percent) if gain else "baseline",
                style=styles.get(candidate.standing, ""),
            )
        )
        interval.cells.append(Text(_interval(within) if within else ""))
        density.cells.append(Text(f"{compression.bytes_per_token:.4f}"))
        mark = "*" if size_differs(results, candidate) else ""
        slots.cells.append(Text(f"{candidate.vocab_size:,}{mark}", style="yellow" if mark else ""))
        tokens.cells.append(Text(f"{compression.num_tokens:,}"))
        change.cells.append(Text(wording.signed_percent(gain.tokens_percent) if gain else ""))
    columns = [rank, gains, interval, density, tokens, change]
    if len(results.ranked_sizes) > 1:
        columns.insert(4, slots)
    return _figures(columns, results, width)


_LEGEND = (
    "above bound: tokens above the number of pretokens, which no vocabulary can beat; "
    "in pairs: slots of words held in two or more forms; unused: slots the test text never "
    "needs; length: characters per token of the test text, white space left out; "
    "encode: MB/s on one thread, first pass and warm"
)


def _vocabulary_and_speed(results: Results, width: int) -> Table:
    from rich.text import Text

    headings = {
        "above bound": 1,
        "in pairs": 3,
        "unused": 5,
        "length": 4,
        "train": 2,
        "encode": 6,
        "warm": 0,
    }
    columns = [_Column(heading, drop, []) for heading, drop in headings.items()]
    for candidate in in_order(results):
        vocabulary, speed = candidate.vocabulary, candidate.speed
        seconds = training_seconds(candidate)
        cells = (
            wording.signed_percent(candidate.compression.tokens_above_pretokens_percent, 1),
            f"{vocabulary.letters.slots_in_pairs_percent:.1f}%",
            f"{vocabulary.unused_on_test_percent:.1f}%",
            f"{test_lengths(candidate).mean_length:.2f}",
            "" if seconds is None else f"{seconds:.1f} s",
            f"{speed.encode_cold_mb_per_second:.1f}",
            f"{speed.encode_warm_mb_per_second:.1f}",
        )
        for column, cell in zip(columns, cells, strict=True):
            column.cells.append(Text(cell))
    return _figures(columns, results, width)
