"""`encode`, `decode`, `count-tokens`, `explain` and `convert`: running a tokenizer."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from toksmith._core import Tokenizer, write_atomically
from toksmith.cli.arguments import (
    EncoderOption,
    JsonlFieldOption,
    SeparatorOption,
    TokenizerArgument,
    UnicodeOption,
    corpus_from_paths,
    refuse_unwritable,
)
from toksmith.cli.console import note, write_bytes, write_coloured, write_coloured_lines, write_line
from toksmith.errors import DecodeError, SettingsError
from toksmith.loading import load
from toksmith.recipes import did_you_mean, known_encoders

__all__ = ["convert", "count_tokens", "decode", "encode", "explain"]

AllowedSpecialOption = Annotated[
    list[str] | None,
    typer.Option(
        "--allowed-special",
        metavar="TOKEN|all",
        help="Special token to recognise in the text; may be given several times. "
        "By default special tokens in text are text.",
    ),
]
PathsArgument = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="PATH|-",
        show_default=False,
        help="Text files, folders or glob patterns; - or nothing is standard input.",
    ),
]


def encode(
    file: TokenizerArgument,
    paths: PathsArgument = None,
    *,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="OUT",
            show_default=False,
            help="File to write instead: .npy for one NumPy array with the documents one after "
            "another, else lines as printed; - is standard output.",
        ),
    ] = None,
    encoder: EncoderOption = None,
    allowed_special: AllowedSpecialOption = None,
    separator: SeparatorOption = None,
    jsonl_field: JsonlFieldOption = None,
) -> None:
    """Encode text: ids separated by spaces, one line per document.

    \b
    Examples:
        echo "hello world" | toksmith encode code.tok.json
        toksmith encode code.tok.json src/ -o ids.npy
    """
    if out is not None and str(out) == "-":
        out = None
    if out is not None:
        refuse_unwritable(out)
    tokenizer = _load(file, encoder)
    allowed = _allowed(allowed_special)
    corpus = corpus_from_paths(paths or [Path("-")], separator, jsonl_field)
    documents = (document.data for document in corpus)
    if out is None:
        for line in _lines(tokenizer, documents, allowed):
            write_bytes(line)
    elif out.suffix == ".npy":
        import numpy as np

        # An empty text first: its array has the right type when there are no documents.
        arrays = [tokenizer.encode_numpy(b"")]
        arrays += [tokenizer.encode_numpy(data, allowed_special=allowed) for data in documents]
        ids = np.concatenate(arrays)
        buffer = io.BytesIO()
        np.save(buffer, ids, allow_pickle=False)
        write_atomically(out, buffer.getvalue())
        note(f"{len(ids):,} ids of {len(arrays) - 1:,} documents ({ids.dtype}): {out}")
    else:
        lines = list(_lines(tokenizer, documents, allowed))
        write_atomically(out, b"".join(lines))
        note(f"{len(lines):,} documents: {out}")


def _lines(
    tokenizer: Tokenizer,
    documents: Iterator[bytes],
    allowed: Literal["all"] | Sequence[str],
) -> Iterator[bytes]:
    for data in documents:
        ids = tokenizer.encode(data, allowed_special=allowed)
        yield " ".join(map(str, ids)).encode("ascii") + b"\n"


def decode(
    file: TokenizerArgument,
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="IDS|-",
            show_default=False,
            help="Ids separated by spaces; - or nothing is standard input.",
        ),
    ] = None,
    skip_special_tokens: Annotated[
        bool, typer.Option("--skip-special-tokens", help="Leave special tokens out of the text.")
    ] = False,
) -> None:
    """Decode ids to the exact bytes of the text.

    Each line of standard input is a document of its own, as encode prints them; the texts follow
    each other with nothing between.

    \b
    Examples:
        toksmith decode code.tok.json 104 105
        toksmith encode code.tok.json notes.txt | toksmith decode code.tok.json -
    """
    tokenizer = load(file)

    def decode_ids(words: Sequence[str]) -> bytes:
        return tokenizer.decode_bytes(_parse_ids(words), skip_special_tokens=skip_special_tokens)

    if ids is None or ids == ["-"]:
        for number, line in enumerate(sys.stdin.buffer, start=1):
            words = line.decode("utf-8", "backslashreplace").split()
            try:
                data = decode_ids(words)
            except DecodeError as error:
                raise DecodeError(f"line {number}: {error}") from error
            write_bytes(data)
    else:
        write_bytes(decode_ids(" ".join(ids).split()))


# No id is longer; reading a number of thousands of digits is refused by Python itself.
_MAX_DIGITS: Final = 20


def _parse_ids(words: Sequence[str]) -> list[int]:
    """Read ids; a word that is no number is named with its place.

    >>> _parse_ids(["7", "12"])
    [7, 12]
    """
    ids = []
    for position, word in enumerate(words):
        # int() would take "1_0", "+7" and digits of any script.
        if not (word.isascii() and word.isdigit()) or len(word) > _MAX_DIGITS:
            shown = word if len(word) <= _MAX_DIGITS else f"{word[:_MAX_DIGITS]}…"
            raise DecodeError(
                f"token id {shown!r} at position {position} is not a number "
                f"of at most {_MAX_DIGITS} digits"
            )
        ids.append(int(word))
    return ids


def count_tokens(
    file: TokenizerArgument,
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH",
            show_default=False,
            help="Text files, folders or glob patterns; - is standard input.",
        ),
    ],
    *,
    encoder: EncoderOption = None,
    allowed_special: AllowedSpecialOption = None,
    separator: SeparatorOption = None,
    jsonl_field: JsonlFieldOption = None,
) -> None:
    """Count the tokens of each path, and of all together.

    \b
    Example:
        toksmith count-tokens code.tok.json src/ README.md
    """
    tokenizer = _load(file, encoder)
    allowed = _allowed(allowed_special)
    total = 0
    for path in paths:
        corpus = corpus_from_paths([path], separator, jsonl_field)
        num_tokens = sum(
            tokenizer.count_tokens(document.data, allowed_special=allowed) for document in corpus
        )
        total += num_tokens
        write_line(f"{num_tokens}\t{path}")
    write_line(f"{total}\ttotal")


def explain(
    file: TokenizerArgument,
    text: Annotated[
        str,
        typer.Argument(metavar="TEXT", show_default=False, help="- is standard input."),
    ],
    encoder: EncoderOption = None,
    allowed_special: AllowedSpecialOption = None,
    *,
    steps: Annotated[
        bool,
        typer.Option(
            "--steps", help="Show what each stage does, and each word's way to its tokens."
        ),
    ] = False,
) -> None:
    """Show how a text becomes tokens; in a terminal, in colours.

    In a tokenizer of isbpe-…, # before or after a token says that no single space stands there,
    and nothing says that one does. A # of the text itself is shown as \\#.

    \b
    Example:
        toksmith explain code.tok.json "self.fireEvent"
    """
    tokenizer = _load(file, encoder)
    # fsencode gives back the very bytes that the shell passed on, valid UTF-8 or not.
    data = sys.stdin.buffer.read() if text == "-" else os.fsencode(text)
    explanation = tokenizer.explain(data, allowed_special=_allowed(allowed_special))
    if steps and sys.stdout.isatty():
        write_coloured_lines(explanation.details())
    elif steps:
        write_line(explanation.details())
    elif sys.stdout.isatty():
        write_coloured(str(explanation), explanation.forms)
    else:
        write_line(str(explanation))


def _load(file: Path, encoder: str | None) -> Tokenizer:
    return _with_encoder(load(file), encoder)


def _with_encoder(tokenizer: Tokenizer, encoder: str | None) -> Tokenizer:
    if encoder is None:
        return tokenizer
    try:
        return tokenizer.with_encoder(encoder)
    except SettingsError as error:
        known = known_encoders()
        hint = "" if encoder in known else did_you_mean(encoder, known)
        raise SettingsError(f"{error}{hint}") from error


def _allowed(tokens: list[str] | None) -> Literal["all"] | Sequence[str]:
    return "all" if tokens == ["all"] else tokens or ()


def convert(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FROM",
            show_default=False,
            help="A tokenizer file of toksmith or a rank file of tiktoken.",
        ),
    ],
    target: Annotated[
        Path, typer.Argument(metavar="TO", show_default=False, help="File to write.")
    ],
    *,
    encoder: EncoderOption = None,
    pretokenizer: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|REGEX",
            help="How text is cut, for a file that does not say it.",
        ),
    ] = None,
    special_tokens: Annotated[
        list[str] | None,
        typer.Option(
            "--special-token",
            metavar="TOKEN[=ID]",
            help="A special token, for a file that does not say them; may be given several times.",
        ),
    ] = None,
    unicode: UnicodeOption = None,
) -> None:
    """Write a tokenizer of any format again, or with another encoder for the same vocabulary.

    Ids keep their meaning: what the old file encoded, the new one decodes. The pretokenizer,
    special tokens and Unicode version are for files that do not say them: tiktoken's, unless it is
    r50k_base, cl100k_base or o200k_base, which are recognized by their tokens.

    \b
    Examples:
        toksmith convert code.tok.json code-lbpe.tok.json --encoder longest-first
        toksmith convert cl100k_base.tiktoken lbpe.tok.json --encoder longest-first
    """
    refuse_unwritable(target)
    tokenizer = load(
        source,
        pretokenizer=pretokenizer,
        special_tokens=_parse_special_tokens(special_tokens),
        unicode=unicode,
    )
    tokenizer = _with_encoder(tokenizer, encoder)
    tokenizer.save(target)
    note(f"wrote {tokenizer.recipe}, {tokenizer.vocab_size:,} ids: {target}")


def _parse_special_tokens(tokens: list[str] | None) -> Sequence[str] | Mapping[str, int] | None:
    """Read names, or names with ids; an = that no digits follow is part of the name.

    >>> _parse_special_tokens(["<s>", "</s>"])
    ['<s>', '</s>']
    >>> _parse_special_tokens(["<s>=300", "a=b=301"])
    {'<s>': 300, 'a=b': 301}
    """
    if not tokens:
        return None
    ids: dict[str, int] = {}
    for token in tokens:
        name, _, digits = token.rpartition("=")
        if name and digits.isascii() and digits.isdigit() and len(digits) <= _MAX_DIGITS:
            if name in ids:
                raise SettingsError(f"--special-token {name!r} is given twice")
            ids[name] = int(digits)
    if not ids:
        return tokens
    if len(ids) < len(tokens):
        raise SettingsError("--special-token: give an id to all or to none")
    return ids
