"""`corpus/stream.py`: what may be a corpus, and how it is walked."""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import pytest

from toksmith.corpus import Corpus, Document
from toksmith.corpus.stream import CorpusItem
from toksmith.errors import CorpusError, SettingsError


def data(corpus: Corpus) -> list[bytes]:
    return [document.data for document in corpus]


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts that name files are refused, so what lies in the current folder matters."""
    monkeypatch.chdir(tmp_path)


def test_a_str_or_bytes_is_one_document() -> None:
    assert data(Corpus.from_input("a\nb\n")) == [b"a\nb\n"]
    assert data(Corpus.from_input(b"\xff\n\x00")) == [b"\xff\n\x00"]
    assert data(Corpus.from_input(bytearray(b"ab"))) == [b"ab"]
    assert data(Corpus.from_input("")) == [b""]


def test_a_document_keeps_its_labels() -> None:
    document = Document("a", "n", "s")
    assert list(Corpus.from_input(document)) == [document]
    assert list(Corpus.from_input([document, document])) == [document, document]


def test_an_iterable_may_mix_all_kinds(tmp_path: Path) -> None:
    (tmp_path / "f.txt").write_bytes(b"file\n")
    items: list[CorpusItem] = ["text", b"bytes", Document("doc"), Path("f.txt")]
    expected = [b"text", b"bytes", b"doc", b"file\n"]
    assert data(Corpus.from_input(items)) == expected
    assert data(Corpus.from_input(tuple(items))) == expected
    assert data(Corpus.from_input(deque(items))) == expected
    assert data(Corpus.from_input(item for item in items)) == expected
    assert data(Corpus.from_input([])) == []


def test_a_corpus_is_returned_as_it_is_and_takes_no_further_settings() -> None:
    corpus = Corpus.from_input(["a"])
    assert Corpus.from_input(corpus) is corpus
    assert data(Corpus(corpus)) == [b"a"]
    with pytest.raises(SettingsError, match="is a Corpus already"):
        Corpus.from_input(corpus, separator="x")


def test_a_list_is_walked_as_often_as_one_likes() -> None:
    items = ["a", "b"]
    corpus = Corpus.from_input(items)
    items.append("c")
    assert corpus.reiterable
    assert data(corpus) == data(corpus) == [b"a", b"b"]


def test_a_generator_is_walked_once() -> None:
    corpus = Corpus.from_input(text for text in ["a", "b"])
    assert not corpus.reiterable
    assert data(corpus) == [b"a", b"b"]
    with pytest.raises(CorpusError, match=r"generator, which can be walked only once"):
        data(corpus)
    with pytest.raises(CorpusError, match="only once"):
        data(corpus.lines())


def test_a_class_that_makes_new_iterators_is_walked_again() -> None:
    class Rows:
        def __iter__(self) -> Iterator[str]:
            return iter(["a"])

    class Indexed:
        def __getitem__(self, index: int) -> str:
            return ["a", "b"][index]

    corpus = Corpus.from_input(Rows())
    assert data(corpus) == data(corpus) == [b"a"]
    assert data(Corpus.from_input(Indexed())) == [b"a", b"b"]  # type: ignore[arg-type]


def test_a_text_that_names_a_file_is_a_type_error(tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_bytes(b"x")
    advice = r"pass `Path\(...\)` to read it, or `ts.Document\(...\)`"
    with pytest.raises(TypeError, match=f"'corpus.txt' is the name of an existing file: {advice}"):
        Corpus.from_input("corpus.txt")
    with pytest.raises(TypeError, match=f"document 1 'corpus.txt' .*{advice}"):
        Corpus.from_input(["a", "corpus.txt"])
    with pytest.raises(TypeError, match="document 1 "):
        data(Corpus.from_input(text for text in ["a", str(tmp_path / "corpus.txt")]))
    assert data(Corpus.from_input(Document("corpus.txt"))) == [b"corpus.txt"]
    assert data(Corpus.from_input(b"corpus.txt")) == [b"corpus.txt"]
    assert data(Corpus.from_input("corpus.txt\n")) == [b"corpus.txt\n"]


def test_a_text_that_names_a_folder_is_a_type_error_but_a_lone_word_in_a_list_is_not(
    tmp_path: Path,
) -> None:
    (tmp_path / "words" / "in").mkdir(parents=True)
    for text in ("words", "words/in", "."):
        with pytest.raises(TypeError, match="existing folder"):
            Corpus.from_input(text)
    with pytest.raises(TypeError, match="existing folder"):
        Corpus.from_input(["words/in"])
    assert data(Corpus.from_input(["words", ".", "/"])) == [b"words", b".", b"/"]


@pytest.mark.parametrize("text", ["a\0b", "x" * 5000, "x" * 500, "/" * 900, "\x7f", "no/such/file"])
def test_texts_that_no_path_can_be_are_texts(text: str) -> None:
    if set(text) == {"/"}:
        assert data(Corpus.from_input([Document(text)])) == [text.encode()]
    else:
        assert data(Corpus.from_input(text)) == data(Corpus.from_input([text])) == [text.encode()]


def test_a_lone_surrogate_names_document_and_position() -> None:
    with pytest.raises(CorpusError, match=r"document 1: .* U\+DFFF at character 2"):
        Corpus.from_input(["a", "bc\udfff"])
    with pytest.raises(CorpusError, match=r"U\+DFFF at character 0"):
        Corpus.from_input("\udfff")


def test_a_wrong_kind_deep_in_an_iterator_is_named_with_its_place() -> None:
    items: list[object] = ["a"] * 17 + [None]
    with pytest.raises(CorpusError, match="document 17 is NoneType; a document is a str, bytes"):
        Corpus.from_input(items)  # type: ignore[arg-type]
    with pytest.raises(CorpusError, match="document 17 is NoneType"):
        data(Corpus.from_input(iter(items)))  # type: ignore[arg-type]
    with pytest.raises(CorpusError, match=r'document 0 is dict; .*\(row\["text"\] for row in rows'):
        Corpus.from_input([{"text": "a"}])  # type: ignore[list-item]
    with pytest.raises(CorpusError, match="document 0 is list"):
        Corpus.from_input([["a"]])  # type: ignore[list-item]


@pytest.mark.parametrize("wrong", [None, 5, 1.5, {"text": "a"}, object(), str])
def test_a_wrong_kind_at_the_top_lists_what_is_accepted(wrong: object) -> None:
    with pytest.raises(
        CorpusError, match=rf"the input is {type(wrong).__name__}; .*Path.*iterable"
    ):
        Corpus.from_input(wrong)  # type: ignore[arg-type]


def test_what_would_be_walked_wrongly_is_refused(tmp_path: Path) -> None:
    class Table(dict[str, list[str]]):
        columns = ("text",)

    with pytest.raises(CorpusError, match=r"open file, .* line by line"):
        Corpus.from_input(io.StringIO("a\nb\n"))
    with pytest.raises(CorpusError, match=r"set, whose order differs .* sorted"):
        Corpus.from_input({"a", "b"})
    with pytest.raises(CorpusError, match=r"table \(Table\); pass the column"):
        Corpus.from_input(Table(text=["a"]))
    assert data(Corpus.from_input({"b": 1, "a": 2}.keys())) == [b"b", b"a"]


def test_a_separator_cuts_texts_and_belongs_to_no_document() -> None:
    assert data(Corpus.from_input("a--b----c--", separator="--")) == [b"a", b"b", b"c"]
    assert data(Corpus.from_input(["a|b", b"c|d"], separator=b"|")) == [b"a", b"b", b"c", b"d"]
    assert data(Corpus.from_input("aéb", separator="é")) == [b"a", b"b"]
    assert data(Corpus.from_input([Document("a|b")], separator="|")) == [b"a|b"]


def test_impossible_settings_are_refused() -> None:
    for separator in ("", b""):
        with pytest.raises(SettingsError, match="separator is empty"):
            Corpus.from_input("a", separator=separator)
    with pytest.raises(SettingsError, match="separator is int"):
        Corpus.from_input("a", separator=5)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="jsonl_field is int"):
        Corpus.from_input("a", jsonl_field=5)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="max_bytes is 0"):
        Corpus.from_input("a").batches(0)


def test_batches_keep_order_and_bounds() -> None:
    corpus = Corpus.from_input(["aaa", "", "b", "cccccc", "d"])
    assert list(corpus.batches(max_bytes=4)) == [[b"aaa", b"", b"b"], [b"cccccc"], [b"d"]]
    assert list(corpus.batches()) == [[b"aaa", b"", b"b", b"cccccc", b"d"]]
    assert list(Corpus.from_input([]).batches()) == []


def test_lines_end_after_newline_only_and_keep_every_byte() -> None:
    text = b"if x:\n\ty\r\n\rz\x85\x0b\n\nlast"
    lines = list(Corpus.from_input([Document(text, "n", "s"), Document("")]).lines())
    assert [line.data for line in lines] == [
        b"if x:\n",
        b"\ty\r\n",
        b"\rz\x85\x0b\n",
        b"\n",
        b"last",
    ]
    assert b"".join(line.data for line in lines) == text
    assert {(line.name, line.source) for line in lines} == {("n", "s")}


def test_require_nonempty_raises_at_the_end_of_an_empty_walk() -> None:
    assert data(Corpus.from_input(["", "a"]).require_nonempty()) == [b"", b"a"]
    with pytest.raises(CorpusError, match="empty: 0 documents, 0 bytes"):
        data(Corpus.from_input([]).require_nonempty())
    with pytest.raises(CorpusError, match="empty: 2 documents, 0 bytes"):
        data(Corpus.from_input(iter(["", ""])).require_nonempty())
