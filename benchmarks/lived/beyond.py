"""How far healthy batches go beyond what string rules tolerate, once they do.

    python -m benchmarks.lived.beyond --data DIR [--data DIR ...]

String rules are learned from healthy versions of real series (`benchmarks.lived.data`; `LEARNED` says from which) as
the product learns them from so many, with the starter index alone, and judge the healthy versions up to the next that
they are learned from. Of each rule the first break counts, and of each version and number of rows one column: how many
times as many rows broke it as the fewest that are told. Through the counts at `TIMES` a power law is fitted,
whose index stands in `catalog.rules.kinds.strings`; beside it what the risks at the clauses' tolerances say, which are
of later rows of files, and both together, as the product does.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.lived.data import Series, delivery, read_series
from benchmarks.split import ALL, KNOWN, series_folders
from catalog.evidence.pattern_index.index import PatternIndex
from catalog.evidence.pattern_index.views import profile
from catalog.flow.learning.index import prepare_starter
from catalog.flow.learning.propose import LEAST_RISK, MOST_RISK
from catalog.learners.strings import learn_strings
from catalog.rules.clauses.strings import BEYOND
from catalog.rules.kinds.strings import StringsRule
from catalog.settings import get_settings
from catalog.states.folding.fold import fold
from catalog.states.table import TableState

LEARNED = (6, 12, 20, 30, 45, 70, 100)
TIMES = (1.5, 3.0, 10.0, 30.0, 100.0)
FEWEST = 10  # rows of a batch that counts
Broken = tuple[float, float, float]  # times the fewest rows that are told, share of the rows, what the risks say


def learned(state: TableState, index: PatternIndex, seen: int) -> dict[str, StringsRule]:
    """The rules on a version's columns of strings after `seen` versions."""
    risk = min(MOST_RISK, max(LEAST_RISK, get_settings().fpr_budget * (1 + seen)))
    found = {
        name: learn_strings(column, index, column=name, own_table=None, budget=risk, horizon=1.0)
        for name, column in state.columns.items()
        if column.kind == "string"
    }
    return {name: rule for name, rule in found.items() if rule is not None}


def broken(rule: StringsRule, state: TableState) -> Broken | None:
    """How far a batch is beyond a rule; None where it keeps to it."""
    seen = profile(state.columns[rule.column or ""])
    alarms = [one for one in rule.findings(seen) if one.alarm] if seen is not None else []
    if not alarms:
        return None
    most = max(alarms, key=lambda one: one.times)
    return most.times, most.share, min(one.by_risks for one in alarms)


def beyond(series: Series, index: PatternIndex) -> Iterator[tuple[int, list[Broken]]]:
    """How many (rule, version) pairs there were and what broke, of each healthy version."""
    rules: dict[str, StringsRule] = {}
    seen = 0
    for at in range(1, len(series.days) + 1):
        wrong = {column for incident in series.wrong(at) for column in incident["columns"]}
        if "*" in wrong:
            continue
        state = fold(delivery(series, at))
        if state.rows < FEWEST:
            continue
        judged = {name: rule for name, rule in rules.items() if name in state.columns.keys() - wrong}
        found = {name: out for name, rule in judged.items() if (out := broken(rule, state)) is not None}
        rules = {name: rule for name, rule in rules.items() if name not in found}
        yield len(judged), list({round(out[1] * state.rows): out for out in found.values()}.values())
        seen += 1
        if seen in LEARNED:
            rules = learned(state, index, seen)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, action="append", required=True, help="folder with histories/ (repeated)")
    index = PatternIndex.open(prepare_starter(get_settings()))
    pairs, out = 0, []
    for data in parser.parse_args().data:
        for folder in sorted({*series_folders(data, ALL), *series_folders(data, KNOWN)}):
            for count, found in beyond(read_series(folder), index):
                pairs += count
                out += found
                for one in found:
                    print(folder.name, *(f"{figure:.3g}" for figure in one), flush=True)
    times, shares, risks = np.array(out).T
    print(f"of {pairs:,} pairs {len(out)} broke")
    for at in TIMES:
        print(f"at least {at:g} times: {np.mean(times >= at):.3f}")
    for share in (0.01, 0.05, 0.1, 0.2, 0.5):
        print(f"share at least {share:g}: {np.mean(shares >= share):.3f}")
    both = np.minimum(risks, np.maximum(times, 1.0) ** -BEYOND)
    for at in (0.02, 0.05, 0.1, 0.2, 0.5):
        print(f"said to be at most {at:g}: {np.mean(risks <= at):.3f} by the risks, {np.mean(both <= at):.3f} by both")
    counts = np.array([max(np.sum(times >= at), 0.5) for at in TIMES]) / len(out)
    print(f"index {-np.polyfit(np.log(TIMES), np.log(counts), 1)[0]:.2f}")


if __name__ == "__main__":
    main()
