"""What each command does when all is well."""

from __future__ import annotations

import base64
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import toksmith as ts
from toksmith.cli.app import app
from toksmith.cli.arguments import spread_values

Run = Callable[..., subprocess.CompletedProcess[bytes]]
Invoke = Callable[..., Result]


@pytest.fixture
def invoke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Invoke:
    """Run the command inside this process, in an empty folder; it has to succeed."""
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments: str, stdin: bytes = b"") -> Result:
        result = CliRunner().invoke(app, spread_values(arguments), input=stdin)
        assert result.exit_code == 0, result.output
        return result

    return invoke


def test_the_version_is_that_of_the_package(invoke: Invoke) -> None:
    assert invoke("--version").stdout == f"toksmith {ts.__version__}\n"


def test_every_command_has_a_help_text_with_an_example(invoke: Invoke) -> None:
    overview = invoke("--help").stdout
    commands = [
        "compare",
        "train",
        "encode",
        "decode",
        "count-tokens",
        "explain",
        "convert",
        "trace",
        "evaluate",
        "count-words",
        "merge",
        "demo",
    ]
    assert re.findall(r"^  ([a-z-]+)  ", overview.split("Commands:")[1], re.M) == commands
    for command in commands:
        text = invoke(command, "--help").stdout
        assert "Example" in text
        assert f"toksmith {command}" in text.split("Example")[1]


def test_train_writes_the_file_that_the_api_writes(invoke: Invoke, text_file: Path) -> None:
    result = invoke("train", "bpe+longest-first", "text.txt", "--vocab-size", "262", "-o", "a.json")
    assert result.stdout == ""
    assert result.stderr.startswith("toksmith: trained bpe+longest-first: 262 ids")
    expected = ts.train("bpe+longest-first", text_file, vocab_size=262)
    assert Path("a.json").read_bytes() == expected.to_json()


def test_train_passes_its_options_on(invoke: Invoke, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"body": "low low"}\n{"body": "low  lower"}\n')
    invoke(
        *("train", "isbpe-single", "x.jsonl", "--vocab-size", "515", "-o", "a.json"),
        *("--jsonl-field", "body", "--pretokenizer", "gpt2", "--whitespace", "whole"),
        *("--digits", "right-3"),
        *("--special-token", "<a>", "--special-token", "<b>", "--min-pair-count", "3"),
        *("--threads", "1", "--no-progress"),
    )
    tokenizer = ts.load("a.json")
    assert tokenizer.boundary == "implicit-single"
    assert (tokenizer.pretokenizer, tokenizer.whitespace) == ("gpt2", "whole")
    assert tokenizer.digits == "right-3"
    assert tokenizer.special_tokens == {"<a>": 513, "<b>": 514}


def test_train_says_when_the_corpus_is_too_small_for_the_vocabulary(
    invoke: Invoke, text_file: Path
) -> None:
    result = invoke("train", "bpe", "text.txt", "--vocab-size", "5000", "-o", "a.json")
    assert "of 5,000 ids" in result.stderr
    assert ts.load("a.json").vocab_size < 5_000


