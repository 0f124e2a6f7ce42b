"""Steps of Scaffold-BPE."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from toksmith.reference import Units, Word
from toksmith.reference.bpe import Merging
from toksmith.reference.scaffold_bpe import Scaffolding
from toksmith.tracing.merging import live_tokens
from toksmith.tracing.settings import Settings
from toksmith.tracing.steps import ScaffoldStep
from toksmith.tracing.words import show

__all__ = ["scaffold_steps"]


def scaffold_steps(
    counts: Mapping[Word, int], units: Units, vocab_size: int, settings: Settings
) -> Iterator[ScaffoldStep]:
    """Train, and yield each step."""
    state = Scaffolding(Merging.start(counts, units, vocab_size))
    tokens = state.merging.tokens
    number = 0
    while state.num_visible < vocab_size:
        head = state.head(settings.min_pair_count)
        if head is None:
            return
        number += 1
        pair, scaffold = head
        count = state.queue()[head]
        left, right = (show(tokens[part], settings) for part in pair)
        size_before = state.num_visible
        hidden = state.step(head)
        made = Word(tokens[pair[0]].lead, tokens[pair[0]].bytes + tokens[pair[1]].bytes, False)
        token = show(made._replace(trail=tokens[pair[1]].trail), settings)
        yield ScaffoldStep(
            number=number,
            pair=(left, right),
            count=count,
            token=token,
            shown=None if scaffold is None else token,
            hidden=tuple(show(tokens[token_id], settings) for token_id in hidden),
            live=live_tokens(state.merging, settings),
            scaffolds=tuple(show(tokens[token_id], settings) for token_id in sorted(state.hidden)),
            size=state.num_visible,
            size_change=state.num_visible - size_before,
        )
