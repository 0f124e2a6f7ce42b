"""Choose the units that a vocabulary starts from: all bytes, or the characters of a corpus.

Source: SentencePiece (Kudo and Richardson 2018) for coverage and byte fallback; its documentation
leaves open how forms with marks are counted and numbered, and the rules taken are below.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from toksmith.reference.boundary import Mode, Word, spread, symbols
from toksmith.reference.model import alphabet, forms
from toksmith.reference.pretokenize import to_bytes, to_characters


@dataclass(frozen=True)
class Units:
    """Units in id order, and which characters may stand in longer tokens.

    Attributes:
        mode: the boundary.
        tokens: the units.
        covered: characters that are units; None if bytes are.
    """

    mode: Mode
    tokens: tuple[Word, ...]
    covered: frozenset[str] | None = None

    def runs(self, word: Word) -> list[list[Word]]:
        """Spell a word in units for training, cut where a character is not covered.

        What is not covered is in no run: no token grows across it or into it.

        >>> units = Units("space-prefix", tuple(alphabet("space-prefix")), frozenset("ab"))
        >>> [len(run) for run in units.runs(Word(False, b"ab.b", False))]
        [2, 1]
        """
        if self.covered is None:
            return [symbols(word, self.mode)]
        characters = to_characters(word.bytes)
        runs: list[list[Word]] = [[]]
        for character, unit in zip(
            characters, spread(word, [to_bytes(c) for c in characters], self.mode), strict=True
        ):
            if character in self.covered:
                runs[-1].append(unit)
            else:
                runs.append([])
        return [run for run in runs if run]


def byte_units(mode: Mode, order: Sequence[Word] | None = None) -> Units:
    """Take all bytes, in every form of the mode.

    >>> len(byte_units("implicit-dual").tokens)
    1024
    """
    return Units(mode, tuple(alphabet(mode) if order is None else order))


def covered_characters(
    counts: Mapping[Word, int],
    character_coverage: float = 1.0,
    limit_alphabet: int | None = None,
    required_chars: Iterable[str] = (),
) -> frozenset[str]:
    """Choose the characters of a corpus that become units.

    They are taken by falling count, ties by code point, while those taken make up less than
    `character_coverage` of all characters of the corpus and are fewer than `limit_alphabet`.
    Required ones come on top. A byte of no well-formed character is not counted and never taken.

    >>> counts = {Word(False, b"aabbc", False): 1}
    >>> sorted(covered_characters(counts, 0.8)), sorted(covered_characters(counts, 1.0, 1, "z"))
    (['a', 'b'], ['a', 'z'])
    """
    character_counts: Counter[str] = Counter()
    for word, count in counts.items():
        for character in to_characters(word.bytes):
            if not "\ud800" <= character <= "\udfff":
                character_counts[character] += count
    enough = character_coverage * character_counts.total()
    taken: set[str] = set()
    num_covered = 0
    for character in sorted(character_counts, key=lambda c: (-character_counts[c], c)):
        if num_covered >= enough or (limit_alphabet is not None and len(taken) >= limit_alphabet):
            break
        taken.add(character)
        num_covered += character_counts[character]
    return frozenset(taken.union(required_chars))


def character_units(
    counts: Mapping[Word, int],
    mode: Mode,
    *,
    character_coverage: float = 1.0,
    limit_alphabet: int | None = None,
    required_chars: Iterable[str] = (),
    byte_fallback: bool = True,
) -> Units:
    """Take the covered characters of a corpus, in each form in which they stand in it.

    With byte fallback all bytes come first, and an ASCII character is its byte; without it there
    are only the characters. They are ordered as bytes are: by trail, lead, code point. A required
    character has all forms of the mode.

    >>> counts = {Word(False, "né".encode(), False): 1}
    >>> units = character_units(counts, "continuation", byte_fallback=False)
    >>> [(unit.lead, unit.bytes.decode()) for unit in units.tokens]
    [(False, 'n'), (True, 'é')]
    >>> len(character_units(counts, "continuation").tokens)
    513
    """
    required = set(required_chars)
    covered = covered_characters(counts, character_coverage, limit_alphabet, required)
    seen = {unit for word in counts for run in Units(mode, (), covered).runs(word) for unit in run}
    seen.update(forms((character.encode() for character in required), mode))
    in_order = sorted(seen, key=lambda unit: (unit.trail, unit.lead, unit.bytes))
    if not byte_fallback:
        return Units(mode, tuple(in_order), covered)
    characters = [unit for unit in in_order if len(unit.bytes) > 1]
    return Units(mode, (*alphabet(mode), *characters), covered)
