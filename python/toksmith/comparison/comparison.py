"""`Comparison`: results together with the tokenizers they were measured on."""

from __future__ import annotations

import typing
from dataclasses import dataclass
from pathlib import Path

from toksmith.errors import ComparisonError
from toksmith.evaluate.results import Results

if typing.TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from toksmith._core import Tokenizer
    from toksmith.report import TextTable


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """What `compare` and `evaluate` give back.

    Attributes:
        results: all measurements; the part that is saved.
        tokenizers: the tokenizers, by the names that the results use.
    """

    results: Results
    tokenizers: Mapping[str, Tokenizer]

    def table(self) -> TextTable:
        """The table for a terminal; it prints itself, and `str()` gives plain text."""
        from toksmith.report import text_table

        return text_table(self.results)

    def save_json(self, path: str | PathLike[str]) -> None:
        """Writes the results; `toksmith.Results.load_json` reads them back."""
        self.results.save_json(path)

    def save_html(self, path: str | PathLike[str]) -> None:
        """Writes the report: one HTML file that opens offline.

        Without the extra `report` (altair, vl-convert) the page has no plots and says so.
        """
        from toksmith.report import save_html

        save_html(self.results, path)

    def save_tokenizers(self, directory: str | PathLike[str]) -> dict[str, Path]:
        """Writes each tokenizer to `directory`, which is made if it is not there.

        Returns:
            Name of the candidate -> its file, `NAME.tok.json`; characters that not every file
            system takes are written `_`.
        Raises:
            ComparisonError: two names become the same file.
        """
        folder = Path(directory)
        paths = {name: folder / f"{_file_stem(name)}.tok.json" for name in self.tokenizers}
        if len(set(paths.values())) < len(paths):
            raise ComparisonError(
                f"names that become the same file: {', '.join(map(repr, paths))}; rename them"
            )
        folder.mkdir(parents=True, exist_ok=True)
        for name, path in paths.items():
            self.tokenizers[name].save(path)
        return paths

    def __repr__(self) -> str:
        """The verdict, not a dump of everything.

        The whole is in `.results`; `.table()` shows it.
        """
        return f"<Comparison of {len(self.results.candidates)} tokenizers: {self.results.verdict}>"

    def _repr_html_(self) -> str:
        from toksmith.report import html_fragment

        return html_fragment(self.results)


def _file_stem(name: str) -> str:
    """A candidate's name as a file name.

    >>> _file_stem("bpe+longest-first"), _file_stem("a/b: c")
    ('bpe+longest-first', 'a_b__c')
    """
    stem = "".join(c if c.isalnum() or c in "+-._()" else "_" for c in name)
    return stem.lstrip(".") or "_"
