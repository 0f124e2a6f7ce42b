r"""Cut bytes into pretokens.

The GPT-2 patterns are matched by hand over character classes, since Python's `re` has neither
`\p{L}` nor a pinned Unicode version:

    gpt2                     '(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
    gpt2-contraction-fix     '(?:[sdmt]|ll|ve|re)(?!\p{L})| ... the rest the same
    gpt2-contraction-strict  (?<=\p{L})'(?:[sdmt]|ll|ve|re)(?!\p{L})| ... the rest the same

The others are run by `re` on a copy of the text in which one character of each kind stands for all
of that kind (`stand_ins`), so that classes are short lists.

A byte that belongs to no well-formed UTF-8 sequence counts as one character of class "other".
Joined pretokens are the input.

Source: Radford et al. 2019 (GPT-2), `encoder.py`; the fix: the post "Improving BPE" (ISBPE);
tiktoken's `openai_public.py` (cl100k, o200k); the tokenizer files of Llama 3, Qwen 2 and DeepSeek;
Devlin et al. 2019 (BERT), `tokenization.py`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal, TypeAlias

from toksmith.reference.unicode import WHITE_SPACE, CharacterClass, category, character_class

Pattern: TypeAlias = Literal[
    "gpt2",
    "gpt2-contraction-fix",
    "gpt2-contraction-strict",
    "cl100k",
    "o200k",
    "llama3",
    "qwen2",
    "deepseek",
    "bert",
    "punctuation",
    "spaces",
    "whitespace",
    "none",
]

CONTRACTIONS = ("'s", "'d", "'m", "'t", "'ll", "'ve", "'re")

# What stands for the characters beyond ASCII of a kind. ASCII and the long s, which is another case
# of s, stand for themselves.
_STAND_INS = {
    **dict.fromkeys(("Lu", "Lt"), "É"),
    "Ll": "é",
    **dict.fromkeys(("Lm", "Lo"), "ª"),
    **dict.fromkeys(("Mn", "Mc", "Me"), "\u0301"),
    **dict.fromkeys(("Nd", "Nl", "No"), "²"),
    **dict.fromkeys(("Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po"), "¿"),
    **dict.fromkeys(("Sm", "Sc", "Sk", "So"), "¬"),
}
_SPACE, _REST, _EAST_ASIAN = "\xa0", "\x80", "中"

# Characters that a pattern names by their code points, first and last: Chinese ones in BERT,
# Chinese and Japanese ones in DeepSeek.
_CHINESE = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)
_CHINESE_AND_KANA = ((0x4E00, 0x9FA5), (0x3040, 0x30FF))

# The classes of the patterns, as lists of ASCII and stand-ins, to be put between brackets.
_UPPER, _LOWER, _UNCASED, _MARK, _NUMBER = "A-ZÉ", "a-zéſ", "ª", "\u0301", "0-9²"
_LETTER = _UPPER + _LOWER + _UNCASED
_WHITE = r"\t\n\x0b\x0c\r \xa0"
_SYMBOL_OF_ASCII = r"$+<=>\^`|~"
_PUNCTUATION = r"""!"#%&'()*,\-./:;?@\[\\\]_{}¿"""
_ALONE = _PUNCTUATION + _SYMBOL_OF_ASCII
_CONTRACTION = "'(?i:[sdmt]|ll|ve|re)"
_FIRST = f"[^\\r\\n{_LETTER}{_NUMBER}]?"
_CASED_UPPER, _CASED_LOWER = f"{_UPPER}{_UNCASED}{_MARK}", f"{_LOWER}{_UNCASED}{_MARK}"
_OTHERS = f" ?[^{_WHITE}{_LETTER}{_NUMBER}]+"
_BLANKS = f"[{_WHITE}]*[\\r\\n]+|[{_WHITE}]+(?![^{_WHITE}])|[{_WHITE}]+"

_NUMBERS = f"[{_NUMBER}]{{1,3}}"

