"""Encode a whole text: special tokens, then marks, then each word."""

from collections.abc import Callable, Sequence

from toksmith.reference.boundary import Whitespace, Word, mark
from toksmith.reference.merge_rank import encode_merge_rank
from toksmith.reference.model import Model
from toksmith.reference.pretokenize import Pattern


def split_special(data: bytes, special_tokens: Sequence[bytes]) -> list[tuple[bytes, bool]]:
    """Split a text at special tokens into (part, whether it is one).

    The leftmost occurrence goes first; of two that begin at one place, the longer. Empty parts
    are left out.

    >>> split_special(b"a <eot> b", [b"<eot>"])
    [(b'a ', False), (b'<eot>', True), (b' b', False)]
    """
    parts: list[tuple[bytes, bool]] = []
    start = index = 0
    while index < len(data):
        here = [token for token in special_tokens if data.startswith(token, index)]
        if here:
            special = max(here, key=len)
            parts += [(data[start:index], False), (special, True)]
            start = index = index + len(special)
        else:
            index += 1
    parts.append((data[start:], False))
    return [part for part in parts if part[0]]


def encode(
    data: bytes,
    model: Model,
    pattern: Pattern = "gpt2-contraction-fix",
    whitespace: Whitespace = "split",
    encode_word: Callable[[Word, Model], list[int]] = encode_merge_rank,
    *,
    unicode_version: str | None = None,
) -> list[int]:
    """Encode a text in which the model's special tokens are allowed.

    Each part between special tokens is marked as a text of its own: the state at its left end is
    that of a text's start, and nothing is implied at its right end. Only the first part gets the
    space that metaspace puts before a text.

    >>> from toksmith.reference.model import model_from_merges
    >>> encode(b"a <eot> b", model_from_merges("implicit-dual", [], [b"<eot>"]))
    [97, 288, 1024, 32, 98]
    """
    ids: list[int] = []
    mode = model.mode
    for part, is_special in split_special(data, model.special_tokens):
        if is_special:
            ids.append(model.special_id(part))
            continue
        words = mark(part, mode, pattern, whitespace, unicode_version=unicode_version)
        if mode == "metaspace":
            mode = "metaspace-no-prefix"
        for word in words:
            ids += encode_word(word, model)
    return ids
