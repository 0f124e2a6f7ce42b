"""`compare`: train every method on the same text, and say fairly what each is worth.

The order of work: count words (once for all recipes that cut and mark text alike), train (once for
all that differ in the encoder only), encode the test text in turns, measure, walk over the training
text once more for the checks, then judge. Nothing here knows what a recipe does: it trains, it
encodes, it counts.
"""

from __future__ import annotations

import dataclasses
import json
import os
import time
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from toksmith._core import Tokenizer, check_training, normalizer_steps
from toksmith.comparison.comparison import Comparison
from toksmith.corpus import Corpus
from toksmith.errors import ComparisonError, SettingsError
from toksmith.evaluate import fairness
from toksmith.evaluate.compression import (
    CONFIDENCE_PERCENT,
    MIN_RESAMPLES,
    measure_compression,
    measure_gain,
)
from toksmith.evaluate.fairness import TestText, TrainingScan
from toksmith.evaluate.results import (
    Arguments,
    Candidate,
    Check,
    Results,
    Speed,
    VocabularyMeasures,
)
from toksmith.evaluate.timing import (
    Encoded,
    describe_machine,
    encode_all,
    mb_per_second,
)
from toksmith.evaluate.verdict import judge, line_fed_effect, overall_verdict
from toksmith.evaluate.vocabulary import LENGTH_BIN_NAMES, VocabularyTable, measure_vocabulary
from toksmith.evaluate.wording import listing
from toksmith.evaluate.words import WordRuns, WordTokens, count_word_tokens, measure_savings
from toksmith.recipes import NormalizerSettings, Recipe
from toksmith.training import count_for, train_recipe

if typing.TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from toksmith._core import WordCounts
    from toksmith.corpus import CorpusInput
    from toksmith.training import Progress

BASELINE = "bpe"
# What makes no difference to the words that are counted.
_NOT_COUNTED = ("recipe", "encoder")


@dataclass(slots=True)
class _Entry:
    """One candidate on its way through the comparison."""

    name: str
    recipe: Recipe | None
    tokenizer: Tokenizer | None = None
    counting_seconds: float | None = None
    merging_seconds: float | None = None
    counts_shared_with: str | None = None
    training_shared_with: str | None = None

    @property
    def ready(self) -> Tokenizer:
        assert self.tokenizer is not None
        return self.tokenizer

    @property
    def is_line_fed(self) -> bool:
        if self.recipe is not None:
            return self.recipe.line_fed
        # A saved tokenizer carries the name of its recipe, and these names are ours.
        return "line-fed" in self.ready.recipe.partition("+")[0]


