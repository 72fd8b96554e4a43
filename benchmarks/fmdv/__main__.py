"""String rules: our learner, the methods of Auto-Validate and its rivals, on real columns.

    python -m benchmarks.fmdv --data DIR --json OUT [--methods fmdv_vh,ours,...] [--picture FILE] [--sensitivity]
    [--drift] [--lakes 2,4] [--own] [--half develop,report] [--show 100] [--fits FOLDER]

Each query column's first tenth trains a rule, the rest and all other columns test it (section 5.1 of the paper;
partial damage: 20% and 5% of the test rows replaced). Evidence leaves out the query's own table; for ``ours`` its
whole repository. ``--own`` adds damage in each machine-like column's own terms and how the rules read
(`benchmarks.fmdv.own`), of all repositories and of those halves of them on which choices are made and not, and how many
columns with a particular meaning have a clause of it; ``ours_untagged`` beside ``ours`` is as if none had a tag.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.fmdv import rivals
from benchmarks.fmdv.data import Column, Tests, load, tags_of
from benchmarks.fmdv.ours import UNTAGGED, Ours
from benchmarks.fmdv.own import (
    Own,
    halves,
    judge_of,
    judge_of_rival,
    meaning_of,
    neighbours,
    own_outcome,
    own_report,
    own_tests,
    print_meanings,
    print_own,
    print_reading,
    reading,
    reading_report,
)
from benchmarks.fmdv.report import drift, picture, print_table, reliability, report, sensitivity, smaller_lakes
from benchmarks.fmdv.score import (
    SHARES,
    Demand,
    Outcome,
    fisher_alarm,
    judge,
    never,
    outside_patterns,
    outside_regex,
    outside_values,
)
from catalog.papers.cmdv import cmdv
from catalog.papers.corpus import Corpus
from catalog.papers.fmdv import Found, Lake, coverage_wanted, fmdv, fmdv_h, fmdv_v, fmdv_vh
from catalog.patterns.language.characters import shape_of
from catalog.patterns.language.hierarchy import class_of

PAPER: dict[str, Callable[..., Found | None]] = {
    "fmdv": fmdv, "fmdv_v": fmdv_v, "fmdv_h": fmdv_h, "fmdv_vh": fmdv_vh, "cmdv": cmdv,
}  # fmt: skip
PROFILERS: dict[str, Callable[..., rivals.Rival | None]] = {
    "tfdv": rivals.tfdv, "deequ_cat": rivals.deequ_cat, "deequ_fra": rivals.deequ_fra,
    "potters_wheel": rivals.potters_wheel, "ssis": rivals.ssis, "xsystem": rivals.xsystem,
    "flash_profile": rivals.flash_profile, "grok": rivals.grok,
}  # fmt: skip
MATCHERS = ("sm_i_1", "sm_i_10", "sm_p_m", "sm_p_p")
BOUNDS = ("fd_ub", "ad_ub")
SPLIT = 14  # seed by which repositories are dealt into those that choices are made on and those that report
OURS = ("ours", "ours_same_repository", "ours_starter")
# The slowest last. Every rival is a re-implementation from its publication, documentation or source.
METHODS = (*OURS, *PAPER, *PROFILERS, *BOUNDS, *MATCHERS)


@dataclass
class Bench:
    """Everything the methods share."""

    lake: list[Column]
    queries: list[int]

    def __post_init__(self) -> None:
        self.columns = [self.lake[q] for q in self.queries]
        self.tests = Tests(self.columns)
        self.tables = np.array([c.table for c in self.lake])
        self._table: Any = None

    def offline(self) -> Any:
        """All columns as the paper's methods are asked of, built once."""
        if self._table is None:
            started = time.perf_counter()
            self._table = Corpus(list(Counter(c.values).items()) for c in self.lake)
            groups = len(self._table.groups)
            print(f"corpus: {groups} coarse patterns in {time.perf_counter() - started:.1f} s", flush=True)
        return self._table

    def outcome(
        self, i: int, demands: list[Demand], seconds: float, text: str = "", risk: float | None = None
    ) -> Outcome:
        false_alarm, flagged = judge(self.tests, i, demands)
        return Outcome(bool(demands), false_alarm, flagged, seconds, text, risk)


