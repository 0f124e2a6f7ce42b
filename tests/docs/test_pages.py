"""The pages tell of everything that there is, and their links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from toksmith._core import boundaries, pretokenizers
from toksmith.recipes import RecipeSettings, compositions, known_encoders

_REPO = Path(__file__).resolve().parents[2]
_DOCS = _REPO / "docs"
_PAGES = [*_REPO.glob("*.md"), *_DOCS.rglob("*.md")]


def _text(page: str) -> str:
    return (_DOCS / page).read_text(encoding="utf-8")


def _first_cells(page: str) -> set[str]:
    """Names in backticks in the first column of the page's tables."""
    rows = re.findall(r"^\| (`.*?) \|", _text(page), re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


def _anchors(page: Path) -> set[str]:
    """Anchors of the headings, as a forge makes them."""
    headings = re.findall(r"^#+ (.*)", page.read_text(encoding="utf-8"), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: str(page.relative_to(_REPO)))
def test_links_lead_to_files_and_headings(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        assert file.exists(), target
        if anchor:
            assert anchor in _anchors(file), target


def test_every_setting_has_its_row() -> None:
    settings = RecipeSettings.__annotations__
    assert set(settings) <= _first_cells("stages.md")


def test_every_boundary_and_every_pretokenizer_has_its_row() -> None:
    cells = _first_cells("stages.md")
    assert set(boundaries()) <= cells
    assert set(pretokenizers()) <= cells


def test_every_method_and_every_encoder_is_on_a_page() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in _DOCS.rglob("*.md"))
    for name in (*compositions(), *known_encoders()):
        assert name in pages, name


def test_every_page_is_linked_from_the_index() -> None:
    index = _text("index.md")
    for page in _DOCS.rglob("*.md"):
        name = page.relative_to(_DOCS).as_posix()
        assert name == "index.md" or f"({name})" in index, name
