"""The names at the top of the package, how cheap they are, and loading a file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import toksmith as ts


def _python(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.strip()


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = ("numpy", "typer", "rich", "pydantic", "altair", "jinja2", "toksmith._core")
    code = f"import sys, toksmith; print([name for name in {heavy!r} if name in sys.modules])"
    assert _python(code) == "[]"


def test_training_and_encoding_load_nothing_heavy() -> None:
    heavy = ("numpy", "typer", "rich", "pydantic", "altair", "jinja2")
    code = (
        "import sys, toksmith as ts; ts.BPE().train('low low', vocab_size=257).encode('low'); "
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    assert _python(code) == "[]"


@pytest.mark.parametrize("name", ts.__all__)
def test_every_public_name_can_be_had(name: str) -> None:
    assert getattr(ts, name) is not None
    assert name in dir(ts)


def test_the_public_names_and_the_table_of_their_homes_agree() -> None:
    homes = ts._HOMES
    rooms = ts._ROOMS
    assert ts.__all__ == [*homes, *rooms]


def test_only_public_names_are_listed() -> None:
    assert dir(ts) == sorted(ts.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'BPEE'"):
        ts.BPEE  # type: ignore[attr-defined]  # noqa: B018


@pytest.fixture
def tokenizer_file(tmp_path: Path) -> Path:
    path = tmp_path / "low.tok.json"
    ts.BPE().train("low low lower lowest", vocab_size=258).save(path)
    return path


def test_a_saved_tokenizer_loads_equal(tokenizer_file: Path) -> None:
    tokenizer = ts.load(tokenizer_file)
    assert tokenizer.to_json() == tokenizer_file.read_bytes()
    assert ts.load(str(tokenizer_file)) == tokenizer


def test_loading_what_is_not_there_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nothing\.json"):
        ts.load(tmp_path / "nothing.json")
    with pytest.raises(OSError, match=r"directory|denied"):
        ts.load(tmp_path)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[:-2],
        lambda data: data.replace(b"[108,", b"[109,", 1),
        lambda data: data.replace(b"space-prefix", b"implicit-dual"),
        lambda data: b"\xff" + data,
        lambda data: b"[]",
        lambda data: b"{}",
        lambda data: b'{"format": "something else"}',
        lambda data: b"plain text",
        lambda data: b"[" * 100_000,
    ],
)
def test_a_damaged_file_is_refused_and_named(tokenizer_file: Path, damage: object) -> None:
    data = tokenizer_file.read_bytes()
    damaged = damage(data)  # type: ignore[operator]
    assert damaged != data
    tokenizer_file.write_bytes(damaged)
    with pytest.raises(ts.FormatError, match=r"low\.tok\.json"):
        ts.load(tokenizer_file)


def test_a_file_of_word_counts_is_recognized(tmp_path: Path) -> None:
    path = tmp_path / "w.tsv"
    ts.count_words("low low").save(path)
    with pytest.raises(ts.FormatError) as caught:
        ts.load(path)
    assert str(caught.value) == f"{path}: this is a word-counts file: ts.WordCounts.load reads it"
