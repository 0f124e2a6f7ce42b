"""The tree is the architecture: a room imports only rooms before it, in Rust and in Python."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]
CORE = REPO / "crates" / "toksmith-core"
PACKAGE = REPO / "python" / "toksmith"

# Rust

#: The rooms of the core in the order of the data. A room may use those before it.
RUST_ROOMS = (
    "types",
    "error",
    "control",
    "random",
    "artifact",
    "vocab",
    "alphabet",
    "model",
    "normalize",
    "pretokenize",
    "special",
    "boundary",
    "display",
    "count",
    "train",
    "trie",
    "lattice",
    "encode",
    "decode",
    "post",
    "pipeline",
    "tokenizer",
    "explain",
    "file",
    "format",
)
#: What a room may not use although it stands before it: what the room is not to know.
RUST_FORBIDDEN = {
    "error": {"control", "alphabet", "artifact", "vocab", "model"},
    "pretokenize": {"vocab", "model", "alphabet"},
    "boundary": {"vocab", "model", "alphabet"},
    "count": {"vocab", "model", "alphabet"},
    "train": {"pretokenize", "encode", "special", "normalize", "boundary", "artifact"},
    "trie": {"pretokenize", "boundary", "count", "train", "normalize", "artifact", "display"},
    "lattice": {"pretokenize", "boundary", "count", "train", "trie", "normalize", "model", "vocab"},
    "encode": {"pretokenize", "boundary", "count", "special", "train", "normalize", "artifact"},
    "special": {"boundary", "count", "train", "encode", "model", "vocab"},
    "decode": {"pretokenize", "count", "train", "encode", "normalize", "artifact"},
    # Ids, special tokens and spans; neither a text nor a model.
    "post": set(RUST_ROOMS) - {"types", "error", "special"},
    # A tokenizer's parts and one foreign file.
    "format": {"train", "trie", "lattice", "encode", "decode", "post", "pipeline", "explain"},
}
#: Names that lib.rs gives out again, and their rooms.
RUST_REEXPORTS = {"Error": "error", "Result": "error", "Tokenizer": "tokenizer"}


def rust_room(path: Path) -> str:
    return path.relative_to(CORE / "src").parts[0].removesuffix(".rs")


def rust_code(text: str) -> str:
    """Rust without comments and without the tests at the end of a file, which may use anything."""
    text = re.split(r"^\s*#\[cfg\(test\)\]\s*\n\s*mod tests", text, maxsplit=1, flags=re.MULTILINE)[
        0
    ]
    return re.sub(r"//.*", "", text)


def rust_uses(code: str) -> set[str]:
    """The first names after `crate::`, also in braces."""
    names = set(re.findall(r"\bcrate::(\w+)", code))
    for group in re.findall(r"\bcrate::\{((?:[^{}]|\{[^{}]*\})*)\}", code):
        names.update(re.findall(r"(?:^|,)\s*(\w+)", re.sub(r"\{[^{}]*\}", "", group)))
    return {RUST_REEXPORTS.get(name, name) for name in names}


def backward_rust_uses(path: Path, text: str) -> set[str]:
    room = rust_room(path)
    if room == "lib":
        return set()
    earlier = set(RUST_ROOMS[: RUST_ROOMS.index(room)]) - RUST_FORBIDDEN.get(room, set())
    return rust_uses(rust_code(text)) - earlier - {room}


RUST_FILES = sorted((CORE / "src").rglob("*.rs"))


def test_every_room_of_the_core_is_in_the_order() -> None:
    assert {rust_room(path) for path in RUST_FILES} - {"lib"} == set(RUST_ROOMS)


@pytest.mark.parametrize("path", RUST_FILES, ids=lambda path: str(path.relative_to(CORE / "src")))
def test_a_room_of_the_core_uses_only_rooms_before_it(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert backward_rust_uses(path, text) == set()
    # `super` may not be a way round: from a room's own file it leads to the root of the crate.
    inside = path.relative_to(CORE / "src").parts[1:]
    depth = len(inside) - (inside[-1:] == ("mod.rs",))
    assert "super::" * (depth + 1) not in re.sub(r"\s", "", rust_code(text))


@pytest.mark.parametrize(
    ("file", "text", "backward"),
    [
        ("train/bpe.rs", "use crate::encode::Encoder;", {"encode"}),
        ("train/bpe.rs", "use crate::{count::WordCounts, special::{A, B}, Error};", {"special"}),
        ("encode/mod.rs", "fn f(x: crate::count::WordCounts) {}", {"count"}),
        ("vocab.rs", "use crate::Tokenizer;", {"tokenizer"}),
        ("error.rs", "use crate::model::Model;", {"model"}),
        ("train/bpe.rs", "// crate::encode\nuse crate::model::Model;", set()),
        ("train/bpe.rs", "#[cfg(test)]\nmod tests {\n use crate::encode::Encoder;\n}", set()),
        ("tokenizer.rs", "use crate::pipeline::Stages;", set()),
    ],
)
def test_a_backward_use_would_be_found(file: str, text: str, backward: set[str]) -> None:
    assert backward_rust_uses(CORE / "src" / file, text) == backward


def test_the_core_knows_nothing_of_python() -> None:
    files = [*RUST_FILES, CORE / "Cargo.toml", *(CORE / "tests").rglob("*.rs")]
    assert [path for path in files if "pyo3" in path.read_text(encoding="utf-8").lower()] == []


def test_the_core_prints_nothing() -> None:
    printing = re.compile(r"\b(?:e?print(?:ln)?|dbg)!")
    found = [path for path in RUST_FILES if printing.search(rust_code(path.read_text("utf-8")))]
    assert found == []


# Python

#: The rooms of the package in the order of the data; rooms of one line do not know each other.
PYTHON_ROOMS = (
    ("_core",),
    ("errors",),
    ("corpus",),
    ("recipes",),
    ("training", "loading"),
    ("trainers",),
    ("evaluate", "tracing"),
    ("report",),
    ("comparison",),
    ("cli",),
    ("__init__", "__main__"),
)
#: All that these rooms may import of the package, beside themselves.
PYTHON_ALLOWED = {
    "reference": {"toksmith._core.unicode_table"},
    # The one room that runs the twins.
    "tracing": {
        "toksmith._core.WordCounts",
        "toksmith.errors",
        "toksmith.recipes.did_you_mean",
        "toksmith.reference",
    },
    "report": {
        "toksmith._core.write_atomically",
        "toksmith.errors",
        "toksmith.evaluate.results",
        "toksmith.evaluate.wording",
    },
    "evaluate": {"toksmith._core", "toksmith.errors", "toksmith.corpus"},
    "recipes": {
        "toksmith._core.digit_rules",
        "toksmith._core.normalizer_steps",
        "toksmith._core.pretokenizers",
        "toksmith.errors",
    },
}


def python_room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py").removesuffix(".pyi")


def python_imports(tree: ast.Module) -> Iterator[str]:
    """Full names of what is imported of the package, anywhere: in functions and for typing too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute here, so that they can be read"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def backward_python_imports(path: Path, text: str) -> set[str]:
    room = python_room(path)
    found = set()
    for name in python_imports(ast.parse(text)):
        parts = name.split(".")
        if parts[0] != "toksmith" or parts[1:2] == [room]:
            continue
        if room in PYTHON_ALLOWED:
            allowed = any(f"{name}.".startswith(f"{one}.") for one in PYTHON_ALLOWED[room])
        elif room == "cli" and name == "toksmith.__version__":
            allowed = True
        else:
            line = next(index for index, rooms in enumerate(PYTHON_ROOMS) if room in rooms)
            earlier = {one for rooms in PYTHON_ROOMS[:line] for one in rooms}
            allowed = len(parts) > 1 and parts[1] in earlier
        if not allowed:
            found.add(name)
    return found


