"""Character classes of a pinned Unicode version.

The library's one table of general categories holds several Unicode versions; the core keeps its
text and this module reads it from there, so twin and core cannot differ in their data. It shares
no code with the core: the table is parsed here anew.

Source: Unicode Character Database, General_Category and White_Space.
"""

from bisect import bisect_right
from functools import cache
from typing import Literal, TypeAlias

CharacterClass: TypeAlias = Literal["L", "N", "S", "O"]

UNASSIGNED = "Cn"

#: The property White_Space, `\s` in patterns. It lacks 1C to 1F, which `str.isspace` has.
WHITE_SPACE = frozenset(
    {0x20, 0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}.union(
        range(0x09, 0x0E), range(0x2000, 0x200B)
    )
)


@cache
def _table_lines() -> tuple[str, ...]:
    # Here and not above, so that the other twins can be read and used before the core is built.
    from toksmith._core import unicode_table

    return tuple(unicode_table().splitlines())


@cache
def versions() -> tuple[str, ...]:
    """Return the Unicode versions that the table holds, oldest first.

    >>> "14.0" in versions()
    True
    """
    prefix = "# versions:"
    return tuple(next(x for x in _table_lines() if x.startswith(prefix))[len(prefix) :].split())


@cache
def _runs(version: str) -> tuple[list[int], list[int], list[str]]:
    """First code points, last code points and categories of one version's runs, in order."""
    if version not in versions():
        known = ", ".join(versions())
        raise ValueError(f"unicode version is {version!r}, but the known ones are {known}")
    order = {name: index for index, name in enumerate(versions())}
    order["-"] = len(order)
    starts: list[int] = []
    ends: list[int] = []
    categories: list[str] = []
    for line in _table_lines():
        if line.startswith("#"):
            continue
        start, end, category_name, since, until = line.split("\t")
        if order[since] <= order[version] <= order[until]:
            starts.append(int(start, 16))
            ends.append(int(end, 16))
            categories.append(category_name)
    return starts, ends, categories


def category(code_point: int, version: str | None = None) -> str:
    """Return the general category of a code point in a Unicode version.

    Args:
        code_point: 0 to 10FFFF; a surrogate is "Cs".
        version: one of `versions()`; None is the newest.
    Returns:
        Two letters; "Cn" where the version assigns nothing.
    Raises:
        ValueError: the table does not hold `version`.

    >>> category(ord("a")), category(ord("5")), category(0xD800), category(0x10FFFF)
    ('Ll', 'Nd', 'Cs', 'Cn')
    >>> category(0x295, "14.0"), category(0x295, "17.0")
    ('Ll', 'Lo')
    """
    starts, ends, categories = _runs(versions()[-1] if version is None else version)
    index = bisect_right(starts, code_point) - 1
    return categories[index] if index >= 0 and code_point <= ends[index] else UNASSIGNED


def character_class(code_point: int, version: str | None = None) -> CharacterClass:
    r"""Return the class that patterns ask for: L letter, N number, S white space, O other.

    Marks (`\p{M}`), surrogates and unassigned code points are "O".

    >>> [character_class(ord(c)) for c in "a5\u00b2\u3000\u0301\x1f#"]
    ['L', 'N', 'N', 'S', 'O', 'O', 'O']
    """
    if code_point in WHITE_SPACE:
        return "S"
    major = category(code_point, version)[0]
    if major == "L":
        return "L"
    return "N" if major == "N" else "O"


def is_printable(code_point: int, version: str | None = None) -> bool:
    r"""Return whether `str.isprintable` would be true under a Unicode version.

    Controls, formats, surrogates, private use, unassigned and separators are not printable,
    except the space.

    >>> [is_printable(ord(c)) for c in "a \u00a0\n\u200b"]
    [True, True, False, False, False]
    """
    return code_point == 0x20 or category(code_point, version)[0] not in "CZ"
