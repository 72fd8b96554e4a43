"""The clause of programs from history: one metric of a column, or its change, stays in a band."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from catalog.metrics.phrases import SAYINGS, hidden
from catalog.metrics.registry import METRICS, reveals
from catalog.metrics.sayings import change, demand, times
from catalog.metrics.words import whole
from catalog.rules.clauses.clause import HARDLY, Clause

#: The most that rows may explain that were added, or taken away, as a share of the rows: whether so many may come is
#: for the rule on the table's rows to say, but rows that are missing are missed in the columns, too.
#: Chosen: half as many again is news of the table; one row in twenty is missed.
MOST_ADDED, MOST_GONE = 0.5, 0.05
#: A column that is not full may be filled by this share of its missing cells at once, and keeps this
#: share of those that hold something. Chosen (``python -m benchmarks.lived.fills``): of 4,831 healthy batches of 25
#: real series and 12 tables of packages 63 filled a twentieth of what was missing and were fuller than ever (56 of one
#: table of versions), two a fifth; four lost a twentieth and were emptier than ever, none a tenth.
FILLS, KEEPS = 0.2, 0.9
WILD = math.log(1000)  # so many times as many as in another batch are no bound that people would name; chosen
#: Of which only much is bad, though they are no distances.
NO_DISTANCES = frozenset(
    {"duplicate_ratio", "repeated_ratio", "reused_ratio", "no_date_ratio", "nan_ratio", "stray", "shortfall"}
)
_FIGURES = ("low", "high", "center", "slack", "least", "most")
#: Metrics of all rows of a column or table; others are of the rows that are not null.
OF_ALL_ROWS = frozenset(
    {"complete_ratio", "filled_ratio", "duplicate_ratio", "repeated_ratio", "row_count", "shortfall"}
)
#: Fields that are left out of JSON where they say nothing; the others are always written.
_OPTIONAL = ("center", "filled", "slack", "fpr", "least", "most")
_ORDER = ("metric", "lag", "log", "center", "low", "high", "filled", "slack", "fpr", "least", "most")


@dataclass(frozen=True)
class BandClause(Clause):
    """A metric stays from `low` (None: no lower end) to `high` (infinite: no upper end, and not written).

    Parameters
    ----------
    metric : one of `catalog.metrics.registry.METRICS`.
    lag : 0 for the metric itself, else its change against that many batches before.
    log : whether logarithms are compared.
    center : where the band was widened from; rules of old releases have none.
    filled : rows of the column that were not null, usually.
    slack : how far the metric moves where all rows are replaced: added rows may move it by their share of that.
    fpr : stated chance that it errs on a healthy version, 0..1.
    least, most : what the column's values cannot be beyond, as a latitude is not beyond 90 degrees: its average,
        smallest and largest are not either, however wide the band is made for a batch.
    rest : what another release wrote beside these; kept as it is.
    kind : of its column, where its rule knows it; not kept with the clause.

    >>> data = {"metric": "complete_ratio", "lag": 0, "log": False, "low": 0.98, "high": 1.02}
    >>> BandClause.from_json(data).to_json() == data, BandClause.from_json(data).sentence()
    (True, 'at most 2% of the rows are null')
    """

    metric: str
    lag: int = 0
    log: bool = False
    center: float | None = None
    low: float | None = None
    high: float = math.inf
    filled: float | None = None
    slack: float | None = None
    fpr: float | None = None
    least: float | None = None
    most: float | None = None
    rest: Mapping[str, Any] = field(default_factory=dict)
    kind: str = ""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BandClause:
        known = {name: data[name] for name in _ORDER if name in data}
        return cls(**known, rest={name: value for name, value in data.items() if name not in known})

    def to_json(self) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in _ORDER}
        left_out = ("high",) if self.high == math.inf else ()  # JSON has no such number
        said = {n: v for n, v in values.items() if (v is not None or n not in _OPTIONAL) and n not in left_out}
        return said | dict(self.rest)

    @property
    def key(self) -> str:
        return self.metric

    @property
    def risk_stated(self) -> float:
        return float(self.fpr or 0.0)

    @property
    def tells(self) -> bool:
        return reveals(self.metric)

    @property
    def most_missing(self) -> float | None:
        of_missing = self.metric in ("complete_ratio", "filled_ratio") and not self.lag and not self.log
        return 1 - self.low if of_missing and self.low is not None else None

    @property
    def middle(self) -> float:
        """Where the band is measured from."""
        if self.center is not None:
            return self.center
        return 0.0 if self.low is None else (self.low + self.high) / 2

    def sentence(self, *, private: bool = False) -> str:
        """The clause in words, its ends in so many digits that another one is said otherwise.

        >>> lowest = BandClause("min", low=31000, high=32000)
        >>> lowest.sentence(), lowest.sentence(private=True)
        ('the smallest is 31,000 to 32,000', 'minimum as usual (hidden, since the column is sensitive)')
        """
        return self._said(private, exact=True)

    def brief(self, *, private: bool = False) -> str:
        """The same in round figures.

        >>> BandClause("dist_val_count", lag=1, low=-2.5, high=4.0).brief()
        'at most 3 fewer or 4 more different values than in the batch before'
        >>> BandClause("row_count", lag=7, log=True, low=-0.1, high=0.1).brief()
        'at most 9.6% fewer or 11% more rows than 7 batches before'
        """
        return self._said(private, exact=False)

    def _said(self, private: bool, *, exact: bool) -> str:
        if self.metric not in METRICS:  # of another release
            return f"{self.metric} as the past predicts"
        if private and self.tells:
            return hidden(self.metric, "as usual")
        if not self.lag and not self.log:
            return demand(self.metric, *self.ends, self.kind, exact=exact)
        before = "in the batch before" if self.lag == 1 else f"{self.lag} batches before"
        if self.log:
            low = 0.0 if self.low is None else math.exp(self.low)
            high = math.exp(self.high) if self.high < WILD else None
            return times(self.metric, low, high, before, exact=exact)
        return change(self.metric, self.low, self.high, before, self.kind, exact=exact)

    @property
    def ends(self) -> tuple[float | None, float]:
        """The band as far as the column's values can reach.

        >>> BandClause("min", low=-1300.0, high=1400.0, least=-90.0, most=90.0).ends
        (-90.0, 90.0)
        """
        reached = self.reachable()
        low = reached.low if self.least is None or reached.low is None else max(reached.low, self.least)
        return low, reached.high if self.most is None else min(reached.high, self.most)

    def reachable(self) -> BandClause:
        """The clause without the ends that no value can go beyond: a share is not above all, a column has no more
        different values than rows.

        >>> [(c.low, c.high) for c in (BandClause("complete_ratio", low=0.9, high=1.2).reachable(),
        ...                            BandClause("dist_val_count", low=-9.0, high=80.0, filled=76.0).reachable(),
        ...                            BandClause("complete_ratio", lag=1, low=-1.2, high=0.1).reachable(),
        ...                            BandClause("dist_val_count", 1, True, 0.0, -6.9, 2.0, 76.0).reachable())]
        [(0.9, inf), (None, inf), (None, 0.1), (None, 2.0)]
        """
        if self.metric not in METRICS:
            return self
        metric = METRICS[self.metric]
        least, greatest = metric.least, metric.greatest
        if self.log:  # of one against another batch, what is worth no word to call more
            most = math.log(self.filled) if self.metric == "dist_val_count" and self.filled else math.inf
            least, greatest = -most, min(most, WILD)
        elif self.lag:
            greatest = greatest if metric.is_share else None
            least = None if greatest is None else -greatest
        elif self.metric == "dist_val_count" and self.filled:
            greatest = self.filled
        down = None if self.low is None else whole(self.metric, self.low, 0.0)[0]
        low = None if down is not None and least is not None and down <= least else self.low
        high = math.inf if greatest is not None and self.high >= greatest else self.high
        return self if (low, high) == (self.low, self.high) else replace(self, low=low, high=high, center=self.middle)

    @property
    def binds(self) -> bool:
        """Whether any value that the metric may come to have is outside the band.

        >>> BandClause("complete_ratio", lag=1, low=-1.2, high=1.2).binds, BandClause("KS_dist", high=7.3).binds
        (False, False)
        >>> BandClause("mean", lag=1, high=1.2).binds, BandClause("log_mean", center=3.7, low=-2.0, high=14.2).binds
        (True, False)
        """
        if self.metric in MAGNITUDES and not self.log and self.high - self.middle > FURTHEST:
            return False
        reached = self.reachable()
        return reached.low is not None or math.isfinite(reached.high)

    @property
    def is_minor(self) -> bool:
        is_plain = bool(self.lag) and self.metric in PLAIN_CHANGES
        is_rare = self.metric == "top_ratio" and not self.lag and not self.log and self.middle < FREQUENT
        return (self.metric in SAYINGS and SAYINGS[self.metric].abstract and not is_plain) or is_rare or self.is_wide

    @property
    def is_wide(self) -> bool:
        """Whether how many or how large something is may be more than `WIDE` times what is usual, or nothing at all; of
        the smallest and the largest also whether they are below zero or above, and of values that are new or negative
        whether up to a third may be (`FREQUENT`).

        >>> BandClause("max", low=-12.0, high=9.0).is_wide, BandClause("negative_ratio", high=0.5).is_wide
        (True, True)
        >>> BandClause("dist_val_count", center=1.0, low=-9.0, high=11.0).is_wide
        True
        >>> BandClause("dist_val_count", center=90.0, low=5.0, high=400.0).is_wide
        False
        >>> BandClause("log_mean", center=3.7, low=-2.0, high=14.2).is_wide  # of a table of one row
        True
        """
        if self.metric in UP_TO and not self.lag and not self.log:
            return (self.low or 0) <= 0 and self.high > FREQUENT
        if self.metric in ("min", "max") and not self.lag and not self.log and (self.low or 0) < 0 < self.high:
            return True
        if self.metric == "log_mean" and not self.lag and not self.log and self.center is not None:
            return self.high - self.center > TENFOLD
        sized = self.metric in METRICS and METRICS[self.metric].unit in ("rows", "value")
        if not sized or self.lag or self.log or self.center is None:
            return False
        low, high = self.ends
        usual = self.center > 0 or (self.center == 0 and (low is None or low == self.least))
        return usual and (low is None or low <= 0) and WIDE * self.center < high

    @property
    def of_full(self) -> bool:
        """Whether it asks that a column stays without nulls, which goes without saying before what it holds."""
        return self.metric in ("complete_ratio", "filled_ratio") and not self.lag and self.middle >= 1

    def hidden(self) -> dict[str, Any]:
        shown = self.to_json()
        return {name: value for name, value in shown.items() if name not in _FIGURES} if self.tells else shown

    def loosened(self, factor: float) -> BandClause:
        """The band `factor` times as wide around its center.

        >>> far = BandClause("L_1", center=0.1, low=None, high=0.2, slack=0.5).loosened(3.0)
        >>> far.low, far.high, far.slack
        (None, 0.4, 1.5)
        """
        changed = replace(self, high=round(self.middle + factor * (self.high - self.middle), 12))
        if self.low is not None:
            changed = replace(changed, low=round(self.middle - factor * (self.middle - self.low), 12))
        return replace(changed, slack=self.slack * factor) if self.slack else changed

    def change(self, old: BandClause) -> str:
        """Bands are the same where their ends moved by less than `HARDLY` of the width, of a single end twice as far as
        it is from the middle; a clause on another change of the metric has moved.

        >>> full = BandClause("complete_ratio", center=1.0, low=0.99)
        >>> full.loosened(3.0).change(full), full.change(full)
        ('loosened', 'same')
        """
        if (old.lag, old.log) != (self.lag, self.log):
            return "moved"
        low_a, low_b = (-math.inf if c.low is None else c.low for c in (old, self))
        ends = [abs(x) for x in (old.high, self.high, low_a, low_b) if math.isfinite(x)]
        reach = old.high if math.isfinite(old.high) or old.center is None else 2 * old.center - low_a
        width = reach - low_a if math.isfinite(reach - low_a) else max(ends, default=1.0)
        tiny = HARDLY * width + 1e-12
        down = 0.0 if low_a == low_b else low_b - low_a
        up = 0.0 if self.high == old.high else self.high - old.high
        if abs(down) <= tiny and abs(up) <= tiny:
            return "same"
        if down <= tiny and up >= -tiny:
            return "loosened"
        return "tightened" if down >= -tiny and up <= tiny else "moved"


#: Metrics that nobody pictures but for how they changed: numbers may be ten times larger than in the batch before.
PLAIN_CHANGES = frozenset({"log_mean"})
#: The most frequent value is worth a word where it is in so many of the rows: chosen, a third. That no more of the rows
#: are new, negative or zero (`UP_TO`) is not.
FREQUENT = 1 / 3
UP_TO = frozenset({"new_values", "negative_ratio", "zero_ratio"})
#: Times what is usual beyond which an end says how far a batch may stray, and not what to expect: judged as ever, it is
#: read last. Chosen: at most 11 different values nobody signs of a column that held one.
WIDE = 3.0
TENFOLD = 1.0  # the same of orders of magnitude, a decimal logarithm; chosen
#: Metrics in orders of magnitude, and by how many no unit is mistaken for another; chosen: nanometres are metres / 1e9.
MAGNITUDES, FURTHEST = frozenset({"log_mean", "log_std", "log_EMD"}), 9.0


def that_bind(clauses: Sequence[BandClause]) -> list[BandClause]:
    """The clauses that some value would break. Their other end stays: a batch of many rows is judged by a narrower
    band, which may end within reach."""
    return [clause for clause in clauses if clause.binds]


def filled(metrics: Mapping[str, float]) -> float:
    """Rows of a batch that are not null in a column; 0 where not known."""
    return metrics.get("row_count", 0.0) * metrics.get("complete_ratio", 1.0)


def steps_of(series: Sequence[Mapping[str, float]]) -> list[int]:
    """How many batches on each one is from the last one before it that is no hole (empty).

    >>> steps_of([{"mean": 1.0}, {}, {"mean": 2.0}, {"mean": 2.0}])
    [1, 1, 2, 1]
    """
    found, step = [], 1
    for metrics in series:
        found.append(step)
        step = 1 if metrics else step + 1
    return found


def growth(name: str, steps: int) -> float:
    """How many times as far a distance from a batch so many `steps` before may be as one from the batch before.

    Distances add up at most (triangle inequality); of the chi-squared and the Jensen-Shannon divergence the roots are
    distances (Endres and Schindelin, 2003). Other metrics are of one batch.

    >>> growth("KS_dist", 3), growth("JS_div", 3), growth("mean", 3)
    (3.0, 9.0, 1.0)
    """
    if METRICS[name].sides != "high" or name in NO_DISTANCES:
        return 1.0
    return float(steps**2 if name in ("JS_div", "Chisquared") else steps)