# The cuts of each, one inside what the other left, each with the characters that it names.
_PATTERNS: dict[str, list[tuple[str, Sequence[tuple[int, int]]]]] = {
    name: [(pattern, ())]
    for name, pattern in {
        "cl100k": f"{_CONTRACTION}|{_FIRST}[{_LETTER}]+|{_NUMBERS}|{_OTHERS}[\\r\\n]*"
        f"|[{_WHITE}]+\\Z|{_BLANKS}",
        "o200k": f"{_FIRST}[{_CASED_UPPER}]*[{_CASED_LOWER}]+(?:{_CONTRACTION})?"
        f"|{_FIRST}[{_CASED_UPPER}]+[{_CASED_LOWER}]*(?:{_CONTRACTION})?"
        f"|{_NUMBERS}|{_OTHERS}[\\r\\n/]*|{_BLANKS}",
        "llama3": f"{_CONTRACTION}|{_FIRST}[{_LETTER}]+|{_NUMBERS}|{_OTHERS}[\\r\\n]*|{_BLANKS}",
        "qwen2": f"{_CONTRACTION}|{_FIRST}[{_LETTER}]+|[{_NUMBER}]|{_OTHERS}[\\r\\n]*|{_BLANKS}",
        "punctuation": f"[{_ALONE}]|[^{_ALONE}]+",
        "spaces": " ?[^ ]+| +(?![^ ])",
    }.items()
}
_PATTERNS["bert"] = [(f"[{_WHITE}]+|[{_ALONE}中]|[^{_WHITE}{_ALONE}中]+", _CHINESE)]
_PATTERNS["deepseek"] = [
    (_NUMBERS, ()),
    ("中+", _CHINESE_AND_KANA),
    (
        f"[{_ALONE.replace('¿', '')}][A-Za-z]+"
        f"|[^\\r\\n{_LETTER}{_ALONE}¬]?[{_LETTER}{_MARK}]+| ?[{_ALONE}¬]+[\\r\\n]*|{_BLANKS}",
        (),
    ),
]


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
    data: bytes,
    pattern: Pattern = "gpt2-contraction-fix",
    unicode_version: str | None = None,
    digits: str | None = None,
) -> Iterator[bytes]:
    r"""Yield the pretokens of a text in order; nothing is dropped.

    Args:
        data: any bytes.
        pattern: one of the named ones; `whitespace` is `\s+|\S+`, `none` is one pretoken.
        unicode_version: whose character classes; None is the newest.
        digits: `single`, `left-N` or `right-N`, applied inside each pretoken; None for no rule.

    >>> list(pretokenize(b"don't stop  now"))
    [b'don', b"'t", b' stop', b' ', b' now']
    >>> list(pretokenize(b"b'test'", "gpt2"))
    [b'b', b"'t", b'est', b"'"]
    >>> list(pretokenize(b"b'test'", "gpt2-contraction-fix"))
    [b'b', b"'", b'test', b"'"]
    >>> list(pretokenize(b"\n's'", "gpt2-contraction-fix"))
    [b'\n', b"'s", b"'"]
    >>> list(pretokenize(b"\n's'", "gpt2-contraction-strict"))
    [b'\n', b"'", b's', b"'"]
    >>> list(pretokenize(b"HTTPServer's 12345", "o200k"))
    [b"HTTPServer's", b' ', b'123', b'45']
    >>> list(pretokenize(b"a  b", "whitespace")), list(pretokenize(b"a  b", "none"))
    ([b'a', b'  ', b'b'], [b'a  b'])
    >>> list(pretokenize(b"in 12345", digits="right-3"))
    [b'in', b' 12', b'345']
    """
    text = to_characters(data)
    if pattern in _PATTERNS:
        cuts = [(cut, stand_ins(text, named, unicode_version)) for cut, named in _PATTERNS[pattern]]
        pretokens: Iterable[str] = _matches(text, cuts)
    else:
        pretokens = _by_hand(text, pattern, unicode_version)
    for pretoken in pretokens:
        if digits is None:
            yield to_bytes(pretoken)
        else:
            yield from map(to_bytes, cut_digits(pretoken, digits, unicode_version))


