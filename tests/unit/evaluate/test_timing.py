"""Encoding time: what falls into it, and how often it is taken."""

from __future__ import annotations

import subprocess
import sys

import pytest

import toksmith as ts
from toksmith.evaluate.timing import MAX_WARM_PASSES, MIN_WARM_PASSES, encode_all

_COLD = """
import toksmith as ts
from toksmith.evaluate.timing import encode_all

tokenizer = ts.BPE().train("low lower lowest", vocab_size=260)
again = ts.BPE().train("low lower lowest", vocab_size=260)
texts = [f"low lower {i} lowest\\n".encode() * 50 for i in range(2_000)]
found = encode_all({"first": tokenizer, "second": again}, texts, min_warm_seconds=0.0)
print(found["first"].cold_seconds / found["second"].cold_seconds)
"""


def test_the_first_tokenizer_pays_for_no_import() -> None:
    # In a fresh process, because numpy is imported once. The median of three, because a passing
    # load on the machine can hit either side.
    ratios = sorted(
        float(
            subprocess.run(
                [sys.executable, "-c", _COLD], capture_output=True, text=True, check=True
            ).stdout
        )
        for _ in range(3)
    )
    assert 1 / 3 < ratios[1] < 3


def test_warm_passes_are_repeated_on_a_small_text() -> None:
    tokenizer = ts.BPE().train("low lower lowest", vocab_size=260)
    calls: list[tuple[int, int]] = []
    found = encode_all(
        {"a": tokenizer, "b": tokenizer}, [b"low"], progress=lambda d, n: calls.append((d, n))
    )
    assert found["a"].num_warm_passes == found["b"].num_warm_passes == MAX_WARM_PASSES
    assert calls[-1] == (2 * (1 + MAX_WARM_PASSES),) * 2
    assert all(done <= total for done, total in calls)
    few = encode_all({"a": tokenizer}, [b"low"], min_warm_seconds=0.0)
    assert few["a"].num_warm_passes == MIN_WARM_PASSES


@pytest.mark.parametrize("text", [b"", b"low"])
def test_ids_are_those_of_encode(text: bytes) -> None:
    tokenizer = ts.BPE().train("low lower lowest", vocab_size=260)
    found = encode_all({"a": tokenizer}, [text, b"lower"], min_warm_seconds=0.0)["a"]
    assert found.ids[: found.offsets[1]].tolist() == list(tokenizer.encode(text))
