r"""What a letter is: `\p{L}` of the newest Unicode version that the core knows.

Python's `re` has no `\p{L}`, and `unicodedata` follows the interpreter, so figures would change
with the Python that made them. The table of the core does not.
"""

from __future__ import annotations

import functools
import typing

if typing.TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NUM_CODE_POINTS = 0x110000


@functools.cache
def letter_table() -> NDArray[np.bool_]:
    r"""Which code points are letters, shape (0x110000,); do not write to it.

    Source: the general categories L* in `toksmith._core.unicode_table()`.

    >>> letters = letter_table()
    >>> [bool(letters[ord(c)]) for c in "aß中_1 "]
    [True, True, True, False, False, False]
    """
    import numpy as np

    from toksmith._core import unicode_table

    table = np.zeros(_NUM_CODE_POINTS, np.bool_)
    for line in unicode_table().splitlines():
        if not line or line.startswith("#"):
            continue
        first, last, category, _since, until = line.split("\t")
        if category.startswith("L") and until == "-":
            table[int(first, 16) : int(last, 16) + 1] = True
    table.flags.writeable = False
    return table


def code_points(text: str) -> NDArray[np.uint32]:
    """The code points of `text`, shape (len(text),); lone surrogates are kept."""
    import numpy as np

    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))


def is_letters(data: bytes) -> bool:
    """Whether `data` is well-formed UTF-8 of one letter or more, and nothing else.

    >>> is_letters("naïve".encode()), is_letters(b"x1"), is_letters(b"")
    (True, False, False)
    """
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return False
    if not text:
        return False
    if text.isascii():
        return text.isalpha()
    return bool(letter_table()[code_points(text)].all())


def letter_runs(data: bytes) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64]]:
    r"""Every `\p{L}+` run of `data`: the words, and where they start and end, in bytes.

    Bytes that belong to no well-formed UTF-8 sequence are no letters.

    Returns:
        Words in text order, and byte offsets of shape (number of words,), ends outside.
    Cost: O(len(data)).

    >>> words, starts, ends = letter_runs("a naïve2 b".encode())
    >>> words, starts.tolist(), ends.tolist()
    (['a', 'naïve', 'b'], [0, 2, 10], [1, 8, 11])
    """
    import numpy as np

    text = data.decode("utf-8", "surrogateescape")
    points = code_points(text)
    inside = np.zeros(len(points) + 2, np.int8)
    inside[1:-1] = letter_table()[points]
    edges = np.diff(inside)
    starts = np.flatnonzero(edges == 1)
    ends = np.flatnonzero(edges == -1)
    words = [text[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    if len(text) == len(data):
        return words, starts, ends
    widths = 1 + (points >= 0x80).astype(np.int64) + (points >= 0x800) + (points >= 0x10000)
    # Decoding wrote each stray byte as one of these; it is one byte of the source.
    widths[(points >= 0xDC80) & (points <= 0xDCFF)] = 1
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(widths)])
    return words, offsets[starts], offsets[ends]
