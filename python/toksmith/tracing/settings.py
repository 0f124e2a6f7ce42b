"""The settings of a trace, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, TypedDict, get_args

from toksmith.errors import SettingsError
from toksmith.recipes import did_you_mean
from toksmith.reference.boundary import Mode, Whitespace
from toksmith.reference.pretokenize import Pattern
from toksmith.reference.wordpiece import Score

__all__ = ["Settings", "Ties", "TraceSettings", "UnigramMethod", "known_trainers", "read_settings"]

Ties: TypeAlias = Literal["ids", "first-met", "last-met"]
UnigramMethod: TypeAlias = Literal["em", "counts"]


class TraceSettings(TypedDict, total=False):
    """Settings of `trace`. Each trainer has its own; others are refused.

    boundary, pretokenizer, whitespace: how a text is cut and marked. Words of a dict are taken as
        they are.
    alphabet: `characters` (those of the words, default) or `bytes`.
    character_coverage, limit_alphabet, required_characters: which characters are units.
    min_pair_count, max_token_bytes: as in training (BPE, WordPiece).
    ties: `ids` is the trainers' rule; `first-met` and `last-met` take of the best pairs the one
        that is met first or last when the words are read in their order, as short programs of
        courses do (BPE, WordPiece).
    score, min_score: `pmi`, `likelihood` or `frequency`, and where to stop (WordPiece).
    method: `em` is the trainer; `counts` the simple method of courses (Unigram).
    pieces: what to start from (Unigram).
    drop: pieces to remove first, in this order, whatever they cost (Unigram, `counts`).
    max_token_chars: in units (Unigram).
    """

    boundary: str
    pretokenizer: str
    whitespace: str
    alphabet: str
    character_coverage: float
    limit_alphabet: int
    required_characters: str
    min_pair_count: int
    max_token_bytes: int
    ties: str
    score: str
    min_score: float
    method: str
    pieces: Sequence[str]
    drop: Sequence[str]
    max_token_chars: int


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings that were read, with the defaults filled in."""

    trainer: str
    boundary: Mode
    pretokenizer: Pattern
    whitespace: Whitespace
    alphabet: Literal["characters", "bytes"] = "characters"
    character_coverage: float = 1.0
    limit_alphabet: int | None = None
    required_characters: str = ""
    min_pair_count: int = 2
    max_token_bytes: int | None = None
    ties: Ties = "ids"
    score: Score = "pmi"
    min_score: float | None = None
    method: UnigramMethod = "em"
    pieces: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()
    max_token_chars: int = 16

    def of_trainer(self) -> dict[str, Any]:
        """Give the settings that the trainer has.

        >>> read_settings("scaffold-bpe", {}).of_trainer()["min_pair_count"]
        2
        """
        names = ("trainer", *_OF_TRAINER[self.trainer])
        return {name: getattr(self, name) for name in names}


_COMMON: Final = (
    "boundary",
    "pretokenizer",
    "whitespace",
    "alphabet",
    "character_coverage",
    "limit_alphabet",
    "required_characters",
)
_MERGES: Final = ("min_pair_count", "max_token_bytes", "ties")
_OF_TRAINER: Final[dict[str, tuple[str, ...]]] = {
    "bpe": (*_COMMON, *_MERGES),
    "scaffold-bpe": (*_COMMON, "min_pair_count"),
    "wordpiece": (*_COMMON, *_MERGES, "score", "min_score"),
    "unigram": (*_COMMON, "method", "pieces", "drop", "max_token_chars"),
}
# Recipe -> (trainer, what its name says).
_RECIPES: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "bpe": ("bpe", {}),
    "isbpe-single": ("bpe", {"boundary": "implicit-single"}),
    "isbpe-dual": ("bpe", {"boundary": "implicit-dual"}),
    "scaffold-bpe": ("scaffold-bpe", {}),
    "wordpiece": ("wordpiece", {"boundary": "continuation"}),
    "wordpiece-pmi": ("wordpiece", {"boundary": "continuation", "score": "pmi"}),
    "wordpiece-likelihood": ("wordpiece", {"boundary": "continuation", "score": "likelihood"}),
    "wordpiece-frequency": ("wordpiece", {"boundary": "continuation", "score": "frequency"}),
    "unigram": ("unigram", {}),
}
_CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "boundary": get_args(Mode),
    "pretokenizer": get_args(Pattern),
    "whitespace": get_args(Whitespace),
    "alphabet": ("characters", "bytes"),
    "ties": get_args(Ties),
    "score": get_args(Score),
    "method": get_args(UnigramMethod),
}
_AT_LEAST_ONE: Final = ("limit_alphabet", "min_pair_count", "max_token_bytes", "max_token_chars")


