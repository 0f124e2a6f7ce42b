"""The tokenizer's own file: what is written, what is checked, what is refused."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import toksmith as ts

RECIPES = ("bpe", "bpe+longest-first", "isbpe-single", "isbpe-dual")


@pytest.fixture(scope="module", params=RECIPES)
def tok(request: pytest.FixtureRequest) -> ts.Tokenizer:
    return ts.train(
        request.param,
        ["low low lower lowest", "self.fire(x)\n    é"],
        vocab_size=1_040,
        special_tokens=["<s>", '<"\\é\n>'],
    )


def hashed(file: dict[str, Any]) -> bytes:
    """A file whose hash is true, whatever else is wrong with it."""
    body = {**file, "content_hash": ""}
    text = json.dumps(body, separators=(",", ":"), ensure_ascii=False)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return json.dumps({**file, "content_hash": f"sha256:{digest}"}).encode()


def fields(tok: ts.Tokenizer) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(tok.to_json())
    return content


# Writing


def test_a_loaded_tokenizer_is_the_saved_one(tok: ts.Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "a.tok.json"
    tok.save(path)
    assert path.read_bytes() == tok.to_json()
    loaded = ts.load(path)
    assert loaded == tok
    assert loaded.to_json() == tok.to_json()
    assert loaded.merges == tok.merges
    assert loaded.special_tokens == tok.special_tokens
    assert loaded.training == tok.training
    text = "lower self.fire é\n    <s>"
    assert loaded.encode(text, allowed_special="all") == tok.encode(text, allowed_special="all")


def test_two_trainings_give_the_same_bytes() -> None:
    for recipe in RECIPES:
        one, two = (ts.train(recipe, ["low lower", "a"], vocab_size=1_030) for _ in range(2))
        assert one.to_json() == two.to_json()
        assert one.content_hash == two.content_hash


def test_the_file_says_all_that_decides_the_ids(tok: ts.Tokenizer) -> None:
    file = fields(tok)
    assert (file["format"], file["version"]) == ("toksmith.tokenizer", 1)
    assert file["recipe"] == tok.recipe
    assert file["encoder"] == tok.encoder
    assert file["stages"]["pattern"] == tok.pattern
    assert file["stages"]["unicode"] == tok.unicode_version
    assert file["stages"]["whitespace"] == tok.whitespace
    assert file["stages"]["boundary"] == tok.boundary
    assert file["added_tokens"] == [
        {"text": text, "kind": "special"} for text in tok.special_tokens
    ]
    assert [tuple(merge) for merge in file["merges"]] == tok.merges
    assert len(file["tokens"]) == tok.vocab_size - 2
    assert len(file["self_test"]) >= 16
    for test in file["self_test"]:
        assert tok.encode(bytes.fromhex(test["hex"])) == test["ids"]
    assert file["content_hash"] == tok.content_hash
    assert hashed(file) == json.dumps(file).encode()


def test_the_file_has_a_line_for_each_field(tok: ts.Tokenizer) -> None:
    lines = tok.to_json().decode().splitlines()
    assert lines[0] == "{"
    assert lines[-1] == "}"
    assert [line.split(":")[0].strip('"') for line in lines[1:-1]] == list(fields(tok))


def test_saving_replaces_the_old_file_whole_and_leaves_nothing_beside_it(
    tok: ts.Tokenizer, tmp_path: Path
) -> None:
    path = tmp_path / "a.tok.json"
    path.write_bytes(b"old" * 1_000_000)
    with path.open("rb") as reader:
        tok.save(path)
        # Who had the old file open still reads it: it was replaced, not written into.
        assert reader.read() == b"old" * 1_000_000
    assert path.read_bytes() == tok.to_json()
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.tok.json"]


def test_a_save_that_fails_leaves_the_old_file(tok: ts.Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for target in (tmp_path / "folder", tmp_path / "nowhere" / "a.json", tmp_path / "f" / ".."):
        with pytest.raises(OSError, match=r"directory|No such file|names no file"):
            tok.save(target)
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder"]
    assert list((tmp_path / "folder").iterdir()) == []


@pytest.mark.parametrize("kind", ["str", "Path"])
def test_paths_may_be_text_or_paths(tok: ts.Tokenizer, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "é 中.tok.json"
    tok.save(str(path) if kind == "str" else path)
    assert ts.load(str(path) if kind == "str" else path) == tok


def test_a_saved_file_may_be_read_by_others(tok: ts.Tokenizer, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_bytes(b"")
    path = tmp_path / "a.tok.json"
    tok.save(path)
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    assert os.access(path, os.R_OK)


# Reading damaged files: every one is a FormatError (or, for stages that cannot be built, another
# error of the library), never a panic, and none takes long.


def refused(data: bytes) -> ts.ToksmithError:
    start = time.perf_counter()
    with pytest.raises(ts.ToksmithError) as caught:
        ts.Tokenizer.from_json(data)
    assert time.perf_counter() - start < 5
    return caught.value


def test_a_file_cut_anywhere_is_refused(tok: ts.Tokenizer) -> None:
    data = tok.to_json()
    step = max(1, len(data) // 400)
    # The last byte is a newline, without which the file is still whole.
    for end in [*range(0, len(data) - 1, step), *range(len(data) - 40, len(data) - 1)]:
        assert isinstance(refused(data[:end]), ts.FormatError)


def test_white_space_round_the_file_does_not_matter(tok: ts.Tokenizer) -> None:
    data = tok.to_json()
    assert ts.Tokenizer.from_json(b" \n" + data.rstrip() + b"  \n\n") == tok
    assert ts.Tokenizer.from_json(json.dumps(json.loads(data), indent=2).encode()) == tok
    assert isinstance(refused(data + b"{}"), ts.FormatError)
    assert isinstance(refused(data + b"\x00"), ts.FormatError)
    assert isinstance(refused(b"\xef\xbb\xbf" + data), ts.FormatError)


def is_same_json(one: bytes, other: bytes) -> bool:
    try:
        return bool(json.loads(one) == json.loads(other))
    except ValueError:
        return False


def test_one_altered_character_is_refused_wherever_it_is() -> None:
    data = ts.train("isbpe-dual", "low low", vocab_size=1_026).to_json()
    num_refused = 0
    for replacement in b'0z"[]{},:\\-. \n\xff\x00':
        for at in range(0, len(data) - 1, 97):
            altered = data[:at] + bytes([replacement]) + data[at + 1 :]
            if not is_same_json(altered, data):
                assert isinstance(refused(altered), ts.FormatError)
                num_refused += 1
    assert num_refused > 1_000


def test_every_flipped_bit_of_a_stretch_is_refused() -> None:
    data = ts.train("bpe", "low low", vocab_size=258).to_json()
    start = data.index(b'"merges"')
    for at in range(start, start + 200):
        for bit in range(8):
            altered = data[:at] + bytes([data[at] ^ (1 << bit)]) + data[at + 1 :]
            if not is_same_json(altered, data):
                refused(altered)


NOT_TOKENIZERS = {
    "nothing": b"",
    "white space": b" \n ",
    "text": b"once upon a time",
    "null": b"null",
    "a number": b"3",
    "a string": b'"toksmith.tokenizer"',
    "a list": b"[]",
    "an empty object": b"{}",
    "no version": b'{"format": "toksmith.tokenizer"}',
    "another format": b'{"format": "toksmith.results", "version": 1}',
    "another library's": b'{"version": "1.0", "model": {"type": "BPE", "vocab": {}, "merges": []}}',
    "bytes": bytes(range(256)),
    "compressed": b"\xfd7zXZ\x00\x00\x04",
    "deep lists": b"[" * 1_000_000,
    "deep objects": b'{"format":' * 10_000,
    "a deep unknown field": b'{"format":"toksmith.tokenizer","version":1,"x":' + b"[" * 10_000,
}


@pytest.mark.parametrize("kind", NOT_TOKENIZERS)
def test_what_is_no_tokenizer_file_is_refused(kind: str) -> None:
    assert isinstance(refused(NOT_TOKENIZERS[kind]), ts.FormatError)


def test_a_file_of_a_later_version_is_refused_with_both_versions(tok: ts.Tokenizer) -> None:
    for version in (2, 3, 2**63):
        error = refused(hashed({**fields(tok), "version": version, "from_the_future": 1}))
        assert isinstance(error, ts.FormatError)
        assert f"version {version}" in str(error)
        assert "reads up to 1" in str(error)


CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "an unknown field": lambda file: file.update(colour="blue"),
    "an unknown field of the stages": lambda file: file["stages"].update(colour="blue"),
    "an unknown field of the training": lambda file: file["training"].update(colour="blue"),
    "an unknown field of a self-test": lambda file: file["self_test"][0].update(colour="blue"),
    "no tokens": lambda file: file.pop("tokens"),
    "no stages": lambda file: file.pop("stages"),
    "no self-test": lambda file: file.pop("self_test"),
    "merges that are no list": lambda file: file.update(merges={}),
    "a merge of two": lambda file: file["merges"][0].pop(),
    "a merge of four": lambda file: file["merges"][0].append(1),
    "a negative id": lambda file: file["merges"][0].__setitem__(0, -1),
    "a fraction": lambda file: file["merges"][0].__setitem__(0, 1.5),
    "an id that does not exist yet": lambda file: file["merges"][0].__setitem__(0, 5_000),
    "an id beyond 32 bits": lambda file: file["merges"][0].__setitem__(2, 2**32),
    "an id beyond 64 bits": lambda file: file["merges"][0].__setitem__(2, 10**40),
    "an id as large as can be": lambda file: file["merges"][0].__setitem__(1, 2**32 - 1),
    "a merge of itself": lambda file: file["merges"][0].__setitem__(0, file["merges"][0][2]),
    "another result": lambda file: file["merges"][0].__setitem__(2, file["merges"][1][2]),
    "a gap in the ids": lambda file: file["merges"][-1].__setitem__(2, file["merges"][-1][2] + 1),
    "a pair merged twice": lambda file: file["merges"].append(file["merges"][0]),
    "merges in another order": lambda file: file["merges"].reverse(),
    "one merge fewer": lambda file: file["merges"].pop(),
    "one token fewer": lambda file: file["tokens"].pop(),
    "one token more": lambda file: file["tokens"].append([0, "6162636465", 0]),
    "another token": lambda file: file["tokens"][-1].__setitem__(1, "7a7a"),
    "an empty token": lambda file: file["tokens"][-1].__setitem__(1, ""),
    "a token that is no hex": lambda file: file["tokens"][-1].__setitem__(1, "zz"),
    "a token in other hex": lambda file: file["tokens"][ord("z")].__setitem__(1, "7A"),
    "another mark": lambda file: file["tokens"][0].__setitem__(0, 1),
    "a mark of 2": lambda file: file["tokens"][0].__setitem__(0, 2),
    "a mark of 256": lambda file: file["tokens"][0].__setitem__(0, 256),
    "a hidden unit": lambda file: file["hidden_tokens"].append(97),
    "a hidden token that does not exist": lambda file: file["hidden_tokens"].append(10**6),
    "a special token twice": lambda file: file["added_tokens"].append(file["added_tokens"][0]),
    "an empty special token": lambda file: file["added_tokens"][0].update(text=""),
    "an unknown encoder": lambda file: file.update(encoder="backwards"),
    "an unknown boundary": lambda file: file["stages"].update(boundary="space-suffix"),
    "an unknown normalizer": lambda file: file["stages"].update(normalizer="nfx"),
    "another normalizer": lambda file: file["stages"].update(
        normalizer=fields(ts.train("bpe", "x", vocab_size=256, normalizer="lowercase"))["stages"][
            "normalizer"
        ]
    ),
    "another boundary": lambda file: file["stages"].update(boundary="metaspace"),
    "an encoder that needs scores": lambda file: file.update(encoder="viterbi"),
    "a normalizer of another Unicode version": lambda file: file["stages"].update(
        normalizer=[{"type": "nfc", "unicode": "14.0"}]
    ),
    "an unknown whitespace rule": lambda file: file["stages"].update(whitespace="none"),
    "an unknown Unicode version": lambda file: file["stages"].update(unicode="3.0"),
    "an unknown alphabet order": lambda file: file["alphabet"].update(order="random"),
    "another meaning of the pattern": lambda file: file["stages"].update(pattern=r"\S+"),
    "no pattern": lambda file: file["stages"].update(pattern=None),
    "a pattern that does not compile": lambda file: file["stages"].update(
        pretokenizer="(", pattern="(", unicode="16.0"
    ),
    "another id in a self-test": lambda file: file["self_test"][1]["ids"].__setitem__(0, 5),
    "an id that does not exist in a self-test": lambda file: file["self_test"][1]["ids"].append(
        10**9
    ),
    "a self-test of other text": lambda file: file["self_test"][1].update(hex="00"),
    "a self-test that is no hex": lambda file: file["self_test"][1].update(hex="xyz"),
}


#: What the message of each says: every file is refused for its own reason.
REASONS = {
    "an unknown field": "unknown field `colour`, expected one of `format`",
    "an unknown field of the stages": "unknown field `colour`, expected one of `normalizer`",
    "an unknown field of the training": "unknown field `colour`, expected one of `num_documents`",
    "an unknown field of a self-test": "unknown field `colour`, expected `hex`",
    "no tokens": "missing field `tokens`",
    "no stages": "missing field `stages`",
    "no self-test": "missing field `self_test`",
    "merges that are no list": "invalid type: map, expected a sequence",
    "a merge of two": "invalid length 2",
    "a merge of four": "trailing characters",
    "a negative id": "integer `-1`",
    "a fraction": "floating point `1.5`",
    "an id that does not exist yet": "merges[0]: id 5000 does not exist yet",
    "an id beyond 32 bits": "integer `4294967296`",
    "an id beyond 64 bits": "floating point `1e+40`",
    "an id as large as can be": "id 4294967295 does not exist yet",
    "a merge of itself": "merges[0]: id 256 does not exist yet",
    "another result": "(108, 111) does not spell id 257",
    "a gap in the ids": "merges[3]: id 260 does not exist",
    "a pair merged twice": "the pair (108, 111) is merged a second time",
    "merges in another order": "merges[0]: id 258 does not exist yet",
    "one merge fewer": "tokens[259]: no merge makes it",
    "one token fewer": "merges[3]: id 259 does not exist",
    "one token more": "tokens[260]: no merge makes it",
    "another token": "(258, 101) does not spell id 259",
    "an empty token": "tokens[259]: the token is empty",
    "a token that is no hex": "tokens[259]: it is not a row",
    "a token in other hex": "tokens[122]: it is not a row",
    "another mark": "tokens[0]: it is not the unit",
    "a mark of 2": "tokens[0]: it is not a row",
    "a mark of 256": "integer `256`, expected u8",
    "a hidden unit": "hides id 97",
    "a hidden token that does not exist": "id 1000000 does not exist",
    "a special token twice": '"<s>" is given twice',
    "an empty special token": 'added token "" is empty',
    "an unknown encoder": "unknown variant `backwards`, expected one of `merge-rank`",
    "an unknown boundary": "unknown variant `space-suffix`",
    "an unknown normalizer": 'unknown normalizer "nfx"',
    "another normalizer": "self-test 4 gives",
    "another boundary": "self-test 1 gives",
    "an encoder that needs scores": "this vocabulary has no scores",
    "a normalizer of another Unicode version": 'not "14.0"',
    "an unknown whitespace rule": "unknown variant `none`",
    "an unknown Unicode version": 'Unicode version "3.0"',
    "an unknown alphabet order": "unknown variant `random`, expected `bytes` or `gpt2`",
    "another meaning of the pattern": r'is the pattern "\\S+"',
    "no pattern": 'is the pattern "none"',
    "a pattern that does not compile": 'pattern "(" does not compile',
    "another id in a self-test": "but the file says [5, ",
    "an id that does not exist in a self-test": "1000000000]",
    "a self-test of other text": "self-test 1 gives [0]",
    "a self-test that is no hex": "self_test[1]: the text is not hex",
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_contradicts_itself_is_refused_although_its_hash_is_true(change: str) -> None:
    tok = ts.train("bpe", "low low lower lowest", vocab_size=262, special_tokens=["<s>"])
    assert ts.Tokenizer.from_json(hashed(fields(tok))) == tok
    file = fields(tok)
    CHANGES[change](file)
    error = refused(hashed(file))
    assert isinstance(error, ts.FormatError)
    assert REASONS[change] in str(error)


@pytest.mark.parametrize("num_tests", [0, 1, 15])
def test_a_file_with_too_few_self_tests_is_refused(num_tests: int) -> None:
    file = fields(ts.train("bpe", "low low", vocab_size=258))
    file["self_test"] = file["self_test"][:num_tests]
    assert isinstance(refused(hashed(file)), ts.FormatError)


def test_other_merges_with_a_true_hash_are_found_by_the_self_test() -> None:
    # A vocabulary that is consistent in itself, but is not the one whose ids the file states.
    one = fields(ts.train("bpe", "the the cat cat", vocab_size=260))
    other = fields(ts.train("bpe", "sat sat mat mat", vocab_size=260))
    one["merges"], one["tokens"] = other["merges"], other["tokens"]
    error = refused(hashed(one))
    assert isinstance(error, ts.FormatError)
    assert "self-test" in str(error)


def test_an_encoder_exchanged_by_hand_is_found() -> None:
    # Of "the", which the self-test holds, merge rank makes `t | he`, longest first `th | e`.
    words = {"th": 9, "the": 1, "hem": 7, "he": 8}
    file = fields(ts.train("bpe", ts.WordCounts.from_dict(words), vocab_size=259))
    file |= {"encoder": "longest-first", "recipe": "bpe+longest-first"}
    error = refused(hashed(file))
    assert isinstance(error, ts.FormatError)
    assert "self-test 1" in str(error)


def test_a_hash_that_is_not_that_of_the_content_is_refused(tok: ts.Tokenizer) -> None:
    for stated in ("", "sha256:", "sha256:" + "0" * 64, "md5:" + "0" * 32):
        error = refused(json.dumps({**fields(tok), "content_hash": stated}).encode())
        assert isinstance(error, ts.FormatError)
        assert "changed after it was written" in str(error)


def test_a_merge_across_a_mark_is_refused() -> None:
    file = fields(ts.train("isbpe-dual", "low low", vocab_size=1_026))
    # Plain `o` after `l` would hide a space inside a token.
    file["merges"][0] = [ord("l"), ord("o"), 1_024]
    file["tokens"][1_024] = [0, "6c6f", 0]
    error = refused(hashed(file))
    assert isinstance(error, ts.FormatError)
    assert "mark" in str(error)


def test_numbers_that_would_need_much_memory_are_refused_at_once() -> None:
    file = fields(ts.train("bpe", "low low", vocab_size=258))
    for field, value in (
        ("hidden_tokens", [2**32 - 1]),
        ("merges", [[2**32 - 1, 2**32 - 1, 2**32 - 1]]),
    ):
        assert isinstance(refused(hashed({**file, field: value})), ts.FormatError)


def test_a_token_that_doubles_with_every_merge_does_not_fill_the_memory(tmp_path: Path) -> None:
    # 60 merges of the newest token with itself would spell 2**60 bytes. In a program of its own,
    # because running out of memory ends a program.
    file = fields(ts.train("bpe", "low low", vocab_size=256))
    file["merges"] = [[97 if step == 0 else 255 + step] * 2 + [256 + step] for step in range(60)]
    file["tokens"] += [[0, "61", 0]] * 60
    path = tmp_path / "doubling.tok.json"
    path.write_bytes(hashed(file))
    code = """
import resource, sys, toksmith as ts
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
try:
    ts.load(sys.argv[1])
except ts.FormatError:
    print("refused")
"""
    result = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.stdout == "refused\n", result.stderr


def test_what_is_not_bytes_is_a_type_error() -> None:
    for data in (None, 3, "text"):
        with pytest.raises(TypeError):
            ts.Tokenizer.from_json(data)  # type: ignore[arg-type]


def test_a_pattern_that_gives_up_on_a_self_test_text_can_still_be_compared() -> None:
    # The self-test holds a long run of `a`, on which this pattern gives up.
    tok = ts.train("bpe", "low", vocab_size=256, pretokenizer=r"(a|aa)+\1b")
    same = ts.train("bpe", "low", vocab_size=256, pretokenizer=r"(a|aa)+\1b")
    assert tok == same
    assert ts.Tokenizer.from_json(tok.to_json()) == tok
