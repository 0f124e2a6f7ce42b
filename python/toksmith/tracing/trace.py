"""Trace a training, and show it as a table, as HTML or as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import islice
from typing import Any, Final, Unpack, overload

from toksmith._core import WordCounts
from toksmith.errors import SettingsError, TrainingError
from toksmith.tracing.html import html_of
from toksmith.tracing.merging import merge_steps
from toksmith.tracing.pruning import unigram_steps
from toksmith.tracing.scaffolding import scaffold_steps
from toksmith.tracing.settings import Settings, TraceSettings, read_settings
from toksmith.tracing.steps import Step
from toksmith.tracing.table import table_of
from toksmith.tracing.words import MAX_STEPS, Counted, check_size, count, show, units_for

__all__ = ["Trace", "trace"]

_STEPS_OF: Final[dict[str, Callable[..., Iterator[Step]]]] = {
    "bpe": merge_steps,
    "wordpiece": merge_steps,
    "scaffold-bpe": scaffold_steps,
    "unigram": unigram_steps,
}


@dataclass(frozen=True, slots=True)
class Trace:
    """The steps of a training; made by `trace`.

    Iterating gives the steps, `str()` a table for the terminal, a notebook shows HTML.

    Attributes:
        recipe: what was asked for.
        settings: all settings, defaults filled in.
        words: the words as they are shown, with their counts.
        units: the units in use before the first step, with how often they stand.
        num_units: how many units there are, pinned bytes that are not in use among them.
        steps: a `MergeStep`, `ScaffoldStep` or `UnigramStep` each.
        is_complete: False if `steps` ended the trace before training ended.
    """

    recipe: str
    settings: Settings
    words: dict[str, int]
    units: dict[str, int]
    num_units: int
    steps: tuple[Step, ...]
    is_complete: bool

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    @overload
    def __getitem__(self, index: int) -> Step: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Step, ...]: ...

    def __getitem__(self, index: int | slice) -> Step | tuple[Step, ...]:
        return self.steps[index]

    def __str__(self) -> str:
        return self.table()

    def table(self, width: int | None = None) -> str:
        """Draw the steps as text.

        Args:
            width: in characters; None is that of the terminal.

        >>> print(trace("bpe", {"aab": 2}, vocab_size=3).table())
        bpe: 2 words, 1 different; 2 units
        <BLANKLINE>
        step 0: the units
              a 4  b 2
        <BLANKLINE>
        step 1: a + a -> aa   count 2, 2 pairs tie, size 2 (0), gone: a
              next:  a+b 2
              b 2  aa 2
        """
        return table_of(
            self.recipe, self.words, self.units, self.num_units, self.steps, width=width
        )

    def _repr_html_(self) -> str:
        return html_of(self.recipe, self.words, self.units, self.num_units, self.steps)

    def to_json(self) -> str:
        """Give everything as JSON; fractions are texts such as `1/20`.

        >>> import json
        >>> json.loads(trace("bpe", {"aab": 2}, vocab_size=3).to_json())["steps"][0]["token"]
        'aa'
        """
        content = asdict(self) | {"settings": self.settings.of_trainer()}
        return json.dumps({"format": "toksmith-trace", "version": 1, **content}, default=_json)


def _json(value: object) -> object:
    if isinstance(value, Fraction):
        return str(value)
    raise TypeError(f"{type(value).__name__} is not for JSON")


def trace(
    recipe: str,
    counts: Counted,
    *,
    vocab_size: int | None = None,
    steps: int | None = None,
    **settings: Unpack[TraceSettings],
) -> Trace:
    """Train on a few words and tell every step.

    The plain-Python twins do the work, so this is for small inputs: `MAX_UNITS` in all different
    words, `MAX_STEPS` steps. The alphabet is that of the words' characters, unless
    `alphabet="bytes"` is set, so that a vocabulary fits a page.

    Args:
        recipe: `bpe`, `isbpe-single`, `isbpe-dual`, `scaffold-bpe`, `wordpiece-pmi`,
            `wordpiece-likelihood`, `wordpiece-frequency` or `unigram`.
        counts: a dict word -> count, `WordCounts`, a text, or several texts.
        vocab_size: where training stops, units counted in; for BPE merged tokens count although
            they may be in no word any more, as in training.
        steps: tell so many steps at most.
        settings: see `TraceSettings`.
    Raises:
        SettingsError: an unknown recipe or setting, a wrong value, or nothing that says where to
            stop.
        CorpusError: no words.
        TrainingError: more than plain Python can do, with the bound.

    >>> for step in trace("bpe", {"low": 5, "lower": 2}, vocab_size=7):
    ...     print(step.pair, step.count, step.token, step.size_change)
    ('l', 'o') 7 lo -1
    ('lo', 'w') 7 low -1
    """
    read = read_settings(recipe, settings, _made(counts))
    for name, value, least in (("vocab_size", vocab_size, 1), ("steps", steps, 0)):
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, int) or value < least
        ):
            raise SettingsError(f"{name} is {value!r}, but must be a whole number from {least}")
    if vocab_size is None and steps is None:
        raise SettingsError("say where to stop: vocab_size, or steps")
    if vocab_size is None and read.trainer == "unigram":
        raise SettingsError("unigram goes down to a vocab_size: say which")
    words = count(counts, read)
    units = units_for(words, read)
    check_size(words, units, read)
    most = MAX_STEPS if steps is None else min(steps, MAX_STEPS)
    size = vocab_size if vocab_size is not None else 2**62
    try:
        told = list(islice(_STEPS_OF[read.trainer](words, units, size, read), most + 1))
    except SettingsError:
        raise
    except ValueError as error:  # the twins know the builtin alone
        raise SettingsError(str(error)) from error
    if len(told) > MAX_STEPS and (steps is None or steps > MAX_STEPS):
        raise TrainingError(
            f"training takes more than {MAX_STEPS:,} steps, and a trace tells no more: ask for a "
            "smaller vocab_size, or for steps"
        )
    seen: dict[str, int] = {}
    for unit in units.tokens:
        seen[show(unit, read)] = 0
    for word, number in words.items():
        for run in units.runs(word):
            for unit in run:
                seen[show(unit, read)] += number
    return Trace(
        recipe=recipe,
        settings=read,
        words={show(word, read): number for word, number in words.items()},
        units={unit: number for unit, number in seen.items() if number > 0},
        num_units=len(units.tokens),
        steps=tuple(told[:most]),
        is_complete=len(told) <= most,
    )


def _made(counts: object) -> dict[str, Any] | None:
    """How ready word counts were made, as far as it decides a trace."""
    if not isinstance(counts, WordCounts):
        return None
    made = counts.provenance
    return {name: made.get(name) for name in ("boundary", "whitespace", "pretokenizer")}
