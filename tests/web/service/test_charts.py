"""What a chart draws is where its axis says, or visibly off it."""

from __future__ import annotations

import math
import re

import pytest

from catalog.store.models import Outcome
from web.drawing.charts import line_chart
from web.drawing.history import measures
from web.drawing.scale import DATE, HEIGHT, SHARE, TOP, Point

CALM = [Point(n, 0.01 + n / 1000, 0.0, 0.03, "passed") for n in range(10)]


def test_a_share_is_drawn_at_its_true_height():
    drawn = line_chart([*CALM, Point(10, 1.0, 0.0, 0.03, "violated")], "nulls", "c", unit=SHARE)
    ticks = {text: float(y) for y, text in re.findall(r'<text class="tick" x="48" y="([\d.]+)"[^>]*>([\d.]+%)<', drawn)}
    top = float(re.search(r'<path class="bad" d="M[\d.]+ ([\d.]+)l6 6', drawn)[1]) + 6
    assert abs(ticks["100%"] - 4 - top) < 1  # the figure stands beside its line
    assert 'class="break"' not in drawn
    assert HEIGHT > top >= TOP


def test_an_axis_that_ends_before_a_value_shows_its_break():
    calm = [Point(n, 100.0 + n, 90.0, 120.0, "passed") for n in range(10)]
    broken = line_chart([*calm, Point(10, 1e6, 90.0, 120.0, "violated")], "rows", "c")
    assert broken.count('class="break"') == 1
    assert "1M" in broken
    assert 'class="break"' not in line_chart(calm, "rows", "c")


@pytest.mark.parametrize("value", [3.302891295379083, 4e-14, -1e15])
def test_values_that_differ_in_the_last_digit_alone_are_drawn(value: float):
    """Rules of published learners may have a band of one number, which values miss by what computing rounds."""
    near = math.nextafter(value, math.inf)
    points = [Point(n, value if n % 2 else near, value, value, "passed" if n % 2 else "violated") for n in range(5)]
    drawn = line_chart(points, "Cohen's d", "c")
    assert drawn.count('<circle class="ok"') == 2
    assert len(set(re.findall(r'class="grid" x1="\d+" x2="\d+" y1="([\d.]+)"', drawn))) > 1


def test_a_wide_band_does_not_flatten_the_values():
    """Of a table's first versions little is known: the values fill the drawing, and the band is cut at its edge."""
    young = [Point(n, 700.0 + 10 * n, 60.0, 7000.0, "passed") for n in range(4)]
    drawn = line_chart(young, "rows", "c")
    heights = [float(y) for y in re.findall(r'<circle class="ok" cx="[\d.]+" cy="([\d.]+)"', drawn)]
    assert max(heights) - min(heights) > 0.1 * HEIGHT  # by the band it were a pixel
    assert "The expected band goes on beyond the chart." in drawn
    assert "expected 60 to 7,000" in drawn
    shares = [Point(n, 0.95 + n / 1000, 0.2, 1.0, "passed") for n in range(4)]
    drawn = line_chart(shares, "complete", "c", unit=SHARE)
    assert ">0%<" not in drawn
    assert "The expected band goes on" in drawn
    assert "goes on" not in line_chart(CALM, "nulls", "c", unit=SHARE)
    still = line_chart([Point(n, 5.0 - n * 1e-16, 1.0, 9.0, "passed") for n in range(4)], "rows", "c")
    assert "goes on" not in still  # of values that are all the same the band is the scale
    noisy = line_chart([Point(n, 1e5 + n, 9e4, 1.1e5, "passed") for n in range(4)], "rows", "c")
    assert "goes on" not in noisy  # and of those that the axis could not tell apart


def test_a_share_begins_at_nothing_or_shows_that_it_does_not():
    low = [Point(n, 0.42 + n / 100, 0.4, 0.6, "passed") for n in range(10)]
    drawn = line_chart(low, "nulls", "c", unit=SHARE)
    assert ">0%<" in drawn
    assert 'class="break"' not in drawn
    high = [Point(n, 0.98 + n / 1000, 0.97, 1.0, "passed") for n in range(10)]
    drawn = line_chart(high, "complete", "c", unit=SHARE)
    assert ">0%<" not in drawn
    assert "it begins at 97%, not at 0%" in drawn
    assert drawn.count('class="break"') == 1


def test_a_column_is_named_as_it_is_written() -> None:
    told = line_chart([Point(1, 2.0)], "share of rows that are not null", "c1", column="order_id")
    assert "order_id: share of rows that are not null" in told
    assert "Share of rows" in line_chart([Point(1, 2.0)], "share of rows that are not null", "c1")


def test_points_in_time_are_days_not_numbers() -> None:
    drawn = line_chart(
        [Point(n, 20513.0 + n, 20512.0, 20530.0, "passed") for n in range(10)], "the latest", "c", unit=DATE
    )
    assert "expected 2026-02-28 to 2026-03-18" in drawn
    assert "last 2026-03-10" in drawn
    assert re.findall(r'<text class="tick" x="48"[^>]*>(\d\d-\d\d)<', drawn)
    assert "20.5" not in drawn
    still = line_chart([Point(1, 20513.5), Point(2, 20513.5)], "the latest", "c", unit=DATE)
    ticks = re.findall(r'<text class="tick" x="48"[^>]*>([^<]*)<', still)
    assert len(ticks) == len(set(ticks)) > 2


def test_figures_that_take_statistics_come_last() -> None:
    seen = {"JS_div": 0.9, "complete_ratio": 0.5, "std": 3.0, "mean": 9.0}
    bands = {"JS_div": [None, 0.1], "complete_ratio": [0.9, 1.0], "std": [1.0, 2.0], "mean": [1.0, 2.0]}
    told = measures(Outcome(detail={"observed": seen, "expected": bands}), "number")
    assert [(words.split()[0], hard) for words, _, _, hard in told] == [
        ("share", False),
        ("mean", False),
        ("change", True),
        ("standard", True),
    ]
