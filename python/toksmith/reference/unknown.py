"""Encode what a vocabulary without byte fallback does not cover as an unknown token.

Sources: Devlin et al. 2019 (BERT: the word is unknown); SentencePiece (a run of characters is).
"""

from collections.abc import Callable
from typing import Literal, TypeAlias

from toksmith.reference.boundary import Word, spread
from toksmith.reference.model import Model
from toksmith.reference.pretokenize import to_bytes, to_characters

Scope: TypeAlias = Literal["word", "characters"]


def encode_with_unknown(
    word: Word,
    model: Model,
    encode_word: Callable[[Word, Model], list[int]],
    unk_token: bytes,
    scope: Scope,
    *,
    max_characters: int | None = None,
) -> list[int]:
    """Encode one word with any encoder, and what that cannot encode with `unk_token`.

    Args:
        word: one marked pretoken.
        model: `unk_token` is one of its special tokens.
        encode_word: the encoder of what is covered.
        unk_token: stands for what is not.
        scope: `word`: the whole word is unknown if a character of it is. `characters`: each
            longest run of characters that are no units is one unknown token, and the runs between
            are encoded by themselves.
        max_characters: a word of more is unknown as a whole, in either scope.

    >>> from toksmith.reference.longest_first import encode_longest_first
    >>> model = Model("space-prefix", (Word(False, b"a", False),), (), (b"<unk>",), num_units=1)
    >>> word = Word(False, b"axya", False)
    >>> encode_with_unknown(word, model, encode_longest_first, b"<unk>", "characters")
    [0, 1, 0]
    >>> encode_with_unknown(word, model, encode_longest_first, b"<unk>", "word")
    [1]
    """
    if max_characters is not None and len(to_characters(word.bytes)) > max_characters:
        return [model.special_id(unk_token)]
    try:
        return encode_word(word, model)
    except KeyError:
        unknown = model.special_id(unk_token)
        if scope == "word":
            return [unknown]
    characters = [to_bytes(character) for character in to_characters(word.bytes)]
    runs: list[tuple[bool, list[Word]]] = []
    for character in spread(word, characters, model.mode):
        is_known = all(unit in model.units for unit in model.spell(character))
        if runs and runs[-1][0] == is_known:
            runs[-1][1].append(character)
        else:
            runs.append((is_known, [character]))
    ids: list[int] = []
    for is_known, run in runs:
        text = b"".join(character.bytes for character in run)
        part = Word(run[0].lead, text, run[-1].trail)
        ids += encode_word(part, model) if is_known else [unknown]
    return ids
