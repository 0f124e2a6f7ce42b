"""Plain-Python twins of the core's algorithms, for reading and for testing.

Each is written from its source and is short enough to be checked against it by eye; none is
fast. The core is tested to agree with them. Nothing here is used when toksmith runs.
"""

from toksmith.reference.boundary import Word, mark, mark_pretokens, symbols, unmark
from toksmith.reference.bpe import train
from toksmith.reference.decode import byte_spans, decode
from toksmith.reference.display import explain, form, parse_form
from toksmith.reference.fewest_tokens import encode_fewest_tokens
from toksmith.reference.longest_first import encode_longest_first
from toksmith.reference.longest_prefix import encode_longest_prefix
from toksmith.reference.longest_suffix import encode_longest_suffix
from toksmith.reference.merge_rank import encode_merge_rank
from toksmith.reference.model import Model, alphabet, model_from_merges
from toksmith.reference.normalize import normalize
from toksmith.reference.pretokenize import pretokenize, pretokenize_custom
from toksmith.reference.tokenizer import encode, split_special

__all__ = [
    "Model",
    "Word",
    "alphabet",
    "byte_spans",
    "decode",
    "encode",
    "encode_fewest_tokens",
    "encode_longest_first",
    "encode_longest_prefix",
    "encode_longest_suffix",
    "encode_merge_rank",
    "explain",
    "form",
    "mark",
    "mark_pretokens",
    "model_from_merges",
    "normalize",
    "parse_form",
    "pretokenize",
    "pretokenize_custom",
    "split_special",
    "symbols",
    "train",
    "unmark",
]
