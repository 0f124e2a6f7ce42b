"""The `toksmith` command.

Exit codes: 0 done, 1 an error that the message explains, 2 what the argument parser cannot parse,
130 interrupted. Results go to standard output, everything else to standard error.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from typing import NoReturn

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line, and leave the process with its exit code.

    Args:
        arguments: what follows the command's name; None takes `sys.argv`.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    _replace_closed_streams()
    try:
        # Imported here, so that Ctrl-C while typer loads is one line as well.
        from toksmith.cli.app import app
        from toksmith.cli.arguments import spread_values

        # Reports say which command makes them again, as it was typed.
        command = shlex.join(["toksmith", *arguments])
        app(args=spread_values(arguments), prog_name="toksmith", obj=command)
    except KeyboardInterrupt:
        sys.stderr.write("toksmith: interrupted\n")
        sys.exit(130)
    sys.exit(0)


def _replace_closed_streams() -> None:
    """A parent may start us with a closed stream, which Python shows as None.

    Without standard output there is nowhere to put a result, so that is an error; notes and
    standard input may be missing.
    """
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for the whole process
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 - for the whole process
    if sys.stdout is None:
        sys.stderr.write("toksmith: error: standard output is closed\n")
        sys.exit(1)