def known_trainers() -> tuple[str, ...]:
    """List what `trace` can show.

    >>> known_trainers()[:2]
    ('bpe', 'isbpe-single')
    """
    return tuple(_RECIPES)


def read_settings(
    recipe: str, given: Mapping[str, Any], counted: Mapping[str, Any] | None = None
) -> Settings:
    """Check settings and fill in defaults.

    Args:
        recipe: one of `known_trainers()`.
        given: what the caller set; None stands for the default.
        counted: how ready word counts were made, if there are some.
    Raises:
        SettingsError: an unknown recipe or setting, one that the trainer does not have, a wrong
            value, or one that contradicts the recipe or the word counts.

    >>> read_settings("wordpiece-frequency", {}).score
    'frequency'
    """
    if recipe not in _RECIPES:
        meant = did_you_mean(str(recipe), known_trainers())
        raise SettingsError(
            f"no training of {recipe!r} can be traced{meant}; known: {', '.join(known_trainers())}"
        )
    trainer, named = _RECIPES[recipe]
    settings = {name: value for name, value in given.items() if value is not None}
    for name in settings:
        if name not in _OF_TRAINER[trainer]:
            raise SettingsError(
                f"{recipe!r} has no setting {name!r}; known: {', '.join(_OF_TRAINER[trainer])}"
            )
    known_counted = {name: value for name, value in (counted or {}).items() if value is not None}
    for source, values in ((f"recipe {recipe!r}", named), ("these word counts", known_counted)):
        for name, value in values.items():
            if settings.get(name, value) != value:
                raise SettingsError(f"{name} is {settings[name]!r}, but {source} says {value!r}")
    for name, value in named.items():
        if known_counted.get(name, value) != value:
            found = known_counted[name]
            raise SettingsError(f"{recipe!r} has {name} {value!r}, but these words have {found!r}")
    # How ready counts were cut is not for us to judge.
    _check_values({name: value for name, value in settings.items() if name not in known_counted})
    cut = {"boundary": "space-prefix", "pretokenizer": "gpt2-contraction-fix"}
    merged = {**cut, "whitespace": "split", **named, **known_counted, **settings}
    if merged["whitespace"] == "drop" and merged["boundary"] != "continuation":
        raise SettingsError("whitespace is 'drop', but only boundary 'continuation' has that")
    if merged.get("drop") and merged.get("method") != "counts":
        raise SettingsError("drop goes with method='counts'; EM prunes by its own losses")
    for name in ("pieces", "drop"):
        if name in merged:
            merged[name] = tuple(merged[name])
    return Settings(trainer=trainer, **merged)


def _check_values(settings: Mapping[str, Any]) -> None:
    for name, value in settings.items():
        if name in _CHOICES and value not in _CHOICES[name]:
            raise SettingsError(f"{name} is {value!r}; known: {', '.join(_CHOICES[name])}")
        if name in _AT_LEAST_ONE and (type(value) is not int or value < 1):
            raise SettingsError(f"{name} is {value!r}, but must be a whole number, at least 1")
        if name == "character_coverage" and not (isinstance(value, int | float) and 0 < value <= 1):
            raise SettingsError(f"{name} is {value!r}, but must be above 0 and at most 1")
        if name == "min_score" and type(value) not in (int, float):
            raise SettingsError(f"{name} is {value!r}, but must be a number")
        if name == "required_characters" and not isinstance(value, str):
            raise SettingsError(f"{name} is {value!r}, but must be a string")
        if name in ("pieces", "drop") and (
            isinstance(value, str)
            or not isinstance(value, Sequence)
            or not all(isinstance(piece, str) and piece for piece in value)
        ):
            raise SettingsError(f"{name} is {value!r}, but must be a list of strings")
