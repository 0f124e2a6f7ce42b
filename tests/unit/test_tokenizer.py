"""A tokenizer as its users meet it: what goes in, what comes out, and what is refused."""

from __future__ import annotations

import base64
import copy
import json
import lzma
import pickle
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import toksmith as ts
from toksmith import reference
from toksmith.reference import Word
from toksmith.reference.boundary import Mode
from toksmith.reference.bpe import replace

CORPORA = Path(__file__).parents[2] / "testdata" / "corpora"
SMALL = [
    json.loads(line)["text"]
    # Not splitlines: it also cuts at U+2028, which stands inside a document.
    for line in (CORPORA / "small.jsonl").read_text(encoding="utf-8").strip().split("\n")
]
RECIPES = [recipe for recipe in ts.known_recipes() if not recipe.startswith("bpe-line-fed")]
BASES = ("bpe", "isbpe-single", "isbpe-dual")
ALPHABETS = {"bpe": 256, "isbpe-single": 512, "isbpe-dual": 1_024}
RUNS = [character * length for character in "a^ _" for length in (3, 7, 40, 300)]


@pytest.fixture(scope="module")
def trained() -> dict[str, ts.Tokenizer]:
    """One tokenizer a recipe; their vocabularies hold runs of many lengths."""
    return {
        recipe: ts.train(
            recipe, [*SMALL, *RUNS, *RUNS], vocab_size=4_000, special_tokens=["<|endoftext|>"]
        )
        for recipe in RECIPES
    }


# Nasty input