PYTHON_FILES = sorted(PACKAGE.rglob("*.py"))


def test_every_room_of_the_package_is_in_the_order() -> None:
    rooms = {python_room(path) for path in PYTHON_FILES} | {"_core"}
    assert rooms == {room for line in PYTHON_ROOMS for room in line} | {"reference"}


@pytest.mark.parametrize("path", PYTHON_FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_room_of_the_package_imports_only_rooms_before_it(path: Path) -> None:
    assert backward_python_imports(path, path.read_text(encoding="utf-8")) == set()


@pytest.mark.parametrize(
    ("file", "text", "backward"),
    [
        ("errors.py", "from toksmith.corpus import Corpus", {"toksmith.corpus.Corpus"}),
        ("loading.py", "import toksmith.training", {"toksmith.training"}),
        ("evaluate/words.py", "from toksmith import training", {"toksmith.training"}),
        (
            "report/html.py",
            "def f():\n    from toksmith.evaluate.words import measure_savings",
            {"toksmith.evaluate.words.measure_savings"},
        ),
        ("report/html.py", "from toksmith._core import Tokenizer", {"toksmith._core.Tokenizer"}),
        ("reference/bpe.py", "from toksmith._core import train", {"toksmith._core.train"}),
        ("training.py", "import toksmith as ts", {"toksmith"}),
        ("training.py", "import numpy\nfrom toksmith.corpus import Corpus", set()),
    ],
)
def test_a_backward_import_would_be_found(file: str, text: str, backward: set[str]) -> None:
    assert backward_python_imports(PACKAGE / file, text) == backward


def test_import_linter_agrees() -> None:
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    result = subprocess.run(
        [sys.executable, "-c", code, "--no-cache"],
        cwd=REPO,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_twin_has_an_example_that_is_run() -> None:
    for path in (PACKAGE / "reference").glob("*.py"):
        if path.name == "__init__.py":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        nodes = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        docstrings = [ast.get_docstring(node) or "" for node in nodes]
        assert any(">>> " in docstring for docstring in docstrings), path.name


def test_there_is_no_room_for_leftovers() -> None:
    leftovers = {"util", "utils", "helper", "helpers", "common", "misc", "shared"}
    folders = [CORE / "src", REPO / "crates" / "toksmith-py" / "src", PACKAGE]
    names = [path for folder in folders for path in folder.rglob("*") if path.stem in leftovers]
    assert names == []


def test_the_stub_of_the_core_is_that_of_the_built_module(tmp_path: Path) -> None:
    # Only the stub is read: the rest of the package, with all it imports, takes 20 seconds more
    # and is checked by mypy in `make check`.
    config = tmp_path / "stubtest.ini"
    config.write_text("[mypy]\nmypy_path = python\nfollow_imports = skip\n")
    result = subprocess.run(
        [
            *(sys.executable, "-m", "mypy.stubtest", "toksmith._core"),
            *("--mypy-config-file", str(config)),
        ],
        cwd=REPO,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
