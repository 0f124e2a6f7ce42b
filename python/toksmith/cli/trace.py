"""`trace`: training step by step."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from toksmith._core import WordCounts
from toksmith.cli.arguments import (
    JsonlFieldOption,
    MinPairCountOption,
    PretokenizerOption,
    SeparatorOption,
    WhitespaceOption,
    corpus_from_paths,
)
from toksmith.cli.console import note, write_line
from toksmith.cli.train import is_word_counts_file
from toksmith.errors import SettingsError
from toksmith.tracing import trace as trace_of
from toksmith.tracing.words import Counted

__all__ = ["trace"]


def trace(
    recipe: Annotated[
        str, typer.Argument(metavar="RECIPE", show_default=False, help="Such as bpe or unigram.")
    ],
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH",
            show_default=False,
            help="Small text files, one file of count-words, or - for standard input.",
        ),
    ] = None,
    *,
    words: Annotated[
        list[str] | None,
        typer.Option("--word", metavar="WORD=COUNT", help="Words with counts, instead of PATHs."),
    ] = None,
    vocab_size: Annotated[
        int | None,
        typer.Option("--vocab-size", metavar="N", help="Where training stops, units counted in."),
    ] = None,
    steps: Annotated[
        int | None, typer.Option("--steps", metavar="N", help="Show so many steps at most.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    boundary: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="How a space is written, such as end-of-word."),
    ] = None,
    pretokenizer: PretokenizerOption = None,
    whitespace: WhitespaceOption = None,
    alphabet: Annotated[
        str | None, typer.Option(metavar="characters|bytes", help="What to start from.")
    ] = None,
    min_pair_count: MinPairCountOption = None,
    ties: Annotated[
        str | None,
        typer.Option(
            metavar="ids|first-met|last-met",
            help="Of equal pairs: the smaller ids (as in training, default), or the one that is "
            "met first or last in the words as they are given.",
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="em|counts",
            help="unigram: as it is trained (em, default), or the simple method of courses.",
        ),
    ] = None,
    pieces: Annotated[
        list[str] | None,
        typer.Option("--piece", metavar="PIECE", help="unigram: pieces to start from."),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            "--drop", metavar="PIECE", help="unigram by counts: pieces to remove first, in order."
        ),
    ] = None,
    separator: SeparatorOption = None,
    jsonl_field: JsonlFieldOption = None,
) -> None:
    """Show a training step by step, on a few words.

    \b
    Recipes:
        bpe, isbpe-single, isbpe-dual, scaffold-bpe,
        wordpiece-pmi, wordpiece-likelihood, wordpiece-frequency, unigram
    Each step shows what is merged or removed and why, and the tokens that are in use. words and
    characters only count, so there is nothing to trace. In a unigram's steps a cost is blank where
    the piece has no other segmentation; the last step removes what has the lowest score.

    \b
    Examples:
        toksmith trace bpe --word low=5 lowest=2 newer=6 --vocab-size 14
        toksmith trace wordpiece-pmi notes.txt --steps 10 --json
    """
    settings: dict[str, Any] = {
        "boundary": boundary,
        "pretokenizer": pretokenizer,
        "whitespace": whitespace,
        "alphabet": alphabet,
        "min_pair_count": min_pair_count,
        "ties": ties,
        "method": method,
        "pieces": pieces or None,
        "drop": drop or None,
    }
    told = trace_of(
        recipe,
        _counted(paths or [], words or [], separator, jsonl_field),
        vocab_size=vocab_size,
        steps=steps,
        **{name: value for name, value in settings.items() if value is not None},
    )
    write_line(told.to_json() if as_json else str(told))
    if not told.is_complete:
        note(f"note: training goes on after step {len(told)} (--steps)")


def _counted(
    paths: list[Path], words: list[str], separator: str | None, jsonl_field: str | None
) -> Counted:
    if bool(paths) == bool(words):
        raise SettingsError("say what to train on: PATHs, or --word WORD=COUNT")
    if words:
        return _parse_words(words)
    if len(paths) == 1 and is_word_counts_file(paths[0]):
        return WordCounts.load(paths[0])
    corpus = corpus_from_paths(paths, separator, jsonl_field)
    return (document.data for document in corpus)


def _parse_words(words: list[str]) -> dict[str, int]:
    """Read `WORD=COUNT`; a word may hold `=` itself.

    >>> _parse_words(["low=5", "a=b=2"])
    {'low': 5, 'a=b': 2}
    """
    counts: dict[str, int] = {}
    for entry in words:
        word, equals, count = entry.rpartition("=")
        if not equals or not word or not (count.isascii() and count.isdigit()) or len(count) > 20:
            raise SettingsError(f"--word is {entry!r}, but must be WORD=COUNT")
        if word in counts:
            raise SettingsError(f"--word names {word!r} twice")
        counts[word] = int(count)
    return counts
