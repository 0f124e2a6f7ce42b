"""Recipes: the names under which complete methods are trained and compared.

A recipe names one point on the axes of tokenization: how text is cut, how a space is written, who
learns the vocabulary, who encodes with it. `bpe+longest-first` is byte-level BPE encoded longest
token first. This module only turns names into settings: the core does the work and knows which
values of a setting exist. Checked here is what the core cannot tell from a setting that is meant,
such as a misspelt name of a pattern, which is a regular expression too.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypedDict, Unpack

from toksmith._core import digit_rules, pretokenizers
from toksmith.errors import SettingsError

__all__ = [
    "DEFAULT_PRETOKENIZER",
    "Recipe",
    "RecipeSettings",
    "did_you_mean",
    "known_encoders",
    "known_recipes",
]

DEFAULT_PRETOKENIZER: Final = "gpt2-contraction-fix"
DEFAULT_ENCODER: Final = "merge-rank"

# The core takes any string that is none of its names for a regular expression.
_LOOKS_LIKE_A_NAME: Final = re.compile(r"[A-Za-z0-9_-]*")
_MAX_COUNT: Final = 2**64 - 1


class _Base(NamedTuple):
    """What the part of a recipe's name before the `+` stands for."""

    trainer: str
    boundary: str
    encoders: tuple[str, ...]
    line_fed: bool = False


_BPE_ENCODERS: Final = (
    "merge-rank",
    "longest-first",
    "longest-prefix",
    "longest-suffix",
    "fewest-tokens",
)

# The only list of recipes. The first encoder of each is the one it has without a suffix.
_BASES: Final[dict[str, _Base]] = {
    "bpe": _Base("bpe", "space-prefix", _BPE_ENCODERS),
    "isbpe-single": _Base("bpe", "implicit-single", _BPE_ENCODERS),
    "isbpe-dual": _Base("bpe", "implicit-dual", _BPE_ENCODERS),
    # Spoiled on purpose: the same BPE trained on single lines. Always flagged, never ranked.
    "bpe-line-fed": _Base("bpe", "space-prefix", _BPE_ENCODERS, line_fed=True),
}


class RecipeSettings(TypedDict, total=False):
    """Settings a recipe's name leaves open. `None` means the default."""

    pretokenizer: str | None
    digits: str | None
    whitespace: str | None
    normalizer: str | None
    unicode: str | None
    special_tokens: Sequence[str] | None
    min_pair_count: int | None
    alphabet_order: str | None


def known_recipes() -> tuple[str, ...]:
    """List the names that `Recipe.parse` knows, in the order in which they are explained.

    >>> known_recipes()[:3]
    ('bpe', 'bpe+longest-first', 'bpe+longest-prefix')
    """
    return tuple(
        name if encoder == base.encoders[0] else f"{name}+{encoder}"
        for name, base in _BASES.items()
        for encoder in base.encoders
    )


