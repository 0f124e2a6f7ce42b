"""Make a vocabulary of whole words."""

from collections.abc import Mapping

from toksmith.reference.boundary import Word
from toksmith.reference.model import Model
from toksmith.reference.units import Units


def train_words(counts: Mapping[Word, int], units: Units, vocab_size: int) -> Model:
    """Take the most frequent words as tokens, above the units that spell any other word.

    Ties go to the smaller bytes, then to the one without lead, then without trail. Words with a
    character that is not covered are passed over.

    Args:
        counts: marked word -> how often it stands in the corpus.
        units: the first tokens; a word that is one is not taken again.
        vocab_size: how many tokens in all, special tokens not counted in; fewer if there are not
            as many words.
    Raises:
        ValueError: `vocab_size` is below the units.
    Source: the word-level models that subword ones are compared with.

    >>> from toksmith.reference.units import byte_units
    >>> counts = {Word(False, b"the", False): 2, Word(False, b"cat", False): 2}
    >>> train_words(counts, byte_units("space-prefix"), 257).tokens[256:]
    (Word(lead=False, bytes=b'cat', trail=False),)
    """
    spelled = {word for word in counts if len(units.runs(word)) == 1 and _is_whole(word, units)}
    return most_frequent({word: counts[word] for word in spelled}, units, vocab_size)


def _is_whole(word: Word, units: Units) -> bool:
    return sum(len(unit.bytes) for unit in units.runs(word)[0]) == len(word.bytes)


def most_frequent(counts: Mapping[Word, int], units: Units, vocab_size: int) -> Model:
    """Put the most frequent tokens above the units.

    >>> from toksmith.reference.units import byte_units
    >>> counts = {Word(False, b"a", False): 2, Word(False, b"ab", False): 1}
    >>> len(most_frequent(counts, byte_units("space-prefix"), 1_000).tokens)
    257
    """
    size = len(units.tokens)
    if vocab_size < size:
        raise ValueError(f"vocab_size is {vocab_size}, but the units alone need {size}")
    new = set(counts) - set(units.tokens)
    by_count = sorted(new, key=lambda word: (-counts[word], word.bytes, word.lead, word.trail))
    tokens = (*units.tokens, *by_count[: vocab_size - size])
    return Model(units.mode, tokens, num_units=size)
