"""Encoding time of several tokenizers in one run, and the machine it was measured on."""

from __future__ import annotations

import os
import platform
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

NUM_WARM_PASSES = 3


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """The ids of all test documents in a row, and how long it took to make them.

    Attributes:
        ids: of all documents, one after the other.
        offsets: document i has `ids[offsets[i]:offsets[i + 1]]`.
        cold_seconds: of the first pass.
        warm_seconds: of the fastest later pass.
    """

    ids: NDArray[np.uint16] | NDArray[np.uint32]
    offsets: NDArray[np.int64]
    cold_seconds: float
    warm_seconds: float


def encode_all(
    tokenizers: Mapping[str, Tokenizer],
    documents: Sequence[bytes],
    *,
    num_warm_passes: int = NUM_WARM_PASSES,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Encoded]:
    """Encodes the documents with every tokenizer, on one thread, and takes the time.

    The first pass of each tokenizer is cold: it has not seen the text. Warm passes take turns
    (all tokenizers once, then all again), so that a slow moment of the machine hits all alike.

    Args:
        progress: called with passes done and passes in all.
    """
    num_passes = len(tokenizers) * (1 + num_warm_passes)
    texts = list(documents)
    for tokenizer in tokenizers.values():
        # Tables that are built on first use belong to loading, not to the first text.
        tokenizer.encode(b"a")
    done = 0
    encoded: dict[str, tuple[typing.Any, NDArray[np.int64]]] = {}
    cold: dict[str, float] = {}
    warm: dict[str, list[float]] = {name: [] for name in tokenizers}
    for turn in range(1 + num_warm_passes):
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
                progress(done, num_passes)
    return {
        name: Encoded(
            ids=ids,
            offsets=offsets,
            cold_seconds=cold[name],
            warm_seconds=min(warm[name], default=cold[name]),
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
