"""Charts as inline SVG: they show without JavaScript, on paper and to a screen reader.

Colours, strokes and fonts are the style sheet's; the SVG carries classes only. A chart is a figure with a title, a
description in words, and its figures in a table that can be opened.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from markupsafe import Markup, escape

from catalog.wording import counted
from web.drawing.scale import BOTTOM, DATE, HEIGHT, LEFT, RIGHT, SHARE, TOP, WIDTH, Point, Scale

LONGEST_YEAR = 366.0  # days, within which a day and a month say when; a bound


def short(value: float, unit: str = "") -> str:
    """A figure of at most seven characters; a `SHARE` in per cent, a `DATE` as its day.

    >>> short(1250000.0), short(0.25), short(1500), short(0), short(0.00002), short(-12500)
    ('1.25M', '0.25', '1,500', '0', '2e-05', '-12.5k')
    >>> short(0.995, SHARE), short(0.0, SHARE), short(20513.0, DATE), short(1e9, DATE)
    ('99.5%', '0%', '2026-03-01', 'after 9999')
    """
    if unit == SHARE:
        return f"{100 * value:.4g}%"
    if unit == DATE:
        day = _day(value)
        return ("before 1" if value < 0 else "after 9999") if day is None else f"{day:%Y-%m-%d}"
    for step, name in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= step * (10 if name == "k" else 1):
            return f"{value / step:.4g}{name}" if abs(value) < 1e15 else f"{value:.1e}"
    if value and abs(value) < 1e-3:
        return f"{value:.0e}"
    return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"


def _day(value: float) -> datetime | None:
    """The day so many days after 1970 began; None where no calendar has it."""
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=math.floor(value))
    except (OverflowError, ValueError):
        return None


def _tick(value: float, unit: str, width: float) -> str:
    """A figure beside an axis of so great a `width`, where there is room for seven characters.

    >>> _tick(20513.0, DATE, 40.0), _tick(20513.0, DATE, 4000.0), _tick(0.5, SHARE, 1.0)
    ('03-01', 'Mar 26', '50%')
    """
    day = _day(value) if unit == DATE else None
    if day is None:
        return short(value, unit)
    return f"{day:%m-%d}" if width < LONGEST_YEAR else f"{day:%b %y}"


def _ticks(ticks: Sequence[float], unit: str) -> list[str]:
    """The figures beside an axis. Where rounded ones would say the same twice, they are told in full.

    >>> _ticks([0.0, 5e-05, 1e-4, 1.5e-4], ""), _ticks([0.0, 0.5], SHARE)
    (['0', '5e-05', '0.0001', '0.00015'], ['0%', '50%'])
    """
    told = [_tick(tick, unit, ticks[-1] - ticks[0]) for tick in ticks]
    return told if len(set(told)) == len(told) or unit else [f"{tick:g}" for tick in ticks]


def _runs(flags: Sequence[bool]) -> list[list[int]]:
    """Unbroken stretches of true places.

    >>> _runs([True, True, False, True])
    [[0, 1], [3]]
    """
    runs: list[list[int]] = []
    for place, flag in enumerate(flags):
        if flag and runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        elif flag:
            runs.append([place])
    return runs


def _band(points: Sequence[Point], scale: Scale) -> Markup:
    """The expected band as polygons; a side that is open reaches to the edge."""
    out = Markup("")
    half = min(scale.step, 12.0) / 2
    for run in _runs([p.low is not None or p.high is not None for p in points]):
        tops = [scale.y(points[i].high if points[i].high is not None else scale.high) for i in run]  # type: ignore[arg-type]
        lows = [scale.y(points[i].low if points[i].low is not None else scale.low) for i in run]  # type: ignore[arg-type]
        xs = [scale.x(i) for i in run]
        if len(run) == 1:  # one judged version: a bar instead of a hair
            xs, tops, lows = [xs[0] - half, xs[0] + half], tops * 2, lows * 2
        flat = [max(a, b) if abs(a - b) >= 1 else b + 1 for a, b in zip(lows, tops, strict=True)]
        corners = list(zip(xs, tops, strict=True)) + list(zip(xs, flat, strict=True))[::-1]
        out += Markup('<polygon class="band" points="{}"/>').format(" ".join(f"{x:g},{y:g}" for x, y in corners))
    return out


def _line(points: Sequence[Point], scale: Scale) -> Markup:
    out = Markup("")
    for run in _runs([p.value is not None for p in points]):
        places = " ".join(f"{scale.x(i):g},{scale.y(points[i].value):g}" for i in run)  # type: ignore[arg-type]
        out += Markup('<polyline class="line" points="{}"/>').format(places)
    return out


def _words(point: Point, unit: str) -> str:
    """What a mark says on hover."""
    said = f"version {point.version}: {short(point.value, unit) if point.value is not None else 'no value'}"
    if point.low is not None or point.high is not None:
        said += f", expected {between(point.low, point.high, unit)}"
    return said + (f", {point.status.replace('_', ' ')}" if point.status else "")


def between(low: float | None, high: float | None, unit: str = "") -> str:
    """A band in words.

    >>> between(1.0, 2.0), between(None, 0.01), between(5.0, None), between(3.0, 3.0000001), between(None, None)
    ('1 to 2', 'at most 0.01', 'at least 5', '3', 'anything')
    """
    if low is not None and high is not None:
        least, most = short(low, unit), short(high, unit)
        return least if least == most else f"{least} to {most}"
    if high is not None:
        return f"at most {short(high, unit)}"
    return f"at least {short(low, unit)}" if low is not None else "anything"


def _bound(value: float | None, unit: str) -> str:
    return "–" if value is None else short(value, unit)


def _marks(points: Sequence[Point], scale: Scale) -> Markup:
    """A dot for each version, a diamond where the rule was broken: told by form, not by colour alone."""
    out = Markup("")
    labelled = -math.inf  # where the last figure at the edge was written: the next one needs room
    for place, point in enumerate(points):
        if point.value is None:
            continue
        x, y = scale.x(place), scale.y(point.value)
        if scale.outside(point.value):
            roomy = x - labelled > 60
            labelled = x if roomy else labelled
            out += _edge_mark(point, scale, place, label=roomy)
            continue
        if point.status == "violated":
            mark = Markup('<path class="bad" d="M{:g} {:g}l6 6l-6 6l-6 -6z"').format(x, y - 6)
        else:
            kind = "ok" if point.status == "passed" else "dim"
            mark = Markup('<circle class="{}" cx="{}" cy="{}" r="{}"').format(
                kind, x, y, 2.5 if scale.step > 5 else 1.5
            )
        out += mark + Markup("><title>{}</title>{}").format(
            _words(point, scale.unit), Markup("</path>") if point.status == "violated" else Markup("</circle>")
        )
    return out


def _edge_mark(point: Point, scale: Scale, place: int, *, label: bool) -> Markup:
    """An arrow out of the drawing, with the figure beside it, for a value far off the scale."""
    assert point.value is not None
    x, y = scale.x(place), scale.y(point.value)
    up, left = y < HEIGHT / 2, x > WIDTH / 2
    kind = "bad" if point.status == "violated" else "ok"
    arrow = Markup('<path class="{}" d="M{:g} {:g}l6 {}h-12z"><title>{}</title></path>').format(
        kind, x, y - 5 if up else y + 5, 10 if up else -10, _words(point, scale.unit)
    )
    if not label:
        return arrow
    return arrow + Markup('<text class="tick out" x="{:g}" y="{:g}" text-anchor="{}">{}</text>').format(
        x - 10 if left else x + 10, y + 5 if up else y - 5, "end" if left else "start", short(point.value, scale.unit)
    )


def _axes(points: Sequence[Point], scale: Scale) -> Markup:
    out = Markup("")
    for tick, told in zip(scale.ticks, _ticks(scale.ticks, scale.unit), strict=True):
        y = scale.y(tick)
        out += Markup('<line class="grid" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(LEFT, WIDTH - RIGHT, y, y)
        out += Markup('<text class="tick" x="{}" y="{}" text-anchor="end">{}</text>').format(LEFT - 6, y + 4, told)
    known = [point.value for point in points if point.value is not None]
    far = "The scale is broken: values {} it are marked with an arrow and their figure."
    breaks = [(TOP, far.format("above"))] if max(known, default=0.0) > scale.high else []
    if known and min(known) < scale.low:
        breaks.append((HEIGHT - BOTTOM, far.format("below")))
    elif scale.unit == SHARE and scale.low > 0:
        breaks.append((HEIGHT - BOTTOM, f"The scale is broken: it begins at {short(scale.low, SHARE)}, not at 0%."))
    for y, words in breaks:
        out += Markup('<path class="break" d="M{:g} {:g}l4 -3l4 6l4 -6l4 3"><title>{}</title></path>').format(
            LEFT - 8, y, words
        )
    every = max(1, math.ceil(len(points) / 6))
    for place in range(0, len(points), every):
        label = f"v{points[place].version}"
        out += Markup('<text class="tick" x="{}" y="{}" text-anchor="middle">{}</text>').format(
            min(scale.x(place), WIDTH - 16), HEIGHT - 7, label
        )
    return out


def _describe(points: Sequence[Point], unit: str) -> str:
    """The chart in one sentence."""
    values = [p.value for p in points if p.value is not None]
    if not values:
        return "No version has a value."
    broken = [str(p.version) for p in points if p.status == "violated"]
    span = between(min(values), max(values), unit)
    said = f"{counted(len(values), 'version')}, {span}, last {short(values[-1], unit)}."
    said += f" Outside the expected band at version {', '.join(broken[:12])}." if broken else ""
    scale = Scale(points, unit)
    cut = any(end is not None and scale.outside(end) for p in points for end in (p.low, p.high))
    return said + (" The expected band goes on beyond the chart." if cut else "")


def _figures(points: Sequence[Point], unit: str) -> Markup:
    rows = Markup("").join(
        Markup("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>").format(
            p.version,
            _bound(p.value, unit),
            _bound(p.low, unit),
            _bound(p.high, unit),
            (p.status or "not judged").replace("_", " "),
        )
        for p in reversed(points)
    )
    head = Markup("<tr><th>Version</th><th>Value</th><th>Low</th><th>High</th><th>Verdict</th></tr>")
    table = Markup('<div class="scroll" tabindex="0"><table class="figures">{}{}</table></div>').format(head, rows)
    return Markup('<details class="figures"><summary>Figures</summary>{}</details>').format(table)


def line_chart(
    points: Sequence[Point], title: str, ident: str, link: str | None = None, unit: str = "", column: str = ""
) -> Markup:
    """A metric over versions as a figure.

    Parameters
    ----------
    points : oldest first.
    title : plain text, escaped here.
    ident : unique on the page; ties title and description to the drawing.
    unit : `SHARE` where the metric is a share 0..1, `DATE` where it is a point in time, in days since 1970.
    column : whose it is, where charts of several stand together; named as it is written.

    >>> "violated" in line_chart([Point(1, 2.0), Point(2, 9.0, 0.0, 3.0, "violated")], "nulls", "c1")
    True
    """
    scale = Scale(points, unit)
    title = f"{column}: {title}" if column else title[:1].upper() + title[1:]
    heading = Markup('<a href="{}">{}</a>').format(link, title) if link else escape(title)
    drawing = Markup(
        '<svg class="chart" viewBox="0 0 {w} {h}" role="img" aria-labelledby="{i}-t {i}-d">'
        '<title id="{i}-t">{t}</title><desc id="{i}-d">{d}</desc>{body}</svg>'
    ).format(
        w=WIDTH,
        h=HEIGHT,
        i=ident,
        t=title,
        d=_describe(points, unit),
        body=_axes(points, scale) + _band(points, scale) + _line(points, scale) + _marks(points, scale),
    )
    return Markup('<figure class="chart-box"><figcaption>{}</figcaption>{}{}</figure>').format(
        heading, drawing, _figures(points, unit)
    )


def sparkline(values: Sequence[float | None], broken: Sequence[bool], label: str) -> Markup:
    """A line as small as a word, with a mark where a rule was broken.

    >>> sparkline([1.0, 2.0], [False, True], "rows").count("<circle")
    1
    """
    known = [v for v in values if v is not None]
    if not known:
        return Markup("")
    low, span = min(known), (max(known) - min(known)) or 1.0
    step = 96 / max(1, len(values) - 1)
    places = [
        (round(2 + i * step, 1), round(17 - 14 * (v - low) / span, 1)) if v is not None else None
        for i, v in enumerate(values)
    ]
    lines = "".join(
        f"M{a[0]:g} {a[1]:g}L{b[0]:g} {b[1]:g}" for a, b in pairwise(places) if a is not None and b is not None
    )
    marks = Markup("").join(
        Markup('<circle class="bad" cx="{}" cy="{}" r="2.5"/>').format(p[0], p[1])
        for p, bad in zip(places, broken, strict=True)
        if p is not None and bad
    )
    return Markup(
        '<svg class="spark" viewBox="0 0 100 20" role="img" aria-label="{}"><path class="line" d="{}"/>{}</svg>'
    ).format(label, lines, marks)


def share_bar(share: float, label: str) -> Markup:
    """A bar of a share 0..1.

    >>> 'width="50"' in share_bar(0.5, "complete")
    True
    """
    width = round(100 * min(max(share, 0.0), 1.0), 1)
    return Markup(
        '<svg class="share-bar" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="{}">'
        '<rect class="rest" width="100" height="8"/><rect class="part" width="{:g}" height="8"/></svg>'
    ).format(label, width)
