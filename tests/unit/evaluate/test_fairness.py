"""Checks of a fair comparison, and what one walk over the training text finds."""

from __future__ import annotations

import pytest

from toksmith.corpus import Corpus, Document
from toksmith.evaluate import fairness
from toksmith.evaluate.fairness import (
    FactsOfCorpus,
    NgramSample,
    TestText,
    hash_pretokens,
    ngram_hashes,
    scan_training,
)


def _split(data: bytes) -> list[bytes]:
    return data.split()


def _scan(train: list[bytes], test: list[bytes]) -> tuple[TestText, fairness.TrainingScan]:
    text = TestText.read(Corpus(test))
    return text, scan_training(Corpus(train), text, _split)


def test_digest_does_not_depend_on_the_order_of_documents() -> None:
    def digest(documents: list[bytes]) -> str:
        return TestText.read(Corpus(documents)).facts.digest

    assert digest([b"a", b"b", b"c"]) == digest([b"c", b"a", b"b"])
    assert digest([b"a", b"a"]) != digest([b"a"])
    assert digest([b"a", b"bc"]) != digest([b"ab", b"c"])


def test_a_corpus_is_called_after_its_sources() -> None:
    facts = FactsOfCorpus()
    for name in ("x/a.txt", "b.txt", "c.txt", "d.txt"):
        facts.add(Document(b"text", source=name))
    assert facts.finish().name == "x/a.txt, b.txt and 2 others"
    assert facts.finish("mine").name == "mine"
    assert FactsOfCorpus().finish().name == "text in memory"


def test_a_test_document_in_training_breaks_the_contract() -> None:
    test, scan = _scan([b"one two", b"three"], [b"one two", b"four"])
    check = fairness.check_shared_documents(test, scan)
    assert (check.outcome, check.figure) == ("broken", 50.0)
    assert check.is_hard


def test_empty_documents_are_no_overlap() -> None:
    test, scan = _scan([b"", b"x"], [b"", b"\n", b"y"])
    assert fairness.check_shared_documents(test, scan).figure == 0.0


def test_shared_passages_are_a_warning_with_the_figure() -> None:
    passage = b" ".join(b"word%d" % i for i in range(20))
    other = b" ".join(b"other%d" % i for i in range(20))
    _, scan = _scan([b"x " + passage + b" y"], [passage, other])
    check = fairness.check_shared_ngrams(scan)
    assert check.figure == pytest.approx(50.0)
    assert check.outcome == "warning"
    assert not check.is_hard


def test_unknown_training_text_is_said_to_be_unknown() -> None:
    test = TestText.read(Corpus(b"x"))
    assert fairness.check_shared_documents(test, None).outcome == "unknown"
    assert fairness.check_shared_ngrams(None).outcome == "unknown"
    check = fairness.check_same_documents("mine", trained_here=False, line_fed=False)
    assert check.outcome == "unknown"
    assert "unknown corpus" in check.sentence


def _plain_hash(pretoken: bytes) -> int:
    """The hash in plain whole numbers: a polynomial in the FNV prime, then splitmix64's mixing."""
    modulus = 2**64
    value = len(pretoken)
    for i, byte in enumerate(pretoken):
        value += (byte + 1) * pow(0x100000001B3, i + 1, modulus)
    value %= modulus
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 % modulus
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB % modulus
    return value ^ (value >> 31)


def test_hashes_are_the_written_ones_in_every_process() -> None:
    pretokens = [b"", b"a", b" the", b"", b"\xff" * 40]
    assert hash_pretokens(pretokens).tolist() == [_plain_hash(p) for p in pretokens]
    assert hash_pretokens([b"", b""]).tolist() == [0, 0]


def test_hashes_of_prefixes_and_permutations_differ() -> None:
    words = [b"", b"a", b"aa", b"ab", b"ba", b"\0", b"\0\0", b"b"]
    assert len(set(hash_pretokens(words).tolist())) == len(words)


def test_slices_do_not_change_the_ngrams(monkeypatch: pytest.MonkeyPatch) -> None:
    pretokens = [b"%d" % i for i in range(50)]
    whole = [h for part in ngram_hashes(pretokens) for h in part.tolist()]
    monkeypatch.setattr("toksmith.evaluate.fairness._SLICE_PRETOKENS", 7)
    sliced = [h for part in ngram_hashes(pretokens) for h in part.tolist()]
    assert sliced == whole
    assert len(whole) == 50 - 13 + 1


def test_fewer_pretokens_than_an_ngram_give_none() -> None:
    assert list(ngram_hashes([b"a"] * 12)) == []


def test_a_sample_of_ngrams_does_not_depend_on_order_and_is_near_the_whole() -> None:
    test = [b" ".join(b"%d" % (i * 1000 + j) for j in range(200)) for i in range(20)]
    train = test[:10]

    def share(documents: list[bytes], max_kept: int) -> tuple[float, float, int]:
        sample = NgramSample(_split, max_kept=max_kept)
        for data in documents:
            sample.add_test(data)
        for data in train:
            sample.look_up(data)
        return sample.sampled_share, sample.shared_percent, sample.num_ngrams

    assert share(test, 10_000)[:2] == (1.0, 50.0)
    sampled = share(test, 500)
    assert sampled == share(test[::-1], 500)
    assert sampled[0] < 1.0
    assert sampled[2] <= 500
    assert sampled[1] == pytest.approx(50.0, abs=10.0)


@pytest.mark.parametrize(("size", "kept", "reached"), [(300, True, True), (299, True, False)])
def test_a_smaller_vocabulary_is_named_and_a_larger_one_is_refused(
    size: int, kept: bool, reached: bool
) -> None:
    found = fairness.check_vocab_size_kept("x", size, 300, wanted_by="asked for")
    assert (found.outcome == "held") is kept
    short = fairness.check_vocab_size_reached("x", size, 300, wanted_by="asked for")
    assert (short.outcome == "held") is reached
    over = fairness.check_vocab_size_kept("x", 301, 300, wanted_by="asked for")
    assert over.outcome == "broken"


def test_another_pretokenizer_is_named() -> None:
    check = fairness.check_same_settings(
        "x", {"pretokenizer": "a", "pattern": "p"}, "bpe", {"pretokenizer": "b", "pattern": "q"}
    )
    assert check.outcome == "warning"
    assert "pretokenizer 'a' instead of 'b'" in check.sentence
    assert check.figure == 1.0


def test_few_documents_are_a_warning() -> None:
    assert fairness.check_enough_documents(TestText.read(Corpus(b"x"))).outcome == "warning"
