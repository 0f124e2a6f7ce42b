"""Choose the units that a vocabulary starts from: all bytes, the characters of a corpus, or none.

Source: SentencePiece (Kudo and Richardson 2018) for coverage and byte fallback; its documentation
leaves open how forms with marks are counted and numbered, and the rules taken are below.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from toksmith.reference.boundary import Mode, Word, spread, symbols
from toksmith.reference.model import alphabet, forms
from toksmith.reference.pretokenize import to_bytes, to_characters


@dataclass(frozen=True)
class Units:
    """Units in id order.

    Attributes:
        mode: the boundary.
        tokens: the units.
        are_bytes: whether they are the bytes alone.
    """

    mode: Mode
    tokens: tuple[Word, ...]
    are_bytes: bool = False

    @cached_property
    def _known(self) -> frozenset[Word]:
        return frozenset(self.tokens)

    def runs(self, word: Word) -> list[list[Word]]:
        """Spell a word in units for training, cut at characters that are no units.

        What is no unit is in no run: no token grows across it, nor into its bytes.

        >>> units = Units("space-prefix", (Word(False, b"a", False), Word(False, b"b", False)))
        >>> [len(run) for run in units.runs(Word(False, b"ab.b", False))]
        [2, 1]
        """
        if self.are_bytes:
            return [symbols(word, self.mode)]
        characters = [to_bytes(character) for character in to_characters(word.bytes)]
        runs: list[list[Word]] = [[]]
        for unit in spread(word, characters, self.mode):
            if unit in self._known:
                runs[-1].append(unit)
            else:
                runs.append([])
        return [run for run in runs if run]


def byte_units(mode: Mode, order: Sequence[Word] | None = None) -> Units:
    """Take all bytes, in every form of the mode.

    >>> len(byte_units("implicit-dual").tokens)
    1024
    """
    return Units(mode, tuple(alphabet(mode) if order is None else order), are_bytes=True)


def covered_characters(
    counts: Mapping[Word, int], character_coverage: float = 1.0, limit_alphabet: int | None = None
) -> list[str]:
    """Choose the characters of a corpus that become units, the most frequent first.

    They are taken by falling count, ties by code point, while those taken make up less than
    `character_coverage` of all characters of the corpus and are fewer than `limit_alphabet`. A
    byte of no well-formed character is not counted and never taken.

    >>> counts = {Word(False, b"aabbc", False): 1}
    >>> covered_characters(counts, 0.8), covered_characters(counts, 1.0, 1)
    (['a', 'b'], ['a'])
    """
    character_counts: Counter[str] = Counter()
    for word, count in counts.items():
        for character in to_characters(word.bytes):
            if not "\ud800" <= character <= "\udfff":
                character_counts[character] += count
    enough = character_coverage * character_counts.total()
    taken: list[str] = []
    num_covered = 0
    for character in sorted(character_counts, key=lambda c: (-character_counts[c], c)):
        if num_covered >= enough or (limit_alphabet is not None and len(taken) >= limit_alphabet):
            break
        taken.append(character)
        num_covered += character_counts[character]
    return taken


def character_units(
    counts: Mapping[Word, int],
    mode: Mode,
    *,
    character_coverage: float = 1.0,
    limit_alphabet: int | None = None,
    required_characters: Iterable[str] = (),
    byte_fallback: bool = True,
    max_units: int | None = None,
) -> Units:
    """Take the covered characters of a corpus, in each form in which they stand in it.

    With byte fallback all bytes come first, and an ASCII character is its byte; without it there
    are only the characters. They are ordered as bytes are: by trail, lead, code point.

    Args:
        counts: marked word -> how often it stands in the corpus.
        mode: the boundary.
        character_coverage: see `covered_characters`.
        limit_alphabet: see `covered_characters`; required ones are not counted.
        required_characters: units in any case, in all forms of the mode.
        byte_fallback: whether the bytes are units too.
        max_units: no more are taken when the next character, in all its forms, has no room.

    >>> counts = {Word(False, "né".encode(), False): 1}
    >>> units = character_units(counts, "continuation", byte_fallback=False)
    >>> [(unit.lead, unit.bytes.decode()) for unit in units.tokens]
    [(False, 'n'), (True, 'é')]
    >>> len(character_units(counts, "continuation").tokens)
    513
    """
    seen: dict[str, set[Word]] = {}
    for word in counts:
        characters = to_characters(word.bytes)
        pieces = spread(word, [to_bytes(character) for character in characters], mode)
        for character, piece in zip(characters, pieces, strict=True):
            seen.setdefault(character, set()).add(piece)
    bytes_first = alphabet(mode) if byte_fallback else []
    units = set(forms((character.encode() for character in required_characters), mode))
    units.difference_update(bytes_first)
    for character in covered_characters(counts, character_coverage, limit_alphabet):
        new = seen[character].difference(bytes_first)
        if max_units is not None and len(bytes_first) + len(units | new) > max_units and new:
            break
        units |= new
    in_order = sorted(units, key=lambda unit: (unit.trail, unit.lead, unit.bytes))
    return Units(mode, (*bytes_first, *in_order))
