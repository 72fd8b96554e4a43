"""What a rule of histories looks at, drawn: each metric over all batches, with the band that the rule expects.

A rule judges versions that come after it, so its own outcomes begin late. The metrics of earlier batches are in the
catalog, and judging is a function of metrics: so the band is computed for them as it is for new ones
(`catalog.rules.rule.Rule.bands`). Verdicts are marked only where a version was judged.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from catalog.errors import StateError
from catalog.history.labels import UNHEALTHY
from catalog.history.series import TableMetrics
from catalog.metrics.phrases import is_date, saying_of
from catalog.metrics.registry import JUDGED, METRICS, is_share, reveals
from catalog.metrics.sayings import beyond
from catalog.metrics.words import beside, clip
from catalog.rules.rule import Rule
from catalog.rules.verdict import PASSED, VIOLATED
from catalog.store.expectations.rules import as_rule
from catalog.store.models import Outcome, RuleRow
from web.drawing.charts import between, short
from web.drawing.scale import DATE, SHARE, Point
from web.render import seconds as span

log = logging.getLogger(__name__)

#: Metrics that people understand at once; those of figures before the others.
PLAIN = {"row_count": 2, "mean": 2, "median": 2}
PLAIN |= dict.fromkeys(("complete_ratio", "dist_val_count", "str_len", "top_ratio", "new_values"), 1)
WAIT = "seconds_to_next_version"
#: Metrics of which nothing is less than what the band begins with, so that only its end is said.
FROM_NOTHING = ("nonconforming", WAIT)


@dataclass(frozen=True)
class Measured:
    """The metrics of one batch; `healthy` when later batches are compared with it."""

    version: int
    healthy: bool
    metrics: TableMetrics


@dataclass(frozen=True)
class Series:
    """One metric to draw. `unit`: what its figures are of, as `web.drawing.charts` says. `broken`: a version violated
    it."""

    title: str
    points: list[Point]
    unit: str
    broken: bool
    plain: int = 1
    metric: str = ""

    @property
    def liveliness(self) -> float:
        """How much there is to see: the way the values go, against the band's width; metrics that people understand
        at once come before the others."""
        values = [point.value for point in self.points if point.value is not None]
        bands = [point.high - (point.low or 0.0) for point in self.points if point.high is not None]
        width = max(bands, default=0.0) or 1.0
        return 10.0 * self.plain + min(9.0, (max(values) - min(values)) / width) if values else 0.0


def measured(rows: Iterable[tuple[int, str | None, bytes]]) -> list[Measured]:
    """Batches from ``(version, label, encoded metrics)``, oldest first; what cannot be decoded is left out."""
    out = []
    for version, label, data in rows:
        try:
            out.append(Measured(version, label not in UNHEALTHY, TableMetrics.decode(data)))
        except StateError:
            continue  # observed by another version of Assay: the next crawl observes it again
    return out


def series_of(
    rule: RuleRow, batches: Sequence[Measured], outcomes: Sequence[Outcome], most: int = 40, *, private: bool = False
) -> list[Series]:
    """What to draw of a rule: broken metrics first, then those in which there is most to see. Of a sensitive column
    (`private`) no metric is drawn that is a value of it.

    Parameters
    ----------
    batches : those of the table's usual kind, oldest first.
    outcomes : of the rule over all its revisions, oldest first, one a version.
    """
    drawn: list[Series] = []
    try:
        drawn = _metric_series(as_rule(rule), batches, outcomes, rule.column_kind)
    except (KeyError, TypeError, ValueError) as error:  # a revision that another version of Assay wrote
        log.info("the metrics of rule %s cannot be drawn: %r", rule.id, error)
    drawn = drawn or _outcome_series(rule, outcomes)
    if private:
        drawn = [one for one in drawn if not reveals(one.metric)]
    return sorted(drawn, key=lambda one: (not one.broken, -one.liveliness))[:most]


def _values(batch: Measured, column: str | None) -> Mapping[str, float]:
    if column is None:
        return batch.metrics.of_table()
    return batch.metrics.columns.get(column, {})


def _metric_series(rule: Rule, batches: Sequence[Measured], outcomes: Sequence[Outcome], kind: str) -> list[Series]:
    """The metrics that a rule compares with earlier batches; none of a rule that does not, or without batches."""
    names = rule.metrics if batches else ()
    said = {outcome.version: outcome for outcome in outcomes if outcome.status != "not_applicable"}
    points: dict[str, list[Point]] = {name: [] for name in names}
    earlier: list[Mapping[str, float]] = []
    for batch in batches:
        values = _values(batch, rule.column)
        bands = {name: clip(name, *band) for name, band in rule.bands(values, earlier).items()}
        for name in names:
            if name in values:
                outcome = said.get(batch.version)
                points[name].append(_point(batch.version, name, values[name], bands.get(name), outcome))
        earlier.append(values if batch.healthy else {})  # a hole, as in judging
    listed = {batch.version for batch in batches}
    for outcome in outcomes:  # batches of another kind (a MERGE among appends) are judged, but not in the series
        if outcome.version not in listed and outcome.metric in points and outcome.value is not None:
            points[outcome.metric].append(
                Point(outcome.version, outcome.value, outcome.low, outcome.high, outcome.status)
            )
    return [_series(name, sorted(found, key=lambda p: p.version), kind) for name, found in points.items() if found]


def _point(
    version: int, name: str, value: float, band: tuple[float | None, float] | None, outcome: Outcome | None
) -> Point:
    """A metric of a batch; where the outcome tells of it, its own band."""
    low, high = band or (None, None)
    if outcome is None:
        return Point(version, value, _finite(low), _finite(high))
    observed = (outcome.detail or {}).get("observed") or {}
    told = name == outcome.metric or (outcome.status == VIOLATED and name in observed)
    expected = ((outcome.detail or {}).get("expected") or {}).get(name)
    own = (outcome.low, outcome.high) if name == outcome.metric else None
    for ends in (own, expected if isinstance(expected, list) and len(expected) == 2 else None):
        if ends is not None and any(end is not None for end in ends):
            low, high = clip(name, ends[0], _open(ends[1]))  # as it was judged, not as it would be now
            break
    return Point(
        version, value, _finite(low), _finite(high), VIOLATED if told and outcome.status == VIOLATED else PASSED
    )


def _finite(end: float | None) -> float | None:
    return None if end is None or not math.isfinite(end) else end


def _open(high: float | None) -> float:
    """The upper end of a band; of one that says only what is too little there is none."""
    return math.inf if high is None else high


def _outcome_series(rule: RuleRow, outcomes: Sequence[Outcome]) -> list[Series]:
    """Of other rules: what each outcome measured."""
    names = dict.fromkeys(o.metric for o in outcomes if o.metric is not None and o.value is not None)
    return [
        _series(name, [_as_drawn(name, outcome) for outcome in outcomes if outcome.metric == name], rule.column_kind)
        for name in names
    ]


def _as_drawn(name: str, outcome: Outcome) -> Point:
    """What an outcome measured; waits in hours."""
    unit = 3600.0 if name == WAIT else 1.0
    value, low, high = (None if one is None else one / unit for one in (outcome.value, outcome.low, outcome.high))
    return Point(outcome.version, value, low, high, outcome.status)


def _unwound(name: str, points: list[Point]) -> list[Point]:
    """Points of a metric that is measured round a circle, each and its band as near the first value as turns allow.

    >>> _unwound("hour_mean", [Point(1, 23.5, -1.0, 0.25), Point(2, 0.25, 23.0, 24.5)])[0].low
    23.0
    >>> _unwound("hour_mean", [Point(1, 23.5), Point(2, 0.25, 23.0, 24.5)])[1]
    Point(version=2, value=24.25, low=23.0, high=24.5, status=None, at=None)
    """
    period = METRICS[name].period if name in METRICS else 0.0
    first = next((point.value for point in points if point.value is not None), None)
    if not period or first is None:
        return points

    def turns(at: float) -> float:
        return period * round((first - at) / period)

    out = []
    for point in points:
        value = None if point.value is None else point.value + turns(point.value)
        low, high = point.low, point.high
        if low is not None and high is not None:
            low, high = (end + turns((low + high) / 2) for end in (low, high))
        out.append(replace(point, value=value, low=low, high=high))
    return out


def _series(name: str, points: list[Point], kind: str) -> Series:
    points = _unwound(name, points)
    broken = any(point.status == VIOLATED for point in points)
    return Series(words(name), points, unit_of(name, kind), broken, PLAIN.get(name, 0), name)


def unit_of(name: str | None, kind: str = "") -> str:
    """What a metric's figures are of, in a column of that `kind`."""
    return SHARE if is_share(name) else DATE if name is not None and is_date(name, kind) else ""


