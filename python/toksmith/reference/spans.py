"""The spans of a word that are tokens: what every encoder but merging chooses from."""

from collections.abc import Collection

from toksmith.reference.boundary import Word
from toksmith.reference.model import Model, join


def token_spans(
    word: Word, model: Model, visible: Collection[int] | None = None
) -> dict[tuple[int, int], int]:
    """Map (start, end) to the id of the token that these units spell, where there is one.

    Args:
        word: one marked pretoken.
        model: its tokens are the vocabulary; merges are not read.
        visible: ids that may be used; None is all that the model does not hide. Units always may.
    Cost: O(m * n) look-ups, m the longest token in bytes.

    >>> from toksmith.reference.model import model_from_merges
    >>> model = model_from_merges("space-prefix", [(97, 98, 256)])  # ab
    >>> token_spans(Word(False, b"cab", False), model)
    {(0, 1): 99, (1, 2): 97, (1, 3): 256, (2, 3): 98}
    """
    units = model.spell(word)
    token_ids = model.ids()
    visible = model.visible if visible is None else visible
    max_length = max(len(token.bytes) for token in model.tokens)
    spans = {}
    for start in range(len(units)):
        if units[start] in token_ids:
            spans[start, start + 1] = token_ids[units[start]]
        for end in range(start + 2, min(start + max_length, len(units)) + 1):
            text = b"".join(unit.bytes for unit in units[start:end])
            token_id = token_ids.get(join(units[start], units[end - 1])._replace(bytes=text))
            if token_id is not None and token_id in visible:
                spans[start, end] = token_id
    return spans
