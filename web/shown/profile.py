"""A column's profile made readable: figures in order with their words, and the lists of values and shapes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from catalog.tags.privacy.inside import ALWAYS
from catalog.tags.privacy.masking import mask_all
from web import render

EPOCH = datetime(1970, 1, 1)  # without a zone, as the quantiles are
#: Metrics in the order shown, with their words.
METRICS = {
    "mean": "Mean",
    "median": "Median",
    "sum": "Sum",
    "range": "Range",
    "str_len": "Mean length",
    "char_len": "Letters per value",
    "digit_len": "Digits per value",
    "punc_len": "Punctuation per value",
}
QUARTILES = ("5%", "25%", "50%", "75%", "95%")
#: What is said of numbers that measure something. Whole numbers kept as texts (telephone numbers, ISBNs) mostly name
#: things, and a few texts that read as numbers say nothing of the others.
ARITHMETIC = ("mean", "median", "sum", "range")
_NUMBER = re.compile(r"[+-]?0+(?:[.,]0+)?")


@dataclass(frozen=True)
class Portrait:
    """`figures`: (words, text). `values`, `shapes`: (text, count, share of rows 0..1). `quartiles`: (share, text)."""

    figures: list[tuple[str, str]]
    quartiles: list[tuple[str, str]]
    values: list[tuple[str, int, float]]
    shapes: list[tuple[str, int, float]]


def portrait(profile: Mapping[str, Any]) -> Portrait:
    """What a page shows of a profile as it may be shown (`catalog.store.meaning.privacy.shown_profile`).

    >>> portrait({"rows": 4, "nulls": 1, "low": "Aaa", "top": [["Aaa", 2]]}).values
    [('Aaa', 2, 0.5)]
    """
    rows = profile.get("rows") or 0
    figures = [("Rows", render.fixed(rows))] if profile else []
    for name, words in (("nulls", "Nulls"), ("empties", "Empty strings"), ("nans", "Not a number")):
        count = profile.get(name) or 0
        if count or (name == "nulls" and profile):
            share = f" ({render.percent(count / rows)})" if rows and count else ""
            figures.append((words, render.fixed(count) + share))
    if profile.get("distinct") is not None:
        figures.append(("Distinct values", about(profile, "dist_val_count", profile["distinct"])))
        once = (profile.get("metrics") or {}).get("uniqueness")
        if isinstance(once, int | float):
            figures.append(("Rows whose value occurs once", about(profile, "uniqueness", once, render.percent)))
    for name, words in (("low", "Minimum"), ("high", "Maximum")):
        if profile.get(name) is not None:
            figures.append((words, render.show(profile[name])))
    metrics = {} if profile.get("kind") == "time" else profile.get("metrics") or {}
    counts = profile.get("kind") != "string" or _measures([text for text, _ in _pairs(profile.get("shapes"))])
    for name, words in METRICS.items():
        if (counts or name not in ARITHMETIC) and isinstance(metrics.get(name), int | float):
            figures.append((words, render.fixed(metrics[name])))
    quartiles = (profile.get("quartiles") or []) if counts else []
    return Portrait(
        figures,
        [(at, _place(v, profile)) for at, v in zip(QUARTILES, quartiles, strict=False)],
        [(render.show(value), count, _share(count, rows)) for value, count in _pairs(profile.get("top"))],
        [(render.show(text), count, _share(count, rows)) for text, count in _pairs(profile.get("shapes"))],
    )


def _measures(shapes: Collection[str]) -> bool:
    """Whether texts of these shapes are numbers that may measure something: some have decimals.

    >>> _measures(["0", "00.00", "-0,0"]), _measures(["000000", "+00"]), _measures(["(00) 000", "0.0"]), _measures([])
    (True, False, False, False)
    """
    return all(map(_NUMBER.fullmatch, shapes)) and any("." in one or "," in one for one in shapes)


def still_masked(profile: Mapping[str, Any], domains: Collection[str], waits: bool) -> str:
    """Why values of a column are masked although its level lets everybody see them; empty where they are not. `domains`
    are its tags' that people did not reject, `waits` whether its table is to be tagged again with the next crawl.

    >>> still_masked({"low": "Aaaa", "top": [["Aaaa", 2]]}, (), True)
    'Its values were masked when they were last read; the next crawl brings them.'
    >>> still_masked({"low": "Anna", "top": [["Anna", 2]]}, (), True), still_masked({"low": "9"}, (), False)
    ('', '')
    """
    texts = [profile.get("low"), profile.get("high"), *(value for value, _ in _pairs(profile.get("top")))]
    seen = [text for text in texts if isinstance(text, str)]
    if not seen or any(mask_all(text) != text for text in seen):
        return ""
    if not ALWAYS.isdisjoint(domains):
        return "Values that contain an address or a number by themselves, as its do, stay masked at every level."
    return "Its values were masked when they were last read; the next crawl brings them." if waits else ""


def about(profile: Mapping[str, Any], metric: str, value: Any, show: Callable[[Any], str] = render.fixed) -> str:
    """A figure; where it is the answer of a sample, it says so, with the least and the largest value that it may have.

    >>> sampled = {"bounds": {"dist_val_count": [940.2, 1000.0]}}
    >>> about(sampled, "dist_val_count", 1000), about({}, "dist_val_count", 1000)
    ('about 1,000 (940 to 1,000)', '1,000')
    """
    ends = (profile.get("bounds") or {}).get(metric)
    if ends is None:  # profiles of earlier releases only know of distinct values that they are counted
        sampled = metric == "dist_val_count" and profile.get("distinct_exact") is False
        return ("about " if sampled else "") + show(value)
    low, high = (round(end) for end in ends) if metric == "dist_val_count" else ends
    return f"about {show(value)} ({show(low)} to {show(high)})"


def _place(value: Any, profile: Mapping[str, Any]) -> str:
    """A quantile; those of times are microseconds since 1970.

    >>> _place(86400e6, {"kind": "time"}), _place(1.5, {"kind": "number"})
    ('1970-01-02 00:00', '1.5')
    """
    if profile.get("kind") != "time":
        return render.fixed(value)
    try:
        return (EPOCH + timedelta(microseconds=value)).strftime("%Y-%m-%d %H:%M")
    except (OverflowError, ValueError):
        return "–"


def _share(count: int, rows: int) -> float:
    return min(1.0, count / rows) if rows else 0.0


def _pairs(found: Any) -> list[tuple[Any, int]]:
    """Pairs of value and count; what has another form is left out."""
    listed = found if isinstance(found, list) else []
    return [(one[0], one[1]) for one in listed if isinstance(one, list) and len(one) == 2 and isinstance(one[1], int)]
