"""What a trained vocabulary is: tokens by id, merges by rank, and scores."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from toksmith.reference.boundary import MARKED, Mode, Word, spread
from toksmith.reference.pretokenize import to_bytes, to_characters


def alphabet(mode: Mode) -> list[Word]:
    """Return every symbol of a mode in id order: id = byte + 256 * lead + 512 * trail.

    >>> [len(alphabet(m)) for m in ("space-prefix", "implicit-single", "implicit-dual")]
    [256, 512, 1024]
    >>> alphabet("implicit-dual")[ord("#") + 256 + 512]
    Word(lead=True, bytes=b'#', trail=True)
    """
    return forms([bytes([byte]) for byte in range(256)], mode)


def forms(texts: Iterable[bytes], mode: Mode) -> list[Word]:
    """Return all forms of some texts: without marks, then with lead, then with trail.

    >>> [tuple(form) for form in forms([b"a", b"b"], "continuation")]
    [(False, b'a', False), (False, b'b', False), (True, b'a', False), (True, b'b', False)]
    """
    texts = list(texts)
    leads = [False, True] if mode in MARKED else [False]
    trails = [False, True] if mode == "implicit-dual" else [False]
    return [Word(lead, text, trail) for trail in trails for lead in leads for text in texts]


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
        tokens: tokens by id: units first, then the other visible ones, hidden ones last. No two
            are equal.
        merges: (left, right, new) places in `tokens`, by rank. `new` may be one made before: two
            pairs can spell one token.
        special_tokens: their texts; ids follow on the last visible token's.
        num_units: how many tokens are units, which any word is spelled with; None is all bytes.
        num_visible: how many tokens an encoder may give out; None is all. The others, the
            scaffolds of Scaffold-BPE, have no id.
        scores: log probabilities by id, of Unigram; else empty.
    """

    mode: Mode
    tokens: tuple[Word, ...]
    merges: tuple[tuple[int, int, int], ...] = ()
    special_tokens: tuple[bytes, ...] = ()
    num_units: int | None = None
    num_visible: int | None = None
    scores: tuple[float, ...] = ()

    @cached_property
    def _ids(self) -> dict[Word, int]:
        return {token: index for index, token in enumerate(self.tokens)}

    @cached_property
    def units(self) -> frozenset[Word]:
        """The tokens that any word is spelled with."""
        number = len(alphabet(self.mode)) if self.num_units is None else self.num_units
        return frozenset(self.tokens[:number])

    @cached_property
    def visible(self) -> range:
        """The ids that an encoder may give out, special tokens not among them."""
        return range(len(self.tokens) if self.num_visible is None else self.num_visible)

    def ids(self) -> dict[Word, int]:
        """Return the id of each token that is not special, and the place of each hidden one.

        >>> model_from_merges("space-prefix", [(97, 98, 256)]).ids()[Word(False, b"ab", False)]
        256
        """
        return self._ids

    def special_id(self, text: bytes) -> int:
        """Return the id of a special token.

        >>> model_from_merges("space-prefix", [], [b"<eot>"]).special_id(b"<eot>")
        256
        """
        return len(self.visible) + self.special_tokens.index(text)

    def spell(self, word: Word) -> list[Word]:
        """Spell a word in units: whole characters where they are units, else bytes.

        A byte that is no unit either is among them all the same; `encode_with_unknown` looks for
        that.

        >>> units = (*alphabet("space-prefix"), Word(False, "é".encode(), False))
        >>> model = Model("space-prefix", units, num_units=257)
        >>> [unit.bytes for unit in model.spell(Word(False, "éñ".encode(), False))]
        [b'\xc3\xa9', b'\xc3', b'\xb1']
        """
        characters = [to_bytes(character) for character in to_characters(word.bytes)]
        spelled: list[Word] = []
        for unit in spread(word, characters, self.mode):
            if unit in self.units:
                spelled.append(unit)
            else:
                spelled += spread(unit, [bytes([byte]) for byte in unit.bytes], self.mode)
        return spelled


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
