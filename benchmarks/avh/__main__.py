"""Rules from history, measured: ``python -m benchmarks.avh --data DIR --json OUT [--methods ours,avh] [--history
7,14,21,28,30] [--split tune] [--generated N] [--columns N]``.

Clean windows of the real series give false alarms, injected issues and real incidents give recall; all methods see the
same metrics in the same run. Nothing that "ours" uses is fitted to these series: its calibration ships with it.
Precision weighs clean and broken tests 3 : 2, as the paper's 60,000 and 40,000 tests; for rivals `best_f1` grants the
threshold that suits them best, in hindsight. Cheap methods come first, and the JSON is written again after each.

Methods are judged on more histories that nothing was fitted to: generated ones of held-out seeds, and ones made of the
rows of real tables (`columns/` of the data folder).
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from benchmarks.avh.columns import load_columns
from benchmarks.avh.data import Broken, Case, Execution, History, cases_of, clean_tests, incident_tests, load, schema_of
from benchmarks.avh.generated import load_generated
from benchmarks.avh.rivals import BUDGET, METHODS, SLOW, ours_clauses
from benchmarks.avh.score import Tally, clauses_by_type, fd_upper_bound, latency, reliability, summary
from benchmarks.split import ALL, FIT, REPORT, TUNE, interval, look, series_folders

HELD_OUT = 1000  # first seed of generated histories that no calibration has seen
MORE = ("ours", "deequ_batch_normal")  # judged on the other histories too


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.avh", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with histories/ (and columns/)")
    parser.add_argument("--json", type=Path, required=True, help="where to write the figures")
    parser.add_argument("--methods", nargs="+", type=_listed, default=[list(METHODS)], help="separated by commas; all")
    parser.add_argument("--history", nargs="+", type=_listed, default=[["30"]], help="executions to learn from: 7,30")
    parser.add_argument("--generated", type=int, default=0, help="generated histories to measure as well")
    parser.add_argument("--columns", type=int, default=0, help="histories made of real tables to measure as well")
    parser.add_argument("--seed", type=int, default=HELD_OUT, help="of the first generated history")
    parser.add_argument("--skip", type=int, default=0, help="real tables to pass over")
    parser.add_argument("--split", default=ALL, choices=(ALL, FIT, TUNE, REPORT), help="part of the sources")
    parser.add_argument("--cache", type=Path, default=Path(gettempdir()) / "assay-avh")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    methods, lengths = list(chain(*options.methods)), list(chain(*options.history))
    if unknown := sorted(set(methods) - METHODS.keys()):
        parser.error(f"no method {unknown[0]!r}; there are {', '.join(METHODS)}")
    if not all(length.isdecimal() and int(length) for length in lengths):
        parser.error(f"--history wants numbers of executions, not {','.join(lengths)}")
    report: dict[str, Any] = {"methods": {}, "latency": latency()}

    def save() -> None:
        options.json.write_text(json.dumps(report, indent=1))

    save()
    folders = series_folders(options.data, options.split)
    if options.split == REPORT:
        look(folders, "benchmarks.avh")
    real = load(folders, options.cache, options.workers)
    length = max(map(int, lengths))
    measure(real, [m for m in METHODS if m in methods], length, report["methods"], save)
    report["by_history"] = {str(length): {m: report["methods"][m] for m in MORE if m in report["methods"]}}
    for shorter in sorted(set(map(int, lengths)) - {length}, reverse=True):
        own = [m for m in ("ours", "avh") if m in methods]
        report["by_history"][str(shorter)] = measure(real, own, shorter, {}, save)
    sets = {"real": real, **more_histories(options)}
    for name, histories in sets.items():
        if name != "real":
            report[name] = measure(histories, [m for m in MORE if m in methods], length, {}, save)
    report |= of_ours(sets, length)
    report["fd_upper_bound"] = fd_upper_bound(folders)
    save()
    print_table(report)


def _listed(words: str) -> list[str]:
    return [word for word in words.split(",") if word]


def more_histories(options: argparse.Namespace) -> dict[str, list[History]]:
    """The histories asked for besides the real series."""
    found = {}
    if options.generated:
        seeds = range(options.seed, options.seed + options.generated)
        found["generated"] = load_generated(options.cache, seeds, options.workers)
    if options.columns:
        found["columns"] = load_columns(options.data, options.cache, options.columns, options.workers, options.skip)
    return found


# -------------------------------------------------------------------------------------------------------------- judging


def measure(
    histories: Sequence[History], methods: Sequence[str], length: int, into: dict[str, Any], save: Callable[[], None]
) -> dict[str, Any]:
    """All figures of the methods for one length of history, one method after the other, `into` a part of the report."""
    for name in methods:
        tally = Tally()
        start = time.perf_counter()
        for history in histories:
            for number, case, broken, trained in pairs_of(history, length):
                _judge(name, case, broken, trained, tally, number)
            for incident, past, now in incident_tests(history, length):
                tally.incidents.append(_judge_incident(name, history, incident, past, now))
        tally.sources = {history.name: history.source or history.name for history in histories}
        tally.seconds = time.perf_counter() - start
        into[name] = summary(name, tally)
        save()
    return into


def pairs_of(history: History, length: int) -> Iterator[tuple[int, Case, list[Broken], list[Broken]]]:
    """(number of the execution, column after its past, its issues, issues to learn from) of the clean windows."""
    issues = _issues(history)
    for number, (past, now, aside) in enumerate(clean_tests(history, length)):
        for case in cases_of(history, past, now):
            if case.column not in aside and "*" not in aside:
                broken = [b for b in issues.get((case.index, case.column), ()) if b.kind == case.kind]
                yield number, case, broken, _trained(issues, case)


def _issues(history: History) -> dict[tuple[int, str], list[Broken]]:
    issues: dict[tuple[int, str], list[Broken]] = defaultdict(list)
    for broken in history.broken:
        issues[broken.index, broken.column].append(broken)
    return issues


def _trained(issues: dict[tuple[int, str], list[Broken]], case: Case) -> list[Broken]:
    """Issues of the column at the latest execution before the one judged."""
    indexes = [i for i, column in issues if column == case.column and i < case.index]
    found = issues[max(indexes), case.column] if indexes else []
    return [b for b in found if b.kind == case.kind and not b.issue.startswith("swap")]


def _judge(name: str, case: Case, broken: list[Broken], trained: list[Broken], tally: Tally, number: int) -> None:
    clean = name not in SLOW or number % 3 == 0
    if not clean and not broken:
        return
    score = METHODS[name](case, trained)
    if clean:
        tally.clean[case.series, case.index, case.column] = (case.kind, score(case.metrics, case.rows))
    tally.issues += [(case.kind, b.issue, score(b.metrics, b.rows)) for b in broken]


def _judge_incident(
    name: str, history: History, incident: dict[str, Any], past: Sequence[Execution], now: Execution
) -> dict[str, Any]:
    """An incident is caught when a column it names alarms, or when the schema changed: every method sees that."""
    schema = set(now.schema) != set(schema_of(past))
    issues = _issues(history)
    named = [c for c in cases_of(history, past, now) if "*" in incident["columns"] or c.column in incident["columns"]]
    score = max((METHODS[name](c, _trained(issues, c))(c.metrics, c.rows) for c in named), default=0.0)
    return {
        "series": history.name,
        "index": incident["index"],
        "kind": incident.get("kind", ""),
        "documented": bool(incident.get("documented")),
        "caught": bool(schema or score > 1),
        "by_schema": schema,
        "score": round(float(score), 3),
    }


def of_ours(sets: dict[str, list[History]], length: int) -> dict[str, Any]:
    """What only our programs state: false-alarm rates against observed ones, and which clause saw which issue."""
    scores: dict[str, list[tuple[float, int]]] = {name: [] for name in sets}
    fired: list[tuple[str, Sequence[str]]] = []
    for name, histories in sets.items():
        for history in histories:
            for _, case, broken, _ in pairs_of(history, length):
                score, clauses = ours_clauses(case)
                scores[name].append((score, case.columns))
                if name == "real":
                    fired += [(b.issue, clauses(b.metrics, b.rows)) for b in broken if not b.issue.startswith("swap")]
    everything = [pair for pairs in scores.values() for pair in pairs]
    return {
        "reliability": {name: reliability(pairs, BUDGET) for name, pairs in {**scores, "all": everything}.items()},
        "clauses_by_type": clauses_by_type(fired),
    }


def print_table(report: dict[str, Any]) -> None:
    """One line a method: rates, recall, F1, and the F1 at the threshold that suits it best."""
    blocks = {"": report["methods"], **{f"@{k}": v for k, v in report["by_history"].items()}}
    blocks |= {f"@{name}": report.get(name, {}) for name in ("generated", "columns")}
    heads = ("column_fpr", "table_fpr", "recall", "swap_recall", "f1", "best_f1", "incident_recall", "seconds")
    print(f"{'method':24}" + "".join(f"{h:>16}" for h in (*heads, "numeric f1", "categorical f1")))
    for suffix, methods in blocks.items():
        for name, m in methods.items():
            cells = [m.get(h, 0.0) for h in heads] + [m["numeric"]["f1"], m["categorical"]["f1"]]
            print(f"{name + suffix:24}" + "".join(f"{c:16.4f}" for c in cells))
    for name, m in report["methods"].items():
        for what, rate in m["by_source"].items():
            print(f"{name} {what}: {interval(rate)}")
    for name, rows in report["reliability"].items():
        print(name, "stated: observed", *(f"{r['stated']:.4f}: {r['observed']:.4f}" for r in rows), sep="  ")
    for row in report["latency"]:
        print(row)


if __name__ == "__main__":
    main()
