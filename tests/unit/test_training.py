"""From a corpus to a tokenizer."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import toksmith as ts
from toksmith.recipes import Recipe

TEXT = "def low(lower):\n    return lower.lowest\n\nlow low lower lowest\n" * 3
# Every alphabet fits: dual needs 1,024 ids.
VOCAB_SIZE = 1_040


@pytest.mark.parametrize("recipe", ts.known_recipes())
def test_every_recipe_trains_a_tokenizer_that_loses_nothing(recipe: str) -> None:
    tokenizer = ts.train(recipe, TEXT, vocab_size=VOCAB_SIZE)
    assert tokenizer.recipe == recipe
    for text in (TEXT, "", " ", "  a  b ", "näïve\u00a0x\u2581#", "\r\n\t x"):
        assert tokenizer.decode_bytes(tokenizer.encode(text)) == text.encode()


def test_classes_and_recipe_names_give_the_same_file() -> None:
    for tokenizer, recipe in (
        (ts.BPE().train(TEXT, vocab_size=300), "bpe"),
        (ts.BPE(encoder="longest-first").train(TEXT, vocab_size=300), "bpe+longest-first"),
        (ts.ISBPE().train(TEXT, vocab_size=VOCAB_SIZE), "isbpe-dual"),
        (ts.ISBPE(mode="single").train(TEXT, vocab_size=VOCAB_SIZE), "isbpe-single"),
    ):
        same = ts.train(recipe, TEXT, vocab_size=VOCAB_SIZE if recipe.startswith("is") else 300)
        assert tokenizer.to_json() == same.to_json()


def test_counting_first_and_training_then_gives_the_same_file() -> None:
    counts = ts.count_words(TEXT, boundary="implicit-dual")
    at_once = ts.train("isbpe-dual", TEXT, vocab_size=VOCAB_SIZE)
    assert ts.train("isbpe-dual", counts, vocab_size=VOCAB_SIZE).to_json() == at_once.to_json()
    assert ts.train_recipe("isbpe-dual", counts, VOCAB_SIZE).to_json() == at_once.to_json()
    assert ts.ISBPE().train(counts, vocab_size=VOCAB_SIZE).to_json() == at_once.to_json()


def test_a_corpus_may_be_text_bytes_documents_or_paths(tmp_path: Path) -> None:
    documents = ["low low lower", "lowest low"]
    for number, document in enumerate(documents):
        (tmp_path / f"{number}.txt").write_text(document)
    expected = ts.train("bpe", documents, vocab_size=260).to_json()
    files = [tmp_path / "0.txt", tmp_path / "1.txt"]
    for corpus in (
        [document.encode() for document in documents],
        (document for document in documents),
        tmp_path,
        files,
        ts.Corpus(files),
    ):
        assert ts.train("bpe", corpus, vocab_size=260).to_json() == expected
    assert ts.train("bpe", "|".join(documents), vocab_size=260, separator="|").to_json() == expected


def test_a_tokenizer_trained_on_documents_owns_newline_and_indent_and_a_line_fed_one_does_not() -> (
    None
):
    fair = ts.train("bpe", TEXT, vocab_size=300)
    spoiled = ts.train("bpe-line-fed", TEXT, vocab_size=300)
    assert fair.token_id(b"\n   ") is not None
    assert spoiled.token_id(b"\n   ") is None


def test_special_tokens_count_against_the_vocabulary_and_come_last() -> None:
    tokenizer = ts.BPE(special_tokens=["<eot>"]).train(TEXT, vocab_size=260)
    assert tokenizer.vocab_size == 260
    assert tokenizer.special_tokens == {"<eot>": 259}


def test_the_number_of_threads_does_not_change_the_file() -> None:
    one = ts.train("isbpe-dual", TEXT, vocab_size=VOCAB_SIZE, num_threads=1)
    two = ts.train("isbpe-dual", TEXT, vocab_size=VOCAB_SIZE, num_threads=2)
    assert one.to_json() == two.to_json()


@pytest.mark.parametrize("num_threads", [0, -1, True, 1.0])
def test_a_number_of_threads_that_cannot_be_is_refused(num_threads: object) -> None:
    with pytest.raises(ts.SettingsError, match=r"num_threads is .* at least 1"):
        ts.train("bpe", TEXT, vocab_size=300, num_threads=num_threads)  # type: ignore[arg-type]


@pytest.mark.parametrize("vocab_size", [True, 300.0, "300", None, np.float64(300)])
def test_a_vocabulary_size_that_is_no_whole_number_is_refused(vocab_size: object) -> None:
    with pytest.raises(ts.SettingsError, match=r"vocab_size is .* whole number"):
        ts.train("bpe", TEXT, vocab_size=vocab_size)  # type: ignore[arg-type]


def test_a_vocabulary_size_may_be_a_numpy_integer() -> None:
    assert ts.train("bpe", TEXT, vocab_size=np.int64(260)).vocab_size == 260  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("recipe", "vocab_size", "alphabet"),
    [("bpe", 200, 256), ("isbpe-single", 300, 512), ("isbpe-dual", 1_000, 1_024)],
)
def test_a_vocabulary_below_the_alphabet_is_refused_with_both_numbers(
    recipe: str, vocab_size: int, alphabet: int
) -> None:
    with pytest.raises(ts.SettingsError) as caught:
        ts.train(recipe, TEXT, vocab_size=vocab_size)
    message = str(caught.value).replace(",", "").replace("_", "")
    assert str(vocab_size) in message
    assert str(alphabet) in message


@pytest.mark.parametrize("vocab_size", [0, -1])
def test_a_vocabulary_of_nothing_is_refused(vocab_size: int) -> None:
    with pytest.raises(ts.SettingsError):
        ts.train("bpe", TEXT, vocab_size=vocab_size)


@pytest.mark.parametrize("corpus", ["", b"", [], ["", ""], iter(())])
def test_an_empty_corpus_is_refused(corpus: str | bytes | list[str] | Iterator[str]) -> None:
    with pytest.raises(ts.CorpusError, match=r"the corpus is empty: .* documents?, 0 bytes"):
        ts.train("bpe", corpus, vocab_size=300)


def test_none_deep_in_an_iterator_is_named_by_its_index() -> None:
    documents = (None if index == 4_711 else "low" for index in range(5_000))
    with pytest.raises(ts.CorpusError, match="4711"):
        ts.train("bpe", documents, vocab_size=300)  # type: ignore[arg-type]


def test_a_lone_surrogate_in_a_document_is_refused() -> None:
    with pytest.raises((ts.CorpusError, ts.EncodeError), match="surrogate"):
        ts.train("bpe", ["fine", "not \ud800 fine"], vocab_size=300)


def test_an_invalid_regular_expression_is_refused() -> None:
    with pytest.raises(ts.SettingsError, match=r"\("):
        ts.train("bpe", TEXT, vocab_size=300, pretokenizer="(")


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"whitespace": "some"}, "some"),
        ({"alphabet_order": "random"}, "random"),
        ({"unicode": "1.0"}, "1.0"),
        ({"normalizer": "nfx"}, "nfx"),
    ],
)
def test_an_unknown_value_of_a_setting_is_refused_by_name(
    settings: dict[str, str], named: str
) -> None:
    with pytest.raises(ts.SettingsError, match=named):
        ts.train("bpe", TEXT, vocab_size=300, **settings)  # type: ignore[arg-type]


def test_digits_are_grouped_as_asked_in_counts_tokenizers_and_files(tmp_path: Path) -> None:
    counts = ts.count_words("in 1984 12345", digits="right-3")
    assert {token.bytes for token, _ in counts.items()} == {b"in", b" 1", b"984", b" 12", b"345"}
    tokenizer = ts.train("bpe", counts, vocab_size=256)
    assert tokenizer.digits == "right-3"
    tokenizer.save(tmp_path / "tok.json")
    loaded = ts.load(tmp_path / "tok.json")
    assert loaded.digits == "right-3"
    assert loaded.pretokenize("x 1234") == [b"x", b" 1", b"234"]
    assert ts.BPE().train("in 1984", vocab_size=256).digits is None
    assert ts.ISBPE(digits="single").train("in 1984", vocab_size=1_024).digits == "single"


def test_counts_with_and_without_a_rule_for_digits_do_not_mix() -> None:
    ruled, plain = ts.count_words("1984", digits="single"), ts.count_words("1984")
    with pytest.raises(ts.SettingsError, match='differ in digits: "single" and "none"'):
        ruled.merge(plain)
    with pytest.raises(
        ts.SettingsError, match="digits 'left-3', but these words were counted with"
    ):
        ts.train("bpe", ruled, vocab_size=256, digits="left-3")
    with pytest.raises(
        ts.SettingsError, match="digits 'single', but these words were counted with"
    ):
        ts.train("bpe", plain, vocab_size=256, digits="single")
    with pytest.raises(ts.SettingsError, match="digits None, but these words were counted with"):
        ts.train(Recipe.parse("bpe"), ruled, vocab_size=256)


@pytest.mark.parametrize("pretokenizer", ["gpt2", "whitespace", "none", r"\w+|\W", r"\d{3}"])
def test_any_pattern_can_be_trained_with_and_loses_nothing(pretokenizer: str) -> None:
    tokenizer = ts.BPE(pretokenizer=pretokenizer).train(TEXT, vocab_size=280)
    assert tokenizer.pretokenizer == pretokenizer
    assert tokenizer.decode(tokenizer.encode(TEXT + "12345")) == TEXT + "12345"


def test_unknown_encoders_and_modes_are_refused_when_they_are_named() -> None:
    with pytest.raises(ts.SettingsError, match="merge-rank, longest-first"):
        ts.BPE(encoder="fastest")
    with pytest.raises(ts.SettingsError, match="known: single, dual"):
        ts.ISBPE(mode="triple")


def test_an_unknown_boundary_is_refused_when_counting() -> None:
    with pytest.raises(ts.SettingsError, match="metaspaces"):
        ts.count_words(TEXT, boundary="metaspaces")


def test_word_counts_made_another_way_are_refused_and_both_ways_named() -> None:
    counts = ts.count_words(TEXT, pretokenizer="gpt2")
    with pytest.raises(ts.SettingsError, match=r"'implicit-dual'.*'space-prefix'"):
        ts.train("isbpe-dual", counts, vocab_size=VOCAB_SIZE)
    with pytest.raises(ts.SettingsError, match=r"'whitespace'.*'gpt2'"):
        ts.train("bpe", counts, vocab_size=300, pretokenizer="whitespace")
    with pytest.raises(ts.SettingsError, match=r"'whole'.*'split'"):
        ts.BPE(whitespace="whole").train(counts, vocab_size=300)


def test_settings_left_open_are_those_of_the_word_counts() -> None:
    counts = ts.count_words(TEXT, pretokenizer="gpt2", whitespace="whole")
    tokenizer = ts.BPE().train(counts, vocab_size=300)
    assert (tokenizer.pretokenizer, tokenizer.whitespace) == ("gpt2", "whole")


def test_hand_made_word_counts_can_be_trained_on() -> None:
    counts = ts.WordCounts.from_dict({"low": 5, "lower": 2, "newest": 6, "widest": 3})
    tokenizer = ts.BPE().train(counts, vocab_size=258)
    # es 9, st 9: the tie goes to the smaller left id, and e < s.
    assert tokenizer.token(256).bytes == b"es"
    assert tokenizer.token(257).bytes == b"est"


def test_word_counts_cannot_be_counted_again_or_fed_in_lines_or_cut() -> None:
    counts = ts.count_words(TEXT)
    with pytest.raises(ts.SettingsError, match="counted already"):
        ts.count_words(counts)  # type: ignore[arg-type]
    with pytest.raises(ts.SettingsError, match="single lines"):
        ts.train("bpe-line-fed", counts, vocab_size=300)
    with pytest.raises(ts.SettingsError, match="separator"):
        ts.train("bpe", counts, vocab_size=300, separator="|")


def test_settings_beside_a_recipe_object_are_refused() -> None:
    recipe = ts.Recipe.parse("bpe")
    assert ts.train(recipe, TEXT, vocab_size=258).vocab_size == 258
    with pytest.raises(ts.SettingsError, match=r"dataclasses\.replace"):
        ts.train(recipe, TEXT, vocab_size=258, whitespace="whole")


def test_progress_is_told_stage_by_stage() -> None:
    calls: list[tuple[str, int, int | None]] = []
    ts.train(
        "bpe",
        TEXT,
        vocab_size=270,
        progress=lambda stage, done, total: calls.append((stage, done, total)),
    )
    stages = [stage for stage, _, _ in calls]
    assert stages == sorted(stages)  # "count" is over when "train" begins
    assert ("count", len(TEXT), None) in calls
    assert "train" in stages
    assert all(total is None or done <= total for _, done, total in calls)


def test_an_exception_in_progress_stops_the_work_and_reaches_the_caller() -> None:
    class Stop(Exception):
        pass

    def stop(stage: str, done: int, total: int | None) -> None:
        if stage == "train":
            raise Stop

    with pytest.raises(Stop):
        ts.train("bpe", TEXT, vocab_size=270, progress=stop)


@pytest.mark.parametrize(
    ("vocab_size", "message"),
    [
        (-3, "vocab_size is -3, but must be at least 1"),
        (0, "vocab_size is 0, but must be at least 1"),
        (2**70, f"vocab_size is {2**70}, but must be at most 1,073,741,824"),
    ],
)
def test_a_vocabulary_size_that_cannot_be_is_refused(vocab_size: int, message: str) -> None:
    with pytest.raises(ts.SettingsError, match=message):
        ts.train("bpe", "low", vocab_size=vocab_size)


def test_train_recipe_wants_word_counts_and_a_recipe() -> None:
    with pytest.raises(ts.SettingsError, match=r"counts is list, but must be a ts\.WordCounts"):
        ts.train_recipe("isbpe-dul", ["aa"], 1_030)  # type: ignore[arg-type]
    with pytest.raises(ts.SettingsError, match="a recipe is named by a string, got 3"):
        ts.train_recipe(3, ts.count_words("aa"), 300)  # type: ignore[arg-type]


TRAINERS = [ts.BPE, ts.ISBPE, ts.ScaffoldBPE, ts.WordPiece, ts.Unigram, ts.Words, ts.Characters]


@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_class_refuses_an_unknown_setting_with_the_list_of_its_own(
    trainer: Callable[..., Any],
) -> None:
    own = [field.name for field in dataclasses.fields(trainer)]  # type: ignore[arg-type]
    with pytest.raises(ts.SettingsError) as caught:
        trainer(boundery="metaspace")
    assert str(caught.value) == (
        f"unknown setting 'boundery' of {trainer.__name__} (did you mean 'boundary'?); "
        f"known: {', '.join(own)}"
    )
    assert sorted(inspect.signature(trainer).parameters) == sorted(own)
    assert copy.deepcopy(trainer(digits="single")) == trainer(digits="single")


@pytest.mark.parametrize("trainer", TRAINERS)
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"boundary": "nope"}, 'unknown boundary "nope"; known: space-prefix'),
        ({"whitespace": "nope"}, 'unknown whitespace "nope"; known: split'),
        ({"alphabet": "nope"}, "nope"),
        ({"alphabet": "none"}, "name an unk_token"),
        ({"pretokenizer": "("}, "does not compile"),
        ({"unicode": "1.0"}, "1.0"),
        ({"special_tokens": ["a", "a"]}, "twice"),
    ],
)
def test_a_class_refuses_what_cannot_be_trained_when_it_is_made(
    trainer: Callable[..., Any], settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ts.SettingsError, match=re.escape(message)):
        trainer(**settings)
