"""Recipes: the names under which complete methods are trained and compared.

A recipe names one point on the axes of tokenization: how text is cut, how a space is written, who
learns the vocabulary, who encodes with it. `bpe+longest-first` is byte-level BPE encoded longest
token first. This module only turns names into settings: the core does the work and knows which
values of a setting exist. Checked here is what the core cannot tell from a setting that is meant,
such as a misspelt name of a pattern, which is a regular expression too. A normalizer can be written
in many ways; the core gives the one form in which recipes are compared.
"""

from __future__ import annotations

import difflib
import json
import re
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias, TypedDict, Unpack

from toksmith._core import digit_rules, normalizer_steps, pretokenizers
from toksmith.errors import SettingsError

__all__ = [
    "DEFAULT_PRETOKENIZER",
    "NormalizerSettings",
    "Recipe",
    "RecipeSettings",
    "check_pretokenizer",
    "compositions",
    "did_you_mean",
    "known_encoders",
    "known_recipes",
    "parse_normalizer",
    "parse_settings",
]

DEFAULT_PRETOKENIZER: Final = "gpt2-contraction-fix"

# The core takes any string that is none of its names for a regular expression.
_LOOKS_LIKE_A_NAME: Final = re.compile(r"[A-Za-z0-9_-]*")
_MAX_COUNT: Final = 2**64 - 1


#: A normalizer by name, such as `"nfkc"`; an object with its `type` and settings, such as
#: `{"type": "replace", "literal": "''", "by": '"'}`; or a list of them, the steps in their order.
NormalizerSettings: TypeAlias = str | Mapping[str, Any] | Sequence[str | Mapping[str, Any]]


class _Base(NamedTuple):
    """What the part of a recipe's name before the `+` stands for.

    The first encoder is the one that a recipe has without a suffix.
    """

    trainer: str
    encoders: tuple[str, ...]
    boundary: str = "space-prefix"
    line_fed: bool = False
    alphabet: str = "bytes"
    character_coverage: float = 1.0
    score: str | None = None


# Those that only read which tokens there are: they go with every vocabulary.
_TOKEN_ENCODERS: Final = (
    "longest-first",
    "longest-prefix",
    "longest-suffix",
    "fewest-tokens",
    "whole-word",
)
_MERGE_ENCODERS: Final = ("merge-rank", *_TOKEN_ENCODERS)
_WORDPIECE_ENCODERS: Final = (
    "longest-prefix",
    "merge-rank",
    "longest-first",
    "longest-suffix",
    "fewest-tokens",
    "whole-word",
)
_WORDS_ENCODERS: Final = (
    "whole-word",
    "longest-first",
    "longest-prefix",
    "longest-suffix",
    "fewest-tokens",
)

# The only list of recipes.
_BASES: Final[dict[str, _Base]] = {
    "bpe": _Base("bpe", _MERGE_ENCODERS),
    "isbpe-single": _Base("bpe", _MERGE_ENCODERS, boundary="implicit-single"),
    "isbpe-dual": _Base("bpe", _MERGE_ENCODERS, boundary="implicit-dual"),
    "scaffold-bpe": _Base("scaffold-bpe", _MERGE_ENCODERS),
    "wordpiece-pmi": _Base("wordpiece", _WORDPIECE_ENCODERS, boundary="continuation", score="pmi"),
    "wordpiece-likelihood": _Base(
        "wordpiece", _WORDPIECE_ENCODERS, boundary="continuation", score="likelihood"
    ),
    "wordpiece-frequency": _Base(
        "wordpiece", _WORDPIECE_ENCODERS, boundary="continuation", score="frequency"
    ),
    "unigram": _Base(
        "unigram",
        ("viterbi", *_TOKEN_ENCODERS),
        alphabet="characters",
        character_coverage=0.9995,
    ),
    "words": _Base("words", _WORDS_ENCODERS),
    "characters": _Base("characters", _MERGE_ENCODERS, alphabet="characters"),
    # Spoiled on purpose: the same BPE trained on single lines. Always flagged, never ranked.
    "bpe-line-fed": _Base("bpe", _MERGE_ENCODERS, line_fed=True),
}

