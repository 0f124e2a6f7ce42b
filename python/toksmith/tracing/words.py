"""What is traced: counted words in units, few enough for plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from toksmith._core import WordCounts
from toksmith.errors import CorpusError, SettingsError, TrainingError
from toksmith.reference import Units, Word, byte_units, character_units, form_in, mark
from toksmith.tracing.settings import Settings

__all__ = [
    "MAX_STEPS",
    "MAX_UNITS",
    "MAX_UNITS_BY_COUNTS",
    "Counted",
    "check_size",
    "count",
    "show",
    "units_for",
]

#: What a trace takes: a dict word -> count, ready counts, a text, or several.
Counted: TypeAlias = "Mapping[str, int] | WordCounts | str | bytes | Iterable[str | bytes]"

#: Units in all different words that a trace takes, by trainer: half a minute of work.
MAX_UNITS: Final = {
    "bpe": 10_000,
    "scaffold-bpe": 5_000,
    "wordpiece": 10_000,
    "unigram": 10_000,
}
#: The same for Unigram's method `counts`, which tries every removal.
MAX_UNITS_BY_COUNTS: Final = 200
#: Steps that a trace shows.
MAX_STEPS: Final = 1_000

_MAX_COUNT: Final = 2**64 - 1


def count(counts: Counted, settings: Settings) -> dict[Word, int]:
    """Read or count the words, in the order in which they stand.

    Raises:
        CorpusError: not words with counts, nor text, or nothing at all.
        SettingsError: ready counts that were made with another boundary.
    """
    found: dict[Word, int]
    if isinstance(counts, WordCounts):
        found = {Word(t.lead, t.bytes, t.trail): number for t, number in counts.items()}
    elif isinstance(counts, Mapping):
        found = {}
        for word, number in counts.items():
            if not isinstance(word, str) or not word:
                raise CorpusError(f"word {word!r} must be a string that is not empty")
            if isinstance(number, bool) or not isinstance(number, int):
                raise CorpusError(f"the count of {word!r} is {number!r}, but must be whole")
            if not 1 <= number <= _MAX_COUNT:
                raise CorpusError(f"the count of {word!r} is {number}, but must be 1 to 2^64 - 1")
            found[Word(False, word.encode("utf-8", "surrogatepass"), False)] = number
    elif isinstance(counts, str | bytes):
        found = _count_texts([counts], settings)
    elif isinstance(counts, Iterable):
        found = _count_texts(counts, settings)
    else:
        raise CorpusError(
            f"counts is {type(counts).__name__}, but must be a dict word -> count, a "
            "ts.WordCounts, or text"
        )
    if not found:
        raise CorpusError("there are no words to train on")
    return found


def _count_texts(texts: Iterable[str | bytes], settings: Settings) -> dict[Word, int]:
    words: Counter[Word] = Counter()
    size = 0
    most = 100 * MAX_UNITS[settings.trainer]
    for text in texts:
        if not isinstance(text, str | bytes):
            raise CorpusError(f"a text is {type(text).__name__}, but must be str or bytes")
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        size += len(data)
        if size > most:
            raise TrainingError(
                f"the text has more than {most:,} bytes: a trace runs plain Python and is for "
                "small texts; trace a part of it"
            )
        words.update(mark(data, settings.boundary, settings.pretokenizer, settings.whitespace))
    return dict(words)


def units_for(counts: Mapping[Word, int], settings: Settings) -> Units:
    """Choose the units."""
    if settings.alphabet == "bytes":
        if any(
            getattr(settings, name) != default
            for name, default in (
                ("character_coverage", 1.0),
                ("limit_alphabet", None),
                ("required_characters", ""),
            )
        ):
            raise SettingsError(
                "character_coverage, limit_alphabet and required_characters go with "
                "alphabet='characters'"
            )
        return byte_units(settings.boundary)
    # Without byte fallback: 256 bytes of which a small text uses twenty are no picture.
    return character_units(
        counts,
        settings.boundary,
        character_coverage=settings.character_coverage,
        limit_alphabet=settings.limit_alphabet,
        required_characters=settings.required_characters,
        byte_fallback=False,
    )


def check_size(counts: Mapping[Word, int], units: Units, settings: Settings) -> None:
    """Refuse what would take plain Python too long.

    Raises:
        TrainingError: more than `MAX_UNITS`.
    """
    num_units = sum(len(run) for word in counts for run in units.runs(word))
    most = MAX_UNITS[settings.trainer]
    trainer = settings.trainer
    if settings.method == "counts":
        most = MAX_UNITS_BY_COUNTS
        trainer += " by counts"
    if num_units > most:
        raise TrainingError(
            f"the {len(counts):,} different words have {num_units:,} units, but a trace of "
            f"{trainer} runs plain Python and takes at most {most:,}: trace a part of "
            "them"
        )


def show(token: Word, settings: Settings) -> str:
    r"""Show a token as its boundary is written: `##s`, `low</w>`, `▁low`; else as `explain` does.

    >>> from toksmith.tracing.settings import read_settings
    >>> show(Word(True, b"s", False), read_settings("wordpiece", {}))
    '##s'
    >>> show(Word(False, b"low ", False), read_settings("bpe", {"boundary": "end-of-word"}))
    'low</w>'
    """
    return form_in(token, settings.boundary)
