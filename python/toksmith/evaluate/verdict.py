"""From figures to a verdict: ranks, standings, and sentences a reader can repeat."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Sequence

from toksmith.evaluate import wording
from toksmith.evaluate.compression import (
    CONFIDENCE_PERCENT,
    bootstrap_token_ratios,
    bytes_per_token_gain_percent,
    percentile_interval,
)
from toksmith.evaluate.results import (
    Candidate,
    Check,
    Gain,
    Interval,
    LineFedEffect,
    LineFedRow,
    Standing,
)


def standing_of(gain: Gain) -> Standing:
    """Where a fair candidate stands: `level` when the interval of the gain holds 0."""
    interval = gain.bytes_per_token_percent_interval
    if interval is None:
        return "undecided"
    if 0.0 in interval:
        return "level"
    return "ahead" if interval.low > 0.0 else "behind"


def gain_sentence(gain: Gain) -> str:
    """A gain in bytes per token with its interval, and what follows from it."""
    figure = f"{wording.signed_percent(gain.bytes_per_token_percent)} bytes/token"
    interval = gain.bytes_per_token_percent_interval
    if interval is None:
        return f"{figure} against {gain.against}, but too few test documents for an interval"
    within = f"{CONFIDENCE_PERCENT:g}% interval {wording.interval(interval)}"
    standing = standing_of(gain)
    if standing == "level":
        return f"level with {gain.against}: {figure} ({within}, which holds 0)"
    place = "ahead of" if standing == "ahead" else "behind"
    return f"{place} {gain.against}: {figure} ({within})"


def judge(candidates: Sequence[Candidate], baseline: str) -> list[Candidate]:
    """Ranks the fair candidates, and gives each its standing and its sentence.

    Ranks go by tokens of the same text, fewest first; equal numbers share a rank, and are listed by
    name. A candidate that comes in with the standing `not ranked` keeps it.

    Returns:
        The baseline, then ranked candidates from best to worst, then the others as they came.
    """
    fair = [c for c in candidates if c.standing != "not ranked"]
    fair.sort(key=lambda c: (c.compression.num_tokens, c.name))
    totals = [c.compression.num_tokens for c in fair]
    judged = []
    for candidate in fair:
        rank = 1 + totals.index(candidate.compression.num_tokens)
        if candidate.gain is None:
            sentence = f"the baseline: {candidate.compression.bytes_per_token:.3f} bytes/token"
            judged.append(dataclasses.replace(candidate, rank=rank, sentence=sentence))
        else:
            judged.append(
                dataclasses.replace(
                    candidate,
                    rank=rank,
                    standing=standing_of(candidate.gain),
                    sentence=gain_sentence(candidate.gain),
                )
            )
    for candidate in candidates:
        if candidate.standing == "not ranked":
            sentence = f"not ranked: {candidate.sentence}"
            judged.append(dataclasses.replace(candidate, sentence=sentence))
    return sorted(judged, key=lambda c: c.name != baseline)


def level_with(
    best: Candidate, others: Sequence[Candidate], *, seed: int, num_resamples: int
) -> list[Candidate]:
    """Those of `others` that the test text cannot tell from `best`, by the same bootstrap."""
    return [
        other
        for other in others
        if other is not best
        and 0.0
        in percentile_interval(
            bootstrap_token_ratios(
                best.compression.num_tokens_by_document,
                other.compression.num_tokens_by_document,
                seed=seed,
                num_resamples=num_resamples,
            )
            - 1.0
        )
    ]


def sizes_sentence(candidates: Sequence[Candidate]) -> str | None:
    """Says that ranked candidates have vocabularies of different sizes; None when they do not.

    Training stops short where the text has no more to merge. Such a candidate is ranked all the
    same, so a reader has to be told: slots alone save tokens.
    """
    ranked = sorted(
        (c for c in candidates if c.rank is not None), key=lambda c: (c.vocab_size, c.name)
    )
    by_size: dict[int, list[str]] = {}
    for candidate in ranked:
        by_size.setdefault(candidate.vocab_size, []).append(candidate.name)
    if len(by_size) < 2:
        return None
    sizes = "; ".join(f"{wording.listing(names)} {size:,}" for size, names in by_size.items())
    return (
        f"Vocabularies differ in size ({sizes} slots), which by itself changes compression: equal "
        f"sizes need a larger corpus, or a vocab_size of at most {min(by_size):,} where every "
        "alphabet fits."
    )


def overall_verdict(
    candidates: Sequence[Candidate],
    common: Sequence[Check],
    *,
    num_documents: int,
    seed: int,
    num_resamples: int,
) -> str:
    """The outcome in a sentence, and in a second one that ranked sizes differ, where they do.

    The best candidate is the one with the fewest tokens among those ahead of the baseline; those
    that cannot be told from it share first place.

    Args:
        candidates: from `judge`.
        common: checks of the comparison as a whole.
        seed, num_resamples: of the bootstrap.
    """
    outcome = _outcome(
        candidates, common, num_documents=num_documents, seed=seed, num_resamples=num_resamples
    )
    sizes = sizes_sentence(candidates)
    return outcome if sizes is None else f"{outcome} {sizes}"


def _outcome(
    candidates: Sequence[Candidate],
    common: Sequence[Check],
    *,
    num_documents: int,
    seed: int,
    num_resamples: int,
) -> str:
    ranked = [c for c in candidates if c.rank is not None]
    rivals = [c for c in ranked if c.gain is not None]
    evidence = f"on {wording.plural(num_documents, 'test document')}"
    if not ranked:
        broken = [check for check in common if check.is_hard and check.outcome == "broken"]
        reason = (
            broken[0].sentence
            if broken
            else "what they were trained on is unknown"
            if any(check.is_hard and check.outcome == "unknown" for check in common)
            else "no candidate meets the conditions of a fair comparison"
        )
        return f"No ranking: {reason}."
    if not rivals:
        return f"No verdict: nothing can be ranked beside {ranked[0].name}."
    ahead = [c for c in rivals if c.standing == "ahead"]
    if ahead:
        best = min(ahead, key=lambda c: c.rank or 0)
        level = level_with(best, ahead, seed=seed, num_resamples=num_resamples)
        if not level:
            return f"{best.name} is best: {_over(best)}, {evidence}."
        first = [best, *sorted(level, key=lambda c: (c.rank or 0, c.name))]
        gains = wording.listing([f"{c.name} {_over(c)}" for c in first])
        between = (
            "the interval between them holds"
            if len(first) == 2
            else f"intervals against {best.name} hold"
        )
        return (
            f"{wording.listing([c.name for c in first])} share first place: {gains}, {evidence}; "
            f"{between} 0."
        )
    baseline = next((c.name for c in ranked if c.gain is None), ranked[0].name)
    if any(c.standing == "undecided" for c in rivals):
        return f"Undecided: {evidence} no interval can be given."
    parts = []
    for standing, place in (("level", "level with it"), ("behind", "behind")):
        names = [c.name for c in rivals if c.standing == standing]
        if names:
            parts.append(f"{wording.listing(names)} {'is' if len(names) == 1 else 'are'} {place}")
    return f"Nothing beats {baseline}: {', '.join(parts)}, {evidence}."


def _over(candidate: Candidate) -> str:
    gain = typing.cast(Gain, candidate.gain)
    interval = typing.cast(Interval, gain.bytes_per_token_percent_interval)
    return (
        f"{wording.signed_percent(gain.bytes_per_token_percent)} bytes/token over {gain.against} "
        f"({CONFIDENCE_PERCENT:g}% interval {wording.interval(interval)})"
    )


def line_fed_effect(candidates: Sequence[Candidate], baseline: str) -> LineFedEffect | None:
    """What the same figures would say, had the baseline been trained on single lines.

    Returns:
        None when there is no line-fed candidate or no fair one to hold against it.
    """
    spoiled = next((c for c in candidates if c.is_line_fed), None)
    fair = next((c for c in candidates if c.name == baseline), None)
    rivals = [c for c in candidates if not c.is_line_fed and c.gain is not None and c.rank]
    if spoiled is None or fair is None or fair is spoiled or not rivals:
        return None
    spoiled_tokens = spoiled.compression.num_tokens
    fair_tokens = fair.compression.num_tokens
    rows = tuple(
        LineFedRow(
            candidate=c.name,
            fair_gain_percent=bytes_per_token_gain_percent(fair_tokens, c.compression.num_tokens),
            apparent_gain_percent=bytes_per_token_gain_percent(
                spoiled_tokens, c.compression.num_tokens
            ),
        )
        for c in rivals
    )
    extra = spoiled_tokens - fair_tokens
    extra_whitespace = -spoiled.words.num_tokens_saved_in_whitespace if spoiled.words else 0
    best = rows[0]
    return LineFedEffect(
        candidate=spoiled.name,
        num_extra_tokens=extra,
        num_extra_whitespace_tokens=extra_whitespace,
        rows=rows,
        sentence=(
            f"Against a BPE trained on single lines ({spoiled.name}), {best.candidate} would look "
            f"{wording.signed_percent(best.apparent_gain_percent)} better in bytes/token; against "
            f"the same BPE trained on whole documents it is "
            f"{wording.signed_percent(best.fair_gain_percent)}. On this text the line-fed baseline "
            f"differs by {wording.signed_count(extra)} tokens: "
            f"{wording.signed_count(extra_whitespace)} of white space, "
            f"{wording.signed_count(extra - extra_whitespace)} others. It never saw a newline "
            f"followed by indentation, so it has no token for it."
        ),
    )
