"""How often healthy versions repeat what several columns identified together, and what is seen of rows that come twice.

    python -m benchmarks.keys.together --split known|report --data DIR [--data DIR ...]

Two kinds of tables. Of a real series each delivery is a version of a table that is written whole: the rule is learned
from those before it as the product learns it (`catalog.flow.references.together`: the last five) and judges it. A
table of columns (`columns/`) is cut into ten loads; the rule is learned from all loads before each one and judges that.
Healthy (table, version) pairs that break it are counted by source; then a hundredth, a tenth and all of each version's
rows come twice in it, and the load before comes again.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa

from benchmarks.keys.loads import cut, say_healthy
from benchmarks.lived.data import delivery, read_series
from benchmarks.split import FIT, KNOWN, REPORT, TUNE, drawn, series_folders
from catalog.flow.references.together import VERSIONS
from catalog.history.earlier import Again, Earlier
from catalog.learners.keys import MOST_TOGETHER, learn_together, together
from catalog.measures.tuples import Tuples, merge_tuples, tuples_of
from catalog.rules.kinds.key import place_of, repeats_in, together_part
from catalog.rules.rule import Rule
from catalog.rules.verdict import NOT_APPLICABLE, VIOLATED, Batch, part_place
from catalog.states.folding.fold import fold, leaves
from catalog.states.table import TableState, merge_all

AT = datetime(2026, 1, 1, tzinfo=UTC)
TWICE = (0.01, 0.1, 1.0)  # shares of the rows that come twice
SLICE = 100_000  # rows that are folded at once


def counted(rows: pa.Table, columns: Sequence[str]) -> Tuples:
    found = dict(leaves(rows))
    return tuples_of([found[name] for name in columns])


def folded(rows: pa.Table) -> TableState:
    return merge_all([fold(rows.slice(at, SLICE)) for at in range(0, max(rows.num_rows, 1), SLICE)])


def learned(past: Sequence[pa.Table], state: TableState, *, loads: bool) -> tuple[list[Rule], tuple[str, ...]]:
    """(the rules that versions allow for, the columns), as the product learns them."""
    for size in range(2, MOST_TOGETHER + 1):
        for columns in together(state, size):
            if not all(set(columns) <= {name for name, _ in leaves(rows)} for rows in past):
                continue
            found = [counted(rows, columns) for rows in past]
            found += [merge_tuples(found)] if loads else []
            if any(repeats_in(one.distinct, one.distinct.rows) for one in found):
                continue
            return list(learn_together(columns, len(past), _shared(found[:-1]) if loads else [])), columns
    return [], ()


def _shared(loads: Sequence[Tuples]) -> list[Again]:
    earlier, found = Earlier(), []
    for number, one in enumerate(loads):
        if number:
            found.append(earlier.again(one.distinct.hashes, one.distinct.threshold, number))
        earlier.add(number, one.distinct.hashes, one.distinct.threshold)
    return found


def broken(rules: Sequence[Rule], columns: Sequence[str], rows: pa.Table, past: Sequence[pa.Table]) -> bool | None:
    """Whether a version breaks one of the rules; None where they say nothing of it."""
    if not set(columns) <= {name for name, _ in leaves(rows)}:
        return None
    earlier = Earlier()
    for number, load in enumerate(past):
        one = counted(load, columns).distinct
        earlier.add(number, one.hashes, one.threshold)
    parts = {part_place("batch", together_part(columns).key): counted(rows, columns)}
    known = {place_of(columns): earlier}
    batch = Batch(len(past), "increment", fold(rows.slice(0, 1)), None, [], AT, parts=parts, earlier=known)
    said = {rule.judge(batch).status for rule in rules}
    return None if said == {NOT_APPLICABLE} else VIOLATED in said


class Counts:
    """(pairs that broke a rule, pairs) of each table by source, and what was seen of rows that came twice."""

    def __init__(self) -> None:
        self.found: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self.seen: Counter[str] = Counter()

    def add(self, source: str, name: str, versions: Sequence[pa.Table | None], *, loads: bool) -> None:
        """Live a table's versions; None stands for one that is not healthy."""
        past: list[pa.Table] = []
        out, pairs, keys = 0, 0, set()
        for rows in versions:
            if rows is None or not rows.num_rows:
                continue
            known = past if loads else past[-VERSIONS:]
            rules, columns = (
                learned(known, folded(pa.concat_tables(known) if loads else known[-1]), loads=loads)
                if len(known) > 1 and (not loads or all(one.schema == known[0].schema for one in known))
                else ([], ())
            )
            said = broken(rules, columns, rows, known if loads else []) if rules else None
            if said is not None:
                out, pairs = out + said, pairs + 1
                keys.add(columns)
                if said:
                    print(f"  {name}: {columns} broke", flush=True)
                self._twice(rules, columns, rows, known if loads else [])
            past.append(rows)
        self.found[source].append((out, pairs))
        if keys:
            print(f"  {name}: {pairs} pairs of {sorted(keys)}", flush=True)

    def _twice(self, rules: Sequence[Rule], columns: Sequence[str], rows: pa.Table, past: Sequence[pa.Table]) -> None:
        for share in TWICE:
            more = rows.slice(0, max(round(share * rows.num_rows), 2))
            self.seen[f"{share:.0%}"] += 1
            self.seen[f"{share:.0%} seen"] += bool(broken(rules, columns, pa.concat_tables([rows, more]), past))
        if past and len(rules) > 1:
            self.seen["load"] += 1
            self.seen["load seen"] += bool(broken(rules, columns, past[-1], past))

    def say(self, what: str) -> None:
        say_healthy(what, self.found)
        for how in [one for one in self.seen if not one.endswith("seen")]:
            print(f"  rows that come twice, {how}: {self.seen[f'{how} seen']:,} of {self.seen[how]:,} seen")


def deliveries(folder: Path) -> Iterator[pa.Table | None]:
    series = read_series(folder)
    for index in range(1, len(series.days) + 1):
        yield None if series.wrong(index) else delivery(series, index)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, action="append", required=True, help="folder with histories/ or columns/")
    parser.add_argument("--split", choices=(KNOWN, REPORT), required=True, help="sources of which part")
    asked = parser.parse_args()
    parts = (FIT, TUNE) if asked.split == KNOWN else (REPORT,)
    of_series, of_tables = Counts(), Counts()
    for data in asked.data:
        for folder in series_folders(data, asked.split):
            series = read_series(folder)
            of_series.add(series.source, folder.name, list(deliveries(folder)), loads=False)
        for repo, name, loads in cut(data) if (data / "columns").exists() else ():
            if drawn(repo) in parts:
                of_tables.add(repo, name, loads, loads=True)
    of_series.say("versions of series")
    of_tables.say("tables cut into loads")


if __name__ == "__main__":
    main()
