"""Our learner on a benchmark: the product's own code, fitted without the query's table or whole repository."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.fmdv.data import Column, Tags, Tests, state_of
from benchmarks.fmdv.score import SHARES, Alarm, Demand, Outcome, judge, outside_candidate, tolerance_alarm
from catalog.evidence.calibrated.calibration import FOLDS as CALIBRATION_FOLDS
from catalog.evidence.calibrated.calibration import calibrate
from catalog.evidence.calibrated.calibration import fold_of as calibration_fold
from catalog.evidence.calibrated.features import features_of_sums, lake_sums
from catalog.evidence.calibrated.replay import sides
from catalog.evidence.calibrated.risk import Risk
from catalog.evidence.clauses.candidates import CLAUSE_KINDS, PRESENT
from catalog.evidence.clauses.meaning import lowest_share
from catalog.evidence.pattern_index.index import PatternIndex
from catalog.evidence.pattern_index.starter import add_starter, pretrain
from catalog.evidence.pattern_index.views import Profile, profile, profile_rows
from catalog.learners.strings import learn_strings
from catalog.rules.clauses.strings import StringClause
from catalog.rules.kinds.strings import StringsRule

UNTAGGED = "ours_untagged"
FOLDS = 8  # groups of repositories (or tables) left out together: more than the query's own


@dataclass
class Ours:
    """The product's learner, calibrated once per group of tables left out.

    Parameters
    ----------
    fits : folder in which the index and the calibrations of "ours" are kept, or found. Fits differ from draw to draw:
        what is changed in how clauses are selected, judged or said is compared on the same ones.
    meant : what columns are tagged with.
    """

    lake: list[Column]
    budget: float
    fits: Path | None = None
    meant: Tags = field(default_factory=dict)
    rules: dict[str, dict[str, StringsRule | None]] = field(default_factory=dict)

    def run(self, bench: object, name: str) -> list[Outcome]:
        """Outcomes of ``ours`` (the repository left out; ``ours_untagged``: as if no column had a tag),
        ``ours_same_repository`` (the table) or ``ours_starter``."""
        tests: Tests = bench.tests  # type: ignore[attr-defined]
        columns: list[Column] = bench.columns  # type: ignore[attr-defined]
        out: list[Outcome | None] = [None] * len(columns)
        for index, members in self.kept_folds(columns, name):
            for i in members:
                state = state_of(columns[i].train)
                own = self.key(columns[i], name)
                started = time.thread_time()
                meant = () if name == UNTAGGED else self.meant.get(columns[i].column_id, ())
                rule = learn_strings(
                    state, index, column=columns[i].name, own_table=own, budget=self.budget, meant=meant
                )
                seconds = time.thread_time() - started
                out[i] = outcome(tests, i, rule, seconds)
                self.rules.setdefault(name, {})[columns[i].column_id] = rule
        return [o for o in out if o is not None]

    @staticmethod
    def key(column: Column, name: str) -> str:
        """Table key under which a column stands in the index: all of a repository is one table for ``ours``."""
        return column.repo if name in ("ours", UNTAGGED) else column.table

    def index(self, name: str) -> PatternIndex:
        """Index of the whole lake with its replays, begun from the starter index."""
        index = PatternIndex()
        add_starter(index)
        tables: dict[str, dict[str, Profile]] = {}
        replays: dict[str, dict[str, list[tuple[Profile, Profile]]]] = {}
        for column in self.lake:
            key = self.key(column, name)
            tables.setdefault(key, {})[column.column_id] = seen(column.values)
            replays.setdefault(key, {})[column.column_id] = windows(column)
        for key, columns in tables.items():
            index.update(key, columns, replays[key])
        index.settle()
        return index

    def kept_folds(self, columns: list[Column], name: str) -> Iterator[tuple[PatternIndex, list[int]]]:
        """`folds` on the kept fits."""
        if self.fits is None or name not in ("ours", UNTAGGED):
            yield from self.folds(columns, name)
            return
        if not self.fits.exists():
            for k, (index, members) in enumerate(self.folds(columns, name)):
                assert index.model is not None
                if not k:
                    index.save(self.fits)
                kept: dict[str, Any] = {"members": members, **index.model.arrays()}
                np.savez(self.fits / f"fold{k}.npz", **kept)
        index = PatternIndex.open(self.fits)
        for k in range(FOLDS):
            arrays = dict(np.load(self.fits / f"fold{k}.npz"))
            members = arrays.pop("members").tolist()
            index.model = Risk.of_arrays(arrays)
            yield index, members

    def folds(self, columns: list[Column], name: str) -> Iterator[tuple[PatternIndex, list[int]]]:
        """(index with a model fitted without the fold's tables, query columns of the fold)."""
        if name == "ours_starter":
            index = PatternIndex()
            pretrain(index)
            yield index, list(range(len(columns)))
            return
        index = self.index(name)
        keys = [self.key(c, name) for c in columns]
        order = [key for key, _ in Counter(keys).most_common()]
        folds = [order[k::FOLDS] for k in range(FOLDS)]
        fold_of = {key: k for k, members in enumerate(folds) for key in members}
        sums = ReplaySums(index, fold_of, len(folds))
        for k, members in enumerate(folds):
            print(f"{name}: fold {k + 1} of {len(folds)}", flush=True)
            index.model = calibrate(index, excluded=members, features=sums.without(k))
            yield index, [i for i, key in enumerate(keys) if fold_of[key] == k]


def seen(values: list[str]) -> Profile:
    """Profile of values through their state, as the product sees them."""
    found = profile(state_of(values))
    assert found is not None
    return found


def windows(column: Column) -> list[tuple[Profile, Profile]]:
    """Replays of a column, as the starter index makes them."""
    return [(profile_rows(head), profile_rows(tail)) for head, tail in sides(column.values)]


class ReplaySums:
    """The replays' evidence summed by group, so that the features without any fold cost no further lookup: the folds of
    the benchmark first, then those that tables of no query leave out in a calibration."""

    def __init__(self, index: PatternIndex, fold_of: dict[str, int], folds: int) -> None:
        self.index = index
        groups_of = [fold_of.get(key, folds + calibration_fold(key)) for key in index.tables]
        size, groups = folds + CALIBRATION_FOLDS, np.array(groups_of)[index.table_of]
        group = dict(zip(index.tables, groups_of, strict=True))
        weights = index.weights()
        self.total = np.bincount(groups, weights, size)
        self.group = [group[replay.table] for replay in index.replays]
        self.sums = []
        for replay in index.replays:
            matches = [
                index.match_compact(CLAUSE_KINDS[k], keys) for k, keys in zip(replay.kinds, replay.keys, strict=True)
            ]
            self.sums.append(np.array([lake_sums(m, weights, groups, size) for m in matches]))

    def without(self, fold: int) -> list[np.ndarray]:
        """Features of every replay with its own group and a fold left out."""
        out = []
        for replay, sums, group in zip(self.index.replays, self.sums, self.group, strict=True):
            gone = sorted({group, fold})
            left = sums.sum(axis=1) - sums[:, gone].sum(axis=1)
            lake = features_of_sums(np.maximum(left, 0), self.total.sum() - self.total[gone].sum())
            out.append(np.concatenate([replay.features, lake], axis=1))
        return out


def demands_of(tests: Tests, i: int, rule: StringsRule | None) -> list[Demand]:
    """The clauses of the rule of query column `i` on the benchmark's values, judged as `StringsRule.findings`
    does."""
    if rule is None:
        return []
    out, missing = [], tests.missing_of(i)
    for clause in rule.program:
        alarm = _alarm(tests, i, clause, rule.params["rows"])
        if clause.of_missing:
            out.append(Demand(missing == (clause.candidate.accepted == (PRESENT,)), alarm))
        else:
            out.append(Demand(outside_candidate(tests, clause.candidate) & ~missing, alarm, missing))
    return out


def _alarm(tests: Tests, i: int, clause: StringClause, trained: int) -> Alarm:
    """When a clause alarms. Of a batch of many distinct values a state lists some; what they say of a domain is a lower
    bound (`catalog.evidence.clauses.meaning.surely_outside`)."""
    test = tolerance_alarm(clause.theta, trained)
    if not clause.candidate.sampled:
        return test
    drawn = tests.drawn(i, SHARES)

    def alarm(bad: np.ndarray, rows: np.ndarray) -> np.ndarray:
        seen = np.round(drawn * bad / np.maximum(rows, 1)).astype(int)
        least = np.array([lowest_share(s, k) for s, k in zip(seen.flat, drawn.flat, strict=True)]).reshape(bad.shape)
        return test(np.where(drawn > 0, np.round(least * rows), bad), rows)

    return alarm


def outcome(tests: Tests, i: int, rule: StringsRule | None, seconds: float) -> Outcome:
    false_alarm, flagged = judge(tests, i, demands_of(tests, i, rule))
    text = "" if rule is None else rule.sentence[:300]
    return Outcome(rule is not None, false_alarm, flagged, seconds, text, None if rule is None else rule.fpr)


__all__ = ["Ours", "demands_of", "outcome", "state_of"]
