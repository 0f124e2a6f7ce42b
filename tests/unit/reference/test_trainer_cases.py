"""The twins of the trainers, and of what draws at random, give the answers of the case files."""

import dataclasses
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from toksmith.reference import (
    Model,
    SplitMix,
    Units,
    Word,
    byte_units,
    character_units,
    encode_distinct_samples,
    encode_dropout,
    encode_longest_first,
    encode_merge_rank,
    encode_n_best,
    encode_sample,
    encode_scaffold_bpe,
    encode_viterbi,
    encode_whole_word,
    encode_wordpiece,
    train,
    train_characters,
    train_scaffold_bpe,
    train_unigram,
    train_wordpiece,
    train_words,
)
from toksmith.reference.lattice import expected_counts
from toksmith.reference.unigram import numbered, run_lattice
from toksmith.reference.unigram_by_counts import (
    corpus_loss,
    log_shares,
    removal_costs,
    substring_counts,
)
from toksmith.reference.viterbi import best_path, best_paths

CASES = Path(__file__).parents[3] / "testdata" / "cases"


def read(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((CASES / name).read_text(encoding="utf-8"))
    return content


def name_of(case: dict[str, Any]) -> str:
    return str(case["name"])


TRAINERS = read("trainers.json")
UNIGRAM = read("unigram.json")
SAMPLING = read("sampling.json")


def token(text: str, boundary: str = "space-prefix") -> Word:
    lead = boundary == "continuation" and text.startswith("##")
    return Word(lead, text.removeprefix("##").encode() if lead else text.encode(), False)


def shown(word: Word) -> str:
    try:
        return "##" * word.lead + word.bytes.decode()
    except UnicodeDecodeError:
        return "##" * word.lead + f"0x{word.bytes.hex()}"


def trained(case: dict[str, Any]) -> tuple[Model, Units]:
    boundary = case["boundary"]
    counts = {token(word, boundary): count for word, count in case["counts"].items()}
    alphabet = dict(case["alphabet"])
    settings = dict(case["trainer"])
    trainer, vocab_size = settings.pop("type"), settings.pop("vocab_size")
    if trainer == "characters":
        fallback = {"byte_fallback": alphabet["byte_fallback"]}
        model = train_characters(counts, boundary, vocab_size, **fallback)
        return model, Units(boundary, model.tokens)
    units = (
        byte_units(boundary)
        if alphabet.pop("alphabet") == "bytes"
        else character_units(counts, boundary, **alphabet)
    )
    if trainer == "bpe":
        return train(counts, boundary, vocab_size, units=units, **settings), units
    train_on = {
        "scaffold-bpe": train_scaffold_bpe,
        "wordpiece": train_wordpiece,
        "unigram": train_unigram,
        "words": train_words,
    }[trainer]
    return train_on(counts, units, vocab_size, **settings), units


@pytest.mark.parametrize("case", TRAINERS["cases"], ids=name_of)
def test_trainers_make_the_vocabularies_of_the_case_file(case: dict[str, Any]) -> None:
    model, units = trained(case)
    num_units = len(units.tokens)
    if "characters" in case:
        beyond_bytes = units.tokens[len(units.tokens) - len(case["characters"]) :]
        assert [shown(unit) for unit in beyond_bytes] == case["characters"]
    visible = model.tokens[: len(model.visible)]
    assert [shown(t) for t in visible[num_units:]] == case["tokens"]
    merges = [[shown(model.tokens[index]) for index in merge] for merge in model.merges]
    assert merges == case.get("merges", [])
    assert [shown(t) for t in model.tokens[len(visible) :]] == case.get("hidden", [])
    for text, score in case.get("scores", {}).items():
        index = model.ids()[token(text, case["boundary"])]
        assert model.scores[index] == pytest.approx(score, abs=1e-9)
    for sample in case.get("encode", []):
        encoder = sample["encoder"]
        if case["trainer"]["type"] in ("scaffold-bpe", "wordpiece"):
            encoder = case["trainer"]["type"]
        encode_word = {
            "merge-rank": encode_merge_rank,
            "scaffold-bpe": encode_scaffold_bpe,
            "longest-first": encode_longest_first,
            "viterbi": encode_viterbi,
            "wordpiece": encode_wordpiece,
            "whole-word": encode_whole_word,
        }[encoder]
        with_unknown = dataclasses.replace(model, special_tokens=(b"[UNK]",))
        ids = encode_word(token(sample["word"], case["boundary"]), with_unknown)
        names = [*(shown(t) for t in visible), "[UNK]"]
        assert [names[i] for i in ids] == sample["tokens"]


def run_of(word: str) -> tuple[Word, ...]:
    return tuple(token(character) for character in word)


@pytest.mark.parametrize("case", UNIGRAM["models"], ids=name_of)
def test_losses_of_the_worked_unigram_examples(case: dict[str, Any]) -> None:
    runs = {run_of(word): count for word, count in case["words"].items()}
    pieces = [token(piece) for piece in case["pieces"]]
    counts = substring_counts(runs, pieces)
    assert list(counts.values()) == list(case["pieces"].values())
    assert sum(counts.values()) == case["total"]
    scores = log_shares(counts)
    assert corpus_loss(runs, scores)[0] == pytest.approx(case["loss"], abs=1e-9)
    for key, reestimate in (("removal_costs", False), ("removal_costs_reestimated", True)):
        costs = {
            shown(piece): cost
            for piece, cost in removal_costs(runs, counts, reestimate=reestimate).items()
        }
        assert costs == pytest.approx(case[key], abs=1e-9)
    for word, answers in case["n_best"].items():
        paths = best_paths(run_lattice(run_of(word), numbered(scores)), 4)
        assert [[shown(pieces[i]) for i in path] for _, path in paths] == [a for a, _ in answers]
        for (score, path), (_, probability) in zip(paths, answers, strict=True):
            exact = math.prod(Fraction(counts[pieces[i]], case["total"]) for i in path)
            assert str(exact) == probability
            assert math.exp(score) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("case", UNIGRAM["lattices"], ids=name_of)
def test_paths_and_sums_over_given_scores(case: dict[str, Any]) -> None:
    scores = {token(piece): score for piece, score in case["scores"].items()}
    names = list(case["scores"])
    lattice = run_lattice(run_of(case["word"]), numbered(scores))
    assert [names[i] for i in best_path(lattice)[1]] == case["viterbi"]
    paths = best_paths(lattice, 9)
    assert [[[names[i] for i in path], score] for score, path in paths] == case["n_best"]
    expected, log_total = expected_counts(lattice)
    assert log_total == pytest.approx(case["log_total"], abs=1e-9)
    found = {names[i]: count for i, count in expected.items()}
    assert found == pytest.approx(case["expected"], abs=1e-9)


@pytest.mark.parametrize("case", SAMPLING["splitmix"], ids=lambda case: str(case["seed"]))
def test_random_numbers_are_those_of_the_case_file(case: dict[str, Any]) -> None:
    random = SplitMix(case["seed"])
    assert [f"{random.next():016x}" for _ in case["numbers"]] == case["numbers"]
    random = SplitMix(case["seed"])
    assert [random.uniform() for _ in case["uniform"]] == case["uniform"]


def test_draws_are_those_of_the_case_file() -> None:
    names = list(dict.fromkeys([*"abc", *(a + b for a, b in SAMPLING["merges"])]))
    tokens = tuple(map(token, names))
    merges = tuple(
        (names.index(a), names.index(b), names.index(a + b)) for a, b in SAMPLING["merges"]
    )
    merging = Model("space-prefix", tokens, merges, num_units=3)
    scores = SAMPLING["scores"]
    scored = Model(
        "space-prefix", tuple(map(token, scores)), num_units=2, scores=tuple(scores.values())
    )
    for case in SAMPLING["dropout"]:
        random, word = SplitMix(case["seed"]), token(case["word"])
        for answer in case["tokens"]:
            ids = encode_dropout(word, merging, case["probability"], random)
            assert [shown(tokens[i]) for i in ids] == answer
    for case in SAMPLING["sample"]:
        random, word = SplitMix(case["seed"]), token(case["word"])
        for answer in case["tokens"]:
            ids = encode_sample(word, scored, random, case["inverse_temperature"])
            assert [shown(scored.tokens[i]) for i in ids] == answer
    for case in SAMPLING["distinct"]:
        random, word = SplitMix(case["seed"]), token(case["word"])
        paths = encode_distinct_samples(
            word, scored, case["k"], random, case["inverse_temperature"]
        )
        assert [[shown(scored.tokens[i]) for i in path] for path in paths] == case["tokens"]
    # A model gives the same paths as its scores alone.
    assert encode_n_best(token("ab"), scored, 1) == [([2], -2.5)]
