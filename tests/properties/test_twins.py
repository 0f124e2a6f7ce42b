"""What holds for the plain-Python twins of trainers and of encoders that draw or score."""

from __future__ import annotations

import random as standard_random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from math import exp, log
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toksmith import reference
from toksmith.reference import Model, SplitMix, Units, Word
from toksmith.reference.boundary import Mode
from toksmith.reference.lattice import Edge, Lattice, expected_counts, lattice_of
from toksmith.reference.sampling import sample_path, sample_paths
from toksmith.reference.viterbi import best_path, best_paths

Counts = Mapping[Word, int]

modes = st.sampled_from(get_args(Mode))
# Few letters make ties and repeats; the others need two bytes or more, or are none.
texts = st.lists(
    st.sampled_from([b"a", b"b", b"ab", b"ba", b" ", b"  ", b"\n", "é".encode(), b"\xc3", b"."]),
    max_size=24,
).map(b"".join)
#: Trainers with settings, each from counts, units and the number of tokens beyond the units.
TRAINERS: dict[str, Callable[[Counts, Units, int], Model]] = {
    "bpe": lambda counts, units, n: reference.train(
        counts, units.mode, len(units.tokens) + n, units=units
    ),
    "scaffold-bpe": lambda counts, units, n: reference.train_scaffold_bpe(
        counts, units, len(units.tokens) + n
    ),
    "wordpiece-pmi": lambda counts, units, n: reference.train_wordpiece(
        counts, units, len(units.tokens) + n
    ),
    "wordpiece-likelihood": lambda counts, units, n: reference.train_wordpiece(
        counts, units, len(units.tokens) + n, "likelihood"
    ),
    "unigram": lambda counts, units, n: reference.train_unigram(
        counts, units, len(units.tokens) + n
    ),
    "words": lambda counts, units, n: reference.train_words(counts, units, len(units.tokens) + n),
    "characters": lambda counts, units, n: reference.train_characters(
        counts, units.mode, len(units.tokens) + n
    ),
}
SPAN_ENCODERS = (
    reference.encode_longest_first,
    reference.encode_longest_prefix,
    reference.encode_longest_suffix,
    reference.encode_fewest_tokens,
)


def encoders_of(trainer: str) -> list[Callable[[Word, Model], list[int]]]:
    found: list[Callable[[Word, Model], list[int]]] = list(SPAN_ENCODERS)
    if trainer == "unigram":
        found += [reference.encode_viterbi, lambda w, m: reference.encode_sample(w, m, SplitMix(3))]
    elif trainer == "scaffold-bpe":
        found.append(reference.encode_scaffold_bpe)
    elif trainer not in ("words", "characters"):
        found += [
            reference.encode_merge_rank,
            lambda word, model: reference.encode_dropout(word, model, 0.4, SplitMix(3)),
        ]
    return found


def units_for(counts: Counts, mode: Mode, alphabet: str) -> Units:
    if alphabet == "bytes":
        return reference.byte_units(mode)
    return reference.character_units(counts, mode, character_coverage=float(alphabet))


@pytest.mark.parametrize("trainer", TRAINERS)
@given(
    st.lists(texts, min_size=1, max_size=4), texts, modes, st.sampled_from(["bytes", "1", "0.9"])
)
@settings(max_examples=40, deadline=None)
def test_decoding_undoes_every_encoder_of_every_trainer(
    trainer: str, documents: list[bytes], text: bytes, mode: Mode, alphabet: str
) -> None:
    counts = Counter(word for data in documents for word in reference.mark(data, mode))
    model = TRAINERS[trainer](counts, units_for(counts, mode, alphabet), 12)
    for encode_word in encoders_of(trainer):
        for data in (*documents, text):
            ids = reference.encode(data, model, encode_word=encode_word)
            assert all(token_id in model.visible for token_id in ids)
            assert reference.decode(ids, model) == data


@pytest.mark.parametrize("trainer", TRAINERS)
@given(st.lists(texts, min_size=1, max_size=4), modes, st.randoms(use_true_random=False))
@settings(max_examples=25, deadline=None)
def test_the_order_of_the_words_does_not_matter(
    trainer: str, documents: list[bytes], mode: Mode, random: standard_random.Random
) -> None:
    counts = Counter(word for data in documents for word in reference.mark(data, mode))
    words = list(counts.items())
    random.shuffle(words)
    units = units_for(counts, mode, "1")
    model, shuffled = (TRAINERS[trainer](c, units, 12) for c in (counts, dict(words)))
    assert units_for(dict(words), mode, "1") == units
    assert shuffled == model


