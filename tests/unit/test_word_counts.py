"""Word counts: their file, their sums, their bounds."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest

import toksmith as ts

MAX_COUNT = 2**64 - 1


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "words.tsv"
    ts.count_words(["low low\nlower", "a.b a\xa0b"], boundary="implicit-dual").save(path)
    return path


def test_counts_come_back_from_their_file(file: Path) -> None:
    counts = ts.count_words(["low low\nlower", "a.b a\xa0b"], boundary="implicit-dual")
    loaded = ts.WordCounts.load(file)
    assert loaded == counts
    assert loaded.content_hash == counts.content_hash
    assert loaded.num_documents == 2
    assert loaded.num_bytes == counts.num_bytes == 21
    assert loaded.total == counts.total == sum(count for _, count in counts.items())
    assert loaded.provenance == counts.provenance


def test_the_file_is_text_sorted_by_bytes_and_marks(file: Path) -> None:
    version, header, *rows = file.read_text(encoding="utf-8").splitlines()
    assert version == "# toksmith word-counts 1"
    assert header.startswith('# {"provenance":{')
    assert rows == [
        "1\t0a\t0\t1",
        "1\t2e\t1\t1",
        "0\t61\t0\t2",
        "0\t62\t0\t2",
        "0\t6c6f77\t0\t2",
        "0\t6c6f776572\t0\t1",
        "1\tc2a0\t1\t1",
    ]


def test_rows_may_stand_in_any_order(file: Path) -> None:
    counts = ts.WordCounts.load(file)
    version, header, *rows = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join([version, header, *reversed(rows)]), encoding="utf-8")
    assert ts.WordCounts.load(file) == counts


def test_saving_again_gives_the_same_bytes(file: Path, tmp_path: Path) -> None:
    ts.WordCounts.load(file).save(tmp_path / "again.tsv")
    assert (tmp_path / "again.tsv").read_bytes() == file.read_bytes()


ROW = "0\t6c6f77\t0\t2\n"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("", "four fields"),
        ("0", "four fields"),
        ("0\t6c6f77\t0", "four fields"),
        ("0\t6c6f77\t0\t2\t", "four fields"),
        ("0\t6c6f77\t0\t2\t3", "four fields"),
        ("0 6c6f77 0 2", "four fields"),
        ("2\t6c6f77\t0\t2", "mark"),
        ("\t6c6f77\t0\t2", "mark"),
        ("-1\t6c6f77\t0\t2", "mark"),
        ("0\t6c6f77\ttrue\t2", "mark"),
        ("0\tlow\t0\t2", "hex"),
        ("0\t6c6f7\t0\t2", "hex"),
        ("0\t6c 6f77\t0\t2", "hex"),
        ("0\té0\t0\t2", "hex"),
        ("0\t\t0\t2", "empty"),
        ("0\t6c6f78\t0\t0", "count is 0"),
        ("0\t6c6f78\t0\t-2", "64-bit"),
        ("0\t6c6f78\t0\t2.0", "64-bit"),
        ("0\t6c6f78\t0\t", "64-bit"),
        ("0\t6c6f78\t0\t 2", "64-bit"),
        ("0\t6c6f78\t0\t1e3", "64-bit"),
        (f"0\t6c6f78\t0\t{2**64}", "64-bit"),
        ("0\t6c6f78\t0\t" + "9" * 10_000, "64-bit"),
        ("0\t6c6f77\t0\t7", "twice"),
    ],
)
def test_a_malformed_row_is_refused_with_its_line(file: Path, row: str, message: str) -> None:
    content = file.read_text(encoding="utf-8")
    assert ROW in content
    file.write_text(content.replace(ROW, f"{ROW}{row}\n"), encoding="utf-8")
    with pytest.raises(ts.FormatError, match=f"line 8: .*{message}"):
        ts.WordCounts.load(file)


def test_marks_where_the_boundary_has_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "words.tsv"
    ts.count_words("low low").save(path)
    content = path.read_text(encoding="utf-8")
    path.write_text(content.replace("0\t6c6f77", "1\t6c6f77"), encoding="utf-8")
    with pytest.raises(ts.FormatError, match="mark that its boundary does not have"):
        ts.WordCounts.load(path)


def test_only_the_dual_boundary_has_trailing_marks(tmp_path: Path) -> None:
    # Such a word once reached the trainer, whose tables it then overran.
    path = tmp_path / "words.tsv"
    ts.count_words("a.b", boundary="implicit-single").save(path)
    content = path.read_text(encoding="utf-8")
    assert "1\t2e\t0" in content
    path.write_text(content.replace("1\t2e\t0", "1\t2e\t1"), encoding="utf-8")
    with pytest.raises(ts.FormatError, match="mark that its boundary does not have"):
        ts.WordCounts.load(path)


def test_a_count_is_written_in_digits_only(tmp_path: Path) -> None:
    path = tmp_path / "words.tsv"
    ts.count_words("low low").save(path)
    path.write_text(path.read_text(encoding="utf-8").replace("\t1\n", "\t+1\n"), encoding="utf-8")
    with pytest.raises(ts.FormatError, match="count"):
        ts.WordCounts.load(path)


DAMAGES: dict[str, Callable[[str], str]] = {
    "empty": lambda text: "",
    "another file": lambda text: "once upon a time\n",
    "no version": lambda text: text.replace(" 1\n", "\n", 1),
    "a version in words": lambda text: text.replace(" 1\n", " one\n", 1),
    "a version of the future": lambda text: text.replace(" 1\n", " 2\n", 1),
    "a huge version": lambda text: text.replace(" 1\n", f" {10**30}\n", 1),
    "no header": lambda text: text[: text.index("\n") + 1],
    "a header that is no JSON": lambda text: text.replace("# {", "# [", 1),
    "a nested header": lambda text: text.replace("# {", "# " + "[" * 100_000, 1),
    "an unknown field": lambda text: text.replace("# {", '# {"colour":1,', 1),
    "an unknown field of the provenance": lambda text: text.replace(
        '"provenance":{', '"provenance":{"colour":1,'
    ),
    "an unknown boundary": lambda text: text.replace("implicit-dual", "implicit-triple"),
    "a negative number of bytes": lambda text: text.replace('_bytes":', '_bytes":-'),
    "a huge number of bytes": lambda text: text.replace('_bytes":', '_bytes":1' + "0" * 40),
    "no rows' end": lambda text: text[:-1],
    "a row cut off": lambda text: text[:-4],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused(file: Path, damage: str) -> None:
    content = file.read_text(encoding="utf-8")
    damaged = DAMAGES[damage](content)
    assert damaged != content
    file.write_text(damaged, encoding="utf-8")
    with pytest.raises(ts.FormatError, match="word counts"):
        ts.WordCounts.load(file)


def test_a_file_that_is_not_utf8_is_refused_with_the_place(file: Path) -> None:
    file.write_bytes(file.read_bytes() + b"\xff\n")
    with pytest.raises(ts.FormatError, match=r"byte \d+: it is not UTF-8"):
        ts.WordCounts.load(file)


def test_a_file_cut_anywhere_is_refused_or_is_shorter_by_whole_rows(file: Path) -> None:
    content = file.read_bytes()
    counts = ts.WordCounts.load(file)
    for end in range(len(content)):
        file.write_bytes(content[:end])
        try:
            loaded = ts.WordCounts.load(file)
        except ts.FormatError:
            continue
        # Rows are data without a sum of their own: a file cut after a whole row cannot be told.
        assert content[end - 1 : end] == b"\n"
        assert set(loaded.items()) < set(counts.items())


def test_a_file_that_is_not_there_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        ts.WordCounts.load(tmp_path / "nothing.tsv")
    with pytest.raises(OSError, match="directory"):
        ts.WordCounts.load(tmp_path)
    with pytest.raises(OSError, match=r"No such file|directory"):
        ts.count_words("low").save(tmp_path / "no folder" / "words.tsv")


# Merging

WAYS: dict[str, Callable[[], ts.WordCounts]] = {
    "boundary": lambda: ts.count_words("low", boundary="implicit-dual"),
    "pretokenizer": lambda: ts.count_words("low", pretokenizer="gpt2"),
    "digits": lambda: ts.count_words("low", digits="single"),
    "whitespace": lambda: ts.count_words("low", whitespace="whole"),
    "unicode": lambda: ts.count_words("low", unicode="15.0"),
}


@pytest.mark.parametrize("field", WAYS)
def test_counts_made_in_another_way_are_refused_and_the_difference_is_named(field: str) -> None:
    counts, other = ts.count_words("low"), WAYS[field]()
    for one, two in ((counts, other), (other, counts)):
        with pytest.raises(ts.SettingsError, match=field):
            one.merge(two)


def test_merging_adds_counts_documents_and_bytes_and_changes_neither_side() -> None:
    one, two = ts.count_words(["low low", "new"]), ts.count_words("low")
    both = one.merge(two)
    assert {token.bytes: count for token, count in both.items()} == {
        b"low": 2,
        b" low": 1,
        b"new": 1,
    }
    assert (both.num_documents, both.num_bytes, both.total) == (3, 13, 4)
    assert (len(one), one.total, len(two), two.total) == (3, 3, 1, 1)
    with pytest.raises(TypeError):
        one.merge({"low": 1})  # type: ignore[arg-type]


# Bounds


def test_counts_that_32_bits_cannot_hold_train_right() -> None:
    huge = 5_000_000_000_000
    words = {"ab": huge, "bc": huge - 1, "cd": huge - 2, "abc": 1, "xy": 2**32, "yz": 2**32 + 1}
    counts = ts.WordCounts.from_dict(words)
    assert counts.total == sum(words.values())
    tok = ts.train("bpe", counts, vocab_size=266, min_pair_count=2**32)
    made = [tok.token(index).bytes for index in range(256, tok.vocab_size)]
    # ab counts huge + 1 with abc, bc then huge - 1; with 32 bits the order would be another.
    assert made == [b"ab", b"bc", b"cd", b"yz", b"xy"]


def test_pair_counts_of_62_bits_are_compared_right() -> None:
    # Neighbours that no float can tell apart.
    counts = ts.WordCounts.from_dict({"ab": 2**61, "cd": 2**61 + 1, "ef": 2**61 - 1})
    tok = ts.train("bpe", counts, vocab_size=259)
    assert [tok.token(index).bytes for index in (256, 257, 258)] == [b"cd", b"ab", b"ef"]


def test_counts_whose_pairs_exceed_64_bits_are_refused_with_both_numbers() -> None:
    counts = ts.WordCounts.from_dict({"ab": MAX_COUNT, "cd": MAX_COUNT})
    assert counts.total == 2 * MAX_COUNT
    with pytest.raises(ts.TrainingError, match=f"{4 * MAX_COUNT}.*{MAX_COUNT}"):
        ts.train("bpe", counts, vocab_size=258)


def test_a_sum_that_exceeds_64_bits_is_an_error_that_names_the_word() -> None:
    one, two = ts.WordCounts.from_dict({"low": MAX_COUNT}), ts.WordCounts.from_dict({"low": 1})
    with pytest.raises(ts.TrainingError, match=r"\"low\" exceeds 64 bits"):
        one.merge(two)
    other = ts.WordCounts.from_dict({"new": MAX_COUNT})
    assert one.merge(other).total == 2 * MAX_COUNT


@pytest.mark.parametrize("count", [0, -1, 2**64, 1.0, "1", None])
def test_a_count_that_cannot_be_is_refused_with_its_word(count: object) -> None:
    with pytest.raises(ts.CorpusError, match="'low'"):
        ts.WordCounts.from_dict({"low": count})  # type: ignore[arg-type]


def test_hand_made_counts_take_text_and_bytes() -> None:
    words: Any = {"é": 2, b"\xc3\xa9": 3, b"\xff": 1}
    counts = ts.WordCounts.from_dict(words)
    assert {token.bytes: count for token, count in counts.items()} == {b"\xc3\xa9": 5, b"\xff": 1}
    assert (counts.num_documents, counts.num_bytes) == (0, 0)
    with pytest.raises(ts.CorpusError, match="empty"):
        ts.WordCounts.from_dict({"": 1})
    with pytest.raises(ts.SettingsError, match=r"metaspaces.*space-prefix"):
        ts.WordCounts.from_dict({"low": 1}, boundary="metaspaces")


# Copies


def test_counts_can_be_pickled_copied_and_compared() -> None:
    counts = ts.count_words(["low low", "a.b"], boundary="implicit-dual")
    for other in (copy.copy(counts), copy.deepcopy(counts), pickle.loads(pickle.dumps(counts))):
        assert other == counts
        assert hash(other) == hash(counts)
    assert counts != ts.count_words(["low low", "a.b", ""], boundary="implicit-dual")
    assert counts != ts.count_words(["low low", "a.b"], boundary="implicit-single")
    assert counts != 3
    assert repr(counts) == "WordCounts(4 words, total 5, implicit-dual)"


def test_an_empty_corpus_has_counts_but_cannot_be_trained_on() -> None:
    counts = ts.count_words([])
    assert (len(counts), counts.total, counts.num_documents) == (0, 0, 0)
    assert counts.merge(ts.count_words("low")) == ts.count_words("low")
    with pytest.raises(ts.CorpusError, match="empty"):
        ts.train("bpe", counts, vocab_size=300)


@pytest.mark.parametrize(
    ("content", "order", "words"),
    [
        (b"low\t5\nnewer\t6\n", "word-first", {b"low": 5, b"newer": 6}),
        (b"low\t5\r\nnewer\t6", "word-first", {b"low": 5, b"newer": 6}),
        (b"low 5\nnewer 6\n", "word-first", {b"low": 5, b"newer": 6}),
        (b"a\tb\t5\n\xff \t6\n", "word-first", {b"a\tb": 5, b"\xff ": 6}),
        (b"low\t5\nlow\t6\n", "word-first", {b"low": 11}),
        (b"1\t2\n", "word-first", {b"1": 2}),
        (b"1\t2\n", "count-first", {b"2": 1}),
        (b"   5 low\n  16 a b\n", "count-first", {b"low": 5, b"a b": 16}),
        (b"low\t18446744073709551615\n", "word-first", {b"low": MAX_COUNT}),
        (b"", "word-first", {}),
    ],
)
def test_plain_lines_of_words_with_counts_are_read(
    tmp_path: Path,
    content: bytes,
    order: Literal["word-first", "count-first"],
    words: dict[bytes, int],
) -> None:
    path = tmp_path / "words.tsv"
    path.write_bytes(content)
    assert ts.WordCounts.from_tsv(path, order=order) == ts.WordCounts.from_dict(words)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"", "a line is a word, a tab, a count"),
        (b"low", "a line is a word, a tab, a count"),
        (b"\t5", "the word is empty"),
        (b"low\t0", "the count is 0"),
        (b"low\t", 'the count "" is not a 64-bit number'),
        (b"low\t-5", 'the count "-5" is not a 64-bit number'),
        (b"low\t+5", 'the count "\\+5" is not a 64-bit number'),
        (b"low\t5.0", 'the count "5.0" is not a 64-bit number'),
        (b"low\t18446744073709551616", "is not a 64-bit number"),
        (b"5\tlow", 'the count "low" is not a 64-bit number'),
        (b"new\t18446744073709551615", "add up to more than 64 bits"),
    ],
)
def test_a_plain_line_that_is_no_word_with_a_count_is_named(
    tmp_path: Path, line: bytes, message: str
) -> None:
    path = tmp_path / "words.tsv"
    path.write_bytes(b"new\t1\n" + line + b"\nlow\t1\n")
    with pytest.raises(ts.FormatError, match=f"words.tsv: .* at line 2: .*{message}"):
        ts.WordCounts.from_tsv(path)


def test_plain_lines_take_the_stages_of_words_and_refuse_the_files_own_form(file: Path) -> None:
    with pytest.raises(ts.FormatError, match="line 1: it is a file of word counts already"):
        ts.WordCounts.from_tsv(file)
    with pytest.raises(ts.SettingsError, match='unknown order "up"; known: word-first, count-f'):
        ts.WordCounts.from_tsv(file, order="up")  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        ts.WordCounts.from_tsv(file.with_name("gone.tsv"))
    file.write_bytes(b"low 5\n")
    stages: dict[str, Any] = {
        "boundary": "implicit-dual",
        "pretokenizer": "gpt2",
        "whitespace": "whole",
        "unicode": "14.0",
        "normalizer": "lowercase",
        "digits": "single",
    }
    assert ts.WordCounts.from_tsv(file, **stages) == ts.WordCounts.from_dict({"low": 5}, **stages)
