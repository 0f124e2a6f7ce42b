"""The fresh process: does one job of one candidate and prints what it measured.

A job is a JSON object on standard input, a result one on standard output. Times are taken with the
garbage collector as Python sets it, and what a call returns is freed inside the time, as it is
where ids are used and dropped.

What runs on one thread is timed in CPU seconds, in which other work on the machine shows least;
wall seconds, the same on a quiet machine, stand beside them.
"""

from __future__ import annotations

import hashlib
import json
import platform
import sys
import time
from array import array
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeAlias

from speed import candidates, trainers
from speed.texts import read_documents

Job: TypeAlias = dict[str, Any]

_NUM_WARM_PASSES = 3


def encode(job: Job) -> Job:
    """Encode every document: one cold pass, then warm ones, then one that checks the ids."""
    texts = read_documents(Path(job["text"]))
    warm_up = read_documents(Path(job["warm_up"]))
    start = time.perf_counter()
    codec = candidates.load(job["library"], Path(job["model"]), job["call"])
    load_seconds = time.perf_counter() - start
    for text in warm_up:
        codec.encode(text)
    passes = [_pass(codec.encode, texts) for _ in range(1 + _NUM_WARM_PASSES)]
    digest = hashlib.sha256()
    num_tokens = 0
    lossless = True
    for text in texts:
        # A list, or an array that holds 16 or 32 bits: the digest must not tell.
        ids = [int(id) for id in codec.encode(text)]
        num_tokens += len(ids)
        digest.update(array("I", [len(ids), *ids]).tobytes())
        lossless = lossless and codec.decode_bytes(ids) == text.encode()
    return {
        "load_seconds": load_seconds,
        **_cold_and_warm(passes),
        "num_tokens": num_tokens,
        "digest": digest.hexdigest(),
        "lossless": lossless,
    }


def decode(job: Job) -> Job:
    """Decode the ids of every document: one pass over ids not seen before, then warm ones."""
    codec = candidates.load(job["library"], Path(job["model"]), "encode(str)")
    texts = read_documents(Path(job["text"]))
    ids = [codec.encode(text) for text in texts]
    to_bytes = job["call"].startswith("decode_bytes")
    call: Callable[[Any], object] = codec.decode_bytes if to_bytes else codec.decode
    for text in read_documents(Path(job["warm_up"])):
        call(codec.encode(text))
    passes = [_pass(call, ids) for _ in range(1 + _NUM_WARM_PASSES)]
    expected = (text.encode() if to_bytes else text for text in texts)
    return {
        **_cold_and_warm(passes),
        "num_tokens": sum(map(len, ids)),
        "lossless": all(call(x) == text for x, text in zip(ids, expected, strict=True)),
    }


def train(job: Job) -> Job:
    """Train on documents in memory.

    `rise_bytes` is how far the peak lies above what the process held with library and corpus
    loaded.
    """
    trainer = trainers.load(job["trainer"], job["vocab_size"])
    documents = read_documents(Path(job["text"]))
    before = _peak_bytes()
    start, cpu = time.perf_counter(), time.process_time()
    stages = trainer.train(documents)
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu
    peak = _peak_bytes()
    merges = trainer.merges()
    return {
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "stages": stages,
        "peak_bytes": peak,
        "rise_bytes": peak - before,
        "num_merges": len(merges),
        "digest": hashlib.sha256(repr(merges).encode()).hexdigest(),
    }


def _pass(call: Callable[[Any], object], items: Iterable[Any]) -> tuple[float, float]:
    """CPU and wall seconds of one call for each item."""
    wall, cpu = time.perf_counter(), time.process_time()
    for item in items:
        call(item)
    return time.process_time() - cpu, time.perf_counter() - wall


def _cold_and_warm(passes: list[tuple[float, float]]) -> Job:
    cold, *later = passes
    # The middle one by CPU time.
    warm = sorted(later)[len(later) // 2]
    return {
        "cold_seconds": cold[0],
        "cold_wall_seconds": cold[1],
        "warm_seconds": warm[0],
        "warm_wall_seconds": warm[1],
    }


def _peak_bytes() -> int:
    """The most memory this process has held."""
    try:
        # Not getrusage: on Linux its ru_maxrss includes the parent, from which this was started.
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if platform.system() == "Darwin" else peak * 1024


if __name__ == "__main__":
    given = json.load(sys.stdin)
    json.dump(
        {"encode": encode, "decode": decode, "train": train}[given["regime"]](given), sys.stdout
    )
