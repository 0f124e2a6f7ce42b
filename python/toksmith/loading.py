"""Reading tokenizer files. `Tokenizer.save` is the other direction."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Final

from toksmith._core import Tokenizer
from toksmith.errors import FormatError

__all__ = ["load"]

# A file of word counts begins so, whatever its version.
_WORD_COUNTS: Final = b"# toksmith word-counts "


def load(path: str | PathLike[str]) -> Tokenizer:
    """Read a tokenizer from a file that `Tokenizer.save` has written.

    The content hash and the self-test texts in the file are checked first.

    Raises:
        OSError: there is no such file, or it is a directory.
        FormatError: not a tokenizer file, cut off, or altered; the message names file and place.

    >>> import tempfile, toksmith as ts
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ts.BPE().train("low low lower", vocab_size=258).save(f"{folder}/low.tok.json")
    ...     load(f"{folder}/low.tok.json").vocab_size
    258
    """
    file = Path(path)
    data = file.read_bytes()
    if data.startswith(_WORD_COUNTS):
        raise FormatError(f"{file}: this is a word-counts file: ts.WordCounts.load reads it")
    try:
        return Tokenizer.from_json(data)
    except FormatError as error:
        # The core sees bytes; only here is it known which file they came from.
        raise FormatError(f"{file}: {error}") from error
