"""What metrics say of a batch, as sentences that no statistics are needed for: "2.4% of the rows are null", "4,200 to
4,800 different values", "at most 173 fewer or 217 more rows than in the batch before".

Ends of bands are rounded outward, to a twentieth of their width (`ROUGH`): what a sentence calls wrong, the rule calls
wrong. What is beyond a band is said in so many digits that it is beyond what is said of the band.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from catalog.metrics.phrases import called, is_date, saying_of
from catalog.metrics.registry import METRICS
from catalog.metrics.words import clip, number

#: Shares of a band's width to which its ends are rounded: where it is told, and where two bands are compared. Chosen.
ROUGH, FINE = 0.05, 0.0005
TRIES = 6  # times ten, of digits; a bound
ROUNDING = 1e-9  # of floating point; a bound
MANY = 2.0  # from here on more is said as so many times as many, not per cents; a bound of length
SMALL, FAR, LARGE = 1e-4, 12.0, 1e12  # numbers beyond, of FAR powers of ten, have an exponent; bounds of length
DAYS = (-719162, 2932896)  # since 1970, of the years 1 and 9999, the first and the last that can be written
#: Of a band: None where there is no end.
Ends = tuple[float | None, float | None]


#: What is counted in words when it differs from another batch: fewer or more of them.
COUNTED = {"row_count": "rows", "dist_val_count": "different values"}
#: A band of it says only whether it happened.
UNCHANGED = "all rows are those of the batch before"


def demand(name: str, low: float | None, high: float, kind: str = "", *, exact: bool = False) -> str:
    """What a band asks of a metric, of a column of that `kind`; `exact`: in so many digits that another band is said
    otherwise.

    >>> demand("complete_ratio", 0.9836, 1.02), demand("dist_val_count", 4231.2, 4779.9)
    ('at most 1.65% of the rows are null', '4,220 to 4,780 different values')
    >>> demand("str_len", 12.34, 12.91), demand("zero_ratio", -0.1, 0.0), demand("parsed_ratio", 1.0, 1.1)
    ('12.34 to 12.92 characters on average', 'none of the numbers are zero', 'all of the texts are numbers')
    >>> demand("complete_ratio", 0.878, 0.9989), demand("str_len", 0.001, 3.0)
    ('at most 12.5% of the rows are null', 'at most 3 characters on average')
    >>> demand("shortfall", 0.01, 1.34)
    'the rows come to 74% to 10,000% of their usual number'
    >>> demand("Cohen_d", 3.302891295379083, 3.302891295379083), demand("mean", -12345.6, -12345.6)
    ("Cohen's d from the batch before is 3.303", 'the average is -12,346')
    >>> demand("max", 20513.2, 20544.0, "time"), demand("Pat_L_1", None, 0.1)[:39]
    ('the latest is 2026-03-01 to 2026-04-01', 'at most 5% of the rows went over to oth')
    """
    if name == "unchanged":
        return f"not {UNCHANGED}"
    scale = _scale(name, kind)
    return saying_of(name, kind).form.format(scale.band(*scale.ends(name, low, high), FINE if exact else ROUGH))


def finding(name: str, value: float, low: float | None, high: float, kind: str = "", sampled: str = "") -> str:
    """What a batch has in place of what was expected; `sampled` is said behind a figure that a sample answered.

    >>> finding("complete_ratio", 0.0167, 0.101, 0.384), finding("row_count", 1556.0, 1692.0, 3171.0)
    ('98.3% of the rows are null, expected 61% to 90%', '1,556 rows, expected 1,650 to 3,200')
    >>> finding("unique_ratio", 0.9975, 0.999, 1.0), finding("Pat_new", 1.0, None, 0.0879)[:31]
    ('different values come to 99.75% of the rows, expected at least 99.9%', 'all of the rows have values of ')
    >>> finding("row_count", 1001.0, 1002.0, 2000.0), finding("hour_mean", 2.75, -0.58, 0.37)
    ('1,001 rows, expected 1,002 to 2,000', 'the average time of day is 02:45, expected 23:25 to 00:23')
    >>> finding("log_mean", 3.28, -0.11, 2.3), finding("dist_val_count", 1.0, 109.0, math.inf)
    ('numbers are of the order of 1,900, expected at most 200', '1 different values, expected at least 105')
    >>> finding("shortfall", 3.31, None, 1.34)
    'the rows come to 30% of their usual number, expected at least 74%'
    >>> finding("shortfall", 0.4, 0.63, 1.34)
    'the rows come to 250% of their usual number, expected at most 160%'
    """
    if name == "unchanged":
        return f"{UNCHANGED}, expected others"
    if low is not None and _scale(name, kind).of in ("factor", "part"):  # the other end may be far away
        low, high = (None, high) if value > high else (low, math.inf)
    said, band = beyond(name, value, low, high, kind)
    told = saying_of(name, kind).form.format(f"about {said}" if sampled else said)
    return f"{told}{sampled and f' ({sampled})'}, expected {band}"


def beyond(name: str, value: float, low: float | None, high: float, kind: str = "") -> tuple[str, str]:
    """(a value, the band that it is held against), in as few digits as tell them apart."""
    scale = _scale(name, kind)
    ends, at, part = scale.ends(name, low, high), scale.shown(value), ROUGH
    for _ in range(TRIES):
        unit = scale.unit(ends, part)
        own = 1.0 if scale.is_whole else min(scale.unit((one, None), 2 * part, (1,)) for one in (at, _gap(at, ends)))
        if _is_out(scale.near(at, own), scale.outward(ends, unit)) == _is_out(at, ends):
            break
        part /= 10
    return scale.text(scale.near(at, own), own), scale.band(*ends, part)


def told_alone(name: str, value: float, kind: str = "") -> str:
    """What a batch has, where nothing is known of what was expected.

    >>> told_alone("complete_ratio", 0.996), told_alone("Pat_L_1", 2.0)[:15]
    ('0.4% of the rows are null', 'all of the rows')
    """
    if name == "unchanged":
        return UNCHANGED
    scale = _scale(name, kind)
    unit = scale.unit((at := scale.shown(value), None), ROUGH / 10)
    return saying_of(name, kind).form.format(scale.text(scale.near(at, unit), unit))


def change(name: str, low: float | None, high: float, before: str, kind: str = "", *, exact: bool = False) -> str:
    """How much a metric may differ from what it was `before`.

    >>> change("dist_val_count", -173.0, 217.0, "in the batch before")
    'at most 180 fewer or 220 more different values than in the batch before'
    >>> change("row_count", 10.0, 40.0, "in the batch before"), change("mean", 0.0, 2.0, "7 batches before")
    ('10 to 40 more rows than in the batch before', 'average at most 2 higher and no lower than 7 batches before')
    >>> change("row_count", 200.0, 200.0, "in the batch before"), change("mean", -0.25, -0.25, "7 batches before")
    ('200 more rows than in the batch before', 'average 0.25 lower than 7 batches before')
    >>> change("dist_val_count", -24.0, 24.0, "in the batch before")
    'at most 24 fewer or more different values than in the batch before'
    >>> change("complete_ratio", -0.01, 0.1854, "in the batch before")
    'share of null rows at most 19 percentage points lower or 1 percentage point higher than in the batch before'
    >>> change("log_mean", -1.0, 0.48, "in the batch before")
    'numbers at most 10 times smaller or 3.1 times larger than in the batch before'
    >>> change("log_mean", None, 0.48, "in the batch before")
    'numbers at most 3.1 times larger than in the batch before'
    """
    if name == "log_mean":
        least, most = (10.0 ** min(max(end, -FAR), FAR) for end in (-FAR if low is None else low, high))
        if least > 1 or most < 1:
            return times(name, least, most, before, exact=exact)
        return f"numbers at most {_larger(1 / least, most, FINE if exact else ROUGH)} than {before}"
    scale = replace(_scale(name, kind), is_date=False, is_clock=False)
    size = (100.0 if scale.is_share else 1.0) / (2 if scale.of == "half" else 1)
    of = (
        (" percentage point", " percentage points")
        if scale.is_share
        else (" day", " days")
        if is_date(name, kind)
        else ("", "")
    )
    ends = (-high, None if low is None else -low) if scale.of == "rest" else (low, high)
    first, last = (
        None if end is None or math.isinf(end) or (scale.is_share and abs(size * end) >= 100) else size * end
        for end in ends
    )
    scale = replace(scale, is_share=False)
    unit = scale.unit((first, last), FINE if exact else ROUGH)
    if first is not None and _is_one((first, last)):
        unit = scale.unit((first, first), FINE, (1,))
        first = last = scale.near(first, unit)
    least, most = scale.outward((first, last), unit)
    less, more = ("fewer", "more") if name in COUNTED else ("lower", "higher")

    def by(end: float) -> str:
        said = scale.digits(abs(end), unit)
        return f"{said}{of[said != '1']}"

    if least is not None and most is not None and (least > 0 or most < 0):
        near, far = map(by, (least, most) if least > 0 else (most, least))
        said = f"{near if near == far else f'{near} to {far}'} {more if least > 0 else less}"
    else:
        sides = [(end, word) for end, word in ((least, less), (most, more)) if end is not None]
        moved = " or ".join(f"{by(end)} {word}" for end, word in sides if end)
        if least is not None and most is not None and least == -most:
            moved = f"{by(most)} {less} or {more}"
        still = " and ".join(f"no {word}" for end, word in sides if not end)
        said = " and ".join([*([f"at most {moved}"] if moved else []), *([still] if still else [])])
    return _compared(name, said or "otherwise", f"than {before}")


def _larger(smaller: float, larger: float, part: float) -> str:
    """How many times smaller or larger numbers may be; of an end that is `FAR` away nothing is said."""
    ends = [(end, word) for end, word in ((smaller, "smaller"), (larger, "larger")) if end < 10.0**FAR]
    return " or ".join(f"{_Scale().rounded(end, part, up=True)} times {word}" for end, word in ends)


def times(name: str, low: float, high: float | None, before: str, *, exact: bool = False) -> str:
    """From how many to how many times what it was `before` a metric may be; None: to any number.

    >>> times("row_count", 0.9048, 1.105, "7 batches before")
    'at most 9.6% fewer or 10.5% more rows than 7 batches before'
    >>> times("dist_val_count", 0.208, 4.824, "in the batch before")
    'at most 80% fewer or 5 times as many different values as in the batch before'
    >>> times("mean", 1.01, 3.4, "in the batch before")
    'average 1 to 3.4 times as high as in the batch before'
    >>> times("row_count", 1.5, 1.5, "in the batch before")
    '1.5 times as many rows as in the batch before'
    >>> times("row_count", 0.482, None, "in the batch before")
    'at most 52% fewer rows than in the batch before'
    """
    part, plain, per_cent = FINE if exact else ROUGH, _Scale(), _Scale(is_share=True)
    less, more, many = ("fewer", "more", "as many") if name in COUNTED else ("lower", "higher", "as high")
    if high is None:
        return _compared(name, f"at most {per_cent.rounded(100 * (1 - low), part, up=True)} {less}", f"than {before}")
    if low > 1 or high < 1:
        said = f"{plain.rounded(low, part, up=False)} to {plain.rounded(high, part, up=True)} times {many}"
        if _is_one((low, high)):
            said = f"{plain.band(low, low, part)} times {many}"
        return _compared(name, said, f"as {before}")
    fewer = f"at most {per_cent.rounded(100 * (1 - low), part, up=True)} {less}"
    if high < MANY:
        told = f"{fewer} or {per_cent.rounded(100 * (high - 1), part, up=True)} {more}"
        return _compared(name, told, f"than {before}")
    return _compared(name, f"{fewer} or {plain.rounded(high, part, up=True)} times {many}", f"as {before}")


def _compared(name: str, said: str, with_what: str) -> str:
    if name in COUNTED:
        return f"{said} {COUNTED[name]} {with_what}"
    return f"{called(name)} {said} {with_what}"


@dataclass(frozen=True)
class _Scale:
    """What figures of a metric are told in: whole numbers, per cents, points in time."""

    of: str = ""
    is_share: bool = False
    is_whole: bool = False
    is_date: bool = False
    is_clock: bool = False
    from_zero: bool = False

    def shown(self, x: float) -> float:
        if self.of == "factor":
            return float(10.0**x)
        x = 1 / x if self.of == "part" and x else {"rest": 1 - x, "half": x / 2}.get(self.of, x)
        return 100 * x if self.is_share else x

    def ends(self, name: str, low: float | None, high: float) -> Ends:
        """The ends of a band that values can go beyond."""
        least = METRICS[name].least if name in METRICS else None
        low, high = clip(name, low, high)
        if self.of == "part":
            low, high = (None if low is None or low <= 0 else low), (high if high > 0 else math.inf)
        first, last = (None if end is None or not math.isfinite(end) else self.shown(end) for end in (low, high))
        first = None if low is not None and low == least else first
        if self.of in ("rest", "part"):
            first, last = last, first
        if self.is_share:
            first = first if first is not None and first > 0 else None
            last = last if last is not None and (last < 100 or self.of == "part") else None
        return first, last

    def unit(self, ends: Ends, part: float, steps: Sequence[int] = (1, 2, 5)) -> float:
        """What the ends of a band are multiples of: 1, 2 or 5 times (`steps`) a power of ten, at most that part of its
        width; of one end, of how far it is from nothing, and of a share from all."""
        known = [end for end in ends if end is not None]
        if self.is_clock:
            return 1 / 60
        size = max(known, default=0.0) - min(known, default=0.0)
        if self.of == "part" and size > 0:  # from a few per cent to many times as many
            size = min(size, *(abs(end) for end in known if end))
        if not size:
            size = min((abs(end - edge) for end in known for edge in ((0.0, 100.0) if self.is_share else (0.0,))
                        if end != edge), default=1.0)  # fmt: skip
        if self.is_date:
            return 1.0 if part * size >= ROUGH else 1 / (24 * 60)
        ten = 10.0 ** math.floor(math.log10(part * size))
        unit = max(times * ten for times in steps if times * ten <= part * size * (1 + ROUNDING) or times == 1)
        return max(unit, 1.0) if self.is_whole else unit

    def outward(self, ends: Ends, unit: float) -> Ends:
        low, high = ends
        least = None if low is None else unit * math.floor(low / unit + ROUNDING)
        return least, None if high is None else unit * math.ceil(high / unit - ROUNDING)

    def rounded(self, x: float, part: float, *, up: bool) -> str:
        """A figure by itself, up or down to a part of it."""
        unit = self.unit((x, None), part)
        low, high = self.outward((x, x), unit)
        return self.digits((high if up else low) or 0.0, unit)

    def near(self, x: float, unit: float) -> float:
        return unit * round(x / unit)

    def band(self, low: float | None, high: float | None, part: float) -> str:
        unit = self.unit((low, high), part)
        if low is not None and _is_one((low, high)) and not (self.is_date or self.is_clock):
            unit = self.unit((low, low), min(part, FINE), (1,))
            low = high = self.near(low, unit)
        first, last = self.outward((low, high), unit)
        ends = None if self.from_zero and (first or 0) <= 0 else first, None if self.is_share and last == 100 else last
        least, most = (None if end is None else self.text(end, unit) for end in ends)
        if least is None and most is None:
            return "any share" if self.is_share else "any number"
        if least is None or most is None:
            one = most if least is None else least
            said = f"at most {one}" if least is None else f"at least {one}"
            return str(one) if one in ("none", "all") else said
        return least if least == most else f"{least} to {most}"

    def text(self, x: float, unit: float) -> str:
        if self.is_date:
            first, last = DAYS
            at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(minutes=round(min(max(x, first), last) * 24 * 60))
            return at.isoformat(" ", "minutes")[: 10 if unit == 1 else 16]
        if self.is_clock:
            return number("hour_mean", x)
        if self.is_share and abs(x) <= ROUNDING:
            return "none"
        return "all" if self.is_share and abs(x - 100) <= ROUNDING else self.digits(x, unit)

    def digits(self, x: float, unit: float) -> str:
        if x and not SMALL <= abs(x) < LARGE:
            return f"{x:.4g}"
        said = f"{x:,.{max(-math.floor(math.log10(unit) + ROUNDING), 0)}f}"
        said = said.rstrip("0").rstrip(".") if "." in said else said
        return f"{said}%" if self.is_share else said


def _gap(x: float, ends: Ends) -> float:
    """How far a figure is beyond a band; itself where it is not."""
    low, high = ends
    if low is not None and x < low:
        return low - x
    return x - high if high is not None and x > high else x


def _is_one(ends: Ends) -> bool:
    """Whether a band is a single number, which has no width to round its ends to."""
    low, high = ends
    return low is not None and high is not None and abs(high - low) <= ROUNDING * abs(low)


def _is_out(x: float, ends: Ends) -> bool:
    low, high = ends
    return (low is not None and x < low - ROUNDING * abs(low)) or (high is not None and x > high + ROUNDING * abs(high))


def _scale(name: str, kind: str) -> _Scale:
    unit, of = METRICS[name].unit if name in METRICS else "", saying_of(name, kind).of
    is_share = unit == "share" or of in ("half", "share", "part")
    from_zero = is_share or of == "factor" or (name in METRICS and METRICS[name].least == 0)
    return _Scale(of, is_share, unit == "rows", is_date(name, kind), unit == "time of day", from_zero)
