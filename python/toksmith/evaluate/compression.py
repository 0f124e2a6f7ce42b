"""Compression: tokens, bytes per token, gains, and how far they can be trusted.

The unit of evidence is the document. Tokens of one document are not independent of each other, so
intervals come from resampling documents, the same ones for both sides (a *paired* bootstrap): what
makes a document hard for one tokenizer makes it hard for the other, and cancels.
"""

from __future__ import annotations

import typing
from collections.abc import Sequence

from toksmith.errors import ComparisonError
from toksmith.evaluate.results import Compression, Gain, Interval

if typing.TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CONFIDENCE_PERCENT = 95.0
MIN_RESAMPLES = 1_000
#: A bootstrap over fewer documents than this is no evidence, and no interval is given.
MIN_DOCUMENTS_FOR_INTERVAL = 5

# Resamples are drawn in slices of about this many numbers, which bounds the memory.
_SLICE_CELLS = 4_000_000


def bytes_per_token(num_bytes: int, num_tokens: int) -> float:
    """Bytes of source text for each token; more is better.

    Raises:
        ComparisonError: there are no tokens, so the figure does not exist.

    >>> bytes_per_token(12, 4)
    3.0
    """
    if num_tokens == 0:
        raise ComparisonError("the test text has no tokens, so bytes per token do not exist")
    return num_bytes / num_tokens


def tokens_gain_percent(baseline_tokens: int, candidate_tokens: int) -> float:
    """Change of the number of tokens against the baseline; negative is fewer, which is better.

    >>> round(tokens_gain_percent(336_736, 306_575), 2)
    -8.96
    """
    return 100.0 * (candidate_tokens - baseline_tokens) / baseline_tokens


def bytes_per_token_gain_percent(baseline_tokens: int, candidate_tokens: int) -> float:
    """Change of bytes per token on the same text; positive is better.

    The bytes are the same on both sides and cancel.

    >>> round(bytes_per_token_gain_percent(336_736, 306_575), 2)
    9.84
    """
    return 100.0 * (baseline_tokens - candidate_tokens) / candidate_tokens


