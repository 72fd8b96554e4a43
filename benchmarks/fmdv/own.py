"""Damage in a column's own terms: what string rules see of it, and how their rules read.

The values that come after the first tenth, 1,000 rows of them, are damaged by every kind of `catalog.damage` and by
the values of a neighbour column of the same table, in all rows, a fifth, a twentieth and a hundredth. A kind counts for
a column where it is damage by the kind's own test (`catalog.damage.kind.Kind.is_damage`: nine of ten values change, to
what the column does not hold). Nothing is seen where the clean batch raises an alarm.
"""

from __future__ import annotations

import random
import re
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.fmdv.data import Column
from benchmarks.fmdv.rivals import Rival
from catalog.damage import STRINGS
from catalog.damage.kind import LEAST_CHANGED
from catalog.evidence.clauses.meaning import Texts, domain_shares
from catalog.evidence.pattern_index.views import profile, profile_values
from catalog.patterns.language.characters import shape_of
from catalog.rules.clauses.sentences import phrases_of, shown
from catalog.rules.clauses.strings import NEARLY_ALL
from catalog.rules.kinds.strings import StringsRule
from catalog.states.folding.fold import fold

SHARES = (1.0, 0.2, 0.05, 0.01)
ROWS = 1000  # of every batch
TELLING = 0.5  # share of the values by which a known domain tells a kind that only domains tell
NEIGHBOUR = "neighbour"
Judge = Callable[[Sequence[str]], bool]  # whether a batch raises an alarm


@dataclass(frozen=True)
class OwnTests:
    """The clean batch of a column, and as many damaged rows of each kind that is damage to it."""

    clean: list[str]
    damaged: dict[str, list[str]] = field(default_factory=dict)

    def batch(self, kind: str, share: float) -> list[str]:
        """The batch with a share of its rows damaged; which ones is the batch's order, a shuffle."""
        bad = round(share * len(self.clean))
        return self.damaged[kind][:bad] + self.clean[bad:]


