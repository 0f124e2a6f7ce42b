"""Train, run and fairly compare subword tokenizers.

>>> import toksmith as ts
>>> tok = ts.BPE().train("low low lower lowest", vocab_size=258)
>>> tok.encode("low lower")
[257, 32, 257, 101, 114]
>>> tok.decode(tok.encode("low lower"))
'low lower'

Everything here loads on first use, so that importing the package costs next to nothing.
"""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from toksmith import corpus as corpus
    from toksmith import errors as errors
    from toksmith._core import DecodeStream as DecodeStream
    from toksmith._core import Dropout as Dropout
    from toksmith._core import Encoding as Encoding
    from toksmith._core import Explanation as Explanation
    from toksmith._core import Prepared as Prepared
    from toksmith._core import Temperature as Temperature
    from toksmith._core import Token as Token
    from toksmith._core import Tokenizer as Tokenizer
    from toksmith._core import WordCounts as WordCounts
    from toksmith._core import __version__ as __version__
    from toksmith.comparison import Comparison as Comparison
    from toksmith.comparison import compare as compare
    from toksmith.comparison import evaluate_tokenizers as evaluate_tokenizers
    from toksmith.corpus import Corpus as Corpus
    from toksmith.corpus import Document as Document
    from toksmith.errors import ComparisonError as ComparisonError
    from toksmith.errors import CorpusError as CorpusError
    from toksmith.errors import DecodeError as DecodeError
    from toksmith.errors import EncodeError as EncodeError
    from toksmith.errors import FormatError as FormatError
    from toksmith.errors import SettingsError as SettingsError
    from toksmith.errors import ToksmithError as ToksmithError
    from toksmith.errors import TrainingError as TrainingError
    from toksmith.errors import UnknownTokenIdError as UnknownTokenIdError
    from toksmith.evaluate import Results as Results
    from toksmith.loading import load as load
    from toksmith.recipes import Recipe as Recipe
    from toksmith.recipes import known_recipes as known_recipes
    from toksmith.tracing import Trace as Trace
    from toksmith.tracing import trace as trace
    from toksmith.trainers import BPE as BPE
    from toksmith.trainers import ISBPE as ISBPE
    from toksmith.trainers import Characters as Characters
    from toksmith.trainers import ScaffoldBPE as ScaffoldBPE
    from toksmith.trainers import Unigram as Unigram
    from toksmith.trainers import WordPiece as WordPiece
    from toksmith.trainers import Words as Words
    from toksmith.training import count_words as count_words
    from toksmith.training import train as train
    from toksmith.training import train_recipe as train_recipe

# Name -> the room it lives in, in the order in which a reader meets them.
_HOMES: Final = {
    "Document": "toksmith.corpus",
    "Corpus": "toksmith.corpus",
    "WordCounts": "toksmith._core",
    "count_words": "toksmith.training",
    "BPE": "toksmith.trainers",
    "ISBPE": "toksmith.trainers",
    "ScaffoldBPE": "toksmith.trainers",
    "WordPiece": "toksmith.trainers",
    "Unigram": "toksmith.trainers",
    "Words": "toksmith.trainers",
    "Characters": "toksmith.trainers",
    "train": "toksmith.training",
    "Recipe": "toksmith.recipes",
    "known_recipes": "toksmith.recipes",
    "train_recipe": "toksmith.training",
    "load": "toksmith.loading",
    "Tokenizer": "toksmith._core",
    "Token": "toksmith._core",
    "Encoding": "toksmith._core",
    "Explanation": "toksmith._core",
    "Prepared": "toksmith._core",
    "DecodeStream": "toksmith._core",
    "trace": "toksmith.tracing",
    "Trace": "toksmith.tracing",
    "Dropout": "toksmith._core",
    "Temperature": "toksmith._core",
    "compare": "toksmith.comparison",
    "evaluate_tokenizers": "toksmith.comparison",
    "Comparison": "toksmith.comparison",
    "Results": "toksmith.evaluate",
    "ToksmithError": "toksmith.errors",
    "SettingsError": "toksmith.errors",
    "CorpusError": "toksmith.errors",
    "TrainingError": "toksmith.errors",
    "EncodeError": "toksmith.errors",
    "DecodeError": "toksmith.errors",
    "UnknownTokenIdError": "toksmith.errors",
    "FormatError": "toksmith.errors",
    "ComparisonError": "toksmith.errors",
    "__version__": "toksmith._core",
}
# Rooms that are reached as `ts.corpus.…` without an import of their own.
_ROOMS: Final = ("corpus", "errors")

# A literal, because type checkers read it; a test holds it against the table above.
__all__ = [  # noqa: RUF022 - the reader's order, not the alphabet's
    "Document",
    "Corpus",
    "WordCounts",
    "count_words",
    "BPE",
    "ISBPE",
    "ScaffoldBPE",
    "WordPiece",
    "Unigram",
    "Words",
    "Characters",
    "train",
    "Recipe",
    "known_recipes",
    "train_recipe",
    "load",
    "Tokenizer",
    "Token",
    "Encoding",
    "Explanation",
    "Prepared",
    "DecodeStream",
    "trace",
    "Trace",
    "Dropout",
    "Temperature",
    "compare",
    "evaluate_tokenizers",
    "Comparison",
    "Results",
    "ToksmithError",
    "SettingsError",
    "CorpusError",
    "TrainingError",
    "EncodeError",
    "DecodeError",
    "UnknownTokenIdError",
    "FormatError",
    "ComparisonError",
    "__version__",
    "corpus",
    "errors",
]

if not TYPE_CHECKING:  # a type checker that saw this would believe any name

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name in _ROOMS:
            return import_module(f"toksmith.{name}")
        if name not in _HOMES:
            raise AttributeError(f"module 'toksmith' has no attribute {name!r}")
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted(__all__)
