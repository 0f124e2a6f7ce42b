"""Plots as SVG text, drawn without a browser and without a network.

Both libraries come with the extra `report`; `why_not` says what is missing. Text takes the colour
of the page around it (`currentColor`), so that one drawing serves light and dark; the colours of
marks were picked to be told apart on both, and in the common forms of colour blindness.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Mapping, Sequence

from toksmith.evaluate.results import Candidate, PairSlots, Results
from toksmith.report.selection import charted_rivals, test_lengths

if typing.TYPE_CHECKING:
    import altair as alt

_PALETTE = ["#3b86c8", "#e08a1e", "#3aa17e", "#c65b9c", "#8d83d6", "#a5913a"]
_UP, _DOWN = "#3aa17e", "#d1605e"
_WIDTH = 620
_NUM_WORDS_CHARTED = 12
#: A change in percent of a smaller share of the baseline's tokens would dwarf all others and mean
#: next to nothing.
MIN_SHARE_CHARTED_PERCENT = 1.0


def why_not() -> str | None:
    """Why no plots can be drawn; None when they can."""
    try:
        import altair  # noqa: F401
        import vl_convert  # noqa: F401
    except ImportError as error:
        return f"plots need {error.name}: pip install 'toksmith[report]'"
    return None


def gain_chart(results: Results) -> str | None:
    """The gain of each candidate in bytes per token, with its interval; None without any."""
    import altair as alt

    rows = []
    for candidate in charted_rivals(results):
        gain = candidate.gain
        if gain is None:
            continue
        interval = gain.bytes_per_token_percent_interval
        rows.append(
            {
                "candidate": candidate.name,
                "gain": gain.bytes_per_token_percent,
                "low": interval.low if interval else gain.bytes_per_token_percent,
                "high": interval.high if interval else gain.bytes_per_token_percent,
            }
        )
    if not rows:
        return None
    order = [str(row["candidate"]) for row in rows]
    title = f"bytes per token against {results.baseline}, %  (right of 0 is better)"
    base = alt.Chart(_data(rows)).encode(
        y=alt.Y("candidate:N", sort=order, title=None, axis=alt.Axis(labelLimit=260))
    )
    zero = alt.Chart(_data([{"zero": 0}])).mark_rule(
        color="currentColor", strokeDash=[4, 3], opacity=0.7
    )
    layers = (
        zero.encode(x=alt.X("zero:Q", title=title, axis=alt.Axis(tickCount=8))),
        base.mark_rule(strokeWidth=3, color=_PALETTE[0]).encode(
            x=alt.X("low:Q", title=title, axis=alt.Axis(tickCount=8)), x2="high:Q"
        ),
        base.mark_point(filled=True, size=90, color=_PALETTE[0], opacity=1).encode(
            x=alt.X("gain:Q", title=title, axis=alt.Axis(tickCount=8))
        ),
    )
    return _svg(alt.layer(*layers).properties(width=_WIDTH, height=34 * len(rows) + 10))


def length_chart(results: Results) -> str | None:
    """How the number of tokens in each bin of length changes against the baseline, in percent."""
    import altair as alt

    rivals = charted_rivals(results)[: len(_PALETTE)]
    shares = test_lengths(results.candidate(results.baseline)).shares_percent
    rows = [
        {"candidate": c.name, "bin": name, "change": change}
        for c in rivals
        for name, share, change in zip(
            results.length_bins, shares, test_lengths(c).change_percent, strict=True
        )
        if change is not None and share >= MIN_SHARE_CHARTED_PERCENT
    ]
    if not rows:
        return None
    names = [c.name for c in rivals]
    bars = (
        alt.Chart(_data(rows))
        .mark_bar()
        .encode(
            x=alt.X(
                "bin:N",
                sort=list(results.length_bins),
                title="length of a token in characters; boundary space and white space left out",
                axis=alt.Axis(labelAngle=0),
            ),
            xOffset=alt.XOffset("candidate:N", sort=names),
            y=alt.Y("change:Q", title=f"tokens against {results.baseline}, %"),
            color=alt.Color(
                "candidate:N",
                sort=names,
                scale=alt.Scale(domain=names, range=_PALETTE[: len(names)]),
                legend=alt.Legend(
                    title=None, orient="top", labelLimit=260, columns=3, columnPadding=36
                ),
            ),
        )
    )
    zero = alt.Chart(_data([{"zero": 0}])).mark_rule(color="currentColor", opacity=0.7)
    layers = (bars, zero.encode(y=alt.Y("zero:Q", title=f"tokens against {results.baseline}, %")))
    return _svg(alt.layer(*layers).properties(width=_WIDTH, height=260))


def words_chart(candidate: Candidate) -> str | None:
    """The words on which a candidate saves and loses most tokens; None if it changes none."""
    import altair as alt

    if candidate.words is None:
        return None
    changes = [
        *candidate.words.most_saved[:_NUM_WORDS_CHARTED],
        *reversed(candidate.words.most_lost[:_NUM_WORDS_CHARTED]),
    ]
    if not changes:
        return None
    rows = [
        {
            "word": _short(change.word),
            "place": place,
            "saved": change.num_tokens_saved,
            "kind": "saved" if change.num_tokens_saved > 0 else "lost",
        }
        for place, change in enumerate(changes)
    ]
    labels = _unique([str(row["word"]) for row in rows])
    for row, label in zip(rows, labels, strict=True):
        row["word"] = label
    saved = [change.num_tokens_saved for change in changes]
    ticks = round_ticks(min(saved), max(saved))
    bars = (
        alt.Chart(_data(rows))
        .mark_bar()
        .encode(
            y=alt.Y("word:N", sort=labels, title=None, axis=alt.Axis(labelLimit=260)),
            x=alt.X(
                "saved:Q",
                title="tokens saved on all occurrences of the word (left of 0: lost)",
                scale=alt.Scale(domain=[ticks[0], ticks[-1]], nice=False),
                axis=alt.Axis(values=ticks, format=",d", labelOverlap=False),
            ),
            color=alt.Color(
                "kind:N",
                scale=alt.Scale(domain=["saved", "lost"], range=[_UP, _DOWN]),
                legend=None,
            ),
        )
    )
    return _svg(bars.properties(width=_WIDTH, height=19 * len(rows)))


def pairs_chart(results: Results) -> str | None:
    """The share of slots that hold words which the vocabulary has in two or more forms."""
    import altair as alt

    candidates = [c for c in results.candidates if c.is_baseline] + charted_rivals(results)
    # Candidates that differ in the encoder only have the same vocabulary; one bar says it.
    by_slots: dict[tuple[int, PairSlots, PairSlots], list[str]] = {}
    for c in candidates:
        key = (c.vocabulary.num_slots, c.vocabulary.letters, c.vocabulary.any_bytes)
        by_slots.setdefault(key, []).append(c.name)
    kinds = ["letters only", "any bytes"]
    rows, names = [], []
    for (_, letters, any_bytes), sharing in by_slots.items():
        name = " = ".join(sharing)
        names.append(name)
        for kind, pairs in zip(kinds, (letters, any_bytes), strict=True):
            rows.append({"candidate": name, "kind": kind, "share": pairs.slots_in_pairs_percent})
    bars = (
        alt.Chart(_data(rows))
        .mark_bar()
        .encode(
            y=alt.Y("candidate:N", sort=names, title=None, axis=alt.Axis(labelLimit=330)),
            yOffset=alt.YOffset("kind:N", sort=kinds),
            x=alt.X("share:Q", title="% of all slots", scale=alt.Scale(domainMin=0)),
            color=alt.Color(
                "kind:N",
                sort=kinds,
                scale=alt.Scale(domain=kinds, range=_PALETTE[:2]),
                legend=alt.Legend(title=None, orient="top", columnPadding=36),
            ),
        )
    )
    return _svg(bars.properties(width=_WIDTH - 40, height=40 * len(names)))


def round_ticks(low: int, high: int, most: int = 8) -> list[int]:
    """Ticks at multiples of 1, 2 or 5 times a power of ten, 0 among them, around all values.

    >>> round_ticks(-37, 518), round_ticks(2, 3)
    ([-100, 0, 100, 200, 300, 400, 500, 600], [0, 1, 2, 3])
    """
    low, high = min(low, 0), max(high, 0)
    step = next(
        factor * 10**power
        for power in range(20)
        for factor in (1, 2, 5)
        if -(low // (factor * 10**power)) - (-high // (factor * 10**power)) < most
    )
    return [i * step for i in range(low // step, -(-high // step) + 1)]


def _data(rows: Sequence[Mapping[str, object]]) -> alt.Data:
    import altair as alt

    # altair has no type for its own class of inline data.
    return alt.Data(values=list(rows))  # type: ignore[no-untyped-call]


def _short(word: str, longest: int = 32) -> str:
    return word if len(word) <= longest else word[: longest - 1] + "…"


def _unique(labels: Sequence[str]) -> list[str]:
    """Equal labels would fall into one bar; invisible characters tell them apart."""
    seen: dict[str, int] = {}
    result = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        result.append(label + "\N{ZERO WIDTH SPACE}" * (seen[label] - 1))
    return result


def _svg(chart: alt.Chart | alt.LayerChart | alt.FacetChart) -> str:
    """Draws a chart as an `svg` element that can stand inside a page."""
    import vl_convert

    chart = (
        chart.configure(
            background="transparent", font="sans-serif", padding={"left": 24, "right": 8}
        )
        .configure_view(stroke=None)
        .configure_axis(
            labelColor="currentColor",
            titleColor="currentColor",
            domainColor="currentColor",
            tickColor="currentColor",
            gridColor="currentColor",
            gridOpacity=0.15,
            domainOpacity=0.5,
            tickOpacity=0.5,
            labelFontSize=12,
            titleFontSize=12,
            titleFontWeight="normal",
            titlePadding=10,
        )
        .configure_legend(labelColor="currentColor", titleColor="currentColor", labelFontSize=12)
    )
    svg: str = vl_convert.vegalite_to_svg(chart.to_json(indent=None, validate=False))
    # The page gives the element its name and its size; a fixed width would not fit a phone.
    return re.sub(r"<svg ([^>]*?)width=\"[^\"]*\" height=\"[^\"]*\"", r"<svg \1", svg, count=1)
