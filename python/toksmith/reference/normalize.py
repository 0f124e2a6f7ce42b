"""Normalize a text before it is cut: a list of steps, each of them a rule of its own.

Ill-formed bytes are no characters: they stay where they are and part what is around them. The
data on characters is Python's own, of the Unicode version `unicodedata.unidata_version`, so twin
and core differ on characters that came later.

Source: UAX #15 (normalization forms); Devlin et al. 2018, BERT's `BasicTokenizer`; Kudo and
Richardson 2018, SentencePiece.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from toksmith.reference.unicode import WHITE_SPACE

Steps: TypeAlias = str | Mapping[str, Any] | Sequence[str | Mapping[str, Any]]

_SPACES = "".join(map(chr, sorted(WHITE_SPACE)))
_SPACE_RUNS = re.compile(f"[{re.escape(_SPACES)}]+")
_ILL_FORMED = re.compile("([\udc80-\udcff]+)")

_CHINESE = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)

#: What `nmt` makes a space of and what it deletes, beside white space that NFKC makes a space of.
_NMT_SPACES = frozenset(
    "\t\n\x0c\r\u061c\u1680\u200b\u200c\u200e\u200f\u2028\u2029\u2581\ufeff\ufffd"
)
_NMT_DELETED = frozenset(map(chr, (*range(1, 9), 0x0B, *range(0x0E, 0x20), 0x7F, 0x8F, 0x9F)))


def normalize(data: bytes, steps: Steps) -> bytes:
    """Run the steps over a text, in their order.

    Args:
        data: the text; ill-formed UTF-8 passes through.
        steps: a name, an object with a `type` and settings, or a list of them.
    Raises:
        ValueError: a step that there is not.

    >>> normalize("Ⅷ É".encode(), ["nfkc", "lowercase"]).decode()
    'viii é'
    """
    # A lone surrogate stands for each ill-formed byte: a starter that no rule touches.
    text = data.decode("utf-8", "surrogateescape")
    for step in [steps] if isinstance(steps, str | Mapping) else steps:
        settings = {"type": step} if isinstance(step, str) else dict(step)
        name = settings.pop("type")
        # Written beside the core's own data; there is no other here.
        settings.pop("unicode", None)
        if name not in _STEPS:
            raise ValueError(f"there is no normalizer {name!r}")
        text = _STEPS[name](text, **settings)
    return text.encode("utf-8", "surrogateescape")


def lowercase(text: str) -> str:
    """Lower each character by itself, so without the final form of sigma.

    >>> lowercase("ΣΑΣ İ")
    'σασ i̇'
    """
    return "".join(c.lower() for c in text)


def strip_accents(text: str) -> str:
    """Delete combining marks: what is composed keeps them.

    >>> strip_accents("e\\u0301é")
    'eé'
    """
    return "".join(c for c in text if unicodedata.category(c) not in ("Mn", "Mc", "Me"))


def bert(
    text: str,
    *,
    clean_text: bool = True,
    handle_chinese_chars: bool = True,
    strip_accents: bool | None = None,
    lowercase: bool = True,
) -> str:
    """Clean, put spaces round Chinese characters, strip accents, lower case, in this order.

    `strip_accents` left out is as `lowercase`.

    >>> bert("Él\\x00\\n中文")
    'el  中  文 '
    """
    if clean_text:
        text = "".join(_cleaned(text))
    if handle_chinese_chars:
        text = "".join(f" {c} " if _is_chinese(c) else c for c in text)
    if lowercase if strip_accents is None else strip_accents:
        text = unicodedata.normalize("NFD", text)
        text = "".join(c for c in text if unicodedata.category(c) != "Mn")
    if lowercase:
        text = "".join(c.lower() for c in text)
    return text


def _cleaned(text: str) -> Iterator[str]:
    for c in text:
        if c in "\t\n\r":
            yield " "
        elif c == "\ufffd" or unicodedata.category(c) in ("Cc", "Cf", "Co"):
            continue
        else:
            yield " " if ord(c) in WHITE_SPACE else c


def _is_chinese(c: str) -> bool:
    return any(first <= ord(c) <= last for first, last in _CHINESE)


def replace(text: str, *, by: str, pattern: str | None = None, literal: str | None = None) -> str:
    """Put `by`, as it stands, for all that a regular expression or a literal text matches.

    >>> replace("1 22", pattern="[0-9]+", by="0")
    '0 0'
    """
    if pattern is None:
        assert literal is not None
        return text.replace(literal, by)
    # An expression matches characters, so no ill-formed bytes.
    parts = _ILL_FORMED.split(text)
    return "".join(
        part if _ILL_FORMED.match(part) else re.sub(pattern, lambda _: by, part) for part in parts
    )


def sentencepiece(text: str, *, nmt: bool, fold: bool) -> str:
    """Normalize as SentencePiece's tables do: composing from left to right, no reordering.

    >>> sentencepiece("e\\u0301\\u200b１", nmt=True, fold=False)
    'é 1'
    """
    out = []
    index = 0
    while index < len(text):
        composed, length = _composed(text, index)
        if length > 1:
            out.append(_fold(composed) if fold else composed)
        else:
            out.append(_single(text[index], nmt, fold))
        index += length
    return "".join(out)


def _composed(text: str, start: int) -> tuple[str, int]:
    """Compose as many characters as make one, each standing for one character in NFKD."""
    composed = _stands_for(text[start])
    length = 1
    while composed is not None and start + length < len(text):
        mark = _stands_for(text[start + length])
        together = None if mark is None else _compose(composed, mark)
        if together is None:
            break
        composed = together
        length += 1
    return composed or "", length


def _stands_for(c: str) -> str | None:
    decomposed = unicodedata.normalize("NFKD", c)
    return decomposed if len(decomposed) == 1 else None


def _compose(first: str, second: str) -> str | None:
    """Give the primary composite of two characters, if there is one."""
    together = unicodedata.normalize("NFC", first + second)
    if len(together) != 1:
        return None
    # Marks may have changed places on the way: then it is not these two that make one.
    parts = [chr(int(part, 16)) for part in unicodedata.decomposition(together).split()]
    is_hangul = "\uac00" <= together <= "\ud7a3"
    return together if is_hangul or parts == [first, second] else None


def _single(c: str, nmt: bool, fold: bool) -> str:
    if nmt and c == "\uff5e":
        return c
    if nmt and c in _NMT_SPACES:
        return " "
    if nmt and c in _NMT_DELETED:
        return ""
    normalized = unicodedata.normalize("NFKC", c)
    return "".join(map(_fold, normalized)) if fold else normalized


def _fold(c: str) -> str:
    """Fold the case of one character to one character."""
    folded = c.casefold()
    if len(folded) == 1:
        return folded
    lower = c.lower()
    return lower if len(lower) == 1 else c


# Step by name: a function of the text and of the step's settings.
_STEPS: Final[dict[str, Callable[..., str]]] = {
    "identity": lambda text: text,
    "nfc": partial(unicodedata.normalize, "NFC"),
    "nfd": partial(unicodedata.normalize, "NFD"),
    "nfkc": partial(unicodedata.normalize, "NFKC"),
    "nfkd": partial(unicodedata.normalize, "NFKD"),
    "lowercase": lowercase,
    "strip-accents": strip_accents,
    "bert": bert,
    "strip": lambda text: text.strip(_SPACES),
    "strip-left": lambda text: text.lstrip(_SPACES),
    "strip-right": lambda text: text.rstrip(_SPACES),
    "collapse-whitespace": partial(_SPACE_RUNS.sub, " "),
    "remove-extra-whitespaces": lambda text: re.sub(" +", " ", text).strip(" "),
    "replace": replace,
    "nmt-nfkc": partial(sentencepiece, nmt=True, fold=False),
    "nmt-nfkc-cf": partial(sentencepiece, nmt=True, fold=True),
    "nfkc-cf": partial(sentencepiece, nmt=False, fold=True),
    "sentencepiece-nfkc": partial(sentencepiece, nmt=False, fold=False),
}
