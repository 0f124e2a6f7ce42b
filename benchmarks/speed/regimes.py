"""The regimes: which jobs run, what must be equal, and what rows come out."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from speed import candidates, trainers
from speed.record import table
from speed.rounds import ONE_THREAD, Spread, WrongAnswer, ratios, run_rounds, same_in_all
from speed.texts import Corpus

Row = dict[str, Any]
Progress = Callable[[str], None]
Results = Mapping[str, Sequence[Mapping[str, Any]]]

_MB: Final = 1e6


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured."""

    num_rounds: int
    vocab_size: int
    progress: Progress


def measure_encoding(
    corpus: Corpus, models: Mapping[str, Path], plan: Plan, *, worst: bool = False
) -> list[Row]:
    """Encode whole documents, one call each, on one thread.

    Args:
        worst: leave out the candidates that add nothing on a worst case.
    Raises:
        WrongAnswer: ids are not those that all libraries agree on, or do not decode to the text.
    """
    chosen = [c for c in candidates.ENCODE if c.in_worst or not worst]
    results = run_rounds(
        {c.name: _job("encode", c, corpus, models) for c in chosen},
        plan.num_rounds,
        environment=ONE_THREAD,
        progress=lambda what: plan.progress(f"encode, {corpus.test.name}, {what}"),
    )
    _check_encoding(results, chosen)
    rows = []
    for candidate in chosen:
        row = _row(candidate.name, candidate.call, corpus, results)
        row["load_ms"] = _spread([r["load_seconds"] * 1e3 for r in results[candidate.name]])
        _compare(row, results, candidates.TIKTOKEN)
        if candidate.baseline in results:
            _compare(row, results, candidate.baseline)
        rows.append(row)
    return rows


def measure_decoding(corpus: Corpus, models: Mapping[str, Path], plan: Plan) -> list[Row]:
    """Decode a list of ids for each document, on one thread.

    Raises:
        WrongAnswer: the text does not come back.
    """
    results = run_rounds(
        {c.name: _job("decode", c, corpus, models) for c in candidates.DECODE},
        plan.num_rounds,
        environment=ONE_THREAD,
        progress=lambda what: plan.progress(f"decode, {corpus.test.name}, {what}"),
    )
    rows = []
    for candidate in candidates.DECODE:
        if not same_in_all(results[candidate.name], "lossless"):
            raise WrongAnswer(f"{candidate.name} does not give {corpus.test.name} back")
        row = _row(candidate.name, candidate.call, corpus, results)
        _compare(row, results, f"tiktoken, {candidate.name.rpartition(', ')[2]}")
        rows.append(row)
    return rows


def measure_training(corpus: Corpus, plan: Plan) -> list[Row]:
    """Train byte-level BPE on documents that are in memory, each library with its default threads.

    Raises:
        WrongAnswer: the merges differ.
    """
    results = run_rounds(
        {
            name: {
                "regime": "train",
                "trainer": name,
                "text": str(corpus.train.file),
                "vocab_size": plan.vocab_size,
            }
            for name in trainers.TRAIN
        },
        plan.num_rounds,
        environment={},
        progress=lambda what: plan.progress(f"train, {corpus.name}, {what}"),
    )
    if len({same_in_all(rounds, "digest") for rounds in results.values()}) != 1:
        raise WrongAnswer(f"the merges of {', '.join(results)} on {corpus.train.source} differ")
    rows = []
    for name, threads in trainers.TRAIN.items():
        rounds = results[name]
        row: Row = {
            "candidate": name,
            "text": corpus.train.name,
            "threads": threads or "all",
            "seconds": _spread([r["seconds"] for r in rounds]),
            "cpu_seconds": _spread([r["cpu_seconds"] for r in rounds]),
            "stages": {
                stage: _spread([r["stages"][stage] for r in rounds])
                for stage in rounds[0]["stages"]
            },
            "mb_per_second": _spread([corpus.train.num_bytes / _MB / r["seconds"] for r in rounds]),
            "peak_mb": _spread([r["peak_bytes"] / _MB for r in rounds]),
            "rise_mb": _spread([r["rise_bytes"] / _MB for r in rounds]),
            "num_merges": same_in_all(rounds, "num_merges"),
            "ratios": {
                candidates.TOKENIZERS: {
                    key: dataclasses.asdict(
                        ratios(results, name, candidates.TOKENIZERS, f"{key}_{unit}")
                    )
                    for key, unit in (("cpu", "seconds"), ("peak", "bytes"), ("rise", "bytes"))
                }
                | {
                    "time": dataclasses.asdict(
                        ratios(results, name, candidates.TOKENIZERS, "seconds")
                    )
                }
            },
        }
        rows.append(row)
    return rows