def words(name: str) -> str:
    """A metric's name for people.

    >>> words("complete_ratio"), words("my_metric")
    ('share of rows that are not null', 'my metric')
    """
    known = METRICS.get(name)
    return known.words if known else name.replace("_", " ")


def measures(outcome: Outcome, kind: str = "") -> list[tuple[str, str, str, bool]]:
    """What an outcome saw of a column of that `kind`, as (metric in words, value, what was expected, whether that takes
    statistics to read), these last; empty where its sentence says it all."""
    detail = outcome.detail or {}
    observed, expected = detail.get("observed") or {}, detail.get("expected") or {}
    out = []
    for name, value in observed.items():
        band = expected.get(name)
        if name not in JUDGED or not isinstance(value, int | float) or not isinstance(band, list) or len(band) != 2:
            continue
        low, high = (None if end is None else float(end) for end in band)
        if low is not None or high is not None:
            told = (float(value), low, _open(high))
            said = beyond(name, *told, kind) if is_date(name, kind) else beside(name, *told)
            out.append((words(name), *said, saying_of(name, kind).abstract))
    return sorted(out, key=lambda one: one[-1])


def figure(outcome: Outcome, kind: str = "") -> tuple[str, str, str]:
    """The one figure an outcome is about, as (metric in words, value, what was expected); empty texts without one."""
    if outcome.value is None or outcome.metric is None:
        return "", "", ""
    if is_date(outcome.metric, kind) and outcome.high is not None:
        return words(outcome.metric), *beyond(outcome.metric, outcome.value, outcome.low, outcome.high, kind)
    if outcome.metric in METRICS and METRICS[outcome.metric].unit == "time of day" and outcome.high is not None:
        return words(outcome.metric), *beside(outcome.metric, outcome.value, outcome.low, outcome.high)
    low, high, unit = outcome.low, outcome.high, unit_of(outcome.metric, kind)
    if outcome.metric == WAIT:
        return "time to the next version", span(outcome.value), f"at most {span(high)}" if high is not None else ""
    if high is not None and outcome.metric in JUDGED:
        low, high = clip(outcome.metric, low, high)
    if low == 0 and (unit == SHARE or outcome.metric in FROM_NOTHING):
        low = None  # nothing is less
    band = "" if low is None and high is None else between(low, high, unit)
    return words(outcome.metric), short(outcome.value, unit), band


