"""The contract of a fair comparison: what is checked, against which bound, and what follows.

Hard conditions, when broken, take a candidate out of the ranking: an exact round trip, the same
training documents, a vocabulary no larger than asked, and training text that does not hold the test
documents. Soft ones are named beside the figures. A condition that cannot be known, because
the tokenizer came ready-made, counts as not held for the ranking, and is said to be unknown.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from toksmith.corpus import Corpus, document_digest
from toksmith.evaluate.results import Check, CorpusFacts, Outcome
from toksmith.evaluate.wording import listing, plural

if typing.TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from toksmith._core import Tokenizer
    from toksmith.corpus import Document
    from toksmith.evaluate.vocabulary import VocabularyTable

#: Exact test documents that may also be training documents, in percent of documents.
MAX_SHARED_DOCUMENTS_PERCENT = 1.0
#: Pretokens in a shingle. GPT-3's contamination analysis used 13 words.
NGRAM_LENGTH = 13
#: Test 13-grams that may occur in training before the reader is warned, in percent. Texts of other
#: sources share about 1% (0.7% of code and 1.2% of prose, measured on 20 MB to train on), so this
#: is a multiple of what licences and stock phrases explain.
MAX_SHARED_NGRAMS_PERCENT = 5.0
#: Fewer test documents than this make intervals wide and fragile; the reader is warned.
MIN_TEST_DOCUMENTS = 20
#: Newline + space is expected in a vocabulary only if the test text has it at least so often.
MIN_NEWLINE_SPACES = 10

#: At most so many 13-grams of the test text are remembered (8 bytes each, some copies in passing).
MAX_NGRAMS_KEPT = 4_000_000
# Pretokens hashed at a time, which bounds the memory for a document of any size.
_SLICE_PRETOKENS = 500_000
_NUM_SOURCES_SHOWN = 20
_NUM_SKIPPED_SHOWN = 5

ROUND_TRIP = "exact round trip"
SAME_DOCUMENTS = "same training documents"
VOCAB_SIZE_KEPT = "vocabulary size not exceeded"
SHARED_DOCUMENTS = "test documents not in the training text"
SHARED_NGRAMS = "13-grams shared by test and training text"
VOCAB_SIZE_REACHED = "vocabulary size reached"
SAME_SETTINGS = "cut like the baseline"
LINE_FED = "fed whole documents"
ENOUGH_DOCUMENTS = "enough test documents"


class FactsOfCorpus:
    """Gathers `CorpusFacts` while documents pass by.

    The digest is the sum of the documents' digests, so the order of documents does not matter, and
    facts of shards can be added.
    """

    def __init__(self) -> None:
        """Starts with no documents."""
        self._sources: dict[str, None] = {}
        self._num_documents = 0
        self._num_bytes = 0
        self._digest = 0
        self._digest_bytes = 0

    def add(self, document: Document) -> bytes:
        """Takes one document in, and gives its digest."""
        digest = document_digest(document.data)
        self._digest_bytes = len(digest)
        modulus = 1 << (8 * len(digest))
        self._digest = (self._digest + int.from_bytes(digest, "big")) % modulus
        self._num_documents += 1
        self._num_bytes += len(document.data)
        if source := document.source or document.name:
            self._sources.setdefault(source)
        return digest

    def finish(
        self, name: str | None = None, skipped: Sequence[tuple[Path, str]] = ()
    ) -> CorpusFacts:
        """The facts so far; without a `name` the corpus is called after its sources.

        Args:
            skipped: files left out, each with the reason, as `Corpus.skipped` has them.
        """
        sources = tuple(self._sources)
        shown = sources[:_NUM_SOURCES_SHOWN]
        if name is None:
            named = list(shown[:3])
            if len(sources) > 3:
                named = [*shown[:2], f"{len(sources) - 2:,} others"]
            name = listing(named)
        return CorpusFacts(
            name=name or "text in memory",
            sources=shown,
            num_sources=len(sources),
            num_documents=self._num_documents,
            num_bytes=self._num_bytes,
            digest=self._digest.to_bytes(self._digest_bytes, "big").hex(),
            num_skipped=len(skipped),
            skipped=tuple(f"{path}: {reason}" for path, reason in skipped[:_NUM_SKIPPED_SHOWN]),
        )


def hash_pretokens(pretokens: Sequence[bytes]) -> NDArray[np.uint64]:
    """A 64-bit hash of each pretoken, the same in every process.

    A polynomial over the bytes modulo 2^64, mixed afterwards; Python's own `hash` is salted anew in
    every process, and figures would then differ wherever two hashes fall together.

    >>> a, b, c = hash_pretokens([b"the", b"cat", b"the"])
    >>> bool(a == c), bool(a == b)
    (True, False)
    """
    import numpy as np

    if not pretokens:
        return np.zeros(0, np.uint64)
    lengths = np.fromiter(map(len, pretokens), np.int64, len(pretokens))
    data = np.frombuffer(b"".join(pretokens), np.uint8).astype(np.uint64) + np.uint64(1)
    starts = np.cumsum(lengths) - lengths
    powers = np.cumprod(np.full(int(lengths.max(initial=1)), 0x100000001B3, np.uint64))
    terms = data * powers[np.arange(len(data)) - np.repeat(starts, lengths)]
    hashes = np.zeros(len(pretokens), np.uint64)
    some = lengths > 0
    if len(data):
        hashes[some] = np.add.reduceat(terms, starts[some])
    return _mix(hashes + lengths.astype(np.uint64))


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finalizer of splitmix64: every bit of the input reaches every bit of the output."""
    import numpy as np

    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def ngram_hashes(
    pretokens: Sequence[bytes], length: int = NGRAM_LENGTH
) -> Iterable[NDArray[np.uint64]]:
    """Hashes of all runs of `length` pretokens, in slices; none if there are fewer pretokens.

    >>> [len(part) for part in ngram_hashes([b"a"] * 15)]
    [3]
    """
    import numpy as np

    step = np.uint64(0x9E3779B97F4A7C15)
    for start in range(0, max(0, len(pretokens) - length + 1), _SLICE_PRETOKENS):
        hashes = hash_pretokens(pretokens[start : start + _SLICE_PRETOKENS + length - 1])
        num_ngrams = len(hashes) - length + 1
        total = np.zeros(num_ngrams, np.uint64)
        for i in range(length):
            total = total * step + hashes[i : i + num_ngrams]
        yield _mix(total)


