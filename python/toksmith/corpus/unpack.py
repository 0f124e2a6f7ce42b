"""Opening files that may be compressed; the ending of the name says how.

The compression modules are imported when a file first needs them.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from toksmith.errors import CorpusError

if TYPE_CHECKING:
    from lzma import LZMADecompressor

__all__ = ["COMPRESSED_ENDINGS", "open_unpacked", "without_compressed_ending"]

COMPRESSED_ENDINGS = (".gz", ".xz", ".zst")

_CHUNK_BYTES = 256 * 1024


def without_compressed_ending(name: str) -> str:
    """The name that a file has once it is unpacked.

    >>> without_compressed_ending("notes.txt.xz"), without_compressed_ending("notes.txt")
    ('notes.txt', 'notes.txt')
    """
    for ending in COMPRESSED_ENDINGS:
        if name.endswith(ending):
            return name[: -len(ending)]
    return name


@contextmanager
def open_unpacked(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading its unpacked bytes: `.gz`, `.xz`, `.zst`, or plain.

    Files of several members or streams are read to their end.

    Raises:
        OSError: the file cannot be opened or read.
        CorpusError: the file is not what its ending says, or is damaged or cut short; raised from
            inside the `with` block, wherever the reading gets to.
    """
    ending = path.suffix if path.suffix in COMPRESSED_ENDINGS else ""
    if not ending:
        with path.open("rb") as plain:
            yield plain
        return
    if path.is_file() and path.stat().st_size == 0:
        # gzip takes an empty file for an empty text; to its command, and to us, it is cut short.
        raise CorpusError(f"{path} has 0 bytes, too few for a {ending} file: it is cut short")
    damage: tuple[type[Exception], ...]
    stream: BinaryIO
    if ending == ".gz":
        import gzip
        import zlib

        damage = (EOFError, zlib.error, gzip.BadGzipFile)
        stream = cast(BinaryIO, gzip.GzipFile(path, "rb"))
    elif ending == ".xz":
        import lzma

        damage = (EOFError, lzma.LZMAError)
        stream = cast(BinaryIO, io.BufferedReader(_XzReader(path.open("rb")), _CHUNK_BYTES))
    else:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd

        damage = (EOFError, zstd.ZstdError)
        stream = cast(BinaryIO, zstd.open(path, "rb"))
    with stream:
        try:
            yield stream
        except damage as error:
            reason = str(error) or type(error).__name__
            raise CorpusError(
                f"{path} does not unpack as {ending}: {reason}; the file is damaged, cut short, "
                "or of another kind than its ending says"
            ) from error


class _XzReader(io.RawIOBase):
    """The unpacked bytes of an `.xz` file, one stream after another.

    `lzma.open` takes whatever follows the first stream and is not a stream for a harmless tail,
    and so loses the rest of a file with a damaged later stream without a word. Here it is an error,
    as it is for the `xz` command.
    """

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = packed
        self._decompressor: LZMADecompressor | None = None
        self._tail = b""
        self._streams = 0

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._packed.close()
        super().close()

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while True:
            if self._decompressor is None and not self._next_stream():
                return 0
            decompressor = self._decompressor
            assert decompressor is not None
            chunk = b""
            if decompressor.needs_input:
                chunk = self._tail or self._packed.read(_CHUNK_BYTES)
                self._tail = b""
                if not chunk:
                    raise EOFError("it ends in the middle of a stream")
            data = decompressor.decompress(chunk, max_length=len(buffer))
            if decompressor.eof:
                self._tail = decompressor.unused_data
                self._decompressor = None
            if data:
                buffer[: len(data)] = data
                return len(data)

    def _next_stream(self) -> bool:
        import lzma

        # Between streams stands padding: zero bytes, four or a multiple of it.
        padding = 0
        while True:
            if not self._tail:
                self._tail = self._packed.read(_CHUNK_BYTES)
            if not self._tail:
                break
            rest = self._tail.lstrip(b"\0") if self._streams else self._tail
            padding += len(self._tail) - len(rest)
            self._tail = rest
            if rest:
                break
        if padding % 4:
            raise lzma.LZMAError("the padding after a stream is not a multiple of 4 bytes")
        if not self._tail:
            if not self._streams:
                raise EOFError("the file is empty")
            return False
        self._decompressor = lzma.LZMADecompressor(format=lzma.FORMAT_XZ)
        self._streams += 1
        return True