# The settings that each trainer reads beside those that all of them have.
_TRAINER_SETTINGS: Final[dict[str, tuple[str, ...]]] = {
    "bpe": ("min_pair_count", "num_merges", "max_token_bytes"),
    "scaffold-bpe": ("min_pair_count", "num_merges", "max_token_bytes"),
    "wordpiece": ("score", "min_score", "min_pair_count", "max_token_bytes"),
    "unigram": ("seed_size", "shrinking_factor", "num_sub_iterations", "max_token_chars"),
    "words": ("min_word_count",),
    "characters": (),
}

# Settings that are whole numbers, and the least value of each.
_WHOLE_NUMBERS: Final = {
    "min_pair_count": 1,
    "num_merges": 0,
    "max_token_bytes": 1,
    "min_word_count": 1,
    "seed_size": 0,
    "num_sub_iterations": 1,
    "max_token_chars": 1,
    "limit_alphabet": 0,
    "unk_max_characters": 1,
}


# Settings that act only with another one, and their defaults.
_OF_CHARACTERS: Final[dict[str, object]] = {
    "character_coverage": 1.0,
    "limit_alphabet": None,
    "required_characters": "",
    "byte_fallback": True,
}
_OF_UNK: Final[dict[str, object]] = {"unk_scope": "characters", "unk_max_characters": None}


# Setting of a recipe -> what the core calls it among the settings of the alphabet.
_OF_ANY_ALPHABET: Final = {"alphabet": "type", "alphabet_order": "order"}
_ALPHABET_KEYS: Final = {
    **_OF_ANY_ALPHABET,
    "character_coverage": "coverage",
    "limit_alphabet": "limit",
    "required_characters": "required",
    "byte_fallback": "byte_fallback",
}


class RecipeSettings(TypedDict, total=False):
    """Settings a recipe's name leaves open. `None` means the default.

    Their meaning is told at the fields of `Recipe`.
    """

    pretokenizer: str | None
    digits: str | None
    whitespace: str | None
    normalizer: NormalizerSettings | None
    unicode: str | None
    boundary: str | None
    special_tokens: Sequence[str] | None
    user_defined_symbols: Sequence[str] | None
    alphabet: str | None
    alphabet_order: str | None
    character_coverage: float | None
    limit_alphabet: int | None
    required_characters: str | None
    byte_fallback: bool | None
    unk_token: str | None
    unk_scope: str | None
    unk_max_characters: int | None
    min_pair_count: int | None
    num_merges: int | None
    max_token_bytes: int | None
    min_score: float | None
    min_word_count: int | None
    seed_size: int | None
    shrinking_factor: float | None
    num_sub_iterations: int | None
    max_token_chars: int | None


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


def compositions() -> dict[str, tuple[str, ...]]:
    """List the encoders that go with each method, its own first; each goes with every boundary.

    The spoiled baseline is left out.

    >>> compositions()["words"]
    ('whole-word', 'longest-first', 'longest-prefix', 'longest-suffix', 'fewest-tokens')
    """
    return {name: base.encoders for name, base in _BASES.items() if not base.line_fed}


def known_encoders() -> tuple[str, ...]:
    """List the encoders that some recipe goes with.

    >>> known_encoders()[:2]
    ('merge-rank', 'longest-first')
    """
    return tuple(dict.fromkeys(name for base in _BASES.values() for name in base.encoders))


def parse_normalizer(texts: Iterable[str] | None) -> list[str | dict[str, Any]] | None:
    """Read the steps of a normalizer, each a name or a JSON object, as a command line has them.

    >>> parse_normalizer(["nfkc", '{"type": "replace", "literal": "a", "by": "b"}'])
    ['nfkc', {'type': 'replace', 'literal': 'a', 'by': 'b'}]
    """
    if not texts:
        return None
    return [_normalizer_step(text) for text in texts]


def _normalizer_step(text: str) -> str | dict[str, Any]:
    if not text.lstrip().startswith("{"):
        return text
    try:
        step: dict[str, Any] = json.loads(text)
    except ValueError as error:
        raise SettingsError(f"normalizer {text} is no JSON: {error}") from None
    return step