class NgramSample:
    """The 13-grams of a test text, to be found again in a training text of any size.

    When there are too many, those with a small hash are kept: the same ones on every machine and
    in every order of documents, and the same ones are looked up on the other side.

    >>> sample = NgramSample(str.split, length=2)
    >>> sample.add_test("a b c d")
    >>> sample.look_up("x a b c x")
    >>> round(sample.shared_percent, 1)
    66.7
    """

    def __init__(
        self,
        pretokenize: Callable[[typing.Any], Sequence[typing.Any]],
        *,
        length: int = NGRAM_LENGTH,
        max_kept: int = MAX_NGRAMS_KEPT,
    ) -> None:
        """Starts with no text.

        Args:
            pretokenize: cuts a text into pretokens, `bytes` or `str`.
            length: pretokens in one n-gram.
            max_kept: occurrences of n-grams remembered at the most.
        """
        import numpy as np

        self._pretokenize = pretokenize
        self._length = length
        self._max_kept = max_kept
        self._shift = 0
        self._pending: list[NDArray[np.uint64]] = []
        self._num_pending = 0
        self._sorted: NDArray[np.uint64] | None = None
        self._occurrences = np.zeros(0, np.int64)
        self._found = np.zeros(0, np.bool_)
        self._maybe = np.zeros(1, np.bool_)

    def _hashes(self, text: object) -> Iterable[NDArray[np.uint64]]:
        pretokens = self._pretokenize(text)
        if pretokens and isinstance(pretokens[0], str):
            pretokens = [pretoken.encode() for pretoken in pretokens]
        for hashes in ngram_hashes(pretokens, self._length):
            yield hashes[hashes < self._limit] if self._shift else hashes

    @property
    def _limit(self) -> np.uint64:
        import numpy as np

        return np.uint64((1 << (64 - self._shift)) - 1)

    @property
    def sampled_share(self) -> float:
        """The share of the n-grams that is looked at; 1.0 is all of them."""
        return 0.5**self._shift

    def add_test(self, text: object) -> None:
        """Takes in one document of the test text."""
        for hashes in self._hashes(text):
            self._pending.append(hashes)
            self._num_pending += len(hashes)
            while self._num_pending > self._max_kept:
                self._shift += 1
                self._pending = [part[part < self._limit] for part in self._pending]
                self._num_pending = sum(map(len, self._pending))

    def look_up(self, text: object) -> None:
        """Notes which of the test's n-grams occur in one document of the training text."""
        import numpy as np

        kept = self._settle()
        if len(kept) == 0:
            return
        for every in self._hashes(text):
            # Nearly none is among the kept, and one byte of a table says so for 15 of 16 of them;
            # searching for them all took two fifths of the walk.
            hashes = every[self._maybe[every & np.uint64(len(self._maybe) - 1)]]
            places = np.searchsorted(kept, hashes)
            places[places == len(kept)] = 0
            self._found[places[kept[places] == hashes]] = True

    def _settle(self) -> NDArray[np.uint64]:
        import numpy as np

        if self._sorted is None:
            whole = np.concatenate(self._pending) if self._pending else np.zeros(0, np.uint64)
            self._sorted, occurrences = np.unique(whole, return_counts=True)
            self._occurrences = occurrences.astype(np.int64)
            self._found = np.zeros(len(self._sorted), np.bool_)
            self._maybe = np.zeros(1 << (len(self._sorted).bit_length() + 4), np.bool_)
            self._maybe[self._sorted & np.uint64(len(self._maybe) - 1)] = True
            self._pending = []
        return self._sorted

    @property
    def num_ngrams(self) -> int:
        """Occurrences of n-grams in the test text that are looked at."""
        self._settle()
        return int(self._occurrences.sum())

    @property
    def shared_percent(self) -> float:
        """Occurrences in the test text of n-grams that the training text has, of all looked at."""
        total = self.num_ngrams
        return 100.0 * int(self._occurrences[self._found].sum()) / total if total else 0.0


