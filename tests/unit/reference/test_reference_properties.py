"""What holds for the plain-Python twins on any bytes."""

import re
from itertools import pairwise
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from toksmith.reference import (
    Word,
    decode,
    encode,
    encode_longest_first,
    form,
    mark,
    mark_pretokens,
    model_from_merges,
    parse_form,
    pretokenize,
    pretokenize_custom,
    unmark,
)
from toksmith.reference.boundary import Mode, Whitespace
from toksmith.reference.pretokenize import Pattern, to_characters
from toksmith.reference.unicode import WHITE_SPACE, character_class

# Pieces at which marking has something to decide: spaces of all kinds, contractions, marks,
# halves of characters, and the signs that the display uses.
HOSTILE = [" ", " ", "\n", "\r", "\t", "\x0b", "\x1f", "\u00a0", "\u2028", "\u3000", "\u0301"]
HOSTILE += ["a", "b", "S", "'", "'s", "'ll", "1", "\u00b2", ".", "#", "|", "\\", "\u00e9", "\u4f60"]
FRAGMENTS = [piece.encode() for piece in HOSTILE] + [b"\xc2", b"\xa0", b"\xe2\x80", b"\xff", b"\0"]

texts = st.one_of(
    st.lists(st.sampled_from(FRAGMENTS), max_size=14).map(b"".join), st.binary(max_size=20)
)
modes: st.SearchStrategy[Mode] = st.sampled_from(get_args(Mode))
# The space that parts a document belongs to the word before it in end-of-word.
cut_modes: st.SearchStrategy[Mode] = st.sampled_from(
    [mode for mode in get_args(Mode) if mode != "end-of-word"]
)
# Metaspace writes its space before the text is cut.
pretoken_modes: st.SearchStrategy[Mode] = st.sampled_from(
    [mode for mode in get_args(Mode) if mode != "metaspace"]
)
implicit_modes: st.SearchStrategy[Mode] = st.sampled_from(("implicit-single", "implicit-dual"))
patterns: st.SearchStrategy[Pattern] = st.sampled_from(
    ("gpt2", "gpt2-contraction-fix", "whitespace", "none")
)
gpt2_patterns: st.SearchStrategy[Pattern] = st.sampled_from(("gpt2", "gpt2-contraction-fix"))
whitespaces: st.SearchStrategy[Whitespace] = st.sampled_from(("split", "whole"))
# Custom patterns that cut in odd places: inside letters, before and after white space.
custom_patterns = st.sampled_from([r"[a-z]", r"\S+\s", r" *[^\s]", r"\s\S*", r"x*", r".\n?"])


@given(texts, patterns)
def test_joined_pretokens_are_the_text(data: bytes, pattern: Pattern) -> None:
    assert b"".join(pretokenize(data, pattern)) == data


@given(texts, modes, patterns, whitespaces)
def test_unmark_undoes_mark(
    data: bytes, mode: Mode, pattern: Pattern, whitespace: Whitespace
) -> None:
    assert unmark(mark(data, mode, pattern, whitespace), mode) == data


@given(texts, pretoken_modes, custom_patterns, whitespaces)
def test_unmark_undoes_mark_for_custom_patterns(
    data: bytes, mode: Mode, pattern: str, whitespace: Whitespace
) -> None:
    text = data.decode("utf-8", "ignore")
    pretokens = [p.encode() for p in pretokenize_custom(text, re.compile(pattern))]
    assert unmark(mark_pretokens(pretokens, mode, whitespace), mode) == text.encode()


@given(texts, gpt2_patterns, whitespaces)
def test_letter_words_carry_no_marks_in_dual(
    data: bytes, pattern: Pattern, whitespace: Whitespace
) -> None:
    for word in mark(data, "implicit-dual", pattern, whitespace):
        if all(character_class(ord(c)) == "L" for c in to_characters(word.bytes)):
            assert (word.lead, word.trail) == (False, False)


@settings(max_examples=50)
@given(texts, cut_modes, gpt2_patterns, whitespaces)
def test_a_safe_cut_changes_no_word_anywhere(
    data: bytes, mode: Mode, pattern: Pattern, whitespace: Whitespace
) -> None:
    characters = to_characters(data)
    whole = mark(data, mode, pattern, whitespace)
    position = 0
    for before, here in pairwise(characters):
        position += len(before.encode("utf-8", "surrogateescape"))
        if ord(here) in WHITE_SPACE and ord(before) not in WHITE_SPACE:
            left = mark(data[:position], mode, pattern, whitespace)
            right = mark(data[position:], mode, pattern, whitespace, at_start=False)
            assert left + right == whole


@given(texts, implicit_modes, whitespaces)
def test_decoding_undoes_both_encoders(data: bytes, mode: Mode, whitespace: Whitespace) -> None:
    a, hash_a, space = ord("a"), 256 + ord("a"), 256 + ord(" ")
    base = 512 if mode == "implicit-single" else 1024
    merges = [(hash_a, hash_a, base), (a, hash_a, base + 1), (space, space, base + 2)]
    model = model_from_merges(mode, [*merges, (a, base, base + 3), (base + 1, hash_a, base + 3)])
    assert decode(encode(data, model, whitespace=whitespace), model) == data
    longest = encode(data, model, whitespace=whitespace, encode_word=encode_longest_first)
    assert decode(longest, model) == data


@given(st.booleans(), texts.filter(bool), st.booleans())
def test_parse_form_undoes_form(lead: bool, data: bytes, trail: bool) -> None:
    word = Word(lead, data, trail)
    assert parse_form(form(word)) == word


def test_longest_first_does_not_recurse_on_the_length_of_a_word() -> None:
    word = Word(False, b"ab" * 700, False)  # no token longer than a byte: 1400 nested gaps
    assert encode_longest_first(word, model_from_merges("space-prefix", [])) == [97, 98] * 700
