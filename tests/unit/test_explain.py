"""`explain` shows every stage of every recipe, and each word's way to its tokens."""

from __future__ import annotations

import html

import pytest

import toksmith as ts

COUNTS = {"low": 5, "lowest": 2, "newer": 6, "wider": 3, "new": 2}


def steps(explanation: ts.Explanation, word: int = 0) -> list[tuple[str, str]]:
    rows = explanation.parts[0]["words"][word]["steps"]
    return [(row["what"], " | ".join(row["forms"])) for row in rows]


def test_merge_rank_shows_each_merge_with_its_rank() -> None:
    tok = ts.BPE(num_merges=3).train(ts.WordCounts.from_dict(COUNTS), vocab_size=300)
    assert steps(tok.explain("newer")) == [
        ("units", "n | e | w | e | r"),
        ("merge 0: e + r", "n | e | w | er"),
        ("merge 1: e + w", "n | ew | er"),
        ("merge 2: n + ew", "new | er"),
    ]


def test_encoders_that_choose_spans_show_the_order_in_which_they_take_them() -> None:
    counts = ts.WordCounts.from_dict({"Capital": 9, "italCap": 8})
    tok = ts.BPE().train(counts, vocab_size=300)
    ways = {
        encoder: [what for what, _ in steps(tok.with_encoder(encoder).explain("xCapitals"))]
        for encoder in ("longest-first", "longest-prefix", "longest-suffix")
    }
    assert ways == {
        "longest-first": ["longest: Capital", "longest: x", "longest: s"],
        "longest-prefix": ["longest prefix: x", "longest prefix: Capital", "longest prefix: s"],
        "longest-suffix": ["longest suffix: s", "longest suffix: Capital", "longest suffix: x"],
    }
    left = steps(tok.with_encoder("longest-first").explain("xCapitals"))
    assert left[0][1] == "…x… | Capital | …s…"


def test_a_hidden_token_is_spelled_in_the_last_step() -> None:
    tok = ts.ScaffoldBPE().train(ts.WordCounts.from_dict({"abc": 9, "xy": 4}), vocab_size=258)
    assert steps(tok.explain("abx")) == [
        ("units", "a | b | x"),
        ("merge 0: a + b", "ab | x"),
        ("hidden tokens spelled", "a | b | x"),
    ]


@pytest.mark.parametrize(
    ("boundary", "corpus", "line"),
    [
        ("space-prefix", " ab ab", r"a ab. -> a | \sab | ."),
        ("metaspace", "ab ab a", "a ab. -> ▁a | ▁ab | ."),
        ("metaspace-no-prefix", " ab ab", "a ab. -> a | ▁ab | ."),
        ("end-of-word", "a a a ab. ab.", "a ab. -> a</w> | ab | ."),
        ("continuation", " a a", r"a ab. -> a | \sa | ##b | ."),
        ("implicit-single", "ab ab", "a ab. -> a | ab | #."),
        ("implicit-dual", "ab ab", "a ab. -> a | ab | #."),
    ],
)
def test_each_boundary_writes_a_space_in_its_own_way(boundary: str, corpus: str, line: str) -> None:
    tok = ts.BPE(boundary=boundary).train(corpus, vocab_size=1_100)
    assert str(tok.explain("a ab.")) == line
    assert tok.decode(tok.encode("a ab.")) == "a ab."


def test_details_hold_every_stage_in_order() -> None:
    tok = ts.BPE(boundary="metaspace", user_defined_symbols=["<u>"], special_tokens=["<s>"]).train(
        "low low", vocab_size=262
    )
    explanation = tok.explain("<s>low<u>", allowed_special="all")
    assert explanation.details().splitlines() == [
        "text        <s>low<u>",
        "token       <s>",
        "normalized   low",
        "pretokens    low",
        "words       ▁low",
        "▁low -> ▁low",
        "  units             ▁ | l | o | w",
        "  merge 0: ▁ + l    ▁l | o | w",
        "  merge 1: o + w    ▁l | ow",
        "  merge 2: ▁l + ow  ▁low",
        "token       <u>",
        "tokens      <s> | ▁low | <u>",
        "ids         260 258 259",
    ]


def test_a_long_word_is_shown_without_its_way() -> None:
    tok = ts.BPE().train("low low", vocab_size=258)
    (word,) = tok.explain("a" * 65).parts[0]["words"]
    assert word["steps"] == []
    assert len(word["forms"]) == 65


def test_the_page_of_a_notebook_holds_forms_and_details() -> None:
    explanation = ts.BPE().train("<low>", vocab_size=256).explain("<low>")
    page = explanation._repr_html_()
    assert page.count("<span") == len(explanation.ids)
    assert html.escape(explanation.details()) in page
    assert "<low>" not in page


def test_what_is_no_unit_is_said_to_be_unknown() -> None:
    characters = ts.BPE(
        alphabet="characters", byte_fallback=False, unk_token="[UNK]", num_merges=1
    ).train("low low er", vocab_size=40)
    assert steps(characters.explain("xylox")) == [
        ("units", "…x… | …y… | l | o | …x…"),
        ("merge 0: l + o", "…x… | …y… | lo | …x…"),
        ("unknown characters", "[UNK] | lo | [UNK]"),
    ]
    longest = steps(characters.with_encoder("longest-prefix").explain("xlo"))
    assert [what for what, _ in longest] == ["unknown: [UNK]", "longest prefix: lo"]
    whole = ts.WordPiece(
        alphabet="characters", byte_fallback=False, unk_token="[UNK]", unk_scope="word"
    ).train("low", vocab_size=40)
    assert steps(whole.explain("xlow")) == [("unknown as a whole", "[UNK]")]


def test_encoders_that_weigh_the_whole_word_show_what_they_decide() -> None:
    corpus = ["low low lower lowest"] * 3
    words = ts.Words().train("low", vocab_size=258)
    assert steps(words.explain("low")) == [("the word is a token", "low")]
    assert steps(words.explain("lo")) == [("no token: its units", "l | o")]
    fewest = ts.BPE(encoder="fewest-tokens").train(corpus, vocab_size=262).explain("low")
    assert steps(fewest) == [("fewest tokens: 1", "low")]
    best = steps(ts.Unigram().train(corpus, vocab_size=270).explain("low"))
    assert best[0][0].startswith("score -")


def test_a_part_that_is_no_token_yet_is_shown_as_tokens_are() -> None:
    tok = ts.BPE(encoder="longest-suffix").train("ew ew", vocab_size=257)
    assert steps(tok.explain("ü new"), word=1)[0] == ("longest suffix: ew", r"…\sn… | ew")
