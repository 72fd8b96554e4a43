"""What is told of rewrites of tables that are appended to.

    python -m benchmarks.rewrites --data DIR --part develop|report [--tables 24] [--seeds 2] [--json OUT] [--show]

Loads of real tables, of real series and of business tables (`benchmarks.causes.data`, dealt by source into a part to
develop on and one that only reports) are appended one after the other, furnished with what such tables have: a key, a
state, days, when a row was written. From twenty of them rules are learned; then some loads, drawn by chance (the last
one, the last five, all), are rewritten in each way of two lists (`benchmarks.rewrites.lists`): right ones, of which
nothing should alarm, and wrong ones, which should, and whose cause should be named first. Of real series the next
execution also takes the place of the last load: what truly became of the rows of a register. Kinds that were added
when all was chosen are counted apart. An alarm is a finding that
may be told by itself; a finding whose chance is 1 is a warning. Judged by the rules on columns and on the number of
rows alone, not by those on texts and keys.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.causes.data import PAST, Series, load
from benchmarks.rewrites.lists import (
    FURNISHED,
    OF_ALL,
    OF_ONE,
    OF_PART,
    RIGHT,
    RIGHT_LATER,
    START,
    WRONG,
    WRONG_LATER,
    Rows,
    furnished,
)
from benchmarks.split import by_source, interval
from catalog.causes.diagnose import diagnose
from catalog.history.series import TableMetrics, observe_metrics
from catalog.learners.series.history import learn_history, unused_in
from catalog.rules.rule import Rule
from catalog.rules.verdict import VIOLATED, Batch
from catalog.states.folding.fold import fold
from catalog.states.table import TableState, merge_all

NEXT = "the next execution"
SIZES = ((OF_ALL, [PAST]), (OF_ONE, [1]), (OF_PART, [1, 5]))  # loads that rewrites of a kind are of
BAD = WRONG | WRONG_LATER
LATER = {*RIGHT_LATER, *WRONG_LATER}
AT = START + timedelta(days=PAST, hours=12)


class Lived:
    """A table that was appended to, and its rules."""

    def __init__(self, series: Series) -> None:
        self.series, first = series, 0
        self.loads: list[pa.Table] = []
        for at, table in enumerate(series.tables):
            self.loads.append(furnished(table, at, first))
            first += table.num_rows
        self.states = [fold(table) for table in self.loads[:PAST]]
        self.past: list[TableMetrics | None] = [
            observe_metrics(state, self.states[at - 1] if at else None) for at, state in enumerate(self.states)
        ]
        kinds = {name: column.kind for name, column in self.states[-1].columns.items()}
        self.rules: list[Rule] = [
            *learn_history(self.past, kinds=kinds, unused=unused_in(self.states[-1]), budget=0.001)
        ]

    def told(self, touched: list[int], made: pa.Table) -> tuple[bool, bool, str, list[str]]:
        """(whether it alarms, whether anything is told, the first cause, sentences) of loads that are rewritten."""
        before = merge_all(self.states[at] for at in touched)
        now = fold(made) if len(made) else TableState.empty()
        rest = [state for at, state in enumerate(self.states) if at not in touched]
        whole = merge_all([*rest, now])
        schema = [[name, column.type] for name, column in before.columns.items()]
        batch = Batch(PAST, "rewrite", now, before, schema, AT, self.past, whole=whole, operation="UPDATE")
        broken = [(rule, said) for rule in self.rules if (said := rule.judge(batch)).status == VIOLATED]
        loud = [said for _, said in broken if said.p_value != 1.0]
        causes = diagnose("t", batch, broken, rules=self.rules) if loud else []
        causes.sort(key=lambda one: -one.cause.confidence)
        named = [f"{one.cause.cause}: {one.cause.sentence} | {one.cause.undo} | {one.cause.proof}" for one in causes]
        first = causes[0].cause.cause if causes else ""
        return bool(loud), bool(broken), first, [*(f"{s.p_value}: {s.sentence}" for _, s in broken), *named]


def trials(one: Lived, seed: int) -> Iterator[tuple[str, bool, list[int], pa.Table]]:
    """(way, whether it is right, the loads that are rewritten, their rows now)."""
    for right, ways in ((True, RIGHT | RIGHT_LATER), (False, {name: way for name, (way, _) in BAD.items()})):
        for name, way in ways.items():
            rng = np.random.default_rng([seed, zlib.crc32(f"{one.series.name} {name}".encode())])
            counts = (
                [PAST] if name in OF_ALL else [1] if name in OF_ONE else [1, 5] if name in OF_PART else [1, 5, PAST]
            )
            count = int(rng.choice(counts))
            touched = list(range(PAST - count, PAST))
            rows = pa.concat_tables([one.loads[at] for at in touched]).combine_chunks()
            made = way(Rows(rows, one.loads[PAST], AT, rng)) if len(rows) else None
            if made is not None:
                yield name, right, touched, made


def following(one: Lived) -> Iterator[tuple[str, bool, list[int], pa.Table]]:
    """Of a real series, the next execution in the place of the load before."""
    if one.series.name == one.series.source:
        last, after = one.loads[PAST - 1], one.loads[PAST]
        n = min(len(last), len(after))
        own = [after[name] if name not in FURNISHED else last[name].slice(0, n) for name in last.column_names]
        if len(after) <= len(last):
            yield NEXT, True, [PAST - 1], pa.table(own, names=last.column_names)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--part", choices=("develop", "report"), required=True)
    parser.add_argument("--tables", type=int, default=24, help="real tables that loads are drawn from")
    parser.add_argument("--seeds", type=int, default=2, help="times that each way is tried on each table")
    parser.add_argument("--json", type=Path)
    parser.add_argument(
        "--show", action="store_true", help="print each right one that is told, and each wrong one missed"
    )
    said = parser.parse_args()
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    sources: dict[tuple[bool, bool], dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for series in load(said.data, said.part, said.tables):
        if any(not table.num_rows for table in series.tables):
            continue
        one = Lived(series)
        for name, right, touched, made in [t for seed in range(said.seeds) for t in trials(one, seed)] + [
            *following(one)
        ]:
            loud, told, cause, words = one.told(touched, made)
            counts = seen[name]
            counts["tried"] += 1
            counts["alarms"] += loud
            counts["warnings"] += told and not loud
            counts["named"] += loud and not right and cause in BAD[name][1]
            part = sources[name in LATER, right]
            part[series.source][0] += loud
            part[series.source][1] += 1
            if said.show and (loud if right else not loud or cause not in BAD[name][1]):
                print(f"-- {series.name}, {name}, loads {len(touched)}, rows {len(made)}: {loud=} {cause}")
                print("\n".join(f"     {line[:300]}" for line in words[:6]), flush=True)
    for right in (True, False):
        for name in [name for name in seen if (name not in BAD) is right]:
            c = seen[name]
            named = "" if right else f", cause right first {c['named']}"
            what = "right" if right else "wrong"
            print(f"{what} {name:34} {c['tried']:4} alarms {c['alarms']}, warnings {c['warnings']}{named}")
        for later in (False, True):
            total = by_source({source: (hit, of) for source, (hit, of) in sources[later, right].items()})
            ones = f"{'right' if right else 'wrong'} ones{', kinds added later' if later else ''}"
            print(f"{ones} that alarm: {interval(total)}")
    if said.json:
        said.json.write_text(json.dumps({name: dict(counts) for name, counts in seen.items()}, indent=1))


if __name__ == "__main__":
    main()