def run_paper(bench: Bench, name: str, only: set[int] | None = None, **parameters: Any) -> list[Outcome]:
    """One of the paper's methods on every query column, or on those numbered in `only`."""
    table, out = bench.offline(), []
    method = PAPER[name]
    horizontal = name in ("fmdv_h", "fmdv_vh")
    for i, column in enumerate(bench.columns):
        if only is not None and i not in only:
            continue
        lake = Lake(table, bench.tables != column.table, **{"m": coverage_wanted(len(bench.lake)), **parameters})
        started = time.thread_time()
        found = method(list(Counter(column.train).items()), lake)
        seconds = time.thread_time() - started
        demands = []
        if found is not None:
            whole = len(found.segments) == 1
            bad = (
                outside_patterns(bench.tests, [found.segments[0][0]])
                if whole
                else outside_regex(bench.tests, found.regex)
            )
            n = len(column.train)
            alarm = fisher_alarm(round(found.nonconforming * n), n) if horizontal else never
            demands = [Demand(bad, alarm)]
        out.append(bench.outcome(i, demands, seconds, str(found or "")))
    return out


def rival_demands(bench: Bench, rule: rivals.Rival | None) -> list[Demand]:
    if rule is None:
        return []
    if rule.known is not None:
        bad = outside_values(bench.tests, rule.known)
    elif rule.patterns:
        bad = outside_patterns(bench.tests, rule.patterns)
    else:
        bad = np.logical_and.reduce([outside_regex(bench.tests, regex) for regex in rule.regexes])
    return [Demand(bad, rule.alarm)]


def run_profiler(bench: Bench, name: str) -> list[Outcome]:
    """A rival that learns from the training values alone."""
    out = []
    for i, column in enumerate(bench.columns):
        started = time.thread_time()
        rule = PROFILERS[name](column.train)
        seconds = time.thread_time() - started
        text = (
            ""
            if rule is None
            else rule.text or (rule.regexes[0] if rule.regexes else f"{len(rule.known or ())} values")
        )
        out.append(bench.outcome(i, rival_demands(bench, rule), seconds, text[:200]))
    return out


def run_matcher(bench: Bench, name: str) -> list[Outcome]:
    """Schema matching: training values of related columns broaden the example, then Potter's Wheel."""
    holders: dict[str, list[int]] = {}
    classes: list[list[tuple[str, int]]] = []
    for number, column in enumerate(bench.lake):
        if name.startswith("sm_i"):
            for value in set(column.values):
                holders.setdefault(value, []).append(number)
        classes.append(Counter(class_of("runs", shape_of(v)) for v in column.values).most_common(1))
    out = []
    for i, column in enumerate(bench.columns):
        started = time.thread_time()
        related = _related(bench, column, name, holders, classes)
        train = list(column.train)
        for number in related[:20]:
            train.extend(bench.lake[number].values[:15])
        rule = rivals.potters_wheel(train)
        seconds = time.thread_time() - started
        out.append(bench.outcome(i, rival_demands(bench, rule), seconds, "" if rule is None else rule.text))
    return out


def _related(
    bench: Bench, column: Column, name: str, holders: dict[str, list[int]], classes: list[list[tuple[str, int]]]
) -> list[int]:
    if name.startswith("sm_i"):
        least = 1 if name == "sm_i_1" else 10
        shared = Counter(n for value in set(column.train) for n in holders.get(value, ()))
        return [n for n, c in shared.most_common() if c > least and bench.lake[n].table != column.table]
    mine, count = Counter(class_of("runs", shape_of(v)) for v in column.train).most_common(1)[0]
    if name == "sm_p_m" and count <= 0.5 * len(column.train):
        return []
    out = []
    for number, one in enumerate(classes):
        other = bench.lake[number]
        alike = other.table != column.table and one[0][0] == mine
        if alike and (name == "sm_p_p" or one[0][1] > 0.5 * len(other.values)):
            out.append(number)
    return out