def test_files_that_are_left_out_are_spoken_of(invoke: Invoke, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.txt").write_text("low low lower")
    (tmp_path / "folder" / "b.bin").write_bytes(b"\0\1")
    for arguments in (
        ("train", "bpe", "folder", "--vocab-size", "257", "-o", "a.json"),
        ("count-words", "folder", "-o", "a.tsv"),
    ):
        lines = invoke(*arguments).stderr.splitlines()
        assert lines[-1].startswith("toksmith: note: 1 file was left out")
        assert "b.bin" in lines[-1]


def test_counting_in_parts_merging_and_training_gives_the_file_of_one_go(
    invoke: Invoke, tmp_path: Path
) -> None:
    (tmp_path / "1.txt").write_text("low low lower")
    (tmp_path / "2.txt").write_text("lowest low")
    for part in ("1", "2"):
        invoke("count-words", f"{part}.txt", "-o", f"{part}.tsv")
    invoke("merge", "1.tsv", "2.tsv", "-o", "all.tsv")
    invoke("merge", "2.tsv", "1.tsv", "-o", "turned.tsv")
    assert Path("all.tsv").read_bytes() == Path("turned.tsv").read_bytes()
    invoke("train", "bpe", "all.tsv", "--vocab-size", "258", "-o", "merged.json")
    invoke("train", "bpe", "2.tsv", "1.tsv", "--vocab-size", "258", "-o", "parts.json")
    invoke("train", "bpe", "1.txt", "2.txt", "--vocab-size", "258", "-o", "at-once.json")
    assert Path("merged.json").read_bytes() == Path("at-once.json").read_bytes()
    assert Path("parts.json").read_bytes() == Path("at-once.json").read_bytes()


def test_encode_prints_a_line_for_each_document(invoke: Invoke, tokenizer_file: Path) -> None:
    tokenizer = ts.load(tokenizer_file)
    Path("a.txt").write_text("low lower")
    Path("b.txt").write_text("")
    result = invoke("encode", tokenizer_file.name, "a.txt", "b.txt")
    assert result.stdout == " ".join(map(str, tokenizer.encode("low lower"))) + "\n\n"
    assert result.stderr == ""


def test_encode_reads_standard_input_whole(invoke: Invoke, tokenizer_file: Path) -> None:
    ids = ts.load(tokenizer_file).encode("low\nlower\n")
    line = " ".join(map(str, ids)) + "\n"
    assert invoke("encode", tokenizer_file.name, stdin=b"low\nlower\n").stdout == line
    assert invoke("encode", tokenizer_file.name, "-", stdin=b"low\nlower\n").stdout == line


def test_encode_cuts_at_a_separator(invoke: Invoke, tokenizer_file: Path) -> None:
    result = invoke(
        "encode", tokenizer_file.name, "--separator", r"\n\n", stdin=b"low\n\nlower\nlow"
    )
    assert result.stdout.count("\n") == 2


def test_encode_knows_special_tokens_only_when_they_are_allowed(
    invoke: Invoke, tokenizer_file: Path
) -> None:
    special = ts.load(tokenizer_file).special_tokens["<eot>"]
    allowed = ("--allowed-special", "<eot>")
    assert invoke("encode", tokenizer_file.name, *allowed, stdin=b"<eot>").stdout == f"{special}\n"
    everything = ("--allowed-special", "all")
    assert (
        invoke("encode", tokenizer_file.name, *everything, stdin=b"<eot>").stdout == f"{special}\n"
    )
    assert str(special) not in invoke("encode", tokenizer_file.name, stdin=b"<eot>").stdout.split()


def test_encode_writes_a_numpy_array_or_lines(invoke: Invoke, tokenizer_file: Path) -> None:
    tokenizer = ts.load(tokenizer_file)
    Path("a.txt").write_text("low lower")
    Path("b.txt").write_text("lowest")
    result = invoke("encode", tokenizer_file.name, "a.txt", "b.txt", "-o", "ids.npy")
    assert result.stdout == ""
    array = np.load("ids.npy", allow_pickle=False)
    assert array.dtype == np.uint16
    assert array.tolist() == tokenizer.encode("low lower") + tokenizer.encode("lowest")
    invoke("encode", tokenizer_file.name, "a.txt", "b.txt", "-o", "ids.txt")
    printed = invoke("encode", tokenizer_file.name, "a.txt", "b.txt").stdout
    assert Path("ids.txt").read_text() == printed


@pytest.mark.parametrize(
    "data", [b"", b"low", b"a  b \n\xff\xfe\0", b"\r\n", " näïve\u2028x".encode()]
)
def test_decode_gives_back_the_exact_bytes(
    invoke: Invoke, tokenizer_file: Path, data: bytes
) -> None:
    ids = invoke("encode", tokenizer_file.name, stdin=data).stdout
    assert invoke("decode", tokenizer_file.name, "-", stdin=ids.encode()).stdout_bytes == data
    assert invoke("decode", tokenizer_file.name, stdin=ids.encode()).stdout_bytes == data


def test_decode_takes_ids_as_arguments_together_or_apart(
    invoke: Invoke, tokenizer_file: Path
) -> None:
    ids = [str(id) for id in ts.load(tokenizer_file).encode("low lower")]
    assert invoke("decode", tokenizer_file.name, *ids).stdout == "low lower"
    assert invoke("decode", tokenizer_file.name, " ".join(ids)).stdout == "low lower"


def test_decode_takes_each_line_as_a_document_of_its_own(
    invoke: Invoke, tokenizer_file: Path
) -> None:
    Path("a.txt").write_text("low")
    Path("b.txt").write_text("lower")
    ids = invoke("encode", tokenizer_file.name, "a.txt", "b.txt").stdout
    # As one sequence the second word would get an implicit space.
    assert invoke("decode", tokenizer_file.name, stdin=ids.encode()).stdout == "lowlower"


def test_count_tokens_prints_each_path_and_the_total(invoke: Invoke, tokenizer_file: Path) -> None:
    tokenizer = ts.load(tokenizer_file)
    Path("a.txt").write_text("low lower")
    Path("folder").mkdir()
    Path("folder/b.txt").write_text("lowest")
    first, second = tokenizer.count_tokens("low lower"), tokenizer.count_tokens("lowest")
    result = invoke("count-tokens", tokenizer_file.name, "a.txt", "folder")
    assert result.stdout == f"{first}\ta.txt\n{second}\tfolder\n{first + second}\ttotal\n"


def test_explain_shows_the_tokens(invoke: Invoke, tokenizer_file: Path) -> None:
    line = f"{ts.load(tokenizer_file).explain('low.low')}\n"
    assert invoke("explain", tokenizer_file.name, "low.low").stdout == line
    assert invoke("explain", tokenizer_file.name, "-", stdin=b"low.low").stdout == line
    assert line.startswith("low.low -> low | #.# | low")


def test_another_encoder_can_be_chosen(invoke: Invoke, tokenizer_file: Path) -> None:
    other = ts.load(tokenizer_file).with_encoder("longest-first")
    result = invoke(
        "encode", tokenizer_file.name, "--encoder", "longest-first", stdin=b"lowest lower"
    )
    assert result.stdout.split() == [str(id) for id in other.encode("lowest lower")]


def test_bytes_of_the_command_line_that_are_not_utf_8_come_through(
    run: Run, tokenizer_file: Path
) -> None:
    process = run("explain", tokenizer_file.name, b"a\xffb")
    assert process.returncode == 0, process.stderr
    assert b"\\xFF" in process.stdout


@pytest.fixture
def corpora(tmp_path: Path) -> None:
    for folder, numbers in (("train", range(12)), ("test", range(12, 24))):
        (tmp_path / folder).mkdir()
        for number in numbers:
            body = "".join(f"    low{number}.lower(lowest_{number})\n" for _ in range(6))
            text = f"def low_{number}(lower):\n{body}    return {number}\n"
            (tmp_path / folder / f"{number}.py").write_text(text)


@pytest.mark.usefixtures("corpora")
def test_compare_prints_a_table_and_writes_the_report_and_results(invoke: Invoke) -> None:
    result = invoke(
        *("compare", "--train", "train", "--test", "test", "--vocab-size", "1030"),
        *("--recipes", "bpe, isbpe-dual", "--out", "out", "--save-tokenizers"),
    )
    assert "bpe" in result.stdout
    assert "isbpe-dual" in result.stdout
    results = json.loads(Path("out/results.json").read_bytes())
    assert {candidate["name"] for candidate in results["candidates"]} == {"bpe", "isbpe-dual"}
    assert "<html" in Path("out/report.html").read_text()
    assert len(list(Path("out").glob("*.tok.json"))) == 2


@pytest.mark.usefixtures("corpora")
def test_compare_says_when_the_report_is_without_plots(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    # None in sys.modules makes the import fail, as it does without the extra.
    monkeypatch.setitem(sys.modules, "altair", None)
    result = invoke(
        *("compare", "--train", "train", "--test", "test", "--vocab-size", "300"),
        *("--recipes", "bpe", "--out", "out"),
    )
    assert "without plots" in result.stderr
    assert "<html" in Path("out/report.html").read_text()


@pytest.mark.usefixtures("corpora")
def test_compare_takes_several_paths_after_one_option_and_writes_down_the_command(
    run: Run,
) -> None:
    arguments = [
        *("compare", "--train", "train/0.py", "train/1.py", "--test", "test/12.py", "test/13.py"),
        *("--vocab-size", "300", "--recipes", "bpe,bpe-line-fed", "--out", "a folder"),
    ]
    process = run(*arguments)
    assert process.returncode == 0, process.stderr
    results = ts.Results.load_json("a folder/results.json")
    assert results.train is not None
    assert (results.train.num_documents, results.test.num_documents) == (2, 2)
    assert results.arguments.command == shlex.join(["toksmith", *arguments])
    assert results.candidate("bpe-line-fed").rank is None


def test_the_demo_writes_the_report_the_results_and_five_tokenizers(invoke: Invoke) -> None:
    result = invoke("demo", "--out", "out")
    assert "isbpe-dual+longest-first" in result.stdout
    assert "training isbpe-dual" in result.stderr
    assert result.stderr.splitlines()[-1] == "toksmith: open out/report.html in a browser"
    names = {
        "bpe",
        "bpe+longest-first",
        "isbpe-single",
        "isbpe-dual",
        "isbpe-dual+longest-first",
    }
    assert {path.name for path in Path("out").iterdir()} == {
        "report.html",
        "results.json",
        *(f"{name}.tok.json" for name in names),
    }
    for name in names:
        tokenizer = ts.load(f"out/{name}.tok.json")
        assert (tokenizer.recipe, tokenizer.vocab_size) == (name, 16_384)


@pytest.mark.usefixtures("corpora")
def test_evaluate_measures_ready_tokenizers(invoke: Invoke) -> None:
    for recipe in ("bpe", "isbpe-dual"):
        invoke("train", recipe, "train", "--vocab-size", "1030", "-o", f"{recipe}.tok.json")
    result = invoke(
        *("evaluate", "bpe.tok.json", "isbpe-dual.tok.json"),
        *("--test", "test/12.py", "test/13.py", "--out", "out"),
    )
    assert "isbpe-dual" in result.stdout
    assert Path("out/results.json").is_file()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("compare --train a b --test c", "compare --train a --train b --test c"),
        ("compare --train a --train b c", "compare --train a --train b --train c"),
        ("compare --train=a b", "compare --train=a b"),
        ("compare --train a -- b", "compare --train a -- b"),
        ("evaluate x --test a b --seed 1", "evaluate x --test a --test b --seed 1"),
        ("train bpe --train a b", "train bpe --train a b"),
        ("", ""),
    ],
)
def test_values_of_one_option_are_spread(arguments: str, expected: str) -> None:
    assert spread_values(arguments.split()) == expected.split()


