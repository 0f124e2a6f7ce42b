"""Encode a word by taking its longest tokens first.

Source: Xiong et al. 2024 (LBPE), Equation 2 and Algorithm 1. Length is the number of symbols
(bytes), equal lengths go left to right.
"""

from collections.abc import Collection

from toksmith.reference.boundary import Word, symbols
from toksmith.reference.model import Model, join


def encode_longest_first(
    word: Word, model: Model, visible: Collection[int] | None = None
) -> list[int]:
    """Encode one word: its longest token, then the longest in what is left on either side.

    Merges are not read.

    Args:
        word: one marked pretoken.
        model: its tokens are the vocabulary.
        visible: ids that may be used; None is all. Symbols of the alphabet always may.
    Raises:
        KeyError: a symbol of the word is not in the model's alphabet.
    Cost: O(m * n) look-ups per token of the result, m the longest token in bytes.

    >>> from toksmith.reference.model import model_from_merges
    >>> merges = [(98, 99, 256), (97, 98, 257), (256, 100, 258)]  # bc, ab, bcd
    >>> model = model_from_merges("space-prefix", merges)
    >>> encode_longest_first(Word(False, b"ababcd", False), model)
    [257, 97, 258]
    >>> encode_longest_first(Word(False, b"ababcd", False), model, visible={256, 257})
    [257, 257, 99, 100]
    """
    units = symbols(word, model.mode)
    token_ids = model.ids()
    max_length = max(len(token.bytes) for token in model.tokens)

    def span_id(start: int, end: int) -> int | None:
        """Id of the usable token that the units from `start` to `end` spell."""
        token = units[start] if end == start + 1 else join(units[start], units[end - 1])
        token = token._replace(bytes=word.bytes[start:end])
        token_id = token_ids.get(token)
        if end == start + 1 or visible is None or token_id in visible:
            return token_id
        return None

    def longest(start: int, end: int) -> tuple[int, int, int]:
        """First and last index and id of the leftmost longest token between two indices."""
        for length in range(min(end - start, max_length), 0, -1):
            for index in range(start, end - length + 1):
                token_id = span_id(index, index + length)
                if token_id is not None:
                    return index, index + length, token_id
        raise KeyError(units[start])

    # A stack instead of recursion: a word may be longer than any call stack. What is to be written
    # first lies on top; a gap is open (two indices), a token is done (one id).
    ids: list[int] = []
    stack: list[tuple[int, int] | int] = [(0, len(units))]
    while stack:
        item = stack.pop()
        if isinstance(item, int):
            ids.append(item)
        elif item[0] < item[1]:
            start, end, token_id = longest(*item)
            stack += [(end, item[1]), token_id, (item[0], start)]
    return ids
