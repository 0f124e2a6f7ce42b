"""What each step of a training was, as plain data. Tokens are shown as the tables show them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

__all__ = ["Candidate", "MergeStep", "PieceRow", "ScaffoldStep", "Step", "UnigramStep"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair that could be merged.

    Attributes:
        pair: its two tokens.
        count: how often they stand side by side.
        score: what the trainer ranks it by: for BPE its count, for WordPiece a fraction (pmi) or
            a number.
    """

    pair: tuple[str, str]
    count: int
    score: Fraction | float


@dataclass(frozen=True, slots=True)
class MergeStep:
    """One merge of BPE or WordPiece.

    Attributes:
        number: from 1.
        pair: the two tokens that were merged.
        count: how often they stood side by side.
        score: what they were chosen by.
        token: what they make.
        gone: tokens that stand nowhere any more. Pinned bytes never go.
        live: every token that stands somewhere now, with how often.
        size: how many tokens are live, pinned bytes among them.
        size_change: +1, 0 or -1 against the step before.
        candidates: the best pairs that there were, at most 20, the one that was taken first.
        num_candidates: how many there were.
        num_ties: how many of all had the best score (for BPE: the best count).
    """

    number: int
    pair: tuple[str, str]
    count: int
    score: Fraction | float
    token: str
    gone: tuple[str, ...]
    live: dict[str, int]
    size: int
    size_change: int
    candidates: tuple[Candidate, ...]
    num_candidates: int
    num_ties: int


@dataclass(frozen=True, slots=True)
class ScaffoldStep:
    """One step of Scaffold-BPE: a merge, or a hidden token that is shown again.

    Attributes:
        number: from 1.
        pair: the pair at the head of the queue.
        count: how often it, or the hidden token, stood in the corpus.
        token: what the pair makes.
        shown: the hidden token that is visible again; None if the step is a merge.
        hidden: tokens that this step hid.
        live: every token that stands somewhere now, with how often, hidden ones too.
        scaffolds: all tokens that are hidden now.
        size: how many tokens are visible; training counts these.
        size_change: against the step before.
    """

    number: int
    pair: tuple[str, str]
    count: int
    token: str
    shown: str | None
    hidden: tuple[str, ...]
    live: dict[str, int]
    scaffolds: tuple[str, ...]
    size: int
    size_change: int


@dataclass(frozen=True, slots=True)
class PieceRow:
    """A piece of Unigram before a removal.

    Attributes:
        piece: the piece.
        count: method `counts`: where it stands in the words; `em`: how often it is expected.
        probability: its share, a fraction for `counts`.
        used: how often the best segmentations of the words use it.
        cost: what the loss grows by without it; for `counts` with the probabilities of the others
            as they are. None where it cannot be removed.
        cost_reestimated: the same with the others' probabilities estimated anew (`counts` alone).
        removed: whether it goes now.
    """

    piece: str
    count: int | float
    probability: Fraction | float
    used: int
    cost: float | None
    cost_reestimated: float | None
    removed: bool


@dataclass(frozen=True, slots=True)
class UnigramStep:
    """The pieces of Unigram at one time, and which of them go.

    Attributes:
        number: from 1.
        loss: minus the log of the corpus's probability, in nats: of the best segmentation of each
            word for `counts`, of all segmentations for `em`.
        total: the sum of the counts.
        pieces: a row each.
        removed: what goes after this step; empty at the end.
        segmentations: the best one of each word.
        size: how many pieces there are before the removal.
        size_change: against the step before.
    """

    number: int
    loss: float
    total: int | float
    pieces: tuple[PieceRow, ...]
    removed: tuple[str, ...]
    segmentations: dict[str, tuple[str, ...]]
    size: int
    size_change: int


Step: TypeAlias = MergeStep | ScaffoldStep | UnigramStep
