"""Scaffold-BPE beside BPE: how many tokens are hidden, and what it is worth.

At 32,000 and 64,000 ids on 20 MB of code and of prose, with merging and with longest-first, and
the figures of the paper (Lian et al. 2024; on the Pile) and of an independent run (on Wikipedia)
beside ours. Needs the shared evaluation data, takes a minute, and writes
`experiments/record/scaffold.json`:

    .venv/bin/python experiments/scaffold.py
"""

from __future__ import annotations

from typing import Any, Final

import recording

import toksmith as ts

_VOCAB_SIZES: Final = (32_000, 64_000)
_ENCODERS: Final = ("merge-rank", "longest-first")

#: Bytes per token of BPE and of Scaffold-BPE, and the gain in percent.
_PUBLISHED: Final = {
    "the paper, the Pile, 32K": (3.879, 3.889),
    "an independent run, Wikipedia, 32K": (4.499, 4.520),
    "an independent run, Wikipedia, 64K": (4.717, 4.729),
}
#: "About 6% of the tokens are scaffolds" at 32K.
_PUBLISHED_SHARE: Final = 6.0


def main() -> None:
    """Run it all."""
    rows: list[dict[str, Any]] = []
    for text in recording.TEXTS:
        train, test = recording.corpora(text)
        counts = ts.count_words(train)
        documents = [document.data for document in test]
        num_bytes = sum(map(len, documents))
        for vocab_size in _VOCAB_SIZES:
            bpe = ts.train_recipe("bpe", counts, vocab_size)
            scaffold = ts.train_recipe("scaffold-bpe", counts, vocab_size)
            num_hidden = len(scaffold.hidden_tokens)
            row: dict[str, Any] = {
                "text": text,
                "vocab_size": vocab_size,
                "num_hidden": num_hidden,
                "hidden_percent": round(100 * num_hidden / (num_hidden + vocab_size), 2),
            }
            for name, tokenizer in (("bpe", bpe), ("scaffold-bpe", scaffold)):
                for encoder in _ENCODERS:
                    encoded = tokenizer.with_encoder(encoder)
                    num_tokens = sum(map(len, encoded.encode_batch(documents)))
                    row[f"{name}+{encoder}"] = round(num_bytes / num_tokens, 4)
            rows.append(row)
            print(_line(row), flush=True)
    for name, (before, after) in _PUBLISHED.items():
        print(f"{name}: {before:.3f} -> {after:.3f} ({_gain(before, after):+.2f}%)")
    recording.write(
        "scaffold",
        settings={"texts": recording.TEXTS},
        figures=rows,
        published={"bytes_per_token": _PUBLISHED, "hidden_percent_at_32K": _PUBLISHED_SHARE},
    )


def _gain(before: float, after: float) -> float:
    return 100 * (after / before - 1)


def _line(row: dict[str, Any]) -> str:
    bpe = row["bpe+merge-rank"]
    gains = ", ".join(
        f"{name} {row[name]:.3f} ({_gain(bpe, row[name]):+.2f}%)"
        for name in ("bpe+longest-first", "scaffold-bpe+merge-rank", "scaffold-bpe+longest-first")
    )
    return (
        f"{row['text']:<6}{row['vocab_size']:>7,}: {row['num_hidden']:,} hidden "
        f"({row['hidden_percent']:.1f}% of all); bytes per token: bpe {bpe:.3f}, {gains}"
    )


if __name__ == "__main__":
    main()
