"""What is measured in training: byte-level BPE by toksmith and by `tokenizers`.

Both are asked for the same thing: GPT-2's pattern, GPT-2's order of bytes (ties between pairs go to
the smaller ids, so that order decides them), pairs that occur at least twice.
"""

from __future__ import annotations

import json
import time
from typing import Any, Final, Protocol

from speed import gpt2

#: Training runs by name -> threads; None is the library's default, all cores.
TRAIN: Final[dict[str, int | None]] = {
    "tokenizers": None,
    "toksmith": None,
    "toksmith, 1 thread": 1,
}


class Trainer(Protocol):
    """A library that is loaded and ready to train."""

    def train(self, documents: list[str]) -> dict[str, float]:
        """Train, and give the seconds of each stage."""

    def merges(self) -> list[tuple[bytes, bytes]]:
        """The merges, in order, each as the bytes of its two tokens."""


def load(name: str, vocab_size: int) -> Trainer:
    """Load the library that a run of `TRAIN` uses."""
    if name.startswith("toksmith"):
        return _Toksmith(vocab_size, TRAIN[name])
    return _Tokenizers(vocab_size)


class _Toksmith:
    def __init__(self, vocab_size: int, num_threads: int | None) -> None:
        import toksmith as ts

        self._vocab_size = vocab_size
        self._num_threads = num_threads
        # Names load on first use, and that belongs to loading.
        self._count_words, self._train = ts.count_words, ts.train

    def train(self, documents: list[str]) -> dict[str, float]:
        start = time.perf_counter()
        counts = self._count_words(documents, pretokenizer="gpt2", num_threads=self._num_threads)
        counted = time.perf_counter()
        self._tokenizer = self._train(
            "bpe",
            counts,
            vocab_size=self._vocab_size,
            alphabet_order="gpt2",
            num_threads=self._num_threads,
        )
        return {"count": counted - start, "merge": time.perf_counter() - counted}

    def merges(self) -> list[tuple[bytes, bytes]]:
        tokens = [self._tokenizer.token(id).bytes for id in range(self._tokenizer.vocab_size)]
        return [(tokens[left], tokens[right]) for left, right, _ in self._tokenizer.merges]


class _Tokenizers:
    def __init__(self, vocab_size: int) -> None:
        from tokenizers import Tokenizer, models, pre_tokenizers, trainers

        byte_level: Any = pre_tokenizers.ByteLevel
        self._tokenizer: Any = Tokenizer(models.BPE())
        self._tokenizer.pre_tokenizer = byte_level(add_prefix_space=False)
        self._trainer: Any = trainers.BpeTrainer(
            vocab_size=vocab_size,
            min_frequency=2,
            initial_alphabet=byte_level.alphabet(),
            show_progress=False,
        )

    def train(self, documents: list[str]) -> dict[str, float]:
        start = time.perf_counter()
        self._tokenizer.train_from_iterator(documents, trainer=self._trainer)
        return {"all": time.perf_counter() - start}

    def merges(self) -> list[tuple[bytes, bytes]]:
        merges = json.loads(self._tokenizer.to_str())["model"]["merges"]
        return [(gpt2.from_characters(a), gpt2.from_characters(b)) for a, b in merges]