def _skipped(corpus: Iterable[Document]) -> Sequence[tuple[Path, str]]:
    return corpus.skipped if isinstance(corpus, Corpus) else ()


@dataclass(frozen=True, slots=True)
class TestText:
    """A test corpus in memory.

    Attributes:
        documents: their bytes, in order.
        digests: one for each document.
        num_newline_spaces: places where a newline is followed by a space.
    """

    documents: tuple[bytes, ...]
    digests: tuple[bytes, ...]
    facts: CorpusFacts
    num_newline_spaces: int

    # pytest takes a class of this name for tests.
    __test__: typing.ClassVar[bool] = False

    @classmethod
    def read(cls, corpus: Iterable[Document], name: str | None = None) -> TestText:
        """Reads a corpus whole."""
        facts = FactsOfCorpus()
        documents, digests = [], []
        for document in corpus:
            documents.append(document.data)
            digests.append(facts.add(document))
        return cls(
            documents=tuple(documents),
            digests=tuple(digests),
            facts=facts.finish(name, _skipped(corpus)),
            num_newline_spaces=sum(data.count(b"\n ") for data in documents),
        )


@dataclass(frozen=True, slots=True)
class TrainingScan:
    """What one walk over the training text found.

    Attributes:
        shared_digests: digests of test documents that are training documents too.
        num_newline_spaces: places where a newline is followed by a space.
        ngrams: the test's 13-grams, looked up.
    """

    facts: CorpusFacts
    shared_digests: frozenset[bytes]
    num_newline_spaces: int
    ngrams: NgramSample