def nasty(shared_data: Path) -> Iterator[tuple[str, bytes]]:
    for name in ("handmade", "blns"):
        with lzma.open(shared_data / "nasty" / f"{name}.jsonl.xz", "rt", encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                yield row["id"], base64.b64decode(row["b64"]) * row.get("repeat", 1)


@pytest.mark.parametrize("recipe", RECIPES)
def test_nasty_input_comes_back(
    trained: dict[str, ts.Tokenizer], shared_data: Path, recipe: str
) -> None:
    tok = trained[recipe]
    num_inputs = 0
    for name, data in nasty(shared_data):
        ids = tok.encode_numpy(data)
        assert tok.decode_bytes(ids) == data, name
        num_inputs += 1
        if len(data) < 10_000:
            assert tok.encode_with_offsets(data).ids == ids.tolist(), name
            assert tok.decode(ids, errors="surrogateescape") == data.decode(
                errors="surrogateescape"
            ), name
            stream = tok.decode_stream(errors="backslashreplace")
            chunks = [*map(stream.push, ids.tolist()), stream.finish()]
            assert "".join(chunks) == data.decode(errors="backslashreplace"), name
    assert num_inputs > 1_000


@pytest.mark.parametrize("pattern", ["gpt2", "whitespace", "none", r"\w+|[^\w\s]+"])
def test_nasty_input_comes_back_with_every_pattern(shared_data: Path, pattern: str) -> None:
    inputs = [data for name, data in nasty(shared_data) if not name.startswith("huge")]
    for recipe in BASES:
        tok = ts.train(recipe, SMALL, vocab_size=1_500, pretokenizer=pattern, whitespace="whole")
        for data, ids in zip(inputs, tok.encode_batch(inputs), strict=True):
            assert tok.decode_bytes(ids) == data


# Special tokens

SPECIALS = ["<s>", "<s>x", "<|endoftext|>"]


@pytest.fixture(scope="module", params=BASES)
def special(request: pytest.FixtureRequest) -> ts.Tokenizer:
    return ts.train(request.param, SMALL, vocab_size=1_500, special_tokens=SPECIALS)


def test_special_tokens_have_the_last_ids_in_their_order(special: ts.Tokenizer) -> None:
    assert special.special_tokens == {"<s>": 1_497, "<s>x": 1_498, "<|endoftext|>": 1_499}
    assert special.vocab_size == 1_500
    for name, index in special.special_tokens.items():
        token = special.token(index)
        assert (token.bytes, token.is_special) == (name.encode(), True)
    assert not special.token(0).is_special


def test_text_that_spells_a_special_token_is_text_by_default(special: ts.Tokenizer) -> None:
    text = "a<|endoftext|>b <s>x"
    for ids in (
        special.encode(text),
        special.encode(text, allowed_special=()),
        special.encode(text, allowed_special=set()),
        *special.encode_batch([text, text]),
        special.encode_numpy(text).tolist(),
        special.encode_batch_numpy([text])[0].tolist(),
        special.encode_with_offsets(text).ids,
        special.explain(text).ids,
    ):
        assert max(ids) < 1_497
        assert special.decode(ids) == text


def test_special_tokens_are_recognized_when_they_are_allowed(special: ts.Tokenizer) -> None:
    text = "a<|endoftext|>b<s>"

    def specials_of(ids: list[int]) -> list[int]:
        return [index for index in ids if index >= 1_497]

    for allowed in ("all", SPECIALS, set(SPECIALS), frozenset(SPECIALS), iter(SPECIALS)):
        ids = special.encode(text, allowed_special=allowed)
        assert specials_of(ids) == [1_499, 1_497]
        assert special.decode(ids) == text
    one = special.encode(text, allowed_special=["<s>"])
    assert specials_of(one) == [1_497]
    assert special.decode(one) == text
    options: Any = {"allowed_special": "all"}
    both = special.encode(text, **options)
    assert special.encode_batch([text, ""], **options) == [both, []]
    assert special.encode_numpy(text, **options).tolist() == both
    assert special.encode_with_offsets(text, **options).ids == both
    assert special.count_tokens(text, **options) == len(both)


def test_of_two_special_tokens_at_one_place_the_longer_is_taken(special: ts.Tokenizer) -> None:
    ids = special.encode("<s>x<s>y", allowed_special="all")
    assert ids[:2] == [1_498, 1_497]
    assert special.encode("<s>x", allowed_special=["<s>"])[0] == 1_497


def test_special_tokens_are_shown_in_decoding_and_can_be_left_out(special: ts.Tokenizer) -> None:
    ids = special.encode("a b<|endoftext|>c d", allowed_special="all")
    assert special.decode(ids) == "a b<|endoftext|>c d"
    assert special.decode_bytes(ids, skip_special_tokens=True) == b"a bc d"
    stream = special.decode_stream(skip_special_tokens=True)
    assert "".join([*map(stream.push, ids), stream.finish()]) == "a bc d"


def test_spaces_beside_a_special_token_are_kept(special: ts.Tokenizer) -> None:
    for text in ("a <s> b", " <s> ", "<s>", "<s> <s>", "a<s> b", "a <s>b", "<s>x <s>x"):
        ids = special.encode(text, allowed_special="all")
        assert special.decode(ids) == text


def test_an_unknown_special_token_is_refused_and_the_known_ones_are_named(
    special: ts.Tokenizer,
) -> None:
    with pytest.raises(ts.SettingsError, match=r"\"<pad>\".*<s>, <s>x, <\|endoftext\|>"):
        special.encode("a", allowed_special=["<pad>"])
    with pytest.raises(TypeError, match="allowed_special"):
        special.encode("a", allowed_special="<s>")


@pytest.mark.parametrize(
    ("names", "message"),
    [(["<s>", "<s>"], "given twice"), ([""], "is empty"), (["a"] * 3, "twice")],
)
def test_special_tokens_that_cannot_be_are_refused(names: list[str], message: str) -> None:
    with pytest.raises(ts.SettingsError, match=message):
        ts.train("bpe", "low", vocab_size=300, special_tokens=names)


# Explaining


def lexicon(boundary: str, words: dict[str, int]) -> ts.Tokenizer:
    """A tokenizer that knows these words and nothing that occurs fewer than six times."""
    counts = ts.WordCounts.from_dict(words, boundary=boundary)
    recipe = "isbpe-dual" if boundary == "implicit-dual" else "isbpe-single"
    return ts.train(recipe, counts, vocab_size=2_000, min_pair_count=6)


def test_the_examples_of_the_isbpe_post_are_explained_as_there() -> None:
    words = [
        "the",
        "cat",
        "sat",
        "hello",
        "world",
        "self",
        "fire",
        "get",
        "token",
        "attraction",
        "lang",
        "split",
    ]
    # Words that share an ending teach it, and occur too rarely to be learnt whole.
    endings = {start + end: 3 for start in "qj" for end in ("Event", "ization")}
    tok = lexicon("implicit-dual", dict.fromkeys(words, 9) | endings)
    for line in (
        "the cat sat -> the | cat | sat",
        "hello . world -> hello | . | world",
        "a, b) c: d -> a | #, | b | #) | c | #: | d",
        "tokenization -> token | #ization",
        "self.fireEvent -> self | #.# | fire | #Event",
        "get_attraction -> get | #_# | attraction",
        # The post has `#( | #x | #)`, against its own rule.
        "lang.split(x) -> lang | #.# | split | #(# | x | #)",
    ):
        assert str(tok.explain(line.split(" -> ")[0])) == line


def test_in_single_mode_a_word_after_punctuation_has_a_form_of_its_own() -> None:
    tok = ts.ISBPE(mode="single", min_pair_count=6).train("get x_attraction " * 9, vocab_size=600)
    assert str(tok.explain("get_attraction")) == "get_attraction -> get | #_ | #attraction"


def test_a_notebook_shows_an_explanation_without_interpreting_its_text() -> None:
    html = ts.BPE().train("low", vocab_size=256).explain("<b>&")._repr_html_()
    assert "<b>" not in html
    assert "&lt;" in html
    assert "&amp;" in html


# Tokens by id and ids by token


@pytest.mark.parametrize("recipe", BASES)
def test_token_and_token_id_are_inverse(trained: dict[str, ts.Tokenizer], recipe: str) -> None:
    tok = trained[recipe]
    tokens = [tok.token(index) for index in range(tok.vocab_size - 1)]
    assert len(set(tokens)) == len(tokens)
    for index, token in enumerate(tokens):
        assert tok.token_id(token.bytes, lead=token.lead, trail=token.trail) == index
    assert tok.token_id(b"no such token") is None
    assert tok.token_id(b"") is None
    # Special tokens are no tokens that text spells.
    assert tok.token_id(b"<|endoftext|>") is None


def test_one_byte_string_has_an_id_for_each_pair_of_marks() -> None:
    tok = ts.train("isbpe-dual", "x", vocab_size=1_024)
    flags = [(lead, trail) for trail in (False, True) for lead in (False, True)]
    ids = [tok.token_id(b"a", lead=lead, trail=trail) for lead, trail in flags]
    assert ids == [97, 97 + 256, 97 + 512, 97 + 256 + 512]
    assert tok.token(97 + 512) == ts.Token(b"a", trail=True)
    assert repr(tok.token(97 + 256)) == "Token(b'a', lead=True, trail=False)"


@pytest.mark.parametrize("bad", [300, -1, 2**32 - 1, 2**32, 2**63, -(2**70)])
def test_an_unknown_id_is_refused_with_its_place(bad: int) -> None:
    tok = ts.BPE().train("low low", vocab_size=258)
    attempts: list[Callable[[], object]] = [
        lambda: tok.token(bad),
        lambda: tok.decode([bad]),
        lambda: tok.decode_bytes([bad]),
        lambda: tok.decode([97], after=bad),
        lambda: tok.decode_stream().push(bad),
    ]
    for attempt in attempts:
        with pytest.raises(ts.UnknownTokenIdError, match="0 to 257") as caught:
            attempt()
        assert isinstance(caught.value, KeyError)
    with pytest.raises(ts.UnknownTokenIdError, match="position 2"):
        tok.decode([97, 98, bad, 99])


def test_a_stream_goes_on_after_an_unknown_id() -> None:
    tok = ts.train("isbpe-dual", "x", vocab_size=1_024)
    stream = tok.decode_stream()
    assert stream.push(97) == "a"
    with pytest.raises(ts.UnknownTokenIdError):
        stream.push(5_000)
    assert stream.push(98) == " b"


@pytest.mark.parametrize(
    "ids", ["a", b"a", {97: 1}, 97, [True], [97.0], [None], ["a"], None, np.array([97.0])]
)
def test_what_is_no_sequence_of_ids_is_a_type_error(ids: object) -> None:
    with pytest.raises(TypeError, match=r"int|iter"):
        ts.BPE().train("low", vocab_size=256).decode(ids)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "make", [list, tuple, iter, np.array, lambda ids: np.array(ids, dtype=np.uint16)]
)
def test_ids_may_come_in_any_form(make: Callable[[list[int]], Any]) -> None:
    tok = ts.BPE().train("low", vocab_size=256)
    assert tok.decode(make([104, 105])) == "hi"


