"""How longest-first encoding shifts the lengths of tokens, beside the LBPE paper's shifts.

For each length in characters the change in the number of tokens when the same BPE vocabulary is
encoded longest token first instead of by merges: at 32K, 64K and 128K, on unseen code and prose. The
paper's figures are of a character-level vocabulary on the Pile. Needs the shared evaluation data,
takes a minute, and writes `experiments/record/token_lengths.json`:

    .venv/bin/python experiments/token_lengths.py
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import recording

import toksmith as ts

_VOCAB_SIZES: Final = (32_000, 64_000, 128_000)
#: Lengths in characters, the last without an end.
_BINS: Final = ((1, 3), (4, 6), (7, 9), (10, 12), (13, 15), (16, None))
#: Change in percent (LBPE, Table II and the paragraph on it; 32K, the Pile).
_PUBLISHED: Final = {"1-3": -0.97, "7-9": 2.37, "10-12": 2.24, "13-15": 2.28}


def main() -> None:
    """Run it all."""
    rows: list[dict[str, Any]] = []
    names = [_name(low, high) for low, high in _BINS]
    print(f"{'text':<6}{'vocab':>8}  {'tokens':>7}  " + "  ".join(f"{n:>7}" for n in names))
    for text in recording.TEXTS:
        train, test = recording.corpora(text)
        counts = ts.count_words(train)
        documents = [document.data for document in test]
        for vocab_size in _VOCAB_SIZES:
            bpe = ts.train_recipe("bpe", counts, vocab_size)
            merged = _lengths(bpe, documents)
            longest = _lengths(bpe.with_encoder("longest-first"), documents)
            row: dict[str, Any] = {
                "text": text,
                "vocab_size": bpe.vocab_size,
                "tokens_percent": _change(merged.total(), longest.total()),
                "by_length_percent": {
                    name: _change(_in_bin(merged, *bounds), _in_bin(longest, *bounds))
                    for name, bounds in zip(names, _BINS, strict=True)
                },
            }
            rows.append(row)
            shifts = "  ".join(f"{row['by_length_percent'][name]:>+7.2f}" for name in names)
            print(f"{text:<6}{bpe.vocab_size:>8,}  {row['tokens_percent']:>+7.2f}  {shifts}")
    print("the paper, 32K, the Pile: " + ", ".join(f"{n} {v:+.2f}" for n, v in _PUBLISHED.items()))
    recording.write(
        "token_lengths",
        settings={"texts": recording.TEXTS},
        figures=rows,
        published={"by_length_percent_at_32K": _PUBLISHED},
    )


def _lengths(tokenizer: ts.Tokenizer, documents: list[bytes]) -> Counter[int]:
    """Count tokens by length in characters; a byte of an unfinished one is a character."""
    lengths = [
        len(tokenizer.token(token_id).bytes.decode("utf-8", "surrogateescape"))
        for token_id in range(tokenizer.vocab_size)
    ]
    counts: Counter[int] = Counter()
    for ids in tokenizer.encode_batch(documents):
        counts.update(map(lengths.__getitem__, ids))
    return counts


def _in_bin(counts: Counter[int], low: int, high: int | None) -> int:
    return sum(n for length, n in counts.items() if low <= length <= (high or length))


def _change(before: int, after: int) -> float:
    return round(100 * (after / before - 1), 3)


def _name(low: int, high: int | None) -> str:
    return f"{low}+" if high is None else f"{low}-{high}"


if __name__ == "__main__":
    main()
