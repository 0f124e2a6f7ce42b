"""`compare`, `evaluate` and `demo`: what each tokenizer is worth."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from toksmith.cli.arguments import (
    DigitsOption,
    JsonlFieldOption,
    NormalizerOption,
    PretokenizerOption,
    ProgressOption,
    SeparatorOption,
    SpecialTokensOption,
    ThreadsOption,
    VocabSizeOption,
    WhitespaceOption,
    corpus_from_paths,
    refuse_unwritable,
)
from toksmith.cli.console import Reporter, note, note_skipped, write_line
from toksmith.errors import ComparisonError, SettingsError
from toksmith.loading import load
from toksmith.recipes import Recipe, parse_normalizer

if TYPE_CHECKING:
    from toksmith.comparison import Comparison

__all__ = ["compare", "demo", "evaluate"]

#: The methods that `compare` and `demo` set side by side unless told otherwise.
DEFAULT_RECIPES: Final = (
    "bpe",
    "bpe+longest-first",
    "isbpe-single",
    "isbpe-dual",
    "isbpe-dual+longest-first",
)
_DEMO_VOCAB_SIZE: Final = 16_384

# The widest table needs so many columns.
_MIN_TABLE_WIDTH: Final = 100

TestOption = Annotated[
    list[Path],
    typer.Option(
        "--test",
        metavar="PATH...",
        show_default=False,
        help="Text to measure on, that no tokenizer was trained on.",
    ),
]
FolderOption = Annotated[
    Path,
    typer.Option(
        "-o",
        "--out",
        metavar="DIR",
        show_default=False,
        help="Folder for report.html and results.json.",
    ),
]
SeedOption = Annotated[int, typer.Option(metavar="N", help="Seed of the bootstrap intervals.")]


def compare(
    context: typer.Context,
    *,
    train: Annotated[
        list[Path],
        typer.Option(
            "--train",
            metavar="PATH...",
            show_default=False,
            help="Text to train on: files, folders or glob patterns.",
        ),
    ],
    test: TestOption,
    vocab_size: VocabSizeOption,
    out: FolderOption,
    recipes: Annotated[
        str, typer.Option(metavar="A,B,C", help="Recipes to compare, separated by commas.")
    ] = ",".join(DEFAULT_RECIPES),
    baseline: Annotated[
        str | None,
        typer.Option(metavar="RECIPE", help="Recipe that gains are given against (default: bpe)."),
    ] = None,
    pretokenizer: PretokenizerOption = None,
    digits: DigitsOption = None,
    whitespace: WhitespaceOption = None,
    normalizer: NormalizerOption = None,
    special_tokens: SpecialTokensOption = None,
    separator: SeparatorOption = None,
    jsonl_field: JsonlFieldOption = None,
    save_tokenizers: Annotated[
        bool, typer.Option("--save-tokenizers", help="Write the tokenizer files to DIR as well.")
    ] = False,
    seed: SeedOption = 0,
    threads: ThreadsOption = None,
    progress: ProgressOption = None,
) -> None:
    """Train methods on the same text and say what each is worth.

    --train and --test take every path up to the next option. bpe is always added as the baseline,
    unless --baseline names another; bpe-line-fed, trained on single lines, shows what such feeding
    costs and is never ranked. `toksmith train --help` explains the recipes.

    \b
    Example:
        toksmith compare --train src/ --test held-out/ --vocab-size 32768 --out comparison
    """
    from toksmith.comparison import compare as compare_recipes

    names = [name.strip() for name in recipes.split(",") if name.strip()]
    canonical = [Recipe.parse(name).name for name in names]
    for name in canonical:
        if canonical.count(name) > 1:
            raise SettingsError(f"--recipes has {name!r} {canonical.count(name)} times")
    train_corpus = corpus_from_paths(train, separator, jsonl_field)
    test_corpus = corpus_from_paths(test, separator, jsonl_field)
    refuse_unwritable(out, folder=True)
    with Reporter(progress) as report:
        comparison = compare_recipes(
            names,
            train=train_corpus,
            test=test_corpus,
            vocab_size=vocab_size,
            pretokenizer=pretokenizer,
            digits=digits,
            whitespace=whitespace,
            normalizer=parse_normalizer(normalizer),
            special_tokens=special_tokens or (),
            baseline=baseline,
            seed=seed,
            num_threads=threads,
            progress=report,
            command=context.obj,
        )
    _show(comparison)
    _write(comparison, out, with_tokenizers=save_tokenizers)
    note_skipped(train_corpus, test_corpus)


def evaluate(
    context: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", show_default=False, help="Tokenizer files."),
    ],
    *,
    test: TestOption,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="DIR",
            show_default=False,
            help="Folder for report.html and results.json.",
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="File that gains are given against (default: the first)."
        ),
    ] = None,
    separator: SeparatorOption = None,
    jsonl_field: JsonlFieldOption = None,
    seed: SeedOption = 0,
    threads: ThreadsOption = None,
    progress: ProgressOption = None,
) -> None:
    """Measure ready tokenizers on the same text.

    What they were trained on is not known, so they are measured but not ranked. --test takes
    every path up to the next option, so the FILEs come first.

    \b
    Example:
        toksmith evaluate a.tok.json b.tok.json --test held-out/
    """
    from toksmith.comparison import evaluate_tokenizers

    names = _short_names(files)
    if len(set(names)) < len(names):
        raise ComparisonError(f"a file is named twice: {', '.join(map(str, files))}")
    tokenizers = {name: load(file) for name, file in zip(names, files, strict=True)}
    if baseline is not None:
        by_path = dict(zip(files, names, strict=True))
        baseline = by_path.get(Path(baseline), baseline)
    corpus = corpus_from_paths(test, separator, jsonl_field)
    if out is not None:
        refuse_unwritable(out, folder=True)
    with Reporter(progress) as report:
        comparison = evaluate_tokenizers(
            tokenizers,
            test=corpus,
            baseline=baseline,
            seed=seed,
            num_threads=threads,
            progress=report,
            command=context.obj,
        )
    _show(comparison)
    if out is not None:
        _write(comparison, out, with_tokenizers=False)
    note_skipped(corpus)


def demo(
    context: typer.Context,
    out: Annotated[
        Path,
        typer.Option("-o", "--out", metavar="DIR", help="Folder to write to."),
    ] = Path("demo-output"),
    threads: ThreadsOption = None,
) -> None:
    """Compare five methods on the Python standard library.

    Packages of the library of this machine are cut into those trained on and those held out.

    \b
    Example:
        toksmith demo --out demo-output
    """
    from toksmith.comparison import compare as compare_recipes
    from toksmith.corpus.standard_library import standard_library_split

    refuse_unwritable(out, folder=True)
    with Reporter(wanted=True) as report:
        train, test = standard_library_split()
        comparison = compare_recipes(
            DEFAULT_RECIPES,
            train=train,
            test=test,
            vocab_size=_DEMO_VOCAB_SIZE,
            num_threads=threads,
            progress=report,
            command=context.obj,
        )
    _show(comparison)
    _write(comparison, out, with_tokenizers=True)
    note(f"open {out / 'report.html'} in a browser")


def _short_names(files: Sequence[Path]) -> list[str]:
    """Name tokenizers by their files: without folder and ending, unless two are alike then.

    >>> _short_names([Path("a/bpe.tok.json"), Path("a/dual.tok.json"), Path("b/dual.tok.json")])
    ['bpe', 'a/dual.tok.json', 'b/dual.tok.json']
    """
    short = [file.name.removesuffix(".json").removesuffix(".tok") for file in files]
    return [
        name if short.count(name) == 1 else str(file)
        for name, file in zip(short, files, strict=True)
    ]


def _show(comparison: Comparison) -> None:
    table = comparison.table()
    if sys.stdout.isatty():
        from rich.console import Console

        # In a narrower window lines wrap; figures that are cut off would be worse.
        console = Console()
        Console(width=max(console.width, _MIN_TABLE_WIDTH)).print(table)
    else:
        write_line(str(table))


def _write(comparison: Comparison, folder: Path, *, with_tokenizers: bool) -> None:
    from toksmith.report.charts import why_not

    folder.mkdir(parents=True, exist_ok=True)
    comparison.save_json(folder / "results.json")
    comparison.save_html(folder / "report.html")
    files = "report.html and results.json"
    if with_tokenizers:
        files = (
            f"report.html, results.json and {len(comparison.save_tokenizers(folder))} *.tok.json"
        )
    note(f"wrote {files} to {folder}")
    reason = why_not()
    if reason is not None:
        note(f"note: the report is without plots: {reason}")
