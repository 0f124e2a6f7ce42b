"""Character-level BPE is that of `tokenizers`, merge for merge.

The words are spelled alike on both sides: a `▁` before each, as metaspace shows a space, or a `_`
behind each, as the first BPE marks a word's end. So units have the same order and ties fall alike.
"""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
import tokenizers
from tokenizers import models
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.trainers import BpeTrainer

import toksmith as ts

NUM_MERGES = 1_000


@pytest.mark.parametrize("form", ["\u2581{}", "{}_"])
def test_merges_over_characters_are_those_of_tokenizers(small_corpus: list[str], form: str) -> None:
    found = re.findall(r"\w+|[^\w\s]+", "\n".join(small_corpus))
    words = Counter(form.format(word) for word in found)
    vocab_size = len({character for word in words for character in word}) + NUM_MERGES
    peer = tokenizers.Tokenizer(models.BPE())
    peer.pre_tokenizer = WhitespaceSplit()
    trainer = BpeTrainer(vocab_size=vocab_size, min_frequency=2, show_progress=False)
    peer.train_from_iterator((" ".join([word] * count) for word, count in words.items()), trainer)
    tok = ts.BPE(alphabet="characters", byte_fallback=False, unk_token="<unk>").train(
        ts.WordCounts.from_dict(words), vocab_size=vocab_size + 1
    )
    shown = [tok.token(index).bytes.decode() for index in range(vocab_size)]
    merges = [[shown[left], shown[right]] for left, right, _ in tok.merges]
    assert len(merges) == NUM_MERGES
    assert merges == json.loads(peer.to_str())["model"]["merges"]
