"""Token counts that an independent trainer found on the shared corpora."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import toksmith as ts

# Tokens of the test part at 65,536 and at 32,768. Line-fed: the mistake that makes ISBPE look 10%
# better on code than it is.
FIGURES = {
    ("code", "bpe"): (663_549, 675_341),
    ("code", "isbpe-dual"): (662_675, 674_053),
    ("code", "bpe-line-fed"): (727_849, 739_599),
    ("prose", "bpe"): (863_618, 898_182),
    ("prose", "isbpe-dual"): (853_961, 883_883),
}
CORPORA = {
    "code": ("code/python.train", "code/python.test"),
    "prose": ("prose/english.train.00", "prose/english.test"),
}
NUM_PRETOKENS = {"code": 596_940, "prose": 811_890}


@pytest.mark.parametrize(("corpus", "recipe"), FIGURES)
def test_held_out_tokens_are_those_of_an_independent_trainer(
    documents_of: Callable[[str], list[bytes]], corpus: str, recipe: str
) -> None:
    train, test = map(documents_of, CORPORA[corpus])
    documents = ts.Corpus.from_input(train)
    if recipe == "bpe-line-fed":
        documents = documents.lines()
    boundary = "implicit-dual" if recipe == "isbpe-dual" else "space-prefix"
    counts = ts.count_words(documents, boundary=boundary)
    found = []
    for vocab_size in (65_536, 32_768):
        # The larger one's merges begin with the smaller one's, but training is cheap.
        tok = ts.train_recipe(recipe, counts, vocab_size)
        assert tok.vocab_size == vocab_size
        flat, offsets = tok.encode_batch_numpy(test)
        found.append(len(flat))
        assert sum(map(tok.count_pretokens, test)) == NUM_PRETOKENS[corpus]
        for index in range(0, len(test), 10):
            ids = flat[offsets[index] : offsets[index + 1]]
            assert tok.decode_bytes(ids) == test[index]
    assert tuple(found) == FIGURES[corpus, recipe]


def test_only_a_bpe_trained_on_whole_documents_owns_newline_and_indent(
    documents_of: Callable[[str], list[bytes]],
) -> None:
    documents = documents_of("code/python.train")[:300]
    whole = ts.train("bpe", documents, vocab_size=4_096)
    line_fed = ts.train("bpe-line-fed", documents, vocab_size=4_096)
    for indent in (b"\n   ", b"\n       "):  # the last space goes with the word that follows
        assert whole.token_id(indent) is not None
        assert line_fed.token_id(indent) is None
