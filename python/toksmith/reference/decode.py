"""Turn ids back into bytes, and say which bytes each id stands for.

Source: the post "Improving BPE" (ISBPE) for the implicit modes.
"""

from collections.abc import Sequence

from toksmith.reference.boundary import Whitespace, implies_space
from toksmith.reference.model import Model


def decode(
    ids: Sequence[int],
    model: Model,
    after: int | None = None,
    whitespace: Whitespace = "split",
) -> bytes:
    """Decode any sequence of ids.

    In the implicit modes a space is written between two neighbours unless one of them says
    otherwise; never before the first id. In `metaspace` a space at the start of the first token
    that is not special is the one that was put there, and is taken away, unless something stands
    before (`after`). Special tokens stand for their text and allow no space on either side.

    Args:
        ids: ids of tokens or special tokens.
        model: the vocabulary.
        after: the id that stands before `ids` in a longer sequence; its bytes are not written,
            but the space between it and the first id is.
        whitespace: the rule that the text was marked with.
    Raises:
        ValueError: an id is not in the vocabulary.

    >>> from toksmith.reference.model import model_from_merges
    >>> model = model_from_merges("implicit-dual", [])
    >>> decode([97, 98, 302], model)
    b'a b.'
    >>> decode([98], model, after=97)
    b' b'
    """
    return b"".join(space + text for space, text in _parts(ids, model, after, whitespace))


def byte_spans(ids: Sequence[int], model: Model) -> list[tuple[int, int]]:
    """Return where each id's own bytes lie in `decode(ids, model)`, as (start, end).

    An implied space belongs to no id: it is the gap of one byte between two spans.

    >>> from toksmith.reference.model import model_from_merges
    >>> byte_spans([97, 98, 302], model_from_merges("implicit-dual", []))
    [(0, 1), (2, 3), (3, 4)]
    """
    spans: list[tuple[int, int]] = []
    position = 0
    for space, text in _parts(ids, model, None, "split"):
        start = position + len(space)
        position = start + len(text)
        spans.append((start, position))
    return spans


def _parts(
    ids: Sequence[int], model: Model, before: int | None, whitespace: Whitespace
) -> list[tuple[bytes, bytes]]:
    """Per id, the space written before it (or nothing) and its own bytes."""
    num_tokens = len(model.visible)
    vocab_size = num_tokens + len(model.special_tokens)
    for token_id in [*ids, *([] if before is None else [before])]:
        if not 0 <= token_id < vocab_size:
            raise ValueError(f"id is {token_id}, but the vocabulary has {vocab_size}")
    parts: list[tuple[bytes, bytes]] = []
    takes_space = model.mode == "metaspace" and before is None
    for token_id in ids:
        if token_id >= num_tokens:
            parts.append((b"", model.special_tokens[token_id - num_tokens]))
        else:
            token = model.tokens[token_id]
            text = token.bytes
            spaced = False
            if before is not None and before < num_tokens:
                spaced = implies_space(model.tokens[before], token, model.mode, whitespace)
            if takes_space:
                text = text.removeprefix(b" ")
                takes_space = False
            parts.append((b" " if spaced else b"", text))
        before = token_id
    return parts
