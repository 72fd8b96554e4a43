"""The second version of every table of a lake that has just been registered.

    python -m benchmarks.second --data DIR --json OUT [--part develop|report] [--tables N] [--only REGIME ...]

Real tables (`columns/`) become a lake of one version each, which the product registers; then every table gets its
second version, which the product judges as its own: on a copy of the catalog, so that all second versions meet the
same first ones. **order**: the first seven tenths of a table's rows and the rest, as in the file; nobody made a change,
though what the rest holds may differ. **random**: rows drawn for the one or the other; there versions are alike.
Each comes overwriting the first version and appended to it. **damaged**: the random second version, overwriting,
with one kind of damage in one column of each table, at all values it can change and at a fifth of these.

Counted are tables with an alarm and with a warning alone, and findings by kind of rule; of damaged versions those with
an alarm (or a warning alone) on the damaged column or on the whole table. Tables are dealt by repository
(`benchmarks.split`): its parts to fit and tune are the part to develop on.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from deltalake import write_deltalake

from benchmarks.lake import folder_name, typed_column, unique_names
from benchmarks.simulation.__main__ import Kept, folded_here
from benchmarks.simulation.data import START
from benchmarks.split import REPORT, by_source, drawn, interval
from catalog.damage import NUMBERS, STRINGS
from catalog.demo.lake import date_commit
from catalog.demo.run import apart
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source, crawl_tables
from catalog.flow.reading import observe
from catalog.flow.reading.sources import add_source
from catalog.rules.verdict import VIOLATED
from catalog.settings import Settings, get_settings
from catalog.store.expectations.weekly import level_of
from catalog.store.lake import tables
from catalog.store.pages.rules import find_outcomes

DEVELOP = "develop"
FIRST = 0.7  # of the rows are the first version; chosen, as in `benchmarks.causes.young`
FIFTH = 0.2  # of the values that a kind can change; chosen: small enough to be missed
TRIES = 40  # draws of a column and a kind that damages it; chosen: nearly every table has one after ten
#: Regime: (how rows are dealt, how the second version is written, share of the values that are damaged).
REGIMES = {
    "order overwrite": ("order", "overwrite", 0.0),
    "order append": ("order", "append", 0.0),
    "random overwrite": ("random", "overwrite", 0.0),
    "random append": ("random", "append", 0.0),
    "damaged": ("random", "overwrite", 1.0),
    "damaged fifth": ("random", "overwrite", FIFTH),
}


@dataclass(frozen=True)
class Dealt:
    """A real table in its two versions, its repository, and what was damaged in the second one."""

    name: str
    source: str
    first: pa.Table
    second: pa.Table
    column: str = ""
    kind: str = ""


def real_tables(data: Path, part: str, most: int | None) -> Iterator[tuple[str, str, pa.Table]]:
    """(name, repository, rows) of the tables of a part, in an order drawn by their names."""
    found = pl.read_parquet(data / "columns" / "tables.parquet")
    columns = pl.read_parquet(data / "columns" / "columns.parquet", columns=["column_id", "column", "values"])
    place = {column_id: i for i, column_id in enumerate(columns["column_id"])}
    mine = [one for one in found.iter_rows(named=True) if (drawn(one["repo"]) == REPORT) == (part == REPORT)]
    mine.sort(key=lambda one: zlib.crc32(one["table_id"].encode()))
    for one in mine[:most]:
        rows = [place[column_id] for column_id in one["column_ids"]]
        cells = [columns["values"][i] for i in rows]
        height = max(len(column) for column in cells)
        arrays = [typed_column(column.extend_constant("", height - len(column))) for column in cells]
        name = f"{folder_name(one['repo'], one['path'])}_{one['table_id']}".lower()
        yield name, one["repo"], pa.table(arrays, names=unique_names([columns["column"][i] for i in rows]))


def dealt(found: Sequence[tuple[str, str, pa.Table]], how: str) -> list[Dealt]:
    """The tables in two versions, their rows in the order of the file or drawn."""
    out = []
    for name, source, rows in found:
        if how == "random":
            rows = rows.take(pa.array(np.random.default_rng(zlib.crc32(name.encode())).permutation(rows.num_rows)))
        cut = round(FIRST * rows.num_rows)
        out.append(Dealt(name, source, rows.slice(0, cut), rows.slice(cut)))
    return out


def damaged(one: Dealt, share: float) -> Dealt | None:
    """The table with one kind of damage in one column of its second version, the same for every share; None where
    none of those drawn is damage to it."""
    rng = np.random.default_rng(zlib.crc32(f"damage {one.name}".encode()))
    for _ in range(TRIES):
        name = str(rng.choice(one.second.column_names))
        of = one.second.schema.field(name).type
        kinds = STRINGS if pa.types.is_string(of) else NUMBERS
        cause = rng.choice(sorted({kind.cause for kind in kinds}))  # else most would be factors
        kind = kinds[rng.choice([at for at, one_kind in enumerate(kinds) if one_kind.cause == cause])]
        values = one.second[name].to_pylist()
        whole = kind.damage(values, np.random.default_rng(0))
        if not kind.is_damage(values, whole, one.first[name].to_pylist()):
            continue
        new = kind.damage(values, np.random.default_rng(0), share) or values
        cells = [None if v is None else int(v) for v in new] if pa.types.is_integer(of) else new
        if cells != values:
            at = one.second.column_names.index(name)
            second = one.second.set_column(at, one.second.schema.field(at), pa.array(cells, of))
            return replace(one, second=second, column=name, kind=kind.key)
    return None


class Lake:
    """A lake of first versions and the catalog that knows them."""

    def __init__(self, folder: Path, settings: Settings, found: Sequence[Dealt]) -> None:
        self.lake, self.settings, self.found = folder / "lake", settings, found
        for one in found:
            self.deliver(one.name, one.first, "overwrite", 0)
        context = self.opened(settings.home)
        crawl_source(context, add_source(context, "young", str(self.lake)).id)
        with context.reading() as session:
            self.ids = {table.name: table.id or 0 for table in tables.every_table(session)}
        context.close()

    def deliver(self, name: str, rows: pa.Table, mode: Any, version: int) -> None:
        write_deltalake(str(self.lake / name), rows, mode=mode)
        minute = [one.name for one in self.found].index(name)
        date_commit(self.lake / name, version, START + timedelta(days=version, minutes=minute))

    def opened(self, home: Path) -> Context:
        return Context(self.settings.model_copy(update={"home": home}))

    def judged(self, mode: str, share: float) -> dict[str, Any]:
        """What is said of second versions that are written so."""
        new = [one for each in self.found for one in [damaged(each, share) if share else each] if one is not None]
        with tempfile.TemporaryDirectory() as folder, Kept(self.lake):
            home = Path(folder) / "home"
            shutil.copytree(self.settings.home, home)
            for one in new:
                self.deliver(one.name, one.second, mode, 1)
            context = self.opened(home)
            crawl_tables(context, [self.ids[one.name] for one in new])
            said = [finding for one in new for finding in self.findings(context, one)]
            context.close()
        return figures(new, said, damage=bool(share))

    def findings(self, context: Context, one: Dealt) -> Iterator[dict[str, str]]:
        """What is said of a table's second version: rules that broke, and whether that is an alarm."""
        with context.reading() as session:
            for outcome, rule in find_outcomes(session, table_id=self.ids[one.name], version=1, limit=2000).items:
                if outcome.status == VIOLATED:
                    level, column = level_of(outcome, rule), rule.column_name or ""
                    yield {"table": one.name, "column": column, "kind": rule.kind, "level": level,
                           "sentence": outcome.sentence, "rule": rule.sentence}  # fmt: skip


