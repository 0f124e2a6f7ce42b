"""Training step by step, on small inputs: what a lecture shows on the blackboard.

`trace` runs the plain-Python twins, which can be read beside it; what it prints is what they did.
"""

from toksmith.tracing.settings import TraceSettings, known_trainers
from toksmith.tracing.steps import Candidate, MergeStep, PieceRow, ScaffoldStep, Step, UnigramStep
from toksmith.tracing.trace import Trace, trace

__all__ = [
    "Candidate",
    "MergeStep",
    "PieceRow",
    "ScaffoldStep",
    "Step",
    "Trace",
    "TraceSettings",
    "UnigramStep",
    "known_trainers",
    "trace",
]
