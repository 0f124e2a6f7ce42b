r"""Cut bytes into pretokens.

The two GPT-2 patterns are matched by hand over character classes, since Python's `re` has neither
`\p{L}` nor a pinned Unicode version:

    gpt2                   '(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
    gpt2-contraction-fix   '(?:[sdmt]|ll|ve|re)(?!\p{L})| ... the rest the same

A byte that belongs to no well-formed UTF-8 sequence counts as one character of class "other".
Joined pretokens are the input.

Source: Radford et al. 2019 (GPT-2), `encoder.py`; the fix: the post "Improving BPE" (ISBPE).
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from toksmith.reference.unicode import CharacterClass, character_class

Pattern: TypeAlias = Literal["gpt2", "gpt2-contraction-fix", "whitespace", "none"]

CONTRACTIONS = ("'s", "'d", "'m", "'t", "'ll", "'ve", "'re")


def to_characters(data: bytes) -> str:
    r"""Decode UTF-8; each byte that is ill-formed becomes a lone surrogate, class "other".

    >>> to_characters(b"a\xe2\x80") == "a\udce2\udc80"
    True
    """
    return data.decode("utf-8", "surrogateescape")


def to_bytes(characters: str) -> bytes:
    r"""Undo `to_characters`.

    >>> to_bytes("a\udce2\udc80") == b"a\xe2\x80"
    True
    """
    return characters.encode("utf-8", "surrogateescape")


def pretokenize(
    data: bytes, pattern: Pattern = "gpt2-contraction-fix", unicode_version: str | None = None
) -> Iterator[bytes]:
    r"""Yield the pretokens of a text in order; nothing is dropped.

    Args:
        data: any bytes.
        pattern: `gpt2`, `gpt2-contraction-fix`, `whitespace` (`\s+|\S+`) or `none` (one pretoken).
        unicode_version: whose character classes; None is the newest.

    >>> list(pretokenize(b"don't stop  now"))
    [b'don', b"'t", b' stop', b' ', b' now']
    >>> list(pretokenize(b"b'test'", "gpt2"))
    [b'b', b"'t", b'est', b"'"]
    >>> list(pretokenize(b"b'test'", "gpt2-contraction-fix"))
    [b'b', b"'", b'test', b"'"]
    >>> list(pretokenize(b"a  b", "whitespace")), list(pretokenize(b"a  b", "none"))
    ([b'a', b'  ', b'b'], [b'a  b'])
    """
    text = to_characters(data)
    classes = [character_class(ord(character), unicode_version) for character in text]
    start = 0
    while start < len(text):
        if pattern == "none":
            end = len(text)
        elif pattern == "whitespace":
            end = _run_end(classes, start, "S" if classes[start] == "S" else "LNO")
        else:
            end = _gpt2_match_end(text, classes, start, pattern)
        yield to_bytes(text[start:end])
        start = end


def _run_end(classes: Sequence[CharacterClass], start: int, wanted: str) -> int:
    """Index after the longest run of characters from `start` whose class is in `wanted`."""
    end = start
    while end < len(classes) and classes[end] in wanted:
        end += 1
    return end


def _gpt2_match_end(
    text: str, classes: Sequence[CharacterClass], start: int, pattern: Pattern
) -> int:
    for contraction in CONTRACTIONS:
        if text.startswith(contraction, start):
            end = start + len(contraction)
            if pattern == "gpt2" or classes[end : end + 1] != ["L"]:
                return end
    # ` ?` and a run of one class.
    body = start + 1 if text[start] == " " else start
    if body < len(text) and classes[body] != "S":
        return _run_end(classes, body, classes[body])
    # White space. Before a character that is none, its last character is left for that one.
    end = _run_end(classes, start, "S")
    if end == len(text) or end == start + 1:
        return end
    return end - 1


def pretokenize_custom(text: str, pattern: re.Pattern[str]) -> Iterator[str]:
    r"""Yield the matches of a pattern of the user's, and the text between them, in order.

    Text that no match covers is a pretoken of its own; empty matches are passed over. `re`'s
    classes are those of the running Python, so this is no twin for a pattern that depends on the
    Unicode version.

    >>> list(pretokenize_custom("a-b  c", re.compile(r"\w+|[^\w\s]+")))
    ['a', '-', 'b', '  ', 'c']
    """
    end = 0
    for match in pattern.finditer(text):
        if match.start() == match.end():
            continue
        if match.start() > end:
            yield text[end : match.start()]
        yield match.group()
        end = match.end()
    if end < len(text):
        yield text[end:]
