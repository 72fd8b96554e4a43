"""A table with a past: what is known of its days, what is learned from them, and what the next one breaks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import pyarrow as pa

from catalog.causes.cause import Cause
from catalog.causes.diagnose import diagnose
from catalog.history.series import TableMetrics, observe_metrics
from catalog.learners.series.history import learn_history, unused_in
from catalog.rules.kinds.history import HistoryRule
from catalog.rules.rule import Rule
from catalog.rules.verdict import VIOLATED, Batch, Verdict
from catalog.states.folding.fold import fold
from catalog.states.table import TableState


def observed(states: Sequence[TableState]) -> list[TableMetrics]:
    """The metrics of each version, beside the one before."""
    return [observe_metrics(s, states[i - 1] if i else None) for i, s in enumerate(states)]


@dataclass(frozen=True)
class Past:
    """The first `days` days of a table, whose next one is `loaded` at that time. All of it is made when a test asks for
    it: every process collects every file, and few run it."""

    table: str
    day: Callable[[int], pa.Table]
    days: int
    loaded: datetime

    @cached_property
    def states(self) -> list[TableState]:
        return [fold(self.day(number)) for number in range(self.days)]

    @cached_property
    def series(self) -> list[TableMetrics]:
        return observed(self.states)

    @cached_property
    def kinds(self) -> dict[str, str]:
        return {name: column.kind for name, column in self.states[0].columns.items()}

    @cached_property
    def rules(self) -> list[HistoryRule]:
        return learn_history(self.series, kinds=self.kinds, unused=unused_in(self.states[-1]), budget=0.001)

    def next(self, state: TableState, mode: str = "increment", operation: str = "WRITE") -> Batch:
        schema = [[name, column.type] for name, column in state.columns.items()]
        return Batch(self.days, mode, state, self.states[-1], schema, self.loaded, self.series, operation=operation)

    def causes(self, batch: Batch, private: Sequence[str] = ()) -> list[Cause]:
        """What is said of a batch, by the rules of history that it breaks."""
        broken = broken_by(batch, self.rules)
        return [one.cause for one in diagnose(self.table, batch, broken, rules=self.rules, private=private)]


def broken_by(batch: Batch, rules: Sequence[Rule]) -> list[tuple[Rule, Verdict]]:
    return [(rule, verdict) for rule in rules if (verdict := rule.judge(batch)).status == VIOLATED]