def run_bound(bench: Bench, name: str) -> list[Outcome]:
    """Upper bounds of orthogonal approaches, with perfect precision assumed as in the paper."""
    n = len(bench.columns)
    out = []
    classes = [Counter(class_of("runs", shape_of(v)) for v in c.values) for c in bench.lake]
    common = Counter(one for counts in classes for one in counts)
    together: set[tuple[str, str]] = set()
    if name == "ad_ub":
        for counts in classes:
            top = [one for one, _ in counts.most_common(8) if common[one] >= 10]
            together |= {(a, b) for a in top for b in top}
    for i, column in enumerate(bench.columns):
        flagged = np.zeros((len(SHARES), n), bool)
        if name == "fd_ub":
            flagged[:] = _in_dependency(bench, column)
        else:
            mine = Counter(class_of("runs", shape_of(v)) for v in column.train).most_common(1)[0][0]
            for j in range(n):
                theirs = classes[bench.queries[j]].most_common(1)[0][0]
                if common[mine] >= 10 and common[theirs] >= 10 and (mine, theirs) not in together:
                    flagged[:, j] = True
        flagged[:, i] = False
        out.append(Outcome(bool(flagged.any()), False, flagged, 0.0))
    return out


def _in_dependency(bench: Bench, column: Column) -> bool:
    """Whether the column is part of a non-trivial functional dependency X -> Y (one column each) of its table."""
    mine = np.unique(np.array(column.values), return_inverse=True)[1]
    if len(set(mine.tolist())) in (1, len(mine)):
        return False
    for other in bench.lake:
        if other.table != column.table or other is column or len(other.values) != len(column.values):
            continue
        theirs = np.unique(np.array(other.values), return_inverse=True)[1]
        if theirs.max() + 1 in (1, len(theirs)):
            continue
        pairs = len(set(zip(mine.tolist(), theirs.tolist(), strict=True)))
        if pairs in (mine.max() + 1, theirs.max() + 1):
            return True
    return False


def run(bench: Bench, name: str, ours: Ours) -> list[Outcome]:
    if name in PAPER:
        return run_paper(bench, name)
    if name in PROFILERS:
        return run_profiler(bench, name)
    if name in MATCHERS:
        return run_matcher(bench, name)
    if name in BOUNDS:
        return run_bound(bench, name)
    return ours.run(bench, name)


def on_smaller_lakes(bench: Bench, parts: int, budget: float) -> dict[str, Any]:
    """`report` and `reliability` of "ours" where the repositories are dealt into so many lakes, each by itself."""
    columns: list[Column] = []
    outcomes: list[Outcome] = []
    for lake, queries in smaller_lakes(bench.lake, bench.queries, parts):
        if queries:
            one = Bench(lake, queries)
            columns += one.columns
            outcomes += Ours(lake, budget).run(one, "ours")
    methods = report(columns, {"ours": outcomes})
    print(f"\nof the lake, 1/{parts} at a time:")
    for group in ("all", "machine_like"):
        print_table(methods, group)
    return methods["ours"] | {"reliability": reliability(outcomes)}


def wanted_half(bench: Bench, half: str) -> frozenset[str]:
    """The repositories of a half, or all."""
    develop, report_on = halves(bench.lake, SPLIT)
    return {"develop": develop, "report": report_on}.get(half, develop | report_on)


def own_damage(bench: Bench, ours: Ours, names: list[str], half: str) -> dict[str, Any]:
    """{method: {kind: {share: recall}, "mean": ...}} over machine-like columns, and how our rules read."""
    wanted = wanted_half(bench, half)
    near = neighbours(bench.lake)
    columns = [column for column in bench.columns if column.machine_like and column.repo in wanted]
    outcomes: dict[str, list[Own]] = {name: [] for name in names}
    read = []
    for column in columns:
        tests = own_tests(column, near.get(column.column_id))
        for name in names:
            rule = ours.rules.get(name, {}).get(column.column_id)
            judge_batch = judge_of_rival(column.train, PROFILERS[name]) if name in PROFILERS else judge_of(rule)
            outcomes[name].append(own_outcome(tests, judge_batch))
            if rule is not None and name == names[0]:
                read.append(reading(rule, column, tests))
    meanings = {name: tagged_columns(bench, ours, name, wanted) for name in names if name in ours.rules}
    for name, counts in meanings.items():
        print_meanings(name, counts)
    found = {name: own_report(rows) for name, rows in outcomes.items()}
    for name, rows in found.items():
        print_own(name, rows)
    if read:
        print_reading(reading_report(read))
    return {
        "meanings": meanings,
        "own": found[names[0]],
        "own_methods": found,
        "reading": reading_report(read) if read else {},
    }


