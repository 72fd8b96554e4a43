"""The methods that `benchmarks.avh` compares, on the same metrics, as functions of one column's past.

A method learns from a `Case` and returns a score of (metrics, rows of the table): above 1 is an alarm at the method's
usual setting. Scores let the benchmark also grant every rival the threshold that would have been best for it.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.avh.data import Broken, Case, Metrics
from benchmarks.shipped.calibrate_history import score_of
from catalog.history.series import TableMetrics
from catalog.learners.series.history import column_budget, learn_column, learn_volume
from catalog.metrics.registry import JUDGED as CLAUSES
from catalog.papers.avh import CATEGORICAL, NUMERIC, greedy, learn_avh
from catalog.rules.deviation import Deviation
from catalog.rules.kinds.history import HistoryRule

Floats = NDArray[np.float64]
Score = Callable[[Metrics, int], float]
Learner = Callable[[Case, Sequence[Broken]], Score]

BUDGET = 0.001
ALPHA = 0.01  # of the tests
TWO = frozenset(name for name, metric in CLAUSES.items() if metric.sides == "high")  # metrics of two batches


def ours(case: Case, issues: Sequence[Broken], *, differencing: bool = True) -> Score:
    """The product's rules of the column and of the table's rows."""
    return _score_of(case, _program(case, case.history, differencing))


def ours_single(case: Case, issues: Sequence[Broken]) -> Score:
    """Ours without the metrics that compare two batches (figure 8)."""
    return _score_of(case, _program(case, [{k: v for k, v in m.items() if k not in TWO} for m in case.history]))


def ours_limited(case: Case, issues: Sequence[Broken], limit: int) -> Score:
    """Ours with the few clauses that see most of the issues injected before (figure 9); the rule on rows stays."""
    rule = _program(case, case.history)
    if rule is None or not issues:
        return _score_of(case, rule)
    clauses = rule.clauses
    single = [rule.with_clauses([clause]) for clause in clauses]
    caught = np.array([[any(f.excess > 0 for f in r.apart(b.metrics, case.history)) for b in issues] for r in single])
    chosen = [clauses[i] for i in greedy(caught, [1.0] * len(clauses), float(limit), limit)]
    return _score_of(case, rule.with_clauses(chosen))


def ours_clauses(case: Case) -> tuple[float, Callable[[Metrics, int], list[str]]]:
    """The score of a healthy column by its own program, and the clauses that see something in a broken one."""
    rule = _program(case, case.history)

    def fired(metrics: Metrics, rows: int) -> list[str]:
        return [f.metric for f in _findings(case, rule, metrics, rows) if f.excess > 0]

    return score_of(rule, case.metrics, case.history) if rule else 0.0, fired


def _program(case: Case, history: Sequence[Metrics], differencing: bool = True) -> HistoryRule | None:
    share = column_budget(BUDGET, case.columns)
    return learn_column(history, column=case.column, kind=case.kind, budget=share, differencing=differencing)


def _findings(case: Case, rule: HistoryRule | None, metrics: Metrics, rows: int) -> list[Deviation]:
    found = rule.findings(metrics, case.history) if rule else []
    volume = learn_volume([TableMetrics(r) for r in case.table_rows], BUDGET)
    past = [{"row_count": float(r)} for r in case.table_rows]
    return found + (volume.findings({"row_count": float(rows)}, past) if volume else [])


def _score_of(case: Case, rule: HistoryRule | None) -> Score:
    volume = learn_volume([TableMetrics(r) for r in case.table_rows], BUDGET)
    past = [{"row_count": float(r)} for r in case.table_rows]

    def score(metrics: Metrics, rows: int) -> float:
        found = rule.findings(metrics, case.history) if rule else []
        found += volume.findings({"row_count": float(rows)}, past) if volume else []
        return 1 + max((f.excess for f in found), default=-1.0)

    return score


def avh(case: Case, issues: Sequence[Broken], **options: bool | int) -> Score:
    """The paper's learner; D(C) are the issues injected into an execution before the one judged."""
    trained = [b.metrics for b in issues]
    program = learn_avh(case.history, trained, kind=case.kind, budget=BUDGET, **options)  # type: ignore[arg-type]
    return lambda metrics, rows: 2.0 if program.broken(metrics, case.history) else 0.0


def tfdv(case: Case, issues: Sequence[Broken]) -> Score:
    """TensorFlow Data Validation: drift comparators (L-infinity 0.01 for strings, Jensen-Shannon 0.01 for numbers, the
    values of its guide) and the presence that its inferred schema demands."""
    present = min((m.get("complete_ratio", 0.0) for m in case.history), default=0.0)

    def score(metrics: Metrics, rows: int) -> float:
        drift = metrics.get("JS_div" if case.kind == "number" else "L_inf", 0.0) / 0.01
        missing = 2.0 if present == 1 and metrics.get("complete_ratio", 0.0) < 1 else 0.0
        return max(drift, missing)

    return score


