"""Steps of Unigram: by EM as it is trained, or by counts as courses show it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import count as counting
from math import exp

from toksmith.errors import SettingsError
from toksmith.reference import Units, Word
from toksmith.reference.unigram import (
    Runs,
    Scores,
    numbered,
    rounds,
    run_lattice,
    seeds,
    spelled,
    unit_runs,
)
from toksmith.reference.unigram_by_counts import (
    corpus_loss,
    log_shares,
    removal_costs,
    substring_counts,
)
from toksmith.reference.viterbi import best_path
from toksmith.tracing.settings import Settings
from toksmith.tracing.steps import PieceRow, UnigramStep
from toksmith.tracing.words import show

__all__ = ["unigram_steps"]

#: Costs that differ by less are equal: they are sums of logarithms.
_EQUAL_DIGITS = 9


def unigram_steps(
    counts: Mapping[Word, int], units: Units, vocab_size: int, settings: Settings
) -> Iterator[UnigramStep]:
    """Train, and yield each state with what is removed from it."""
    runs = unit_runs(counts, units)
    scores = seeds(runs, settings.max_token_chars, 1_000_000)
    if settings.pieces is not None:
        scores = _given_pieces(runs, settings)
    num_units = len({unit for run in runs for unit in run})
    if vocab_size < num_units:
        raise SettingsError(f"vocab_size is {vocab_size}, but the units alone need {num_units}")
    if settings.method == "em":
        yield from _em_steps(runs, scores, vocab_size, settings)
    else:
        yield from _count_steps(runs, list(scores), vocab_size, settings)


def _given_pieces(runs: Runs, settings: Settings) -> Scores:
    """The pieces that the caller starts from, with their shares as scores."""
    if settings.boundary in ("implicit-single", "implicit-dual", "continuation"):
        raise SettingsError(f"pieces go with a boundary without marks, not {settings.boundary!r}")
    pieces = [Word(False, piece.encode(), False) for piece in settings.pieces or ()]
    counts = substring_counts(runs, pieces)
    for piece in (unit for run in runs for unit in run):
        if piece not in counts:
            raise SettingsError(f"pieces lack {show(piece, settings)!r}, and a word holds it")
    return log_shares(counts)


def _segmentations(runs: Runs, scores: Scores, settings: Settings) -> dict[str, tuple[str, ...]]:
    pieces = numbered(scores)
    names = [show(piece, settings) for piece in scores]
    return {
        show(spelled(run), settings): tuple(
            "?" if number < 0 else names[number]
            for number in best_path(run_lattice(run, pieces))[1]
        )
        for run in runs
    }


def _count_steps(
    runs: Runs, pieces: list[Word], vocab_size: int, settings: Settings
) -> Iterator[UnigramStep]:
    """Remove the cheapest piece until few enough are left.

    Equal costs: the piece that stands in fewer places, then the smaller bytes.
    """
    to_drop = [Word(False, piece.encode(), False) for piece in settings.drop]
    for piece in to_drop:
        if piece not in pieces or piece in {unit for run in runs for unit in run}:
            raise SettingsError(f"drop has {show(piece, settings)!r}, which cannot be removed")
    size = len(pieces)
    for number in counting(1):
        counts = substring_counts(runs, pieces)
        scores = log_shares(counts)
        loss, used = corpus_loss(runs, scores)
        total = sum(counts.values())
        costs = removal_costs(runs, counts, reestimate=False)
        costs_reestimated = removal_costs(runs, counts, reestimate=True)
        removed: Word | None = None
        if len(pieces) > vocab_size and costs:
            cheapest = min(
                costs, key=lambda p: (round(costs[p], _EQUAL_DIGITS), counts[p], p.bytes)
            )
            removed = to_drop.pop(0) if to_drop else cheapest
        rows = tuple(
            PieceRow(
                piece=show(piece, settings),
                count=counts[piece],
                probability=Fraction(counts[piece], total),
                used=used[piece],
                cost=costs.get(piece),
                cost_reestimated=costs_reestimated.get(piece),
                removed=piece == removed,
            )
            for piece in pieces
        )
        yield UnigramStep(
            number=number,
            loss=loss,
            total=total,
            pieces=rows,
            removed=() if removed is None else (show(removed, settings),),
            segmentations=_segmentations(runs, scores, settings),
            size=len(pieces),
            size_change=len(pieces) - size,
        )
        if removed is None:
            return
        size = len(pieces)
        pieces = [piece for piece in pieces if piece != removed]


def _em_steps(
    runs: Runs, scores: Scores, vocab_size: int, settings: Settings
) -> Iterator[UnigramStep]:
    """Show the state after each round's EM steps, and what its pruning removes."""
    size: int | None = None
    for number, state in enumerate(rounds(runs, scores, vocab_size), start=1):
        _, used = corpus_loss(runs, state.scores)
        removed = [piece for piece in state.scores if piece not in state.kept]
        if len(state.kept) == len(state.scores):
            # The last cut takes the best scores; what a word cannot do without stays.
            spare = sorted(
                (p for p in state.scores if not _is_unit(p, runs)),
                key=lambda p: (-state.scores[p], p.bytes, p.lead, p.trail),
            )
            num_units = len({unit for run in runs for unit in run})
            removed = spare[vocab_size - num_units :]
        rows = tuple(
            PieceRow(
                piece=show(piece, settings),
                count=state.expected[piece],
                probability=exp(score),
                used=used[piece],
                cost=state.losses.get(piece),
                cost_reestimated=None,
                removed=piece in removed,
            )
            for piece, score in state.scores.items()
        )
        yield UnigramStep(
            number=number,
            loss=-state.log_likelihood,
            total=sum(state.expected.values()),
            pieces=rows,
            removed=tuple(show(piece, settings) for piece in removed),
            segmentations=_segmentations(runs, state.scores, settings),
            size=len(state.scores),
            size_change=0 if size is None else len(state.scores) - size,
        )
        size = len(state.scores)


def _is_unit(piece: Word, runs: Runs) -> bool:
    return any(piece in run for run in runs)