def figures(found: Sequence[Dealt], said: Sequence[dict[str, str]], *, damage: bool) -> dict[str, Any]:
    """Tables with an alarm and with a warning alone, by kind and by source; of damaged ones those that are seen.

    >>> table = pa.table({"a": [1]})
    >>> one = Dealt("t", "s", table, table, "a", "scale")
    >>> alarm = {"table": "t", "column": "b", "kind": "history", "level": "error"}
    >>> figures([one], [alarm], damage=False)["with_alarm"], figures([one], [alarm], damage=True)["with_alarm"]
    (1, 0)
    """
    of = {one.name: one for one in found}
    about = [x for x in said if not damage or x["column"] in ("", of[x["table"]].column)]
    alarmed = {x["table"] for x in about if x["level"] == "error"}
    warned = {x["table"] for x in about} - alarmed
    counts: dict[str, tuple[float, float]] = defaultdict(lambda: (0, 0))
    for one in found:
        hits, tests = counts[one.source]
        counts[one.source] = hits + (one.name in alarmed), tests + 1
    by_kind = {
        level: dict(Counter(x["kind"] for x in about if (x["level"] == "error") == (level == "alarms")))
        for level in ("alarms", "warnings")
    }
    seen: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for one in found if damage else ():
        for place, counted in enumerate((True, one.name in alarmed, one.name in warned)):
            seen[one.kind][place] += counted
    return {"tables": len(found), "with_alarm": len(alarmed), "with_warning_alone": len(warned), **by_kind,
            "by_damage": dict(sorted(seen.items())), "by_source": by_source(counts), "said": list(said)}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.second", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with columns/")
    parser.add_argument("--json", type=Path, required=True, help="where to write the figures")
    parser.add_argument("--part", choices=(DEVELOP, REPORT), default=DEVELOP)
    parser.add_argument("--tables", type=int, help="at most so many")
    parser.add_argument("--only", choices=tuple(REGIMES), nargs="+", default=list(REGIMES), help="these regimes alone")
    asked = parser.parse_args()
    observe.scan = folded_here  # type: ignore[assignment]  # small files need no Spark; keys of several columns do
    found = list(real_tables(asked.data, asked.part, asked.tables))
    report: dict[str, Any] = {"part": asked.part, "regimes": {}}
    for how in ("order", "random"):
        mine = {name: (mode, share) for name, (dealt_so, mode, share) in REGIMES.items() if dealt_so == how}
        if not mine.keys() & set(asked.only):
            continue
        with tempfile.TemporaryDirectory() as folder:
            settings = apart(get_settings(), Path(folder) / "home")
            lake = Lake(Path(folder), settings, dealt(found, how))
            for name, (mode, share) in mine.items():
                if name not in asked.only:
                    continue
                told = lake.judged(mode, share)
                report["regimes"][name] = told
                asked.json.write_text(json.dumps(report, indent=1))
                shown = {key: told[key] for key in ("alarms", "warnings", "by_damage") if told[key]}
                print(f"{name}: of {told['tables']} tables {told['with_alarm']} with an alarm, ", end="")
                print(f"{interval(told['by_source'])}; {told['with_warning_alone']} with a warning alone; ", end="")
                print(json.dumps(shown), flush=True)


if __name__ == "__main__":
    main()