def bootstrap_token_ratios(
    baseline: Sequence[int] | NDArray[np.int64],
    candidate: Sequence[int] | NDArray[np.int64],
    *,
    seed: int = 0,
    num_resamples: int = 2_000,
) -> NDArray[np.float64]:
    """Resampled ratios of total tokens, candidate over baseline.

    Documents are drawn with replacement, as many as there are, the same for both sides. Documents
    with equal pairs of counts are interchangeable, so the draw is one multinomial over the
    distinct pairs in sorted order: the result does not depend on the order of documents.

    Args:
        baseline: tokens per document, shape (n,).
        candidate: the same documents in the same order, shape (n,).
        seed: the same seed gives the same ratios.
        num_resamples: how many resamples, at least one.
    Returns:
        Shape (num_resamples,). A resample without any token has the ratio 1.
    Raises:
        ComparisonError: no documents, or lists of different length.
    Cost: O(num_resamples * distinct pairs) time, bounded memory.
    Source: Efron 1979; for text evaluation Koehn 2004, Statistical significance tests.

    >>> bootstrap_token_ratios([10, 20], [5, 10], num_resamples=3).tolist()
    [0.5, 0.5, 0.5]
    """
    import numpy as np

    pairs = np.stack([np.asarray(baseline, np.int64), np.asarray(candidate, np.int64)], axis=1)
    if len(pairs) == 0:
        raise ComparisonError("a bootstrap over documents needs at least one document")
    distinct, multiplicity = np.unique(pairs, axis=0, return_counts=True)
    probabilities = multiplicity / len(pairs)
    generator = np.random.default_rng(seed)
    ratios = np.ones(num_resamples, np.float64)
    step = max(1, _SLICE_CELLS // len(distinct))
    for start in range(0, num_resamples, step):
        stop = min(start + step, num_resamples)
        draws = generator.multinomial(len(pairs), probabilities, size=stop - start)
        totals = draws @ distinct
        # Ratio 1 where a resample has no tokens: nothing was seen, nothing gained.
        some = (totals > 0).all(axis=1)
        np.divide(totals[:, 1], totals[:, 0], out=ratios[start:stop], where=some)
    return ratios


def percentile_interval(
    values: NDArray[np.float64], confidence_percent: float = CONFIDENCE_PERCENT
) -> Interval:
    """The central interval that holds `confidence_percent` of the values (linear between ranks).

    >>> import numpy as np
    >>> percentile_interval(np.arange(101.0), 90.0)
    Interval(low=5.0, high=95.0)
    """
    import numpy as np

    tail = (100.0 - confidence_percent) / 2.0
    low, high = np.percentile(values, [tail, 100.0 - tail])
    return Interval(float(low), float(high))


def wilcoxon_p_value(
    baseline: Sequence[int] | NDArray[np.int64], candidate: Sequence[int] | NDArray[np.int64]
) -> tuple[float | None, str | None]:
    """Paired Wilcoxon signed-rank test over documents, two-sided.

    Tested is each document's relative change of tokens, so a long document weighs as much as a
    short one; the bootstrap of the totals is the opposite view. Documents without a change
    are dropped (Wilcoxon's own rule); ties share their mean rank.

    Returns:
        (p, None), or (None, why not): scipy comes with the extra `evaluate`.
    """
    import numpy as np

    base = np.asarray(baseline, np.float64)
    cand = np.asarray(candidate, np.float64)
    some = base > 0
    change = cand[some] / base[some] - 1.0
    change = change[change != 0.0]
    if len(change) == 0:
        return 1.0, None
    try:
        from scipy.stats import wilcoxon
    except ImportError:
        return None, "needs scipy: pip install 'toksmith[evaluate]'"
    return float(wilcoxon(change).pvalue), None


def measure_compression(
    tokens_by_document: Sequence[int], num_bytes: int, num_pretokens: int
) -> Compression:
    """The figures of one tokenizer by itself.

    Args:
        tokens_by_document: ids per test document, special tokens left out.
        num_bytes: bytes of the source text.
        num_pretokens: pretokens of the same text, the lower bound for its pretokenizer.

    >>> measure_compression([4, 6], 30, 8).tokens_above_pretokens_percent
    25.0
    """
    num_tokens = sum(tokens_by_document)
    return Compression(
        num_bytes=num_bytes,
        num_tokens=num_tokens,
        bytes_per_token=bytes_per_token(num_bytes, num_tokens),
        num_pretokens=num_pretokens,
        tokens_above_pretokens_percent=(
            100.0 * (num_tokens - num_pretokens) / num_pretokens if num_pretokens else 0.0
        ),
        num_tokens_by_document=tuple(tokens_by_document),
    )


def measure_gain(
    baseline_name: str,
    baseline: Sequence[int],
    candidate: Sequence[int],
    *,
    seed: int,
    num_resamples: int,
) -> Gain:
    """The gain of a candidate over the baseline, with its interval.

    Args:
        baseline: tokens per test document.
        candidate: the same documents in the same order.
    Returns:
        A gain whose intervals are None below `MIN_DOCUMENTS_FOR_INTERVAL` documents.

    >>> gain = measure_gain("bpe", [10] * 6, [10] * 6, seed=0, num_resamples=1000)
    >>> gain.bytes_per_token_percent_interval
    Interval(low=0.0, high=0.0)
    """
    import numpy as np

    base = np.asarray(baseline, np.int64)
    cand = np.asarray(candidate, np.int64)
    tokens_interval = bytes_interval = None
    if len(base) >= MIN_DOCUMENTS_FOR_INTERVAL:
        ratios = bootstrap_token_ratios(base, cand, seed=seed, num_resamples=num_resamples)
        tokens_interval = percentile_interval(100.0 * (ratios - 1.0))
        bytes_interval = percentile_interval(100.0 * (1.0 / ratios - 1.0))
    p_value, note = wilcoxon_p_value(base, cand)
    return Gain(
        against=baseline_name,
        tokens_percent=tokens_gain_percent(int(base.sum()), int(cand.sum())),
        tokens_percent_interval=tokens_interval,
        bytes_per_token_percent=bytes_per_token_gain_percent(int(base.sum()), int(cand.sum())),
        bytes_per_token_percent_interval=bytes_interval,
        wilcoxon_p_value=p_value,
        wilcoxon_note=note,
        num_documents_fewer_tokens=int((cand < base).sum()),
        num_documents_equal_tokens=int((cand == base).sum()),
        num_documents_more_tokens=int((cand > base).sum()),
    )
