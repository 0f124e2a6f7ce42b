"""Fair comparisons: what is measured, what is checked, and what may be concluded.

`compare` trains and judges; `evaluate` measures ready tokenizers; `Results` is what both leave
behind. The measures are in files of their own (`compression`, `vocabulary`, `words`, `timing`), the
contract in `fairness`, the conclusions in `verdict`. This room knows tokenizers by what they encode
and decode.
"""

from toksmith.evaluate.compare import compare, evaluate
from toksmith.evaluate.comparison import Comparison
from toksmith.evaluate.results import Results

__all__ = ["Comparison", "Results", "compare", "evaluate"]
