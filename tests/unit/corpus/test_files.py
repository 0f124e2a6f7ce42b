"""`corpus/files.py`, `unpack.py` and `index.py`: from paths to documents."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from toksmith.corpus import Corpus, Document, document_digest
from toksmith.errors import CorpusError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": zstd.compress,
}
# Long and not repetitive, so that packed files are cut in the middle of their data.
TEXT = b"\n".join(document_digest(str(number).encode()).hex().encode() for number in range(20_000))


def data(corpus: Corpus) -> list[bytes]:
    return [document.data for document in corpus]


def read(
    path: Path, separator: str | None = None, jsonl_field: str | None = None
) -> list[Document]:
    return list(Corpus.from_input(path, separator=separator, jsonl_field=jsonl_field))


def write(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    packer = PACKERS.get(path.suffix)
    path.write_bytes(packer(content) if packer else content)
    return path


# Single files


def test_a_file_is_one_document_however_many_lines_it_has(tmp_path: Path) -> None:
    text = b"\xef\xbb\xbfdef f():\r\n    pass\n\n\n\xff\x00"
    path = write(tmp_path / "a.py", text)
    assert read(path) == [Document(text, name=path.as_posix(), source=path.as_posix())]


@pytest.mark.parametrize("ending", PACKERS)
def test_compressed_files_are_unpacked_by_their_ending(tmp_path: Path, ending: str) -> None:
    assert [d.data for d in read(write(tmp_path / f"a.txt{ending}", TEXT))] == [TEXT]


@pytest.mark.parametrize("ending", PACKERS)
def test_packed_streams_one_after_another_are_read_to_the_end(tmp_path: Path, ending: str) -> None:
    pack = PACKERS[ending]
    path = tmp_path / f"a.txt{ending}"
    path.write_bytes(pack(b"one\n") + pack(b"") + pack(TEXT) + pack(b"two\n"))
    assert [d.data for d in read(path)] == [b"one\n" + TEXT + b"two\n"]


def test_padding_between_and_after_xz_streams_is_allowed_in_fours(tmp_path: Path) -> None:
    path = tmp_path / "a.xz"
    path.write_bytes(lzma.compress(b"a") + b"\0" * 8 + lzma.compress(b"b") + b"\0" * 4)
    assert [d.data for d in read(path)] == [b"ab"]
    path.write_bytes(lzma.compress(b"a") + b"\0" * 3)
    with pytest.raises(CorpusError, match="padding"):
        read(path)


@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.parametrize("damage", ["cut", "flipped", "plain", "empty", "tail"])
def test_a_damaged_compressed_file_is_named(tmp_path: Path, ending: str, damage: str) -> None:
    packed = PACKERS[ending](TEXT)
    if ending == ".zst" and damage == "flipped":
        # Without a checksum zstd cannot see a changed literal; the command line writes one.
        packed = zstd.compress(TEXT, options={zstd.CompressionParameter.checksum_flag: 1})
    middle = len(packed) // 2
    flipped = packed[:middle] + bytes([packed[middle] ^ 0x55]) + packed[middle + 1 :]
    path = tmp_path / f"a.txt{ending}"
    path.write_bytes(
        {
            "cut": packed[:-20],
            "flipped": flipped,
            "plain": TEXT,
            "empty": b"",
            "tail": packed + b"not a stream",
        }[damage]
    )
    with pytest.raises(CorpusError, match=rf"a\.txt\{ending} "):
        read(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    for wrong in (tmp_path / "none.txt", [tmp_path / "none.txt"]):
        with pytest.raises(FileNotFoundError, match=r"none\.txt"):
            Corpus.from_input(wrong)
    (tmp_path / "link").symlink_to(tmp_path / "none.txt")
    with pytest.raises(FileNotFoundError, match="link"):
        Corpus.from_input(tmp_path / "link")


def test_any_path_like_is_a_path(tmp_path: Path) -> None:
    class Like:
        def __fspath__(self) -> str:
            return str(write(tmp_path / "a.txt", b"a"))

    assert data(Corpus.from_input(Like())) == [b"a"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    import threading

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    corpus = Corpus.from_input(pipe)
    assert not corpus.reiterable
    writer = threading.Thread(target=pipe.write_bytes, args=(b"once",))
    writer.start()
    assert data(corpus) == [b"once"]
    writer.join()
    with pytest.raises(CorpusError, match="only once"):
        data(corpus)


def test_a_separator_cuts_files(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt.xz", b"one\n%%\ntwo\n%%\n%%\nthree")
    cut = read(path, separator="%%\n")
    assert [d.data for d in cut] == [b"one\n", b"two\n", b"three"]
    assert [d.name for d in cut] == [f"{path.as_posix()}#{n}" for n in (1, 2, 3)]
    assert {d.source for d in cut} == {path.as_posix()}


# JSON lines


@pytest.mark.parametrize("ending", ["", *PACKERS])
def test_json_lines_give_the_field_of_every_line(tmp_path: Path, ending: str) -> None:
    rows = [{"text": "a\nb"}, {"text": "é\u2028", "id": 3}, {"text": ""}]
    lines = "\n\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    path = write(tmp_path / f"rows.jsonl{ending}", b"\xef\xbb\xbf" + lines.encode())
    documents = read(path)
    assert [d.data for d in documents] == [b"a\nb", "é\u2028".encode(), b""]
    assert documents[1].name == f"{path.as_posix()}#3"


def test_json_lines_with_another_field(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.jsonl", b'{"body": "x", "text": "y"}\r\n')
    assert [d.data for d in read(path, jsonl_field="body")] == [b"x"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"body": "x", "id": 1}', r'no field "text"; the fields are "body", "id"'),
        (b"{}", r'no field "text"; the fields are none'),
        (b'{"text": null}', r'field "text" is a JSON null, not a string'),
        (b'{"text": ["x"]}', "JSON array"),
        (b'{"text": true}', "JSON boolean"),
        (b'{"text": 1.5}', "JSON number"),
        (b'["x"]', "a JSON array, but every line has to be an object"),
        (b'"x"', "a JSON string"),
        (b'{"text": "x"', "not JSON"),
        (b'{"text": "\xff"}', "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (rb'{"text": "ab\ud800"}', r"lone surrogate U\+D800 at character 2"),
    ],
)
def test_a_wrong_json_line_names_file_and_line(tmp_path: Path, line: bytes, message: str) -> None:
    path = write(tmp_path / "rows.jsonl", b'{"text": "good"}\n\n' + line + b"\n")
    with pytest.raises(CorpusError, match=rf"rows\.jsonl, line 3: .*{message}"):
        read(path)


# Indexes


@pytest.mark.parametrize("ending", ["", *PACKERS])
@pytest.mark.parametrize(
    "index", ["a.txt.index.tsv", "a.txt.index.tsv.xz", "a.index.tsv", "a.index.tsv.xz"]
)
def test_an_index_cuts_a_file_into_documents(tmp_path: Path, ending: str, index: str) -> None:
    path = write(tmp_path / f"a.txt{ending}", "né\nb\n\nsecond\n\n".encode())
    write(tmp_path / index, b"0\t6\tpypi:x-1\tx/a.py\n7\t7\tnovel y\tz\n")
    assert read(path) == [
        Document("né\nb\n", name="x/a.py", source="pypi:x-1"),
        Document("second\n", name="z", source="novel y"),
    ]


def test_an_index_may_leave_bytes_out_and_hold_large_and_empty_documents(tmp_path: Path) -> None:
    large = TEXT * 3
    path = write(tmp_path / "a.txt.xz", large + large)
    end = len(large)
    lines = [f"{end}\t0\ts\tempty", f"{end}\t{end - 1}\ts\tlarge", f"{2 * end - 1}\t1\ts\tone"]
    write(tmp_path / "a.txt.index.tsv", "\r\n".join(lines).encode())
    assert data(Corpus.from_input(path)) == [b"", large[:-1], large[-1:]]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("6\t5\ts\tn", "bytes 6 to 11 lie outside .*a.txt, which has 10 bytes"),
        ("11\t0\ts\tn", "bytes 11 to 11 lie outside"),
        ("5\t999999999999999999\ts\tn", "which has 10 bytes"),
        ("3\t1\ts\tn", "starts at byte 3, before byte 4"),
        ("-1\t1\ts\tn", "offset '-1' is not a number"),
        ("5\t1.0\ts\tn", "length '1.0' is not a number"),
        ("\uff15\t1\ts\tn", "offset '\uff15' is not a number"),
        ("9" * 10_000 + "\t1\ts\tn", "is not a number"),
        ("5\t1\tn", "3 columns, but an index has 4"),
        ("", "1 columns"),
        ("5\t1\ts\tn\tx", "5 columns"),
        ("5\t1\ts\t\udcff", "not UTF-8"),
    ],
)
def test_a_wrong_index_names_file_and_line(tmp_path: Path, line: str, message: str) -> None:
    path = write(tmp_path / "a.txt", b"0123456789")
    write(
        tmp_path / "a.txt.index.tsv.xz",
        b"0\t4\ts\tfirst\n" + line.encode(errors="surrogateescape") + b"\n",
    )
    with pytest.raises(CorpusError, match=rf"a\.txt\.index\.tsv\.xz, line 2: .*{message}"):
        read(path)


def test_an_empty_index_of_a_file_with_text_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", b"text")
    write(tmp_path / "a.txt.index.tsv", b"")
    with pytest.raises(CorpusError, match=r"a\.txt\.index\.tsv is empty, but .*a\.txt has 4"):
        read(path)
    write(path, b"")
    assert read(path) == []


def test_damage_behind_the_last_document_of_an_index_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.xz"
    path.write_bytes(lzma.compress(TEXT)[:-20])
    write(tmp_path / "a.txt.index.tsv", b"0\t4\ts\tfirst\n")
    with pytest.raises(CorpusError, match=r"a\.txt\.xz does not unpack"):
        read(path)


def test_an_index_without_txt_in_its_name_is_for_txt_files_only(tmp_path: Path) -> None:
    write(tmp_path / "a.index.tsv", b"0\t1\ts\tn\n")
    assert [d.data for d in read(write(tmp_path / "a.py", b"code"))] == [b"code"]
    assert [d.data for d in read(write(tmp_path / "a.txt", b"text"))] == [b"t"]


def test_an_index_that_is_named_itself_is_a_text(tmp_path: Path) -> None:
    path = write(tmp_path / "a.index.tsv", b"0\t1\ts\tn\n")
    assert [d.data for d in read(path)] == [b"0\t1\ts\tn\n"]


# Folders and patterns


def test_a_folder_is_walked_in_order_of_paths(tmp_path: Path) -> None:
    for name in ("b.txt", "a/z.py", "a.txt", "a/b/c.md.gz", "B.txt"):
        write(tmp_path / name, name.encode())
    corpus = Corpus.from_input(tmp_path)
    expected = ["B.txt", "a.txt", "a/b/c.md.gz", "a/z.py", "b.txt"]
    assert data(corpus) == [name.encode() for name in expected]
    assert [d.name for d in corpus] == [(tmp_path / name).as_posix() for name in expected]
    assert corpus.skipped == []


def test_a_folder_leaves_out_hidden_and_index_files(tmp_path: Path) -> None:
    write(tmp_path / ".hidden.txt", b"no")
    write(tmp_path / ".git" / "config", b"no")
    write(tmp_path / "a.txt.xz", b"one two")
    write(tmp_path / "a.txt.index.tsv.xz", b"0\t3\ts\tn1\n4\t3\ts\tn2\n")
    write(tmp_path / "rows.jsonl", b'{"text": "row"}')
    assert data(Corpus.from_input(tmp_path)) == [b"one", b"two", b"row"]


def test_a_hidden_folder_that_is_named_itself_is_walked(tmp_path: Path) -> None:
    write(tmp_path / ".hidden" / "a.txt", b"a")
    assert data(Corpus.from_input(tmp_path / ".hidden")) == [b"a"]


def test_binary_files_in_a_folder_are_left_out_and_counted(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", b"text")
    image = write(tmp_path / "image.png", b"\x89PNG\0\0")
    packed = write(tmp_path / "z.tar.xz", b"file" + b"\0" * 100)
    write(tmp_path / "late.txt", b"x" * 8192 + b"\0")
    (tmp_path / "link").symlink_to(tmp_path / "none")
    corpus = Corpus.from_input(tmp_path)
    for _ in range(2):
        assert data(corpus) == [b"text", b"x" * 8192 + b"\0"]
        assert [path for path, _ in corpus.skipped] == [image, tmp_path / "link", packed]
    assert "NUL byte" in dict(corpus.skipped)[image]
    assert data(Corpus.from_input([image, packed])) == [b"\x89PNG\0\0", b"file" + b"\0" * 100]


def test_a_folder_without_text_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    with pytest.raises(CorpusError, match=r"no readable text file in .*pictures"):
        Corpus.from_input(folder)
    write(folder / "a.png", b"\0")
    with pytest.raises(CorpusError, match=r"pictures; 1 left out, the first .*a\.png \(binary"):
        Corpus.from_input(folder)


def test_a_pattern_is_expanded_in_order_of_paths(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "c.md", "d/e.txt", "d/f.md", ".h.txt"):
        write(tmp_path / name, name.encode())
    assert data(Corpus.from_input(tmp_path / "*.txt")) == [b"a.txt", b"b.txt"]
    assert data(Corpus.from_input(tmp_path / "[bc].*")) == [b"b.txt", b"c.md"]
    assert data(Corpus.from_input(tmp_path / "**" / "*.txt")) == [b"a.txt", b"b.txt", b"d/e.txt"]
    everything = [b"a.txt", b"b.txt", b"c.md", b"d/e.txt", b"d/f.md"]
    assert data(Corpus.from_input(tmp_path / "*")) == everything
    assert data(Corpus.from_input(tmp_path / "**")) == everything


def test_a_pattern_leaves_out_index_files(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", b"onetwo")
    write(tmp_path / "a.txt.index.tsv", b"0\t3\ts\tn\n3\t3\ts\tn\n")
    assert data(Corpus.from_input(tmp_path / "a.*")) == [b"one", b"two"]


def test_a_file_whose_name_has_glob_characters_is_itself(tmp_path: Path) -> None:
    write(tmp_path / "a[1].txt", b"bracket")
    write(tmp_path / "a1.txt", b"one")
    assert data(Corpus.from_input(tmp_path / "a[1].txt")) == [b"bracket"]


def test_a_pattern_that_matches_nothing_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"No file matches the pattern: .*\*\.none"):
        Corpus.from_input(tmp_path / "*.none")


# The shared data


@pytest.mark.parametrize("name", ["code/python.test.txt.xz", "prose/english.test.txt.xz"])
def test_shared_corpora_are_cut_by_their_index(shared_data: Path, name: str) -> None:
    path = shared_data / name
    documents = list(Corpus.from_input(path))
    index = lzma.decompress((path.parent / path.name.replace(".xz", ".index.tsv.xz")).read_bytes())
    assert len(documents) == index.count(b"\n")
    # One empty line stands between documents: one newline that belongs to none.
    assert (
        b"\n".join(d.data for d in documents).strip() == lzma.decompress(path.read_bytes()).strip()
    )
    assert all(d.name and d.source for d in documents)


def test_a_shared_file_without_index_is_one_document(shared_data: Path) -> None:
    assert len(list(Corpus.from_input(shared_data / "prose" / "wikitext2.test.txt.xz"))) == 1


def test_a_separator_beside_an_index_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(b"one|two")
    index = tmp_path / "a.index.tsv"
    index.write_text("0\t7\tbook\tall\n")
    with pytest.raises(CorpusError, match="separator") as caught:
        list(Corpus(file, separator="|"))
    assert str(file) in str(caught.value)
    assert str(index) in str(caught.value)
    assert [document.data for document in Corpus(file)] == [b"one|two"]


def test_compiled_python_is_left_out_without_being_counted(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.pyc").write_bytes(b"\0")
    corpus = Corpus(tmp_path)
    assert len(list(corpus)) == 1
    assert corpus.skipped == []


def test_a_folder_without_text_is_named_by_its_path_alone(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"^no readable text file in "):
        Corpus([tmp_path])


def test_a_broken_json_line_is_placed_once(tmp_path: Path) -> None:
    file = tmp_path / "y.jsonl"
    file.write_text('{"text": "a"}\n{oops\n')
    with pytest.raises(CorpusError) as caught:
        list(Corpus(file))
    assert str(caught.value).startswith(f"{file}, line 2: not JSON: ")
    assert "line 1" not in str(caught.value)
    assert str(caught.value).endswith(" at column 2")


def test_a_missing_field_is_said_for_python_and_for_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "y.jsonl"
    file.write_text('{"body": "a"}\n')
    with pytest.raises(CorpusError, match=r"jsonl_field \(--jsonl-field\)"):
        list(Corpus(file))
