"""The Python standard library as a corpus: code that is on every machine with Python.

It serves demonstrations, which then need no data. Its content depends on the Python version, so a
published number uses a corpus of its own instead.
"""

from __future__ import annotations

import hashlib
import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from toksmith.corpus.document import Document
from toksmith.corpus.stream import Corpus
from toksmith.errors import CorpusError, SettingsError

__all__ = ["standard_library_split"]

# site-packages and dist-packages hold what was installed later; the others hold tests.
_LEFT_OUT_FOLDERS = frozenset(
    {"__pycache__", "dist-packages", "idle_test", "site-packages", "test", "tests"}
)

# Written by programs: tables rather than code.
_GENERATED = re.compile(
    r"""
      _sysconfigdata.*
    | _opcode_metadata\.py
    | encodings/cp[0-9]+\.py
    | html/entities\.py
    | keyword\.py
    | pydoc_data/topics\.py
    | re/_casefix\.py
    | stringprep\.py
    | symbol\.py
    | token\.py
    """,
    re.VERBOSE,
)
# In `encodings`: written by gencodec from a table, or a near-copy that only names a codec in C.
_CHARACTER_SET = re.compile(
    rb"^decoding_(table|map)\b|codecs\.charmap_build|\bgencodec\b|_multibytecodec", re.MULTILINE
)


def standard_library_split(seed: int = 0, test_share: float = 0.1) -> tuple[Corpus, Corpus]:
    """Split the standard library of the running Python into a training and a test corpus.

    A top-level module or package is wholly on one side. The side is drawn from a hash of its name
    and the seed: a module is on the same side on every machine and, while it keeps its name, in
    every version. Documents are whole `.py` files, in order of their path, named by the
    path relative to the library, with the module as source; bytes are kept as they are. Tests,
    generated tables (character sets, `pydoc_data.topics`, `html.entities`, …), copies of another
    file, and whatever was installed are left out.

    Args:
        seed: another seed draws another split.
        test_share: the chance of a module to be in the test corpus, between 0 and 1. The share
            of bytes differs from it, as packages differ in size: by default it is 10%, and with
            other seeds 2% to 24% were seen.
    Returns:
        The corpora (training, test), held in memory, about 11 MB together.
    Raises:
        SettingsError: `test_share` is not between 0 and 1.
        CorpusError: the library's source is not on this machine, or a side is empty.

    >>> train, test = standard_library_split()
    >>> {d.source for d in train} & {d.source for d in test}
    set()
    """
    if not 0 < test_share < 1:
        raise SettingsError(f"test_share is {test_share}, but has to lie between 0 and 1")
    root = Path(sysconfig.get_path("stdlib"))
    sides: tuple[list[Document], list[Document]] = ([], [])
    for document in _modules(root):
        sides[_is_test(document.source, seed, test_share)].append(document)
    if not all(sides):
        found = sum(map(len, sides))
        raise CorpusError(
            f"no split of the standard library: {found} source files in {root}, of which "
            f"{len(sides[1])} were drawn for test with seed {seed} and test_share {test_share}"
        )
    return Corpus(sides[0]), Corpus(sides[1])


def _is_test(module: str, seed: int, test_share: float) -> bool:
    # Sizes of packages differ so much that a draw by chance gives 2% to 24% of the bytes, or a test
    # side that is mostly one module. With this prefix seed 0 gives 10% on Python 3.11, of 30
    # modules and packages, none above 11% of them ("argparse", "re", "xmlrpc", "enum", …); leaving
    # out what later versions removed changes little.
    drawn = hashlib.blake2b(f"python-3870:{seed}:{module}".encode(), digest_size=8).digest()
    return int.from_bytes(drawn, "big") < test_share * 2**64


def _modules(root: Path) -> Iterator[Document]:
    paths = ((file.relative_to(root).as_posix(), file) for file in root.rglob("*.py"))
    seen = set()
    for name, file in sorted(paths):
        first, *rest = name.split("/")
        module = first if rest else first.removesuffix(".py")
        # The folder of build settings has a name that is no module: config-3.12-x86_64-linux-gnu.
        if not module.isidentifier() or _LEFT_OUT_FOLDERS.intersection(name.split("/")):
            continue
        if _GENERATED.fullmatch(name) or not file.is_file():
            continue
        data = file.read_bytes()
        if first == "encodings" and _CHARACTER_SET.search(data):
            continue
        # A few files are copies of another (`__hello__`, one-line `__main__`), and would be on both
        # sides; the first by path stays.
        if data in seen:
            continue
        seen.add(data)
        yield Document(data, name=name, source=module)