def tagged_columns(bench: Bench, ours: Ours, name: str, wanted: frozenset[str]) -> dict[str, int]:
    """How the rules of tagged columns, prose too, say what these mean."""
    tagged = [column.column_id for column in bench.columns if column.repo in wanted and column.column_id in ours.meant]
    return dict(Counter(meaning_of(ours.rules[name].get(one), ours.meant[one]) for one in tagged))


def show(bench: Bench, ours: Ours, columns: list[Column], most: int) -> dict[str, float]:
    """Rules drawn by seed, to be read, and the figures of how they read."""
    near, read = neighbours(bench.lake), []
    for column in random.Random(SPLIT).sample(columns, min(most, len(columns))):
        rule = next((rules.get(column.column_id) for rules in ours.rules.values()), None)
        told = (rule.evidence.get("examples") or {}) if rule is not None else {}
        print(f"{column.name[:24]:24} {column.values[0][:24]:24} {rule.sentence if rule is not None else 'no rule'}")
        print(f"{'':49} keep: {told.get('passing')}; break: {told.get('breaking')}")
        if rule is not None:
            read.append(reading(rule, column, own_tests(column, near.get(column.column_id))))
    report_ = reading_report(read)
    print_reading(report_)
    return report_


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.fmdv", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--sensitivity", action="store_true", help="curves of figure 12: r, m, tau, theta")
    parser.add_argument("--lakes", default="", help="ours on lakes of a half, a quarter ... of the repositories: 2,4")
    parser.add_argument("--drift", action="store_true", help="figure 15: two string columns of a table swapped")
    parser.add_argument("--budget", type=float, default=0.025, help="false-alarm budget of our learner")
    parser.add_argument("--own", action="store_true", help="damage in the columns' own terms, and how rules read")
    parser.add_argument(
        "--half", default="", help="repositories for --own: develop, report, or both one after the other"
    )
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N rules of machine-like columns")
    parser.add_argument("--fits", type=Path, help="keep the fits of ours there, or use those found")
    arguments = parser.parse_args()
    if unknown := set(arguments.half.split(",")) - {"", "develop", "report"}:
        parser.error(f"no half {', '.join(sorted(unknown))}; there are develop and report")
    bench = Bench(*load(arguments.data))
    names = [m for m in arguments.methods.split(",") if m]
    meant = tags_of(arguments.data, bench.columns) if set(names) & set(OURS) else {}
    ours = Ours(bench.lake, arguments.budget, arguments.fits, meant)
    outcomes: dict[str, list[Outcome]] = {}
    for name in names:
        if name not in (*METHODS, UNTAGGED):
            parser.error(f"no method {name!r}; there are {', '.join((*METHODS, UNTAGGED))}")
        started = time.perf_counter()
        outcomes[name] = run(bench, name, ours)
        print(f"{name}: {time.perf_counter() - started:.1f} s", flush=True)
        if arguments.json:  # what is known so far survives an interruption
            arguments.json.write_text(json.dumps({"methods": report(bench.columns, outcomes)}), encoding="utf-8")
    result: dict[str, Any] = {
        "data": str(arguments.data),
        "budget": arguments.budget,
        "methods": report(bench.columns, outcomes),
    }
    for group in ("all", "pattern_cases", "machine_like", "machine_like_20"):
        print_table(result["methods"], group)
    result["reliability"] = {name: reliability(rows) for name, rows in outcomes.items() if name in (*OURS, UNTAGGED)}
    if arguments.own:
        able = [name for name in outcomes if name in (*OURS, UNTAGGED) or name in PROFILERS]
        for half in arguments.half.split(","):
            print(f"\n{half or 'all'}:")
            found = own_damage(bench, ours, able, half)
            result |= {half: found} if "," in arguments.half else found
    if arguments.show:
        wanted = wanted_half(bench, arguments.half.partition(",")[0])
        drawn = [column for column in bench.columns if column.machine_like and column.repo in wanted]
        result["shown"] = show(bench, ours, drawn, arguments.show)
    if arguments.lakes:
        parts = [int(part) for part in arguments.lakes.split(",")]
        result["smaller_lakes"] = {part: on_smaller_lakes(bench, part, arguments.budget) for part in parts}
    if arguments.sensitivity:
        result["sensitivity"] = sensitivity(bench, run_paper)
    if arguments.drift:
        result["drift"] = drift(bench, outcomes)
    if arguments.picture:
        picture(result["methods"], "pattern_cases", arguments.picture)
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
