"""`corpus/document.py` and `errors.py`: one document, and the exceptions."""

from __future__ import annotations

import copy
import pickle

import pytest

from toksmith import errors
from toksmith.corpus import Document, document_digest


def test_text_becomes_utf8_and_bytes_stay_as_they_are() -> None:
    assert Document("é\u2581").data == b"\xc3\xa9\xe2\x96\x81"
    assert Document(b"\xff\x00").data == b"\xff\x00"
    assert Document(bytearray(b"ab")).data == b"ab"
    assert type(Document(memoryview(b"ab")).data) is bytes


def test_labels_are_empty_unless_given() -> None:
    assert (Document("a").name, Document("a").source) == ("", "")
    labelled = Document("a", "n", "s")
    assert (labelled.name, labelled.source) == ("n", "s")


def test_a_lone_surrogate_is_refused_with_its_position() -> None:
    with pytest.raises(errors.CorpusError, match=r"U\+D800 at character 3"):
        Document("abc\ud800")


@pytest.mark.parametrize("wrong", [None, 5, ["a"], {"a": 1}])
def test_other_kinds_are_refused(wrong: object) -> None:
    with pytest.raises(errors.CorpusError, match=type(wrong).__name__):
        Document(wrong)  # type: ignore[arg-type]


def test_a_document_is_frozen_hashable_and_can_be_copied() -> None:
    document = Document("a", "n", "s")
    with pytest.raises(AttributeError):
        document.data = b""  # type: ignore[misc]
    assert hash(document) == hash(Document(b"a", "n", "s"))
    assert pickle.loads(pickle.dumps(document)) == document
    assert copy.deepcopy(document) == document


def test_digests_are_16_bytes_and_differ_by_a_space() -> None:
    assert len(document_digest(b"")) == 16
    assert document_digest(b"a b") == document_digest(b"a b")
    assert document_digest(b"a b") != document_digest(b"a  b")


def test_every_error_is_also_the_builtin_a_caller_would_catch() -> None:
    for name in errors.__all__:
        error = getattr(errors, name)
        assert issubclass(error, errors.ToksmithError)
        assert error.__doc__
        if error is not errors.ToksmithError:
            assert issubclass(error, ValueError)
    assert issubclass(errors.UnknownTokenIdError, KeyError)
    assert str(errors.UnknownTokenIdError("token id 9 is unknown")) == "token id 9 is unknown"
