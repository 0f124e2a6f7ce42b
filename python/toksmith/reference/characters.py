"""Make a vocabulary of single characters."""

from collections.abc import Mapping

from toksmith.reference.boundary import Mode, Word
from toksmith.reference.model import Model
from toksmith.reference.units import character_units


def train_characters(
    counts: Mapping[Word, int],
    mode: Mode,
    vocab_size: int,
    *,
    character_coverage: float = 1.0,
    byte_fallback: bool = True,
) -> Model:
    """Take the most frequent characters, as many as there is room for, and nothing else.

    Args:
        counts: marked word -> how often it stands in the corpus.
        mode: the boundary.
        vocab_size: how many tokens in all, special tokens not counted in; fewer if there are not
            as many characters.
        character_coverage: see `covered_characters`.
        byte_fallback: whether the bytes are tokens too.
    Returns:
        A model of the units of `character_units`, in their order.
    Source: SentencePiece's character model.

    >>> counts = {Word(False, "où, là".encode(), False): 1}
    >>> train_characters(counts, "space-prefix", 257).tokens[256].bytes.decode()
    'à'
    """
    units = character_units(
        counts,
        mode,
        character_coverage=character_coverage,
        byte_fallback=byte_fallback,
        max_units=vocab_size,
    )
    return Model(mode, units.tokens, num_units=len(units.tokens))
