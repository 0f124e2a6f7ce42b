"""Training: from a corpus to word counts, from word counts to a tokenizer.

`BPE` and `ISBPE` are what most people need; `train` takes a recipe's name instead, and
`train_recipe` starts from word counts that are there already, as a comparison does.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from typing import Final, Unpack, cast

from toksmith._core import Tokenizer, WordCounter, WordCounts, check_training
from toksmith._core import train as _train_from_counts
from toksmith.corpus import Corpus, CorpusInput
from toksmith.errors import CorpusError, SettingsError
from toksmith.recipes import DEFAULT_PRETOKENIZER, NormalizerSettings, Recipe, RecipeSettings

__all__ = [
    "BPE",
    "ISBPE",
    "Characters",
    "Progress",
    "ScaffoldBPE",
    "Unigram",
    "WordPiece",
    "Words",
    "count_for",
    "count_words",
    "train",
    "train_recipe",
]

#: Called with a stage (`"count"`, in bytes; `"train"`, in merges or dropped pieces), what is done,
#: and the total, None where it is not known. An exception that it raises stops the work.
Progress = Callable[[str, int, int | None], None]

# One batch crosses to the core at a time. Small enough that Ctrl-C and progress are prompt, large
# enough that splitting it over threads costs nothing that can be measured.
_BATCH_BYTES: Final = 4 << 20

_MAX_VOCAB_SIZE: Final = 2**30

_WORDPIECE_SCORES: Final = ("pmi", "likelihood", "frequency")
_ISBPE_RECIPES: Final = {"single": "isbpe-single", "dual": "isbpe-dual"}


def count_words(
    corpus: CorpusInput,
    *,
    pretokenizer: str = DEFAULT_PRETOKENIZER,
    digits: str | None = None,
    boundary: str = "space-prefix",
    whitespace: str = "split",
    normalizer: NormalizerSettings = "identity",
    unicode: str | None = None,
    user_defined_symbols: Sequence[str] = (),
    separator: str | None = None,
    jsonl_field: str | None = None,
    num_threads: int | None = None,
    progress: Progress | None = None,
) -> WordCounts:
    """Count the words of a corpus, cut and marked as a tokenizer will see them.

    Each document is cut by itself. Counts of several corpora can be merged, in any order; they
    remember how they were made, and those made in different ways refuse each other.

    Args:
        corpus: `str` or `bytes` (one document), an iterable of documents, `Path` or a list of
            them, or a `Corpus`. Never lines.
        pretokenizer: name of a pattern, or a regular expression.
        digits: how digits are grouped inside what the pattern cuts: `single`, `left-N` or
            `right-N`, N from 1 to 9; None for no rule.
        boundary: how a space is written: `space-prefix`, `metaspace`, `metaspace-no-prefix`,
            `end-of-word`, `continuation`, `implicit-single`, `implicit-dual`.
        whitespace: `split`, `whole` or `drop`.
        normalizer: what is done to the text first: a name such as `nfkc`, an object with settings,
            or a list of steps. By default nothing.
        unicode: version of the character classes, None for the pinned one.
        user_defined_symbols: texts that are tokens wherever they stand, and part of no word.
        separator: text that stands between documents inside a file.
        jsonl_field: field that holds the text, for JSONL files.
        num_threads: None for all cores. The counts do not depend on it.
        progress: called as `progress("count", num_bytes, None)`.
    Raises:
        CorpusError: a document cannot be read; the message says which.
        SettingsError: an unknown setting or an invalid regular expression.

    >>> counts = count_words("low low lower")
    >>> counts.total
    3
    """
    if isinstance(corpus, WordCounts):
        raise SettingsError("these words are counted already: train on them, or merge them")
    recipe = Recipe(
        name="",
        boundary=boundary,
        pretokenizer=pretokenizer,
        digits=digits,
        whitespace=whitespace,
        normalizer=normalizer,
        unicode=unicode,
        user_defined_symbols=tuple(user_defined_symbols),
    )
    documents = Corpus.from_input(corpus, separator=separator, jsonl_field=jsonl_field)
    return count_for(recipe, documents, num_threads=num_threads, progress=progress)


def count_for(
    recipe: Recipe,
    corpus: Corpus,
    *,
    num_threads: int | None = None,
    progress: Progress | None = None,
) -> WordCounts:
    """Count the words of a corpus as a recipe cuts and marks them; see `count_words`.

    A line-fed recipe gets lines only if the corpus is of lines (`Corpus.lines`).

    >>> count_for(Recipe.parse("isbpe-dual"), Corpus.from_input("low low lower")).total
    3
    """
    counter = WordCounter(recipe.counting_settings(), _num_threads(num_threads))
    num_bytes = 0
    for batch in corpus.batches(_BATCH_BYTES):
        counter.count(batch)
        num_bytes += sum(map(len, batch))
        if progress is not None:
            progress("count", num_bytes, None)
    return counter.finish()


def train_recipe(
    recipe: Recipe | str,
    counts: WordCounts,
    vocab_size: int,
    *,
    num_threads: int | None = None,
    progress: Progress | None = None,
) -> Tokenizer:
    """Train a tokenizer from word counts.

    The counts must have been made the way the recipe says. A line-fed recipe takes them on trust:
    counts do not tell lines from documents.

    Args:
        recipe: a recipe; or its name, and what that leaves open is as the words were counted.
        counts: from `count_words`.
        vocab_size: ids in the whole vocabulary, alphabet and special tokens counted in.
        num_threads: None for all cores. The tokenizer does not depend on it.
        progress: called as `progress("train", done, total)`, in merges or in dropped pieces.
    Returns:
        A tokenizer with `vocab_size` ids, or fewer where nothing more can be learned;
        `training["stop_reason"]` says why.
    Raises:
        SettingsError: counts made another way, a vocabulary smaller than its alphabet.
        CorpusError: there are no words.

    >>> counts = count_words("low low lower lowest")
    >>> train_recipe("bpe", counts, 258).vocab_size
    258
    """
    if not isinstance(counts, WordCounts):
        raise SettingsError(
            f"counts is {type(counts).__name__}, but must be a ts.WordCounts, which "
            "ts.count_words makes; ts.train takes a corpus"
        )
    if not isinstance(recipe, Recipe):
        recipe = Recipe.parse(recipe, **_with_provenance({}, counts))
    size = _vocab_size(vocab_size)
    _check_provenance(recipe, counts)
    if len(counts) == 0:
        documents = (
            "1 document" if counts.num_documents == 1 else f"{counts.num_documents} documents"
        )
        raise CorpusError(
            f"the corpus is empty: {documents}, {counts.num_bytes} bytes, no words to train on"
        )
    if progress is not None:
        # The core speaks up at intervals, and small trainings are over before the first.
        progress("train", 0, None)
    return _train_from_counts(
        counts,
        recipe.training_settings(size),
        num_threads=_num_threads(num_threads),
        progress=None if progress is None else _training_progress(progress),
    )


def train(
    recipe: Recipe | str,
    corpus: CorpusInput | WordCounts,
    *,
    vocab_size: int,
    separator: str | None = None,
    jsonl_field: str | None = None,
    num_threads: int | None = None,
    progress: Progress | None = None,
    **settings: Unpack[RecipeSettings],
) -> Tokenizer:
    """Train the method that a recipe names.

    Args:
        recipe: one of `known_recipes()`, or a `Recipe`.
        corpus: what `count_words` takes, or a ready `WordCounts`; settings that are not given are
            then those the words were counted with.
        vocab_size: ids in the whole vocabulary, alphabet and special tokens counted in.
        separator: text that stands between documents inside a file.
        jsonl_field: field that holds the text, for JSONL files.
        num_threads: None for all cores. The tokenizer does not depend on it.
        progress: see `Progress`.
        settings: what the name leaves open: `pretokenizer`, `whitespace`, `special_tokens`, …
    Raises:
        SettingsError: an unknown recipe or setting, or word counts made another way.
        CorpusError: the corpus cannot be read, or is empty.

    >>> tok = train("isbpe-dual+longest-first", "low low lower lowest", vocab_size=1_026)
    >>> tok.decode(tok.encode("lower lows"))
    'lower lows'
    """
    if isinstance(recipe, Recipe):
        if settings:
            raise SettingsError(
                f"settings ({', '.join(settings)}) go with a recipe's name; "
                "change a Recipe with dataclasses.replace"
            )
    elif isinstance(corpus, WordCounts):
        recipe = Recipe.parse(recipe, **_with_provenance(settings, corpus))
    else:
        recipe = Recipe.parse(recipe, **settings)
    size = _vocab_size(vocab_size)
    if isinstance(corpus, WordCounts):
        if recipe.line_fed:
            raise SettingsError(
                f"{recipe.name!r} is trained on single lines, and word counts hold no lines: "
                "pass documents"
            )
        if separator is not None or jsonl_field is not None:
            raise SettingsError("separator and jsonl_field cut documents; word counts hold none")
        counts = corpus
    else:
        documents = Corpus.from_input(corpus, separator=separator, jsonl_field=jsonl_field)
        if recipe.line_fed:
            documents = documents.lines()
        check_training(recipe.training_settings(size), recipe.counting_settings())
        counts = count_for(recipe, documents, num_threads=num_threads, progress=progress)
    return train_recipe(recipe, counts, size, num_threads=num_threads, progress=progress)


@dataclass(frozen=True, kw_only=True)
class _Trainer:
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
        Recipe.parse(self.recipe, **self._settings())

    @property
    def _base(self) -> str:
        """Name of the recipe without its encoder."""
        raise NotImplementedError

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
            num_threads=num_threads,
            progress=progress,
            **self._settings(),
        )


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


def _training_progress(progress: Progress) -> Callable[[int, int], None]:
    return lambda done, total: progress("train", done, total)


def _vocab_size(vocab_size: int) -> int:
    # True is an int to Python, and 32_768.0 would pass through JSON: both are slips.
    try:
        size = None if isinstance(vocab_size, bool) else operator.index(vocab_size)
    except TypeError:
        size = None
    if size is None:
        raise SettingsError(f"vocab_size is {vocab_size!r}, but must be a whole number")
    # The core knows how large the alphabet is; here is refused what it could not even read.
    if size < 1:
        raise SettingsError(f"vocab_size is {size}, but must be at least 1")
    if size > _MAX_VOCAB_SIZE:
        raise SettingsError(f"vocab_size is {size}, but must be at most {_MAX_VOCAB_SIZE:,}")
    return size


def _num_threads(num_threads: int | None) -> int | None:
    if num_threads is None:
        return None
    if isinstance(num_threads, bool) or not isinstance(num_threads, int) or num_threads < 1:
        raise SettingsError(
            f"num_threads is {num_threads!r}, but must be at least 1, or None for all cores"
        )
    return num_threads


def _with_provenance(settings: RecipeSettings, counts: WordCounts) -> RecipeSettings:
    """Fill settings that were left open with those that the words were counted with."""
    provenance = counts.provenance
    filled = settings.copy()
    # Not the boundary: it is part of what a recipe's name means.
    for stage in ("pretokenizer", "digits", "whitespace", "normalizer", "user_defined_symbols"):
        if not filled.get(stage):
            filled[stage] = provenance.get(stage)
    return filled


def _check_provenance(recipe: Recipe, counts: WordCounts) -> None:
    provenance = counts.provenance
    wanted_stages = json.loads(recipe.counting_settings())
    for setting, wanted in wanted_stages.items():
        found = provenance.get(setting)
        # No version asked for means any; no rule for digits means none.
        if wanted != found and (setting == "digits" or (wanted is not None and found is not None)):
            raise SettingsError(
                f"recipe {recipe.name!r} has {setting} {wanted!r}, but these words were counted "
                f"with {setting} {found!r}: count them again, or ask for {found!r}"
            )