def test_what_is_no_text_is_a_type_error_that_names_the_place() -> None:
    tok = ts.BPE().train("low", vocab_size=256)
    for text in (None, 3, ["low"], ts.Token(b"a")):
        with pytest.raises(TypeError, match="not str or bytes"):
            tok.encode(text)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"texts\[1\] is NoneType"):
        tok.encode_batch(["low", None])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="one text"):
        tok.encode_batch("low")


def test_a_lone_surrogate_is_refused_with_its_place() -> None:
    tok = ts.BPE().train("low", vocab_size=256)
    with pytest.raises(ts.EncodeError, match="character 2"):
        tok.encode("ab\ud800c")
    with pytest.raises(ts.EncodeError, match=r"texts\[1\]"):
        tok.encode_batch(["a", "\udfff"])


def test_bytes_that_are_no_text_are_replaced_refused_or_kept() -> None:
    tok = ts.BPE().train("low", vocab_size=256)
    ids = tok.encode(b"a\xffb")
    assert tok.decode(ids) == "a\ufffdb"
    assert tok.decode(ids, errors="ignore") == "ab"
    assert tok.decode_bytes(ids) == b"a\xffb"
    with pytest.raises(ts.DecodeError, match="decode_bytes"):
        tok.decode(ids, errors="strict")
    with pytest.raises(ts.SettingsError, match="strict, replace, ignore"):
        tok.decode(ids, errors="xmlcharrefreplace")  # type: ignore[arg-type]
    with pytest.raises(ts.SettingsError, match="strict, replace, ignore"):
        tok.decode_stream(errors="no such handler")  # type: ignore[arg-type]


