"""How figures are written in sentences, the same in every check, verdict, table and page."""

from __future__ import annotations

from collections.abc import Sequence

from toksmith.evaluate.results import Interval

_MINUS = "\N{MINUS SIGN}"


def signed_percent(value: float, digits: int = 2) -> str:
    """A change with its sign; what rounds to nothing has none.

    >>> signed_percent(9.838), signed_percent(-0.5), signed_percent(-0.001)
    ('+9.84%', '−0.50%', '0.00%')
    """
    rounded = round(value, digits)
    if rounded == 0:
        return f"{0:.{digits}f}%"
    return f"{'+' if rounded > 0 else _MINUS}{abs(rounded):,.{digits}f}%"


def signed_count(value: int) -> str:
    """A difference of whole numbers with its sign.

    >>> signed_count(1234), signed_count(-5), signed_count(0)
    ('+1,234', '−5', '0')
    """
    return f"{'+' if value > 0 else _MINUS if value < 0 else ''}{abs(value):,}"


def interval(value: Interval, digits: int = 2) -> str:
    """An interval of percentages.

    >>> interval(Interval(-0.05, 0.3))
    '−0.05% to +0.30%'
    """
    return f"{signed_percent(value.low, digits)} to {signed_percent(value.high, digits)}"


def plural(count: int, noun: str) -> str:
    """A count with its noun.

    >>> plural(1, "document"), plural(2_000, "document")
    ('1 document', '2,000 documents')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def listing(items: Sequence[str]) -> str:
    """Names in a row.

    >>> listing(["a"]), listing(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"