@pytest.mark.usefixtures("corpora")
def test_evaluate_takes_the_path_of_the_baseline(invoke: Invoke) -> None:
    for recipe in ("bpe", "isbpe-dual"):
        invoke("train", recipe, "train", "--vocab-size", "1030", "-o", f"{recipe}.tok.json")
    for baseline in ("./isbpe-dual.tok.json", "isbpe-dual"):
        invoke(
            *("evaluate", "bpe.tok.json", "isbpe-dual.tok.json", "--test", "test"),
            *("--baseline", baseline, "--out", "out"),
        )
        assert ts.Results.load_json("out/results.json").arguments.baseline == "isbpe-dual"


@pytest.mark.usefixtures("corpora")
def test_compare_speaks_of_files_that_are_left_out(invoke: Invoke) -> None:
    Path("train/x.bin").write_bytes(b"\0")
    result = invoke(
        *("compare", "--train", "train", "--test", "test", "--vocab-size", "300"),
        *("--recipes", "bpe", "--out", "out"),
    )
    assert "note: 1 file was left out, the first is train/x.bin: binary" in result.stderr


def test_special_tokens_are_counted_explained_and_skipped(
    invoke: Invoke, tokenizer_file: Path
) -> None:
    file = tokenizer_file.name
    Path("a.txt").write_text("low<eot>low # lower")
    tokenizer = ts.load(file)
    ids = tokenizer.encode("low<eot>low # lower", allowed_special="all")
    counted = invoke("count-tokens", file, "a.txt", "--allowed-special", "all").stdout
    assert counted.splitlines()[-1] == f"{len(ids)}\ttotal"
    arguments = ("explain", file, "low<eot>low # lower", "--allowed-special", "<eot>")
    text, forms = invoke(*arguments).stdout.rstrip("\n").split(" -> ")
    assert text == "low<eot>low # lower"
    assert len(forms.split(" | ")) == len(ids)
    assert forms.split(" | ")[:3] == ["low", "<eot>", "low"]
    words = [str(token_id) for token_id in ids]
    assert invoke("decode", file, *words, "--skip-special-tokens").stdout == "lowlow # lower"
    assert invoke("decode", file, *words).stdout == "low<eot>low # lower"


