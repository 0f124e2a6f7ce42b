"""Write and read the boundaries between pretokens: who stores a space, and how none is said.

`space-prefix` keeps the space in the pretoken, as GPT-2 does. In the implicit modes a single
space is what the decoder writes between two tokens unless something says otherwise: `lead` (no
space before), `trail` (no space after, `implicit-dual` only), or white space on the left.

Source: the post "Improving BPE" (ISBPE); it leaves rules open, and the ones taken are below.
"""

import builtins
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

from toksmith.reference.pretokenize import Pattern, pretokenize, to_characters
from toksmith.reference.unicode import WHITE_SPACE, character_class

Mode: TypeAlias = Literal["space-prefix", "implicit-single", "implicit-dual"]
Whitespace: TypeAlias = Literal["split", "whole"]

#: ASCII white space. After one of these bytes the decoder writes no space. It is a set of bytes
#: and not of characters because a token may hold half a character.
AWS = frozenset(b"\t\n\x0b\x0c\r ")


class Word(NamedTuple):
    """Bytes with their two marks: a marked pretoken, a symbol (one byte) or a token.

    >>> Word(True, b".", True)
    Word(lead=True, bytes=b'.', trail=True)
    """

    lead: bool
    bytes: builtins.bytes
    trail: bool


def mark(
    data: bytes,
    mode: Mode,
    pattern: Pattern = "gpt2-contraction-fix",
    whitespace: Whitespace = "split",
    *,
    at_start: bool = True,
    unicode_version: str | None = None,
) -> list[Word]:
    r"""Cut a text into pretokens and mark them.

    Args:
        data: one text or document, any bytes.
        mode: the boundary.
        pattern: how to cut.
        whitespace: `split` keeps the pattern's white space, `whole` joins adjacent ones.
        at_start: False for the right part of a document that was cut before a `\s` character that
            follows a character that is not: the state is then "last byte is not white space".
        unicode_version: whose character classes; None is the newest.
    Raises:
        ValueError: `at_start` is False and `data` does not begin with white space.

    >>> [tuple(word) for word in mark(b"x.y z", "implicit-dual")]
    [(False, b'x', False), (True, b'.', True), (False, b'y', False), (False, b'z', False)]
    >>> [word.bytes for word in mark(b"x.y z", "space-prefix")]
    [b'x', b'.', b'y', b' z']
    >>> [word.bytes for word in mark(b" z", "implicit-dual")]
    [b' ', b'z']
    >>> [word.bytes for word in mark(b" z", "implicit-dual", at_start=False)]
    [b'z']
    """
    pretokens = pretokenize(data, pattern, unicode_version)
    return mark_pretokens(
        pretokens, mode, whitespace, at_start=at_start, unicode_version=unicode_version
    )


def mark_pretokens(  # noqa: PLR0912  # the branches are the rules, in their order
    pretokens: Iterable[bytes],
    mode: Mode,
    whitespace: Whitespace = "split",
    *,
    at_start: bool = True,
    unicode_version: str | None = None,
) -> list[Word]:
    """Mark pretokens that are cut already, by any pattern; see `mark`.

    >>> [tuple(word) for word in mark_pretokens([b"fire", b"Event"], "implicit-dual")]
    [(False, b'fire', True), (False, b'Event', False)]
    """
    if mode == "space-prefix" and whitespace == "split":
        return [Word(False, pretoken, False) for pretoken in pretokens]
    implicit = mode != "space-prefix"
    words: list[Word] = []
    after_whitespace_word = False
    glue = at_start  # nothing is before, or the last byte is in AWS
    for pretoken in pretokens:
        text = to_characters(pretoken)
        if not words and not at_start and ord(text[0]) not in WHITE_SPACE:
            raise ValueError(f"at_start is False, but the text begins with {text[0]!r}")
        classes = {character_class(ord(character), unicode_version) for character in text}
        if classes == {"S"}:  # rule 1
            if whitespace == "whole" and after_whitespace_word:
                words[-1] = words[-1]._replace(bytes=words[-1].bytes + pretoken)
            else:
                words.append(Word(implicit and not glue, pretoken, False))
        elif pretoken.startswith(b" "):  # rule 2
            if not glue:  # c: the space is implied, or stays where it is in space-prefix
                words.append(Word(False, pretoken[1:] if implicit else pretoken, False))
            else:
                if not words:  # a
                    words.append(Word(False, b" ", False))
                else:  # b
                    words[-1] = words[-1]._replace(bytes=words[-1].bytes + b" ")
                words.append(Word(False, pretoken[1:], False))
        elif mode == "implicit-dual" and classes == {"L"} and not glue:  # rule 3, letter word
            words[-1] = words[-1]._replace(trail=True)
            words.append(Word(False, pretoken, False))
        else:  # rule 3
            words.append(Word(implicit and not glue, pretoken, False))
        after_whitespace_word = classes == {"S"}
        glue = words[-1].bytes[-1] in AWS
    return words


def unmark(words: Sequence[Word], mode: Mode) -> bytes:
    """Undo `mark` for a text that was marked from its start.

    >>> unmark(mark(b"self.fireEvent  (x)", "implicit-dual"), "implicit-dual")
    b'self.fireEvent  (x)'
    """
    parts: list[bytes] = []
    for index, word in enumerate(words):
        if index > 0 and implies_space(words[index - 1], word, mode):
            parts.append(b" ")
        parts.append(word.bytes)
    return b"".join(parts)


def implies_space(left: Word, right: Word, mode: Mode) -> bool:
    """Return whether the decoder writes a space between two neighbours.

    >>> a, dot = Word(False, b"a", False), Word(True, b".", False)
    >>> implies_space(a, a, "implicit-dual"), implies_space(a, dot, "implicit-dual")
    (True, False)
    """
    if mode == "space-prefix":
        return False
    return not (right.lead or left.trail or left.bytes[-1] in AWS)


def symbols(word: Word, mode: Mode) -> list[Word]:
    """Spread a word over its bytes: the units that trainers and encoders start from.

    In the implicit modes lead stands on the first byte and trail on the last; every later byte
    has lead, so that no space can come inside a word.

    >>> [tuple(symbol) for symbol in symbols(Word(False, b"ab", True), "implicit-dual")]
    [(False, b'a', False), (True, b'b', True)]
    """
    last = len(word.bytes) - 1
    return [
        Word(
            word.lead if index == 0 else mode != "space-prefix",
            bytes([byte]),
            word.trail if index == last else False,
        )
        for index, byte in enumerate(word.bytes)
    ]
