"""`compare`, `evaluate` and `demo`: what each tokenizer is worth."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from toksmith._core import Tokenizer
from toksmith.cli.arguments import (
    JsonlFieldOption,
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
from toksmith.cli.console import Reporter, note, write_line
from toksmith.loading import load
from toksmith.recipes import Recipe

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
    whitespace: WhitespaceOption = None,
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

    --train and --test take every path up to the next option.

    \b
    Example:
        toksmith compare --train src/ --test held-out/ --vocab-size 32768 --out comparison
    """
    from toksmith.comparison import compare as compare_recipes

    names = [name.strip() for name in recipes.split(",") if name.strip()]
    for name in names:
        Recipe.parse(name)
    refuse_unwritable(out, folder=True)
    with Reporter(progress) as report:
        comparison = compare_recipes(
            names,
            train=corpus_from_paths(train, separator, jsonl_field),
            test=corpus_from_paths(test, separator, jsonl_field),
            vocab_size=vocab_size,
            pretokenizer=pretokenizer,
            whitespace=whitespace,
            special_tokens=special_tokens or (),
            baseline=baseline,
            seed=seed,
            num_threads=threads,
            progress=report,
            command=context.obj,
        )
    _show(comparison)
    _write(comparison, out, with_tokenizers=save_tokenizers)


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

    if out is not None:
        refuse_unwritable(out, folder=True)
    tokenizers = _load_all(files)
    with Reporter(progress) as report:
        comparison = evaluate_tokenizers(
            tokenizers,
            test=corpus_from_paths(test, separator, jsonl_field),
            baseline=baseline,
            seed=seed,
            num_threads=threads,
            progress=report,
            command=context.obj,
        )
    _show(comparison)
    if out is not None:
        _write(comparison, out, with_tokenizers=False)


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


def _load_all(files: Sequence[Path]) -> dict[str, Tokenizer]:
    """Load tokenizers under short names: the file's own, or the whole path where two are alike."""
    short = [file.name.removesuffix(".json").removesuffix(".tok") for file in files]
    return {
        name if short.count(name) == 1 else str(file): load(file)
        for name, file in zip(short, files, strict=True)
    }


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
