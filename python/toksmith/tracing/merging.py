"""Steps of the trainers that merge pairs: BPE and WordPiece."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from heapq import nsmallest
from typing import Final

from toksmith.reference import Units, Word
from toksmith.reference.bpe import Merging, Pair
from toksmith.reference.wordpiece import pair_scores
from toksmith.tracing.settings import Settings
from toksmith.tracing.steps import Candidate, MergeStep
from toksmith.tracing.words import show

__all__ = ["live_tokens", "merge_steps"]

#: What is kept of the pairs of a step.
_NUM_CANDIDATES: Final = 20


def merge_steps(
    counts: Mapping[Word, int], units: Units, vocab_size: int, settings: Settings
) -> Iterator[MergeStep]:
    """Train, and yield each merge."""
    training = Merging.start(counts, units, vocab_size)
    # Bytes are pinned: all of them are live, used or not.
    pinned = {show(unit, settings) for unit in units.tokens if settings.alphabet == "bytes"}
    live = live_tokens(training, settings)
    size = len(pinned.union(live))
    number = 0
    score_name = settings.score if settings.trainer == "wordpiece" else "frequency"
    while len(training.tokens) < vocab_size:
        scores = pair_scores(
            training, score_name, settings.min_pair_count, settings.max_token_bytes
        )
        ranked = _best_pairs(scores, settings)
        if not ranked:
            return
        pair, score, count = ranked[0]
        if settings.min_score is not None and float(score) < settings.min_score:
            return
        number += 1
        candidates = tuple(
            Candidate(_shown_pair(training, a_pair, settings), n, s) for a_pair, s, n in ranked
        )
        token = show(training.tokens[training.merge(*pair)], settings)
        before, size_before = live, size
        live = live_tokens(training, settings)
        size = len(pinned.union(live))
        yield MergeStep(
            number=number,
            pair=candidates[0].pair,
            count=count,
            score=score,
            token=token,
            gone=tuple(name for name in before if name not in live and name not in pinned),
            live=live,
            size=size,
            size_change=size - size_before,
            candidates=candidates,
            num_candidates=len(scores),
            num_ties=sum(other == score for other, _ in scores.values()),
        )


def _best_pairs(
    scores: Mapping[Pair, tuple[Fraction | float, int]], settings: Settings
) -> list[tuple[Pair, Fraction | float, int]]:
    """The best pairs with score and count, best first, of pairs in the order they are met."""
    pairs = [(pair, score, count) for pair, (score, count) in scores.items()]
    if settings.ties == "ids":
        return nsmallest(_NUM_CANDIDATES, pairs, key=lambda p: (-p[1], -p[2], p[0]))
    if settings.ties == "last-met":
        pairs.reverse()
    return nsmallest(_NUM_CANDIDATES, pairs, key=lambda p: -p[1])  # keeps the order of equal ones


def _shown_pair(training: Merging, pair: Pair, settings: Settings) -> tuple[str, str]:
    left, right = pair
    return show(training.tokens[left], settings), show(training.tokens[right], settings)


def live_tokens(training: Merging, settings: Settings) -> dict[str, int]:
    """Every token that stands in some word, by id, with how often."""
    token_counts = training.token_counts()
    return {
        show(token, settings): token_counts[token_id]
        for token_id, token in enumerate(training.tokens)
        if token_counts[token_id] > 0
    }
