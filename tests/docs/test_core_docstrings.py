"""The examples in the docstrings of the compiled core run."""

from __future__ import annotations

import doctest
import inspect

import pytest

from toksmith import _core

CLASSES = [value for value in vars(_core).values() if inspect.isclass(value)]
DOCUMENTED = [
    *CLASSES,
    *(member for c in CLASSES for member in vars(c).values() if inspect.getdoc(member)),
    *(value for value in vars(_core).values() if inspect.isbuiltin(value)),
]


@pytest.mark.parametrize("item", DOCUMENTED, ids=lambda item: getattr(item, "__qualname__", "?"))
def test_the_examples_of_the_core_run(item: object) -> None:
    text = inspect.getdoc(item) or ""
    test = doctest.DocTestParser().get_doctest(text, {}, str(item), None, 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_the_methods_people_meet_first_have_examples() -> None:
    for name in ("encode", "decode", "encode_with_offsets", "decode_stream", "explain"):
        assert ">>>" in (inspect.getdoc(getattr(_core.Tokenizer, name)) or "")
