"""Templates, truncation, windows and padding are those of Hugging Face `tokenizers`.

Four things differ on purpose, and a test each says so:

- of a pair of which both texts are cut, the windows of the second run fastest here; there the first
  window of the first text comes first and last;
- in windows after the first `tokenizers` forgets the types that the template gives the texts;
- a maximum length that leaves no room for a text gives windows there that are longer than it;
- a stride as large as a window is a panic there, which no `except Exception` catches.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors

import toksmith as ts

SPECIALS = ["[CLS]", "[SEP]", "[PAD]"]
TEMPLATES = [
    ("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1"),
    ("$A [SEP]", "$B:2 [SEP]:1 [SEP] $A:3"),
    ("$A", "$A $B:1"),
]
STRATEGIES = {
    "longest-first": "longest_first",
    "only-first": "only_first",
    "only-second": "only_second",
}


@pytest.fixture(scope="module")
def ours(small_corpus: list[str]) -> ts.Tokenizer:
    trainer = ts.BPE(pretokenizer="gpt2", alphabet_order="gpt2", special_tokens=SPECIALS)
    return trainer.train(small_corpus, vocab_size=600)


@pytest.fixture(scope="module")
def texts(small_corpus: list[str]) -> list[str]:
    """Pieces of the corpus, from nothing to some hundred characters; special tokens among them."""
    generator = random.Random(3)
    pieces = ["", " ", "a", "\u4e2d\u6587"]
    for _ in range(300):
        text = generator.choice(small_corpus)
        start = generator.randrange(len(text))
        pieces.append(text[start : start + generator.choice([3, 20, 60, 200])])
    return pieces


def theirs_of(ours: ts.Tokenizer) -> Tokenizer:
    """A BPE of `tokenizers` with the vocabulary, the merges and the special tokens of ours."""
    byte_level: Any = pre_tokenizers.ByteLevel
    shown = sorted(byte_level.alphabet())
    # GPT-2's characters in the order of their code points are its bytes in its order, as are ids.
    names = {ours.token(index).bytes: character for index, character in enumerate(shown)}
    spelled = [
        "".join(names[bytes([byte])] for byte in ours.token(index).bytes)
        for index in range(ours.vocab_size - len(SPECIALS))
    ]
    vocab = {name: index for index, name in enumerate(spelled)}
    merges = [(spelled[left], spelled[right]) for left, right, _ in ours.merges]
    theirs = Tokenizer(models.BPE(vocab, merges))
    theirs.pre_tokenizer = byte_level(add_prefix_space=False)
    theirs.decoder = decoders.ByteLevel()
    theirs.add_special_tokens([AddedToken(name, special=True) for name in SPECIALS])
    theirs.encode_special_tokens = True  # in a text they are text
    assert {name: theirs.token_to_id(name) for name in SPECIALS} == ours.special_tokens
    return theirs


@pytest.fixture(scope="module", params=TEMPLATES, ids=lambda template: template[1])
def engines(request: pytest.FixtureRequest, ours: ts.Tokenizer) -> tuple[ts.Tokenizer, Tokenizer]:
    theirs = theirs_of(ours)
    single, pair = request.param
    theirs.post_processor = processors.TemplateProcessing(
        single=single, pair=pair, special_tokens=list(ours.special_tokens.items())
    )
    return ours.with_template(single, pair), theirs


def rows_of_theirs(encodings: list[Any]) -> Iterator[tuple[int, Any]]:
    for sample, encoding in enumerate(encodings):
        yield sample, encoding
        for overflow in encoding.overflowing:
            yield sample, overflow


def compare(
    found: ts.Prepared,
    encodings: list[Any],
    *,
    as_sets: bool = False,
    overflow: bool = True,
    typed: bool = True,
) -> None:
    """Hold rows against theirs: one by one, or as sets; with the types of ids or without."""
    theirs = [
        (
            sample,
            *(tuple(row.ids), tuple(row.offsets), tuple(row.sequence_ids)),
            *(tuple(row.attention_mask), tuple(row.special_tokens_mask)),
            tuple(row.type_ids) if typed else (),
        )
        for sample, row in (rows_of_theirs(encodings) if overflow else enumerate(encodings))
    ]
    ours = [
        (sample, *map(tuple, row), tuple(type_ids) if typed else ())
        for sample, type_ids, *row in zip(
            *(found.overflow_to_sample, found.type_ids),
            *(found.ids, found.char_spans, found.sequence_ids),
            *(found.attention_mask, found.special_tokens_mask),
            strict=True,
        )
    ]
    if as_sets:
        assert set(ours) == set(theirs)
    else:
        assert ours == theirs


def check_call(
    engines: tuple[ts.Tokenizer, Tokenizer],
    generator: random.Random,
    texts: list[str],
    *,
    paired: bool,
    overflow: bool,
) -> bool:
    """Compare one random call; False if both refuse it."""
    tok, theirs = engines
    strategy: Any = generator.choice(list(STRATEGIES) if paired else ["longest-first"])
    side: Any = generator.choice(["left", "right"])
    add = generator.random() < 0.8
    samples = [generator.choice(texts) for _ in range(3)]
    pairs = [generator.choice(texts) for _ in range(3)] if paired else None
    form = (tok.template or {})["pair" if paired else "single"]
    num_added = sum("$" not in piece for piece in form) if add else 0
    max_length = num_added + generator.choice([1, 2, 3, 5, 8, 20, 60])
    stride = generator.choice([0, 0, 0, 0, 1, 3]) if overflow else 0
    padding: Any = generator.choice([None, "longest", "max_length"])
    padding_side: Any = generator.choice(["left", "right"])
    multiple = generator.choice([None, 1, 8, 7]) if padding else None

    theirs.no_truncation()
    theirs.no_padding()
    if padding:
        theirs.enable_padding(
            direction=padding_side,
            pad_id=tok.special_tokens["[PAD]"],
            pad_token="[PAD]",
            length=max_length if padding == "max_length" else None,
            pad_to_multiple_of=multiple,
        )
    try:
        found = tok.prepare(
            samples,
            pairs,
            max_length=max_length,
            truncation=strategy,
            stride=stride,
            truncation_side=side,
            padding=padding,
            pad_token="[PAD]",
            padding_side=padding_side,
            pad_to_multiple_of=multiple,
            add_special_tokens=add,
            return_overflow=overflow,
        )
    except ts.SettingsError as error:
        # A stride that is refused here may be a panic there: not tried.
        if "stride" not in str(error):
            theirs.enable_truncation(max_length, strategy=STRATEGIES[strategy], direction=side)
            with pytest.raises(Exception, match="too short"):
                encode(theirs, samples, pairs, add)
        return False
    try:
        theirs.enable_truncation(
            max_length, stride=stride, strategy=STRATEGIES[strategy], direction=side
        )
    except ValueError:
        # Before it knows whether special tokens are added, it counts them.
        assert not add
        return False
    encodings = encode(theirs, samples, pairs, add)
    compare(
        found,
        encodings,
        as_sets=overflow and paired and strategy == "longest-first",
        overflow=overflow,
        typed=not overflow or {"$A", "$B:1"}.issuperset(p for p in form if "$" in p),
    )
    return True


def encode(theirs: Tokenizer, texts: list[str], pairs: list[str] | None, add: bool) -> list[Any]:
    inputs: Any = texts if pairs is None else list(zip(texts, pairs, strict=True))
    return list(theirs.encode_batch(inputs, add_special_tokens=add))


@pytest.mark.parametrize("overflow", [False, True], ids=["first window", "all windows"])
@pytest.mark.parametrize("paired", [False, True], ids=["texts", "pairs"])
def test_rows_are_theirs(
    engines: tuple[ts.Tokenizer, Tokenizer], texts: list[str], paired: bool, overflow: bool
) -> None:
    generator = random.Random(f"{paired} {overflow}")
    # Pairs with all windows: theirs are many times ours, so shorter texts.
    pool = [text for text in texts if len(text) <= 60] if paired and overflow else texts
    compared = sum(
        check_call(engines, generator, pool, paired=paired, overflow=overflow) for _ in range(300)
    )
    assert compared > 100


def test_both_texts_cut_gives_each_pair_of_windows_once(ours: ts.Tokenizer) -> None:
    text, pair = "a.b.c", "x.y.z"
    theirs = theirs_of(ours)
    theirs.enable_truncation(4)
    rows = [row.ids for _, row in rows_of_theirs([theirs.encode(text, pair)])]
    found = ours.prepare([text], [pair], max_length=4, return_overflow=True)
    first, second = ([ours.encode(part)[at : at + 2] for at in (0, 2, 4)] for part in (text, pair))
    assert found.ids == [a + b for a in first for b in second]
    assert sorted(found.ids) == sorted(rows)
    assert [row[0] for row in rows] == [first[at][0] for at in (0, 1, 1, 1, 2, 2, 2, 0, 0)]


def test_windows_after_the_first_keep_the_types_of_the_template(ours: ts.Tokenizer) -> None:
    theirs = theirs_of(ours)
    theirs.post_processor = processors.TemplateProcessing(single="$A:3", pair="$A:3 $B:4")
    theirs.enable_truncation(2)
    encoding = theirs.encode("a.b.")
    assert [encoding.type_ids, encoding.overflowing[0].type_ids] == [[3, 3], [0, 0]]
    tok = ours.with_template("$A:3")
    assert tok.prepare(["a.b."], max_length=2, return_overflow=True).type_ids == [[3, 3]] * 2


def test_a_length_without_room_is_refused_where_theirs_gives_longer_windows(
    ours: ts.Tokenizer,
) -> None:
    template = TEMPLATES[0]
    theirs = theirs_of(ours)
    theirs.post_processor = processors.TemplateProcessing(
        single=template[0], pair=template[1], special_tokens=list(ours.special_tokens.items())
    )
    theirs.enable_truncation(2)
    encoding = theirs.encode("a.b.c")
    assert len(encoding.ids) == 2
    assert [len(row.ids) for row in encoding.overflowing] == [7]
    tok = ours.with_template(*template)
    assert tok.prepare(["a.b.c"], max_length=2).ids == [encoding.ids]
    with pytest.raises(ts.SettingsError, match="max_length must be larger"):
        tok.prepare(["a.b.c"], max_length=2, return_overflow=True)


def test_their_panic_is_an_error_here(ours: ts.Tokenizer) -> None:
    tok = ours.with_template(*TEMPLATES[0])
    theirs = theirs_of(ours)
    theirs.post_processor = processors.TemplateProcessing(
        single=TEMPLATES[0][0],
        pair=TEMPLATES[0][1],
        special_tokens=list(ours.special_tokens.items()),
    )
    text, pair = ".,.,.,.,.,.,.", ".,.,.,.,."
    theirs.enable_truncation(6, stride=2)
    with pytest.raises(BaseException, match="stride") as caught:
        theirs.encode(text, pair)
    assert not isinstance(caught.value, Exception)
    with pytest.raises(ts.SettingsError, match=r"stride is 2.* the largest stride is 0"):
        tok.prepare([text], [pair], max_length=6, stride=2, return_overflow=True)


def test_the_template_of_their_file_is_ours(engines: tuple[ts.Tokenizer, Tokenizer]) -> None:
    tok, theirs = engines

    def pieces(form: list[dict[str, dict[str, Any]]]) -> list[str]:
        named = [(kind, value) for piece in form for kind, value in piece.items()]
        return [
            ("$" if kind == "Sequence" else "")
            + value["id"]
            + (f":{value['type_id']}" if value["type_id"] else "")
            for kind, value in named
        ]

    stored = json.loads(theirs.to_str())["post_processor"]
    assert tok.template == {"single": pieces(stored["single"]), "pair": pieces(stored["pair"])}