def scan_training(
    corpus: Iterable[Document],
    test: TestText,
    pretokenize: Callable[[bytes], Sequence[bytes]],
    *,
    name: str | None = None,
    skipped: Sequence[tuple[Path, str]] | None = None,
    progress: Callable[[int], None] | None = None,
) -> TrainingScan:
    """Walks over the training text once, document by document, in bounded memory.

    Args:
        pretokenize: cuts both sides for the 13-grams; the baseline's.
        skipped: files left out, where `corpus` no longer knows; by default, what it says.
        progress: called with the bytes read so far.
    """
    ngrams = NgramSample(pretokenize)
    for data in test.documents:
        ngrams.add_test(data)
    wanted = frozenset(test.digests)
    shared = set()
    facts = FactsOfCorpus()
    num_newline_spaces = num_bytes = 0
    for document in corpus:
        digest = facts.add(document)
        if digest in wanted:
            shared.add(digest)
        ngrams.look_up(document.data)
        num_newline_spaces += document.data.count(b"\n ")
        num_bytes += len(document.data)
        if progress is not None:
            progress(num_bytes)
    return TrainingScan(
        facts=facts.finish(name, _skipped(corpus) if skipped is None else skipped),
        shared_digests=frozenset(shared),
        num_newline_spaces=num_newline_spaces,
        ngrams=ngrams,
    )


def check_round_trip(
    name: str, tokenizer: Tokenizer, ids_by_document: Iterable[object], documents: Sequence[bytes]
) -> Check:
    """Every test document comes back byte for byte from its ids.

    Args:
        ids_by_document: what the tokenizer's `encode` gave for each document.
    """
    num_failed = 0
    for ids, data in zip(ids_by_document, documents, strict=True):
        # Any sequence of ids is good for decode_bytes; the type is not worth a name.
        num_failed += tokenizer.decode_bytes(typing.cast("list[int]", ids)) != data
    return Check(
        name=ROUND_TRIP,
        candidate=name,
        is_hard=True,
        outcome="broken" if num_failed else "held",
        figure=float(num_failed),
        unit="documents differ",
        bound=0.0,
        bound_kind="at most",
        sentence=(
            f"{name} gives {num_failed:,} of {plural(len(documents), 'test document')} back changed"
            if num_failed
            else f"{name} gives all {plural(len(documents), 'test document')} back, byte for byte"
        ),
    )


def check_same_documents(
    name: str, *, trained_here: bool, line_fed: bool, same_by_record: bool = False
) -> Check:
    """Whether the candidate was trained on the documents that the others were trained on.

    Args:
        same_by_record: a ready tokenizer, and its record of training and that of all others name
            the same word counts. A record can be wrong, and says nothing of the test text.
    """
    if line_fed:
        sentence = f"{name} was trained on single lines, not on the documents the others had"
    elif trained_here:
        sentence = f"{name} was trained on the same documents as the others"
    elif same_by_record:
        sentence = (
            f"{name} came ready-made: same training text by their records, which cannot be checked"
        )
    else:
        sentence = f"{name} came ready-made: unknown corpus"
    return Check(
        name=SAME_DOCUMENTS,
        candidate=name,
        is_hard=True,
        outcome="broken" if line_fed else "held" if trained_here else "unknown",
        figure=None,
        unit="",
        bound=None,
        bound_kind="none",
        sentence=sentence,
    )


def check_vocab_size_kept(name: str, vocab_size: int, wanted: int, *, wanted_by: str) -> Check:
    """The vocabulary is no larger than the others may have.

    Args:
        wanted_by: where `wanted` comes from, for the sentence.
    """
    broken = vocab_size > wanted
    return Check(
        name=VOCAB_SIZE_KEPT,
        candidate=name,
        is_hard=True,
        outcome="broken" if broken else "held",
        figure=float(vocab_size),
        unit="slots",
        bound=float(wanted),
        bound_kind="at most",
        sentence=(
            f"{name} has {vocab_size:,} slots, {'more than' if broken else 'within'} "
            f"the {wanted:,} {wanted_by}"
        ),
    )