ascii_counts = st.dictionaries(
    st.text("abc", min_size=1, max_size=8).map(lambda text: Word(False, text.encode(), False)),
    st.integers(1, 9),
    min_size=1,
    max_size=6,
)


@given(ascii_counts, st.sampled_from(["space-prefix", "continuation"]))
@settings(max_examples=100, deadline=None)
def test_ascii_words_give_the_same_merges_from_bytes_and_from_characters(
    counts: Counts, mode: Mode
) -> None:
    merges = []
    for units in (
        reference.byte_units(mode),
        reference.character_units(counts, mode),
        reference.character_units(counts, mode, byte_fallback=False),
    ):
        model = TRAINERS["bpe"](counts, units, 10)
        merges.append([[model.tokens[index] for index in merge] for merge in model.merges])
    assert merges[0] == merges[1] == merges[2]


@given(ascii_counts)
@settings(max_examples=100, deadline=None)
def test_wordpiece_by_frequency_is_bpe(counts: Counts) -> None:
    units = reference.character_units(counts, "continuation")
    size = len(units.tokens) + 10
    bpe = reference.train(counts, "continuation", size, units=units)
    assert reference.train_wordpiece(counts, units, size, "frequency") == bpe


@given(ascii_counts)
@settings(max_examples=100, deadline=None)
def test_scaffold_bpe_without_scaffolds_is_bpe(counts: Counts) -> None:
    units = reference.character_units(counts, "space-prefix")
    model = TRAINERS["scaffold-bpe"](counts, units, 8)
    if len(model.visible) == len(model.tokens):
        assert model.merges[:1] == TRAINERS["bpe"](counts, units, 8).merges[:1]
    hidden = [token for token in model.tokens if token not in model.tokens[: len(model.visible)]]
    # Every token, hidden or not, was made by a merge: nothing is lost from the ranks.
    made = {model.tokens[new] for _, _, new in model.merges}
    assert set(hidden) <= made
    assert set(model.tokens[len(units.tokens) :]) == made


# Paths and sums against all segmentations


@st.composite
def lattices(draw: st.DrawFn) -> Lattice:
    """Units everywhere and some longer tokens; scores that add up without rounding."""
    length = draw(st.integers(1, 6))
    scores = st.integers(-12, -1).map(lambda quarter: quarter / 4)
    spans = [(i, j) for i in range(length) for j in range(i + 2, length + 1)]
    longer = draw(st.lists(st.sampled_from(spans), unique=True)) if spans else []
    chosen = [(i, i + 1) for i in range(length)] + longer
    edges = [Edge(i, j, number, draw(scores)) for number, (i, j) in enumerate(chosen)]
    return lattice_of(length, edges)


def all_paths(lattice: Lattice, at: int = 0) -> Iterator[list[Edge]]:
    if at == lattice.length:
        yield []
    for edge in lattice.edges:
        if edge.start == at:
            yield from ([edge, *rest] for rest in all_paths(lattice, edge.end))


def score_of(path: list[Edge]) -> float:
    return sum(edge.score for edge in path)


@given(lattices(), st.integers(1, 40))
@settings(max_examples=200, deadline=None)
def test_the_best_paths_are_the_best_of_all(lattice: Lattice, n: int) -> None:
    # Ties: the last token as long as possible, so its start first, then the one before it.
    ranked = sorted(
        all_paths(lattice), key=lambda path: (-score_of(path), [e.start for e in reversed(path)])
    )
    expected = [(score_of(path), [edge.token for edge in path]) for path in ranked]
    assert best_paths(lattice, n) == expected[:n]
    assert best_path(lattice) == expected[0]


@given(lattices())
@settings(max_examples=100, deadline=None)
def test_expected_counts_are_those_of_all_paths(lattice: Lattice) -> None:
    counts: Counter[int] = Counter()
    total = sum(exp(score_of(path)) for path in all_paths(lattice))
    expected: dict[int, float] = {edge.token: 0.0 for edge in lattice.edges}
    for path in all_paths(lattice):
        counts.update(edge.token for edge in path)
        for edge in path:
            expected[edge.token] += exp(score_of(path)) / total
    found, log_total = expected_counts(lattice)
    assert log_total == pytest.approx(log(total))
    assert found == pytest.approx(expected)


# Draws. Seeds are fixed, so that a test passes always or never.

