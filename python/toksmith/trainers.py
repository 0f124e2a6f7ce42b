"""Trainers as classes: `BPE().train(corpus, vocab_size=…)`, with their settings as typed fields.

Each stands for the recipes of one method; `toksmith.training.train` does the work.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, fields
from functools import wraps
from typing import Final, TypeVar, cast

from toksmith._core import Tokenizer, WordCounts, check_training
from toksmith.corpus import CorpusInput
from toksmith.errors import SettingsError
from toksmith.recipes import NormalizerSettings, Recipe, RecipeSettings, did_you_mean
from toksmith.training import MAX_VOCAB_SIZE, Progress, train

__all__ = ["BPE", "ISBPE", "Characters", "ScaffoldBPE", "Unigram", "WordPiece", "Words"]

_WORDPIECE_SCORES: Final = ("pmi", "likelihood", "frequency")
_ISBPE_RECIPES: Final = {"single": "isbpe-single", "dual": "isbpe-dual"}


_Class = TypeVar("_Class", bound=type)


def _refusing_unknown(trainer: _Class) -> _Class:
    """Make a setting that a class does not have a `SettingsError`, which lists those it has."""
    # mypy cannot know that no subclass has another one; a decorator of a class is told which it is.
    init = trainer.__init__  # type: ignore[misc]
    known = [f.name for f in fields(trainer)]

    @wraps(init)
    def checked(self: object, *values: object, **settings: object) -> None:
        for setting in settings:
            if setting not in known:
                raise SettingsError(
                    f"unknown setting {setting!r} of {trainer.__name__}"
                    f"{did_you_mean(setting, known)}; known: {', '.join(known)}"
                )
        init(self, *values, **settings)

    trainer.__init__ = checked  # type: ignore[misc]
    return trainer


@dataclass(frozen=True, kw_only=True)
class _Trainer(ABC):
    """What every trainer can be told: how text is cut and written, and what is pinned."""

    #: Encoder of the recipe; None for the trainer's own.
    encoder: str | None = None
    pretokenizer: str | None = None
    digits: str | None = None
    whitespace: str | None = None
    normalizer: NormalizerSettings | None = None
    unicode: str | None = None
    boundary: str | None = None
    special_tokens: Sequence[str] = ()
    user_defined_symbols: Sequence[str] = ()
    alphabet: str | None = None
    alphabet_order: str | None = None
    character_coverage: float | None = None
    limit_alphabet: int | None = None
    required_characters: str | None = None
    byte_fallback: bool | None = None
    unk_token: str | None = None
    unk_scope: str | None = None
    unk_max_characters: int | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be trained now, and not after the corpus was read."""
        recipe = Recipe.parse(self.recipe, **self._settings())
        check_training(recipe.training_settings(MAX_VOCAB_SIZE), recipe.counting_settings())

    @property
    @abstractmethod
    def _base(self) -> str:
        """Name of the recipe without its encoder."""

    @property
    def recipe(self) -> str:
        """Name of the recipe, as `train` and `compare` take it."""
        if self.encoder is None:
            return self._base
        return Recipe.parse(f"{self._base}+{self.encoder}").name

    def _settings(self) -> RecipeSettings:
        known = RecipeSettings.__annotations__
        settings = {f.name: getattr(self, f.name) for f in fields(self) if f.name in known}
        return cast(RecipeSettings, settings)

    def train(
        self,
        corpus: CorpusInput | WordCounts,
        *,
        vocab_size: int,
        strict: bool = False,
        num_threads: int | None = None,
        progress: Progress | None = None,
    ) -> Tokenizer:
        """Train on a corpus or on ready word counts; see `toksmith.train`.

        >>> BPE().train(["low low", "lower"], vocab_size=257).vocab_size
        257
        """
        return train(
            self.recipe,
            corpus,
            vocab_size=vocab_size,
            strict=strict,
            num_threads=num_threads,
            progress=progress,
            **self._settings(),
        )


@_refusing_unknown
@dataclass(frozen=True, kw_only=True)
class BPE(_Trainer):
    """Byte-pair encoding: join the most frequent pair of adjacent tokens, again and again.

    By default byte-level, as GPT-2 has it. All trainers take the arguments that `Recipe` explains;
    None is the recipe's default, or for `pretokenizer`, `whitespace` and the like what ready word
    counts were made with.

    Args:
        encoder: `merge-rank` (as in training), `longest-first` (LBPE), or one of the others that
            `known_recipes()` shows.
        min_pair_count, num_merges, max_token_bytes: when training stops, and which tokens it
            does not make.
        pretokenizer, whitespace, normalizer, unicode, boundary, special_tokens,
            user_defined_symbols, alphabet, alphabet_order, character_coverage, limit_alphabet,
            required_characters, byte_fallback, unk_token, unk_scope, unk_max_characters: see
            `Recipe`.
    Raises:
        SettingsError: an unknown encoder or setting.
    Source: Sennrich et al. 2016; Radford et al. 2019.

    >>> tok = BPE().train("low low lower lowest", vocab_size=258)
    >>> tok.token(257).bytes
    b'low'
    """

    min_pair_count: int | None = None
    num_merges: int | None = None
    max_token_bytes: int | None = None

    @property
    def _base(self) -> str:
        return "bpe"