def shapes_before_and_now(outcome: Outcome) -> list[tuple[str, str, str]]:
    """How the strings of a column looked before and look now, as (shape, values before, values now), most now first;
    empty where all have one shape, as before."""
    observed = (outcome.detail or {}).get("observed") or {}
    before, now = (dict(_counted(observed.get(name))) for name in ("shapes_before", "shapes_now"))
    names = sorted({*before, *now}, key=lambda name: (-now.get(name, 0), -before.get(name, 0), name))
    told = now and (len(names) > 1 or not before)
    return [(name, short(before.get(name, 0)), short(now.get(name, 0))) for name in names] if told else []


@dataclass(frozen=True)
class Alignment:
    """The shape that was commonest before and the new one, token by token: (before, now, same); empty for a gap."""

    tokens: list[tuple[str, str, bool]]
    old: tuple[str, str]
    new: tuple[str, str]


def alignment(outcome: Outcome) -> Alignment | None:
    """What changed in the shapes of values, with how many had each; None where nothing could be aligned."""
    observed = (outcome.detail or {}).get("observed") or {}
    pairs, old, new = (observed.get(name) for name in ("alignment", "old", "new"))
    if not all(isinstance(one, list) and one for one in (pairs, old, new)):
        return None
    tokens = [(str(a), str(b), a == b) for a, b in (one for one in pairs if isinstance(one, list) and len(one) == 2)]  # type: ignore[union-attr]
    said = [(str(one[0]), short(one[1]) if isinstance(one[1], int) else "") for one in (old, new) if len(one) == 2]  # type: ignore[arg-type,index]
    return Alignment(tokens, said[0], said[1]) if tokens and len(said) == 2 else None


def demands(outcome: Outcome) -> list[tuple[str, str, str, bool]]:
    """Of a rule on strings, each clause as (words, share that does not conform, share tolerated, broken)."""
    observed = (outcome.detail or {}).get("observed") or {}
    listed = observed.get("clauses")
    found = []
    for one in listed if isinstance(listed, list) else []:
        if isinstance(one, dict) and {"words", "share", "theta"} <= one.keys():
            out = f"{one['nonconforming']:,} ({short(round(one['share'], 4), SHARE)})" if "nonconforming" in one else ""
            allowed = "none" if not one["theta"] else f"about {short(one['theta'], SHARE)}"
            found.append((str(one["words"]), out, allowed, one["share"] > one["theta"]))
    return found


def _counted(pairs: Any) -> list[tuple[str, int]]:
    listed = pairs if isinstance(pairs, list) else []
    return [
        (str(one[0]), one[1]) for one in listed if isinstance(one, list) and len(one) == 2 and isinstance(one[1], int)
    ]


def judged_bands(drawn: Sequence[Series], kind: str = "") -> dict[str, tuple[int, str]]:
    """The band of each metric by which a version was judged, as (version, band in words): the last version that broke
    it, else the last one that was judged; of a column of that `kind`. They are said as the rule's clauses are."""
    found: dict[str, tuple[int, str]] = {}
    for series in drawn:
        told = [
            p
            for p in series.points
            if p.status is not None and p.value is not None and (p.low is not None or p.high is not None)
        ]
        point = next((p for p in reversed(told) if p.status == VIOLATED), told[-1] if told else None)
        if point is not None and point.value is not None and series.metric in JUDGED:
            band = beyond(series.metric, point.value, point.low, _open(point.high), kind)[1]
            found[series.metric] = point.version, band
    return found
