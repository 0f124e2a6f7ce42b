"""Every combination that the table of compositions calls valid works from end to end."""

from __future__ import annotations

from pathlib import Path

import pytest

import toksmith as ts
from toksmith._core import boundaries
from toksmith.recipes import compositions

CORPUS = [
    "the cat sat on the mat.  The cat\n\tsat; don\u2019t we'll \u4e2d\u6587 caf\u00e9\n" * 3,
    " low lower lowest newer wider new  low\r\n",
    "self.fireEvent(x=1.5e-3) # \u2581 \U0001f917 0123456789\n",
]
TEXTS: list[bytes] = [
    b"",
    b" ",
    b"the cat",
    b" the  cat \n sat ",
    "\u2581 \u4e2d\u6587\u5206 caf\u00e9 \U0001f917\u200d".encode(),
    b"\xff\xfe \xe2\x82 \x00# ## </w>",
    *(document.encode() for document in CORPUS),
]
CELLS = [
    (method, boundary, encoder)
    for method, encoders in compositions().items()
    for boundary in boundaries()
    for encoder in encoders
]


@pytest.mark.parametrize(("method", "boundary", "encoder"), CELLS)
def test_a_valid_composition_trains_saves_loads_round_trips_and_explains(
    method: str, boundary: str, encoder: str, tmp_path: Path
) -> None:
    tok = ts.train(
        f"{method}+{encoder}",
        CORPUS,
        vocab_size=1_150,
        boundary=boundary,
        special_tokens=["<eot>"],
        user_defined_symbols=["[sep]"],
    )
    assert (tok.encoder, tok.boundary, tok.is_lossless) == (encoder, boundary, True)
    assert tok.vocab_size <= 1_150
    assert set(tok.special_tokens) == {"<eot>"}
    path = tmp_path / "a.tok.json"
    tok.save(path)
    again = ts.load(path)
    assert again == tok
    assert again.recipe == tok.recipe == ts.Recipe.parse(f"{method}+{encoder}").name
    for text in TEXTS:
        ids = tok.encode(text)
        assert again.encode(text) == ids
        assert tok.decode_bytes(ids) == text
        assert max(ids, default=0) < tok.vocab_size
        explanation = tok.explain(text)
        assert explanation.ids == ids
        assert len(explanation.forms) == len(ids)
        encoding = tok.encode_with_offsets(text)
        assert encoding.ids == ids
        ends = [end for _, end in encoding.byte_spans]
        assert ends == sorted(ends)
        assert ends[-1:] == ([len(text)] if text else [])
    mixed = b"the[sep] cat<eot>[sep]"
    assert tok.decode_bytes(tok.encode(mixed, allowed_special="all")) == mixed
    assert tok.user_defined_symbols["[sep]"] in tok.encode(mixed)
    assert tok.special_tokens["<eot>"] not in tok.encode(mixed)


@pytest.mark.parametrize("method", compositions())
def test_the_same_corpus_in_any_order_and_on_any_threads_gives_the_same_file(method: str) -> None:
    one = ts.train(method, CORPUS, vocab_size=1_100, num_threads=1)
    other = ts.train(method, CORPUS[::-1], vocab_size=1_100, num_threads=2)
    assert one.to_json() == other.to_json()
