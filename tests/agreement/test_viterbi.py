"""The twins of Viterbi and n-best agree with SentencePiece and `tokenizers`, ties included."""

from __future__ import annotations

import random
import struct
from collections.abc import Mapping

import pytest
import sentencepiece
import tokenizers

from toksmith.reference import Model, Word, encode_n_best, encode_viterbi


def pieces_of(seed: int) -> dict[str, float]:
    """Few letters and scores in quarters: many ties, and no rounding, in 32 bits either."""
    draw = random.Random(seed)
    pieces = {letter: -draw.randint(4, 24) / 4 for letter in "abc"}
    for _ in range(draw.randint(0, 8)):
        pieces["".join(draw.choices("abc", k=draw.randint(2, 4)))] = -draw.randint(4, 32) / 4
    return pieces


def varint(number: int) -> bytes:
    digits = []
    while number > 127:
        digits.append(number & 127 | 128)
        number >>= 7
    return bytes([*digits, number])


def field(number: int, content: bytes | int) -> bytes:
    """One field of a protocol buffer: a length and bytes, or a number."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def sentencepiece_of(pieces: Mapping[str, float]) -> sentencepiece.SentencePieceProcessor:
    """A processor with these pieces that changes nothing in a text."""
    model = b""
    for index, (piece, score) in enumerate([("<unk>", 0.0), *pieces.items()]):
        content = field(1, piece.encode()) + varint(2 << 3 | 5) + struct.pack("<f", score)
        model += field(1, content + (field(3, 2) if index == 0 else b""))
    normalizer = field(1, b"identity") + field(3, 0) + field(4, 0) + field(5, 0)
    return sentencepiece.SentencePieceProcessor(model_proto=model + field(3, normalizer))


@pytest.mark.parametrize("block", range(4))
def test_the_best_segmentations_are_those_of_the_peers(block: int) -> None:
    for seed in range(50 * block, 50 * block + 50):
        pieces = pieces_of(seed)
        names = list(pieces)
        tokens = tuple(Word(False, piece.encode(), False) for piece in pieces)
        model = Model("space-prefix", tokens, num_units=3, scores=tuple(pieces.values()))
        processor = sentencepiece_of(pieces)
        unknown = ("<unk>", -100.0)
        unigram = tokenizers.Tokenizer(
            tokenizers.models.Unigram([unknown, *pieces.items()], unk_id=0)
        )
        draw = random.Random(seed)
        for _ in range(20):
            text = "".join(draw.choices("abc", k=draw.randint(1, 9)))
            word = Word(False, text.encode(), False)
            best = [names[index] for index in encode_viterbi(word, model)]
            assert processor.encode(text, out_type=str) == best
            assert unigram.encode(text).tokens == best
            # SentencePiece orders equal ones another way: the scores say whether they are the best.
            n_best = encode_n_best(word, model, 5)
            theirs = processor.nbest_encode_as_pieces(text, 5)
            assert [sum(pieces[p] for p in path) for path in theirs] == [s for _, s in n_best]
            assert len({tuple(ids) for ids, _ in n_best}) == len(n_best)