def test_encode_takes_a_dash_for_standard_output(invoke: Invoke, tokenizer_file: Path) -> None:
    plain = invoke("encode", tokenizer_file.name, stdin=b"low").stdout
    assert invoke("encode", tokenizer_file.name, "-o", "-", stdin=b"low").stdout == plain
    assert not Path("-").exists()


def test_the_help_of_train_names_every_method_and_encoder(invoke: Invoke) -> None:
    text = invoke("train", "--help").stdout
    for name in ts.known_recipes():
        base, plus, encoder = name.partition("+")
        assert f" {base} " in text
        assert plus + encoder in text


def test_trace_tells_the_training_of_words_with_counts(invoke: Invoke) -> None:
    words = ["low_=5", "lowest_=2", "newer_=6", "wider_=3", "new_=2"]
    result = invoke("trace", "bpe", "--word", *words, "--vocab-size", "15", "--ties", "last-met")
    assert "step 1: r + _ -> r_   count 9" in result.stdout
    assert "size 11 (−1), gone: n ew" in result.stdout
    assert "step 5" not in result.stdout
    assert result.stderr == ""


def test_trace_takes_texts_word_counts_and_standard_input(invoke: Invoke, text_file: Path) -> None:
    invoke("count-words", text_file.name, "-o", "words.tsv")
    arguments = ("--steps", "2", "--json")
    texts = invoke("trace", "bpe", text_file.name, *arguments)
    assert "note: training goes on after step 2" in texts.stderr
    steps = json.loads(texts.stdout)["steps"]
    assert len(steps) == 2
    counted = invoke("trace", "bpe", "words.tsv", *arguments)
    piped = invoke("trace", "bpe", "-", *arguments, stdin=text_file.read_bytes())
    assert json.loads(counted.stdout)["steps"] == json.loads(piped.stdout)["steps"] == steps


