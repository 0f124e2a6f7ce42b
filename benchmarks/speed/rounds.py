"""Interleaved rounds of fresh processes, and the statistics of what they measured.

All candidates run once, then all again: a slow moment of the machine then hits neighbours alike,
and ratios are taken within a round, where they mean most.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_FOLDER: Final = Path(__file__).resolve().parents[1]
#: Variables by which peers set their threads; a child has none of the caller's.
_THREADS: Final = ("RAYON_NUM_THREADS", "TOKENIZERS_PARALLELISM")
#: For what is measured on one thread. Never in training: `tokenizers` is 3 to 5 times slower so.
ONE_THREAD: Final = {"RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}


class WrongAnswer(Exception):
    """A candidate gave an answer that is not the one it must give; its time is worth nothing."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of the rounds, and how far they lie apart."""

    median: float
    min: float
    max: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The spread of some values.

        >>> Spread.of([3.0, 1.0, 2.0])
        Spread(median=2.0, min=1.0, max=3.0)
        """
        return cls(statistics.median(values), min(values), max(values))


def run_rounds(
    jobs: Mapping[str, Mapping[str, object]],
    num_rounds: int,
    *,
    environment: Mapping[str, str],
    progress: Callable[[str], None],
) -> dict[str, list[dict[str, Any]]]:
    """Run every job once a round, each in a process of its own.

    Args:
        jobs: by the candidate's name; `child` says what is in one.
        environment: variables on top of the caller's.
    Returns:
        Candidate -> its results, one a round.
    """
    results: dict[str, list[dict[str, Any]]] = {name: [] for name in jobs}
    for number in range(1, num_rounds + 1):
        for name, job in jobs.items():
            progress(f"round {number}/{num_rounds}: {name}")
            results[name].append(_run(job, environment))
    return results


def ratios(
    results: Mapping[str, Sequence[Mapping[str, Any]]], name: str, reference: str, key: str
) -> Spread:
    """How many times less of `key` (seconds, bytes) a candidate took than the reference."""
    return Spread.of(
        [
            float(theirs[key]) / float(ours[key])
            for ours, theirs in zip(results[name], results[reference], strict=True)
        ]
    )


def same_in_all(results: Sequence[Mapping[str, Any]], key: str) -> str | int | bool:
    """The value of `key`, which must be the same in every round.

    Raises:
        WrongAnswer: it is not.
    """
    values: set[str | int | bool] = {result[key] for result in results}
    if len(values) != 1:
        raise WrongAnswer(f"{key} differs from round to round: {sorted(values)}")
    return values.pop()


def _run(job: Mapping[str, object], environment: Mapping[str, str]) -> dict[str, Any]:
    inherited = {key: value for key, value in os.environ.items() if key not in _THREADS}
    done = subprocess.run(
        [sys.executable, "-m", "speed.child"],
        input=json.dumps(job),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        cwd=_FOLDER,
        env={**inherited, **environment},
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result