_DEEQU = ("row_count", "complete_ratio", "unique_ratio", "mean", "std", "min", "max", "str_len")


def deequ_online_normal(case: Case, issues: Sequence[Broken]) -> Score:
    """deequ's OnlineNormal(3, 3) on the same metrics: mean and population deviation that run over the series, the point
    that is judged taken in before it is compared; points of the past that were out, after a tenth, are not."""
    past = {name: _series(case, name) for name in _DEEQU}

    def score(metrics: Metrics, rows: int) -> float:
        found = (_online(past[n], metrics[n]) for n in _DEEQU if n in metrics and len(past[n]))
        return max(found, default=0.0)

    return score


def _online(past: Floats, value: float) -> float:
    """How far the last of a series is from its running mean, in three running deviations."""
    series = [*past.tolist(), value]
    mean = total = far = 0.0
    for at, x in enumerate(series):
        before = mean, total
        mean += (x - mean) / (at + 1)
        total += (x - before[0]) * (x - mean)
        limit = 3 * math.sqrt(max(total, 0.0) / (at + 1))
        far = abs(x - mean) / limit if limit else float(x != mean) * 9.0
        if far > 1 and at >= 0.1 * len(series) and at < len(series) - 1:
            mean, total = before
    return far


def deequ_batch_normal(case: Case, issues: Sequence[Broken]) -> Score:
    """deequ's BatchNormal(3, 3) on size, completeness, distinctness, mean, deviation, extremes and length."""
    bands = {}
    for name in _DEEQU:
        x = _series(case, name)
        if len(x) >= 2:
            bands[name] = (float(x.mean()), 3 * float(x.std(ddof=1)))
    return lambda metrics, rows: _farthest(metrics, bands)


def deequ_rate(case: Case, issues: Sequence[Broken]) -> Score:
    """deequ's RelativeRateOfChange(0.5, 2) on the same metrics, against the batch before."""
    last = case.history[-1]

    def score(metrics: Metrics, rows: int) -> float:
        ratios = [metrics[n] / last[n] for n in _DEEQU if n in metrics and last.get(n)]
        return max((abs(math.log2(r)) if r > 0 else 9.0 for r in ratios), default=0.0)

    return score


def ks_test(case: Case, issues: Sequence[Broken]) -> Score:
    """Two-sample Kolmogorov-Smirnov test against the batch before (numbers only)."""
    before = case.history[-1].get("row_count", 0.0)

    def score(metrics: Metrics, rows: int) -> float:
        if "KS_dist" not in metrics:
            return 0.0
        p = ks_p_value(metrics["KS_dist"], before, metrics.get("row_count", 0.0))
        return math.log(max(p, 1e-300)) / math.log(ALPHA)

    return score


def chi_squared_test(case: Case, issues: Sequence[Broken]) -> Score:
    """Chi-squared test of homogeneity against the batch before (strings only)."""
    from scipy.stats import chi2

    def score(metrics: Metrics, rows: int) -> float:
        values = metrics.get("dist_val_count", 0.0)
        if "Chisquared" not in metrics or values < 2:
            return 0.0
        statistic = 2 * metrics["Chisquared"] * metrics.get("row_count", 0.0)
        return float(chi2.logsf(statistic, values - 1)) / math.log(ALPHA)

    return score


def mad(case: Case, issues: Sequence[Broken]) -> Score:
    """Hampel's X84 on every metric: 5.2 median absolute deviations from the median."""
    bands = {}
    for name in _names(case):
        x = _series(case, name)
        if len(x) == len(case.history):
            center = float(np.median(x))
            bands[name] = (center, 5.2 * float(np.median(np.abs(x - center))))
    return lambda metrics, rows: _farthest(metrics, bands)


def _farthest(metrics: Metrics, bands: dict[str, tuple[float, float]]) -> float:
    worst = 0.0
    for name, (center, width) in bands.items():
        if name not in metrics:
            return 9.0
        off = abs(metrics[name] - center)
        worst = max(worst, off / width if width > 0 else (9.0 if off > 1e-9 * max(abs(center), 1) else 0.0))
    return worst


def _names(case: Case) -> tuple[str, ...]:
    return NUMERIC if case.kind == "number" else CATEGORICAL


def _series(case: Case, name: str) -> Floats:
    return np.array([m[name] for m in case.history if name in m], float)


