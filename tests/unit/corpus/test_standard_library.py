"""`corpus/standard_library.py`: the corpus that is on every machine with Python."""

from __future__ import annotations

import pytest

from toksmith.corpus import standard_library_split
from toksmith.corpus.standard_library import _is_test
from toksmith.errors import SettingsError


def test_a_module_is_wholly_on_one_side() -> None:
    train, test = (list(side) for side in standard_library_split())
    assert not {d.source for d in train} & {d.source for d in test}
    for document in train + test:
        assert document.source in (document.name.split("/")[0], document.name.removesuffix(".py"))
    assert train == sorted(train, key=lambda d: d.name)


def test_about_a_tenth_of_the_bytes_is_for_testing() -> None:
    train, test = (sum(len(d.data) for d in side) for side in standard_library_split())
    assert 0.07 < test / (train + test) < 0.13
    assert train > 5_000_000


def test_no_module_is_most_of_the_test_text() -> None:
    sizes: dict[str, int] = {}
    for document in standard_library_split()[1]:
        sizes[document.source] = sizes.get(document.source, 0) + len(document.data)
    assert len(sizes) > 15
    assert max(sizes.values()) < 0.15 * sum(sizes.values())
    assert "encodings" not in sizes


def test_no_document_is_there_twice() -> None:
    data = [d.data for side in standard_library_split() for d in side]
    assert len(data) == len(set(data))


def test_the_split_is_the_same_every_time_and_another_with_another_seed() -> None:
    assert [list(side) for side in standard_library_split()] == [
        list(side) for side in standard_library_split()
    ]
    assert list(standard_library_split(seed=1)[1]) != list(standard_library_split()[1])
    # Pinned: the side may not depend on machine, version or hash seed.
    assert [_is_test(name, 0, 0.1) for name in ("argparse", "xmlrpc", "asyncio", "json")] == [
        True,
        True,
        False,
        False,
    ]


def test_tests_tables_and_installed_packages_are_left_out() -> None:
    names = {d.name for side in standard_library_split() for d in side}
    parts = {part for name in names for part in name.split("/")}
    assert not parts & {"test", "tests", "idle_test", "site-packages", "__pycache__"}
    tables = {"pydoc_data/topics.py", "html/entities.py", "token.py"}
    encodings = {f"encodings/{name}.py" for name in ("big5", "cp1252", "iso8859_1", "koi8_r")}
    assert not names & (tables | encodings)
    assert not any(name.startswith(("_sysconfigdata", "config-")) for name in names)
    assert names >= {"encodings/utf_16.py", "argparse.py", "json/decoder.py", "html/parser.py"}


@pytest.mark.parametrize("share", [0, 1, -0.5, 2])
def test_an_impossible_share_is_refused(share: float) -> None:
    with pytest.raises(SettingsError, match="test_share"):
        standard_library_split(test_share=share)
