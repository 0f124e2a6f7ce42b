"""Reports: what a `Results` looks like in a terminal and as a page.

This room reads `toksmith.evaluate.results` and nothing else of the library: a report can be drawn
from a saved results file, without tokenizers or corpora.
"""

from toksmith.report.html import html_fragment, save_html, to_html
from toksmith.report.table import TextTable, text_table

__all__ = ["TextTable", "html_fragment", "save_html", "text_table", "to_html"]