def own_tests(column: Column, neighbour: Column | None) -> OwnTests:
    """The batches of a column, always the same."""
    rng = np.random.default_rng(zlib.crc32(column.column_id.encode()))
    order = np.concatenate([rng.permutation(len(column.test)) for _ in range(-(-ROWS // len(column.test)))])[:ROWS]
    tests = OwnTests([column.test[i] for i in order])
    for kind in STRINGS:
        damaged = kind.damage(tests.clean, rng)
        if damaged is None or not kind.is_damage(tests.clean, damaged, column.test):
            continue
        changed = [new for old, new in zip(tests.clean, damaged, strict=True) if old != new]
        if kind.seen or _told_by_a_domain(tests.clean, changed):
            tests.damaged[kind.key] = [changed[i % len(changed)] for i in range(ROWS)]
    if neighbour is not None:
        others, known = neighbour.test, set(column.test)
        damaged = [others[i % len(others)] for i in order]
        if np.mean([value not in known for value in damaged]) >= LEAST_CHANGED:
            tests.damaged[NEIGHBOUR] = damaged
    return tests


def _told_by_a_domain(clean: Sequence[str], damaged: Sequence[str]) -> bool:
    """Whether damage that looks like any other value is against what a known domain asks (a check digit, a month)."""
    before, after = (
        domain_shares(Texts(tuple((v, n / ROWS) for v, n in Counter(vs).items()))) for vs in (clean, damaged)
    )
    return any(share - after.get(name, 0.0) >= TELLING for name, share in before.items() if share >= LEAST_CHANGED)


def neighbours(lake: Iterable[Column]) -> dict[str, Column]:
    """The next column of the same table, by column_id."""
    tables: dict[str, list[Column]] = {}
    for column in lake:
        tables.setdefault(column.table, []).append(column)
    return {
        column.column_id: columns[(i + 1) % len(columns)]
        for columns in tables.values()
        for i, column in enumerate(columns)
        if len(columns) > 1
    }


@dataclass(frozen=True)
class Own:
    """What a method sees of one column's damage: kind -> whether at each of `SHARES`."""

    false_alarm: bool
    seen: dict[str, tuple[bool, ...]]


def own_outcome(tests: OwnTests, alarms: Judge) -> Own:
    """Judge the clean batch and every damaged one."""
    if alarms(tests.clean):
        return Own(True, {kind: (False,) * len(SHARES) for kind in tests.damaged})
    return Own(False, {kind: tuple(alarms(tests.batch(kind, q)) for q in SHARES) for kind in tests.damaged})


def own_report(outcomes: Sequence[Own]) -> dict[str, Any]:
    """{kind: {share: recall}}, with the mean over kinds, how many columns each kind damages, and precision."""
    kinds = sorted({kind for outcome in outcomes for kind in outcome.seen})
    report: dict[str, Any] = {}
    for kind in kinds:
        rows = np.array([outcome.seen[kind] for outcome in outcomes if kind in outcome.seen], float)
        report[kind] = {f"{q:g}": float(r) for q, r in zip(SHARES, rows.mean(axis=0), strict=True)}
        report[kind]["columns"] = len(rows)
    means = {f"{q:g}": float(np.mean([report[kind][f"{q:g}"] for kind in kinds])) for q in SHARES} if kinds else {}
    precision = float(np.mean([not outcome.false_alarm for outcome in outcomes])) if outcomes else float("nan")
    return {**report, "mean": {**means, "columns": len(outcomes), "precision": precision}}


def print_own(name: str, report: Mapping[str, Any]) -> None:
    """The report as a table."""
    print(f"\n{name}: own damage seen at all rows, 20%, 5%, 1% (columns); precision {report['mean']['precision']:.3f}")
    for kind, row in sorted(report.items(), key=lambda item: (item[0] == "mean", item[0])):
        print(f"{kind:18}" + "".join(f" {row[f'{q:g}']:.3f}" for q in SHARES) + f"  ({row['columns']})")


# ------------------------------------------------------------------------------------------------------- methods


def judge_of(rule: StringsRule | None) -> Judge:
    """The product's judge: a batch is folded as the scan folds it, and its state judged."""

    def alarms(rows: Sequence[str]) -> bool:
        if rule is None:
            return False
        batch = profile(fold(pa.table({"x": pa.array(rows, pa.string())})).columns["x"])
        return batch is not None and any(found.alarm for found in rule.findings(batch))

    return alarms


def judge_of_rival(train: Sequence[str], learn: Callable[[list[str]], Rival | None]) -> Judge:
    """A rival's judge, on the values of a batch."""
    rule = learn(list(train))

    def alarms(rows: Sequence[str]) -> bool:
        if rule is None:
            return False
        counts = Counter(rows)
        if rule.known is not None:
            good = set(rule.known)
            bad = sum(n for value, n in counts.items() if value not in good)
        else:
            found = [re.compile(p.regex) for p in rule.patterns] or [re.compile(regex) for regex in rule.regexes]
            bad = sum(n for value, n in counts.items() if not any(one.search(value) for one in found))
        return bool(rule.alarm(np.array([bad]), np.array([len(rows)]))[0])

    return alarms


def halves(columns: Iterable[Column], seed: int) -> tuple[frozenset[str], frozenset[str]]:
    """The repositories that choices are made on, and those that only report."""
    repositories = sorted({column.repo for column in columns})
    random.Random(seed).shuffle(repositories)
    return frozenset(repositories[: len(repositories) // 2]), frozenset(repositories[len(repositories) // 2 :])


@dataclass(frozen=True)
class Reading:
    """How a rule reads: the length of its sentence; whether the column has one format and the rule one form of it, said
    in one phrase, which may be a meaning and how its values are written; of single values, the share of true later ones
    that the clauses that bind accept, and of the damaged ones that they reject."""

    length: int
    one_format: bool
    one_form: bool
    accepted: float
    rejected: float


def reading(rule: StringsRule, column: Column, tests: OwnTests) -> Reading:
    clauses = shown(rule.program)
    forms = [phrase for phrase in phrases_of(clauses) if phrase[0].says_what]
    asked = [clause.candidate for clause in clauses]

    def held(values: Sequence[str]) -> float:
        rows = [profile_values([(value, count)]) for value, count in Counter(values).items()]
        good = sum(row.all_rows for row in rows if not any(one.nonconforming(row) for one in asked))
        return good / len(values)

    bad = [1 - held(values) for values in tests.damaged.values()]
    fixed = len({shape_of(value) for value in column.values}) == 1
    return Reading(len(rule.sentence), fixed, len(forms) == 1, held(column.test), float(np.mean(bad)) if bad else 1.0)


def meaning_of(rule: StringsRule | None, meant: Collection[str]) -> str:
    """How a rule says what a column means that is tagged so, by the clauses that its sentence is of: that values are of
    the ``domain``, or which they are (``list``); else by a ``form`` alone, or ``none``."""
    bound = [] if rule is None else [one for one in shown(rule.program) if one.theta <= NEARLY_ALL]
    if any((one.is_of_domain and one.accepted[0] in meant) or one.kind == "versions" for one in bound):
        return "domain"
    return "list" if any(one.listed for one in bound) else "form" if any(one.says_what for one in bound) else "none"


def print_meanings(name: str, found: Mapping[str, int]) -> None:
    """How many columns of a particular meaning have a clause of it."""
    said = found.get("domain", 0) + found.get("list", 0)
    ways = ", ".join(f"{count} {what}" for what, count in sorted(found.items()))
    print(f"\n{name}: of {sum(found.values())} tagged columns of text {said} have a clause of their meaning ({ways})")


def reading_report(rows: Sequence[Reading]) -> dict[str, float]:
    """Figures of many rules."""
    sizes, fixed = [row.length for row in rows], [row for row in rows if row.one_format]
    return {
        "rules": len(rows), "median": float(np.median(sizes)), "p90": float(np.percentile(sizes, 90)),
        "one_format": len(fixed), "one_form": float(np.mean([float(row.one_form) for row in fixed] or [np.nan])),
        "accepted": float(np.mean([row.accepted for row in rows])),
        "rejected": float(np.mean([row.rejected for row in rows])),
    }  # fmt: skip


def print_reading(report: Mapping[str, float]) -> None:
    """The figures in words."""
    print(
        f"\n{report['rules']:.0f} rules as shown: median {report['median']:.0f} characters, 90% at most "
        f"{report['p90']:.0f}; of {report['one_format']:.0f} columns with one fixed format "
        f"{report['one_form']:.1%} have one pattern, list or domain; value by value {report['accepted']:.2%} of later "
        f"values are accepted, {report['rejected']:.1%} of damaged ones rejected"
    )