def compare(
    recipes: Iterable[str | Recipe | Tokenizer],
    *,
    train: CorpusInput,
    test: CorpusInput,
    vocab_size: int,
    pretokenizer: str | None = None,
    digits: str | None = None,
    whitespace: str | None = None,
    normalizer: NormalizerSettings | None = None,
    special_tokens: Sequence[str] = (),
    baseline: str | Recipe | None = None,
    seed: int = 0,
    num_resamples: int = 2_000,
    num_threads: int | None = None,
    progress: Progress | None = None,
    command: str | None = None,
) -> Comparison:
    """Trains every recipe on the same documents at the same vocabulary size, and judges them.

    Candidates are ranked by bytes per token of the test text, if they meet the hard conditions of
    a fair comparison (see `toksmith.evaluate.fairness`); a candidate whose interval against the
    baseline holds 0 is called level with it, whatever its rank.

    Args:
        recipes: names, `Recipe` objects, or ready tokenizers, which are measured but not ranked,
            because nobody knows what they were trained on.
        train: what to train on; it is walked once for each way of counting and once for the checks.
        test: what to measure on, held in memory.
        vocab_size: slots of every vocabulary, alphabet and special tokens included.
        pretokenizer: for recipes given by name.
        digits: rule for digits, for recipes given by name.
        whitespace: `split` or `whole`, for recipes given by name.
        normalizer: for recipes given by name. A tokenizer that changes text fails the exact round
            trip, so it is measured but not ranked.
        special_tokens: for recipes given by name.
        baseline: against which gains are given; `bpe` with the same pretokenizer by default. It is
            added to the table when it is not among the recipes. A line-fed recipe is refused.
        seed: of the bootstrap; same seed, same intervals.
        num_resamples: of the bootstrap, at least 1,000.
        num_threads: for counting and training; encoding is timed on one thread.
        progress: called as `progress(stage, done, total or None)`; an exception stops the work.
        command: how the report says to run it again; by default, this call.
    Raises:
        ComparisonError: no recipes, the same name twice, an empty test text, or a baseline that
            must not be one.
        SettingsError: an unknown recipe or setting, or too few resamples.
        CorpusError: a corpus cannot be read, or the training text is empty.

    >>> text = ["the cat sat on the mat", "the dog sat on the log"]
    >>> held_out = ["the cat sat on the log"]
    >>> result = compare(["isbpe-dual"], train=text, test=held_out, vocab_size=1_030)
    >>> [candidate.name for candidate in result.results.candidates]
    ['bpe', 'isbpe-dual']
    """
    _check_resamples(num_resamples)
    if isinstance(recipes, str | Recipe | Tokenizer):
        # A string is a sequence of strings, and would be taken for one-letter recipes.
        example = recipes.split(",") if isinstance(recipes, str) else ["bpe", "isbpe-dual"]
        raise SettingsError(
            f"recipes is a {type(recipes).__name__}, but has to be a list, for example "
            f"{[name.strip() for name in example]!r}"
        )
    report = _silent if progress is None else progress
    entries, baseline_name = _resolve(
        list(recipes),
        baseline,
        {
            "pretokenizer": pretokenizer,
            "digits": digits,
            "whitespace": whitespace,
            "normalizer": normalizer,
            "special_tokens": special_tokens,
        },
    )
    for entry in entries:
        if entry.recipe is not None:
            # Before anything is read: a vocabulary that cannot be should not cost a training.
            check_training(
                entry.recipe.training_settings(vocab_size), entry.recipe.counting_settings()
            )
    test_text = _read_test(test, report)
    given = corpus = Corpus.from_input(train)
    if not corpus.reiterable:
        # It will be walked more than once, so what can be read only once is kept.
        corpus = Corpus(list(corpus))
    _train_all(entries, corpus, vocab_size, num_threads, report)

    pretokenize = next(e for e in entries if e.name == baseline_name).ready.pretokenize
    scan = fairness.scan_training(
        corpus,
        test_text,
        pretokenize,
        name=_name_of(train),
        skipped=given.skipped or None,
        progress=lambda done: report("checking overlap (MB)", done // 10**6, None),
    )
    return _measure_and_judge(
        entries,
        baseline_name,
        test_text,
        scan,
        wanted_size=(vocab_size, "asked for"),
        arguments=Arguments(
            command=command
            or _call(
                "toksmith.compare",
                [e.name for e in entries],
                vocab_size=vocab_size,
                pretokenizer=pretokenizer,
                digits=digits,
                whitespace=whitespace,
                normalizer=normalizer,
                special_tokens=tuple(special_tokens) or None,
                baseline=None if baseline is None else baseline_name,
                seed=seed,
                num_resamples=num_resamples,
            ),
            recipes=tuple(e.name for e in entries),
            vocab_size=vocab_size,
            pretokenizer=pretokenizer,
            digits=digits,
            whitespace=whitespace,
            special_tokens=tuple(special_tokens),
            baseline=None if baseline is None else baseline_name,
            seed=seed,
            num_resamples=num_resamples,
            confidence_percent=CONFIDENCE_PERCENT,
            num_threads=num_threads,
            normalizer=None if normalizer is None else json.dumps(normalizer_steps(normalizer)),
        ),
        report=report,
    )


def evaluate_tokenizers(
    tokenizers: Mapping[str, Tokenizer],
    *,
    test: CorpusInput,
    baseline: str | None = None,
    seed: int = 0,
    num_resamples: int = 2_000,
    num_threads: int | None = None,
    progress: Progress | None = None,
    command: str | None = None,
) -> Comparison:
    """Measures ready tokenizers on the same text, without ranking them.

    What they were trained on is not known, so every figure may be due to the corpus instead of the
    method; the results say so.

    Args:
        tokenizers: by the names that the results will use.
        test: what to measure on, held in memory.
        baseline: one of the names; the first by default.
        seed, num_resamples, progress, command: as in `compare`.
        num_threads: written down in the results; encoding is timed on one thread.
    Raises:
        ComparisonError: no tokenizers, an unknown baseline, or an empty test text.

    >>> import toksmith as ts
    >>> tok = ts.BPE().train("low low lower lowest", vocab_size=258)
    >>> results = evaluate_tokenizers({"mine": tok}, test="lower").results
    >>> results.candidate("mine").compression.num_tokens
    3
    """
    _check_resamples(num_resamples)
    report = _silent if progress is None else progress
    if not isinstance(tokenizers, Mapping):
        raise SettingsError(
            f"tokenizers is a {type(tokenizers).__name__}, but has to be a dict of names and "
            "tokenizers, for example {'mine': tokenizer}"
        )
    for name, tokenizer in tokenizers.items():
        if not isinstance(tokenizer, Tokenizer):
            raise SettingsError(
                f"{name!r} is a {type(tokenizer).__name__}, not a Tokenizer; load files with "
                "toksmith.load(path)"
            )
    if not tokenizers:
        raise ComparisonError("there are no tokenizers to evaluate")
    names = list(tokenizers)
    entries = [_Entry(name, None, tokenizer) for name, tokenizer in tokenizers.items()]
    fair = [entry.name for entry in entries if not entry.is_line_fed]
    baseline_name = next(iter(fair), None) if baseline is None else baseline
    if baseline_name is not None and baseline_name not in tokenizers:
        raise ComparisonError(f"unknown baseline {baseline_name!r}; there are: {', '.join(names)}")
    if baseline_name not in fair:
        raise ComparisonError(
            f"a line-fed tokenizer is never the baseline; others: {', '.join(fair) or 'none'}"
        )
    entries.sort(key=lambda entry: entry.name != baseline_name)
    return _measure_and_judge(
        entries,
        baseline_name,
        _read_test(test, report),
        None,
        wanted_size=(tokenizers[baseline_name].vocab_size, f"that {baseline_name} has"),
        arguments=Arguments(
            command=command
            or _call(
                "toksmith.evaluate_tokenizers",
                names,
                baseline=baseline,
                seed=seed,
                num_resamples=num_resamples,
            ),
            recipes=tuple(names),
            vocab_size=None,
            pretokenizer=None,
            digits=None,
            whitespace=None,
            special_tokens=(),
            baseline=baseline,
            seed=seed,
            num_resamples=num_resamples,
            confidence_percent=CONFIDENCE_PERCENT,
            num_threads=num_threads,
        ),
        report=report,
    )


def _silent(stage: str, done: int, total: int | None) -> None:
    pass


def _check_resamples(num_resamples: int) -> None:
    if num_resamples < MIN_RESAMPLES:
        raise SettingsError(
            f"num_resamples is {num_resamples}, but an interval needs at least {MIN_RESAMPLES:,}"
        )


def _call(function: str, names: Sequence[str], **settings: object) -> str:
    given = [f"{key}={value!r}" for key, value in settings.items() if value is not None]
    corpora = ["train=…", "test=…"] if function.endswith("compare") else ["test=…"]
    first = (
        repr(list(names))
        if function.endswith("compare")
        else "{" + ", ".join(f"{name!r}: …" for name in names) + "}"
    )
    return f"{function}({', '.join([first, *corpora, *given])})"


def _read_test(test: CorpusInput, report: Progress) -> TestText:
    report("reading the test text", 0, None)
    text = TestText.read(Corpus.from_input(test), _name_of(test))
    if text.facts.num_bytes == 0:
        raise ComparisonError(
            f"the test text is empty: {text.facts.num_documents} documents, 0 bytes"
        )
    return text


def _name_of(given: CorpusInput) -> str | None:
    """Paths as they were given; None for anything else, which is called after its sources."""
    paths = list(given) if isinstance(given, list | tuple) else [given]
    if not paths or not all(isinstance(path, os.PathLike) for path in paths):
        return None
    names = [os.fspath(typing.cast("os.PathLike[str]", path)) for path in paths]
    if len(names) > 3:
        names = [*names[:2], f"{len(names) - 2:,} others"]
    return listing(names)


class _NamedSettings(typing.TypedDict):
    """What `compare` was told about recipes that come as names."""

    pretokenizer: str | None
    digits: str | None
    whitespace: str | None
    normalizer: NormalizerSettings | None
    special_tokens: Sequence[str]


def _resolve(
    given: Sequence[str | Recipe | Tokenizer],
    baseline: str | Recipe | None,
    settings: _NamedSettings,
) -> tuple[list[_Entry], str]:
    """Names become recipes; the baseline is found or added, and comes first."""
    if not given:
        raise ComparisonError("there are no recipes to compare")
    entries: list[_Entry] = []
    for item in given:
        if isinstance(item, Tokenizer):
            entries.append(_Entry(f"{item.recipe} (ready-made)", None, item))
        else:
            recipe = item if isinstance(item, Recipe) else Recipe.parse(item, **settings)
            entries.append(_Entry(recipe.name, recipe))
    names = [entry.name for entry in entries]
    for name in names:
        if names.count(name) > 1:
            raise ComparisonError(
                f"{name!r} is in the comparison {names.count(name)} times; "
                "give recipes names of their own (dataclasses.replace(recipe, name=…))"
            )
    wanted = _baseline_recipe(entries, baseline, settings)
    if wanted.line_fed:
        raise ComparisonError(
            f"{wanted.name!r} is spoiled on purpose and cannot be the baseline; "
            f"leave `baseline` out to get {BASELINE!r}"
        )
    same = next((e for e in entries if e.name == wanted.name), None)
    if same is None:
        same = _Entry(wanted.name, wanted)
        entries.append(same)
    elif same.recipe != wanted:
        raise ComparisonError(
            f"the baseline and another candidate are both called {wanted.name!r}; rename one"
        )
    entries.sort(key=lambda entry: entry is not same)
    return entries, same.name


def _baseline_recipe(
    entries: Sequence[_Entry], baseline: str | Recipe | None, settings: _NamedSettings
) -> Recipe:
    if isinstance(baseline, Recipe):
        return baseline
    name = BASELINE if baseline is None else baseline
    for entry in entries:
        if entry.recipe is not None and entry.name == name:
            return entry.recipe
    recipe = Recipe.parse(name, **settings)
    # Recipes that come as objects may bring a pretokenizer; the baseline takes theirs.
    cuts = [
        (e.recipe.normalizer, e.recipe.pretokenizer, e.recipe.digits, e.recipe.whitespace)
        for e in entries
        if e.recipe is not None
    ]
    if baseline is None and cuts and cuts.count(cuts[0]) == len(cuts):
        normalizer, cut, digits, rule = cuts[0]
        recipe = dataclasses.replace(
            recipe, normalizer=normalizer, pretokenizer=cut, digits=digits, whitespace=rule
        )
    return recipe


def _train_all(
    entries: Sequence[_Entry],
    corpus: Corpus,
    vocab_size: int,
    num_threads: int | None,
    report: Progress,
) -> None:
    """Fills in tokenizers and times. Counts are let go as soon as no recipe needs them."""
    groups: dict[tuple[str, bool], list[_Entry]] = {}
    for entry in entries:
        if entry.recipe is not None:
            key = (entry.recipe.counting_settings(), entry.recipe.line_fed)
            groups.setdefault(key, []).append(entry)
    for group in groups.values():
        first = group[0]
        counts, seconds = _count(typing.cast(Recipe, first.recipe), corpus, num_threads, report)
        trained: dict[Recipe, _Entry] = {}
        for entry in group:
            recipe = typing.cast(Recipe, entry.recipe)
            entry.counting_seconds = seconds
            entry.counts_shared_with = None if entry is first else first.name
            # Recipes that are equal but for name and encoder have the same vocabulary.
            teacher = trained.setdefault(dataclasses.replace(recipe, name="", encoder=None), entry)
            if teacher is entry:
                report(f"training {entry.name}", 0, None)
                start = time.perf_counter()
                entry.tokenizer = train_recipe(
                    recipe,
                    counts,
                    vocab_size,
                    num_threads=num_threads,
                    progress=_renamed(report, f"training {entry.name}"),
                )
                entry.merging_seconds = time.perf_counter() - start
            else:
                encoder = recipe.encoder or teacher.ready.encoder
                entry.tokenizer = teacher.ready.with_encoder(encoder)
                entry.merging_seconds = teacher.merging_seconds
                entry.training_shared_with = teacher.name


def _count(
    recipe: Recipe, corpus: Corpus, num_threads: int | None, report: Progress
) -> tuple[WordCounts, float]:
    fed = corpus.lines() if recipe.line_fed else corpus
    start = time.perf_counter()
    counts = count_for(
        recipe,
        fed,
        num_threads=num_threads,
        progress=lambda _stage, done, total: report(
            f"counting words for {recipe.name} (MB)", done // 10**6, total
        ),
    )
    return counts, time.perf_counter() - start


def _renamed(report: Progress, name: str) -> Progress:
    return lambda _stage, done, total: report(name, done, total)


@dataclass(frozen=True, slots=True, eq=False)
class _Measured:
    """What was gathered on one candidate before anything is held against the baseline."""

    entry: _Entry
    settings: dict[str, str]
    table: VocabularyTable
    tokens_by_document: tuple[int, ...]
    occurrences: NDArray[np.int64]
    num_bytes: int
    num_pretokens: int
    words: WordTokens
    encoded: Encoded
    checks: tuple[Check, ...]


def _measure_and_judge(
    entries: Sequence[_Entry],
    baseline_name: str,
    test: TestText,
    scan: TrainingScan | None,
    *,
    wanted_size: tuple[int, str],
    arguments: Arguments,
    report: Progress,
) -> Comparison:
    tokenizers = {entry.name: entry.ready for entry in entries}
    encoded = encode_all(
        tokenizers,
        test.documents,
        progress=lambda done, total: report("encoding the test text (passes)", done, total),
    )
    runs = WordRuns.find(test.documents)
    same_by_record = _same_by_record([entry.ready for entry in entries])
    baseline_settings = _settings_of(tokenizers[baseline_name])
    measured = []
    for i, entry in enumerate(entries):
        report(f"measuring {entry.name}", i, len(entries))
        measured.append(
            _measure(
                entry,
                encoded[entry.name],
                test,
                scan,
                runs,
                baseline=(baseline_name, baseline_settings),
                wanted_size=wanted_size,
                same_by_record=same_by_record,
            )
        )
    common = (
        fairness.check_shared_documents(test, scan),
        fairness.check_shared_ngrams(scan),
        fairness.check_enough_documents(test),
    )
    base = measured[0]
    base_vocabulary = measure_vocabulary(base.table, base.occurrences)
    candidates = [
        _candidate(m, base, base_vocabulary, runs, common=common, arguments=arguments)
        for m in measured
    ]
    candidates = judge(candidates, baseline_name)
    report("done", len(entries), len(entries))
    results = Results(
        created_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        machine=describe_machine(),
        arguments=arguments,
        train=None if scan is None else scan.facts,
        test=test.facts,
        baseline=baseline_name,
        verdict=overall_verdict(
            candidates,
            common,
            num_documents=len(test.documents),
            seed=arguments.seed,
            num_resamples=arguments.num_resamples,
        ),
        length_bins=LENGTH_BIN_NAMES,
        checks=(*common, *(check for m in measured for check in m.checks)),
        candidates=tuple(candidates),
        line_fed=line_fed_effect(candidates, baseline_name),
    )
    return Comparison(results, tokenizers)


def _same_by_record(tokenizers: Sequence[Tokenizer]) -> bool:
    """Whether several tokenizers cut text alike and record the same counts of words."""
    records = set()
    for tokenizer in tokenizers:
        settings = {k: v for k, v in _settings_of(tokenizer).items() if k not in _NOT_COUNTED}
        counted = (tokenizer.training or {}).get("word_counts_hash")
        if not counted:
            return False
        records.add((counted, *sorted(settings.items())))
    return len(tokenizers) > 1 and len(records) == 1


def _measure(
    entry: _Entry,
    encoded: Encoded,
    test: TestText,
    scan: TrainingScan | None,
    runs: WordRuns,
    *,
    baseline: tuple[str, dict[str, str]],
    wanted_size: tuple[int, str],
    same_by_record: bool,
) -> _Measured:
    import numpy as np

    tokenizer = entry.ready
    table = VocabularyTable.of(tokenizer)
    settings = _settings_of(tokenizer)
    occurrences = np.bincount(encoded.ids, minlength=len(table)).astype(np.int64)
    # Plain text has no special tokens, but a foreign tokenizer may add its own.
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(~table.is_special[encoded.ids])])
    per_document = np.diff(before[encoded.offsets])
    size, wanted_by = wanted_size
    ids_by_document = (
        encoded.ids[a:b] for a, b in zip(encoded.offsets[:-1], encoded.offsets[1:], strict=True)
    )
    checks = (
        fairness.check_round_trip(entry.name, tokenizer, ids_by_document, test.documents),
        fairness.check_same_documents(
            entry.name,
            trained_here=entry.recipe is not None,
            line_fed=entry.is_line_fed,
            same_by_record=same_by_record,
        ),
        fairness.check_vocab_size_kept(entry.name, tokenizer.vocab_size, size, wanted_by=wanted_by),
        fairness.check_vocab_size_reached(
            entry.name, tokenizer.vocab_size, size, wanted_by=wanted_by
        ),
        fairness.check_same_settings(entry.name, settings, *baseline),
        fairness.check_fed_documents(
            entry.name,
            tokenizer,
            table,
            occurrences,
            test=test,
            training=scan if entry.recipe is not None else None,
            line_fed=entry.is_line_fed,
        ),
    )
    return _Measured(
        entry=entry,
        settings=settings,
        table=table,
        tokens_by_document=tuple(per_document.tolist()),
        occurrences=occurrences,
        num_bytes=test.facts.num_bytes,
        num_pretokens=sum(map(tokenizer.count_pretokens, test.documents)),
        words=count_word_tokens(tokenizer, table, test.documents, runs),
        encoded=encoded,
        checks=checks,
    )