LATTICE = lattice_of(
    4,
    [Edge(i, i + 1, i, -1.0 - i / 4) for i in range(4)]
    + [Edge(0, 2, 4, -1.5), Edge(1, 3, 5, -2.5), Edge(2, 4, 6, -1.25), Edge(1, 4, 7, -2.0)],
)
#: What chi square exceeds once in a thousand times, by degrees of freedom.
CHI_SQUARE = {1: 10.83, 2: 13.82, 3: 16.27, 4: 18.47, 5: 20.52, 6: 22.46, 7: 24.32, 25: 52.62}
CHI_SQUARE |= {29: 58.30}
NUM_DRAWS = 6_000


def chi_square(found: Mapping[object, int], expected: Mapping[object, float]) -> float:
    """Of counts against probabilities, which all are large enough for it."""
    num_draws = sum(found.values())
    assert set(found) <= set(expected)
    assert min(expected.values()) * num_draws >= 5
    return sum(
        (found.get(key, 0) - share * num_draws) ** 2 / (share * num_draws)
        for key, share in expected.items()
    )


def shares(inverse_temperature: float) -> dict[object, float]:
    weights = {
        tuple(edge.token for edge in path): exp(inverse_temperature * score_of(path))
        for path in all_paths(LATTICE)
    }
    return {path: weight / sum(weights.values()) for path, weight in weights.items()}


@pytest.mark.parametrize("inverse_temperature", [1.0, 0.3, 0.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_samples_come_as_often_as_their_probability_says(
    seed: int, inverse_temperature: float
) -> None:
    random = SplitMix(seed)
    expected = shares(inverse_temperature)
    found: Counter[object] = Counter(
        tuple(sample_path(LATTICE, random, inverse_temperature)) for _ in range(NUM_DRAWS)
    )
    assert chi_square(found, expected) < CHI_SQUARE[len(expected) - 1]


@pytest.mark.parametrize("seed", [0, 1])
def test_distinct_samples_come_as_draws_without_replacement_do(seed: int) -> None:
    random = SplitMix(seed)
    once = shares(0.3)
    expected: dict[object, float] = {
        (first, second): once[first] * once[second] / (1 - once[first])
        for first in once
        for second in once
        if first != second
    }
    found: Counter[object] = Counter()
    for _ in range(NUM_DRAWS):
        first, second = sample_paths(LATTICE, 2, random, 0.3)
        found[tuple(first), tuple(second)] += 1
    assert chi_square(found, expected) < CHI_SQUARE[len(expected) - 1]


def test_distinct_samples_are_all_there_are_if_asked_for_more() -> None:
    paths = sample_paths(LATTICE, 99, SplitMix(5))
    assert sorted(paths) == sorted([e.token for e in path] for path in all_paths(LATTICE))


MERGES = reference.model_from_merges(
    "space-prefix", [(97, 98, 256), (98, 97, 257), (256, 256, 258), (256, 97, 259)]
)


def dropout_shares(ids: tuple[int, ...], probability: float) -> dict[object, float]:
    """The paper's process: every merge is dropped by itself at each step, the best left is made."""
    ranks = {(a, b): (rank, new) for rank, (a, b, new) in enumerate(MERGES.merges)}
    merges = sorted(
        (*ranks[pair], index) for index, pair in enumerate(pairwise(ids)) if pair in ranks
    )
    result: dict[object, float] = {ids: probability ** len(merges)}
    for position, (_, new, index) in enumerate(merges):
        merged = (*ids[:index], new, *ids[index + 2 :])
        chosen = (1 - probability) * probability**position
        for end, share in dropout_shares(merged, probability).items():
            result[end] = result.get(end, 0.0) + chosen * share
    return result


@pytest.mark.parametrize("seed", [0, 1])
def test_dropout_gives_each_segmentation_as_often_as_the_paper_says(seed: int) -> None:
    random = SplitMix(seed)
    word = Word(False, b"abab", False)
    expected = dropout_shares((97, 98, 97, 98), 0.5)
    found: Counter[object] = Counter(
        tuple(reference.encode_dropout(word, MERGES, 0.5, random)) for _ in range(NUM_DRAWS)
    )
    assert chi_square(found, expected) < CHI_SQUARE[len(expected) - 1]


@given(st.text("ab", max_size=12), st.integers(0, 2**64 - 1))
def test_dropout_of_nothing_is_merging_and_of_everything_is_units(text: str, seed: int) -> None:
    word = Word(False, text.encode(), False)
    random = SplitMix(seed)
    merged = reference.encode_merge_rank(word, MERGES)
    assert reference.encode_dropout(word, MERGES, 0.0, random) == merged
    assert reference.encode_dropout(word, MERGES, 1.0, random) == list(word.bytes)
