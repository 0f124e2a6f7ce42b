"""What a trained vocabulary is: tokens by id, and merges by rank."""

from collections.abc import Iterable
from dataclasses import dataclass

from toksmith.reference.boundary import Mode, Word


def alphabet(mode: Mode) -> list[Word]:
    """Return every symbol of a mode in id order: id = byte + 256 * lead + 512 * trail.

    >>> [len(alphabet(m)) for m in ("space-prefix", "implicit-single", "implicit-dual")]
    [256, 512, 1024]
    >>> alphabet("implicit-dual")[ord("#") + 256 + 512]
    Word(lead=True, bytes=b'#', trail=True)
    """
    leads = [False] if mode == "space-prefix" else [False, True]
    trails = [False, True] if mode == "implicit-dual" else [False]
    return [
        Word(lead, bytes([byte]), trail)
        for trail in trails
        for lead in leads
        for byte in range(256)
    ]


def join(left: Word, right: Word) -> Word:
    """Return the token that a merge of two tokens spells.

    >>> join(Word(False, b"ab", False), Word(True, b"c", True))
    Word(lead=False, bytes=b'abc', trail=True)
    """
    return Word(left.lead, left.bytes + right.bytes, right.trail)


@dataclass(frozen=True)
class Model:
    """A vocabulary with its merges.

    Attributes:
        mode: the boundary whose symbols are the alphabet.
        tokens: tokens by id, the alphabet first. No two are equal.
        merges: (left, right, new) ids by rank. `new` may be an id made before: two pairs can
            spell one token.
        special_tokens: their texts; ids follow on the last token's.
    """

    mode: Mode
    tokens: tuple[Word, ...]
    merges: tuple[tuple[int, int, int], ...] = ()
    special_tokens: tuple[bytes, ...] = ()

    def ids(self) -> dict[Word, int]:
        """Return the id of each token that is not special.

        >>> model_from_merges("space-prefix", [(97, 98, 256)]).ids()[Word(False, b"ab", False)]
        256
        """
        return {token: index for index, token in enumerate(self.tokens)}


def model_from_merges(
    mode: Mode, merges: Iterable[tuple[int, int, int]], special_tokens: Iterable[bytes] = ()
) -> Model:
    """Make a model from its merges alone: they say what every token is.

    Raises:
        ValueError: a merge's third id is not that of the token its first two spell.

    >>> model_from_merges("space-prefix", [(97, 98, 256)]).tokens[256]
    Word(lead=False, bytes=b'ab', trail=False)
    """
    tokens = alphabet(mode)
    rows = tuple(merges)
    for left, right, new in rows:
        token = join(tokens[left], tokens[right])
        if token not in tokens:
            tokens.append(token)
        if tokens.index(token) != new:
            raise ValueError(f"merge ({left}, {right}) makes {new}, not {tokens.index(token)}")
    return Model(mode, tuple(tokens), rows, tuple(special_tokens))
