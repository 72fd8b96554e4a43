"""Our learner on a benchmark: the product's own code, fitted without the query's table or whole repository."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass

import pyarrow as pa

from benchmarks.string_data import Column, Tests
from benchmarks.string_score import Demand, Outcome, judge, outside_candidate, tolerance_alarm
from catalog.evidence.calibration import calibrate
from catalog.evidence.index import PatternIndex
from catalog.evidence.starter import pretrain
from catalog.evidence.views import Profile, profile
from catalog.rules.rule import Rule
from catalog.rules.strings import clause_candidate, learn_strings
from catalog.states.column import ColumnState
from catalog.states.fold import fold


def state_of(values: list[str]) -> ColumnState:
    """State of a column, folded as the scan folds it."""
    return fold(pa.table({"x": pa.array(values, pa.string())})).columns["x"]


@dataclass
class Ours:
    """The product's learner, calibrated once per group of tables left out."""

    lake: list[Column]
    budget: float

    def run(self, bench: object, name: str) -> list[Outcome]:
        """Outcomes of ``ours`` (the repository left out), ``ours_same_repository`` (the table) or ``ours_starter``."""
        tests: Tests = bench.tests  # type: ignore[attr-defined]
        columns: list[Column] = bench.columns  # type: ignore[attr-defined]
        out: list[Outcome | None] = [None] * len(columns)
        for index, members in self.folds(columns, name):
            for i in members:
                state = state_of(columns[i].train)
                own = self.key(columns[i], name)
                started = time.perf_counter()
                rule = learn_strings(state, index, column=columns[i].name, own_table=own, budget=self.budget)
                seconds = time.perf_counter() - started
                out[i] = outcome(tests, i, rule, seconds)
        return [o for o in out if o is not None]

    @staticmethod
    def key(column: Column, name: str) -> str:
        """Table key under which a column stands in the index: all of a repository is one table for ``ours``."""
        return column.repo if name == "ours" else column.table

    def index(self, name: str) -> PatternIndex:
        """Index of the whole lake with its replays."""
        parts: dict[str, dict[str, Profile]] = {}
        replays: dict[str, dict[str, tuple[Profile, Profile]]] = {}
        for column in self.lake:
            key = self.key(column, name)
            whole, head, tail = (profile(state_of(v)) for v in (column.values, column.train, column.test))
            assert whole is not None
            assert head is not None
            assert tail is not None
            parts.setdefault(key, {})[column.column_id] = whole
            replays.setdefault(key, {})[column.column_id] = (head, tail)
        index = PatternIndex()
        for key, columns in parts.items():
            index.update(key, columns, replays[key])
        index.settle()
        return index

    def folds(self, columns: list[Column], name: str):  # type: ignore[no-untyped-def]
        """(index with a model fitted without the fold, query columns of the fold)."""
        if name == "ours_starter":
            index = PatternIndex()
            pretrain(index)
            yield index, range(len(columns))
            return
        index = self.index(name)
        keys = [self.key(c, name) for c in columns]
        order = [key for key, _ in Counter(keys).most_common()]
        folds = [[key] for key in order] if name == "ours" else [order[k::8] for k in range(8)]
        for fold_keys in folds:
            index.model = calibrate(index, excluded=fold_keys)
            yield index, [i for i, key in enumerate(keys) if key in set(fold_keys)]


def demands_of(tests: Tests, rule: Rule | None) -> list[Demand]:
    """The clauses of a rule on the benchmark's values, judged as `catalog.rules.strings.alarms` does."""
    if rule is None:
        return []
    return [
        Demand(outside_candidate(tests, clause_candidate(c)), tolerance_alarm(c["theta"], rule.params["rows"]))
        for c in rule.params["clauses"]
    ]


def outcome(tests: Tests, i: int, rule: Rule | None, seconds: float) -> Outcome:
    false_alarm, flagged = judge(tests, i, demands_of(tests, rule))
    text = "" if rule is None else rule.sentence[:300]
    return Outcome(rule is not None, false_alarm, flagged, seconds, text, None if rule is None else rule.fpr)


__all__ = ["Ours", "demands_of", "outcome", "state_of"]
