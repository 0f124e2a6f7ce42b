"""The corpus: whatever a user gives, as a stream of documents.

The reader yields documents and never lines. A tokenizer trained on lines never sees a newline
followed by indentation and loses several per cent on code, which is easily taken for a gain of
whatever it is compared with.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Protocol, TypeAlias, TypeGuard, Union

from toksmith.corpus.document import Document
from toksmith.corpus.files import Cutting, FileSource, split_text
from toksmith.errors import CorpusError, SettingsError

__all__ = ["Corpus", "CorpusInput", "CorpusItem"]

CorpusItem: TypeAlias = Union[str, bytes, bytearray, memoryview, Document, "os.PathLike[str]"]
CorpusInput: TypeAlias = Union[CorpusItem, "Corpus", Iterable[CorpusItem]]

_ACCEPTED = (
    "a corpus is one of: a str or bytes (one document), a Path (a file, a folder, or a pattern "
    'such as Path("data/*.txt")), a ts.Document, a ts.Corpus, or an iterable of str, '
    "bytes, ts.Document and Path, one document each"
)

# A longer string is text: looking up every document of a list as a file would cost a system call.
_MAX_PATH_CHARACTERS = 1024


class _Source(Protocol):
    """A part of a corpus. `skipped` collects the files that a walk leaves out."""

    reiterable: bool

    def documents(self, skipped: dict[Path, str]) -> Iterator[Document]: ...


class Corpus:
    """A stream of documents, made from text, bytes, files, folders or an iterable of them.

    =====================================  ======================================================
    input                                  documents
    =====================================  ======================================================
    str, bytes, Document                   one
    Path of a file                         one; `.gz`, `.xz` and `.zst` are unpacked
    Path of a `.jsonl` file                the field `jsonl_field` of every line
    Path of a file with an index           those of `NAME.index.tsv` (offset, length, source, name)
    Path of a folder                       those of every text file in it, sorted by path
    Path with `*`, `?` or `[…]`            those of every file it matches, sorted by path
    Corpus                                 the same
    list, generator, … of the above        those of every item, in order
    =====================================  ======================================================

    A path that does not exist is refused at once; files are opened when the corpus is walked, one
    at a time. A file that is not cut by an index or as JSON lines is read whole into memory,
    however large it is. A corpus can be walked again if its input can: a generator, or a pipe, is
    walked once, and a second walk is an error.

    In a folder, hidden files, `__pycache__`, index files, and files with a NUL byte in their first
    8192 bytes are left out; the last are listed in `skipped`. A file that is named itself is always
    read.

    Args:
        x: the input.
        separator: cuts every text and file that is not cut otherwise (as JSON lines, or because
            it is a `Document`); it belongs to no document, and empty documents between two of
            them are dropped. Together with a file that has an index it is refused.
        jsonl_field: the field that holds the text in JSON-lines files; "text" by default.
    Raises:
        CorpusError: the input, or an item of it, is none of the above; a file is damaged, or its
            index is wrong or contradicts a separator; a folder has no text file. What cannot be
            known before, the walk raises.
        TypeError: a `str` is the name of an existing file: it is refused, not trained on.
        FileNotFoundError: there is no such file.
        SettingsError: the separator is empty, or settings are given together with a `Corpus`.

    >>> [document.data for document in Corpus(["one", b"two"])]
    [b'one', b'two']
    >>> [document.data for document in Corpus("one<|end|>two", separator="<|end|>")]
    [b'one', b'two']
    """

    def __init__(
        self,
        x: CorpusInput,
        *,
        separator: str | bytes | None = None,
        jsonl_field: str | None = None,
    ) -> None:
        self._skipped: dict[Path, str] = {}
        self._source: _Source
        if isinstance(x, Corpus):
            if separator is not None or jsonl_field is not None:
                raise SettingsError(
                    "separator and jsonl_field belong to the call that makes a Corpus; "
                    "this input is a Corpus already"
                )
            self._source = x._source
        else:
            self._source = _source_of(x, _cutting(separator, jsonl_field))

    @classmethod
    def from_input(
        cls,
        x: CorpusInput,
        *,
        separator: str | bytes | None = None,
        jsonl_field: str | None = None,
    ) -> Corpus:
        """Make a corpus of any accepted input; a `Corpus` is returned as it is.

        Arguments and errors are those of the class.

        >>> corpus = Corpus.from_input(b"a b")
        >>> Corpus.from_input(corpus) is corpus
        True
        """
        if isinstance(x, Corpus) and separator is None and jsonl_field is None:
            return x
        return cls(x, separator=separator, jsonl_field=jsonl_field)

    @property
    def reiterable(self) -> bool:
        """Whether the corpus can be walked more than once.

        >>> Corpus(["a"]).reiterable, Corpus(text for text in ["a"]).reiterable
        (True, False)
        """
        return self._source.reiterable

    @property
    def skipped(self) -> list[tuple[Path, str]]:
        """Files found in folders and left out, each with the reason, as far as walks have come."""
        return list(self._skipped.items())

    def documents(self) -> Iterator[Document]:
        """Yield the documents in order; the same as iterating over the corpus.

        >>> next(Corpus("abc").documents()).data
        b'abc'
        """
        return self._source.documents(self._skipped)

    def __iter__(self) -> Iterator[Document]:
        return self.documents()

    def batches(self, max_bytes: int = 8 * 2**20) -> Iterator[list[bytes]]:
        """Yield the documents' bytes in lists, to be handed over together.

        Args:
            max_bytes: a list holds at most so many bytes, but always at least one document: a
                larger document comes alone, uncut.
        Raises:
            SettingsError: `max_bytes` is less than 1.

        >>> list(Corpus(["aa", "bb", "cccccc", "d"]).batches(max_bytes=4))
        [[b'aa', b'bb'], [b'cccccc'], [b'd']]
        """
        if max_bytes < 1:
            raise SettingsError(f"max_bytes is {max_bytes}, but a batch needs at least 1")
        return self._batches(max_bytes)

    def _batches(self, max_bytes: int) -> Iterator[list[bytes]]:
        batch: list[bytes] = []
        num_bytes = 0
        for document in self.documents():
            if batch and num_bytes + len(document.data) > max_bytes:
                yield batch
                batch, num_bytes = [], 0
            batch.append(document.data)
            num_bytes += len(document.data)
        if batch:
            yield batch

    def lines(self) -> Corpus:
        """A corpus whose documents are the single lines of this one: do not train on it.

        It exists for one use, the deliberately spoiled baseline `bpe-line-fed`, which shows what
        a tokenizer loses that is fed line by line, as some libraries feed theirs. Lines end after
        b"\\n", which stays with its line; b"\\r" and other line ends are ordinary bytes. Each line
        keeps the name and source of its document.

        >>> [line.data for line in Corpus("if x:\\n    y\\r\\n").lines()]
        [b'if x:\\n', b'    y\\r\\n']
        """
        return _derived(_Lines(self._source))

    def require_nonempty(self) -> Corpus:
        """The same corpus, but a walk that ends without a single byte raises CorpusError.

        It is checked on the way, because a generator can be walked only once.

        >>> list(Corpus([""]).require_nonempty())
        Traceback (most recent call last):
        ...
        toksmith.errors.CorpusError: the corpus is empty: 1 document, 0 bytes
        """
        return _derived(_Nonempty(self._source))


def _derived(source: _Source) -> Corpus:
    corpus = Corpus(b"")
    corpus._source = source
    return corpus


def _cutting(separator: str | bytes | None, jsonl_field: str | None) -> Cutting:
    if separator is not None:
        if not isinstance(separator, str | bytes):
            raise SettingsError(
                f"separator is {type(separator).__name__}, but has to be str or bytes"
            )
        if not separator:
            raise SettingsError("separator is empty; leave it out to have no separator")
        separator = Document(separator).data
    if jsonl_field is None:
        return Cutting(separator)
    if not isinstance(jsonl_field, str):
        raise SettingsError(f"jsonl_field is {type(jsonl_field).__name__}, but has to be str")
    return Cutting(separator, jsonl_field)


def _source_of(x: object, cutting: Cutting) -> _Source:
    if isinstance(x, str):
        _refuse_path_like(x, is_item=False)
    item = _item(x, cutting)
    if item is not None:
        return item
    if callable(getattr(x, "readline", None)):
        raise CorpusError(
            "the input is an open file, which would be walked line by line; pass Path(...) of it, "
            "or the text that its read() returns"
        )
    if isinstance(x, set | frozenset):
        raise CorpusError(
            f"the input is a {type(x).__name__}, whose order differs from run to run; pass "
            "sorted(...) of it"
        )
    if isinstance(x, list | tuple):
        return _Items(list(x), cutting)
    if hasattr(x, "columns"):
        # Iterating over a pandas table gives the names of its columns.
        raise CorpusError(
            f"the input is a table ({type(x).__name__}); pass the column that holds the text"
        )
    if isinstance(x, Mapping) or not _is_iterable(x):
        raise CorpusError(f"the input is {type(x).__name__}; {_ACCEPTED}")
    return _Stream(x, cutting)


def _is_iterable(x: object) -> TypeGuard[Iterable[object]]:
    # Asked by doing, because a class with only __getitem__ and __len__ is iterable too.
    try:
        iter(x)  # type: ignore[call-overload]
    except TypeError:
        return False
    return True


def _item(x: object, cutting: Cutting) -> _Source | None:
    """The source for one document or path, or None if `x` is neither."""
    if isinstance(x, Document):
        return _Texts(x)
    if isinstance(x, str | bytes | bytearray | memoryview):
        return _Texts(Document(x), cutting.separator)
    if isinstance(x, os.PathLike):
        return FileSource(Path(os.fsdecode(x)), cutting)
    return None


def _item_at(index: int, x: object, cutting: Cutting) -> _Source:
    if isinstance(x, str):
        _refuse_path_like(x, is_item=True, where=f"document {index} ")
    try:
        item = _item(x, cutting)
    except CorpusError as error:
        if isinstance(x, os.PathLike):
            raise  # the message names the path, which says more than its place
        raise CorpusError(f"document {index}: {error}") from error
    if item is not None:
        return item
    hint = ""
    if isinstance(x, Mapping):
        hint = '; of rows, pass the text: (row["text"] for row in rows)'
    raise CorpusError(
        f"document {index} is {type(x).__name__}; a document is a str, bytes, a ts.Document, or a "
        f"Path{hint}"
    )


def _refuse_path_like(text: str, *, is_item: bool, where: str = "the text ") -> None:
    """Raise TypeError if a text is the name of a file or folder, which hardly anyone means.

    In a list, a single word that happens to be the name of a folder passes: whether a corpus is
    accepted should not hang on where the program was started.
    """
    if len(text) > _MAX_PATH_CHARACTERS or "\n" in text:
        return
    # One call instead of isfile and isdir: it is most of the cost of a list of short texts.
    try:
        mode = os.stat(text).st_mode
    except (OSError, ValueError):
        # ValueError: what no path can be, with a NUL or a lone surrogate.
        return
    if stat.S_ISDIR(mode) and is_item and _is_one_part(text):
        return
    kind = "folder" if stat.S_ISDIR(mode) else "file"
    raise TypeError(
        f"{where}{text!r} is the name of an existing {kind}: pass `Path(...)` to read it, or "
        "`ts.Document(...)` if the name itself is the document"
    )


def _is_one_part(text: str) -> bool:
    return text == "/" or not ("/" in text or os.sep in text)


class _Texts:
    """One text, or the pieces of it."""

    reiterable = True

    def __init__(self, document: Document, separator: bytes | None = None) -> None:
        self._document = document
        self._separator = separator

    def documents(self, skipped: dict[Path, str]) -> Iterator[Document]:
        if self._separator is None:
            yield self._document
        else:
            yield from map(Document, split_text(self._document.data, self._separator))


class _Items:
    """A list, every item of it checked when the corpus is made.

    Texts are kept as they came, to be encoded one at a time; paths are looked up at once.
    """

    def __init__(self, items: list[object], cutting: Cutting) -> None:
        self._items = items
        self._cutting = cutting
        self.reiterable = True
        for index, x in enumerate(items):
            source = _item_at(index, x, cutting)
            if isinstance(source, FileSource):
                items[index] = source
                self.reiterable = self.reiterable and source.reiterable

    def documents(self, skipped: dict[Path, str]) -> Iterator[Document]:
        for x in self._items:
            source = x if isinstance(x, FileSource) else _item(x, self._cutting)
            assert source is not None
            yield from source.documents(skipped)


class _Stream:
    """Any other iterable; its items are checked as they come."""

    def __init__(self, items: Iterable[object], cutting: Cutting) -> None:
        self._items = items
        self._cutting = cutting
        self._walked = False
        self.reiterable = not isinstance(items, Iterator)

    def documents(self, skipped: dict[Path, str]) -> Iterator[Document]:
        if self._walked and not self.reiterable:
            raise CorpusError(
                f"the corpus is a {type(self._items).__name__}, which can be walked only once, and "
                "it was walked before; pass a list of documents, or paths"
            )
        self._walked = True
        for index, x in enumerate(self._items):
            yield from _item_at(index, x, self._cutting).documents(skipped)


class _Lines:
    """The lines of another source."""

    def __init__(self, source: _Source) -> None:
        self._source = source
        self.reiterable = source.reiterable

    def documents(self, skipped: dict[Path, str]) -> Iterator[Document]:
        for document in self._source.documents(skipped):
            data, start = document.data, 0
            while start < len(data):
                end = data.find(b"\n", start) + 1 or len(data)
                yield Document(data[start:end], name=document.name, source=document.source)
                start = end


class _Nonempty:
    """Another source, with an error at its end if it had no byte."""

    def __init__(self, source: _Source) -> None:
        self._source = source
        self.reiterable = source.reiterable

    def documents(self, skipped: dict[Path, str]) -> Iterator[Document]:
        num_documents = 0
        num_bytes = 0
        for document in self._source.documents(skipped):
            num_documents += 1
            num_bytes += len(document.data)
            yield document
        if not num_bytes:
            plural = "" if num_documents == 1 else "s"
            raise CorpusError(f"the corpus is empty: {num_documents} document{plural}, 0 bytes")