def _candidate(
    measured: _Measured,
    base: _Measured,
    base_vocabulary: VocabularyMeasures,
    runs: WordRuns,
    *,
    common: Sequence[Check],
    arguments: Arguments,
) -> Candidate:
    """Holds one candidate against the baseline. Rank and sentence come later, from `judge`."""
    entry = measured.entry
    is_baseline = measured is base
    num_bytes = measured.num_bytes
    warm = mb_per_second(num_bytes, measured.encoded.warm_seconds)
    base_warm = mb_per_second(num_bytes, base.encoded.warm_seconds)
    broken = [
        check
        for check in (*common, *measured.checks)
        if check.is_hard and check.outcome in ("broken", "unknown")
    ]
    return Candidate(
        name=entry.name,
        settings=measured.settings,
        content_hash=entry.ready.content_hash,
        vocab_size=entry.ready.vocab_size,
        is_baseline=is_baseline,
        is_line_fed=entry.is_line_fed,
        rank=None,
        standing="not ranked" if broken else "baseline" if is_baseline else "undecided",
        sentence="; ".join(check.sentence for check in broken),
        notes=tuple(
            check.sentence
            for check in measured.checks
            if not check.is_hard and check.outcome in ("warning", "broken")
        ),
        compression=measure_compression(
            measured.tokens_by_document, num_bytes, measured.num_pretokens
        ),
        gain=None
        if is_baseline
        else measure_gain(
            base.entry.name,
            base.tokens_by_document,
            measured.tokens_by_document,
            seed=arguments.seed,
            num_resamples=arguments.num_resamples,
        ),
        vocabulary=base_vocabulary
        if is_baseline
        else measure_vocabulary(measured.table, measured.occurrences, baseline=base_vocabulary),
        words=measure_savings(runs, base.entry.name, base.words, measured.words),
        speed=Speed(
            counting_seconds=entry.counting_seconds,
            merging_seconds=entry.merging_seconds,
            counts_shared_with=entry.counts_shared_with,
            training_shared_with=entry.training_shared_with,
            encode_cold_mb_per_second=mb_per_second(num_bytes, measured.encoded.cold_seconds),
            encode_warm_mb_per_second=warm,
            encode_warm_percent_of_baseline=100.0 * warm / base_warm if base_warm else 0.0,
            num_warm_passes=measured.encoded.num_warm_passes,
            num_threads=1,
        ),
    )


def _settings_of(tokenizer: Tokenizer) -> dict[str, str]:
    settings = {
        "recipe": tokenizer.recipe,
        "boundary": tokenizer.boundary,
        "encoder": tokenizer.encoder,
        "pretokenizer": tokenizer.pretokenizer,
        "digits": tokenizer.digits or "none",
        "whitespace": tokenizer.whitespace,
        "unicode_version": tokenizer.unicode_version,
    }
    if tokenizer.normalizer:
        settings["normalizer"] = json.dumps(tokenizer.normalizer)
    if tokenizer.pattern is not None:
        settings["pattern"] = tokenizer.pattern
    return settings