@pytest.mark.parametrize("num_threads", [0, -1])
def test_a_number_of_threads_that_cannot_be_is_a_value_error(num_threads: int) -> None:
    tok = ts.BPE().train("low", vocab_size=256)
    with pytest.raises(ValueError, match="num_threads"):
        tok.encode_batch(["low"], num_threads=num_threads)


# Copies and equality


@pytest.mark.parametrize("recipe", RECIPES)
def test_pickles_and_copies_are_equal_and_encode_alike(
    trained: dict[str, ts.Tokenizer], recipe: str
) -> None:
    tok = trained[recipe]
    copies = [copy.copy(tok), copy.deepcopy(tok)]
    copies += [pickle.loads(pickle.dumps(tok, protocol)) for protocol in range(2, 6)]
    for other in copies:
        assert other == tok
        assert hash(other) == hash(tok)
        assert other.encode(SMALL[0]) == tok.encode(SMALL[0])
        assert other.settings == tok.settings
        assert other.training == tok.training
        assert (other.recipe, other.encoder) == (tok.recipe, tok.encoder)


def test_tokens_can_be_pickled_hashed_and_compared() -> None:
    tok = ts.train("isbpe-dual", "x", vocab_size=1_025, special_tokens=["<s>"])
    for token in (tok.token(97), tok.token(97 + 512), tok.token(1_024)):
        again = pickle.loads(pickle.dumps(token))
        assert again == token
        assert hash(again) == hash(token)
        assert again.is_special == token.is_special
    assert ts.Token(b"a") != ts.Token(b"a", lead=True)
    assert ts.Token(b"a") != b"a"


