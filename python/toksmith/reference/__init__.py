"""Plain-Python twins of the core's algorithms, for reading and for testing.

Each is written from its source and is short enough to be checked against it by eye; none is
fast. The core is tested to agree with them. Of what runs only the training trace uses them.
"""

from toksmith.reference.boundary import Word, mark, mark_pretokens, symbols, unmark
from toksmith.reference.bpe import train
from toksmith.reference.characters import train_characters
from toksmith.reference.decode import byte_spans, decode
from toksmith.reference.display import explain, form, form_in, parse_form
from toksmith.reference.dropout import encode_dropout
from toksmith.reference.fewest_tokens import encode_fewest_tokens
from toksmith.reference.longest_first import encode_longest_first
from toksmith.reference.longest_prefix import encode_longest_prefix
from toksmith.reference.longest_suffix import encode_longest_suffix
from toksmith.reference.merge_rank import encode_merge_rank
from toksmith.reference.model import Model, alphabet, model_from_merges
from toksmith.reference.normalize import normalize
from toksmith.reference.post import kept_lengths, pad, read_template, rows_of, windows
from toksmith.reference.pretokenize import pretokenize, pretokenize_custom
from toksmith.reference.sampling import encode_distinct_samples, encode_sample
from toksmith.reference.scaffold_bpe import encode_scaffold_bpe, train_scaffold_bpe
from toksmith.reference.splitmix import SplitMix
from toksmith.reference.tokenizer import encode, split_special
from toksmith.reference.unigram import train_unigram
from toksmith.reference.units import Units, byte_units, character_units, covered_characters
from toksmith.reference.unknown import encode_with_unknown
from toksmith.reference.viterbi import encode_n_best, encode_viterbi
from toksmith.reference.wordpiece import encode_wordpiece, train_wordpiece
from toksmith.reference.words import encode_whole_word, train_words

__all__ = [
    "Model",
    "SplitMix",
    "Units",
    "Word",
    "alphabet",
    "byte_spans",
    "byte_units",
    "character_units",
    "covered_characters",
    "decode",
    "encode",
    "encode_distinct_samples",
    "encode_dropout",
    "encode_fewest_tokens",
    "encode_longest_first",
    "encode_longest_prefix",
    "encode_longest_suffix",
    "encode_merge_rank",
    "encode_n_best",
    "encode_sample",
    "encode_scaffold_bpe",
    "encode_viterbi",
    "encode_whole_word",
    "encode_with_unknown",
    "encode_wordpiece",
    "explain",
    "form",
    "form_in",
    "kept_lengths",
    "mark",
    "mark_pretokens",
    "model_from_merges",
    "normalize",
    "pad",
    "parse_form",
    "pretokenize",
    "pretokenize_custom",
    "read_template",
    "rows_of",
    "split_special",
    "symbols",
    "train",
    "train_characters",
    "train_scaffold_bpe",
    "train_unigram",
    "train_wordpiece",
    "train_words",
    "unmark",
    "windows",
]
