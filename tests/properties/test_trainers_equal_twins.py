"""The core's trainers and their encoders agree with the plain-Python twins on any input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, get_args

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import toksmith as ts
from toksmith import reference
from toksmith.reference import Model, Units, Word
from toksmith.reference.boundary import Mode
from toksmith.reference.bpe import Merging
from toksmith.reference.wordpiece import pair_scores

# Few letters make long merges, pairs that overlap, and ties; others need more bytes, or are none.
PIECES = ["a", "aa", "ab", "b", "ba", "c", " ", "  ", "\n", ".", "é", "ñ", "中"]
texts = st.lists(
    st.sampled_from([*map(str.encode, PIECES), b"\xff"]),
    max_size=30,
).map(b"".join)
documents_of = st.lists(texts, min_size=1, max_size=4)
modes = st.sampled_from(get_args(Mode))
alphabets = st.fixed_dictionaries(
    {"alphabet": st.just("characters"), "byte_fallback": st.booleans()},
    optional={
        "character_coverage": st.sampled_from([0.5, 0.8, 0.95, 1.0]),
        "limit_alphabet": st.integers(1, 8),
        "required_characters": st.text("zé中", max_size=2),
    },
) | st.just({"alphabet": "bytes"})
merge_settings = st.fixed_dictionaries(
    {},
    optional={
        "min_pair_count": st.integers(1, 4),
        "num_merges": st.integers(0, 12),
        "max_token_bytes": st.integers(2, 6),
    },
)
unknown_settings = st.fixed_dictionaries(
    {},
    optional={
        "unk_scope": st.sampled_from(["characters", "word"]),
        "unk_max_characters": st.integers(1, 6),
    },
)
SPAN_ENCODERS = {
    "longest-first": reference.encode_longest_first,
    "longest-prefix": reference.encode_longest_prefix,
    "longest-suffix": reference.encode_longest_suffix,
    "fewest-tokens": reference.encode_fewest_tokens,
}

EncodeWord = Callable[[Word, Model], list[int]]


def word_of(token: ts.Token) -> Word:
    return Word(token.lead, token.bytes, token.trail)


def units_of(counts: Counter[Word], mode: Mode, alphabet: dict[str, Any]) -> Units:
    if alphabet["alphabet"] == "bytes":
        return reference.byte_units(mode)
    rest = {name: value for name, value in alphabet.items() if name != "alphabet"}
    return reference.character_units(counts, mode, **rest)


def check(  # noqa: PLR0917
    recipe: str,
    documents: list[bytes],
    mode: Mode,
    alphabet: dict[str, Any],
    own: dict[str, Any],
    twin: Model,
    vocab_size: int,
    encoders: dict[str, EncodeWord],
    unk_settings: dict[str, Any] | None = None,
) -> None:
    """Train in the core as the twin was trained, and compare vocabulary, merges and encodings."""
    has_unknown = not alphabet.get("byte_fallback", True)
    unk = unk_settings or {}
    unknown = {"unk_token": "<unk>", **unk} if has_unknown else {}
    tok = ts.train(
        recipe,
        documents,
        vocab_size=vocab_size + has_unknown,
        boundary=mode,
        **alphabet,
        **unknown,
        **own,
    )
    num_tokens = tok.vocab_size - has_unknown
    tokens = [word_of(tok.token(token_id)) for token_id in range(num_tokens)]
    assert tokens == list(twin.tokens[: len(twin.visible)])
    assert [word_of(token) for token in tok.hidden_tokens] == list(twin.tokens[len(twin.visible) :])
    if recipe not in ("words", "characters"):
        # The core numbers hidden tokens after the special ones.
        places = [*twin.visible, *range(tok.vocab_size, tok.vocab_size + len(tok.hidden_tokens))]
        assert tok.merges == [tuple(places[index] for index in merge) for merge in twin.merges]
    model = Model(
        twin.mode,
        twin.tokens,
        twin.merges,
        (b"<unk>",) if has_unknown else (),
        twin.num_units,
        twin.num_visible,
    )
    for name, encode_word in encoders.items():
        encoding = tok.with_encoder(name)
        for data in documents:
            ids: list[int] = []
            for word in reference.mark(data, mode):
                if has_unknown:
                    ids += reference.encode_with_unknown(
                        word,
                        model,
                        encode_word,
                        b"<unk>",
                        unk.get("unk_scope", "characters"),
                        max_characters=unk.get("unk_max_characters"),
                    )
                else:
                    ids += encode_word(word, model)
            assert encoding.encode(data) == ids, (name, data)


def prepared(
    documents: list[bytes], mode: Mode, alphabet: dict[str, Any]
) -> tuple[Counter[Word], Units]:
    counts = Counter(word for data in documents for word in reference.mark(data, mode))
    assume(counts)
    units = units_of(counts, mode, alphabet)
    assume(units.tokens)
    return counts, units


@given(documents_of, modes, alphabets, merge_settings, st.integers(0, 20))
@settings(max_examples=200, deadline=None)
def test_bpe_is_the_twin(
    documents: list[bytes], mode: Mode, alphabet: dict[str, Any], own: dict[str, Any], more: int
) -> None:
    counts, units = prepared(documents, mode, alphabet)
    vocab_size = len(units.tokens) + more
    twin = reference.train(counts, mode, vocab_size, units=units, **own)
    encoders: dict[str, EncodeWord] = {"merge-rank": reference.encode_merge_rank, **SPAN_ENCODERS}
    check("bpe", documents, mode, alphabet, own, twin, vocab_size, encoders)


@given(documents_of, modes, alphabets, merge_settings, st.integers(0, 12))
@settings(max_examples=200, deadline=None)
def test_scaffold_bpe_is_the_twin(
    documents: list[bytes], mode: Mode, alphabet: dict[str, Any], own: dict[str, Any], more: int
) -> None:
    counts, units = prepared(documents, mode, alphabet)
    vocab_size = len(units.tokens) + more
    twin = reference.train_scaffold_bpe(counts, units, vocab_size, **own)
    encoders: dict[str, EncodeWord] = {"merge-rank": reference.encode_scaffold_bpe, **SPAN_ENCODERS}
    check("scaffold-bpe", documents, mode, alphabet, own, twin, vocab_size, encoders)


@pytest.mark.parametrize("score", ["pmi", "frequency"])
@given(
    documents_of,
    modes,
    alphabets,
    st.integers(0, 20),
    st.sampled_from([None, 0.02, 0.1, 1.0]),
    st.integers(1, 3),
    st.none() | st.integers(2, 6),
    unknown_settings,
)
@settings(max_examples=120, deadline=None)
def test_wordpiece_is_the_twin(  # noqa: PLR0917
    score: Any,  # noqa: ANN401
    documents: list[bytes],
    mode: Mode,
    alphabet: dict[str, Any],
    more: int,
    min_score: float | None,
    min_pair_count: int,
    max_token_bytes: int | None,
    unk: dict[str, Any],
) -> None:
    counts, units = prepared(documents, mode, alphabet)
    vocab_size = len(units.tokens) + more
    own: dict[str, Any] = {
        "min_score": min_score,
        "min_pair_count": min_pair_count,
        "max_token_bytes": max_token_bytes,
    }
    twin = reference.train_wordpiece(counts, units, vocab_size, score, **own)
    encoders: dict[str, EncodeWord] = {"merge-rank": reference.encode_merge_rank, **SPAN_ENCODERS}
    check(f"wordpiece-{score}", documents, mode, alphabet, own, twin, vocab_size, encoders, unk)


@given(documents_of, modes, alphabets, st.integers(0, 20))
@settings(max_examples=120, deadline=None)
def test_every_merge_of_wordpiece_by_likelihood_is_the_best_to_nine_digits(
    documents: list[bytes], mode: Mode, alphabet: dict[str, Any], more: int
) -> None:
    # Gains can be equal and differ in their last digit, by which logarithm was taken.
    counts, units = prepared(documents, mode, alphabet)
    unknown = {} if alphabet.get("byte_fallback", True) else {"unk_token": "<unk>"}
    tok = ts.train(
        "wordpiece-likelihood",
        documents,
        vocab_size=len(units.tokens) + more + len(unknown),
        boundary=mode,
        **alphabet,
        **unknown,
    )
    training = Merging.start(counts, units)
    for left, right, new in tok.merges:
        scores = pair_scores(training, "likelihood")
        best = max(score for score, _ in scores.values())
        assert scores[left, right][0] >= best - 1e-9
        assert training.merge(left, right) == new
    tokens = [word_of(tok.token(token_id)) for token_id in range(len(training.tokens))]
    assert tokens == training.tokens
    assert len(tokens) == len(units.tokens) + more or not pair_scores(training, "likelihood")


unigram_settings = st.fixed_dictionaries(
    {},
    optional={
        "seed_size": st.integers(0, 30),
        "shrinking_factor": st.sampled_from([0.5, 0.75, 0.9]),
        "num_sub_iterations": st.integers(1, 3),
        "max_token_chars": st.integers(1, 8),
    },
)
counted_words = st.dictionaries(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join),
    st.integers(1, 10**6),
    min_size=1,
    max_size=8,
)


@given(counted_words, modes, alphabets, unigram_settings, st.integers(0, 12))
@settings(max_examples=200, deadline=None)
def test_unigram_is_the_twin(
    words: dict[str, int], mode: Mode, alphabet: dict[str, Any], own: dict[str, Any], more: int
) -> None:
    # Far apart counts, so that hardly anything ties but for the last digit of a logarithm.
    counts = Counter({Word(False, word.encode(), False): count for word, count in words.items()})
    units = units_of(counts, mode, alphabet)
    assume(units.tokens)
    vocab_size = len(units.tokens) + more
    twin = reference.train_unigram(
        counts, units, vocab_size, **{"seed_size": 4 * vocab_size, **own}
    )
    unknown = {} if alphabet.get("byte_fallback", True) else {"unk_token": "<unk>"}
    tok = ts.train(
        "unigram",
        ts.WordCounts.from_dict(words, boundary=mode),
        vocab_size=vocab_size + len(unknown),
        **{"character_coverage": 1.0, **alphabet},
        boundary=mode,
        **unknown,
        **own,
    )
    assert tok.scores is not None
    assert [word_of(tok.token(id)) for id in range(len(tok.scores))] == list(twin.tokens)
    assert tok.scores == pytest.approx(twin.scores, abs=1e-8)


@given(documents_of, modes, alphabets, st.integers(0, 12), st.integers(1, 3))
@settings(max_examples=120, deadline=None)
def test_words_are_the_twin(
    documents: list[bytes],
    mode: Mode,
    alphabet: dict[str, Any],
    more: int,
    min_word_count: int,
) -> None:
    counts, units = prepared(documents, mode, alphabet)
    vocab_size = len(units.tokens) + more
    twin = reference.train_words(counts, units, vocab_size, min_word_count)
    encoders: dict[str, EncodeWord] = {"whole-word": reference.encode_whole_word, **SPAN_ENCODERS}
    own = {"min_word_count": min_word_count}
    check("words", documents, mode, alphabet, own, twin, vocab_size, encoders)


@given(documents_of, modes, st.sampled_from([0.5, 0.95, 1.0]), st.integers(0, 12))
@settings(max_examples=120, deadline=None)
def test_characters_are_the_twin(
    documents: list[bytes], mode: Mode, coverage: float, more: int
) -> None:
    counts = Counter(word for data in documents for word in reference.mark(data, mode))
    assume(counts)
    vocab_size = len(reference.alphabet(mode)) + more
    twin = reference.train_characters(counts, mode, vocab_size, character_coverage=coverage)
    alphabet = {"alphabet": "characters", "character_coverage": coverage}
    encoders: dict[str, EncodeWord] = {"merge-rank": reference.encode_merge_rank}
    check("characters", documents, mode, alphabet, {}, twin, vocab_size, encoders)
