"""Every method with every encoder, trained and measured on the same code and prose.

All recipes at 32,768 ids on 20 MB each, with the same pretokens, and bytes per token on unseen
documents. Needs the shared evaluation data (TOKSMITH_DATA, or `../shared/data` beside the
repository), takes about a quarter of an hour on two cores, and writes
`experiments/record/methods.json`:

    .venv/bin/python experiments/methods.py
"""

from __future__ import annotations

from typing import Any, Final

import recording

import toksmith as ts

_SEED: Final = 0
_NUM_RESAMPLES: Final = 1_000
_VOCAB_SIZE: Final = 32_768


def main() -> None:
    """Run it all."""
    rows: list[dict[str, Any]] = []
    for text in recording.TEXTS:
        train, test = recording.corpora(text)
        results = ts.compare(
            ts.known_recipes(),
            train=train,
            test=test,
            vocab_size=_VOCAB_SIZE,
            seed=_SEED,
            num_resamples=_NUM_RESAMPLES,
        ).results
        for recipe in ts.known_recipes():
            rows.append(_row(text, recipe, results))
            print(_line(rows[-1]), flush=True)
    recording.write(
        "methods",
        settings={
            "vocab_size": _VOCAB_SIZE,
            "seed": _SEED,
            "num_resamples": _NUM_RESAMPLES,
            "texts": recording.TEXTS,
        },
        figures=rows,
    )


def _row(text: str, recipe: str, results: ts.Results) -> dict[str, Any]:
    candidate = results.candidate(recipe)
    gain = candidate.gain
    interval = None if gain is None else gain.bytes_per_token_percent_interval
    return {
        "text": text,
        "recipe": recipe,
        "tokenizer": candidate.content_hash,
        "num_ids": candidate.vocab_size,
        "num_tokens": candidate.compression.num_tokens,
        "bytes_per_token": round(candidate.compression.bytes_per_token, 4),
        "gain_percent": None if gain is None else round(gain.bytes_per_token_percent, 4),
        "gain_percent_interval": None
        if interval is None
        else [round(interval.low, 3), round(interval.high, 3)],
    }


def _line(row: dict[str, Any]) -> str:
    gain = "" if row["gain_percent"] is None else f"{row['gain_percent']:+.2f}%"
    return (
        f"{row['text']:<6}{row['recipe']:<36}{row['num_tokens']:>10,}"
        f"{row['bytes_per_token']:>8.3f}{gain:>10}"
    )


if __name__ == "__main__":
    main()
