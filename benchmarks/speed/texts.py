"""The texts that are measured on: whole documents, laid where child processes read them.

With the shared evaluation data (environment variable TOKSMITH_DATA, or `../shared/data` beside the
repository) they are code and English prose; without it, the standard library of the running Python,
so that anyone can run the benchmarks. Figures from different texts do not compare.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import random
import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toksmith.corpus import Corpus as Reader

REPO = Path(__file__).resolve().parents[2]

#: Encoded before the clock starts, from the training text, so that no library pays for its
#: first call: loading pages, building tables.
WARM_UP_BYTES = 200_000

_SHARED = {
    "code": ("code/python.train", "code/python.test"),
    "prose": ("prose/english.train.00", "prose/english.test"),
}
_WORST_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Text:
    """Documents in a file of pickled `str`, one after the other.

    Attributes:
        name: what tables call it.
        source: where the documents come from, without the folder they lie in.
        file: read by `read_documents`.
        sha256: of all documents' UTF-8, each after its length in 8 bytes.
    """

    name: str
    source: str
    file: Path
    num_documents: int
    num_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """A training text, the unseen text that is encoded, and what is encoded first to warm up."""

    name: str
    train: Text
    test: Text
    warm_up: Text


def shared_data() -> Path | None:
    """The folder of the shared evaluation data, or None where it is not on this machine."""
    folder = Path(os.environ.get("TOKSMITH_DATA") or REPO.parent / "shared" / "data")
    return folder if (folder / "MANIFEST.md").is_file() else None


def prepare_corpora(
    folder: Path, *, max_train_bytes: int | None = None, max_test_bytes: int | None = None
) -> list[Corpus]:
    """Cut the texts into documents and write them into `folder`.

    Args:
        max_train_bytes: take documents from the front until so many bytes are reached.
        max_test_bytes: the same for the unseen text.
    """
    # Not above: child processes read texts too, and load no library but the one they measure.
    from toksmith.corpus import Corpus as Reader
    from toksmith.corpus import standard_library_split

    data = shared_data()
    sources: dict[str, tuple[tuple[str, Reader], tuple[str, Reader]]] = {}
    if data is None:
        train, test = standard_library_split()
        sources["standard-library"] = (
            ("Python standard library, train", train),
            ("Python standard library, test", test),
        )
    else:
        for name, (train_name, test_name) in _SHARED.items():
            sources[name] = (
                (train_name, Reader(data / f"{train_name}.txt.xz")),
                (test_name, Reader(data / f"{test_name}.txt.xz")),
            )
    corpora = []
    for name, ((train_source, train), (test_source, test)) in sources.items():
        train_documents = list(_first(_texts(train), max_train_bytes))
        corpora.append(
            Corpus(
                name=name,
                train=_write(folder, f"{name}.train", train_source, train_documents),
                test=_write(folder, name, test_source, _first(_texts(test), max_test_bytes)),
                warm_up=_write(
                    folder,
                    f"{name}.warm-up",
                    f"{train_source}, the first {WARM_UP_BYTES} characters",
                    _cut(train_documents, WARM_UP_BYTES),
                ),
            )
        )
    return corpora


def prepare_worst(folder: Path, corpus: Corpus) -> list[Corpus]:
    """Texts that are hard on an encoder: one word of a million letters, in two kinds.

    Args:
        corpus: whose models encode them, and whose training text warms up.
    """
    letters = "".join(random.Random(0).choices(string.ascii_lowercase, k=_WORST_BYTES))
    worst = {
        "worst: one letter": ("'a' a million times", "a" * _WORST_BYTES),
        "worst: random letters": ("a million letters a-z, random.Random(0)", letters),
    }
    return [
        Corpus(
            name=corpus.name,
            train=corpus.train,
            test=_write(folder, name, source, [text]),
            warm_up=corpus.warm_up,
        )
        for name, (source, text) in worst.items()
    ]


def read_documents(file: Path) -> list[str]:
    """The documents of a text, read one at a time: memory never holds more than they need."""
    documents = []
    with file.open("rb") as stream:
        while True:
            try:
                documents.append(pickle.load(stream))
            except EOFError:
                return documents


def _texts(corpus: Reader) -> Iterator[str]:
    for document in corpus:
        # Peers take `str`, so all take `str`; a test corpus that is not UTF-8 is read with U+FFFD.
        yield document.data.decode(errors="replace")


def _first(texts: Iterable[str], max_bytes: int | None) -> Iterator[str]:
    num_bytes = 0
    for text in texts:
        if max_bytes is not None and num_bytes >= max_bytes:
            return
        num_bytes += len(text.encode())
        yield text


def _cut(texts: Iterable[str], num_characters: int) -> Iterator[str]:
    for text in texts:
        if num_characters <= 0:
            return
        yield text[:num_characters]
        num_characters -= len(text)


def _write(folder: Path, name: str, source: str, texts: Iterable[str]) -> Text:
    file = folder / (name.replace(":", "").replace(" ", "-") + ".pickle")
    num_documents = num_bytes = 0
    digest = hashlib.sha256()
    with file.open("wb") as stream:
        for text in texts:
            data = text.encode()
            num_documents += 1
            num_bytes += len(data)
            digest.update(len(data).to_bytes(8, "little") + data)
            pickle.dump(text, stream)
    return Text(name, source, file, num_documents, num_bytes, digest.hexdigest())