@_refusing_unknown
@dataclass(frozen=True)
class ISBPE(_Trainer):
    """Implicit-space BPE: a single space between words is not stored, its absence is.

    Args:
        mode: `single` marks what no space precedes, `dual` also what no space follows, so that a
            word has one form wherever it stands.
        encoder, min_pair_count, num_merges, max_token_bytes: as for `BPE`.
    Raises:
        SettingsError: an unknown mode or encoder.
    Source: "Improving BPE" (the ISBPE post).

    >>> tok = ISBPE(mode="dual").train("self.fire self.fire", vocab_size=1_030)
    >>> print(tok.explain("self.fire"))
    self.fire -> self | #.# | fire
    """

    mode: str = "dual"
    _: KW_ONLY
    min_pair_count: int | None = None
    num_merges: int | None = None
    max_token_bytes: int | None = None

    @property
    def _base(self) -> str:
        if self.mode not in _ISBPE_RECIPES:
            raise SettingsError(
                f"unknown mode {self.mode!r} of ISBPE; known: {', '.join(_ISBPE_RECIPES)}"
            )
        return _ISBPE_RECIPES[self.mode]


@_refusing_unknown
@dataclass(frozen=True, kw_only=True)
class ScaffoldBPE(_Trainer):
    """BPE that hides tokens which only led to longer ones, and gives their places to others.

    Encoded by merge rank, a hidden token that merging ends with is written as the fewest visible
    ones that spell it; the other encoders never see hidden tokens. They are in
    `Tokenizer.hidden_tokens`, and take no ids below `vocab_size`.

    Args:
        encoder, min_pair_count, num_merges, max_token_bytes: as for `BPE`.
    Source: Lian et al. 2024 (Scaffold-BPE).

    >>> counts = WordCounts.from_dict({"abc": 9, "xy": 4})
    >>> tok = ScaffoldBPE().train(counts, vocab_size=258)
    >>> tok.token(256).bytes, tok.token(257).bytes, tok.hidden_tokens
    (b'abc', b'xy', [Token(b'ab', lead=False, trail=False)])
    """

    min_pair_count: int | None = None
    num_merges: int | None = None
    max_token_bytes: int | None = None

    @property
    def _base(self) -> str:
        return "scaffold-bpe"


@_refusing_unknown
@dataclass(frozen=True)
class WordPiece(_Trainer):
    """WordPiece: join the pair with the best score; encode by longest prefix.

    By default nothing is lost: a word keeps the space in front of it, and bytes spell what no
    token does. BERT's own way is
    `WordPiece(pretokenizer="bert", whitespace="drop", alphabet="characters", byte_fallback=False,
    unk_token="[UNK]", unk_scope="word", unk_max_characters=100)`.

    Args:
        score: `pmi` (count of the pair over the product of its parts' counts), `likelihood` (gain
            in log likelihood of the corpus) or `frequency` (that of BPE).
        min_score: training stops when no pair has so high a score.
        min_pair_count, max_token_bytes: as for `BPE`.
    Source: Schuster and Nakajima 2012; Devlin et al. 2019.

    >>> tok = WordPiece(score="frequency").train("hug hugs hug", vocab_size=515)
    >>> print(tok.explain("hugs"))
    hugs -> h | ##ug | ##s
    """

    score: str = "pmi"
    _: KW_ONLY
    min_score: float | None = None
    min_pair_count: int | None = None
    max_token_bytes: int | None = None

    @property
    def _base(self) -> str:
        if self.score not in _WORDPIECE_SCORES:
            raise SettingsError(
                f"unknown score {self.score!r} of WordPiece; known: {', '.join(_WORDPIECE_SCORES)}"
            )
        return f"wordpiece-{self.score}"


@_refusing_unknown
@dataclass(frozen=True, kw_only=True)
class Unigram(_Trainer):
    """The unigram language model: many pieces at first, then without those that are missed least.

    Every token has a score, its log probability, and a word is cut so that their sum is largest.
    As SentencePiece trains it, but on words with their counts and from fewer, heavier seeds;
    `seed_size=1_000_000` starts as SentencePiece does.

    Args:
        encoder: `viterbi` (the best sum of scores), or one that reads tokens alone.
        seed_size, shrinking_factor, num_sub_iterations, max_token_chars: see `Recipe`.
    Raises:
        SettingsError: an unknown encoder or setting.
    Source: Kudo 2018.

    >>> tok = Unigram().train("low low lower low", vocab_size=258)
    >>> tok.encode(" low low")
    [256, 256]
    """

    seed_size: int | None = None
    shrinking_factor: float | None = None
    num_sub_iterations: int | None = None
    max_token_chars: int | None = None

    @property
    def _base(self) -> str:
        return "unigram"


@_refusing_unknown
@dataclass(frozen=True, kw_only=True)
class Words(_Trainer):
    """A vocabulary of words: the most frequent ones, and units to spell the others with.

    To have an unknown token instead, as word-level tokenizers do:
    `Words(alphabet="none", unk_token="<unk>")`.

    Args:
        min_word_count: a rarer word does not become a token.

    >>> tok = Words().train("low low lower", vocab_size=257)
    >>> tok.encode(" low")
    [256]
    """

    min_word_count: int | None = None

    @property
    def _base(self) -> str:
        return "words"


@_refusing_unknown
@dataclass(frozen=True, kw_only=True)
class Characters(_Trainer):
    """A vocabulary of characters: the bytes, and the most frequent characters of the corpus.

    Where there are more than `vocab_size` allows, the rarer ones are spelled in bytes, or are
    `unk_token` without `byte_fallback`. `Characters(alphabet="bytes")` has 256 tokens.

    >>> tok = Characters().train("h\u00e9 h\u00e9", vocab_size=257)
    >>> tok.encode("h\u00e9")
    [104, 256]
    """

    @property
    def _base(self) -> str:
        return "characters"
