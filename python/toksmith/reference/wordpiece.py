"""Train WordPiece by merging the pair of the best score, and encode as BERT does.

Sources: Schuster and Nakajima 2012 (likelihood); the course and lecture notes that divide a pair's
count by its parts' (pmi); Hugging Face `tokenizers` (frequency); Devlin et al. 2019 (encoding).
"""

from collections.abc import Mapping
from fractions import Fraction
from math import log, log1p
from typing import Literal, TypeAlias

from toksmith.reference.boundary import Word
from toksmith.reference.bpe import Merging, Pair, replace
from toksmith.reference.longest_prefix import encode_longest_prefix
from toksmith.reference.model import Model
from toksmith.reference.units import Units
from toksmith.reference.unknown import encode_with_unknown

Score: TypeAlias = Literal["pmi", "likelihood", "frequency"]


def train_wordpiece(
    counts: Mapping[Word, int],
    units: Units,
    vocab_size: int,
    score: Score = "pmi",
    *,
    min_score: float | None = None,
    min_pair_count: int = 2,
    max_token_bytes: int | None = None,
) -> Model:
    """Learn merges from counted words.

    Args:
        counts: word -> how often it stands in the corpus; in `continuation` without marks.
        units: what to start from.
        vocab_size: where to stop, special tokens not counted in.
        score: see `pair_scores`.
        min_score: stop when the best score, in double precision, is below it.
        min_pair_count: pairs counted less often are not merged.
        max_token_bytes: no token gets longer.
    Raises:
        ValueError: `vocab_size` is below the units.
    Cost: O(merges * corpus).

    >>> from toksmith.reference.units import character_units
    >>> counts = {Word(False, b"hugs", False): 5, Word(False, b"hug", False): 10}
    >>> units = character_units(counts, "continuation", byte_fallback=False)
    >>> model = train_wordpiece(counts, units, len(units.tokens) + 1)
    >>> model.tokens[-1]
    Word(lead=False, bytes=b'hu', trail=False)
    """
    training = Merging.start(counts, units, vocab_size)
    while len(training.tokens) < vocab_size:
        scores = pair_scores(training, score, min_pair_count, max_token_bytes)
        pair = best_pair(scores)
        if pair is None or (min_score is not None and float(scores[pair][0]) < min_score):
            break
        training.merge(*pair)
    return training.model()


def pair_scores(
    training: Merging,
    score: Score,
    min_pair_count: int = 2,
    max_token_bytes: int | None = None,
) -> dict[Pair, tuple[Fraction | float, int]]:
    """Score every pair: (score, count).

    With a, b the counts of the two tokens, n the pair's and N that of all tokens:

    - `pmi`: n / (a b), as an exact fraction.
    - `frequency`: n.
    - `likelihood`: what merging adds to the log likelihood of the corpus under a unigram model.
      With F(x) = x ln x, D(x, k) = F(x) - F(x - k) and k the number of merges that would be made
      it is F(k) + D(N, k) - D(a, k) - D(b, k), and F(k) + D(N, k) - D(a, 2k) for equal tokens.
    """
    token_counts = training.token_counts()
    total = token_counts.total()
    scores: dict[Pair, tuple[Fraction | float, int]] = {}
    for pair, count in training.pair_counts(min_pair_count, max_token_bytes).items():
        a, b = token_counts[pair[0]], token_counts[pair[1]]
        if score == "pmi":
            scores[pair] = (Fraction(count, a * b), count)
        elif score == "frequency":
            scores[pair] = (count, count)
        elif pair[0] != pair[1]:
            gain = _x_ln_x(count) + _fall(total, count) - _fall(a, count) - _fall(b, count)
            scores[pair] = (gain, count)
        else:
            k = sum(replace(ids, *pair, -1).count(-1) * n for ids, n in training.words)
            scores[pair] = (_x_ln_x(k) + _fall(total, k) - _fall(a, 2 * k), count)
    return scores


def _x_ln_x(x: int) -> float:
    return x * log(x) if x > 0 else 0.0


def _fall(x: int, k: int) -> float:
    """By how much x ln x falls when x falls by k, without subtracting large numbers."""
    return k * log(x) - (x - k) * log1p(-k / x) if k < x else _x_ln_x(x)


def best_pair(scores: Mapping[Pair, tuple[Fraction | float, int]]) -> Pair | None:
    """Return the pair of the highest score; ties: higher count, smaller left id, smaller right id.

    >>> best_pair({(2, 3): (Fraction(1, 4), 1), (1, 3): (Fraction(2, 8), 2)})
    (1, 3)
    """
    return min(scores, key=lambda pair: (-scores[pair][0], -scores[pair][1], pair), default=None)


def encode_wordpiece(
    word: Word, model: Model, unk_token: bytes = b"[UNK]", max_characters: int = 100
) -> list[int]:
    """Encode one word longest prefix first; the whole word is unknown if a part of it is.

    A word of more than `max_characters` characters is unknown too.

    >>> units = (Word(False, b"a", False), Word(True, b"b", False), Word(False, b"ab", False))
    >>> model = Model("continuation", units, special_tokens=(b"[UNK]",), num_units=2)
    >>> [encode_wordpiece(Word(False, text, False), model) for text in (b"abb", b"abc", b"a" * 101)]
    [[2, 1], [3], [3]]
    """
    return encode_with_unknown(
        word, model, encode_longest_prefix, unk_token, "word", max_characters=max_characters
    )
