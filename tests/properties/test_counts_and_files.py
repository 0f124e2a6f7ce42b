"""Word counts add up in any order, and a file does not tell how the work was shared out."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toksmith as ts

CORPORA = Path(__file__).parents[2] / "testdata" / "corpora"
FRAGMENTS = [
    bytes.fromhex(fragment)
    for fragment in json.loads((CORPORA / "hostile-fragments.json").read_text())["fragments"]
]
SMALL = [
    json.loads(line)["text"]
    # Not splitlines: it also cuts at U+2028, which stands inside a document.
    for line in (CORPORA / "small.jsonl").read_text(encoding="utf-8").strip().split("\n")
]
BOUNDARIES = ("space-prefix", "implicit-single", "implicit-dual")
RECIPES = {"bpe": 256, "isbpe-single": 512, "isbpe-dual": 1_024}

documents_of = st.lists(
    st.lists(st.sampled_from(FRAGMENTS), max_size=20).map(b"".join).map(ts.Document), max_size=8
)


@given(
    documents_of,
    st.sampled_from(BOUNDARIES),
    st.integers(1, 5),
    st.randoms(use_true_random=False),
)
@settings(max_examples=150, deadline=None)
def test_counts_merge_in_any_order_and_any_number_of_shards(
    documents: list[ts.Document], boundary: str, num_shards: int, rng: random.Random
) -> None:
    whole = ts.count_words(documents, boundary=boundary)
    shards: list[list[ts.Document]] = [[] for _ in range(num_shards)]
    for document in documents:
        rng.choice(shards).append(document)
    counts = [ts.count_words(shard, boundary=boundary) for shard in shards]
    while len(counts) > 1:  # any two, in either order
        rng.shuffle(counts)
        counts.append(counts.pop().merge(counts.pop()))
    assert counts[0] == whole
    assert counts[0].content_hash == whole.content_hash
    assert counts[0].num_documents == len(documents)
    assert counts[0].num_bytes == sum(len(document.data) for document in documents)
    assert dict(counts[0].items()) == dict(whole.items())


@given(documents_of, st.sampled_from(BOUNDARIES))
@settings(max_examples=60, deadline=None)
def test_counts_come_back_from_their_file(
    tmp_path_factory: pytest.TempPathFactory, documents: list[ts.Document], boundary: str
) -> None:
    path = tmp_path_factory.mktemp("counts") / "words.tsv"
    counts = ts.count_words(documents, boundary=boundary)
    counts.save(path)
    loaded = ts.WordCounts.load(path)
    assert loaded == counts
    assert list(loaded.items()) == list(counts.items())
    assert loaded.provenance == counts.provenance


@given(documents_of, st.sampled_from(list(RECIPES)), st.integers(1, 4), st.data())
@settings(max_examples=100, deadline=None)
def test_threads_and_the_order_of_documents_do_not_change_the_file(
    documents: list[ts.Document], recipe: str, num_threads: int, data: st.DataObject
) -> None:
    documents = [ts.Document("a b ab"), *documents]
    vocab_size = RECIPES[recipe] + 30
    one = ts.train(recipe, documents, vocab_size=vocab_size, num_threads=1)
    shuffled = data.draw(st.permutations(documents))
    other = ts.train(recipe, shuffled, vocab_size=vocab_size, num_threads=num_threads)
    assert one.to_json() == other.to_json()


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_document_that_is_cut_for_threads_gives_the_same_file(recipe: str) -> None:
    rng = random.Random(7)
    long = ("".join(SMALL) * 15).encode() + b"".join(rng.choices(FRAGMENTS, k=100_000))
    documents = [long, *SMALL, long[::-1]]
    files = {
        ts.train(recipe, order, vocab_size=RECIPES[recipe] + 500, num_threads=num_threads).to_json()
        for num_threads, order in ((1, documents), (2, documents), (5, documents[::-1]))
    }
    assert len(files) == 1


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_merges_of_a_smaller_vocabulary_are_the_first_of_a_larger(recipe: str) -> None:
    base = RECIPES[recipe]
    merges = ts.train(recipe, SMALL, vocab_size=base + 2_000).merges
    for num_tokens in (0, 1, 2, 3, 10, 500, 1_999):
        smaller = ts.train(recipe, SMALL, vocab_size=base + num_tokens).merges
        assert smaller == merges[: len(smaller)]
        assert len(smaller) >= num_tokens


@given(st.lists(st.sampled_from([b"a", b"b", b"ab", b" ", b"."]), max_size=60).map(b"".join))
@settings(max_examples=60, deadline=None)
def test_a_loaded_tokenizer_is_the_saved_one(text: bytes) -> None:
    for recipe, base in RECIPES.items():
        tok = ts.train(recipe, [b"ab", text], vocab_size=base + 20, min_pair_count=1)
        loaded = ts.Tokenizer.from_json(tok.to_json())
        assert loaded == tok
        assert loaded.to_json() == tok.to_json()
        assert loaded.encode(text) == tok.encode(text)
