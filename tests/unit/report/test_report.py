"""Reports made from results alone, hostile names included."""

from __future__ import annotations

import builtins
import dataclasses
import html.parser
import itertools
import re
from pathlib import Path

import pytest

from toksmith.comparison import compare
from toksmith.evaluate import Results
from toksmith.evaluate.results import WordChange
from toksmith.evaluate.wording import signed_percent
from toksmith.report import charts, html_fragment, save_html, text_table, to_html

_HOSTILE = "<script>alert('x')</script>&\"[bold]"
_UNPRINTABLE = "\x1b[31m\udcff"


@pytest.fixture(scope="module")
def results() -> Results:
    line = "    return lower_{}.lowest(value)\n"
    documents = [
        "def low():\n" + "".join(line.format(i * j % 7) for i in range(9)) for j in range(60)
    ]
    return compare(
        ["bpe+longest-first", "isbpe-dual", "bpe-line-fed"],
        train=[f"# {i}\n{text}" for i, text in enumerate(documents)],
        test=[f"# {i + 100}\n{text}" for i, text in enumerate(documents[:24])],
        vocab_size=1_060,
    ).results


@pytest.fixture(scope="module")
def hostile(results: Results) -> Results:
    """The same results with names and words that are HTML and rich markup."""
    change = WordChange(_HOSTILE, 1, 2, 1, 1)
    candidates = []
    for candidate in results.candidates:
        assert candidate.words is not None
        words = dataclasses.replace(candidate.words, most_saved=(change, change))
        name = candidate.name if candidate.is_baseline else f"{candidate.name}{_HOSTILE}"
        candidates.append(dataclasses.replace(candidate, name=name, words=words))
    return dataclasses.replace(results, candidates=tuple(candidates), verdict=f"Best: {_HOSTILE}")


