"""What goes wrong on the command line: one line, the right exit code, no traceback, no output."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[bytes]]


def _explained(process: subprocess.CompletedProcess[bytes], *named: str) -> None:
    stderr = process.stderr.decode()
    assert process.returncode == 1, stderr
    assert process.stdout == b""
    assert stderr.startswith("toksmith: error: "), stderr
    assert stderr.count("\n") == 1, stderr
    assert "Traceback" not in stderr
    for word in named:
        assert word in stderr


def test_an_unknown_recipe(run: Run, text_file: Path) -> None:
    process = run("train", "bpf", "text.txt", "--vocab-size", "300", "-o", "out.json")
    _explained(process, "'bpf'", "bpe+longest-first", "isbpe-dual")
    assert os.listdir() == ["text.txt"]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--pretokenizer", "("),
        ("--whitespace", "some"),
        ("--unicode", "1.0"),
        ("--normalizer", "nfx"),
        ("--normalizer", '{"type": "bert", "lower": true}'),
        ("--normalizer", '{"type": '),
        ("--vocab-size", "200"),
        ("--vocab-size", "-5"),
    ],
)
def test_a_setting_that_cannot_be(run: Run, text_file: Path, option: str, value: str) -> None:
    arguments = ["train", "bpe", "text.txt", "--vocab-size", "300", "-o", "out.json"]
    _explained(run(*arguments, option, value), value if value[0] != "{" else option[2:])
    assert os.listdir() == ["text.txt"]


def test_a_setting_that_is_given_twice(run: Run, text_file: Path) -> None:
    arguments = ["train", "bpe", "text.txt", "--vocab-size", "300", "-o", "out.json"]
    process = run(*arguments, "--digits", "single", "--set", "digits=left-2")
    _explained(process, "digits is given twice", "--set")


def test_a_vocabulary_below_the_alphabet(run: Run, text_file: Path) -> None:
    process = run("train", "isbpe-dual", "text.txt", "--vocab-size", "1000", "-o", "out.json")
    _explained(process, "1000", "1024")


def test_an_empty_corpus(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    process = run("train", "bpe", "empty.txt", "--vocab-size", "300", "-o", "out.json")
    _explained(process, "1 document", "0 bytes")


def test_a_missing_file(run: Run) -> None:
    _explained(run("train", "bpe", "gone.txt", "--vocab-size", "300", "-o", "o"), "gone.txt")
    _explained(run("encode", "gone.json"), "gone.json")
    _explained(run("merge", "gone.tsv", "-o", "o"), "gone.tsv")
    assert os.listdir() == []


def test_a_folder_without_text(run: Run, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "binary").write_bytes(b"\0\1\2")
    process = run("train", "bpe", "folder", "--vocab-size", "300", "-o", "out.json")
    _explained(process, "folder")


def test_a_folder_where_a_tokenizer_is_expected(run: Run, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    _explained(run("encode", "folder"), "folder")


@pytest.mark.parametrize("kept", [0.0, 0.5, 0.999])
def test_a_tokenizer_file_that_was_cut(run: Run, tokenizer_file: Path, kept: float) -> None:
    data = tokenizer_file.read_bytes()
    tokenizer_file.write_bytes(data[: int(len(data) * kept)])
    _explained(run("encode", tokenizer_file.name, stdin=b"low"), tokenizer_file.name)


def test_a_tokenizer_file_that_was_changed(run: Run, tokenizer_file: Path) -> None:
    data = tokenizer_file.read_bytes()
    tokenizer_file.write_bytes(data.replace(b"implicit-dual", b"implicit-single"))
    _explained(run("decode", tokenizer_file.name, "1"), tokenizer_file.name)


def test_a_text_where_a_tokenizer_or_word_counts_are_expected(run: Run, text_file: Path) -> None:
    _explained(run("encode", "text.txt", stdin=b"low"), "text.txt")
    _explained(run("merge", "text.txt", "-o", "out.tsv"), "text.txt")


def test_a_rank_file_that_does_not_say_how_text_is_cut(run: Run, tmp_path: Path) -> None:
    lines = (f"{base64.b64encode(bytes([byte])).decode()} {byte}\n" for byte in range(256))
    (tmp_path / "a.tiktoken").write_text("".join(lines))
    _explained(run("encode", "a.tiktoken", stdin=b"a"), "a.tiktoken: tiktoken ranks do not say")
    convert = ("convert", "a.tiktoken", "b")
    _explained(run(*convert, "--special-token", "a=7"), "give a pretokenizer")
    _explained(run(*convert, "--pretokenizer", "gtp2"), "did you mean 'gpt2'")
    _explained(run(*convert, "--pretokenizer", "("), "does not compile")
    options = (*convert, "--pretokenizer", "gpt2", "--special-token")
    _explained(run(*options, "a=7"), '"a" has id 7')
    _explained(run(*options, "a=256", "--special-token", "b"), "to all or to none")
    assert not (tmp_path / "b").exists()


def test_an_unknown_id(run: Run, tokenizer_file: Path) -> None:
    _explained(run("decode", tokenizer_file.name, "70000"), "70000")
    process = run("decode", tokenizer_file.name, "-", stdin=b"\n" + b"9" * 30 + b"\n")
    _explained(process, "line 2", "position 0")


@pytest.mark.parametrize("word", ["x", "1_0", "+1", "1.5", "٣"])
def test_an_id_that_is_no_number_is_named_with_its_place(
    run: Run, tokenizer_file: Path, word: str
) -> None:
    process = run("decode", tokenizer_file.name, "-", stdin=f"1 2\n3 {word}\n".encode())
    stderr = process.stderr.decode()
    assert process.returncode == 1
    assert "line 2: " in stderr
    assert "at position 1 is not a number" in stderr
    assert "Traceback" not in stderr


def test_an_unknown_encoder(run: Run, tokenizer_file: Path) -> None:
    _explained(run("encode", tokenizer_file.name, "--encoder", "fast", stdin=b"a"), "fast")


def test_a_lone_surrogate_in_a_jsonl_file(run: Run, tmp_path: Path, tokenizer_file: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"text": "fine"}\n{"text": "\\ud800"}\n')
    _explained(
        run("train", "bpe", "x.jsonl", "--vocab-size", "300", "-o", "out.json"), "x.jsonl", "2"
    )


def test_word_counts_made_in_different_ways(run: Run, text_file: Path) -> None:
    assert run("count-words", "text.txt", "-o", "a.tsv").returncode == 0
    counted = run("count-words", "text.txt", "-o", "b.tsv", "--boundary", "implicit-dual")
    assert counted.returncode == 0
    _explained(run("merge", "a.tsv", "b.tsv", "-o", "c.tsv"), "space-prefix", "implicit-dual")
    _explained(
        run("train", "bpe", "b.tsv", "--vocab-size", "300", "-o", "x"),
        "space-prefix",
        "implicit-dual",
    )
    _explained(run("train", "bpe", "a.tsv", "text.txt", "--vocab-size", "300", "-o", "x"), "a.tsv")


@pytest.mark.parametrize("out", ["folder", "nowhere/out.json", "text.txt/out.json"])
def test_an_output_that_cannot_be_written_is_refused_before_the_work(
    run: Run, text_file: Path, tmp_path: Path, out: str
) -> None:
    (tmp_path / "folder").mkdir()
    arguments = ["--vocab-size", "300", "-o", out]
    _explained(run("train", "bpe", "gone.txt", *arguments), out.split("/", 1)[0])
    _explained(run("count-words", "gone.txt", "-o", out), out.split("/", 1)[0])


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["train"],
        ["train", "bpe", "text.txt"],
        ["train", "bpe", "text.txt", "--vocab-size", "many", "-o", "x"],
        ["train", "bpe", "text.txt", "--vocab-size", "300", "-o", "x", "--vocabulary", "1"],
        ["train", "bpe", "text.txt", "--vocab-size", "300", "-o", "x", "--threads", "0"],
        ["encode"],
        ["explain", "x.json"],
        ["compare", "--train", "a", "--test", "b", "--out", "c"],
    ],
)
def test_what_the_parser_cannot_parse_is_exit_code_2(run: Run, arguments: list[str]) -> None:
    process = run(*arguments)
    assert process.returncode == 2, process.stderr
    assert b"Traceback" not in process.stderr
    assert process.stdout == b""


def test_control_characters_in_a_file_name_do_not_reach_the_terminal(run: Run) -> None:
    process = run("encode", "a\x1b[31m\nb.json")
    _explained(process, "\\x1b")
    assert b"\x1b" not in process.stderr


def test_a_reader_that_has_enough_is_no_error(run: Run, tokenizer_file: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "toksmith", "encode", tokenizer_file.name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tokenizer_file.parent,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    process.stdin.write(b"low lower " * 100_000)
    process.stdin.close()
    assert process.wait(timeout=60) == 0
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--pretokenizer", "gpt4"], "unknown pretokenizer 'gpt4'"),
        (["--digits", "left"], "unknown digits 'left'"),
        (["--min-pair-count", "0"], "min_pair_count is 0"),
        (["-o", "-"], "'-' is not standard output"),
        (["-o", "/proc/out.json"], "/proc: "),
    ],
)
def test_a_slip_in_an_option_of_train(
    run: Run, text_file: Path, arguments: list[str], named: str
) -> None:
    process = run("train", "bpe", "text.txt", "--vocab-size", "300", "-o", "out.json", *arguments)
    _explained(process, named)
    assert os.listdir() == ["text.txt"]


def test_near_misses_are_told_what_was_probably_meant(run: Run, tokenizer_file: Path) -> None:
    process = run("train", "isbpe-dul", "gone.txt", "--vocab-size", "300", "-o", "out.json")
    _explained(process, "did you mean 'isbpe-dual'?")
    process = run("explain", tokenizer_file.name, "low", "--encoder", "longest-frist")
    _explained(process, "did you mean 'longest-first'?")


def test_compare_refuses_before_the_work(run: Run, text_file: Path) -> None:
    arguments = ["compare", "--train", "text.txt", "--test", "text.txt", "--vocab-size", "300"]
    process = run(*arguments, "--recipes", "bpe,bpe+merge-rank", "--out", "out")
    _explained(process, "--recipes has 'bpe' 2 times")
    _explained(run(*arguments, "--out", "/proc/out", "--progress"), "/proc/out")
    assert os.listdir() == ["text.txt"]


def test_json_lines_are_explained_with_the_option(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"body": "low"}\n')
    process = run("train", "bpe", "x.jsonl", "--vocab-size", "300", "-o", "out.json")
    _explained(process, "x.jsonl, line 1", "--jsonl-field")


def test_an_index_and_a_separator(run: Run, text_file: Path, tmp_path: Path) -> None:
    (tmp_path / "text.txt.index.tsv").write_text("0\t3\tbook\tchapter\n")
    arguments = ["train", "bpe", "text.txt", "--vocab-size", "257", "-o", "out.json"]
    _explained(run(*arguments, "--separator", "x"), "text.txt.index.tsv", "separator")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["bpf", "--word", "low=5"], "'bpf'"),
        (["bpe"], "--word WORD=COUNT"),
        (["bpe", "text.txt", "--word", "low=5"], "--word WORD=COUNT"),
        (["bpe", "--word", "low"], "'low'"),
        (["bpe", "--word", "low=x"], "'low=x'"),
        (["bpe", "--word", "low=5", "low=6"], "'low' twice"),
        (["bpe", "--word", "low=0"], "count of 'low' is 0"),
        (["bpe", "--word", "low=5", "--ties", "first"], "first-met"),
        (["bpe", "gone.txt"], "gone.txt"),
    ],
)
def test_a_slip_in_a_trace(run: Run, text_file: Path, arguments: list[str], named: str) -> None:
    _explained(run("trace", *arguments, "--vocab-size", "9"), named)


def test_a_bad_line_of_words_with_counts_is_named_and_nothing_is_written(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "words.txt").write_text("low\t5\nlower\n")
    _explained(run("count-words", "words.txt", "--counted", "-o", "a.tsv"), "words.txt", "line 2")
    _explained(run("count-words", "words.txt", "--count-first", "-o", "a.tsv"), "--counted")
    separated = ("--counted", "--separator", "x")
    _explained(run("count-words", "words.txt", *separated, "-o", "a.tsv"), "--separator")
    assert not (tmp_path / "a.tsv").exists()


def test_a_strict_training_that_falls_short_writes_nothing(
    run: Run, text_file: Path, tmp_path: Path
) -> None:
    arguments = ("train", "bpe", text_file.name, "--vocab-size", "9000", "--strict", "-o", "a.json")
    _explained(run(*arguments), "vocab_size is 9000, but training stopped at", "pairs-too-rare")
    assert not (tmp_path / "a.json").exists()
