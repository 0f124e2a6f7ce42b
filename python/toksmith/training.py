"""Training: from a corpus to word counts, from word counts to a tokenizer.

`train` takes a recipe's name; `train_recipe` starts from word counts that are there already, as a
comparison does. `toksmith.trainers` has a class for each method.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Sequence
from typing import Final, Unpack

from toksmith._core import Tokenizer, WordCounter, WordCounts, check_training
from toksmith._core import train as _train_from_counts
from toksmith.corpus import Corpus, CorpusInput
from toksmith.errors import CorpusError, SettingsError
from toksmith.recipes import DEFAULT_PRETOKENIZER, NormalizerSettings, Recipe, RecipeSettings

__all__ = ["MAX_VOCAB_SIZE", "Progress", "count_for", "count_words", "train", "train_recipe"]

#: Called with a stage (`"count"`, in bytes; `"train"`, in merges or dropped pieces), what is done,
#: and the total, None where it is not known. An exception that it raises stops the work.
Progress = Callable[[str, int, int | None], None]

# One batch crosses to the core at a time. Small enough that Ctrl-C and progress are prompt, large
# enough that splitting it over threads costs nothing that can be measured.
_BATCH_BYTES: Final = 4 << 20

#: The largest vocabulary that can be asked for.
MAX_VOCAB_SIZE: Final = 2**30


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
    strict: bool = False,
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
        strict: refuse to give a tokenizer with fewer ids than `vocab_size`.
        num_threads: None for all cores. The tokenizer does not depend on it.
        progress: called as `progress("train", done, total)`, in merges or in dropped pieces.
    Returns:
        A tokenizer with `vocab_size` ids, or fewer where nothing more can be learned;
        `training["stop_reason"]` says why.
    Raises:
        SettingsError: counts made another way, a vocabulary smaller than its alphabet.
        CorpusError: there are no words.
        TrainingError: with `strict`, there is not so much to learn; the message tells the sizes
            that can be.

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
        recipe.training_settings(size, strict=strict),
        num_threads=_num_threads(num_threads),
        progress=None if progress is None else _training_progress(progress),
    )


def train(
    recipe: Recipe | str,
    corpus: CorpusInput | WordCounts,
    *,
    vocab_size: int,
    strict: bool = False,
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
        vocab_size: ids in the whole vocabulary, alphabet and special tokens counted in. There are
            fewer where nothing more can be learned; `training["stop_reason"]` says why.
        strict: refuse to give a tokenizer with fewer ids than `vocab_size`.
        separator: text that stands between documents inside a file.
        jsonl_field: field that holds the text, for JSONL files.
        num_threads: None for all cores. The tokenizer does not depend on it.
        progress: see `Progress`.
        settings: what the name leaves open: `pretokenizer`, `whitespace`, `special_tokens`, …
    Raises:
        SettingsError: an unknown recipe or setting, or word counts made another way.
        CorpusError: the corpus cannot be read, or is empty.
        TrainingError: with `strict`, there is not so much to learn; the message tells the sizes
            that can be.

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
    return train_recipe(
        recipe, counts, size, strict=strict, num_threads=num_threads, progress=progress
    )


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
    if size > MAX_VOCAB_SIZE:
        raise SettingsError(f"vocab_size is {size}, but must be at most {MAX_VOCAB_SIZE:,}")
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
