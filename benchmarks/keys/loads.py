"""How often healthy loads bring keys that earlier loads brought, of columns that never did, and what is seen of loads
that come again.

    python -m benchmarks.keys.loads --split known|report --data DIR [--data DIR ...]

Loads are made of real tables in two ways. Of a series each load is what a job that appends news would write: the rows
of a delivery that the delivery before has not. Of a table (`columns/`) ten loads follow each other as its rows do. A
rule is learned from the loads before each one (`catalog.learners.keys`) and judges it: healthy (column, load) pairs
that break it are counted by source. Then each load comes again at the end, whole, or half of it with as many new rows.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.lake import typed_column, unique_names
from benchmarks.lived.data import Series, delivery, read_series
from benchmarks.split import FIT, FOLDERS, KNOWN, REPORT, TUNE, by_source, drawn, interval, source_of
from catalog.history.earlier import Again, Earlier
from catalog.history.series import TableMetrics, observe_metrics
from catalog.learners.keys import is_of_each, learn_new_keys, learn_new_rows, own_key
from catalog.rules.kinds.key import ROWS
from catalog.rules.rule import Rule
from catalog.rules.verdict import NOT_APPLICABLE, VIOLATED, Batch
from catalog.states.folding.fold import fold
from catalog.states.table import TableState

CUTS = 10  # loads of a table
AT = datetime(2026, 1, 1, tzinfo=UTC)


def news(series: Series) -> Iterator[tuple[set[str], pa.Table]]:
    """(columns that an incident is about, rows that the delivery before had not) of each delivery."""
    before: set[int] = set()
    for index in range(1, len(series.days) + 1):
        table = delivery(series, index)
        wrong = {column for incident in series.wrong(index) for column in incident["columns"]}
        if not table.num_rows:
            continue
        rows = pl.DataFrame(table).select(pl.all().cast(pl.String)).hash_rows().to_list()
        new = pa.array([row not in before for row in rows], pa.bool_())
        before = set(rows)
        yield wrong, table.filter(new)


def cut(data: Path) -> Iterator[tuple[str, str, list[pa.Table]]]:
    """(repository, name, loads) of each table of columns."""
    columns = {row["column_id"]: row for row in pq.read_table(data / "columns" / "columns.parquet").to_pylist()}
    for table in pq.read_table(data / "columns" / "tables.parquet").to_pylist():
        found = [columns[one] for one in table["column_ids"]]
        rows = min(len(one["values"]) for one in found)
        names = unique_names([one["column"] for one in found])
        cells = [typed_column(pl.Series(one["values"][:rows], dtype=pl.String).fill_null("")) for one in found]
        whole = pa.table(dict(zip(names, cells, strict=True)))
        size = rows // CUTS
        yield table["repo"], Path(table["path"]).stem, [whole.slice(at * size, size) for at in range(CUTS)]


class Table:
    """A table of loads: what was learned of those before, and what that says of the next one."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.series: list[TableMetrics | None] = []
        self.earlier: dict[str, Earlier] = defaultdict(Earlier)
        self.shared: dict[str, list[Again]] = defaultdict(list)
        self.kinds: dict[str, str] = {}

    def judged(self, state: TableState, number: int) -> dict[str, bool]:
        """Whether the load breaks the rule, by column of those that have one."""
        keyed = learn_new_keys(self.series, self.name, self.kinds, self.shared)
        rules: list[Rule] = [*(keyed or learn_new_rows(self.shared.get(ROWS, [])))]
        batch = Batch(number, "increment", state, None, [], AT, earlier=self.earlier)
        said = {rule.column or "": rule.judge(batch).status for rule in rules if rule.column in (None, *state.columns)}
        return {name: status == VIOLATED for name, status in said.items() if status != NOT_APPLICABLE}

    def take(self, state: TableState, number: int) -> None:
        metrics = observe_metrics(state, None)
        self.series.append(metrics)
        self.kinds = {name: column.kind for name, column in state.columns.items()}
        name = own_key(state.columns, self.name)
        taken = {ROWS: state.row_distinct}
        if name and is_of_each(metrics.columns.get(name, {})):
            taken[name] = state.columns[name].distinct
        for name, distinct in taken.items():
            sample = distinct.hashes, distinct.threshold
            if self.earlier[name].thresholds:
                self.shared[name].append(self.earlier[name].again(*sample, number))
            self.earlier[name].add(number, *sample)


class Counts:
    """(pairs that broke a rule, pairs) of each table by source, and what was seen of loads that came again."""

    def __init__(self) -> None:
        self.found: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self.again: Counter[str] = Counter()

    def add(self, source: str, name: str, loads: Sequence[tuple[set[str], pa.Table]]) -> None:
        """Live a table's loads one after the other, then each of them again."""
        table, broken, pairs = Table(name), 0, 0
        kept: list[pa.Table] = []
        for number, (wrong, rows) in enumerate(loads):
            if not rows.num_rows:
                continue
            state = fold(rows)
            found = {column: is_out for column, is_out in table.judged(state, number).items() if column not in wrong}
            broken, pairs = broken + sum(found.values()), pairs + len(found)
            if any(found.values()):
                print(f"  {name}, load {number}: {[column for column, is_out in found.items() if is_out]}", flush=True)
            if not wrong:
                table.take(state, number)
                kept.append(rows)
        self.found[source].append((broken, pairs))
        for rows in kept[1:-1]:
            half = rows.slice(0, rows.num_rows // 2)
            mixed = [half, kept[-1].slice(0, half.num_rows)] if half.schema == kept[-1].schema else [half]
            for how, again in (("whole", [rows]), ("half", mixed)):
                for is_out in table.judged(fold(pa.concat_tables(again)), len(loads)).values():
                    self.again[how] += 1
                    self.again[f"{how} seen"] += is_out

    def say(self, what: str) -> None:
        say_healthy(what, self.found)
        for how in ("whole", "half"):
            print(f"  loads that come again, {how}: {self.again[f'{how} seen']:,} of {self.again[how]:,} seen")


def say_healthy(what: str, found: Mapping[str, Sequence[tuple[int, int]]]) -> None:
    """Print how often healthy pairs break: `found` are the (broken, all) pairs of each table, by source."""
    sums = {source: (sum(a for a, _ in some), sum(b for _, b in some)) for source, some in found.items()}
    tables = sum(pairs > 0 for some in found.values() for _, pairs in some)
    broken, pairs = (sum(pair[at] for pair in sums.values()) for at in (0, 1))
    print(f"{what}: of {pairs:,} healthy pairs of {tables} tables {broken} break; {interval(by_source(sums))}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, action="append", required=True, help="folder with histories/ or columns/")
    parser.add_argument("--split", choices=(KNOWN, REPORT), required=True, help="sources of which part")
    asked = parser.parse_args()
    parts = (FIT, TUNE) if asked.split == KNOWN else (REPORT,)
    of_series, of_tables = Counts(), Counts()
    for data in asked.data:
        for folder in sorted(one.parent for name in FOLDERS for one in (data / name).glob("*/incidents.json")):
            if drawn(source_of(folder)) in parts:
                of_series.add(source_of(folder), folder.name, list(news(read_series(folder))))
        for repo, name, loads in cut(data) if (data / "columns").exists() else ():
            if drawn(repo) in parts:
                of_tables.add(repo, name, [(set(), one) for one in loads])
    of_series.say("news of series")
    of_tables.say("tables cut into loads")


if __name__ == "__main__":
    main()
