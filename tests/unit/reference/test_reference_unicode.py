"""The Unicode table as the plain-Python twins read it."""

import sys
import unicodedata

import pytest

from toksmith.reference.unicode import (
    WHITE_SPACE,
    category,
    character_class,
    is_printable,
    versions,
)


def test_versions_are_those_of_the_table_oldest_first() -> None:
    assert versions() == ("14.0", "15.0", "15.1", "16.0", "17.0", "18.0")


def test_white_space_has_25_code_points() -> None:
    assert len(WHITE_SPACE) == 25
    assert {i for i in range(0x110000) if chr(i).isspace()} - WHITE_SPACE == {*range(0x1C, 0x20)}


def test_code_points_are_unassigned_before_the_version_that_adds_them() -> None:
    assert [category(0x1C89, v) for v in versions()] == ["Cn", "Cn", "Cn", "Lu", "Lu", "Lu"]
    assert [category(0x0295, v) for v in versions()] == ["Ll", "Ll", "Ll", "Ll", "Lo", "Lo"]
    assert character_class(0x1C89, "15.1") == "O"
    assert character_class(0x1C89) == "L"


def test_an_unknown_version_is_refused_and_the_known_ones_are_named() -> None:
    with pytest.raises(ValueError, match=r"'13\.0'.*14\.0, 15\.0"):
        category(0x61, "13.0")


def test_the_running_pythons_version_agrees_with_its_own_module() -> None:
    version = unicodedata.unidata_version.removesuffix(".0")
    assert version in versions(), f"the table does not hold Unicode {version}"
    for code_point in range(0, sys.maxunicode + 1, 7):
        character = chr(code_point)
        assert category(code_point, version) == unicodedata.category(character)
        assert is_printable(code_point, version) == character.isprintable()
