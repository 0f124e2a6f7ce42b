"""The `Results` artifact: everything a comparison measured, as typed values and as versioned JSON.

This file is the only thing that `report` knows: a page or a table is made from a `Results` alone,
so a report can be drawn again from a saved file, on another machine, without tokenizers or corpora.

Units stand in the names (`_percent`, `_seconds`, `num_`), and percentages are percentages: 1.5 is
1.5%, never 0.015.
"""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from toksmith.errors import FormatError

if typing.TYPE_CHECKING:
    from os import PathLike

FORMAT = "toksmith.results"
VERSION = 1

#: What a contract check found. `unknown`: the condition cannot be known, for instance because the
#: tokenizer came ready-made; `not applicable`: the check says nothing about this input.
Outcome = Literal["held", "broken", "warning", "unknown", "not applicable"]
#: Where a candidate stands against the baseline; `undecided` where there are too few documents.
Standing = Literal["baseline", "ahead", "level", "behind", "undecided", "not ranked"]
#: Which tokens a distribution of lengths is about.
Population = Literal["test tokens", "test tokens without white space", "vocabulary"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval of plausible values; its confidence is `Arguments.confidence_percent`."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        """Whether `value` lies inside, ends included.

        >>> 0.0 in Interval(-0.1, 0.4)
        True
        """
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Machine:
    """Where the measurements were made."""

    cpu: str
    num_cores: int
    memory_bytes: int | None
    platform: str
    python_version: str
    toksmith_version: str


@dataclass(frozen=True, slots=True)
class CorpusFacts:
    """What is known of a corpus.

    Attributes:
        name: what the user called it.
        sources: the first few distinct files or sources, in order of appearance.
        num_sources: how many there are in all.
        num_documents: documents read.
        num_bytes: their bytes.
        digest: hexadecimal; the sum of the documents' digests, so it does not depend on their
        order.
        num_skipped: files that the corpus found in folders and left out.
        skipped: the first few of them, each as "path: reason".
    """

    name: str
    sources: tuple[str, ...]
    num_sources: int
    num_documents: int
    num_bytes: int
    digest: str
    num_skipped: int = 0
    skipped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Arguments:
    """What the comparison was asked to do.

    Attributes:
        command: the call that runs it again.
        vocab_size: None when ready tokenizers were evaluated.
        confidence_percent: of every interval in the results.
        normalizer: its steps as JSON; None where none was asked for.
    """

    command: str
    recipes: tuple[str, ...]
    vocab_size: int | None
    pretokenizer: str | None
    digits: str | None
    whitespace: str | None
    special_tokens: tuple[str, ...]
    baseline: str | None
    seed: int
    num_resamples: int
    confidence_percent: float
    num_threads: int | None
    normalizer: str | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """One condition of a fair comparison: what was measured, what is allowed, what follows.

    Attributes:
        name: the condition, the same words in every comparison.
        candidate: whom it is about; None for the comparison as a whole.
        is_hard: a broken hard condition takes the candidate out of the ranking.
        figure: the measured value in `unit`; None where nothing could be measured.
        bound: the value that `figure` is held against; `bound_kind` says on which side it must lie.
        sentence: the same for a reader.
    """

    name: str
    candidate: str | None
    is_hard: bool
    outcome: Outcome
    figure: float | None
    unit: str
    bound: float | None
    bound_kind: Literal["under", "at most", "at least", "equal to", "none"]
    sentence: str


@dataclass(frozen=True, slots=True)
class Gain:
    """A candidate against the baseline, on the same test documents.

    The two percentages say the same thing and differ in size: 8.96% fewer tokens is 9.84% more
    bytes per token. Intervals come from one paired bootstrap over documents.

    Attributes:
        against: the baseline's name.
        tokens_percent: change of the number of tokens; negative is fewer, which is better.
        bytes_per_token_percent: change of bytes per token; positive is better.
        wilcoxon_p_value: two-sided, on each document's relative change; None: see `wilcoxon_note`.
        num_documents_fewer_tokens: documents that need fewer tokens than with the baseline.
    """

    against: str
    tokens_percent: float
    tokens_percent_interval: Interval | None
    bytes_per_token_percent: float
    bytes_per_token_percent_interval: Interval | None
    wilcoxon_p_value: float | None
    wilcoxon_note: str | None
    num_documents_fewer_tokens: int
    num_documents_equal_tokens: int
    num_documents_more_tokens: int


@dataclass(frozen=True, slots=True)
class Compression:
    """Tokens needed for the test text. Bytes are bytes of the source text, special tokens are out.

    Attributes:
        num_pretokens: no vocabulary can need fewer tokens than this with this pretokenizer.
        tokens_above_pretokens_percent: the distance to that lower bound; what is left to gain.
        num_tokens_by_document: in the order of the test corpus.
    """

    num_bytes: int
    num_tokens: int
    bytes_per_token: float
    num_pretokens: int
    tokens_above_pretokens_percent: float
    num_tokens_by_document: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PairSlots:
    """How much of a vocabulary goes to more than one form of the same word.

    Attributes:
        num_words: distinct words, each counted once however many forms it has.
        num_forms: slots that hold a form of one of them.
        forms_per_word: num_forms / num_words; 0.0 when there are no words.
        num_slots_in_pairs: slots whose word has at least two forms; all its forms are counted.
        slots_in_pairs_percent: of all slots of the vocabulary.
    """

    num_words: int
    num_forms: int
    forms_per_word: float
    num_slots_in_pairs: int
    slots_in_pairs_percent: float


@dataclass(frozen=True, slots=True)
class LengthDistribution:
    """How long tokens are, in bins; the boundary space is left out.

    Attributes:
        unit: what a length counts.
        population: occurrences on the test text, those of tokens that are not white space only, or
            the slots of the vocabulary. Where white space is an indent, a byte-level BPE leaves its
            last space to the next word and an implicit-space model does not, so only without
            white space are their lengths alike.
        counts: one number for each bin of `Results.length_bins`.
        shares_percent: the same, of all.
        mean_length: in `unit`.
        change_percent: change of each count against the baseline; None where the baseline has 0,
            and for the baseline itself all None.
    """

    unit: Literal["characters", "bytes"]
    population: Population
    counts: tuple[int, ...]
    shares_percent: tuple[float, ...]
    mean_length: float
    change_percent: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class VocabularyMeasures:
    """What the slots of a vocabulary hold, and which of them the test text uses.

    Attributes:
        num_slots: all ids, special tokens included.
        letters: words of letters only.
        any_bytes: words of any bytes.
        num_unused_on_test: ids, special tokens left out, that never occur on the test text.
    """

    num_slots: int
    num_special_tokens: int
    letters: PairSlots
    any_bytes: PairSlots
    num_unused_on_test: int
    unused_on_test_percent: float
    lengths: tuple[LengthDistribution, ...]


@dataclass(frozen=True, slots=True)
class WordChange:
    """One word of the test text: tokens spent on all its occurrences together."""

    word: str
    num_occurrences: int
    num_tokens_baseline: int
    num_tokens_candidate: int
    num_tokens_saved: int


@dataclass(frozen=True, slots=True)
class WordSavings:
    """Where tokens are saved or lost against the baseline.

    A token counts for the word in which its first byte lies, boundary space left out; every token
    is in exactly one of words, white space and elsewhere (punctuation, digits, …).
    """

    against: str
    num_words: int
    num_word_occurrences: int
    num_tokens_in_words: int
    num_tokens_in_whitespace: int
    num_tokens_elsewhere: int
    num_tokens_saved_in_words: int
    num_tokens_saved_in_whitespace: int
    num_tokens_saved_elsewhere: int
    most_saved: tuple[WordChange, ...]
    most_lost: tuple[WordChange, ...]


@dataclass(frozen=True, slots=True)
class Speed:
    """Times of this run, on this machine; only figures of the same run may be compared.

    Attributes:
        counting_seconds: reading, pretokenizing and counting the training text; None: ready-made.
        merging_seconds: making the vocabulary out of the counts; None: ready-made.
        counts_shared_with: the candidate whose counts (and counting time) this one used.
        training_shared_with: the candidate whose vocabulary this one used.
        encode_cold_mb_per_second: first pass of this tokenizer over the test text; MB is 10^6
        bytes. encode_warm_mb_per_second: median of the later passes, which take turns with the
        others'. encode_warm_percent_of_baseline: 100 is as fast as the baseline.
    """

    counting_seconds: float | None
    merging_seconds: float | None
    counts_shared_with: str | None
    training_shared_with: str | None
    encode_cold_mb_per_second: float
    encode_warm_mb_per_second: float
    encode_warm_percent_of_baseline: float
    num_warm_passes: int
    num_threads: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """One tokenizer of the comparison, with all that was measured on it.

    Attributes:
        settings: what makes it: boundary, encoder, pretokenizer, whitespace rule, …
        vocab_size: slots it has, special tokens included.
        rank: 1 is the most bytes per token; equal figures share a rank; None when not ranked.
        standing: against the baseline; `level` when the interval of the gain holds 0.
        sentence: the verdict on this candidate, for a reader.
        notes: soft differences that stand beside its figures.
    """

    name: str
    settings: dict[str, str]
    content_hash: str
    vocab_size: int
    is_baseline: bool
    is_line_fed: bool
    rank: int | None
    standing: Standing
    sentence: str
    notes: tuple[str, ...]
    compression: Compression
    gain: Gain | None
    vocabulary: VocabularyMeasures
    words: WordSavings | None
    speed: Speed


@dataclass(frozen=True, slots=True)
class LineFedRow:
    """One candidate's gain in bytes per token: the fair one, and the one the mistake would show."""

    candidate: str
    fair_gain_percent: float
    apparent_gain_percent: float


@dataclass(frozen=True, slots=True)
class LineFedEffect:
    """What training the baseline on single lines would have done to the verdict.

    Attributes:
        candidate: the spoiled baseline.
        num_extra_tokens: tokens it needs more than the fair baseline.
        num_extra_whitespace_tokens: how many of them are white space.
    """

    candidate: str
    num_extra_tokens: int
    num_extra_whitespace_tokens: int
    rows: tuple[LineFedRow, ...]
    sentence: str


@dataclass(frozen=True, slots=True)
class Results:
    """All measurements of one comparison.

    Attributes:
        created_at: UTC, ISO 8601.
        train: None when ready tokenizers were evaluated.
        baseline: the candidate against which gains are given.
        verdict: the outcome in a sentence; a second one where ranked sizes differ.
        length_bins: names of the bins in every `LengthDistribution`.
        candidates: baseline first, then ranked ones from best to worst, then those not ranked.
    """

    created_at: str
    machine: Machine
    arguments: Arguments
    train: CorpusFacts | None
    test: CorpusFacts
    baseline: str
    verdict: str
    length_bins: tuple[str, ...]
    checks: tuple[Check, ...]
    candidates: tuple[Candidate, ...]
    line_fed: LineFedEffect | None

    @property
    def ranked_sizes(self) -> tuple[int, ...]:
        """The different vocabulary sizes among ranked candidates, smallest first."""
        return tuple(sorted({c.vocab_size for c in self.candidates if c.rank is not None}))

    def candidate(self, name: str) -> Candidate:
        """The candidate of that name.

        Raises:
            KeyError: there is none; the message lists the names.
        """
        for candidate in self.candidates:
            if candidate.name == name:
                return candidate
        known = ", ".join(candidate.name for candidate in self.candidates)
        raise KeyError(f"no candidate {name!r} in these results; there are: {known}")

    def to_json(self) -> bytes:
        """The file form: UTF-8 JSON, keys in the order of the classes, a newline at the end.

        Raises:
            FormatError: a figure is infinite or not a number, which JSON cannot hold.
        """
        body = typing.cast("dict[str, object]", _to_plain(self, "results"))
        document = {"format": FORMAT, "version": VERSION, **body}
        text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
        # File names may hold lone surrogates; this writes them as the escapes JSON has for them.
        return text.encode("utf-8", "backslashreplace")

    @classmethod
    def from_json(cls, data: bytes, *, name: str = "results") -> Results:
        """Reads the file form back; `Results.from_json(r.to_json()) == r`.

        Args:
            name: what error messages call the input.
        Raises:
            FormatError: not JSON, another format, a newer version, or a field that is unknown,
                missing or of the wrong type; the message names the place.
        """
        try:
            document = json.loads(data, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            raise FormatError(f"{name}: not a {FORMAT} file: {error}") from error
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            found = document.get("format") if isinstance(document, dict) else None
            raise FormatError(f"{name}: not a {FORMAT} file: its `format` is {found!r}")
        version = document.get("version")
        if type(version) is not int or not 1 <= version <= VERSION:
            raise FormatError(
                f"{name}: version {version!r} of {FORMAT}; this toksmith reads up to {VERSION}"
            )
        body = {key: value for key, value in document.items() if key not in ("format", "version")}
        return _from_plain(cls, body, name)

    def save_json(self, path: str | PathLike[str]) -> None:
        """Writes the results to `path`; a reader sees the old file or the new one, never a part."""
        from toksmith._core import write_atomically

        write_atomically(path, self.to_json())

    @classmethod
    def load_json(cls, path: str | PathLike[str]) -> Results:
        """Reads what `save_json` wrote.

        Raises:
            FormatError: see `from_json`.
            OSError: the file cannot be read.
        """
        return cls.from_json(Path(path).read_bytes(), name=str(path))


def _refuse_constant(constant: str) -> float:
    raise ValueError(f"{constant} is not a figure")


_field_kinds: dict[type[Any], dict[str, Any]] = {}


def _fields(cls: type[Any]) -> dict[str, Any]:
    """Name -> type of each field; kept, because resolving hints takes longer than a whole file."""
    kinds = _field_kinds.get(cls)
    if kinds is None:
        hints = typing.get_type_hints(cls)
        kinds = {field.name: hints[field.name] for field in dataclasses.fields(cls)}
        _field_kinds[cls] = kinds
    return kinds


def _to_plain(value: object, place: str) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            name: _to_plain(getattr(value, name), f"{place}.{name}")
            for name in _fields(type(value))
        }
    if isinstance(value, tuple):
        return [_to_plain(item, f"{place}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, dict):
        return {key: _to_plain(item, f"{place}.{key}") for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        raise FormatError(f"{place} is {value}, which JSON cannot hold")
    return value


def _from_plain(kind: type[T], value: object, place: str) -> T:
    """`value`, as parsed from JSON, as a `kind`; strict about names and types."""
    return typing.cast(T, _convert(kind, value, place))


def _convert(kind: object, value: object, place: str) -> object:
    origin = typing.get_origin(kind)
    arguments = typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        inner = next(option for option in arguments if option is not type(None))
        return None if value is None else _convert(inner, value, place)
    if origin is Literal:
        if value not in arguments:
            raise FormatError(f"{place}: {value!r} is not one of {', '.join(map(repr, arguments))}")
    elif origin is tuple:
        items = _expect(list, value, place)
        return tuple(_convert(arguments[0], item, f"{place}[{i}]") for i, item in enumerate(items))
    elif origin is dict:
        entries = _expect(dict, value, place)
        return {key: _convert(arguments[1], v, f"{place}.{key}") for key, v in entries.items()}
    elif dataclasses.is_dataclass(kind):
        return _convert_fields(typing.cast("type[Any]", kind), _expect(dict, value, place), place)
    elif kind is float and type(value) is int:
        return float(value)
    else:
        _expect(typing.cast("type[Any]", kind), value, place)
    return value


def _convert_fields(cls: type[Any], value: dict[str, object], place: str) -> object:
    fields = _fields(cls)
    for name in value:
        if name not in fields:
            raise FormatError(f"{place}: unknown field {name!r}; known: {', '.join(fields)}")
    # A field that came later has a default, and files from before it are still read.
    optional = {f.name for f in dataclasses.fields(cls) if f.default is not dataclasses.MISSING}
    for name in fields:
        if name not in value and name not in optional:
            raise FormatError(f"{place}: field {name!r} is missing")
    return cls(
        **{
            name: _convert(kind, value[name], f"{place}.{name}")
            for name, kind in fields.items()
            if name in value
        }
    )


def _expect(kind: type[T], value: object, place: str) -> T:
    if type(value) is not kind:
        raise FormatError(f"{place}: expected {kind.__name__}, found {type(value).__name__}")
    return value
