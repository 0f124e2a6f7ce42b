"""The table of compositions on the page is the one that the code has."""

from __future__ import annotations

import importlib.util
from pathlib import Path

TOOL = Path(__file__).parents[2] / "tools" / "composition_table.py"


def test_the_page_has_the_table_of_the_code() -> None:
    spec = importlib.util.spec_from_file_location("composition_table", TOOL)
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    page = tool.PAGE.read_text(encoding="utf-8")
    assert tool.BEGIN in page
    assert page == tool.page_with_table(page), "run python tools/composition_table.py"
