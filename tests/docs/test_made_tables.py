"""The tables on the pages are those that the code and the records have."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

TOOLS = Path(__file__).parents[2] / "tools"


def tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, TOOLS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_has_the_table_of_compositions() -> None:
    composition_table = tool("composition_table")
    page = composition_table.PAGE.read_text(encoding="utf-8")
    assert composition_table.BEGIN in page
    made = composition_table.page_with_table(page)
    assert page == made, "run python tools/composition_table.py"


def test_the_pages_have_the_tables_of_the_records() -> None:
    results_tables = tool("results_tables")
    for path in results_tables.PAGES:
        page = path.read_text(encoding="utf-8")
        assert "<!-- table methods code -->" in page
        made = results_tables.page_with_tables(page)
        assert page == made, "run python tools/results_tables.py"
