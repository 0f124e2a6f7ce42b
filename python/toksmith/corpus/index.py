"""The index beside a corpus file: which bytes of it are one document.

An index is a text file of one line a document, four columns between tabs: byte offset, byte length,
source, name. Offsets count bytes of the unpacked file. Bytes between documents belong to none.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from toksmith.corpus.unpack import COMPRESSED_ENDINGS, open_unpacked, without_compressed_ending
from toksmith.errors import CorpusError

__all__ = ["IndexEntry", "find_index", "is_index_name", "read_index"]

_INDEX_ENDING = ".index.tsv"


class IndexEntry(NamedTuple):
    """One line of an index: bytes `offset` to `offset + length` are a document."""

    offset: int
    length: int
    source: str
    name: str
    line: int


def is_index_name(name: str) -> bool:
    """Whether a file of this name is an index, by its ending.

    >>> is_index_name("a.txt.index.tsv.xz"), is_index_name("a.tsv")
    (True, False)
    """
    return without_compressed_ending(name).endswith(_INDEX_ENDING)


def find_index(path: Path) -> Path | None:
    """The index beside a corpus file, or None.

    For `a.txt.xz` it is `a.txt.xz.index.tsv`, `a.txt.index.tsv` or `a.index.tsv`, the first of
    them that exists, each of them plain or compressed. The last form is for `.txt` files only:
    `a.py` and `a.c` in one folder cannot both be meant by `a.index.tsv`.
    """
    if is_index_name(path.name):
        return None
    stems = [path.name]
    unpacked = without_compressed_ending(path.name)
    if unpacked != path.name:
        stems.append(unpacked)
    if unpacked.endswith(".txt"):
        stems.append(unpacked[: -len(".txt")])
    for stem in stems:
        for ending in ("", *COMPRESSED_ENDINGS):
            candidate = path.with_name(stem + _INDEX_ENDING + ending)
            if candidate.is_file():
                return candidate
    return None


def read_index(path: Path) -> list[IndexEntry]:
    """Read an index and check all that can be checked without the file it cuts.

    Raises:
        CorpusError: a line has not four columns, its offset or length is no whole number, it is
            not UTF-8, or it starts before the document above it ends. Names file and line.
    """
    with open_unpacked(path) as stream:
        lines = stream.read().split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    entries: list[IndexEntry] = []
    end = 0
    for number, raw in enumerate(lines, start=1):
        try:
            columns = raw.removesuffix(b"\r").decode("utf-8").split("\t")
        except UnicodeDecodeError as error:
            raise CorpusError(f"{path}, line {number}: not UTF-8 ({error.reason})") from None
        if len(columns) != 4:
            raise CorpusError(
                f"{path}, line {number}: {len(columns)} columns, but an index has 4 between tabs: "
                "byte offset, byte length, source, name"
            )
        offset = _whole_number(columns[0], "offset", path, number)
        length = _whole_number(columns[1], "length", path, number)
        if offset < end:
            raise CorpusError(
                f"{path}, line {number}: the document starts at byte {offset}, before byte {end}, "
                "where the one above it ends"
            )
        end = offset + length
        entries.append(IndexEntry(offset, length, columns[2], columns[3], number))
    return entries


def _whole_number(text: str, what: str, path: Path, line: int) -> int:
    # 18 digits are more bytes than any file has; int() of an endless digit string costs n².
    if text.isascii() and text.isdecimal() and len(text) <= 18:
        return int(text)
    shown = text if len(text) <= 40 else text[:40] + "…"
    raise CorpusError(f"{path}, line {line}: the {what} {shown!r} is not a number of bytes")
