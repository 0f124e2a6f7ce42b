"""WordPiece's encoder is that of Hugging Face `tokenizers` with the same vocabulary, and so is the
vocabulary of whole words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

import toksmith as ts

_UNKNOWN = "[UNK]"
_MONO = ("ar-diac", "bn", "ja", "ru", "th", "zh")


def train_as_bert(documents: list[str], vocab_size: int) -> ts.Tokenizer:
    trainer = ts.WordPiece(
        pretokenizer="bert",
        whitespace="drop",
        alphabet="characters",
        byte_fallback=False,
        limit_alphabet=300,
        unk_token=_UNKNOWN,
        unk_scope="word",
        unk_max_characters=100,
    )
    return trainer.train(documents, vocab_size=vocab_size).with_encoder("longest-prefix")


def wordpiece_of(tok: ts.Tokenizer) -> Any:  # noqa: ANN401
    """Theirs, with our tokens under our ids."""
    unknown = tok.special_tokens[_UNKNOWN]
    vocab = {_UNKNOWN: unknown}
    for index in range(unknown):
        token = tok.token(index)
        vocab["##" * token.lead + token.bytes.decode()] = index
    model: Any = models.WordPiece
    theirs = Tokenizer(model(vocab, unk_token=_UNKNOWN, max_input_chars_per_word=100))
    # Their normalizer is who puts spaces round Chinese characters; ours cuts there.
    bert: Any = normalizers.BertNormalizer
    theirs.normalizer = bert(
        clean_text=False, handle_chinese_chars=True, strip_accents=False, lowercase=False
    )
    theirs.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return theirs


LONG_WORDS = ["a" * 100, "a" * 101, "é" * 100, "é" * 101, "中" * 101, "", " ", "mug😀 hug"]


def check_equal(tok: ts.Tokenizer, texts: list[str]) -> None:
    theirs = wordpiece_of(tok)
    for text in [*texts, *LONG_WORDS]:
        assert tok.encode(text) == theirs.encode(text).ids, text[:80]


def test_ids_of_a_small_corpus_are_theirs(small_corpus: list[str]) -> None:
    check_equal(train_as_bert(small_corpus[::2], 1_500), small_corpus)


@pytest.mark.parametrize("language", ["prose/english", *(f"multilingual/mono/{x}" for x in _MONO)])
def test_ids_of_held_out_text_are_theirs(
    language: str, documents_of: Callable[[str], list[bytes]], small_corpus: list[str]
) -> None:
    texts = [document.decode() for document in documents_of(f"{language}.test")]
    # A tenth is enough to learn from; the rest has characters and words that it never saw.
    check_equal(train_as_bert([*small_corpus, *texts[::10]], 3_000), texts)


def test_whole_words_are_theirs(small_corpus: list[str]) -> None:
    tok = ts.train(
        "words",
        small_corpus,
        vocab_size=2_000,
        pretokenizer="whitespace",
        alphabet="none",
        unk_token=_UNKNOWN,
        unk_scope="word",
    )
    theirs: Any = Tokenizer(models.WordLevel(unk_token=_UNKNOWN))
    # The words that both count: theirs are told as texts of one word each.
    theirs.pre_tokenizer = pre_tokenizers.Split("\x00", "removed")
    words = ["\x00".join(word.decode() for word in tok.pretokenize(t)) for t in small_corpus]
    trainer: Any = trainers.WordLevelTrainer(
        vocab_size=tok.vocab_size, special_tokens=[_UNKNOWN], show_progress=False
    )
    theirs.train_from_iterator(words, trainer)
    ours = {tok.token(i).bytes.decode(): i for i in range(tok.vocab_size - 1)}
    peer = {word: index - 1 for word, index in theirs.get_vocab().items() if word != _UNKNOWN}
    assert len(ours) == len(peer)
    assert ours == peer
