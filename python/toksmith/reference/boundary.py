"""Write and read the boundaries between pretokens: who stores a space, and how none is said.

- `space-prefix` keeps the space in the pretoken, as GPT-2 does.
- `metaspace` puts one space before the text, so that its first word looks like any other, and
  takes one away in decoding; `metaspace-no-prefix` does not. Else they are `space-prefix`.
- `end-of-word` gives the one space after a word to that word, as its last byte.
- `continuation` keeps the space in the pretoken, and every symbol of a word but the first has
  `lead`, which is shown as `##`. With the white space rule `drop` it is BERT's: white space is
  not stored, and the decoder writes one space before each token without `lead`.
- In the implicit modes a single space is what the decoder writes between two tokens unless
  something says otherwise: `lead` (no space before), `trail` (no space after, `implicit-dual`
  only), or white space on the left.

Sources: Sennrich et al. 2016 (end of word), Kudo and Richardson 2018 (metaspace), Wu et al. 2016
(continuation), the post "Improving BPE" (ISBPE); where they leave rules open, the ones taken are
below.
"""

import builtins
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

from toksmith.reference.pretokenize import Pattern, pretokenize, to_characters
from toksmith.reference.unicode import WHITE_SPACE, character_class

Mode: TypeAlias = Literal[
    "space-prefix",
    "metaspace",
    "metaspace-no-prefix",
    "end-of-word",
    "continuation",
    "implicit-single",
    "implicit-dual",
]
Whitespace: TypeAlias = Literal["split", "whole", "drop"]

#: Modes in which the decoder writes a space unless a mark says otherwise.
IMPLICIT: frozenset[Mode] = frozenset({"implicit-single", "implicit-dual"})
#: Modes in which the symbols of a word, but the first, have lead.
MARKED: frozenset[Mode] = IMPLICIT | {"continuation"}

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
        whitespace: `split` keeps the pattern's white space, `whole` joins adjacent ones, `drop`
            (`continuation` alone) leaves it out.
        at_start: False for the right part of a document that was cut before a `\s` character that
            follows a character that is not: the state is then "last byte is not white space".
        unicode_version: whose character classes; None is the newest.
    Raises:
        ValueError: `at_start` is False and `data` does not begin with white space, or the mode is
            `end-of-word`, whose left part would lack that space; or a white space rule that the
            mode does not have.

    >>> [tuple(word) for word in mark(b"x.y z", "implicit-dual")]
    [(False, b'x', False), (True, b'.', True), (False, b'y', False), (False, b'z', False)]
    >>> [word.bytes for word in mark(b"x.y z", "space-prefix")]
    [b'x', b'.', b'y', b' z']
    >>> [word.bytes for word in mark(b"x.y z", "metaspace")]
    [b' x', b'.', b'y', b' z']
    >>> [word.bytes for word in mark(b"x.y z", "end-of-word")]
    [b'x', b'.', b'y ', b'z']
    >>> [word.bytes for word in mark(b" z", "implicit-dual")]
    [b' ', b'z']
    >>> [word.bytes for word in mark(b" z", "implicit-dual", at_start=False)]
    [b'z']
    """
    prefix = b" " if mode == "metaspace" and at_start and data else b""
    pretokens = pretokenize(prefix + data, pattern, unicode_version)
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

    For `metaspace` they are the pretokens of the text with its space before it.

    >>> [tuple(word) for word in mark_pretokens([b"fire", b"Event"], "implicit-dual")]
    [(False, b'fire', True), (False, b'Event', False)]
    """
    if whitespace == "drop" and mode != "continuation":
        raise ValueError(f"whitespace is 'drop', but only 'continuation' has that, not {mode!r}")
    if mode == "end-of-word":
        if not at_start:
            raise ValueError("at_start is False, but end-of-word gives a space to the word before")
        return _end_of_word(pretokens, whitespace, unicode_version)
    if whitespace == "drop":
        bare = (pretoken.removeprefix(b" ") for pretoken in pretokens)
        return [Word(False, p, False) for p in bare if p and not _is_white(p, unicode_version)]
    implicit = mode in IMPLICIT
    if not implicit and whitespace == "split":
        return [Word(False, pretoken, False) for pretoken in pretokens]
    words: list[Word] = []
    after_whitespace_word = False
    # Nothing is before, or the last byte is in AWS. Metaspace's first space is the first word's.
    glue = at_start and mode != "metaspace"
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


