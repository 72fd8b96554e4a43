"""How far healthy batches are from the one before them, and what rules that know nothing else detect: the figures of
`catalog.learners.series.prior`.

    python -m benchmarks.shipped.prior_bands --data DIR [--data DIR ...] [--report DIR ...]

Of the real series in each folder (`benchmarks.lived.data`) every healthy batch is judged by the rules that the batch
before alone would have given. Printed are `REACH`, each table counting alike; how often rules break on sources that
were left out of it, at several widths of the bands, whose power law is `COLUMN_RATE` and `ROWS_RATE`; and how many
injected issues (`catalog.damage.issues`) in columns of numbers are detected at the usual budget, beside the
constraints that deequ suggests from the same batch. Folders to `--report` are judged by what is shipped alone.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.lived.data import delivery, read_series
from benchmarks.lived.rivals import broken, suggest
from benchmarks.split import ALL, KNOWN, series_folders
from catalog.damage.issues import ISSUES, inject
from catalog.history.series import column_series, observe_metrics
from catalog.learners.series.history import learn_history, unused_in
from catalog.learners.series.prior import (
    COLUMN_RATE,
    REACH,
    REACH_OF_ROWS,
    ROWS_RATE,
    Rate,
    Reach,
    prior_column,
    prior_volume,
)
from catalog.metrics.registry import METRICS
from catalog.rules.kinds.history import HistoryRule
from catalog.rules.verdict import VIOLATED
from catalog.states.folding.fold import fold

AT = 0.001  # share of healthy pairs that go beyond `REACH`
WIDTHS = (1.0, 1.5, 2.0, 3.0, 4.0)
BUDGET = 0.001
EVERY, FEWEST = 24, 20  # of the versions every so many are damaged, from so many rows on; bounds of time
ROWS = "*"  # stands for a table's rows among its columns
Metrics = Mapping[str, float]


@dataclass(frozen=True)
class Pair:
    """A healthy batch of a column and the one before."""

    source: str
    table: str
    version: int
    column: str
    kind: str
    before: Metrics
    now: Metrics
    unused: Collection[str]


def pairs_of(folder: Path) -> Iterator[Pair]:
    series = read_series(folder)
    previous, before = None, None
    for version in range(1, len(series.days) + 1):
        state = fold(delivery(series, version))
        wrong = {column for incident in series.wrong(version) for column in incident["columns"]}
        metrics = observe_metrics(state, previous)
        if before is not None and "*" not in wrong:
            kinds = {name: column.kind for name, column in state.columns.items() if name not in wrong}
            unused = unused_in(state)
            for name, kind in {ROWS: "table", **kinds}.items():
                column = None if name == ROWS else name
                (old,), (new,) = column_series([before], column), column_series([metrics], column)
                if old and new and min(old["row_count"], new["row_count"]) >= FEWEST:
                    yield Pair(series.source, folder.name, version, name, kind, old, new, unused.get(name, frozenset()))
        if not wrong:
            previous, before = state, metrics


def moved(name: str, reach: Reach, pair: Pair, *, up: bool) -> float | None:
    """How far a metric went that way; None where it is not known."""
    a, b = pair.before.get(name), pair.now.get(name)
    if b is None or name in pair.unused:
        return None
    if METRICS[name].sides == "high" and not reach.never:
        return b
    if a is None or (reach.log and min(a, b) <= 0) or (reach.never and a != 0):
        return None
    change = float(np.log(b / a)) if reach.log else b - a
    return max(change if up else -change, 0.0)


def reach_of(pairs: Sequence[Pair], wanted: Mapping[str, Reach]) -> dict[str, Reach]:
    """How far `wanted` metrics go beyond once in `AT`, each table counting alike."""

    def end(name: str, known: Reach, *, up: bool) -> float:
        by: dict[str, list[float]] = defaultdict(list)
        for pair in pairs:
            far = moved(name, known, pair, up=up)
            if far is not None:
                by[pair.table].append(far)
        sizes = np.concatenate([np.asarray(one) for one in by.values()])
        weights = np.concatenate([np.full(len(one), 1 / len(one)) for one in by.values()])
        order = np.argsort(-sizes)
        passed = np.cumsum(weights[order]) / weights.sum()
        return float(sizes[order][np.searchsorted(passed, AT)])

    found = {}
    for name, one in wanted.items():
        down, up = (
            end(name, one, up=up) if np.isfinite(far) else far for up, far in ((False, one.down), (True, one.up))
        )
        found[name] = Reach(down, up, one.log, one.never, one.partly)
    return found


Judged = list[tuple[Pair, bool]]
Learn = Callable[[Pair, float, Mapping[str, Reach]], HistoryRule | None]


def _column(pair: Pair, budget: float, reach: Mapping[str, Reach]) -> HistoryRule | None:
    kind, unused = pair.kind, pair.unused
    return prior_column([pair.before], column=pair.column, kind=kind, budget=budget, unused=unused, reach=reach)


def _rows(pair: Pair, budget: float, reach: Mapping[str, Reach]) -> HistoryRule | None:
    return prior_volume([pair.before], budget, reach)


def breaks(pairs: Sequence[Pair], learn: Learn, budget: float, reach: Mapping[str, Reach]) -> Judged:
    """Whether each pair breaks the rule that its earlier batch gives."""
    found = []
    for pair in pairs:
        rule = learn(pair, budget, reach)
        if rule is not None:
            found.append((pair, rule.judge_metrics(pair.now, [pair.before]).status == VIOLATED))
    return found


def said(found: Judged) -> str:
    """Rates of breaks: of pairs, each table counting alike, and of versions; and whose they are."""
    by: dict[str, list[bool]] = defaultdict(list)
    versions: dict[tuple[str, int], bool] = defaultdict(bool)
    for pair, broke in found:
        by[pair.table].append(broke)
        versions[pair.table, pair.version] |= broke
    whose = Counter(pair.table for pair, broke in found if broke).most_common(3)
    rate = np.mean([np.mean(one) for one in by.values()])
    bad, all_of = sum(versions.values()), max(len(versions), 1)
    return (
        f"{sum(broke for _, broke in found)} of {len(found):,}, {rate:.5f} with tables alike; versions {bad} of "
        f"{all_of:,} ({bad / all_of:.2%}); most {whose}"
    )


def left_out(pairs: Sequence[Pair], learn: Learn, wanted: Mapping[str, Reach], rate: Rate) -> None:
    sources = sorted({pair.source for pair in pairs})
    without = {source: reach_of([one for one in pairs if one.source != source], wanted) for source in sources}
    for width in WIDTHS:
        found: Judged = []
        for source in sources:
            own = [one for one in pairs if one.source == source]
            found += breaks(own, learn, rate.stated(width), without[source])
        print(f"  bands {width} times as wide: {said(found)}", flush=True)


def fitted(what: str, pairs: Sequence[Pair], learn: Learn, wanted: Mapping[str, Reach], rate: Rate) -> None:
    """Print how far metrics go, and how often rules break on sources left out."""
    print(f"{what}: {len(pairs):,} pairs of {len({one.table for one in pairs})} tables")
    for name, one in reach_of(pairs, wanted).items():
        print(f"  {name}: down {one.down:.4g}, up {one.up:.4g}")
    left_out(pairs, learn, wanted, rate)


def detected(folder: Path, counts: Counter[tuple[str, str]]) -> None:
    """Count issues in numbers: all, those detected by our rules of the batch before, and by deequ's suggestions."""
    series = read_series(folder)
    for version in range(2, len(series.days) + 1, EVERY):
        if series.wrong(version) or series.wrong(version - 1):
            continue
        first, table = delivery(series, version - 1), delivery(series, version)
        if min(first.num_rows, table.num_rows) < FEWEST:
            continue
        old = fold(first)
        kinds = {name: column.kind for name, column in old.columns.items()}
        rules = learn_history([observe_metrics(old, None)], kinds=kinds, unused=unused_in(old), budget=BUDGET)
        past, asked = observe_metrics(old, None), suggest(first)
        clean = set(broken(asked, table))
        for name, kind in kinds.items():
            if kind != "number" or name not in table.column_names:
                continue
            for issue in ISSUES:
                damaged = inject(table, name, issue, version) if issue.type != "volume" else None
                if damaged is None:
                    continue
                counts["issues", issue.type] += 1
                now = observe_metrics(fold(damaged), old)
                counts["ours", issue.type] += _breaks(rules, past.columns, now.columns, name)
                counts["deequ's suggestions", issue.type] += bool(set(broken(asked, damaged)) - clean)


