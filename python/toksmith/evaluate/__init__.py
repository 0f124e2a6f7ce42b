"""What is measured, what is checked, and what may be concluded; `Results` is what is left behind.

The measures are in files of their own (`compression`, `vocabulary`, `words`, `timing`), the
contract in `fairness`, the conclusions in `verdict`. This room knows tokenizers by what they encode
and decode.
"""

from toksmith.evaluate.results import Results

__all__ = ["Results"]
