"""From a path to documents: files, folders, patterns, and the ways a file is cut.

A file is cut by what it is: a `.jsonl` by its lines, a file with an index by that index, any other
by the separator if there is one. Otherwise it is one document. It is never cut into lines.
"""

from __future__ import annotations

import errno
import glob
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from toksmith.corpus.document import Document
from toksmith.corpus.index import find_index, is_index_name, read_index
from toksmith.corpus.unpack import open_unpacked, without_compressed_ending
from toksmith.errors import CorpusError

__all__ = ["Cutting", "FileSource", "expand_path", "split_text"]

_SNIFF_BYTES = 8192
_CHUNK_BYTES = 2**20
_JSONL_ENDINGS = (".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True)
class Cutting:
    """How texts are cut that do not say it themselves."""

    separator: bytes | None = None
    jsonl_field: str = "text"


def split_text(data: bytes, separator: bytes | None) -> Iterator[bytes]:
    """Cut a text at every separator; the separator belongs to no piece, empty pieces are dropped.

    >>> list(split_text(b"a%%b%%%%c", b"%%")), list(split_text(b"", None))
    ([b'a', b'b', b'c'], [b''])
    """
    if separator is None:
        yield data
    else:
        yield from (piece for piece in data.split(separator) if piece)


class FileSource:
    """The files behind one path, as documents; opened when they are walked, one at a time.

    Files named by the caller, or matched by the caller's pattern, are always read; those found in
    a folder only if they look like text.
    """

    def __init__(self, path: Path, cutting: Cutting) -> None:
        self._path = path
        self._cutting = cutting
        self._found = expand_path(path)
        # A pipe gives its bytes once.
        self.reiterable = all(os.path.isfile(file) for file, named in self._found if named)
        self._walked = False
        if path.is_dir() and all(_skip_reason(file) for file, _ in self._found):
            raise self._no_text_file()

    def documents(self, skipped: dict[Path, str]) -> Iterator[Document]:
        """Yield the documents; files left out are added to `skipped` with the reason."""
        if self._walked and not self.reiterable:
            raise CorpusError(
                f"{self._path} is a pipe or device, which can be read only once, and it was read "
                "before; write it to a file first"
            )
        self._walked = True
        read_any = False
        for file, is_named in self._found:
            reason = None if is_named else _skip_reason(file)
            if reason is not None:
                skipped[file] = reason
                continue
            read_any = True
            yield from _file_documents(file, self._cutting)
        if not read_any:
            raise self._no_text_file()

    def _no_text_file(self) -> CorpusError:
        detail = ""
        if self._found:
            file = self._found[0][0]
            detail = f"; {len(self._found)} left out, the first {file} ({_skip_reason(file)})"
        return CorpusError(f"no readable text file in {self._path}{detail}")


def expand_path(path: Path) -> list[tuple[Path, bool]]:
    """List the files behind a path, sorted: (file, whether the caller named it).

    A folder is walked to its bottom, without hidden files and folders, `__pycache__` and index
    files; links to folders are not followed. A path that does not exist and has one of `*?[` is a
    pattern (`**` for any depth); a folder that it matches is walked. Sorting is by code point of
    the whole path with `/`, so the order is the same on every machine.

    Raises:
        FileNotFoundError: there is no such file, or none matches the pattern.
    """
    if path.is_dir():
        return [(file, False) for file in _walk(path)]
    if path.exists():
        return [(path, True)]
    if not glob.has_magic(str(path)):
        # Raises what is the matter: no such file, or no permission to look.
        path.stat()
    files: dict[Path, bool] = {}
    for match in map(Path, glob.glob(str(path), recursive=True)):
        if match.is_dir():
            for file in _walk(match):
                files.setdefault(file, False)
        elif not is_index_name(match.name):
            files[match] = True
    if not files:
        raise FileNotFoundError(errno.ENOENT, "No file matches the pattern", str(path))
    return sorted(files.items(), key=lambda item: item[0].as_posix())


def _walk(folder: Path) -> list[Path]:
    files: list[Path] = []
    for here, folders, names in os.walk(folder, onerror=_raise):
        # Pruned in place: os.walk reads the list back.
        folders[:] = [
            name for name in folders if not name.startswith(".") and name != "__pycache__"
        ]
        visible = [name for name in names if not name.startswith(".")]
        files.extend(Path(here, name) for name in visible if not is_index_name(name))
    return sorted(files, key=Path.as_posix)


def _raise(error: OSError) -> None:
    raise error


def _skip_reason(file: Path) -> str | None:
    """Why a file found in a folder is not text, or None."""
    if not file.is_file():
        return "not a regular file" if file.exists() else "a link to nothing"
    if _is_jsonl(file) or find_index(file) is not None:
        return None
    with open_unpacked(file) as stream:
        head = stream.read(_SNIFF_BYTES)
    return f"binary: a NUL byte in the first {_SNIFF_BYTES} bytes" if b"\0" in head else None


def _is_jsonl(file: Path) -> bool:
    return without_compressed_ending(file.name).endswith(_JSONL_ENDINGS)


def _file_documents(file: Path, cutting: Cutting) -> Iterator[Document]:
    if _is_jsonl(file):
        yield from _jsonl_documents(file, cutting.jsonl_field)
        return
    index = find_index(file)
    if index is not None:
        if cutting.separator is not None:
            raise CorpusError(
                f"{file} is cut by its index {index}, but a separator is given as well: leave out "
                "the separator, or move the index away"
            )
        yield from _indexed_documents(file, index)
        return
    with open_unpacked(file) as stream:
        data = stream.read()
    label = file.as_posix()
    if cutting.separator is None:
        yield Document(data, name=label, source=label)
        return
    for number, piece in enumerate(split_text(data, cutting.separator), start=1):
        yield Document(piece, name=f"{label}#{number}", source=label)


def _jsonl_documents(file: Path, field: str) -> Iterator[Document]:
    """Yield the field of every line of a JSON-lines file; blank lines hold no document."""
    label = file.as_posix()
    with open_unpacked(file) as stream:
        # A binary stream ends lines at b"\n" only, as JSON lines does.
        for number, raw in enumerate(stream, start=1):
            if not raw.strip():
                continue
            try:
                # The mark is allowed at the start of a file, and only there.
                row = json.loads(raw.decode("utf-8-sig" if number == 1 else "utf-8"))
            except (ValueError, RecursionError) as error:
                reason = _why_not_json(error)
                raise CorpusError(f"{file}, line {number}: not JSON: {reason}") from None
            if not isinstance(row, dict):
                raise CorpusError(
                    f"{file}, line {number}: a JSON {_json_kind(row)}, but every line has to be an "
                    f'object with the field "{field}"'
                )
            if field not in row:
                known = ", ".join(f'"{key}"' for key in list(row)[:8]) or "none"
                raise CorpusError(
                    f'{file}, line {number}: no field "{field}"; the fields are {known}; '
                    "name the one that holds the text with jsonl_field (--jsonl-field)"
                )
            text = row[field]
            if not isinstance(text, str):
                raise CorpusError(
                    f'{file}, line {number}: the field "{field}" is a JSON {_json_kind(text)}, '
                    "not a string"
                )
            try:
                yield Document(text, name=f"{label}#{number}", source=label)
            except CorpusError as error:
                raise CorpusError(f"{file}, line {number}: {error}") from None


def _why_not_json(error: Exception) -> str:
    # Its own line number counts from the line it was given, and reads as one of the file.
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at column {error.colno}"
    return str(error)


def _json_kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def _indexed_documents(file: Path, index: Path) -> Iterator[Document]:
    """Yield the documents that an index cuts out of a file, holding one of them at a time."""
    entries = read_index(index)
    position = 0
    with open_unpacked(file) as stream:
        for entry in entries:
            position += sum(map(len, _read_up_to(stream, entry.offset - position)))
            if position == entry.offset:
                data = b"".join(_read_up_to(stream, entry.length))
                position += len(data)
            if position != entry.offset + entry.length:
                raise CorpusError(
                    f"{index}, line {entry.line}: bytes {entry.offset} to "
                    f"{entry.offset + entry.length} lie outside {file}, which has {position} bytes"
                )
            yield Document(data, name=entry.name, source=entry.source)
        # Checksums stand at the end of a compressed file: unread, they are not checked.
        tail = sum(len(chunk) for chunk in iter(lambda: stream.read(_CHUNK_BYTES), b""))
    if not entries and tail:
        raise CorpusError(f"{index} is empty, but {file} has {tail} bytes")


def _read_up_to(stream: BinaryIO, length: int) -> Iterator[bytes]:
    # In pieces, so that a wrong length in an index cannot ask for memory the file does not fill.
    while length > 0:
        chunk = stream.read(min(length, _CHUNK_BYTES))
        if not chunk:
            return
        length -= len(chunk)
        yield chunk
