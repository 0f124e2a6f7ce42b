"""Options that several commands share, spelled and explained once."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from toksmith._core import pretokenizers
from toksmith.corpus import Corpus
from toksmith.errors import SettingsError
from toksmith.recipes import DEFAULT_PRETOKENIZER

__all__ = [
    "DigitsOption",
    "EncoderOption",
    "JsonlFieldOption",
    "MinPairCountOption",
    "NormalizerOption",
    "OutOption",
    "PretokenizerOption",
    "ProgressOption",
    "SeparatorOption",
    "SettingsOption",
    "SpecialTokensOption",
    "ThreadsOption",
    "TokenizerArgument",
    "UnicodeOption",
    "VocabSizeOption",
    "WhitespaceOption",
    "corpus_from_paths",
    "refuse_unwritable",
    "spread_values",
]

VocabSizeOption = Annotated[
    int,
    typer.Option(
        "--vocab-size",
        metavar="N",
        show_default=False,
        help="Ids in the vocabulary, alphabet and special tokens counted in.",
    ),
]
OutOption = Annotated[
    Path,
    typer.Option("-o", "--out", metavar="FILE", show_default=False, help="File to write."),
]
PretokenizerOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME|REGEX",
        help=f"How text is cut: {', '.join(pretokenizers())}, or a regular expression "
        f"(default: {DEFAULT_PRETOKENIZER}).",
    ),
]
DigitsOption = Annotated[
    str | None,
    typer.Option(
        metavar="single|left-N|right-N",
        help="Group digits inside what the pattern cuts: each by itself, or by N from the left or "
        "the right (default: as the pattern cuts them).",
    ),
]
WhitespaceOption = Annotated[
    str | None,
    typer.Option(
        metavar="split|whole",
        help="Keep whitespace as the pattern cuts it (split, default), or join it (whole).",
    ),
]
NormalizerOption = Annotated[
    list[str] | None,
    typer.Option(
        "--normalizer",
        metavar="NAME|JSON",
        help="What is done to the text first, such as nfkc, or an object with a type and settings; "
        "may be given several times, the steps in their order.",
    ),
]
UnicodeOption = Annotated[
    str | None,
    typer.Option(metavar="VERSION", help="Unicode version of the character classes, such as 14.0."),
]
SeparatorOption = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help=r"Text that stands between documents inside a file; \n, \t, \0 and \\ are read "
        "as in Python.",
    ),
]
JsonlFieldOption = Annotated[
    str | None,
    typer.Option(metavar="FIELD", help="Field that holds the text, for JSONL files."),
]
SpecialTokensOption = Annotated[
    list[str] | None,
    typer.Option(
        "--special-token", metavar="TOKEN", help="A special token; may be given several times."
    ),
]
MinPairCountOption = Annotated[
    int | None,
    typer.Option(metavar="N", help="Stop training when no pair occurs N times (default 2)."),
]
SettingsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Any other setting of a method, such as alphabet=characters or boundary=metaspace; "
        "may be given several times.",
    ),
]
EncoderOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Another encoder than the file's, such as longest-first."),
]
ThreadsOption = Annotated[
    int | None,
    typer.Option(
        "--threads",
        metavar="N",
        min=1,
        help="Threads (default: all cores). Results do not depend on it.",
    ),
]
ProgressOption = Annotated[
    bool | None,
    typer.Option(
        "--progress/--no-progress",
        show_default=False,
        help="Show progress on standard error (default: if that is a terminal).",
    ),
]
TokenizerArgument = Annotated[
    Path, typer.Argument(metavar="FILE", show_default=False, help="A tokenizer file.")
]

# Options of these commands take all values up to the next option: `--train a b --test c`.
_SPREAD: Final = {
    "compare": ("--train", "--test"),
    "evaluate": ("--test",),
    "trace": ("--word", "--piece", "--drop"),
}


def spread_values(arguments: Sequence[str]) -> list[str]:
    """Write `--train a b` as `--train a --train b`, the form that the parser knows.

    A shell expands `--train src/*.py` to the first form, and no parser of options reads it.

    >>> spread_values(["compare", "--train", "a", "b", "--test", "c", "--out", "d"])
    ['compare', '--train', 'a', '--train', 'b', '--test', 'c', '--out', 'd']
    >>> spread_values(["encode", "--test", "a", "b"])
    ['encode', '--test', 'a', 'b']
    """
    command = next((argument for argument in arguments if not argument.startswith("-")), "")
    options = _SPREAD.get(command, ())
    spread: list[str] = []
    current = ""  # the option whose values are being read
    num_values = 0
    for index, argument in enumerate(arguments):
        if argument == "--":
            return spread + list(arguments[index:])
        if argument.startswith("-") and argument != "-":
            current = argument if argument in options else ""
            num_values = 0
        elif current:
            if num_values > 0:
                spread.append(current)
            num_values += 1
        spread.append(argument)
    return spread


def corpus_from_paths(
    paths: Sequence[Path], separator: str | None = None, jsonl_field: str | None = None
) -> Corpus:
    """Make a corpus of the files, folders and glob patterns on the command line; `-` is stdin."""
    if any(str(path) == "-" for path in paths):
        if len(paths) > 1:
            raise typer.BadParameter("'-' (standard input) stands alone")
        return Corpus.from_input(
            sys.stdin.buffer.read(), separator=_unescape(separator), jsonl_field=jsonl_field
        )
    return Corpus.from_input(list(paths), separator=_unescape(separator), jsonl_field=jsonl_field)


def _unescape(separator: str | None) -> str | None:
    r"""Read `\n`, `\t`, `\0` and `\\`, which are awkward to type in a shell.

    >>> _unescape(r"\n\n")
    '\n\n'
    """
    if separator is None:
        return None
    known = {"n": "\n", "t": "\t", "0": "\0", "r": "\r", "\\": "\\"}
    result = []
    characters = iter(separator)
    for character in characters:
        if character == "\\":
            escaped = next(characters, "")
            result.append(known.get(escaped, "\\" + escaped))
        else:
            result.append(character)
    return "".join(result)


def refuse_unwritable(path: Path, *, folder: bool = False) -> None:
    """Complain about an output path now, not after an hour of training.

    A folder to write to is made here: whether it can be is known only then.
    """
    if str(path) == "-":
        raise SettingsError("the output '-' is not standard output here; name a file or folder")
    if folder:
        if path.exists() and not path.is_dir():
            raise NotADirectoryError(20, "is a file, but a folder is to be written", str(path))
        path.mkdir(parents=True, exist_ok=True)
        _refuse_read_only(path)
    elif path.is_dir():
        raise IsADirectoryError(21, "is a folder, but a file is to be written", str(path))
    elif not path.parent.is_dir():
        raise FileNotFoundError(2, "there is no such folder to write to", str(path.parent))
    else:
        _refuse_read_only(path.parent)


def _refuse_read_only(folder: Path) -> None:
    # Asked by doing: permissions do not tell of file systems that take no files.
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise OSError(
            error.errno, f"no file can be written there ({error.strerror})", str(folder)
        ) from None
