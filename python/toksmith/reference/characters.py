"""Make a vocabulary of single characters."""

from collections import Counter
from collections.abc import Mapping

from toksmith.reference.boundary import Word, spread
from toksmith.reference.model import Model
from toksmith.reference.pretokenize import to_bytes, to_characters
from toksmith.reference.units import Units
from toksmith.reference.words import most_frequent


def train_characters(counts: Mapping[Word, int], units: Units, vocab_size: int) -> Model:
    """Take the most frequent characters as tokens, in each form in which they stand.

    Bytes of no well-formed character are left to the units. Ties go to the smaller bytes, then to
    the form without lead, then without trail.

    Args:
        counts: marked word -> how often it stands in the corpus.
        units: the first tokens; a character that is one is not taken again.
        vocab_size: how many tokens in all, special tokens not counted in; fewer if there are not
            as many characters.
    Raises:
        ValueError: `vocab_size` is below the units.
    Source: SentencePiece's character model.

    >>> from toksmith.reference.units import byte_units
    >>> counts = {Word(False, "où, là".encode(), False): 1}
    >>> model = train_characters(counts, byte_units("space-prefix"), 257)
    >>> model.tokens[256].bytes.decode()
    'à'
    """
    character_counts: Counter[Word] = Counter()
    for word, count in counts.items():
        characters = to_characters(word.bytes)
        pieces = spread(word, [to_bytes(character) for character in characters], units.mode)
        for character, piece in zip(characters, pieces, strict=True):
            # In an alphabet of characters those that are not covered were left out on purpose.
            if not "\ud800" <= character <= "\udfff" and units.covered is None:
                character_counts[piece] += count
    return most_frequent(character_counts, units, vocab_size)
