"""The only place that prints: results, errors in one line, progress."""

from __future__ import annotations

import functools
import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Final, ParamSpec, Self

import typer

from toksmith.errors import ToksmithError

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from toksmith.corpus import Corpus

__all__ = [
    "Reporter",
    "explained",
    "note",
    "note_skipped",
    "write_bytes",
    "write_coloured",
    "write_coloured_lines",
    "write_line",
]

P = ParamSpec("P")

# What the stages of `toksmith.training.Progress` are called, and whether they count bytes.
_STAGES: Final = {"count": ("counting words", True), "train": ("training", False)}

# What stands before the parts of a line: a stage, a word with its arrow, or an indented step.
_LABEL: Final = re.compile(r"  \S.*?  +|\S.* -> |[a-z]+ +")

# Of neighbouring tokens; readable on dark and on light.
_COLOURS: Final = ("blue", "magenta", "green", "red", "cyan")

# Plain progress, for logs: a line at each new stage, and one now and then.
_SECONDS_BETWEEN_LINES: Final = 5.0


def write_bytes(data: bytes) -> None:
    """Write a result to standard output, byte for byte."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def write_line(line: str) -> None:
    """Write a line of a result; file names that are not UTF-8 come out as they are."""
    write_bytes(line.encode("utf-8", "surrogateescape") + b"\n")


def write_coloured(line: str, parts: Sequence[str]) -> None:
    """Write a line that ends in ` | ` between parts, neighbours in different colours."""
    from rich.console import Console
    from rich.text import Text

    text = Text(line.removesuffix(" | ".join(parts)))
    for index, part in enumerate(parts):
        text.append(" | " if index else "", style="dim")
        text.append(part, style=_COLOURS[index % len(_COLOURS)])
    Console(soft_wrap=True, highlight=False).print(text)


def write_coloured_lines(lines: str) -> None:
    """Write lines of a label and parts with ` | ` between, as `Explanation.details` has them."""
    for line in lines.split("\n"):
        label = _LABEL.match(line)
        parts = line[label.end() :] if label else line
        write_coloured(line, parts.split(" | "))


def note(line: str) -> None:
    """Tell the person at the terminal something that is no result."""
    sys.stderr.write(f"toksmith: {_one_line(line)}\n")


def note_skipped(*corpora: Corpus) -> None:
    """Say how many files in folders were left out, and why the first of them was."""
    # The same folder may be in two corpora, or walked by two.
    skipped = list(dict.fromkeys(pair for corpus in corpora for pair in corpus.skipped))
    if skipped:
        path, reason = skipped[0]
        files = "1 file was" if len(skipped) == 1 else f"{len(skipped)} files were"
        note(f"note: {files} left out, the first is {path}: {reason}")


def explained(command: Callable[P, None]) -> Callable[P, None]:
    """Turn the errors that a message explains into that message and an exit code.

    Everything else is a bug of ours and keeps its traceback.
    """

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except BrokenPipeError:
            # `toksmith encode … | head` has read enough. Python would complain once more when it
            # flushes at exit, so the rest goes nowhere.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except KeyboardInterrupt:
            note("interrupted")
            raise typer.Exit(130) from None
        except (ToksmithError, OSError) as error:
            note(f"error: {_message(error)}")
            raise typer.Exit(1) from None
        except MemoryError:
            note("error: out of memory")
            raise typer.Exit(1) from None

    return run


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    # KeyError, which UnknownTokenIdError may be, shows the repr of its message as str().
    if len(error.args) == 1 and isinstance(error.args[0], str):
        return error.args[0]
    return str(error) or type(error).__name__


def _one_line(text: str) -> str:
    r"""Join lines and make control characters visible, lest a file name paint the terminal.

    >>> _one_line("regex:\n    (\n    ^ unclosed")
    'regex: ( ^ unclosed'
    >>> _one_line("a\x1b[31m")
    'a\\x1b[31m'
    """
    joined = " ".join(line.strip() for line in text.splitlines() if line.strip())
    return "".join(
        character if character.isprintable() else repr(character)[1:-1] for character in joined
    )


class Reporter:
    """Shows progress on standard error: bars in a terminal, lines elsewhere, or nothing.

    Used as a context manager and called as a `toksmith.training.Progress`.

    Args:
        wanted: False for nothing; True for bars or, where there is no terminal, lines; None for
            bars in a terminal and nothing elsewhere.
    """

    def __init__(self, wanted: bool | None = None) -> None:
        """See the class."""
        is_terminal = sys.stderr.isatty()
        self._bars = is_terminal and wanted is not False
        self._lines = wanted is True and not is_terminal
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._stage = ""
        self._last_line = 0.0
        self._start = time.monotonic()

    def __enter__(self) -> Self:
        """Begin to draw, where there is a terminal."""
        if self._bars:
            self._progress = _rich_progress()
            self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Take the bars away; what is printed next stands in their place."""
        if self._progress is not None:
            self._progress.stop()

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._start

    def __call__(self, stage: str, done: int, total: int | None = None) -> None:
        """Take note of how far a stage has come."""
        label, is_bytes = _STAGES.get(stage, (stage, False))
        is_new = stage != self._stage
        self._stage = stage
        if self._progress is not None:
            amount = _amount(done, total, is_bytes)
            if is_new or self._task is None:
                if self._task is not None:
                    self._progress.remove_task(self._task)
                self._task = self._progress.add_task(label, total=total, amount=amount)
            self._progress.update(self._task, completed=done, total=total, amount=amount)
        elif self._lines:
            now = time.monotonic()
            if is_new or now - self._last_line >= _SECONDS_BETWEEN_LINES:
                self._last_line = now
                amount = _amount(done, total, is_bytes)
                note(f"[{self.seconds:6.1f} s] {label}{': ' + amount if amount else ''}")


def _rich_progress() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[amount]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )


def _amount(done: int, total: int | None, is_bytes: bool) -> str:
    """Say how much is done.

    >>> _amount(5_000_000, None, True), _amount(7, 1_000, False)
    ('5.0 MB', '7 of 1,000')
    """
    if is_bytes:
        return f"{done / 1e6:,.1f} MB"
    if total is None:
        return f"{done:,}" if done else ""
    return f"{done:,} of {total:,}"
