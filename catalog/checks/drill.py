"""Trying rules before anyone relies on them: replay over past batches, and a fire drill with injected issues.

Everything is a function of what is passed in; nothing is stored, no row leaves the process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa

from catalog.damage.issues import ISSUES, Issue, inject
from catalog.history.series import Past, column_series
from catalog.learners.series.history import learn_column, learn_volume
from catalog.learners.series.limits import LEAST
from catalog.rules.rule import Rule
from catalog.rules.verdict import NOT_APPLICABLE, VIOLATED, Batch
from catalog.states.folding.fold import fold


@dataclass(frozen=True)
class Backtest:
    """A rule over past batches.

    `judged` batches to which it applied; `alarms` as (version, sentence); `expected_per_month` alarms by the rate
    observed or the rate stated, whichever is higher: no alarm in ten batches does not promise none in a hundred.
    """

    judged: int
    alarms: tuple[tuple[int, str], ...]
    expected_per_month: float | None


@dataclass(frozen=True)
class Drill:
    """Rules against injected issues, of the columns that were drilled.

    `caught` and `tried` by issue type; `misses` as (column, issue); `quiet` is False when the rules alarm on the
    healthy batch itself: then the drill says nothing. `fired`: by issue type, how many of the issues each clause saw:
    its metric for rules from history, the rule's kind for others.
    """

    caught: dict[str, int] = field(default_factory=dict)
    tried: dict[str, int] = field(default_factory=dict)
    misses: tuple[tuple[str, str], ...] = ()
    quiet: bool = True
    fired: dict[str, dict[str, int]] = field(default_factory=dict)

    def shares(self) -> dict[str, dict[str, float]]:
        """Share of the issues of each type that each clause saw, the most frequent clause first."""
        return {kind: clause_shares(self.fired.get(kind, {}), n) for kind, n in self.tried.items() if n}

    def recall(self) -> dict[str, float]:
        """Share of issues caught, by type."""
        return {kind: self.caught.get(kind, 0) / n for kind, n in self.tried.items() if n}


def clause_shares(fired: Mapping[str, int], tried: int) -> dict[str, float]:
    """How often each clause fired, as shares of the issues tried, the most frequent first.

    >>> clause_shares({"mean": 1, "KS_dist": 4}, 4)
    {'KS_dist': 1.0, 'mean': 0.25}
    """
    return {name: n / tried for name, n in sorted(fired.items(), key=lambda item: (-item[1], item[0]))}


def backtest(rule: Rule, batches: Sequence[Batch], *, per_month: float | None) -> Backtest:
    """Judge past batches, oldest first, by a rule that may have been learned from them.

    Parameters
    ----------
    per_month : versions that the table gets in a month, None where nobody knows.
    """
    alarms, judged = [], 0
    for batch in batches:
        verdict = rule.judge(batch)
        judged += verdict.status != NOT_APPLICABLE
        if verdict.status == VIOLATED:
            alarms.append((batch.version, verdict.sentence))
    return Backtest(judged, tuple(alarms), _per_month(len(alarms), judged, rule.fpr or 0.0, per_month))


def replay_learner(
    series: Past,
    *,
    column: str | None,
    kind: str,
    budget: float,
    per_month: float | None,
    versions: Sequence[int] | None = None,
) -> Backtest:
    """Learn from batches 1..k, judge batch k + 1, for every k: what a user would have seen, without hindsight.

    Costs no state: metrics are enough. A batch that alarms joins the past of the later ones all the same, as a false
    alarm does. `column` None replays the rule on the number of rows; `versions` names the batches.
    """
    alarms, judged = [], 0
    rows, days = column_series(series, column), [None if m is None else m.on for m in series]
    for k in range(LEAST, len(series)):
        if series[k] is None:
            continue
        if column is None:
            rule = learn_volume(series[:k], budget)
        else:
            rule = learn_column(rows[:k], column=column, kind=kind, budget=budget, days=days[:k])
        if rule is None:
            continue
        verdict = rule.judge_on(days[k], rows[k], rows[:k], days[:k])
        judged += verdict.status != NOT_APPLICABLE
        if verdict.status == VIOLATED:
            alarms.append((versions[k] if versions else k, verdict.sentence))
    return Backtest(judged, tuple(alarms), _per_month(len(alarms), judged, budget, per_month))


def _per_month(alarms: int, judged: int, stated: float, per_month: float | None) -> float | None:
    return None if per_month is None else max(alarms / judged if judged else 0.0, stated) * per_month


def drill(
    rules: Sequence[Rule],
    table: pa.Table,
    batch: Batch,
    *,
    issues: Sequence[Issue] = ISSUES,
    columns: Sequence[str] | None = None,
    seed: int = 0,
) -> Drill:
    """Inject issues into a healthy batch, one at a time, and see which the rules catch.

    Parameters
    ----------
    rules : active rules of the table (of any kind).
    table : the rows of `batch`; a part of them makes rules about volume meaningless and is judged without these.
    batch : the healthy batch, with the history before it; its state is replaced by that of the changed rows.
    columns : columns to break; all that a rule is about by default.
    """
    whole = table.num_rows == batch.state.rows
    asked = [r for r in rules if not (r.of_waits or r.of_schema) and (whole or not r.of_all_rows)]
    healthy = replace(batch, state=fold(table))
    if any(rule.judge(healthy).status == VIOLATED for rule in asked):
        return Drill(quiet=False)
    named = {r.column for r in asked if r.column is not None and r.column in table.column_names}
    names = columns if columns is not None else sorted(named)
    caught: dict[str, int] = {}
    tried: dict[str, int] = {}
    misses = []
    fired: dict[str, dict[str, int]] = {}
    for column in names:
        mine = [r for r in asked if r.column in (None, column)]
        for issue in issues:
            changed = None if issue.type == "volume" and not whole else inject(table, column, issue, seed)
            if changed is None:
                continue
            found = _catches(mine, changed, column, healthy)
            tried[issue.type] = tried.get(issue.type, 0) + 1
            caught[issue.type] = caught.get(issue.type, 0) + bool(found)
            seen = fired.setdefault(issue.type, {})
            for clause in found:
                seen[clause] = seen.get(clause, 0) + 1
            if not found:
                misses.append((column, issue.key))
    return Drill(caught, tried, tuple(misses), fired=fired)


def _catches(rules: Sequence[Rule], changed: pa.Table, column: str, healthy: Batch) -> set[str]:
    """The clauses of rules on the column or the table that see the change; other columns keep their states."""
    state = fold(changed.select([column]))
    columns = {**healthy.state.columns, **state.columns}
    broken = replace(healthy, state=replace(healthy.state, rows=changed.num_rows, columns=columns))
    found: set[str] = set()
    for rule in rules:
        verdict = rule.judge(broken)
        if verdict.status == VIOLATED:
            found |= rule.fired(verdict)
    return found
