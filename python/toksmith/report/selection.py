"""What of a `Results` is shown where; shared by the terminal and the page."""

from __future__ import annotations

from dataclasses import dataclass

from toksmith.evaluate.results import Candidate, Check, CorpusFacts, LengthDistribution, Results
from toksmith.evaluate.wording import listing, plural


def ranked_rivals(results: Results) -> list[Candidate]:
    """Ranked candidates other than the baseline, best first."""
    rivals = [c for c in results.candidates if c.rank is not None and c.gain is not None]
    return sorted(rivals, key=lambda c: (c.rank or 0, c.name))


def in_order(results: Results) -> list[Candidate]:
    """Ranked candidates, best first, the baseline in its place; then those that are not ranked."""
    ranked = [c for c in results.candidates if c.rank is not None]
    ranked.sort(key=lambda c: (c.rank or 0, c.name))
    return ranked + [c for c in results.candidates if c.rank is None]


def charted_rivals(results: Results) -> list[Candidate]:
    """What plots show beside the baseline: the ranked ones, or all others where nothing is ranked.

    A candidate that is not ranked has no place beside fair ones: a spoiled baseline that is 10% off
    would also press all other differences into one spot.
    """
    return ranked_rivals(results) or [
        c for c in results.candidates if c.gain is not None and not c.is_line_fed
    ]


def size_differs(results: Results, candidate: Candidate) -> bool:
    """Whether ranked candidates differ in size, and this one is smaller than the largest."""
    sizes = results.ranked_sizes
    return candidate.rank is not None and len(sizes) > 1 and candidate.vocab_size < sizes[-1]


def corpus_lines(results: Results) -> list[str]:
    """What each corpus is made of, and what it left out; a line for each."""
    lines = []
    for label, corpus in (("Training text", results.train), ("Test text", results.test)):
        if corpus is None:
            continue
        line = f"{label} {corpus.name}: {corpus_size(corpus)}."
        if corpus.num_skipped:
            line += f" {plural(corpus.num_skipped, 'file')} left out: {'; '.join(corpus.skipped)}"
            more = corpus.num_skipped - len(corpus.skipped)
            line += f"; and {more:,} more." if more else "."
        lines.append(line)
    return lines


def corpus_size(corpus: CorpusFacts) -> str:
    """Documents, their sources where these are fewer, and bytes."""
    documents = plural(corpus.num_documents, "document")
    if 0 < corpus.num_sources < corpus.num_documents:
        documents += f" from {plural(corpus.num_sources, 'source')}"
    return f"{documents}, {plural(corpus.num_bytes, 'byte')}"


def remarkable_checks(results: Results) -> list[Check]:
    """Checks that were broken, that warn, or whose outcome is unknown."""
    return [c for c in results.checks if c.outcome in ("broken", "warning", "unknown")]


@dataclass(frozen=True, slots=True)
class CheckRow:
    """One line of the table of checks: one check, or all candidates for which a condition held.

    Attributes:
        low, high: the smallest and largest figure of the checks in the row.
    """

    check: Check
    low: float | None
    high: float | None
    sentence: str


def check_rows(results: Results) -> list[tuple[str, list[CheckRow]]]:
    """Checks grouped by condition; those that held for several candidates are one row.

    Conditions come in the order in which they first appear, what did not hold comes first.
    """
    groups: dict[str, list[Check]] = {}
    for check in results.checks:
        groups.setdefault(check.name, []).append(check)
    return [(name, _rows(checks)) for name, checks in groups.items()]


def _rows(checks: list[Check]) -> list[CheckRow]:
    held = [check for check in checks if check.outcome == "held"]
    if len(held) < 2:
        return [CheckRow(c, c.figure, c.figure, c.sentence) for c in checks]
    rows = [CheckRow(c, c.figure, c.figure, c.sentence) for c in checks if c.outcome != "held"]
    figures = [check.figure for check in held if check.figure is not None]
    names = listing([check.candidate or "the comparison" for check in held])
    low, high = (min(figures), max(figures)) if figures else (None, None)
    return [*rows, CheckRow(held[0], low, high, f"holds for {names}")]


def shared_settings(results: Results) -> dict[str, str]:
    """Settings that all candidates have in common."""
    first, *others = (c.settings for c in results.candidates)
    return {k: v for k, v in first.items() if all(other.get(k) == v for other in others)}


def test_lengths(candidate: Candidate) -> LengthDistribution:
    """Lengths in characters of the tokens on the test text that are not white space only."""
    return next(
        lengths
        for lengths in candidate.vocabulary.lengths
        if lengths.unit == "characters" and lengths.population == "test tokens without white space"
    )


def training_seconds(candidate: Candidate) -> float | None:
    """Counting and merging together; None for a ready tokenizer."""
    speed = candidate.speed
    if speed.counting_seconds is None or speed.merging_seconds is None:
        return None
    return speed.counting_seconds + speed.merging_seconds
