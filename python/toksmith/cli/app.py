"""All commands, in the order in which the help lists them."""

from __future__ import annotations

from typing import Annotated

import typer

from toksmith.cli.compare import compare, demo, evaluate
from toksmith.cli.console import explained, write_line
from toksmith.cli.text import convert, count_tokens, decode, encode, explain
from toksmith.cli.train import count_words, merge, train

__all__ = ["app"]

app = typer.Typer(
    name="toksmith",
    help="Train, run and fairly compare subword tokenizers.",
    no_args_is_help=True,
    add_completion=False,
    # Plain text: the examples in the help keep their line breaks and can be copied.
    rich_markup_mode=None,
    # A traceback is for bugs of ours, and then it has to be a whole one.
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(wanted: bool) -> None:
    if wanted:
        from toksmith import __version__

        write_line(f"toksmith {__version__}")
        raise typer.Exit


@app.callback()
def _toksmith(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Train, run and fairly compare subword tokenizers."""


for _command in (
    compare,
    train,
    encode,
    decode,
    count_tokens,
    explain,
    convert,
    evaluate,
    count_words,
    merge,
    demo,
):
    app.command(name=_command.__name__.replace("_", "-"))(explained(_command))
