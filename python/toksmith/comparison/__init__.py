"""The main job, composed: corpora read, recipes trained, all measured, and a verdict given.

The room above all others but the command line: it alone knows how to train, how to measure
(`evaluate`) and how results are shown (`report`).
"""

from toksmith.comparison.compare import compare, evaluate_tokenizers
from toksmith.comparison.comparison import Comparison

__all__ = ["Comparison", "compare", "evaluate_tokenizers"]
