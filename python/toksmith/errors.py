"""The exceptions of toksmith: one root, and one class for each thing that can be wrong.

Every class also derives from the builtin that a caller would catch without knowing this library.
What the operating system refuses stays builtin (`FileNotFoundError`, `PermissionError`, …), and so
does an argument of the wrong kind altogether where Python has a word for it (`TypeError`).
"""

from __future__ import annotations

__all__ = [
    "ComparisonError",
    "CorpusError",
    "DecodeError",
    "EncodeError",
    "FormatError",
    "SettingsError",
    "ToksmithError",
    "TrainingError",
    "UnknownTokenIdError",
]


class ToksmithError(Exception):
    """Anything that toksmith itself refuses; catch it to catch all of them.

    >>> issubclass(CorpusError, ToksmithError) and issubclass(CorpusError, ValueError)
    True
    """


class SettingsError(ToksmithError, ValueError):
    """A setting is unknown, out of its bounds, or makes no sense beside another one."""


class CorpusError(ToksmithError, ValueError):
    """The input is not a corpus: a wrong kind of document, a damaged file, a wrong index.

    The message names the document, or the file and line, that is at fault.
    """


class TrainingError(ToksmithError, ValueError):
    """Training cannot give what was asked, for example because the corpus is empty."""


class EncodeError(ToksmithError, ValueError):
    """A text cannot be encoded by this tokenizer, for example a byte that no token holds."""


class DecodeError(ToksmithError, ValueError):
    """Ids cannot be decoded, or the bytes that they stand for are not the text asked for."""


class UnknownTokenIdError(DecodeError, KeyError):
    """An id is not in the vocabulary.

    It is a `KeyError` too, but prints as the plain message, which `KeyError` would put in quotes.

    >>> str(UnknownTokenIdError("token id 70000 is unknown: ids end at 65535"))
    'token id 70000 is unknown: ids end at 65535'
    """

    def __str__(self) -> str:
        return Exception.__str__(self)


class FormatError(ToksmithError, ValueError):
    """A file is not what it should be: another format, a newer version, cut short, or changed.

    The message names the file, the format that was expected and the place.
    """


class ComparisonError(ToksmithError, ValueError):
    """A comparison cannot be made, or would not be fair."""