def _breaks(rules: Sequence[HistoryRule], past: Mapping[str, Metrics], now: Mapping[str, Metrics], name: str) -> bool:
    mine = [rule for rule in rules if rule.column == name]
    if name not in now or name not in past:
        return name in past
    return any(rule.judge_metrics(now[name], [past[name]]).status == VIOLATED for rule in mine)


def _suggested(folder: Path) -> tuple[int, int]:
    """(clean versions that break a constraint that deequ suggests from the one before, clean versions)."""
    series, wrong, clean = read_series(folder), 0, 0
    for version in range(2, len(series.days) + 1):
        if not (series.wrong(version) or series.wrong(version - 1)):
            first, table = delivery(series, version - 1), delivery(series, version)
            if min(first.num_rows, table.num_rows) >= FEWEST:
                clean += 1
                wrong += bool(broken([one for one in suggest(first) if _is_number(first, one.column)], table))
    return wrong, clean


def _is_number(table: pa.Table, column: str) -> bool:
    kind = table.schema.field(column).type
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _folders(places: Sequence[Path]) -> list[Path]:
    return [one for data in places for one in sorted({*series_folders(data, ALL), *series_folders(data, KNOWN)})]


def _all(folders: Sequence[Path]) -> tuple[list[Pair], list[Pair]]:
    """(pairs of columns that are no strings, pairs of rows) of some series."""
    found = []
    for folder in folders:
        found += [pair for pair in pairs_of(folder) if pair.kind != "string"]
        print(folder.name, len(found), flush=True)
    return [one for one in found if one.column != ROWS], [one for one in found if one.column == ROWS]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, action="append", default=[], help="folder with histories/ (repeated)")
    parser.add_argument("--report", type=Path, action="append", default=[], help="the same, which nothing is chosen on")
    args = parser.parse_args()
    for what, places in (("chosen on", args.data), ("report", args.report)):
        folders = _folders(places)
        if not folders:
            continue
        columns, rows = _all(folders)
        if what == "chosen on":
            fitted("columns", columns, _column, REACH, COLUMN_RATE)
            fitted("rows", rows, _rows, REACH_OF_ROWS, ROWS_RATE)
        print(f"{what}, as shipped: columns {said(breaks(columns, _column, BUDGET, REACH))}")
        print(f"{what}, as shipped: rows {said(breaks(rows, _rows, BUDGET, REACH_OF_ROWS))}")
        wrong, clean = map(sum, zip(*map(_suggested, folders), strict=True))
        print(f"{what}, deequ's suggestions on numbers: {wrong} of {clean:,} clean versions ({wrong / clean:.2%})")
        counts: Counter[tuple[str, str]] = Counter()
        for folder in folders:
            detected(folder, counts)
        for kind in sorted({kind for _, kind in counts}):
            all_of = counts["issues", kind]
            shares = [f"{who} {counts[who, kind] / all_of:.3f}" for who in ("ours", "deequ's suggestions")]
            print(f"  {kind}: {', '.join(shares)} of {all_of:,}")


if __name__ == "__main__":
    main()
