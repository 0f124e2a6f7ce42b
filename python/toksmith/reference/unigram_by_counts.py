"""The unigram model of courses: probabilities from counts, a loss, and the cheapest piece to drop.

It shows the idea without EM: a piece's probability is its share of the occurrences of all pieces
as substrings, and the loss of a corpus that of the best segmentation of each word.

Sources: the Hugging Face course, chapter 6.7; lecture notes that follow it.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from math import log

from toksmith.reference.boundary import Word
from toksmith.reference.unigram import Runs, Scores, numbered, run_lattice, spelled
from toksmith.reference.viterbi import best_path


def substring_counts(runs: Runs, pieces: Collection[Word]) -> dict[Word, int]:
    """Count where pieces stand in the words, overlapping ones too.

    >>> a, aa = Word(False, b"a", False), Word(False, b"aa", False)
    >>> list(substring_counts({(a, a, a): 5}, [a, aa]).values())
    [15, 10]
    """
    counts = dict.fromkeys(pieces, 0)
    for run, count in runs.items():
        for start in range(len(run)):
            for end in range(start + 1, len(run) + 1):
                piece = spelled(run[start:end])
                if piece in counts:
                    counts[piece] += count
    return counts


def log_shares(counts: Mapping[Word, int]) -> Scores:
    """Return the log of each piece's share of all counts; pieces never counted are left out.

    >>> log_shares({Word(False, b"a", False): 7})
    {Word(lead=False, bytes=b'a', trail=False): 0.0}
    """
    total = sum(counts.values())
    return {piece: log(count / total) for piece, count in counts.items() if count > 0}


def corpus_loss(runs: Runs, scores: Scores) -> tuple[float, Counter[Word]]:
    """Return the loss of the corpus, and how often its best segmentations use each piece.

    The loss is the sum over all words of minus the score of the best segmentation, in nats.

    >>> a = Word(False, b"a", False)
    >>> corpus_loss({(a, a): 3}, {a: -0.5})
    (3.0, Counter({Word(lead=False, bytes=b'a', trail=False): 6}))
    """
    pieces = numbered(scores)
    names = list(scores)
    loss = 0.0
    used: Counter[Word] = Counter()
    for run, count in runs.items():
        score, tokens = best_path(run_lattice(run, pieces))
        loss -= count * score
        for number in tokens:
            used[names[number]] += count
    return loss, used


def removal_costs(runs: Runs, counts: Mapping[Word, int], *, reestimate: bool) -> dict[Word, float]:
    """Return how much the loss grows without each piece of more than one unit.

    Args:
        runs: words in units, with their counts.
        counts: what `substring_counts` gives for the pieces.
        reestimate: whether the other pieces' shares then sum to 1 again, or keep their values.

    >>> a, aa = Word(False, b"a", False), Word(False, b"aa", False)
    >>> costs = removal_costs({(a, a): 1}, {a: 2, aa: 4}, reestimate=False)
    >>> round(costs[aa], 6) == round(log(6), 6)
    True
    """
    units = {unit for run in runs for unit in run}
    scores = log_shares(counts)
    loss, _ = corpus_loss(runs, scores)
    costs: dict[Word, float] = {}
    for piece in counts:
        if piece in units:
            continue
        left = {other: count for other, count in counts.items() if other != piece}
        without = (
            log_shares(left) if reestimate else {p: s for p, s in scores.items() if p != piece}
        )
        costs[piece] = corpus_loss(runs, without)[0] - loss
    return costs