def show_coding(rows: Sequence[Row]) -> str:
    """A table of encoding or decoding: speeds, and ratios within a round.

    "Our bpe" is toksmith's BPE of the same pattern.
    """
    header = [rows[0]["text"], "call", "cold MB/s", "warm MB/s", "cold / tiktoken"]
    header += ["warm / tiktoken"]
    has_baseline = any(len(row["ratios"]) > 1 for row in rows)
    if has_baseline:
        header += ["cold / our bpe", "warm / our bpe"]
    lines = []
    for row in rows:
        theirs, *ours = row["ratios"].values()
        line = [row["candidate"], row["call"]]
        line += [_show(row[f"{kind}_mb_per_second"], 1) for kind in ("cold", "warm")]
        line += [_show(theirs[kind], 2, "×") for kind in ("cold", "warm")]
        if has_baseline:
            line += [
                "".join(_show(ratio[kind], 2, "×") for ratio in ours) or "–"
                for kind in ("cold", "warm")
            ]
        lines.append(line)
    return table(header, lines)


def show_training(rows: Sequence[Row]) -> str:
    """A table of training: seconds, memory, and ratios within a round."""
    header = [rows[0]["text"], "seconds", "count + merge", "CPU s", "peak MB", "above corpus MB"]
    header += ["faster", "less CPU", "less above corpus"]
    lines = []
    for row in rows:
        stages, ratio = row["stages"], row["ratios"][candidates.TOKENIZERS]
        apart = [
            f"{stages[stage]['median']:.2f}" for stage in ("count", "merge") if stage in stages
        ]
        lines.append(
            [
                row["candidate"],
                _show(row["seconds"], 2),
                " + ".join(apart) or "–",
                _show(row["cpu_seconds"], 2),
                f"{row['peak_mb']['median']:.0f}",
                f"{row['rise_mb']['median']:.0f}",
                _show(ratio["time"], 1, "×"),
                f"{ratio['cpu']['median']:.1f}×",
                f"{ratio['rise']['median']:.1f}×",
            ]
        )
    return table(header, lines)


def _job(
    regime: str, candidate: candidates.Candidate, corpus: Corpus, models: Mapping[str, Path]
) -> dict[str, object]:
    return {
        "regime": regime,
        "library": candidate.library,
        "model": str(models[candidate.model]),
        "call": candidate.call,
        "text": str(corpus.test.file),
        "warm_up": str(corpus.warm_up.file),
    }


def _check_encoding(results: Results, chosen: Sequence[candidates.Candidate]) -> None:
    digests = {}
    for candidate in chosen:
        rounds = results[candidate.name]
        digest = same_in_all(rounds, "digest")
        if not same_in_all(rounds, "lossless"):
            raise WrongAnswer(f"the ids of {candidate.name} do not decode to the text")
        if candidate.same_ids:
            digests[candidate.name] = digest
    if len(set(digests.values())) != 1:
        raise WrongAnswer(f"the same ids are expected of {', '.join(digests)}; found {digests}")


def _row(name: str, call: str, corpus: Corpus, results: Results) -> Row:
    rounds = results[name]
    size = corpus.test.num_bytes / _MB
    return {
        "candidate": name,
        "call": call,
        "text": corpus.test.name,
        "threads": 1,
        "num_tokens": same_in_all(rounds, "num_tokens"),
        "cold_mb_per_second": _spread([size / r["cold_seconds"] for r in rounds]),
        "warm_mb_per_second": _spread([size / r["warm_seconds"] for r in rounds]),
        "cold_wall_mb_per_second": _spread([size / r["cold_wall_seconds"] for r in rounds]),
        "warm_wall_mb_per_second": _spread([size / r["warm_wall_seconds"] for r in rounds]),
        "ratios": {},
    }


def _compare(row: Row, results: Results, reference: str) -> None:
    row["ratios"][reference] = {
        kind: dataclasses.asdict(ratios(results, row["candidate"], reference, f"{kind}_seconds"))
        for kind in ("cold", "warm")
    }


def _spread(values: Sequence[float]) -> dict[str, float]:
    return dataclasses.asdict(Spread.of(values))


def _show(spread: Mapping[str, float], digits: int, unit: str = "") -> str:
    low, middle, high = (f"{spread[key]:.{digits}f}" for key in ("min", "median", "max"))
    return f"{middle}{unit}" if low == high else f"{middle}{unit} ({low}–{high})"
