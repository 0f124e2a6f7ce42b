"""Make a vocabulary of whole words, and encode with it."""

from collections.abc import Mapping

from toksmith.reference.boundary import Word
from toksmith.reference.model import Model
from toksmith.reference.units import Units


def train_words(
    counts: Mapping[Word, int], units: Units, vocab_size: int, min_word_count: int = 1
) -> Model:
    """Take the most frequent words as tokens, above the units that spell any other word.

    Ties go to the smaller bytes, then to the one without trail, then without lead.

    Args:
        counts: marked word -> how often it stands in the corpus.
        units: the first tokens; a word that is one is not taken again. There may be none.
        vocab_size: how many tokens in all, special tokens not counted in; fewer if there are not
            as many words.
        min_word_count: rarer words are not taken.
    Raises:
        ValueError: `vocab_size` is below the units.
    Source: the word-level models that subword ones are compared with.

    >>> from toksmith.reference.units import byte_units
    >>> counts = {Word(False, b"the", False): 2, Word(False, b"cat", False): 2}
    >>> train_words(counts, byte_units("space-prefix"), 257).tokens[256:]
    (Word(lead=False, bytes=b'cat', trail=False),)
    """
    size = len(units.tokens)
    if vocab_size < size:
        raise ValueError(f"vocab_size is {vocab_size}, but the units alone need {size}")
    new = {word for word in counts if counts[word] >= min_word_count} - set(units.tokens)
    by_count = sorted(new, key=lambda word: (-counts[word], word.bytes, word.trail, word.lead))
    tokens = (*units.tokens, *by_count[: vocab_size - size])
    return Model(units.mode, tokens, num_units=size)


def encode_whole_word(word: Word, model: Model) -> list[int]:
    """Encode one word as itself if it is a token, else in units: never in other words.

    Raises:
        KeyError: it is no token, and a part of it is not among the model's units.

    >>> from toksmith.reference.units import byte_units
    >>> model = train_words({Word(False, b"the", False): 2}, byte_units("space-prefix"), 257)
    >>> encode_whole_word(Word(False, b"the", False), model)
    [256]
    >>> encode_whole_word(Word(False, b"then", False), model)
    [116, 104, 101, 110]
    """
    ids = model.ids()
    if word in ids and ids[word] in model.visible:
        return [ids[word]]
    of_units = {unit: ids[unit] for unit in model.units}
    return [of_units[unit] for unit in model.spell(word)]
