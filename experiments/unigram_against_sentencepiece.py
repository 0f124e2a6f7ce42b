"""The unigram trainer beside SentencePiece's and `tokenizers`', on the same words.

The words of 20 MB of code and 20 MB of English prose are cut and counted once by toksmith
(`gpt2-contraction-fix`, space-prefix). Every trainer gets these words, each byte as one character
of GPT-2's table, and makes 16,000 tokens:

- toksmith: the counts.
- SentencePiece: the counts as `word<TAB>count` (`input_format="tsv"`), with its own cutting
  turned off: `split_by_whitespace`, `split_by_unicode_script`, `split_by_number`, `split_digits`,
  `add_dummy_prefix` and `remove_extra_whitespaces` are False, `normalization_rule_name` is
  `identity`, `character_coverage` 1.0, `max_sentence_length` large enough for every word. And, as
  "sentencepiece, from text", the words in text order, 500 a line, `pretokenization_delimiter`
  between them, the other settings the same: its seeds then weigh what is frequent, as they do
  when it cuts by itself, and it works on all of the text instead of distinct words.
- tokenizers: it has no way to take counts, so it cuts the documents itself, with the same pattern
  (`Split` with `isolated`, then `ByteLevel` without its own), and its time holds that too.

Held-out tokens are those of the distinct words of the test file, times their counts, by each
library's own encoder. Every training runs in a fresh process; times hold reading the counts, and
peak memory is that of the process. Needs the shared evaluation data (TOKSMITH_DATA, or
`../shared/data` beside the repository), takes half an hour, and writes
`experiments/record/unigram_against_sentencepiece.json`:

    .venv/bin/python experiments/unigram_against_sentencepiece.py
"""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, TypeAlias

_VOCAB_SIZE: Final = 16_000
#: Between words in a text for SentencePiece; not in the table of bytes.
_DELIMITER: Final = "\u0200"
_WORDS_A_LINE: Final = 500
#: How much worse than SentencePiece held-out bytes per token may be, in percent.
_MAX_WORSE: Final = 0.5
_TIMEOUT: Final = 1_800
_PEERS: Final = ("sentencepiece", "sentencepiece, from text", "tokenizers")

Encode: TypeAlias = Callable[[bytes], int]


def main() -> int:
    """Run every trainer on every text; 1 where toksmith's is worse in any of the figures."""
    if sys.argv[1:]:
        _child(*sys.argv[1:])
        return 0
    from recording import TEXTS, corpus, write

    import toksmith as ts

    rows: list[dict[str, Any]] = []
    print("text   trainer                      bytes/token    tokens  wall s   CPU s  peak MB")
    with tempfile.TemporaryDirectory() as folder:
        for text, (train_name, test_name) in TEXTS.items():
            train, test = Path(folder) / f"{text}.train.tsv", Path(folder) / f"{text}.test.tsv"
            ts.count_words(corpus(train_name)).save(train)
            ts.count_words(corpus(test_name)).save(test)
            for trainer in _TRAINERS:
                row = _run(trainer, train_name, train, test)
                rows.append({"text": text, "trainer": trainer, **row})
                print(_line(rows[-1]), flush=True)
    write(
        "unigram_against_sentencepiece",
        settings={"vocab_size": _VOCAB_SIZE, "texts": TEXTS},
        peers={name: version(name) for name in ("sentencepiece", "tokenizers")},
        machine={"processor": _processor(), "cores": os.cpu_count()},
        figures=rows,
    )
    return 0 if _holds(rows, list(TEXTS)) else 1


def _holds(rows: list[dict[str, Any]], texts: list[str]) -> bool:
    found = {(row["text"], row["trainer"]): row for row in rows}
    holds = True
    for text in texts:
        ours = found[text, "toksmith"]
        for peer in _PEERS:
            theirs = found[text, peer]
            if "error" in theirs:
                print(f"{text}: {peer} gives none: {theirs['error']}")
                continue
            gain = 100 * (ours["bytes_per_token"] / theirs["bytes_per_token"] - 1)
            faster = theirs["wall_seconds"] / ours["wall_seconds"]
            memory = ours["peak_mb"] / theirs["peak_mb"]
            print(
                f"{text}: against {peer}: bytes/token {gain:+.2f}%, {faster:.1f} times as fast, "
                f"{memory:.2f} of its memory"
            )
            holds = holds and gain >= -_MAX_WORSE and faster > 1 and memory < 1
    return holds