def parse_settings(texts: Iterable[str]) -> RecipeSettings:
    """Read settings written as `name=value`, as a command line has them.

    A setting that is a list is given several times.

    Raises:
        SettingsError: no `=`, an unknown name, or a value of another kind than the setting's.

    >>> parse_settings(["boundary=metaspace", "character_coverage=0.999", "byte_fallback=false"])
    {'boundary': 'metaspace', 'character_coverage': 0.999, 'byte_fallback': False}
    """
    settings: dict[str, object] = {}
    kinds = typing.get_type_hints(RecipeSettings)
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise SettingsError(f"a setting is written name=value, got {text!r}")
        if name not in kinds:
            raise SettingsError(
                f"unknown setting {name!r}{did_you_mean(name, kinds)}; known: {', '.join(kinds)}"
            )
        kind = typing.get_args(kinds[name])[0]
        if name == "normalizer":
            settings.setdefault(name, []).append(_normalizer_step(value))  # type: ignore[attr-defined]
        elif typing.get_origin(kind) is not None:
            settings.setdefault(name, []).append(value)  # type: ignore[attr-defined]
        else:
            settings[name] = _value(name, kind, value)
    return typing.cast(RecipeSettings, settings)


def _value(name: str, kind: type, text: str) -> object:
    if kind is str:
        return text
    if kind is bool:
        known = {"true": True, "false": False}
        if text not in known:
            raise SettingsError(f"{name} is true or false, got {text!r}")
        return known[text]
    try:
        return kind(text)
    except ValueError:
        number = "a whole number" if kind is int else "a number"
        raise SettingsError(f"{name} is {number}, got {text!r}") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A complete method: everything but the corpus and the size of the vocabulary.

    Make one with `Recipe.parse`, change one with `dataclasses.replace`. A setting of another
    trainer than the recipe's is refused where the recipe is made.

    Args:
        name: canonical name; the default encoder is left out of it.
        trainer: who learns the vocabulary.
        boundary: how the space between two words is written.
        encoder: how a word is spelled with the vocabulary; None is the trainer's own.
        pretokenizer: name of a pattern, or a regular expression.
        digits: how digits are grouped inside what the pattern cuts: `single`, `left-N` or
            `right-N` (groups of N from that side, N from 1 to 9); None leaves them as they are.
        whitespace: `split` keeps whitespace pretokens as the pattern cuts them, `whole` joins
            neighbours, `drop` loses them (with the boundary `continuation` only).
        normalizer: what is done to the text before it is cut, see `NormalizerSettings`; kept as the
            steps with all of their settings.
        unicode: version whose character classes the pattern uses; None is the pinned one.
        line_fed: the corpus is cut into lines first. Only the spoiled baseline does that.
        special_tokens: they get the last ids, in this order, and count against `vocab_size`.
        user_defined_symbols: texts that are one token wherever they stand, in training and later;
            their ids come before those of the special tokens.
        alphabet: what a vocabulary starts with: `bytes`; `characters`, the characters of the
            corpus on top of the bytes; or `none`.
        alphabet_order: which byte has which id: `bytes` (id = byte) or `gpt2`.
        character_coverage: the share of all characters of the corpus that become units, above 0
            and at most 1; the most frequent do, and of equals the smaller code points.
        limit_alphabet: the most characters that become units; None for no limit.
        required_characters: characters that are units in any case.
        byte_fallback: False leaves the bytes out of an alphabet of characters. What it cannot
            spell is then `unk_token`, and lost.
        unk_token: name of the token for what cannot be spelled; put before `special_tokens` if
            it is not among them.
        unk_scope: what one of them stands for: `characters` (a run of unknown ones) or `word`.
        unk_max_characters: a word of more characters is unknown; BERT has 100. None for no limit.
        min_pair_count: training stops when no pair occurs so often; the default is 2.
        num_merges: training stops after so many merges.
        max_token_bytes: no merge makes a longer token.
        min_score: for WordPiece: training stops when no pair has so high a score.
        min_word_count: for `words`: a rarer word does not become a token; the default is 1.
        seed_size: for `unigram`: most substrings to start with; the default is four for each id of
            the vocabulary.
        shrinking_factor: for `unigram`: the share of the pieces that each pruning keeps, above 0
            and below 1; the default is 0.75.
        num_sub_iterations: for `unigram`: estimations before each pruning; the default is 2.
        max_token_chars: for `unigram`: longest token, in units of the alphabet, at most 255; the
            default is 16.
        score: for WordPiece: what decides which pair is merged; part of the recipe's name.

    >>> Recipe.parse("isbpe-dual+longest-first").boundary
    'implicit-dual'
    """

    name: str
    trainer: str = "bpe"
    boundary: str = "space-prefix"
    encoder: str | None = None
    pretokenizer: str = DEFAULT_PRETOKENIZER
    digits: str | None = None
    whitespace: str = "split"
    # Steps hold dicts, so they are compared, but not hashed.
    normalizer: NormalizerSettings = field(default=(), hash=False)
    unicode: str | None = None
    line_fed: bool = False
    special_tokens: tuple[str, ...] = ()
    user_defined_symbols: tuple[str, ...] = ()
    alphabet: str = "bytes"
    alphabet_order: str = "bytes"
    character_coverage: float = 1.0
    limit_alphabet: int | None = None
    required_characters: str = ""
    byte_fallback: bool = True
    unk_token: str | None = None
    unk_scope: str = "characters"
    unk_max_characters: int | None = None
    min_pair_count: int | None = None
    num_merges: int | None = None
    max_token_bytes: int | None = None
    min_score: float | None = None
    min_word_count: int | None = None
    seed_size: int | None = None
    shrinking_factor: float | None = None
    num_sub_iterations: int | None = None
    max_token_chars: int | None = None
    score: str | None = None

    def __post_init__(self) -> None:
        """Refuse slips that the core would take for something that was meant."""
        check_pretokenizer(self.pretokenizer)
        _check_digits(self.digits)
        for setting, least in _WHOLE_NUMBERS.items():
            _check_whole_number(setting, getattr(self, setting), least)
        _check_coverage(self.character_coverage)
        _check_share("shrinking_factor", self.shrinking_factor)
        self._check_idle()
        own = _TRAINER_SETTINGS.get(self.trainer, ())
        others = {name for names in _TRAINER_SETTINGS.values() for name in names}.difference(own)
        for setting in sorted(others):
            if getattr(self, setting) is not None:
                raise SettingsError(
                    f"{setting} is no setting of {self.trainer}, which takes "
                    f"{', '.join(own) or 'none of its own'}"
                )
        if self.unk_token is not None and self.unk_token not in self.special_tokens:
            object.__setattr__(self, "special_tokens", (self.unk_token, *self.special_tokens))
        # One form for all spellings, so that equal recipes are equal; the core refuses what it does
        # not know. An assignment is the one way to do so in a frozen class.
        object.__setattr__(self, "normalizer", tuple(normalizer_steps(self.normalizer)))

    def _check_idle(self) -> None:
        """Refuse settings that would do nothing because another one switches them off."""
        for is_on, needs, defaults in (
            (self.alphabet == "characters", 'alphabet="characters"', _OF_CHARACTERS),
            (self.unk_token is not None, "unk_token", _OF_UNK),
        ):
            for setting, default in defaults.items():
                value = getattr(self, setting)
                if not is_on and value != default:
                    raise SettingsError(f"{setting} is {value!r}, but does nothing without {needs}")

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
        given = {
            "boundary": base.boundary,
            "alphabet": base.alphabet,
            **{key: value for key, value in settings.items() if value is not None},
        }
        if given["alphabet"] == base.alphabet:
            given.setdefault("character_coverage", base.character_coverage)
        for setting in ("special_tokens", "user_defined_symbols"):
            if setting in given:
                given[setting] = _strings(setting, given[setting])
        # `given` holds only fields of this class, by the check above; mypy cannot see it.
        return cls(
            name=base_name if encoder == base.encoders[0] else f"{base_name}+{encoder}",
            trainer=base.trainer,
            encoder=encoder,
            line_fed=base.line_fed,
            score=base.score,
            **given,  # type: ignore[arg-type]
        )

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Recipe:
        """Give the recipe that a tokenizer was trained with, from its `Tokenizer.settings`.

        Trained on the same corpus to the same size, it gives an equal file. Defaults are written
        out in it. A template is no part of a recipe, and neither are plain tokens that were added
        after training; special ones are.

        Raises:
            SettingsError: the tokenizer was not trained here, so nobody knows how.

        >>> from toksmith import train
        >>> recipe = Recipe.parse("isbpe-dual", digits="single")
        >>> tok = train(recipe, "low low lower", vocab_size=1_026)
        >>> again = train(Recipe.from_settings(tok.settings), "low low lower", vocab_size=1_026)
        >>> again.to_json() == tok.to_json()
        True
        """
        trainer = settings["trainer"]
        if trainer is None:
            raise SettingsError(
                f"{settings['recipe']!r} was not trained here: its file does not say how it was"
            )
        base = _BASES.get(settings["recipe"].partition("+")[0])
        alphabet = settings["alphabet"]
        unk = settings["unk"] or {}
        special = [t["text"] for t in settings["added_tokens"] if t["kind"] == "special"]
        stages = ("boundary", "encoder", "pretokenizer", "whitespace", "normalizer", "unicode")
        of_alphabet = {
            setting: alphabet[key] for setting, key in _ALPHABET_KEYS.items() if key in alphabet
        }
        return cls(
            name=settings["recipe"],
            trainer=trainer["type"],
            digits=settings.get("digits"),
            line_fed=base is not None and base.line_fed,
            special_tokens=tuple(special),
            user_defined_symbols=tuple(settings["user_defined_symbols"]),
            unk_token=unk.get("token"),
            unk_scope=unk.get("scope", _OF_UNK["unk_scope"]),
            unk_max_characters=unk.get("max_characters"),
            **{stage: settings[stage] for stage in stages},
            **of_alphabet,
            **{setting: value for setting, value in trainer.items() if setting != "type"},
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
                "user_defined_symbols": list(self.user_defined_symbols),
            }
        )

    def training_settings(self, vocab_size: int, *, strict: bool = False) -> str:
        """Give the settings of training, as the JSON text that `_core.train` reads.

        Args:
            vocab_size: ids in the whole vocabulary.
            strict: whether fewer ids than that are an error.

        >>> import json
        >>> json.loads(Recipe.parse("bpe").training_settings(300))["vocab_size"]
        300
        """
        trainer = {
            setting: getattr(self, setting)
            for setting in _TRAINER_SETTINGS.get(self.trainer, ())
            if getattr(self, setting) is not None
        }
        unk = None
        if self.unk_token is not None:
            unk = {
                "token": self.unk_token,
                "scope": self.unk_scope,
                "max_characters": self.unk_max_characters,
            }
        return json.dumps(
            {
                "recipe": self.name,
                "vocab_size": vocab_size,
                "trainer": {"type": self.trainer, **trainer},
                "encoder": self.encoder,
                "alphabet": self._alphabet_settings(),
                "special_tokens": list(self.special_tokens),
                "unk": unk,
                "strict": strict,
            }
        )

    def _alphabet_settings(self) -> dict[str, object]:
        known = _ALPHABET_KEYS if self.alphabet == "characters" else _OF_ANY_ALPHABET
        return {key: getattr(self, setting) for setting, key in known.items()}


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Point at the known name that a misspelt one is nearest to, in a message; empty if none is.

    >>> did_you_mean("isbpe-dul", known_recipes())
    " (did you mean 'isbpe-dual'?)"
    >>> did_you_mean("sentencepiece", known_recipes())
    ''
    """
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.75)
    return f" (did you mean {near[0]!r}?)" if near else ""


