"""The library's trainers give the answers of the case file, as the plain-Python twins do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import toksmith as ts

CASES = Path(__file__).parents[2] / "testdata" / "cases" / "trainers.json"


def recipe_of(trainer: dict[str, Any]) -> str:
    return "-".join(trainer[name] for name in ("type", "score") if name in trainer)


TRAINERS = [
    case
    for case in json.loads(CASES.read_text(encoding="utf-8"))["cases"]
    if recipe_of(case["trainer"]) in ts.known_recipes()
]


def shown(token: ts.Token) -> str:
    try:
        text = token.bytes.decode()
    except UnicodeDecodeError:
        text = f"0x{token.bytes.hex()}"
    return "##" * token.lead + text


@pytest.mark.parametrize("case", TRAINERS, ids=lambda case: str(case["name"]))
def test_trainers_make_the_vocabularies_of_the_case_file(case: dict[str, Any]) -> None:
    own = {k: v for k, v in case["trainer"].items() if k not in ("type", "score", "vocab_size")}
    encode = case.get("encode", [])
    unknown = {"unk_token": "[UNK]", "unk_scope": "word"}
    if case["alphabet"].get("byte_fallback", True):
        unknown = {}
    settings = {**case["alphabet"], **own, **unknown}
    # Each word is a text of its own, which `none` leaves whole.
    counts = ts.WordCounts.from_dict(case["counts"], boundary=case["boundary"], pretokenizer="none")
    tok = ts.train(
        recipe_of(case["trainer"]),
        counts,
        vocab_size=case["trainer"]["vocab_size"] + len(unknown) // 2,
        boundary=case["boundary"],
        **settings,
    )
    num_tokens = tok.vocab_size - len(unknown) // 2
    tokens = [shown(tok.token(token_id)) for token_id in range(num_tokens)]
    num_made = len(case["tokens"])
    assert tokens[num_tokens - num_made :] == case["tokens"]
    if "characters" in case:
        num_units = num_tokens - num_made
        assert tokens[num_units - len(case["characters"]) : num_units] == case["characters"]
    assert [shown(token) for token in tok.hidden_tokens] == case.get("hidden", [])
    if "merges" in case:
        # Hidden tokens are numbered after all ids.
        names = [*tokens, *(["[UNK]"] if unknown else []), *case.get("hidden", [])]
        assert [[names[index] for index in merge] for merge in tok.merges] == case["merges"]
    for text, score in case.get("scores", {}).items():
        assert tok.scores is not None
        assert tok.scores[tokens.index(text)] == pytest.approx(score, abs=1e-8)
    for sample in encode:
        ids = tok.with_encoder(sample["encoder"]).encode(sample["word"])
        assert [shown(tok.token(token_id)) for token_id in ids] == sample["tokens"]