def _detector(make: Callable[[int], object]) -> Learner:
    """A detector of PyOD or scikit-learn on the standardised metrics of the past; its own threshold is 1."""

    def learn(case: Case, issues: Sequence[Broken]) -> Score:
        names = [n for n in _names(case) if all(n in m for m in case.history)]
        if not names:
            return lambda metrics, rows: 0.0
        x = np.array([[m[n] for n in names] for m in case.history])
        mean, sd = x.mean(axis=0), x.std(axis=0)
        sd = np.where(sd > 1e-12 * np.maximum(np.abs(mean), 1), sd, np.maximum(np.abs(mean), 1) * 1e-3)
        model = make(len(x))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit((x - mean) / sd)  # type: ignore[attr-defined]
        scores, threshold = model.decision_scores_, model.threshold_  # type: ignore[attr-defined]
        base = float(np.median(scores))
        span = max(float(threshold) - base, 1e-9)

        def score(metrics: Metrics, rows: int) -> float:
            if any(n not in metrics for n in names):
                return 9.0
            row = np.clip((np.array([[metrics[n] for n in names]]) - mean) / sd, -1e6, 1e6)
            return (float(model.decision_function(row)[0]) - base) / span  # type: ignore[attr-defined]

        return score

    return learn


def _ocsvm(n: int) -> object:
    from pyod.models.ocsvm import OCSVM

    return OCSVM(nu=0.1)


def _iforest(n: int) -> object:
    from pyod.models.iforest import IForest

    return IForest(n_estimators=30, random_state=0)


def _lof(n: int) -> object:
    from pyod.models.lof import LOF

    return LOF(n_neighbors=min(10, n - 1), novelty=True)


def _ecod(n: int) -> object:
    from pyod.models.ecod import ECOD

    return ECOD()


def _knn(n: int) -> object:
    from pyod.models.knn import KNN

    return KNN(n_neighbors=min(5, n - 1), method="mean")


class _KMeans:
    """K-MeansAD: distance to the nearest of two centres; threshold: the largest distance in the past."""

    def __init__(self, clusters: int) -> None:
        from sklearn.cluster import KMeans

        self.model = KMeans(n_clusters=clusters, n_init=3, random_state=0)

    def fit(self, x: Floats) -> None:
        self.model.fit(x)
        self.decision_scores_ = self.decision_function(x)
        self.threshold_ = float(self.decision_scores_.max())

    def decision_function(self, x: Floats) -> Floats:
        return np.asarray(self.model.transform(x).min(axis=1))


#: Cheap ones first: the report grows as methods finish.
METHODS: dict[str, Learner] = {
    "ours": ours,
    "deequ_batch_normal": deequ_batch_normal,
    "deequ_online_normal": deequ_online_normal,
    "deequ_rate": deequ_rate,
    "tfdv": tfdv,
    "ks": ks_test,
    "chi_squared": chi_squared_test,
    "mad": mad,
    "lof": _detector(_lof),
    "ocsvm": _detector(_ocsvm),
    "avg_knn": _detector(_knn),
    "kmeans": _detector(lambda n: _KMeans(2)),
    "ecod": _detector(_ecod),
    "iforest": _detector(_iforest),
    "ours_single": ours_single,
    "ours_raw": lambda c, i: ours(c, i, differencing=False),
    "ours_1": lambda c, i: ours_limited(c, i, 1),
    "ours_2": lambda c, i: ours_limited(c, i, 2),
    "ours_3": lambda c, i: ours_limited(c, i, 3),
    "avh": avh,
    "avh_single": lambda c, i: avh(c, i, two_distributions=False),
    "avh_raw": lambda c, i: avh(c, i, differencing=False),
    "avh_1": lambda c, i: avh(c, i, limit=1),
    "avh_2": lambda c, i: avh(c, i, limit=2),
    "avh_3": lambda c, i: avh(c, i, limit=3),
}
#: Not rivals: the paper's method and the ablations of both (figures 8 to 10) stand beside ours.
OWN = tuple(name for name in METHODS if name.startswith(("ours", "avh")))
#: Judged on every third clean execution.
SLOW = frozenset(METHODS) - {
    "ours",
    "deequ_batch_normal",
    "deequ_online_normal",
    "deequ_rate",
    "tfdv",
    "ks",
    "chi_squared",
    "mad",
    "avh",
}


def ks_p_value(statistic: float, n: float, m: float) -> float:
    """Asymptotic p-value of the two-sample KS statistic for `n` and `m` rows.

    >>> ks_p_value(0.0, 100, 100), ks_p_value(0.5, 100, 100) < 1e-9
    (1.0, True)
    """
    from scipy.special import kolmogorov

    return float(kolmogorov(statistic * math.sqrt(n * m / (n + m)))) if n and m else 1.0