def stand_ins(
    text: str,
    named: Sequence[tuple[int, int]] = (),
    unicode_version: str | None = None,
) -> str:
    r"""Put one character of each kind in the place of all of that kind.

    Args:
        text: any characters.
        named: first and last code points of characters that are a kind of their own.
        unicode_version: whose categories.

    >>> stand_ins("aÀǅñ\u4e2d٣€— \u3000\udcff")
    'aÉÉéª²¬¿ \xa0\x80'
    >>> stand_ins("\u4e00", [(0x4e00, 0x9fff)])
    '中'
    """
    return "".join(_stand_in(character, named, unicode_version) for character in text)


def _stand_in(character: str, named: Sequence[tuple[int, int]], unicode_version: str | None) -> str:
    code_point = ord(character)
    if code_point < 0x80 or character == "ſ":
        return character
    if any(first <= code_point <= last for first, last in named):
        return _EAST_ASIAN
    if code_point in WHITE_SPACE:
        return _SPACE
    return _STAND_INS.get(category(code_point, unicode_version), _REST)


def _matches(text: str, cuts: Sequence[tuple[str, str]]) -> list[str]:
    """Cut a text where the first pattern matches its stand-ins, then each piece by the others."""
    if not cuts:
        return [text]
    pattern, stands_for = cuts[0]
    pieces = []
    start = 0
    for match in [*re.finditer(pattern, stands_for), None]:
        begin, end = match.span() if match else (len(text), len(text))
        for left, right in ((start, begin), (begin, end)):
            if left < right:
                others = [(other, its[left:right]) for other, its in cuts[1:]]
                pieces += _matches(text[left:right], others)
        start = end
    return pieces


def cut_digits(pretoken: str, rule: str, unicode_version: str | None = None) -> list[str]:
    r"""Group the digits of a pretoken, `\p{N}`; a space at its start stays with the first group.

    >>> cut_digits(" 12345", "left-3"), cut_digits(" 12345", "right-3")
    ([' 123', '45'], [' 12', '345'])
    >>> cut_digits("x12y", "single")
    ['x', '1', '2', 'y']
    """
    size = 1 if rule == "single" else int(rule.partition("-")[2])
    parts: list[str] = []
    is_digit = [character_class(ord(c), unicode_version) == "N" for c in pretoken]
    start = 0
    while start < len(pretoken):
        end = start + 1
        while end < len(pretoken) and is_digit[end] == is_digit[start]:
            end += 1
        run = pretoken[start:end]
        if is_digit[start]:
            first = len(run) % size if rule.startswith("right") else 0
            cuts = [0, *range(first or size, len(run), size), len(run)]
            groups = [run[left:right] for left, right in pairwise(cuts)]
            if parts == [" "]:
                groups[0] = parts.pop() + groups[0]
            parts += groups
        else:
            parts.append(run)
        start = end
    return parts


def _by_hand(text: str, pattern: Pattern, unicode_version: str | None) -> Iterator[str]:
    classes = [character_class(ord(character), unicode_version) for character in text]
    start = 0
    while start < len(text):
        if pattern == "none":
            end = len(text)
        elif pattern == "whitespace":
            end = _run_end(classes, start, "S" if classes[start] == "S" else "LNO")
        else:
            end = _gpt2_match_end(text, classes, start, pattern)
        yield text[start:end]
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
            before_letter = classes[end : end + 1] == ["L"]
            after_letter = start > 0 and classes[start - 1] == "L"
            if (
                pattern == "gpt2"
                or (pattern == "gpt2-contraction-fix" and not before_letter)
                or (pattern == "gpt2-contraction-strict" and after_letter and not before_letter)
            ):
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
