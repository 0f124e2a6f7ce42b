"""Reading tokenizer files, toksmith's and those of other libraries. `Tokenizer.save` writes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Final

from toksmith._core import Tokenizer, read_tokenizer
from toksmith.errors import FormatError, SettingsError
from toksmith.recipes import check_pretokenizer

__all__ = ["load"]

# A file of word counts begins so, whatever its version.
_WORD_COUNTS: Final = b"# toksmith word-counts "


def load(
    path: str | PathLike[str],
    *,
    pretokenizer: str | None = None,
    special_tokens: Sequence[str] | Mapping[str, int] | None = None,
    unicode: str | None = None,
) -> Tokenizer:
    """Read a tokenizer from a file of `Tokenizer.save`, or from tiktoken's rank file.

    The content tells the format, not the name. Of toksmith's own files the content hash and the
    self-test texts are checked first. A rank file does not say how text is cut nor which special
    tokens there are: r50k_base, cl100k_base and o200k_base are recognized by their tokens, for any
    other the pretokenizer must be given.

    Args:
        path: the file.
        pretokenizer: name or regular expression, for a file that does not say it.
        special_tokens: their names, which get the ids after the file's tokens, or names with ids;
            for a file that does not say them. None takes those of a known encoding, or none.
        unicode: version whose character classes the pattern uses; None takes that of the library
            which the file is of (tiktoken: 16.0).

    Raises:
        OSError: there is no such file, or it is a directory.
        FormatError: no known format, cut off, or altered; the message names file and place.
        SettingsError: the pretokenizer is not known and not given, or what is given cannot be, or
            the file says it itself.

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
    if pretokenizer is not None:
        check_pretokenizer(pretokenizer)
    settings = {
        "pretokenizer": pretokenizer,
        "special_tokens": _added_tokens(special_tokens),
        "unicode": unicode,
    }
    try:
        return read_tokenizer(data, json.dumps(settings))
    except (FormatError, SettingsError) as error:
        # The core sees bytes; only here is it known which file they came from.
        raise type(error)(f"{file}: {error}") from error


def _added_tokens(
    tokens: Sequence[str] | Mapping[str, int] | None,
) -> list[dict[str, Any]] | None:
    """Write special tokens as the core reads them, ascending by their ids.

    >>> _added_tokens({"<b>": 300, "<a>": 256})
    [{'text': '<a>', 'kind': 'special', 'id': 256}, {'text': '<b>', 'kind': 'special', 'id': 300}]
    """
    if tokens is None:
        return None
    if isinstance(tokens, str) or not isinstance(tokens, Sequence | Mapping):
        raise SettingsError(
            f"special_tokens is {tokens!r}; it must be a list of names, or a dict of names and ids"
        )
    if not isinstance(tokens, Mapping):
        return [{"text": _name(token), "kind": "special"} for token in tokens]
    for token, token_id in tokens.items():
        if isinstance(token_id, bool) or not isinstance(token_id, int):
            raise SettingsError(f"special token {token!r} has id {token_id!r}, which is no int")
    pairs = sorted(tokens.items(), key=lambda pair: pair[1])
    return [{"text": _name(token), "kind": "special", "id": i} for token, i in pairs]


def _name(token: object) -> str:
    if not isinstance(token, str):
        raise SettingsError(f"special token {token!r} is {type(token).__name__}, not str")
    return token
