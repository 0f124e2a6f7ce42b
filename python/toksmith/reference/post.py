"""Frame, cut and fill up ids: templates, truncation with windows, padding.

Templates are written as in Hugging Face `tokenizers`; windows, the room that each text of a pair
gets and its ties are as there too.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

Strategy = Literal["longest-first", "only-first", "only-second"]
Side = Literal["left", "right"]


class Piece(NamedTuple):
    """One piece of a template: a text, 0 or 1, or else a special token; and its type."""

    text: int | None
    special: int
    type_id: int


class Slot(NamedTuple):
    """One place of a row: an id, its type, and which id of which text it is, if it is of one."""

    id: int
    type_id: int
    text: int | None
    at: int
    attention: int = 1


def read_template(
    pieces: Sequence[str], special_tokens: Mapping[str, int], num_texts: int = 1
) -> list[Piece]:
    """Read a form for one text or two.

    A piece is $A, $B or a special token, with a colon and a type id behind it, 0 where there is
    none. What is the whole name of a special token is that token, a colon in it or not.

    Raises:
        ValueError: a piece is none, a type id is too large, or texts are missing or repeated.

    >>> read_template(["<s>", "$A", "<s>:1"], {"<s>": 300})
    [Piece(text=None, special=300, type_id=0), Piece(text=0, special=0, type_id=0), \
Piece(text=None, special=300, type_id=1)]
    """
    read = []
    for piece in pieces:
        name, colon, digits = piece.rpartition(":")
        if not colon or not (digits == "" or (digits.isascii() and digits.isdigit())):
            name, digits = piece, "0"
        if name in ("$A", "$B"):
            read.append(Piece(int(name == "$B"), 0, int(digits)))
        elif piece in special_tokens:
            read.append(Piece(None, special_tokens[piece], 0))
        elif name in special_tokens:
            read.append(Piece(None, special_tokens[name], int(digits)))
        else:
            raise ValueError(f"{piece} is neither a text nor a special token")
        if read[-1].type_id >= 2**32:
            raise ValueError(f"type id of {piece}")
    if sorted(piece.text for piece in read if piece.text is not None) != [0, 1][:num_texts]:
        raise ValueError(f"each of {num_texts} texts stands in a template once")
    return read


def kept_lengths(first: int, second: int, room: int, strategy: Strategy) -> tuple[int, int]:
    """Take ids away, one by one, until two texts fit a room together.

    longest-first takes from the longer text; of two that have become equally long, from the first,
    unless it was the longer one.

    Raises:
        ValueError: one text alone may be cut, and nothing of it would be left beside the other.

    >>> kept_lengths(10, 4, 7, "longest-first"), kept_lengths(5, 5, 7, "longest-first")
    ((4, 3), (3, 4))
    """
    a, b = first, second
    while a + b > room:
        if strategy == "only-first":
            a -= 1
        elif strategy == "only-second":
            b -= 1
        elif a > b or (a == b and first <= second):
            a -= 1
        else:
            b -= 1
    if strategy == "only-first" and b > 0 and a < min(first, 1):
        raise ValueError(f"{second} ids of the second text leave nothing of {room}")
    if strategy == "only-second" and a > 0 and b < min(second, 1):
        raise ValueError(f"{first} ids of the first text leave nothing of {room}")
    return a, b


def windows(length: int, kept: int, stride: int, side: Side = "right") -> list[tuple[int, int]]:
    """Return windows of `kept` ids over a text, as (start, end), until every id is in one.

    Each shares `stride` ids with the one before it. Cut on the left, they run from the end.

    Raises:
        ValueError: the text is cut, but windows would not move on.

    >>> windows(5, 3, 1), windows(5, 2, 0, "left")
    ([(0, 3), (2, 5)], [(3, 5), (1, 3), (0, 1)])
    """
    if kept >= length:
        return [(0, length)]
    if stride >= kept:
        raise ValueError(f"stride is {stride}, but a window holds {kept} ids")
    found = [(0, kept)]
    while found[-1][1] < length:
        start = found[-1][1] - stride
        found.append((start, min(start + kept, length)))
    if side == "left":
        found = [(length - end, length - start) for start, end in found]
    return found


def rows_of(
    texts: tuple[Sequence[int], Sequence[int]],
    template: Sequence[Piece],
    *,
    max_length: int | None = None,
    strategy: Strategy = "longest-first",
    stride: int = 0,
    side: Side = "right",
    return_overflow: bool = False,
) -> list[list[Slot]]:
    """Return the rows of one text or one pair (else the second is empty), not yet filled up.

    >>> template = read_template(["<s>", "$A"], {"<s>": 9})
    >>> [[slot.id for slot in row] for row in rows_of(([1, 2, 3], []), template, max_length=3)]
    [[9, 1, 2]]
    """
    first, second = map(len, texts)
    a, b = first, second
    if max_length is not None:
        room = max_length - sum(piece.text is None for piece in template)
        if room < 0:
            raise ValueError(f"max_length is {max_length}, below the special tokens alone")
        if return_overflow and stride >= room:
            raise ValueError(f"stride is {stride}, but a row has room for {room} ids")
        a, b = kept_lengths(first, second, room, strategy)
    if return_overflow:
        cuts = [
            (x, y)
            for x in windows(first, a, stride, side)
            for y in windows(second, b, stride, side)
        ]
    elif side == "right":
        cuts = [((0, a), (0, b))]
    else:
        cuts = [((first - a, first), (second - b, second))]
    rows = []
    for cut in cuts:
        row: list[Slot] = []
        for text, special, type_id in template:
            if text is None:
                row.append(Slot(special, type_id, None, 0))
            else:
                row += [Slot(texts[text][at], type_id, text, at) for at in range(*cut[text])]
        rows.append(row)
    return rows


def pad(
    rows: Sequence[Sequence[Slot]],
    length: int | None,
    pad_id: int,
    *,
    side: Side = "right",
    multiple: int = 1,
) -> list[list[Slot]]:
    """Fill rows up to a length, or to the longest of them, rounded up to a multiple.

    >>> row = [Slot(7, 0, 0, 0)]
    >>> [[slot.id for slot in row] for row in pad([row, row * 3], None, 0, side="left", multiple=2)]
    [[0, 0, 0, 7], [0, 7, 7, 7]]
    """
    if length is None:
        length = max(map(len, rows), default=0)
    while length % multiple:
        length += 1
    padded = []
    for row in rows:
        added = [Slot(pad_id, 0, None, 0, attention=0)] * (length - len(row))
        padded.append([*added, *row] if side == "left" else [*row, *added])
    return padded