def _is_white(pretoken: bytes, unicode_version: str | None) -> bool:
    text = to_characters(pretoken)
    return all(character_class(ord(character), unicode_version) == "S" for character in text)


def _end_of_word(
    pretokens: Iterable[bytes], whitespace: Whitespace, unicode_version: str | None
) -> list[Word]:
    """The space directly after a word goes to it; the rest of white space is kept as it is cut.

    A space that stands before a word and ends none (another one, or a tab, stands before it) is
    white space by itself, which `whole` joins to that before it.
    """
    words: list[bytes] = []
    after_whitespace_word = False
    for pretoken in pretokens:
        white = _is_white(pretoken, unicode_version)
        rest = pretoken
        joins = whitespace == "whole" and after_whitespace_word
        if pretoken.startswith(b" "):
            if words and words[-1][-1] not in AWS:
                words[-1] += b" "
                rest = pretoken[1:]
            elif not white:
                if joins:
                    words[-1] += b" "
                else:
                    words.append(b" ")
                rest = pretoken[1:]
        if rest and white and joins:
            words[-1] += rest
        elif rest:
            words.append(rest)
            after_whitespace_word = white
    return [Word(False, word, False) for word in words]


def unmark(words: Sequence[Word], mode: Mode, whitespace: Whitespace = "split") -> bytes:
    """Undo `mark` for a text that was marked from its start; `drop` cannot be undone.

    >>> unmark(mark(b"self.fireEvent  (x)", "implicit-dual"), "implicit-dual")
    b'self.fireEvent  (x)'
    >>> unmark(mark(b" self", "metaspace"), "metaspace")
    b' self'
    """
    parts: list[bytes] = []
    for index, word in enumerate(words):
        if index > 0 and implies_space(words[index - 1], word, mode, whitespace):
            parts.append(b" ")
        parts.append(word.bytes)
    text = b"".join(parts)
    return text.removeprefix(b" ") if mode == "metaspace" else text


def implies_space(left: Word, right: Word, mode: Mode, whitespace: Whitespace = "split") -> bool:
    """Return whether the decoder writes a space between two neighbours.

    >>> a, dot = Word(False, b"a", False), Word(True, b".", False)
    >>> implies_space(a, a, "implicit-dual"), implies_space(a, dot, "implicit-dual")
    (True, False)
    """
    if mode not in IMPLICIT and whitespace != "drop":
        return False
    return not (right.lead or left.trail or left.bytes[-1] in AWS)


def symbols(word: Word, mode: Mode) -> list[Word]:
    """Spread a word over its bytes: the units that trainers and encoders start from.

    Lead stands on the first byte and trail on the last. In the modes with marks every later byte
    has lead: in the implicit ones so that no space can come inside a word.

    >>> [tuple(symbol) for symbol in symbols(Word(False, b"ab", True), "implicit-dual")]
    [(False, b'a', False), (True, b'b', True)]
    """
    return spread(word, [bytes([byte]) for byte in word.bytes], mode)


def spread(word: Word, pieces: Sequence[bytes], mode: Mode) -> list[Word]:
    """Give the marks of a word to the pieces that spell it.

    >>> spread(Word(False, b"aab", False), [b"aa", b"b"], "continuation")[1]
    Word(lead=True, bytes=b'b', trail=False)
    """
    last = len(pieces) - 1
    return [
        Word(word.lead if i == 0 else mode in MARKED, piece, word.trail if i == last else False)
        for i, piece in enumerate(pieces)
    ]