def _run(trainer: str, documents: str, train: Path, test: Path) -> dict[str, Any]:
    """Train in a fresh process."""
    command = [sys.executable, __file__, trainer, documents, str(train), str(test)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        return {"error": f"no result after {_TIMEOUT} seconds"}
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        errors = [line for line in done.stderr.splitlines() if line.strip()]
        return {"error": errors[-1] if errors else f"exit code {done.returncode}"}
    return dict(json.loads(lines[-1]))


def _child(trainer: str, documents: str, train: str, test: str) -> None:
    train_here = _TRAINERS[trainer](documents, Path(train))
    wall, cpu = time.perf_counter(), time.process_time()
    encode = train_here()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    num_bytes = num_tokens = 0
    for word, count in _words(Path(test)):
        num_bytes += len(word) * count
        num_tokens += encode(word) * count
    result = {
        "num_tokens": num_tokens,
        "bytes_per_token": round(num_bytes / num_tokens, 4),
        "wall_seconds": round(wall, 2),
        "cpu_seconds": round(cpu, 2),
        "peak_mb": round(peak / 1024, 1),
    }
    print(json.dumps(result))


def _words(path: Path) -> Iterator[tuple[bytes, int]]:
    """The words of a file of counts; they carry no marks here."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith("#"):
                _, word, _, count = line.rstrip("\n").split("\t")
                yield bytes.fromhex(word), int(count)


def _byte_characters() -> dict[int, str]:
    """GPT-2's table: bytes that cannot be seen get a character from U+0100 on."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    table = {byte: chr(byte) for byte in shown}
    return table | {byte: chr(0x100 + index) for index, byte in enumerate(hidden)}


def _toksmith(
    train: Path, *, num_threads: int | None = None, seed_size: int | None = None
) -> Callable[[], Encode]:
    import toksmith as ts

    # Bytes as units, as the others have them; also, this loads the library.
    trainer = ts.Unigram(alphabet="bytes", seed_size=seed_size)

    def train_here() -> Encode:
        # Reading the counts is part of it, as it is for SentencePiece.
        counts = ts.WordCounts.load(train)
        tokenizer = trainer.train(counts, vocab_size=_VOCAB_SIZE, num_threads=num_threads)
        return lambda word: len(tokenizer.n_best(word, 1)[0][0])

    return train_here


def _sentencepiece(
    train: Path, *, num_threads: int, documents: str | None = None
) -> Callable[[], Encode]:
    import sentencepiece

    table = _byte_characters()
    rows = train.with_suffix(".sentencepiece")
    with rows.open("w", encoding="utf-8") as out:
        for line in (
            _lines_of_text(documents, table) if documents else _lines_of_counts(train, table)
        ):
            out.write(f"{line}\n")
    of_input = {"pretokenization_delimiter": _DELIMITER} if documents else {"input_format": "tsv"}
    prefix = train.with_suffix("")

    def train_here() -> Encode:
        sentencepiece.SentencePieceTrainer.train(
            input=str(rows),
            model_prefix=str(prefix),
            model_type="unigram",
            vocab_size=_VOCAB_SIZE,
            character_coverage=1.0,
            normalization_rule_name="identity",
            add_dummy_prefix=False,
            remove_extra_whitespaces=False,
            split_by_whitespace=False,
            split_by_unicode_script=False,
            split_by_number=False,
            split_digits=False,
            max_sentence_length=1_000_000,
            bos_id=-1,
            eos_id=-1,
            num_threads=num_threads,
            minloglevel=1,
            **of_input,
        )
        model = sentencepiece.SentencePieceProcessor(model_file=f"{prefix}.model")
        return lambda word: len(model.encode("".join(table[byte] for byte in word)))

    return train_here


def _lines_of_counts(train: Path, table: dict[int, str]) -> Iterator[str]:
    for word, count in _words(train):
        yield "".join(table[byte] for byte in word) + f"\t{count}"


def _lines_of_text(documents: str, table: dict[int, str]) -> Iterator[str]:
    from recording import corpus

    import toksmith as ts

    pretokenize = ts.BPE().train("a", vocab_size=256).pretokenize
    for document in corpus(documents):
        words = ["".join(table[byte] for byte in word) for word in pretokenize(document.data)]
        for start in range(0, len(words), _WORDS_A_LINE):
            yield _DELIMITER.join(words[start : start + _WORDS_A_LINE])


def _tokenizers(documents: str) -> Callable[[], Encode]:
    from recording import corpus
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    import toksmith as ts

    table = _byte_characters()
    pattern = ts.BPE().train("a", vocab_size=256).pattern
    byte_level: Any = pre_tokenizers.ByteLevel
    tokenizer: Any = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(  # type: ignore[no-untyped-call]
        [
            pre_tokenizers.Split(Regex(str(pattern)), "isolated"),
            byte_level(add_prefix_space=False, use_regex=False),
        ]
    )
    trainer: Any = trainers.UnigramTrainer(
        vocab_size=_VOCAB_SIZE,
        initial_alphabet=byte_level.alphabet(),
        unk_token="<unk>",
        special_tokens=["<unk>"],
        show_progress=False,
    )
    texts = [document.data.decode() for document in corpus(documents)]

    def train_here() -> Encode:
        tokenizer.train_from_iterator(texts, trainer)
        tokenizer.pre_tokenizer = None
        return lambda word: len(tokenizer.encode("".join(table[byte] for byte in word)).ids)

    return train_here


#: Trainers by name; each gets the name of the corpus and its counts, and what it gives trains when
#: called.
_TRAINERS: Final[dict[str, Callable[[str, Path], Callable[[], Encode]]]] = {
    "toksmith": lambda _, train: _toksmith(train),
    "toksmith, 1 thread": lambda _, train: _toksmith(train, num_threads=1),
    "toksmith, 1,000,000 seeds": lambda _, train: _toksmith(train, seed_size=1_000_000),
    "sentencepiece": lambda _, train: _sentencepiece(train, num_threads=os.cpu_count() or 1),
    "sentencepiece, 1 thread": lambda _, train: _sentencepiece(train, num_threads=1),
    "sentencepiece, from text": lambda documents, train: _sentencepiece(
        train, num_threads=os.cpu_count() or 1, documents=documents
    ),
    "tokenizers": lambda documents, _: _tokenizers(documents),
}


def _line(row: dict[str, Any]) -> str:
    if "error" in row:
        return f"{row['text']:<7}{row['trainer']:<28} {row['error'][:70]}"
    return (
        f"{row['text']:<7}{row['trainer']:<28}{row['bytes_per_token']:>12.4f}"
        f"{row['num_tokens']:>10,}{row['wall_seconds']:>8.2f}{row['cpu_seconds']:>8.2f}"
        f"{row['peak_mb']:>9.1f}"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


if __name__ == "__main__":
    sys.exit(main())