def test_trace_of_unigram_by_counts_drops_what_it_is_told_to(invoke: Invoke) -> None:
    words = ["hug=10", "pug=12", "lug=5", "bug=4", "dug=5"]
    pieces = ["h", "u", "g", "hu", "ug", "p", "pu", "l", "lu", "b", "bu", "d", "du"]
    result = invoke(
        *("trace", "unigram", "--word", *words, "--piece", *pieces, "--drop", "ug"),
        *("--method", "counts", "--vocab-size", "12"),
    )
    assert "step 1: 13 pieces, loss 170.4019" in result.stdout
    assert "step 2: 12 pieces, loss 154.3356" in result.stdout


def test_a_normalizer_is_a_name_or_an_object_and_may_have_several_steps(
    invoke: Invoke, text_file: Path
) -> None:
    steps = [
        "--normalizer",
        "nfkc",
        "--normalizer",
        '{"type": "replace", "literal": "l", "by": "L"}',
    ]
    invoke("train", "bpe", text_file.name, "--vocab-size", "260", *steps, "-o", "a.tok.json")
    invoke("count-words", text_file.name, *steps, "-o", "words.tsv")
    invoke("train", "bpe", "words.tsv", "--vocab-size", "260", "-o", "b.tok.json")
    trained, counted = ts.load("a.tok.json"), ts.load("b.tok.json")
    assert trained.normalize("ﬁl") == counted.normalize("ﬁl") == "fiL"
    assert trained.merges == counted.merges


