"""Held-out tokens of BPE and implicit-space BPE on code and prose, beside an independent trainer's.

Every recipe is trained on the same whole documents and encodes the same unseen ones. `bpe-line-fed`
is trained on single lines instead: the mistake that makes implicit spaces look 10% better on code
than they are. Needs the shared evaluation data (TOKSMITH_DATA, or `../shared/data` beside the
repository), takes a minute, and writes `experiments/record/held_out_tokens.json`:

    .venv/bin/python experiments/held_out_tokens.py
"""

from __future__ import annotations

from typing import Any, Final

import recording

import toksmith as ts

_SEED: Final = 0
_NUM_RESAMPLES: Final = 1_000
_VOCAB_SIZES: Final = (32_768, 65_536)
_METHODS: Final = ("bpe", "isbpe-single", "isbpe-dual", "bpe-line-fed")
_RECIPES: Final = [
    f"{method}{encoder}" for method in _METHODS for encoder in ("", "+longest-first")
]

#: Found by a trainer that shares no code with ours, from the same description of the methods.
_INDEPENDENT: Final = {
    ("code", 32_768): {"bpe": 675_341, "isbpe-dual": 674_053, "bpe-line-fed": 739_599},
    ("code", 65_536): {"bpe": 663_549, "isbpe-dual": 662_675, "bpe-line-fed": 727_849},
    ("prose", 32_768): {"bpe": 898_182, "isbpe-dual": 883_883},
    ("prose", 65_536): {"bpe": 863_618, "isbpe-dual": 853_961},
}


def main() -> int:
    """Run it all; 1 where a figure differs from the independent trainer's."""
    print("text    vocab  recipe                       tokens  against bpe   independent trainer")
    rows: list[dict[str, Any]] = []
    corpora: dict[str, dict[str, Any]] = {}
    for text, names in recording.TEXTS.items():
        train, test = recording.corpora(text)
        for vocab_size in _VOCAB_SIZES:
            results = ts.compare(
                _RECIPES,
                train=train,
                test=test,
                vocab_size=vocab_size,
                seed=_SEED,
                num_resamples=_NUM_RESAMPLES,
            ).results
            facts = {"train": results.train, "test": results.test}
            corpora[text] = {
                side: {
                    "file": name,
                    "num_documents": fact.num_documents,
                    "num_bytes": fact.num_bytes,
                    "digest": fact.digest,
                }
                for (side, fact), name in zip(facts.items(), names, strict=True)
                if fact is not None
            }
            for recipe in _RECIPES:
                rows.append(_row(text, vocab_size, recipe, results))
                print(_line(rows[-1]), flush=True)
    recording.write(
        "held_out_tokens",
        settings={"seed": _SEED, "num_resamples": _NUM_RESAMPLES},
        corpora=corpora,
        figures=rows,
    )
    checked = [row for row in rows if row["independent"] is not None]
    num_equal = sum(row["equal"] for row in checked)
    print(f"{num_equal} of {len(checked)} figures equal those of the independent trainer")
    return 0 if num_equal == len(checked) else 1


def _row(text: str, vocab_size: int, recipe: str, results: ts.Results) -> dict[str, Any]:
    candidate = results.candidate(recipe)
    num_tokens = candidate.compression.num_tokens
    independent = _INDEPENDENT[text, vocab_size].get(recipe)
    gain = candidate.gain
    interval = None if gain is None else gain.bytes_per_token_percent_interval
    return {
        "text": text,
        "vocab_size": vocab_size,
        "recipe": recipe,
        "tokenizer": candidate.content_hash,
        "num_tokens": num_tokens,
        "bytes_per_token": round(candidate.compression.bytes_per_token, 4),
        "gain_percent": None if gain is None else round(gain.bytes_per_token_percent, 6),
        "gain_percent_interval": None
        if interval is None
        else [round(interval.low, 3), round(interval.high, 3)],
        "independent": independent,
        "equal": None if independent is None else num_tokens == independent,
    }


def _line(row: dict[str, Any]) -> str:
    gain = "" if row["gain_percent"] is None else f"{row['gain_percent']:+.2f}%"
    found = ""
    if row["independent"] is not None:
        found = f"{row['independent']:>9,}  {'equal' if row['equal'] else 'NOT EQUAL'}"
    return (
        f"{row['text']:<6}{row['vocab_size']:>7,}  {row['recipe']:<26}"
        f"{row['num_tokens']:>9,} {gain:>12} {found}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
