"""What may have been done to every value of a column of strings: kinds of damage, and what is read off new values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from catalog.causes.cause import Guess
from catalog.causes.guesses import features as f
from catalog.damage import DAMAGE_KINDS, DRAWN, FURTHER, STRINGS
from catalog.damage.further import FORMATS, MILLISECONDS, SECONDS, moment, rewritten
from catalog.damage.values import SEPARATORS
from catalog.domains.missing import is_missing
from catalog.history.rewrites import rewriting
from catalog.states.column import ColumnState
from catalog.states.parts.shapes import shape_of

#: (kind, cause, change of a value, detail, what takes it back)
Hypothesis = tuple[str, str, Callable[[str], Any], dict[str, Any], Callable[[str], Any] | None]
#: Share of rows that hold one value more than before, from which a default is a guess; of words for a missing value.
#: Chosen: a default is filled in for many rows, and one value gains a few in a hundred by itself.
DEFAULT, WORD = 0.05, 0.02
#: All rows hold one value that not all held before: by chance in fewer than so many batches. Chosen.
CHANCE = 0.001
#: Share of values that begin or end alike, or are dates of one form. Chosen: nearly all.
ALL = 0.9
#: Dates with two digits for the year that no drill writes.
SHORT = ("%d/%m/%y", "%d-%m-%y")
INSERTED = f"{SEPARATORS}\N{NO-BREAK SPACE}"

UNDO = {
    "doubled": "keep the first half", "space_behind": "strip white space", "space_before": "strip white space",
    "quotes": "take the quotation marks off", "digit_as_letter": "write O as 0 and l as 1",
    "mojibake": "encode as Windows-1252, decode as UTF-8", "html": "unescape HTML", "url": "unescape URLs",
    "iso_to_european": "read as day, month, year", "iso_to_american": "read as month, day, year",
    "iso_compact": "put the hyphens back", "day_month": "exchange day and month",
    "day_month_hyphens": "exchange day and month", "decimal_comma": "replace , by .",
    "decimal_point": "replace . by ,", "thousands": "take the commas out",
    "excel_serial": "count days from 1899-12-30", "sign": "change the sign",
}  # fmt: skip
PAIRS = 3  # values that are shown before and after; a bound of length


def is_filled_in(text: str) -> bool:
    """Whether a text is what stands where nobody said anything: a word for a missing value, or that for a default."""
    return is_missing(text) or text.strip().lower() == "default"


def is_sentinel(text: str) -> bool:
    """Whether a text is a date, or a code of one character again and again, that stands for none.

    >>> is_sentinel("1900-01-01"), is_sentinel("00000"), is_sentinel("2026-05-28"), is_sentinel("D1342")
    (True, True, False, False)
    """
    return re.match(r"(0001|1899|1900|1970|9999)\W|(.)\2+$", text) is not None


def led_back(now: ColumnState, before: ColumnState) -> Iterator[Guess]:
    """That values were rewritten which are known before and after (`catalog.history.rewrites`)."""
    found = rewriting(now, before)
    if found is None:
        return
    kind = DAMAGE_KINDS[found.key]
    detail: dict[str, Any] = {"pairs": [[str(value) for value in pair] for pair in found.pairs[:PAIRS]]}
    mend = kind.undo
    if found.old or found.new:
        detail |= {"old": found.old, "new": found.new}
        mend = _BACK[found.key](found.new, found.old) if found.new else None
    yield Guess(found.key, kind.cause, 1.0, found.share, detail, mend, UNDO.get(found.key, ""))


def hypotheses(now: ColumnState, before: ColumnState, fresh: Sequence[str]) -> Iterator[Hypothesis]:
    """Every kind of damage with the change that it would be here; `fresh` are values unlike those before, if any."""
    values = [v for v, _ in f.sample_of(before)]
    after = [v for v, _ in f.sample_of(now)]
    for kind in (*STRINGS, *FURTHER):
        if kind.of == "strings" and kind.key not in DRAWN:
            change = kind.plan(values, np.random.default_rng(0))
            if change is not None:
                yield kind.key, kind.cause, change, {}, kind.undo
    yield from _default(now, before)
    yield from _prefixes(values, after)
    yield from _dates(values, fresh or after)
    yield from _ends(values, fresh or after)
    yield from _padded(values, fresh or after)
    yield from _added(values, fresh or after)
    yield from _separators(values, after)
    yield from _inserted(values, fresh or after)
    yield from _cut(values, fresh)


def _cut(values: Sequence[str], fresh: Sequence[str]) -> Iterator[Hypothesis]:
    """Nearly all new values are as long as the longest of them, and shorter than those before."""
    if not fresh:
        return
    width = max(map(len, fresh))
    if sum(len(v) == width for v in fresh) < ALL * len(fresh) or width >= max(map(len, values)):
        return
    yield "half_cut", "cut", lambda v: v[:width], {"width": width}, None
    yield "first_lost", "cut", lambda v: v[-width:], {"width": width}, None


def _default(now: ColumnState, before: ColumnState) -> Iterator[Hypothesis]:
    """One value that was rare before fills more rows than any did, or all of them."""
    known, found = dict(f.sample_of(before)), dict(f.sample_of(now))
    value = max(found, key=lambda v: found[v] / now.non_null - known.get(v, 0) / before.non_null)
    old, top = known.get(value, 0) / before.non_null, max(known.values()) / before.non_null
    share = found[value] / now.non_null
    more, missing = share - old, is_filled_in(value)
    rare = old < 0.01 and (missing or more > 1.3 * top or (top > 0.75 and more > 0.9))
    more /= 1 - old if old < 1 else 1.0
    holds = found[value] / now.rows - known.get(value, 0) / before.rows > 0  # more rows do, not only fewer others
    alone = holds and share == 1.0 and old**now.non_null < CHANCE
    if alone or (more >= (WORD if missing else DEFAULT) and rare) or (holds and share > 0.99 and top < 0.9):
        key = "missing_text" if missing else "default_text"
        detail = {"value": value, "share": more} | ({"all": True} if share > 0.99 and not rare else {})
        yield key, "default", lambda v: value, detail, None


def _prefixes(values: Sequence[str], after: Sequence[str]) -> Iterator[Hypothesis]:
    """The letters that codes began with became others, or letters were put before them."""
    before, now = [f.prefix_of(v) for v in values], [f.prefix_of(v) for v in after]
    (new, more), (old, _) = f.gained(before, now), f.gained(now, before)
    if not new or more < 0.05:
        return
    added = sum(v.startswith(new) and v[len(new) : len(new) + 1] == "-" for v in after)
    if old and not (added and any(v.startswith(f"{new}-{old}") for v in after)):
        yield "prefix", "prefix", _replacing(old, new), {"new": new, "old": old}, _replacing(new, old)
    mark = f.common([v[len(new) : len(new) + 1] for v in after if v.startswith(new)])[0]
    whole = new + mark
    yield "prefix", "prefix", lambda v: whole + v, {"new": whole, "old": ""}, lambda v: v.removeprefix(whole)


def _replacing(old: str, new: str) -> Callable[[str], str]:
    return lambda v: new + v[len(old) :] if v.startswith(old) else v


def _replacing_end(old: str, new: str) -> Callable[[str], str]:
    return lambda v: v[: len(v) - len(old)] + new if v.endswith(old) else v


def _ends(values: Sequence[str], after: Sequence[str]) -> Iterator[Hypothesis]:
    """All values begin, or end, with something else than before, which is not all of them."""
    starts = start_of(values), start_of(after)
    if set(values) == {starts[0]} and _apart(*starts) == starts:  # one value, of which nothing is left
        return
    for old, new in dict.fromkeys((_apart(*starts), _apart(*(one.rstrip("0123456789") for one in starts)))):
        if _other(old, new) and (new.strip(" ") or not new):
            yield "prefix", "prefix", _replacing(old, new), {"new": new, "old": old}, _replacing(new, old)
    turned = [[v[::-1] for v in some] for some in (values, after)]
    old, new = (one[::-1] for one in _apart(start_of(turned[0]), start_of(turned[1])))
    if new.strip(" ") and _other(old, new):  # where an end is lost, values are cut
        yield "suffix", "suffix", _replacing_end(old, new), {"new": new, "old": old}, _replacing_end(new, old)


def _added(values: Sequence[str], after: Sequence[str]) -> Iterator[Hypothesis]:
    """The same characters stand before all values, or behind, which are written as before without them."""
    shapes = {shape_of(v) for v in values}
    start, end = start_of(after), start_of([v[::-1] for v in after])[::-1]
    for new in (start[:k] for k in range(1, len(start) + 1)):
        if new.strip(" ") and _are_of([v.removeprefix(new) for v in after], shapes):
            yield "prefix", "prefix", _replacing("", new), {"new": new, "old": ""}, _replacing(new, "")
            break
    for new in (end[len(end) - k :] for k in range(1, len(end) + 1)):
        if new.strip(" ") and _are_of([v.removesuffix(new) for v in after], shapes):
            yield "suffix", "suffix", _replacing_end("", new), {"new": new, "old": ""}, _replacing_end(new, "")
            break


def _padded(values: Sequence[str], after: Sequence[str]) -> Iterator[Hypothesis]:
    """White space behind values, or before them, that fills each up to one width."""
    width = len(after[0])
    if any(len(v) != width for v in after):
        return
    for key, fill in (("space_behind", str.ljust), ("space_before", str.rjust)):
        if any(v != v.strip() for v in after) and all(v == fill(v.strip(), width) for v in after):
            yield key, "spaces", lambda v, fill=fill: fill(v, width), {"width": width}, str.strip  # type: ignore[misc]


def _are_of(values: Sequence[str], shapes: Collection[str]) -> bool:
    return sum(shape_of(v) in shapes for v in values) >= ALL * len(values)


def _other(old: str, new: str) -> bool:
    """Whether two starts are others by more than case and separators."""
    return old != new and (not old or not new or _bare(old) != _bare(new))


def _bare(text: str) -> str:
    """Without case and separators, which have causes of their own, and the digits that run on."""
    return "".join(c for c in text.casefold() if c not in INSERTED).rstrip("0123456789")


def start_of(values: Sequence[str]) -> str:
    """What nearly all values begin with, the longest.

    >>> start_of(["+49 171 22", "+49 160 11"]), start_of(["a", "b"])
    ('+49 1', '')
    """
    start, left = "", [v for v in values if v]
    while left:
        letter, n = Counter(v[len(start) : len(start) + 1] for v in left).most_common(1)[0]
        if not letter or n < ALL * len(values):
            break
        start += letter
        left = [v for v in left if v.startswith(start)]
    return start


def _apart(old: str, new: str) -> tuple[str, str]:
    """Two starts without what both end with.

    >>> _apart("TCK-04", "04"), _apart("/item/", "https://a.example/item/")
    (('TCK-', ''), ('', 'https://a.example'))
    """
    same = 0
    while same < min(len(old), len(new)) and old[-1 - same] == new[-1 - same]:
        same += 1
    return old[: len(old) - same], new[: len(new) - same]


def _separators(values: Sequence[str], after: Sequence[str]) -> Iterator[Hypothesis]:
    for mark in SEPARATORS:
        held, twice = sum(mark in v for v in values), sum(mark * 2 in v for v in after)
        if 2 * held >= len(values) and 2 * twice >= len(after) and not any(mark * 2 in v for v in values):
            detail = {"old": mark, "new": mark * 2}  # written twice
            yield "separators", "separators", _exchanging(mark, mark * 2), detail, _exchanging(mark * 2, mark)
    count_before = {c: sum(v.count(c) for v in values) / len(values) for c in SEPARATORS}
    count_after = {c: sum(v.count(c) for v in after) / len(after) for c in SEPARATORS}
    old = max(SEPARATORS, key=lambda c: count_before[c] - count_after[c])
    if count_before[old] - count_after[old] < 0.05:
        return
    new = max(SEPARATORS, key=lambda c: count_after[c] - count_before[c])
    for to in (new, "") if count_after[new] - count_before[new] > 0.05 else ("",):
        mend = _exchanging(to, old) if to else None
        yield "separators", "separators", _exchanging(old, to), {"old": old, "new": to}, mend


def _exchanging(old: str, new: str) -> Callable[[str], str]:
    return lambda v: v.replace(old, new) if v.strip(old) else v


#: How what stands in a place of values now is made what stood there.
_BACK = {"prefix": _replacing, "suffix": _replacing_end, "separators": _exchanging}


def _inserted(values: Sequence[str], after: Sequence[str]) -> Iterator[Hypothesis]:
    """Separators stand between characters that stood together: of values of a length always at the same places."""
    for mark in INSERTED:
        with_it = [v for v in after if mark in v.strip(mark)]
        if any(mark in v for v in values) or len(with_it) < 0.5 * len(after):
            continue
        places: dict[int, tuple[int, ...]] = {}
        for v in with_it:
            places.setdefault(len(v.replace(mark, "")), tuple(i for i, c in enumerate(v) if c == mark))
        shapes = {shape_of(v) for v in values}
        if sum(shape_of(v.replace(mark, "")) in shapes for v in with_it) >= 0.5 * len(with_it):
            mend: Callable[[str], Any] = lambda v, mark=mark: v.replace(mark, "")  # type: ignore[misc]  # noqa: E731
            yield "separators", "separators", _inserting(mark, places), {"old": "", "new": mark}, mend


def _inserting(mark: str, places: Mapping[int, tuple[int, ...]]) -> Callable[[str], str]:
    def change(value: str) -> str:
        for place in places.get(len(value), ()):
            value = value[:place] + mark + value[place:]
        return value

    return change


def _dates(values: Sequence[str], after: Sequence[str]) -> Iterator[Hypothesis]:
    """Dates of one form that are written in another one now."""
    old = next((form for form in FORMATS if _of_form(values, form) >= ALL), None)
    if old is None or _of_form(after, old) > 1 - ALL:
        return
    for new in (*FORMATS, *SHORT, SECONDS, MILLISECONDS):
        if new != old and _of_form(after, new) >= ALL:
            yield "rewritten", "date_format", rewritten(old, new), {"old": old, "new": new}, rewritten(new, old)


def _of_form(values: Sequence[str], form: str) -> float:
    return sum(moment(v, form) is not None for v in values) / len(values)
