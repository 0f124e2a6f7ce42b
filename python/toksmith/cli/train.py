"""`train`, `count-words` and `merge`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from toksmith._core import Tokenizer, WordCounts
from toksmith.cli.arguments import (
    DigitsOption,
    JsonlFieldOption,
    MinPairCountOption,
    NormalizerOption,
    OutOption,
    PretokenizerOption,
    ProgressOption,
    SeparatorOption,
    SettingsOption,
    SpecialTokensOption,
    ThreadsOption,
    UnicodeOption,
    VocabSizeOption,
    WhitespaceOption,
    corpus_from_paths,
    refuse_unwritable,
)
from toksmith.cli.console import Reporter, note, note_skipped
from toksmith.corpus import Corpus
from toksmith.errors import FormatError, SettingsError
from toksmith.recipes import (
    DEFAULT_PRETOKENIZER,
    Recipe,
    RecipeSettings,
    parse_normalizer,
    parse_settings,
)
from toksmith.training import count_words as count_words_of
from toksmith.training import train as train_on

__all__ = ["count_words", "merge", "train"]

# A file of word counts begins so, whatever its version.
_FIRST_BYTES: Final = b"# toksmith word-counts "

# What the core calls them -> what they mean.
_STOP_REASONS: Final = {
    "num-merges-reached": "it has as many merges as were asked for (num_merges)",
    "pairs-too-rare": "no pair was left that occurs often enough (--min-pair-count); the corpus "
    "is small for that vocabulary",
    "no-pairs-left": "every word is one token; the corpus is small for that vocabulary",
    "scores-too-low": "no pair was left with so high a score (min_score)",
    "pieces-too-rare": "no more pieces of words are used often; the corpus is small for that "
    "vocabulary",
    "words-too-rare": "no word was left that occurs often enough (min_word_count)",
    "all-words-taken": "every word of the corpus is a token",
    "all-characters-taken": "every character of the corpus is a token",
}

CorpusArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="PATH",
        show_default=False,
        help="Text files, folders or glob patterns (.gz, .xz, .zst and .jsonl are read), "
        "or - for standard input.",
    ),
]
CountsFilesArgument = Annotated[
    list[Path],
    typer.Argument(metavar="FILE", show_default=False, help="Files of `count-words`."),
]


def train(
    recipe: Annotated[
        str,
        typer.Argument(
            metavar="RECIPE", show_default=False, help="Such as bpe or isbpe-dual+longest-first."
        ),
    ],
    paths: CorpusArgument,
    *,
    vocab_size: VocabSizeOption,
    out: OutOption,
    pretokenizer: PretokenizerOption = None,
    digits: DigitsOption = None,
    whitespace: WhitespaceOption = None,
    normalizer: NormalizerOption = None,
    unicode: UnicodeOption = None,
    special_tokens: SpecialTokensOption = None,
    min_pair_count: MinPairCountOption = None,
    settings: SettingsOption = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="Fail, and write nothing, if there are fewer ids than --vocab-size."
        ),
    ] = False,
    separator: SeparatorOption = None,
    jsonl_field: JsonlFieldOption = None,
    threads: ThreadsOption = None,
    progress: ProgressOption = None,
) -> None:
    """Train a tokenizer.

    RECIPE is a method, alone or with an encoder: bpe, isbpe-dual+longest-first.

    \b
    Methods:
        bpe             byte-level BPE
        isbpe-single    the space before a word is implicit, its absence is marked
        isbpe-dual      the same on both sides of a word
        scaffold-bpe    bpe that hides tokens which only led to longer ones
        wordpiece-pmi   pairs joined by their count over their parts' counts
        wordpiece-likelihood  by what they add to the likelihood of the corpus
        wordpiece-frequency   by their count, like bpe
        unigram         the tokens that make the corpus most likely, of many at first
        words           the most frequent words; the others are spelled out
        characters      the characters of the corpus
        bpe-line-fed    bpe spoiled on purpose: trained on single lines
    Encoders, which spell a word with the vocabulary:
        +merge-rank     by the merges in the order of training (default of bpe, isbpe-*,
                        scaffold-bpe, characters)
        +longest-first  the longest token anywhere in the word first (LBPE)
        +longest-prefix the longest token from the left, again and again
                        (default of wordpiece-*)
        +longest-suffix the longest token from the right, again and again
        +fewest-tokens  as few tokens as can be
        +viterbi        the best sum of the tokens' scores (default of unigram)
        +whole-word     the word if it is a token (default of words)

    PATHs may also be files written by count-words: they are told apart by their content.

    \b
    Example:
        toksmith train isbpe-dual src/ --vocab-size 32768 -o code.tok.json
    """
    known = parse_settings(settings or ())
    named: RecipeSettings = {
        "pretokenizer": pretokenizer,
        "digits": digits,
        "whitespace": whitespace,
        "normalizer": parse_normalizer(normalizer),
        "unicode": unicode,
        "special_tokens": special_tokens,
        "min_pair_count": min_pair_count,
    }
    given = {name: value for name, value in named.items() if value is not None}
    for name in given:
        if name in known:
            raise SettingsError(f"{name} is given twice: by its own option and by --set")
    known.update(given)  # type: ignore[typeddict-item]
    Recipe.parse(recipe, **known)
    refuse_unwritable(out)
    corpus: Corpus | WordCounts
    counted = [path for path in paths if is_word_counts_file(path)]
    if counted and len(counted) < len(paths):
        raise SettingsError(
            f"{counted[0]} holds word counts and other paths do not: train on one or the other"
        )
    if counted:
        corpus = _load_and_merge(counted)
    else:
        corpus = corpus_from_paths(paths, separator, jsonl_field)
    with Reporter(progress) as report:
        tokenizer = train_on(
            recipe,
            corpus,
            vocab_size=vocab_size,
            strict=strict,
            num_threads=threads,
            progress=report,
            **known,
        )
        tokenizer.save(out)
    note(f"trained {tokenizer.recipe}: {tokenizer.vocab_size:,} ids, {report.seconds:.1f} s: {out}")
    if tokenizer.vocab_size < vocab_size:
        note(_why_short(tokenizer, vocab_size))
    if isinstance(corpus, Corpus):
        note_skipped(corpus)


def _why_short(tokenizer: Tokenizer, vocab_size: int) -> str:
    training = tokenizer.training or {}
    reason = _STOP_REASONS.get(training.get("stop_reason", ""), "nothing was left to learn")
    size = f"{tokenizer.vocab_size:,} of {vocab_size:,} ids"
    return f"note: training stopped at {size}, because {reason}"


def count_words(
    paths: CorpusArgument,
    *,
    out: OutOption,
    pretokenizer: PretokenizerOption = None,
    digits: DigitsOption = None,
    boundary: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="How a space is written: space-prefix (for bpe), continuation (for wordpiece-…), "
            "implicit-single, implicit-dual (for isbpe-…), metaspace, metaspace-no-prefix, "
            "end-of-word.",
        ),
    ] = "space-prefix",
    whitespace: WhitespaceOption = None,
    normalizer: NormalizerOption = None,
    unicode: UnicodeOption = None,
    counted: Annotated[
        bool,
        typer.Option(
            "--counted",
            help="The files hold words with counts: lines of a word, a tab and a count.",
        ),
    ] = False,
    count_first: Annotated[
        bool,
        typer.Option("--count-first", help="With --counted: lines of a count, a tab and a word."),
    ] = False,
    separator: SeparatorOption = None,
    jsonl_field: JsonlFieldOption = None,
    threads: ThreadsOption = None,
    progress: ProgressOption = None,
) -> None:
    """Count the words of a corpus, for `train` or `merge`.

    \b
    Examples:
        toksmith count-words part1/ -o part1.words.tsv
        toksmith count-words lexicon.tsv --counted -o lexicon.words.tsv
    """
    refuse_unwritable(out)
    if count_first and not counted:
        raise SettingsError("--count-first does nothing without --counted")
    if counted:
        if separator is not None or jsonl_field is not None:
            raise SettingsError(
                "--separator and --jsonl-field cut documents; with --counted there are none"
            )
        stages = Recipe(
            name="",
            pretokenizer=pretokenizer or DEFAULT_PRETOKENIZER,
            digits=digits,
            boundary=boundary,
            whitespace=whitespace or "split",
            normalizer=parse_normalizer(normalizer) or (),
            unicode=unicode,
        )
        order: Literal["word-first", "count-first"] = "count-first" if count_first else "word-first"
        counts = _merged(
            paths,
            lambda path: WordCounts.from_tsv(
                path,
                order=order,
                boundary=stages.boundary,
                pretokenizer=stages.pretokenizer,
                whitespace=stages.whitespace,
                unicode=stages.unicode,
                normalizer=stages.normalizer,
                digits=stages.digits,
            ),
        )
        counts.save(out)
        note(f"read {counts.total:,} words ({len(counts):,} different): {out}")
        return
    corpus = corpus_from_paths(paths, separator, jsonl_field)
    with Reporter(progress) as report:
        counts = count_words_of(
            corpus,
            pretokenizer=pretokenizer or DEFAULT_PRETOKENIZER,
            digits=digits,
            boundary=boundary,
            whitespace=whitespace or "split",
            normalizer=parse_normalizer(normalizer) or (),
            unicode=unicode,
            num_threads=threads,
            progress=report,
        )
        counts.save(out)
    note(f"counted {_size(counts)}, {report.seconds:.1f} s: {out}")
    note_skipped(corpus)


def merge(files: CountsFilesArgument, out: OutOption) -> None:
    """Add up word counts of several corpora.

    The order of the files does not matter.

    \b
    Example:
        toksmith merge part1.words.tsv part2.words.tsv -o all.words.tsv
    """
    refuse_unwritable(out)
    counts = _load_and_merge(files)
    counts.save(out)
    note(f"merged {len(files)} files, {_size(counts)}: {out}")


def _load_and_merge(files: list[Path]) -> WordCounts:
    return _merged(files, _load_counts)


def _merged(files: list[Path], load: Callable[[Path], WordCounts]) -> WordCounts:
    counts = load(files[0])
    for file in files[1:]:
        try:
            counts = counts.merge(load(file))
        except SettingsError as error:
            raise SettingsError(f"{file} and the files before it: {error}") from error
    return counts


def _load_counts(file: Path) -> WordCounts:
    try:
        return WordCounts.load(file)
    except FormatError as error:
        raise (error if str(file) in str(error) else FormatError(f"{file}: {error}")) from error


def _size(counts: WordCounts) -> str:
    return (
        f"{counts.total:,} words ({len(counts):,} different) of {counts.num_documents:,} "
        f"documents, {counts.num_bytes:,} bytes"
    )


def is_word_counts_file(path: Path) -> bool:
    """Tell a file of `count-words` from text by its first bytes."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_FIRST_BYTES)) == _FIRST_BYTES