def test_tokenizers_that_differ_in_anything_are_not_equal() -> None:
    base = ts.train("bpe", "low low", vocab_size=258)
    assert base == ts.train("bpe", "low low", vocab_size=258)
    for other in (
        ts.train("bpe", "low low", vocab_size=257),
        ts.train("bpe", "low low", vocab_size=258, pretokenizer="gpt2"),
        ts.train("bpe", "low low", vocab_size=258, whitespace="whole"),
        ts.train("bpe", "low low", vocab_size=258, alphabet_order="gpt2"),
        ts.train("bpe", "low low", vocab_size=258, unicode="14.0"),
        ts.train("bpe", "low low", vocab_size=259, special_tokens=["<s>"]),
        base.with_encoder("longest-first"),
    ):
        assert other != base
    assert base != "low"


def test_another_encoder_shares_the_vocabulary_and_can_be_changed_back() -> None:
    tok = ts.train("bpe", "low low lower", vocab_size=260)
    longest_first = tok.with_encoder("longest-first")
    assert (tok.recipe, longest_first.recipe) == ("bpe", "bpe+longest-first")
    assert longest_first.merges == tok.merges
    assert longest_first.with_encoder("merge-rank") == tok
    assert longest_first == ts.train("bpe+longest-first", "low low lower", vocab_size=260)
    with pytest.raises(ts.SettingsError, match=r"viterby.*merge-rank, longest-first"):
        tok.with_encoder("viterby")


# Ten inputs that fail elsewhere (public reports), as far as they concern what is built


@pytest.mark.parametrize("recipe", RECIPES)
def test_d2_bytes_that_training_never_saw_are_kept(recipe: str) -> None:
    tok = ts.train(recipe, ["hello world"] * 5, vocab_size=1_100)
    for text in ("héllo wörld", "hello, world!", bytes(range(256)), bytes(range(255, -1, -1))):
        data = text if isinstance(text, bytes) else text.encode()
        assert tok.decode_bytes(tok.encode(text)) == data


@pytest.mark.parametrize("recipe", BASES)
def test_d3_training_twice_gives_the_same_bytes(recipe: str) -> None:
    text = "Wel come to the 🤗 Tok en izers libr ary."
    files = {
        ts.train(
            recipe, text, vocab_size=1_100, min_pair_count=1, num_threads=1 + index % 4
        ).to_json()
        for index in range(50)
    }
    assert len(files) == 1


def replay(tok: ts.Tokenizer, documents: list[str], min_pair_count: int) -> None:
    """Merge the words of a corpus step by step and check that every merge was the right one."""
    mode = cast(Mode, tok.boundary)
    counts = Counter(
        word for document in documents for word in reference.mark(document.encode(), mode)
    )
    ids = {
        Word(token.lead, token.bytes, token.trail): index
        for index, token in enumerate(map(tok.token, range(tok.vocab_size)))
    }
    words = [
        ([ids[symbol] for symbol in reference.symbols(word, mode)], count)
        for word, count in counts.items()
    ]
    for left, right, new in tok.merges:
        pairs: Counter[tuple[int, int]] = Counter()
        for word_ids, count in words:
            for pair in pairwise(word_ids):
                pairs[pair] += count
        best = max(pairs.values())
        assert pairs[left, right] == best >= min_pair_count
        assert (left, right) == min(pair for pair, count in pairs.items() if count == best)
        words = [(replace(word_ids, left, right, new), count) for word_ids, count in words]