def check_vocab_size_reached(name: str, vocab_size: int, wanted: int, *, wanted_by: str) -> Check:
    """The vocabulary is as large as the others'; a smaller one is named, and still ranked."""
    short = vocab_size < wanted
    return Check(
        name=VOCAB_SIZE_REACHED,
        candidate=name,
        is_hard=False,
        outcome="warning" if short else "held",
        figure=float(vocab_size),
        unit="slots",
        bound=float(wanted),
        bound_kind="at least",
        sentence=(
            f"{name} stopped short: {vocab_size:,} slots of the {wanted:,} {wanted_by}"
            if short
            else f"{name} reached the {wanted:,} slots {wanted_by}"
        ),
    )


def check_same_settings(
    name: str, settings: dict[str, str], baseline_name: str, baseline: dict[str, str]
) -> Check:
    """Same pretokenizer, digits, whitespace, normalizer and Unicode version as the baseline."""
    keys = ["pretokenizer", "digits", "whitespace", "normalizer", "unicode_version"]
    if settings.get("pretokenizer") == baseline.get("pretokenizer"):
        # Two patterns of a user's own may go by the same name.
        keys.append("pattern")
    different = [
        f"{key} {settings.get(key, 'unknown')!r} instead of {baseline.get(key, 'unknown')!r}"
        for key in keys
        if settings.get(key) != baseline.get(key)
    ]
    return Check(
        name=SAME_SETTINGS,
        candidate=name,
        is_hard=False,
        outcome="warning" if different else "held",
        figure=float(len(different)),
        unit="settings differ",
        bound=0.0,
        bound_kind="at most",
        sentence=(
            f"{name} differs from {baseline_name} in how text is cut: {'; '.join(different)}"
            if different
            else f"{name} cuts text like {baseline_name}"
        ),
    )


def check_fed_documents(
    name: str,
    tokenizer: Tokenizer,
    table: VocabularyTable,
    occurrences: NDArray[np.int64],
    *,
    test: TestText,
    training: TrainingScan | None,
    line_fed: bool,
) -> Check:
    """Signs of a vocabulary trained on single lines: no token holds a newline and then a space.

    Whole documents with indented lines teach BPE such tokens early. Their absence is a sign only
    where the pattern keeps newline and space together, where both texts have them, and where
    the vocabulary is large enough: it owns tokens that the test text needs no more often than
    newline + space (the median of the used tokens of several bytes is the bound).

    Args:
        occurrences: of each id on the test text.
        training: None when the tokenizer came ready-made.
        line_fed: it is known to have been trained so.
    """
    import numpy as np

    num_owned = sum(b"\n " in token.bytes for token in table.tokens)
    used = occurrences[(table.num_bytes > 1) & ~table.is_special & (occurrences > 0)]
    median_use = float(np.median(used)) if len(used) else float("inf")
    times = test.num_newline_spaces
    can_be_seen = any(b"\n " in cut for cut in tokenizer.pretokenize(b"a:\n    b\n    c\n"))
    expected = (
        can_be_seen
        and times >= max(MIN_NEWLINE_SPACES, median_use)
        and (training is None or training.num_newline_spaces > 0)
    )
    outcome: Outcome
    if line_fed:
        outcome = "warning"
        sentence = (
            f"{name} was trained on single lines on purpose, so no pretoken of its training "
            "text held a newline and then a space; its figures show what that mistake does"
        )
    elif num_owned:
        outcome = "held"
        sentence = f"{name} owns {plural(num_owned, 'token')} with newline + space"
    elif not can_be_seen:
        outcome = "not applicable"
        sentence = f"the pattern of {name} never keeps a newline and a space together"
    elif not expected:
        outcome = "not applicable"
        sentence = (
            f"newline + space is too rare in these texts ({times:,} in the test text) "
            f"to be expected in the vocabulary of {name}"
        )
    elif training is not None:
        outcome = "held"
        sentence = (
            f"{name} was trained here on whole documents and learned no token with newline + "
            f"space, though the test text has it {times:,} times"
        )
    else:
        outcome = "warning"
        sentence = (
            f"{name} owns no token with newline + space, though the test text has it "
            f"{times:,} times: the sign of a vocabulary trained line by line "
            "(as tools that read files line by line do), which costs it tokens on indented text"
        )
    return Check(
        name=LINE_FED,
        candidate=name,
        is_hard=False,
        outcome=outcome,
        figure=float(num_owned),
        unit="tokens hold newline + space",
        bound=1.0,
        bound_kind="at least",
        sentence=sentence,
    )


