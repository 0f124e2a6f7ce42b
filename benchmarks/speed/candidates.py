"""What is measured in encoding and decoding: one call of one library.

This file loads no library at its head, because a child process must load only the one it measures.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from speed import gpt2

if TYPE_CHECKING:
    import tiktoken

Library = Literal["toksmith", "tiktoken", "tokenizers"]

#: The candidates that others are divided by.
TIKTOKEN: Final = "tiktoken"
OURS: Final = "toksmith bpe"
OURS_DEFAULT_PATTERN: Final = "toksmith bpe, default pattern"
TOKENIZERS: Final = "tokenizers"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way of encoding or decoding.

    Attributes:
        call: what is timed, as a reader would write it.
        model: which file of `models.train_models` it loads.
        same_ids: gives the ids of the shared model, and must equal all others that do.
        baseline: our BPE of the same pattern, which it is compared with.
        in_worst: also measured on the worst cases.
    """

    name: str
    library: Library
    model: str
    call: str
    same_ids: bool = False
    baseline: str | None = None
    in_worst: bool = False


ENCODE: Final = (
    Candidate(
        TIKTOKEN, "tiktoken", "tiktoken", "encode_ordinary(str)", same_ids=True, in_worst=True
    ),
    Candidate(
        TOKENIZERS, "tokenizers", "tokenizers", "encode(str).ids", same_ids=True, in_worst=True
    ),
    Candidate(OURS, "toksmith", "bpe-gpt2", "encode(str)", same_ids=True, in_worst=True),
    Candidate("toksmith bpe, numpy", "toksmith", "bpe-gpt2", "encode_numpy(str)", True, OURS),
    Candidate(OURS_DEFAULT_PATTERN, "toksmith", "bpe", "encode(str)"),
    *(
        Candidate(
            f"toksmith {model}",
            "toksmith",
            model,
            "encode(str)",
            baseline=OURS_DEFAULT_PATTERN,
            in_worst="dual" in model or model.startswith("bpe"),
        )
        for model in (
            "bpe+longest-first",
            "isbpe-single",
            "isbpe-dual",
            "isbpe-dual+longest-first",
        )
    ),
)

DECODE: Final = (
    Candidate("tiktoken, str", "tiktoken", "tiktoken", "decode(list)"),
    Candidate("toksmith bpe, str", "toksmith", "bpe-gpt2", "decode(list)"),
    Candidate("toksmith isbpe-dual, str", "toksmith", "isbpe-dual", "decode(list)"),
    Candidate("tokenizers, str", "tokenizers", "tokenizers", "decode(list)"),
    Candidate("tiktoken, bytes", "tiktoken", "tiktoken", "decode_bytes(list)"),
    Candidate("toksmith bpe, bytes", "toksmith", "bpe-gpt2", "decode_bytes(list)"),
    Candidate("toksmith isbpe-dual, bytes", "toksmith", "isbpe-dual", "decode_bytes(list)"),
)


@dataclass(frozen=True, slots=True)
class Codec:
    """A loaded tokenizer: text to ids (a list or an array), and ids back."""

    encode: Callable[[str], Any]
    decode: Callable[[Sequence[int]], str]
    decode_bytes: Callable[[Sequence[int]], bytes]


def load(library: Library, file: Path, call: str) -> Codec:
    """Load a model with the library, ready for `call`."""
    match library:
        case "toksmith":
            import toksmith as ts

            ours = ts.load(file)
            encode = ours.encode_numpy if call.startswith("encode_numpy") else ours.encode
            return Codec(encode, ours.decode, ours.decode_bytes)
        case "tiktoken":
            encoding = _tiktoken(file)
            return Codec(encoding.encode_ordinary, encoding.decode, encoding.decode_bytes)
        case "tokenizers":
            from tokenizers import Tokenizer

            theirs: Any = Tokenizer.from_file(str(file))
            return Codec(
                lambda text: theirs.encode(text).ids,
                theirs.decode,
                lambda ids: theirs.decode(ids).encode(),
            )


def _tiktoken(file: Path) -> tiktoken.Encoding:
    import tiktoken

    ranks = pickle.loads(file.read_bytes())
    return tiktoken.Encoding(
        "from-toksmith", pat_str=gpt2.PATTERN, mergeable_ranks=ranks, special_tokens={}
    )