@pytest.mark.parametrize("min_pair_count", [1, 2, 3])
@pytest.mark.parametrize("recipe", BASES)
def test_d4_every_merge_was_the_most_frequent_pair_at_its_step(
    recipe: str, min_pair_count: int
) -> None:
    documents = ["##c ##cac# #ab c# #### accc#a#a#b a cb", SMALL[-1], "aaaa aaa aa a" * 5]
    tok = ts.train(
        recipe,
        documents,
        vocab_size=ALPHABETS[recipe] + 150,
        min_pair_count=min_pair_count,
    )
    assert len(tok.merges) > 30
    replay(tok, documents, min_pair_count)


def test_d6_text_that_spells_a_control_token_is_text(trained: dict[str, ts.Tokenizer]) -> None:
    for tok in trained.values():
        control = tok.special_tokens["<|endoftext|>"]
        text = "a<|endoftext|>b"
        assert control not in tok.encode(text)
        assert control not in tok.encode_batch([text])[0]
        assert tok.encode(text, allowed_special="all").count(control) == 1
        assert tok.decode(tok.encode(text, allowed_special="all")) == text


def test_d8_the_vocabulary_size_is_never_exceeded_and_a_stop_is_explained() -> None:
    characters = "".join(chr(0x4E00 + index) for index in range(500))
    with pytest.raises(ts.SettingsError, match=r"100.*256"):
        ts.train("bpe", characters, vocab_size=100)
    for vocab_size in (256, 257, 300, 400):
        tok = ts.train("bpe", characters, vocab_size=vocab_size, min_pair_count=1)
        assert tok.vocab_size == vocab_size
        assert tok.training is not None
        assert tok.training["stop_reason"] == "vocab-size-reached"
    tok = ts.train("bpe", "a b c d a b c", vocab_size=4_000)
    assert tok.vocab_size < 4_000
    assert tok.training is not None
    assert tok.training["stop_reason"] == "pairs-too-rare"
    every_word_whole = ts.train("bpe", "ab", vocab_size=4_000, min_pair_count=1)
    assert every_word_whole.vocab_size == 257
    assert every_word_whole.training is not None
    assert every_word_whole.training["stop_reason"] == "no-pairs-left"


LONG = ("a", "^", " ", "_", "random letters")


def long_text(kind: str, length: int) -> str:
    if len(kind) == 1:
        return kind * length
    return "".join(random.Random(9).choices("abcdefghijklmnopqrstuvwxyz", k=length))


@pytest.mark.parametrize("kind", LONG)
def test_d9_long_unbroken_input_has_the_ids_of_naive_encoding(
    trained: dict[str, ts.Tokenizer], kind: str
) -> None:
    text = long_text(kind, 2_000).encode()
    for recipe in ("bpe", "isbpe-dual"):
        tok = trained[recipe]
        model = reference.model_from_merges(tok.boundary, tok.merges)  # type: ignore[arg-type]
        assert tok.encode(text) == reference.encode(text, model)
        # Naive longest-first probes every span: a shorter text is long enough for it.
        longest_first, short = trained[f"{recipe}+longest-first"], text[:300]
        twin = reference.encode(short, model, encode_word=reference.encode_longest_first)
        assert longest_first.encode(short) == twin


def faster_of_two(work: Callable[[], object]) -> float:
    times = []
    for _ in range(2):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.parametrize("kind", LONG)
def test_d9_the_time_for_long_unbroken_input_grows_like_its_length(
    trained: dict[str, ts.Tokenizer], kind: str
) -> None:
    short, long = long_text(kind, 100_000), long_text(kind, 1_000_000)
    for tok in trained.values():
        first = faster_of_two(partial(tok.encode_numpy, short))
        second = faster_of_two(partial(tok.encode_numpy, long))
        # Ten times the text; a quadratic encoder needs a hundred times the time. Wide, because
        # machines that run tests are busy, and the short text fits a cache that the long does not.
        assert second < 40 * first + 0.02


