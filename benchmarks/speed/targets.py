"""What the library promises about its speed, held against a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from speed import candidates


@dataclass(frozen=True, slots=True)
class Target:
    """A ratio that has to be reached on every text of a regime.

    Attributes:
        kind: which ratio: `cold` or `warm`, `time`, `rise` (memory above the corpus).
    """

    regime: str
    candidate: str
    reference: str
    kind: str
    at_least: float


TARGETS: Final = (
    Target("encode", candidates.OURS, candidates.TIKTOKEN, "cold", 5.0),
    Target("encode", "toksmith bpe+longest-first", candidates.OURS_DEFAULT_PATTERN, "cold", 0.7),
    Target("encode", "toksmith isbpe-dual", candidates.OURS_DEFAULT_PATTERN, "cold", 0.7),
    Target(
        "encode",
        "toksmith isbpe-dual+longest-first",
        candidates.OURS_DEFAULT_PATTERN,
        "cold",
        0.7,
    ),
    Target("train", "toksmith", candidates.TOKENIZERS, "time", 3.0),
    Target("train", "toksmith", candidates.TOKENIZERS, "peak", 1.0),
    Target("train", "toksmith", candidates.TOKENIZERS, "rise", 1.0),
)


def check(regimes: dict[str, list[dict[str, Any]]]) -> list[dict[str, object]]:
    """Every target on every text that was measured, worst cases left out."""
    found = []
    for target in TARGETS:
        for row in regimes.get(target.regime, []):
            if row["candidate"] != target.candidate or row["text"].startswith("worst"):
                continue
            ratio = row["ratios"][target.reference][target.kind]["median"]
            found.append(
                {
                    "regime": target.regime,
                    "text": row["text"],
                    "candidate": target.candidate,
                    "reference": target.reference,
                    "kind": target.kind,
                    "at_least": target.at_least,
                    "found": ratio,
                    "holds": ratio >= target.at_least,
                }
            )
    return found