def check_pretokenizer(pretokenizer: object) -> None:
    """Refuse a misspelt name: as a regular expression it would match itself and nothing else.

    Raises:
        SettingsError: no string, or the like of a name that there is not.
    """
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


def _check_whole_number(setting: str, number: object, least: int) -> None:
    if number is None:
        return
    # True is an int to Python.
    if isinstance(number, int) and not isinstance(number, bool) and least <= number <= _MAX_COUNT:
        return
    raise SettingsError(f"{setting} is {number!r}, but must be a whole number, at least {least}")


def _check_coverage(coverage: object) -> None:
    if isinstance(coverage, int | float) and not isinstance(coverage, bool) and 0 < coverage <= 1:
        return
    raise SettingsError(f"character_coverage is {coverage!r}, but must be above 0 and at most 1")


def _check_share(setting: str, share: object) -> None:
    if share is None:
        return
    if isinstance(share, int | float) and not isinstance(share, bool) and 0 < share < 1:
        return
    raise SettingsError(f"{setting} is {share!r}, but must be above 0 and below 1")


def _strings(setting: str, tokens: object) -> tuple[str, ...]:
    """Refuse the two slips that JSON would hide: one string for a list, and what is no string."""
    if isinstance(tokens, str) or not isinstance(tokens, Sequence):
        raise SettingsError(f"{setting} is a list of strings, got {tokens!r}")
    for index, token in enumerate(tokens):
        if not isinstance(token, str):
            raise SettingsError(f"{setting}[{index}] is {token!r}, but must be a string")
    return tuple(tokens)
