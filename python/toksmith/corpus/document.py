"""One document: the unit that every later room receives, with the labels it carries."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from toksmith.errors import CorpusError

__all__ = ["Document", "document_digest"]


@dataclass(frozen=True, slots=True, init=False)
class Document:
    """One document: its bytes, and the name and source it is known by.

    A `str` is encoded as strict UTF-8; bytes are kept as they are, valid UTF-8 or not. Wrap a
    string in a `Document` where it happens to be the name of a file but is meant as text.

    Args:
        data: the text, or its bytes.
        name: what messages and reports call it, for example a path.
        source: the work, package or file it was cut from; documents of one source belong together
            when a corpus is split or resampled.
    Raises:
        CorpusError: `data` is neither text nor bytes, or a text that UTF-8 cannot write (a lone
            surrogate); the message gives the position.

    >>> Document("naïve", name="a.txt")
    Document(data=b'na\\xc3\\xafve', name='a.txt', source='')
    """

    data: bytes
    name: str
    source: str

    def __init__(
        self, data: bytes | bytearray | memoryview | str, name: str = "", source: str = ""
    ) -> None:
        # The class is frozen, so its own constructor has to set the fields this way.
        object.__setattr__(self, "data", _to_bytes(data))
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "source", source)


def _to_bytes(data: object) -> bytes:
    if isinstance(data, bytes):
        return data
    if isinstance(data, str):
        try:
            return data.encode("utf-8")
        except UnicodeEncodeError as error:
            raise CorpusError(
                f"a text holds the lone surrogate U+{ord(data[error.start]):04X} at character "
                f"{error.start}, which UTF-8 cannot write; pass bytes, or clean the text"
            ) from None
    if isinstance(data, bytearray | memoryview):
        return bytes(data)
    raise CorpusError(f"a document is a str or bytes, not {type(data).__name__}")


def document_digest(data: bytes) -> bytes:
    """Fingerprint a document's bytes, to find the same document in two corpora.

    Only exact copies agree: a changed space gives another digest.

    Returns:
        16 bytes, BLAKE2b; the same on every machine and in every version.

    >>> document_digest(b"abc").hex()
    'cf4ab791c62b8d2b2109c90275287816'
    """
    return hashlib.blake2b(data, digest_size=16).digest()
