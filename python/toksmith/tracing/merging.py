"""Steps of the trainers that merge pairs: BPE and WordPiece."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from toksmith.reference import Units, Word
from toksmith.reference.bpe import Merging, Pair
from toksmith.reference.wordpiece import pair_scores
from toksmith.tracing.settings import Settings
from toksmith.tracing.steps import Candidate, MergeStep
from toksmith.tracing.words import show

__all__ = ["live_tokens", "merge_steps"]

Scores = dict[Pair, tuple[Fraction | float, int]]


def merge_steps(
    counts: Mapping[Word, int], units: Units, vocab_size: int, settings: Settings
) -> Iterator[MergeStep]:
    """Train, and yield each merge."""
    training = Merging.start(counts, units, vocab_size)
    live = live_tokens(training, settings)
    size = live_size(training, live, settings)
    number = 0
    while len(training.tokens) < vocab_size:
        ranked = _ranked(training, settings)
        if not ranked:
            return
        (pair, (score, count)), *_ = ranked
        if settings.min_score is not None and float(score) < settings.min_score:
            return
        number += 1
        left, right = (show(training.tokens[part], settings) for part in pair)
        candidates = tuple(
            Candidate(
                (show(training.tokens[a], settings), show(training.tokens[b], settings)), n, s
            )
            for (a, b), (s, n) in ranked
        )
        token = show(training.tokens[training.merge(*pair)], settings)
        before, size_before = live, size
        live = live_tokens(training, settings)
        size = live_size(training, live, settings)
        yield MergeStep(
            number=number,
            pair=(left, right),
            count=count,
            score=score,
            token=token,
            gone=tuple(name for name in before if name not in live),
            live=live,
            size=size,
            size_change=size - size_before,
            candidates=candidates,
            num_ties=sum(candidate.score == score for candidate in candidates),
        )


def _ranked(
    training: Merging, settings: Settings
) -> list[tuple[Pair, tuple[Fraction | float, int]]]:
    """All pairs, the best first. They come in the order in which they are met."""
    score = settings.score if settings.trainer == "wordpiece" else "frequency"
    scores = pair_scores(training, score, settings.min_pair_count, settings.max_token_bytes)
    pairs = list(scores.items())
    if settings.ties == "last-met":
        pairs.reverse()
    if settings.ties == "ids":
        return sorted(pairs, key=lambda item: (-item[1][0], -item[1][1], item[0]))
    return sorted(pairs, key=lambda item: -item[1][0])


def live_tokens(training: Merging, settings: Settings) -> dict[str, int]:
    """Every token that stands in some word, by id, with how often."""
    token_counts = training.token_counts()
    return {
        show(token, settings): token_counts[token_id]
        for token_id, token in enumerate(training.tokens)
        if token_counts[token_id] > 0
    }


def live_size(training: Merging, live: Mapping[str, int], settings: Settings) -> int:
    """How many tokens are live. Bytes are pinned, so all of them are, used or not."""
    if settings.alphabet == "characters":
        return len(live)
    pinned = {show(token, settings) for token in training.tokens[: training.num_units]}
    return len(pinned.union(live))