@pytest.mark.parametrize("kind", LONG)
def test_d9_counting_long_unbroken_input_takes_time_like_its_length(kind: str) -> None:
    def count(length: int) -> None:
        counts = ts.count_words(ts.Document(long_text(kind, length)), num_threads=1)
        assert counts.num_bytes == length

    assert faster_of_two(lambda: count(1_000_000)) < 40 * faster_of_two(lambda: count(100_000))


def test_d9_training_on_one_long_word_takes_time_like_its_length() -> None:
    trainer = ts.BPE(pretokenizer="none")
    words = {length: long_text("random letters", length) for length in (30_000, 300_000)}
    short, long = (
        faster_of_two(partial(trainer.train, text, vocab_size=400)) for text in words.values()
    )
    assert long < 40 * short + 0.02


@pytest.mark.parametrize("recipe", RECIPES)
def test_d10_white_space_is_kept(trained: dict[str, ts.Tokenizer], recipe: str) -> None:
    tok = trained[recipe]
    for text in (
        "hello  world",
        " hello world",
        "hello world ",
        "hello\nworld",
        "hello\tworld",
        "hello\u2581world",
        "\ufb01ne",
        "a\u00a0b",
    ):
        assert tok.decode(tok.encode(text)) == text
    assert tok.encode("hello world") != tok.encode(" hello world")
    assert tok.is_lossless


# What the tokenizer says of itself


def test_a_tokenizer_tells_how_it_was_made() -> None:
    tok = ts.ISBPE(mode="dual", whitespace="whole", encoder="longest-first", unicode="15.0").train(
        ["low low", "lower"], vocab_size=1_030
    )
    assert tok.recipe == "isbpe-dual+longest-first"
    assert (tok.boundary, tok.whitespace) == ("implicit-dual", "whole")
    assert (tok.pretokenizer, tok.unicode_version) == ("gpt2-contraction-fix", "15.0")
    assert tok.pattern is not None
    assert r"(?!\p{L})" in tok.pattern
    assert tok.training is not None
    assert (tok.training["num_documents"], tok.training["num_bytes"]) == (2, 12)
    assert tok.settings["boundary"] == "implicit-dual"
    assert tok.content_hash.startswith("sha256:")
    assert repr(tok) == f"Tokenizer(isbpe-dual+longest-first, vocab_size={tok.vocab_size})"
    assert ts.train("bpe", "low", vocab_size=256, pretokenizer="none").pattern is None


def test_the_unicode_version_decides_where_text_is_cut() -> None:
    # A letter since Unicode 15.
    text = "a\U00011f04"
    old, new = (
        ts.train("bpe", "x", vocab_size=256, unicode=version) for version in ("14.0", "15.0")
    )
    assert len(old.pretokenize(text)) == 2
    assert len(new.pretokenize(text)) == 1
    with pytest.raises(ts.SettingsError, match=r"14\.0.*15\.0"):
        ts.train("bpe", "x", vocab_size=256, unicode="1.1")


@pytest.mark.parametrize("pattern", ["(", "[a", r"\p{Nope}", "a{1000000}{1000}", "(?-u:\\xff)"])
def test_a_pattern_that_does_not_compile_is_refused_and_named(pattern: str) -> None:
    with pytest.raises(ts.SettingsError, match="does not compile"):
        ts.train("bpe", "low", vocab_size=256, pretokenizer=pattern)


def test_a_pattern_that_would_never_end_gives_up_with_an_error() -> None:
    # A back-reference needs backtracking, and this one is exponential.
    tok = ts.train("bpe", "low", vocab_size=256, pretokenizer=r"(a|aa)+\1b")
    with pytest.raises(ts.EncodeError, match="gave up"):
        tok.encode("a" * 40 + "c")