def _ranks(*tokens: bytes) -> bytes:
    """A rank file: the bytes, then these tokens."""
    vocabulary = [*(bytes([byte]) for byte in range(256)), *tokens]
    return b"".join(
        base64.b64encode(token) + f" {rank}\n".encode() for rank, token in enumerate(vocabulary)
    )


def test_convert_reads_tiktokens_ranks_and_the_file_goes_on_as_any_other(invoke: Invoke) -> None:
    Path("small.tiktoken").write_bytes(_ranks(b"ab", b"bc", b"abc", b"bcd"))
    result = invoke(
        *("convert", "small.tiktoken", "lbpe.tok.json", "--encoder", "longest-first"),
        *("--pretokenizer", "gpt2", "--special-token", "<e>=300", "--unicode", "15.0"),
    )
    assert "wrote bpe+longest-first, 301 ids: lbpe.tok.json" in result.stderr
    tok = ts.load("lbpe.tok.json")
    assert (tok.special_tokens, tok.unicode_version) == ({"<e>": 300}, "15.0")
    ids = invoke("encode", "lbpe.tok.json", "--allowed-special", "all", stdin=b"abcd<e>").stdout
    assert ids == "258 100 300\n"
    assert invoke("decode", "lbpe.tok.json", "258", "100", "300").stdout == "abcd<e>"
    evaluated = invoke("evaluate", "lbpe.tok.json", "--test", "small.tiktoken").stdout
    assert "lbpe" in evaluated


def test_commands_take_a_known_rank_file_as_it_is(invoke: Invoke, shared_data: Path) -> None:
    file = str(shared_data / "vocabs" / "tiktoken" / "cl100k_base.tiktoken")
    assert invoke("encode", file, stdin=b"hello world").stdout == "15339 1917\n"
    assert invoke("decode", file, "15339", "1917").stdout == "hello world"
    assert invoke("explain", file, "hello world").stdout == "hello world -> hello | \\sworld\n"


def test_words_that_come_with_counts_are_trained_on(invoke: Invoke, tmp_path: Path) -> None:
    (tmp_path / "one.tsv").write_text("low\t5\nlowest\t2\n")
    (tmp_path / "two.tsv").write_text("newer\t6\nlow\t1\n")
    options = ("--counted", "--boundary", "implicit-dual", "-o", "words.tsv")
    result = invoke("count-words", "one.tsv", "two.tsv", *options)
    assert "read 14 words (3 different): words.tsv" in result.stderr
    words = {"low": 6, "lowest": 2, "newer": 6}
    counts = ts.WordCounts.from_dict(words, boundary="implicit-dual")
    assert ts.WordCounts.load("words.tsv") == counts
    invoke("train", "isbpe-dual", "words.tsv", "--vocab-size", "1030", "-o", "a.tok.json")
    assert ts.load("a.tok.json") == ts.train("isbpe-dual", counts, vocab_size=1_030)
    (tmp_path / "uniq.txt").write_text("      6 low\n      2 lowest\n      6 newer\n")
    invoke("count-words", "uniq.txt", *options, "--count-first")
    assert ts.WordCounts.load("words.tsv") == counts