def known_encoders() -> tuple[str, ...]:
    """List the encoders that some recipe goes with.

    >>> known_encoders()[:2]
    ('merge-rank', 'longest-first')
    """
    return tuple(dict.fromkeys(name for base in _BASES.values() for name in base.encoders))


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A complete method: everything but the corpus and the size of the vocabulary.

    Make one with `Recipe.parse`, change one with `dataclasses.replace`.

    Args:
        name: canonical name; the default encoder is left out of it.
        trainer: who learns the vocabulary.
        boundary: how the space between two words is written.
        encoder: how a word is spelled with the vocabulary.
        pretokenizer: name of a pattern, or a regular expression.
        digits: how digits are grouped inside what the pattern cuts: `single`, `left-N` or
            `right-N` (groups of N from that side, N from 1 to 9); None leaves them as they are.
        whitespace: `split` keeps whitespace pretokens as the pattern cuts them, `whole` joins
            neighbours.
        normalizer: what is done to the text before it is cut.
        unicode: version whose character classes the pattern uses; None is the pinned one.
        line_fed: the corpus is cut into lines first. Only the spoiled baseline does that.
        special_tokens: they get the last ids, in this order, and count against `vocab_size`.
        min_pair_count: training stops when no pair occurs so often.
        alphabet_order: which byte has which id: `bytes` (id = byte) or `gpt2`.

    >>> Recipe.parse("isbpe-dual+longest-first").boundary
    'implicit-dual'
    """

    name: str
    trainer: str = "bpe"
    boundary: str = "space-prefix"
    encoder: str = DEFAULT_ENCODER
    pretokenizer: str = DEFAULT_PRETOKENIZER
    digits: str | None = None
    whitespace: str = "split"
    normalizer: str = "identity"
    unicode: str | None = None
    line_fed: bool = False
    special_tokens: tuple[str, ...] = ()
    min_pair_count: int = 2
    alphabet_order: str = "bytes"

    def __post_init__(self) -> None:
        """Refuse slips that the core would take for something that was meant."""
        _check_pretokenizer(self.pretokenizer)
        _check_digits(self.digits)
        _check_min_pair_count(self.min_pair_count)

    @classmethod
    def parse(cls, name: str, **settings: Unpack[RecipeSettings]) -> Recipe:
        """Read a name such as `isbpe-dual+longest-first`.

        Args:
            name: one of `known_recipes()`; `+merge-rank` may be written out.
            settings: what the name leaves open, see `RecipeSettings`.
        Raises:
            SettingsError: an unknown name, encoder or setting; the message lists the known ones.

        >>> Recipe.parse("bpe+merge-rank").name
        'bpe'
        >>> Recipe.parse("bpe", whitespace="whole").whitespace
        'whole'
        """
        if not isinstance(name, str):
            raise SettingsError(f"a recipe is named by a string, got {name!r}")
        base_name, plus, encoder = name.partition("+")
        base = _BASES.get(base_name)
        if base is None:
            raise SettingsError(
                f"unknown recipe {name!r}{did_you_mean(name, known_recipes())}; "
                f"known recipes: {', '.join(known_recipes())}"
            )
        if not plus:
            encoder = base.encoders[0]
        elif encoder not in base.encoders:
            raise SettingsError(
                f"unknown recipe {name!r}{did_you_mean(name, known_recipes())}: "
                f"{base_name!r} goes with the encoders "
                f"{', '.join(base.encoders)}; known recipes: {', '.join(known_recipes())}"
            )
        known = RecipeSettings.__annotations__
        for setting in settings:
            if setting not in known:
                raise SettingsError(f"unknown setting {setting!r}; known: {', '.join(known)}")
        given = {key: value for key, value in settings.items() if value is not None}
        if "special_tokens" in given:
            given["special_tokens"] = _special_tokens(given["special_tokens"])
        # `given` holds only fields of this class, by the check above; mypy cannot see it.
        return cls(
            name=base_name if encoder == base.encoders[0] else f"{base_name}+{encoder}",
            trainer=base.trainer,
            boundary=base.boundary,
            encoder=encoder,
            line_fed=base.line_fed,
            **given,  # type: ignore[arg-type]
        )

    def counting_settings(self) -> str:
        """Give the settings of counting, as the JSON text that `_core.WordCounter` reads.

        Recipes with equal texts and equal `line_fed` can share one `WordCounts`.

        >>> Recipe.parse("bpe").counting_settings() == Recipe.parse(
        ...     "bpe+longest-first"
        ... ).counting_settings()
        True
        """
        return json.dumps(
            {
                "normalizer": self.normalizer,
                "pretokenizer": self.pretokenizer,
                "digits": self.digits,
                "boundary": self.boundary,
                "whitespace": self.whitespace,
                "unicode": self.unicode,
            }
        )

    def training_settings(self, vocab_size: int) -> str:
        """Give the settings of training, as the JSON text that `_core.train` reads.

        >>> import json
        >>> json.loads(Recipe.parse("bpe").training_settings(300))["trainer"]["vocab_size"]
        300
        """
        return json.dumps(
            {
                "recipe": self.name,
                "trainer": {
                    "type": self.trainer,
                    "vocab_size": vocab_size,
                    "min_pair_count": self.min_pair_count,
                },
                "encoder": self.encoder,
                "alphabet_order": self.alphabet_order,
                "special_tokens": list(self.special_tokens),
            }
        )


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Point at the known name that a misspelt one is nearest to, in a message; empty if none is.

    >>> did_you_mean("isbpe-dul", known_recipes())
    " (did you mean 'isbpe-dual'?)"
    >>> did_you_mean("wordpiece", known_recipes())
    ''
    """
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.75)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _check_pretokenizer(pretokenizer: object) -> None:
    """Refuse a misspelt name: as a regular expression it would match itself and nothing else."""
    if not isinstance(pretokenizer, str):
        raise SettingsError(f"pretokenizer is {pretokenizer!r}, but must be a string")
    known = pretokenizers()
    if pretokenizer not in known and _LOOKS_LIKE_A_NAME.fullmatch(pretokenizer):
        raise SettingsError(
            f"unknown pretokenizer {pretokenizer!r}{did_you_mean(pretokenizer, known)}; "
            f"known: {', '.join(known)}, or a regular expression"
        )


def _check_digits(digits: object) -> None:
    known = digit_rules()
    if digits is not None and digits not in known:
        near = did_you_mean(digits, known) if isinstance(digits, str) else ""
        raise SettingsError(
            f"unknown digits {digits!r}{near}; known: {', '.join(known)}, or None for no rule"
        )


def _check_min_pair_count(count: object) -> None:
    # True is an int to Python, and a pair that never occurs cannot be merged.
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= _MAX_COUNT:
        raise SettingsError(f"min_pair_count is {count!r}, but must be a whole number, at least 1")


def _special_tokens(tokens: object) -> tuple[str, ...]:
    """Refuse the two slips that JSON would hide: one string for a list, and what is no string."""
    if isinstance(tokens, str) or not isinstance(tokens, Sequence):
        raise SettingsError(f"special_tokens is a list of strings, got {tokens!r}")
    for index, token in enumerate(tokens):
        if not isinstance(token, str):
            raise SettingsError(f"special_tokens[{index}] is {token!r}, but must be a string")
    return tuple(tokens)
