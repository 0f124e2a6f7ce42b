"""Measure the speed of toksmith beside tiktoken and tokenizers: `make bench`.

Every figure comes from a fresh process, in interleaved rounds, and only after the answers were
found equal. README.md in this folder says how to read the tables.
"""

from __future__ import annotations

import argparse
import datetime
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from speed import record, regimes, targets, texts
from speed.models import train_models
from speed.rounds import WrongAnswer

_REGIMES = ("encode", "decode", "train")
_RECORDS = Path(__file__).resolve().parent / "record"


def main() -> int:
    """Run what the command line asks for; 1 if an answer was wrong or the library changed."""
    arguments = _arguments()
    quick = arguments.quick
    plan = regimes.Plan(
        num_rounds=arguments.rounds or (1 if quick else 5),
        vocab_size=8_192 if quick else 32_768,
        progress=_progress,
    )
    if texts.shared_data() is None:
        print(
            "No shared data (TOKSMITH_DATA): the Python standard library is the text instead. "
            "Figures do not compare with those in record/.\n"
        )
    source = record.describe_source()
    result: dict[str, Any] = {
        "format": "toksmith.benchmark",
        "version": 1,
        "date": f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC",
        "command": " ".join(["benchmarks/run.py", *sys.argv[1:]]),
        "source": source,
        "machine": record.describe_machine(),
        "versions": record.describe_versions(),
        "settings": {"num_rounds": plan.num_rounds, "vocab_size": plan.vocab_size, "quick": quick},
        "load_average": {"before": record.load_average()},
    }
    start = time.monotonic()
    try:
        result["texts"], result["regimes"] = _measure(
            arguments.regime or list(_REGIMES), plan, quick
        )
    except WrongAnswer as error:
        print(f"\nA wrong answer, so no times: {error}", file=sys.stderr)
        return 1
    if record.core_digest() != source["core_sha256"]:
        print("\nThe library was built anew during the run: run it again.", file=sys.stderr)
        return 1
    result["load_average"]["after"] = record.load_average()
    result["seconds"] = round(time.monotonic() - start)
    result["targets"] = targets.check(result["regimes"])
    _show(result)
    if not quick:
        file = record.write(_RECORDS, arguments.name, result)
        print(f"\nwritten: benchmarks/record/{file.name}")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick",
        action="store_true",
        help="one round on less text, no record: to see that it runs",
    )
    parser.add_argument("--rounds", type=int, help="interleaved rounds (5)")
    parser.add_argument(
        "--regime", action="append", choices=_REGIMES, help="only this one; may be repeated"
    )
    parser.add_argument("--name", default="all", help="of the record: DATE-NAME.json")
    return parser.parse_args()


def _measure(
    wanted: list[str], plan: regimes.Plan, quick: bool
) -> tuple[list[dict[str, object]], dict[str, list[regimes.Row]]]:
    rows: dict[str, list[regimes.Row]] = {regime: [] for regime in wanted}
    used: dict[str, texts.Text] = {}
    with tempfile.TemporaryDirectory(prefix="toksmith-bench-") as name:
        folder = Path(name)
        corpora = texts.prepare_corpora(
            folder,
            max_train_bytes=3_000_000 if quick else None,
            max_test_bytes=500_000 if quick else None,
        )
        for corpus in corpora:
            # One corpus at a time, the regimes of each together: no model outlives its use.
            used |= {text.source: text for text in (corpus.train, corpus.test)}
            if "train" in wanted:
                rows["train"] += regimes.measure_training(corpus, plan)
            if not {"encode", "decode"} & set(wanted):
                continue
            _progress(f"training the models of {corpus.name}")
            models_folder = folder / f"{corpus.name}.models"
            models_folder.mkdir()
            documents = texts.read_documents(corpus.train.file)
            models = train_models(models_folder, documents, plan.vocab_size)
            del documents
            if "decode" in wanted:
                rows["decode"] += regimes.measure_decoding(corpus, models, plan)
            if "encode" in wanted:
                rows["encode"] += regimes.measure_encoding(corpus, models, plan)
                if corpus is corpora[-1]:
                    for worst in texts.prepare_worst(folder, corpus):
                        used[worst.test.source] = worst.test
                        rows["encode"] += regimes.measure_encoding(worst, models, plan, worst=True)
    described = [
        {key: value for key, value in asdict(text).items() if key != "file"}
        for text in used.values()
    ]
    return described, rows


def _progress(what: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[2K{what}", end="", file=sys.stderr, flush=True)


def _show(result: dict[str, Any]) -> None:
    if sys.stderr.isatty():
        print("\r\x1b[2K", end="", file=sys.stderr)
    machine, versions, settings = result["machine"], result["versions"], result["settings"]
    print(f"{machine['cpu']}, {machine['num_cores']} cores, {machine['system']}")
    print(", ".join(f"{name} {version}" for name, version in versions.items()))
    print(f"{settings['num_rounds']} interleaved rounds, vocabulary {settings['vocab_size']:,}")
    print("Medians (lowest–highest). Ratios above 1: faster, or less. Ids and merges were checked.")
    for regime, all_rows in result["regimes"].items():
        for text in dict.fromkeys(row["text"] for row in all_rows):
            rows = [row for row in all_rows if row["text"] == text]
            show = regimes.show_training if regime == "train" else regimes.show_coding
            threads = "default threads" if regime == "train" else "one thread"
            print(f"\n{regime}, {threads}\n{show(rows)}")
    if result["targets"]:
        print("\n" + _show_targets(result["targets"]))


def _show_targets(found: list[dict[str, Any]]) -> str:
    return record.table(
        ["target", "text", "at least", "found", "holds"],
        [
            [
                f"{t['candidate']} / {t['reference']}, {t['regime']} {t['kind']}",
                t["text"],
                f"{t['at_least']:.1f}×",
                f"{t['found']:.2f}×",
                "yes" if t["holds"] else "NO",
            ]
            for t in found
        ],
    )


if __name__ == "__main__":
    sys.exit(main())
