"""Encoding time of several tokenizers in one run, and the machine it was measured on."""

from __future__ import annotations

import math
import os
import platform
import statistics
import time
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from toksmith.evaluate.results import Machine

if typing.TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from toksmith._core import Tokenizer

#: Warm passes go on until those of each tokenizer took so long together, within these bounds:
#: a single pass over a small text is shorter than a hiccup of the machine.
MIN_WARM_SECONDS = 0.3
MIN_WARM_PASSES = 3
MAX_WARM_PASSES = 50

# Touches the code and the tables of an encoder, and next to none of the words of a test text.
_THROWAWAY = b"Zyx 1.\n    zyx(2)\n"


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """The ids of all test documents in a row, and how long it took to make them.

    Attributes:
        ids: of all documents, one after the other.
        offsets: document i has `ids[offsets[i]:offsets[i + 1]]`.
        cold_seconds: of the first pass.
        warm_seconds: of a later pass, their median.
        num_warm_passes: how many later passes there were.
    """

    ids: NDArray[np.uint16] | NDArray[np.uint32]
    offsets: NDArray[np.int64]
    cold_seconds: float
    warm_seconds: float
    num_warm_passes: int


def encode_all(
    tokenizers: Mapping[str, Tokenizer],
    documents: Sequence[bytes],
    *,
    min_warm_seconds: float = MIN_WARM_SECONDS,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Encoded]:
    """Encodes the documents with every tokenizer, on one thread, and takes the time.

    The first pass of each tokenizer is cold: it has not seen the text. Warm passes take turns
    (all tokenizers once, then all again), so that a slow moment of the machine hits all alike.

    Args:
        min_warm_seconds: warm passes of each tokenizer together take at least so long, unless that
            needs more than `MAX_WARM_PASSES`.
        progress: called with passes done and passes in all, which is an estimate at first.
    """
    # Imported here, because encoding would import it otherwise, in the first pass that is timed.
    import numpy as np  # noqa: F401

    texts = list(documents)
    for tokenizer in tokenizers.values():
        # Whatever is built on first use belongs to loading, not to the first text.
        tokenizer.encode_batch_numpy([_THROWAWAY], num_threads=1)
    encoded: dict[str, tuple[typing.Any, NDArray[np.int64]]] = {}
    cold: dict[str, float] = {}
    warm: dict[str, list[float]] = {name: [] for name in tokenizers}
    num_rounds = MIN_WARM_PASSES
    done = turn = 0
    while turn <= num_rounds:
        for name, tokenizer in tokenizers.items():
            start = time.perf_counter()
            result = tokenizer.encode_batch_numpy(texts, num_threads=1)
            seconds = time.perf_counter() - start
            if turn == 0:
                encoded[name] = result
                cold[name] = seconds
            else:
                warm[name].append(seconds)
            done += 1
            if progress is not None:
                progress(done, len(tokenizers) * (1 + num_rounds))
        turn += 1
        if turn > 1:
            shortest = min(sum(seconds) for seconds in warm.values())
            wanted = math.ceil((turn - 1) * min_warm_seconds / max(shortest, 1e-9))
            num_rounds = min(max(wanted, turn - 1, MIN_WARM_PASSES), MAX_WARM_PASSES)
    return {
        name: Encoded(
            ids=ids,
            offsets=offsets,
            cold_seconds=cold[name],
            warm_seconds=statistics.median(warm[name]),
            num_warm_passes=len(warm[name]),
        )
        for name, (ids, offsets) in encoded.items()
    }


def mb_per_second(num_bytes: int, seconds: float) -> float:
    """Speed in 10^6 bytes of source text per second; 0.0 when no time could be measured.

    >>> mb_per_second(3_000_000, 1.5)
    2.0
    """
    return num_bytes / 1e6 / seconds if seconds > 0 else 0.0


def describe_machine() -> Machine:
    """The machine this runs on, as far as it tells."""
    from toksmith._core import __version__

    try:
        num_cores = len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        num_cores = os.cpu_count() or 1
    try:
        memory_bytes: int | None = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        memory_bytes = None
    return Machine(
        cpu=_cpu_name(),
        num_cores=num_cores,
        memory_bytes=memory_bytes,
        platform=platform.platform(),
        python_version=platform.python_version(),
        toksmith_version=__version__,
    )


def _cpu_name() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
