"""Bar charts as inline SVG, and what a survey of the pattern index draws with them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from catalog.tags.discovery.census import MOST_TOKENS
from web.drawing.charts import short
from web.drawing.scale import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH


@dataclass(frozen=True)
class Bar:
    """One bar: what it stands for, said below and on hover, and its height."""

    label: str
    words: str
    value: float


def bar_chart(bars: Sequence[Bar], title: str, ident: str) -> Markup:
    """Counts as bars in a figure. Where one bar dwarfs the others, heights go by the square root, which is said.

    >>> bar_chart([Bar("1", "1 token", 4.0), Bar("2", "2 tokens", 2.0)], "Patterns", "p").count("<rect")
    2
    """
    values = [bar.value for bar in bars]
    rooted = bool(values) and max(values) > 20 * (sorted(values)[len(values) // 2] or 1)
    said = "; ".join(f"{bar.words}: {short(bar.value)}" for bar in bars)
    drawing = Markup(
        '<svg class="chart" viewBox="0 0 {w} {h}" role="img" aria-labelledby="{i}-t {i}-d">'
        '<title id="{i}-t">{t}</title><desc id="{i}-d">{d}</desc>{body}</svg>'
    ).format(w=WIDTH, h=HEIGHT, i=ident, t=title, d=said, body=_drawn(bars, rooted))
    rows = Markup("").join(
        Markup('<tr><td>{}</td><td class="num">{}</td></tr>').format(bar.words, f"{bar.value:,.0f}") for bar in bars
    )
    note = Markup(' <span class="muted">heights by square root</span>') if rooted else Markup("")
    figures = Markup('<details class="figures"><summary>Figures</summary><table class="figures">{}</table></details>')
    return Markup('<figure class="chart-box"><figcaption>{}{}</figcaption>{}{}</figure>').format(
        title, note, drawing, figures.format(rows)
    )


def _drawn(bars: Sequence[Bar], rooted: bool) -> Markup:
    """Grid, bars and labels."""
    top = max((bar.value for bar in bars), default=1.0) or 1.0
    room, step = HEIGHT - TOP - BOTTOM, (WIDTH - LEFT - RIGHT) / max(1, len(bars))
    body = Markup("")
    for share in (1.0, 0.5):
        value = round(top * (share**2 if rooted else share))  # a count: the line is where a whole one is
        y = round(HEIGHT - BOTTOM - room * (math.sqrt(value / top) if rooted else value / top), 1)
        body += Markup('<line class="grid" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(LEFT, WIDTH - RIGHT, y, y)
        label = Markup('<text class="tick" x="{}" y="{}" text-anchor="end">{}</text>')
        body += label.format(LEFT - 6, y + 4, short(value))
    every = max(1, math.ceil(len(bars) / 10))
    for place, bar in enumerate(bars):
        share = math.sqrt(bar.value / top) if rooted else bar.value / top
        tall = max(round(room * share, 1), 1.0 if bar.value else 0.0)
        x = round(LEFT + (place + 0.1) * step, 1)
        mark = Markup('<rect class="bar" x="{:g}" y="{:g}" width="{:g}" height="{:g}"><title>{}</title></rect>')
        said = f"{bar.words}: {short(bar.value)}"
        body += mark.format(x, round(HEIGHT - BOTTOM - tall, 1), round(step * 0.8, 1), tall, said)
        if place % every == 0:
            label = Markup('<text class="tick" x="{:g}" y="{}" text-anchor="middle">{}</text>')
            body += label.format(round(x + step * 0.4, 1), HEIGHT - 7, bar.label)
    return body


def by_tokens(figures: Mapping[str, Any]) -> list[Bar]:
    """Patterns by their number of tokens, from a survey of the index; the last bar counts longer ones too."""
    counts = figures.get("by_tokens") or []
    names = [str(n) for n in range(1, len(counts) + 1)]
    if len(names) == MOST_TOKENS:
        names[-1] += "+"
    return [
        Bar(name, f"{name} token{'' if name == '1' else 's'}", count) for name, count in zip(names, counts, strict=True)
    ]


def by_columns(figures: Mapping[str, Any]) -> list[Bar]:
    """Patterns by the number of columns that have them, from a survey of the index."""
    found = figures.get("by_columns") or []
    names = [str(low) if low == high else f"{low}–{high}" for low, high, _ in found]
    return [
        Bar(str(high) if low == high else f"≤{high}", f"{name} column{'' if name == '1' else 's'}", count)
        for name, (low, high, count) in zip(names, found, strict=True)
    ]