def check_shared_documents(test: TestText, training: TrainingScan | None) -> Check:
    """Test documents that were trained on; documents of white space only are left out."""
    figure: float | None = None
    outcome: Outcome = "unknown"
    if training is None:
        sentence = "the training text is unknown, and so is what the test text shares with it"
    else:
        judged = [i for i, data in enumerate(test.documents) if data.strip()]
        shared = [i for i in judged if test.digests[i] in training.shared_digests]
        figure = 100.0 * len(shared) / len(judged) if judged else 0.0
        outcome = "held" if figure < MAX_SHARED_DOCUMENTS_PERCENT else "broken"
        num_bytes = sum(len(test.documents[i]) for i in shared)
        sentence = (
            f"{len(shared):,} of {plural(len(judged), 'test document')} ({figure:.2f}%, "
            f"{plural(num_bytes, 'byte')}) are training documents too; "
            f"it has to be under {MAX_SHARED_DOCUMENTS_PERCENT:g}%"
        )
    return Check(
        name=SHARED_DOCUMENTS,
        candidate=None,
        is_hard=True,
        outcome=outcome,
        figure=figure,
        unit="% of test documents",
        bound=MAX_SHARED_DOCUMENTS_PERCENT,
        bound_kind="under",
        sentence=sentence,
    )


def check_shared_ngrams(training: TrainingScan | None) -> Check:
    """13-grams of pretokens of the test text that the training text has too."""
    figure: float | None = None
    outcome: Outcome = "unknown"
    if training is None:
        sentence = "the training text is unknown, and so are the passages the test text shares"
    else:
        ngrams = training.ngrams
        figure = ngrams.shared_percent
        outcome = "held" if figure <= MAX_SHARED_NGRAMS_PERCENT else "warning"
        sample = (
            "all looked up"
            if ngrams.sampled_share == 1.0
            else f"a sample of {100.0 * ngrams.sampled_share:g}%, chosen by hash"
        )
        sentence = (
            f"{figure:.2f}% of {ngrams.num_ngrams:,} runs of {NGRAM_LENGTH} pretokens in the test "
            f"text ({sample}) occur in the training text; "
            f"above {MAX_SHARED_NGRAMS_PERCENT:g}% the test says little about unseen text"
        )
    return Check(
        name=SHARED_NGRAMS,
        candidate=None,
        is_hard=False,
        outcome=outcome,
        figure=figure,
        unit="% of test 13-grams",
        bound=MAX_SHARED_NGRAMS_PERCENT,
        bound_kind="at most",
        sentence=sentence,
    )


def check_enough_documents(test: TestText) -> Check:
    """An interval over documents needs documents."""
    num_documents = len(test.documents)
    return Check(
        name=ENOUGH_DOCUMENTS,
        candidate=None,
        is_hard=False,
        outcome="held" if num_documents >= MIN_TEST_DOCUMENTS else "warning",
        figure=float(num_documents),
        unit="test documents",
        bound=float(MIN_TEST_DOCUMENTS),
        bound_kind="at least",
        sentence=(
            f"intervals rest on {plural(num_documents, 'test document')}"
            + (
                ""
                if num_documents >= MIN_TEST_DOCUMENTS
                else f"; below {MIN_TEST_DOCUMENTS} they are fragile"
            )
        ),
    )
