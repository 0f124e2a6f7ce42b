"""The tokenizers that are measured: trained once by toksmith, written as each peer reads them."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from speed import gpt2

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokenizers import Tokenizer as Theirs

    from toksmith import Tokenizer

#: Our BPE with the pattern that all libraries have: the model of the like-for-like comparison.
SHARED_MODEL: Final = "bpe-gpt2"

#: Model -> (recipe, pattern). Those after the first have the library's default pattern.
_MODELS: Final = {
    SHARED_MODEL: ("bpe", "gpt2"),
    "bpe": ("bpe", None),
    "isbpe-single": ("isbpe-single", None),
    "isbpe-dual": ("isbpe-dual", None),
}
_ENCODERS: Final = {
    "bpe+longest-first": "bpe",
    "isbpe-dual+longest-first": "isbpe-dual",
}


def train_models(folder: Path, documents: Sequence[str], vocab_size: int) -> dict[str, Path]:
    """Train every model on the documents and write it into `folder`.

    Returns:
        Model -> file. The shared model is there three times: as ours, as `tiktoken`'s ranks
        (pickled) and as a file of `tokenizers`.
    """
    import toksmith as ts

    trained = {
        model: ts.train(recipe, documents, vocab_size=vocab_size, pretokenizer=pattern)
        for model, (recipe, pattern) in _MODELS.items()
    }
    for model, base in _ENCODERS.items():
        trained[model] = trained[base].with_encoder("longest-first")
    files = {}
    for model, tokenizer in trained.items():
        files[model] = folder / f"{model}.json"
        tokenizer.save(files[model])
    shared = trained[SHARED_MODEL]
    files["tiktoken"] = folder / "tiktoken.pickle"
    files["tiktoken"].write_bytes(pickle.dumps(_ranks(shared)))
    files["tokenizers"] = folder / "tokenizers.json"
    _to_tokenizers(shared).save(str(files["tokenizers"]))
    return files


def _tokens(tokenizer: Tokenizer) -> Iterator[bytes]:
    return (tokenizer.token(index).bytes for index in range(tokenizer.vocab_size))


def _ranks(tokenizer: Tokenizer) -> dict[bytes, int]:
    return {token: index for index, token in enumerate(_tokens(tokenizer))}


def _to_tokenizers(tokenizer: Tokenizer) -> Theirs:
    from tokenizers import Tokenizer as Theirs
    from tokenizers import decoders, models, pre_tokenizers

    tokens = [gpt2.to_characters(token) for token in _tokens(tokenizer)]
    theirs = Theirs(
        models.BPE(
            vocab={token: index for index, token in enumerate(tokens)},
            merges=[(tokens[left], tokens[right]) for left, right, _ in tokenizer.merges],
        )
    )
    properties: Any = theirs  # the stub types them by their getters
    properties.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    properties.decoder = decoders.ByteLevel()
    return theirs