class _Tags(html.parser.HTMLParser):
    """Collects tags, and the attributes that could reach out of the page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.open: list[str] = []
        self.unbalanced: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [str(v) for k, v in attrs if k in ("src", "href", "xlink:href", "srcset")]
        if tag not in ("meta", "br", "link", "img"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)


def test_the_page_starts_with_the_verdict_and_has_every_candidate(results: Results) -> None:
    page = to_html(results, plots=False)
    body = page[page.index("<body>") :]
    assert body.index(results.verdict.replace("+", "+")) < body.index("<table>")
    for candidate in results.candidates:
        assert f">{candidate.name}</th>" in page
    assert results.line_fed is not None
    assert "What a line-fed baseline would have shown" in page


def test_the_page_is_well_formed_and_reaches_for_nothing(results: Results) -> None:
    pytest.importorskip("vl_convert")
    page = to_html(results)
    tags = _Tags(page)
    assert "svg" in tags.tags
    assert not tags.unbalanced
    assert not tags.open
    assert tags.links == []
    assert not {"script", "link", "iframe", "img"} & tags.tags
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)


def test_names_and_words_cannot_break_out_of_the_page(hostile: Results) -> None:
    pytest.importorskip("vl_convert")
    for page in (to_html(hostile), html_fragment(hostile)):
        tags = _Tags(page)
        assert "script" not in tags.tags
        assert not tags.unbalanced
        assert "<script" not in page


def test_names_are_no_markup_in_the_terminal(hostile: Results) -> None:
    assert "[bold]" in str(text_table(hostile))


def test_what_cannot_be_printed_is_made_visible(results: Results) -> None:
    test = dataclasses.replace(results.test, name=_UNPRINTABLE)
    odd = dataclasses.replace(results, test=test)
    assert "\\x1b[31m\\udcff" in str(text_table(odd))
    assert Results.from_json(odd.to_json()) == odd
    assert "<body>" in to_html(odd, plots=False)


def test_the_table_is_plain_text_in_any_terminal(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    for width in (46, 60, 80, 100, 140):
        monkeypatch.setenv("COLUMNS", str(width))
        text = str(text_table(results))
        assert "\x1b" not in text
        assert "…" not in text
        assert all(len(line) <= width for line in text.split("\n"))
        for candidate in results.candidates:
            assert candidate.name in text
            if candidate.gain is not None:
                assert signed_percent(candidate.gain.bytes_per_token_percent) in text
            if width >= 100:
                assert f"{candidate.compression.num_tokens:,}" in text
        assert bool(re.search("tokens +change", text)) is (width >= 100)
        assert repr(text_table(results)) == text


def test_large_figures_are_never_cut(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    large = dataclasses.replace(
        results,
        candidates=tuple(
            dataclasses.replace(
                c, compression=dataclasses.replace(c.compression, num_tokens=7_777_777_777)
            )
            for c in results.candidates
        ),
    )
    for width in range(46, 120, 3):
        monkeypatch.setenv("COLUMNS", str(width))
        text = str(text_table(large))
        # The whole number, or no part of it.
        assert text.count("7,777,") == text.count("7,777,777,777")
        assert "…" not in text
    assert "7,777,777,777" in text
    assert "vs baseline" in text


def test_ranked_vocabularies_of_different_sizes_are_marked(results: Results) -> None:
    even = dataclasses.replace(
        results,
        candidates=tuple(dataclasses.replace(c, vocab_size=1_060) for c in results.candidates),
    )
    assert "has 1,060 slots" in to_html(even, plots=False)
    assert "1,060*" not in to_html(even, plots=False)
    smaller = dataclasses.replace(even.candidates[0], vocab_size=900)
    uneven = dataclasses.replace(even, candidates=(smaller, *even.candidates[1:]))
    page = to_html(uneven, plots=False)
    assert "has between 900 and 1,060 slots of the 1,060 asked for" in page
    assert "900*" in page
    assert "900*" in str(text_table(uneven))


def test_files_left_out_and_sources_are_said(results: Results) -> None:
    test = dataclasses.replace(
        results.test,
        name="data",
        num_documents=69,
        num_sources=21,
        num_skipped=7,
        skipped=("data/a.bin: binary",),
    )
    changed = dataclasses.replace(results, test=test)
    for shown in (str(text_table(changed)), to_html(changed, plots=False)):
        assert "69 documents from 21 sources" in " ".join(shown.split())
        assert "7 files left out: data/a.bin: binary; and 6 more." in " ".join(shown.split())
    assert Results.from_json(changed.to_json()) == changed


def test_without_the_extra_the_page_says_what_is_missing(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_import = builtins.__import__

    def without_plots(name: str, *args: object, **kwargs: object) -> object:
        if name == "vl_convert":
            raise ImportError("no vl_convert", name=name)
        return real_import(name, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without_plots)
    page = to_html(results)
    assert "<svg" not in page
    assert "There are no plots on this page: plots need vl_convert" in page
    assert "toksmith[report]" in page


def test_a_page_is_made_from_a_saved_file(results: Results, tmp_path: Path) -> None:
    results.save_json(tmp_path / "results.json")
    save_html(Results.load_json(tmp_path / "results.json"), tmp_path / "report.html", plots=False)
    assert (tmp_path / "report.html").read_text("utf-8") == to_html(results, plots=False)


def test_results_without_ranking_and_training_text_make_a_page(results: Results) -> None:
    unranked = dataclasses.replace(
        results,
        train=None,
        line_fed=None,
        candidates=tuple(
            dataclasses.replace(c, rank=None, standing="not ranked") for c in results.candidates
        ),
    )
    assert "Ready tokenizers" in to_html(unranked, plots=False)
    assert "–" in str(text_table(unranked))


def test_a_length_of_few_tokens_is_not_plotted(results: Results) -> None:
    pytest.importorskip("vl_convert")
    changed = []
    for c in results.candidates:
        lengths = tuple(
            dataclasses.replace(
                each,
                shares_percent=(50.0, 49.0, 1.0, 0.9, 0.0, 0.0),
                change_percent=(None,) * 6 if c.is_baseline else (1.0, 2.0, 3.0, 1e6, None, None),
            )
            for each in c.vocabulary.lengths
        )
        changed.append(
            dataclasses.replace(c, vocabulary=dataclasses.replace(c.vocabulary, lengths=lengths))
        )
    svg = charts.length_chart(dataclasses.replace(results, candidates=tuple(changed)))
    assert svg is not None
    shown = [name for name in results.length_bins if f">{name}<" in svg]
    assert shown == list(results.length_bins[:3])


@pytest.mark.parametrize(("low", "high"), [(-37, 518), (1, 1), (-900, -1), (-3, 100_001)])
def test_ticks_are_round_hold_0_and_surround_the_values(low: int, high: int) -> None:
    ticks = charts.round_ticks(low, high)
    assert 0 in ticks
    assert ticks[0] <= low
    assert ticks[-1] >= high
    assert 2 <= len(ticks) <= 9
    assert len({b - a for a, b in itertools.pairwise(ticks)}) == 1
