"""The second version of every table of a lake that has just been registered.

    python -m benchmarks.second --data DIR --json OUT [--part develop|report|all] [--tables N] [--only REGIME ...]

Real tables (`columns/`) become a lake of one version each, which the product registers; then every table gets its
second version, which the product judges as its own: on a copy of the catalog, so that all second versions meet the
same first ones. **order**: the first seven tenths of a table's rows and the rest, as in the file; nobody made a change,
though what the rest holds may differ. **random**: rows drawn for the one or the other; there versions are alike.
Each comes overwriting the first version and appended to it. **damaged**: the random second version, overwriting,
with one kind of damage in one column of each table, at all values it can change and at a fifth of these.
**week**: second versions come in a drawn order over a week, each day crawled by itself: a third of the tables
overwritten with the rest of their rows, a third with all of them (`grown`), a third appended to; a tenth of them are
damaged, at all values or at a fifth. At the end of the day a steward answers every alarm. `--weeks` lives the week
again with other draws.

Counted are tables with an alarm and with a warning alone, and by kind of rule how often it broke and how often it said
that it would; of damaged versions those with an alarm (or a warning alone) on the damaged column or on the whole table.
Tables are dealt by repository (`benchmarks.split`): its parts to fit and tune are the part to develop on.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from deltalake import write_deltalake
from sqlmodel import select

from benchmarks.lake import folder_name, typed_column, unique_names
from benchmarks.lived.__main__ import Clock, clocked, delivered
from benchmarks.simulation.__main__ import Kept, folded_here
from benchmarks.split import ALL, FIT, REPORT, TUNE, by_source, drawn, interval
from catalog.checks.feedback import FALSE_ALARM
from catalog.damage import NUMBERS, STRINGS
from catalog.demo.lake import date_commit
from catalog.demo.run import apart
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source, crawl_tables
from catalog.flow.reading import observe
from catalog.flow.reading.sources import add_source
from catalog.rules.kinds.strings import UNPROVEN
from catalog.rules.verdict import PASSED, VIOLATED
from catalog.settings import Settings, get_settings
from catalog.store.expectations import weekly
from catalog.store.expectations.weekly import level_of
from catalog.store.incidents import outcomes
from catalog.store.lake import tables
from catalog.store.models import Incident
from catalog.store.pages.rules import find_outcomes

DEVELOP = "develop"
FIRST = 0.7  # of the rows are the first version; chosen, as in `benchmarks.causes.young`
FIFTH = 0.2  # of the values that a kind can change; chosen: small enough to be missed
TENTH = 0.1  # of the tables are damaged in a week; chosen: more than anybody's are, so that a week shows some
TRIES = 40  # draws of a column and a kind that damages it; chosen: nearly every table has one after ten
DAYS = 7  # of a week
GROWN = "grown"  # overwritten with the rows that were there and more


@dataclass(frozen=True)
class Regime:
    """How rows are dealt (`how`), how second versions are written, the shares of the values that are damaged, in which
    part of the tables, and over how many days they come."""

    how: str
    modes: tuple[str, ...]
    shares: tuple[float, ...] = ()
    part: float = 1.0
    days: int = 1


REGIMES = {
    "order overwrite": Regime("order", ("overwrite",)),
    "order append": Regime("order", ("append",)),
    "random overwrite": Regime("random", ("overwrite",)),
    "random append": Regime("random", ("append",)),
    "damaged": Regime("random", ("overwrite",), (1.0,)),
    "damaged fifth": Regime("random", ("overwrite",), (FIFTH,)),
    "week order": Regime("order", ("overwrite", GROWN, "append"), (1.0, FIFTH), TENTH, DAYS),
    "week random": Regime("random", ("overwrite", GROWN, "append"), (1.0, FIFTH), TENTH, DAYS),
}


@dataclass(frozen=True)
class Dealt:
    """A real table in its two versions, its repository, how the second one is written, and what was damaged in it."""

    name: str
    source: str
    first: pa.Table
    second: pa.Table
    mode: str = "overwrite"
    column: str = ""
    kind: str = ""
    share: float = 0.0


def real_tables(data: Path, part: str, most: int | None) -> Iterator[tuple[str, str, pa.Table]]:
    """(name, repository, rows) of the tables of a part, in an order drawn by their names."""
    folder = data / "columns" if (data / "columns").exists() else data
    found = pl.read_parquet(folder / "tables.parquet")
    columns = pl.read_parquet(folder / "columns.parquet", columns=["column_id", "column", "values"])
    place = {column_id: i for i, column_id in enumerate(columns["column_id"])}
    parts = {REPORT: (REPORT,), DEVELOP: (FIT, TUNE)}.get(part, (FIT, TUNE, REPORT))
    mine = [one for one in found.iter_rows(named=True) if drawn(one["repo"]) in parts]
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
            return replace(one, second=second, column=name, kind=kind.key, share=share)
    return None


def coming(found: Sequence[Dealt], regime: Regime, seed: int) -> list[list[Dealt]]:
    """Second versions as they come, day by day; where every table is damaged, those that nothing damages do not."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(found)) if regime.days > 1 else np.arange(len(found))
    days: list[list[Dealt]] = [[] for _ in range(regime.days)]
    for place, at in enumerate(order):
        one = replace(found[at], mode=str(rng.choice(regime.modes)))
        if one.mode == GROWN:
            one = replace(one, second=pa.concat_tables([one.first, one.second]))
        if regime.shares and rng.random() < regime.part:
            harmed = damaged(one, float(rng.choice(regime.shares)))
            if harmed is None and regime.part == 1:
                continue
            one = harmed or one
        days[place * regime.days // len(order)].append(one)
    return days


class Lake:
    """A lake of first versions and the catalog that knows them."""

    def __init__(self, folder: Path, settings: Settings, found: Sequence[Dealt]) -> None:
        self.lake, self.settings, self.found = folder / "lake", settings, found
        for minute, one in enumerate(found):
            self.deliver(one.name, one.first, "overwrite", 0, timedelta(minutes=minute))
        Clock.begin(0)
        context = self.opened(settings.home)
        crawl_source(context, add_source(context, "young", str(self.lake)).id)
        with context.reading() as session:
            self.ids = {table.name: table.id or 0 for table in tables.every_table(session)}
        context.close()

    def deliver(self, name: str, rows: pa.Table, mode: Any, version: int, after: timedelta) -> None:
        write_deltalake(str(self.lake / name), rows, mode="append" if mode == "append" else "overwrite")
        date_commit(self.lake / name, version, delivered(0) + after)

    def opened(self, home: Path) -> Context:
        return Context(self.settings.model_copy(update={"home": home}))

    def judged(self, regime: Regime, seed: int) -> dict[str, Any]:
        """What is said of second versions that come so."""
        days, said, stated = coming(self.found, regime, seed), list[dict[str, Any]](), Counter[str]()
        with tempfile.TemporaryDirectory() as folder, Kept(self.lake):
            home = Path(folder) / "home"
            shutil.copytree(self.settings.home, home)
            context = self.opened(home)
            for day, new in enumerate(days, 1):
                for minute, one in enumerate(new):
                    self.deliver(one.name, one.second, one.mode, 1, timedelta(days=day, minutes=minute))
                Clock.begin(day)
                crawl_tables(context, [self.ids[one.name] for one in new])
                for one in new:
                    said += self.findings(context, one, stated)
                if regime.days > 1:
                    answer(context, {self.ids[one.name] for one in new if one.column})
            with context.reading() as session:
                expected = weekly.expected_of_week(session)
            context.close()
        told = figures([one for new in days for one in new], said, damage=regime.part == 1 and bool(regime.shares))
        return told | {"expected_of_week": expected, "stated": dict(stated)}

    def findings(self, context: Context, one: Dealt, stated: Counter[str]) -> Iterator[dict[str, Any]]:
        """What is said of a table's second version: rules that broke, and whether that is an alarm. Of an undamaged one
        what rules stated is added, by kind."""
        with context.reading() as session:
            for outcome, rule in find_outcomes(session, table_id=self.ids[one.name], version=1, limit=2000).items:
                if not one.column and outcome.status in (PASSED, VIOLATED):
                    stated[rule.kind] += rule.fpr or 0.0  # type: ignore[assignment]
                if outcome.status == VIOLATED:
                    level, column = level_of(outcome, rule), rule.column_name or ""
                    observed = outcome.detail.get("observed") or {}
                    yield {"table": one.name, "column": column, "kind": rule.kind, "level": level, "mode": one.mode,
                           "p": outcome.detail.get("p_value"), "fpr": rule.fpr,
                           "unproven": bool(observed.get(UNPROVEN)),
                           "damaged": f"{one.kind} {one.share} {one.column}" if one.column else "",
                           "sentence": outcome.sentence, "rule": rule.sentence}  # fmt: skip


def answer(context: Context, damaged: Collection[int]) -> None:
    """Answer every alarm that waits: those of tables that were damaged are right."""
    with context.transaction() as session:
        asked = select(Incident).where(Incident.level == "error", Incident.status != "resolved")
        for one in session.exec(asked).all():
            session.refresh(one)  # its leader's answer may have been its own
            if one.status != "resolved":
                reason = "MissingData" if one.table_id in damaged else FALSE_ALARM
                outcomes.resolve(session, one.id, reason, actor="steward")


def figures(found: Sequence[Dealt], said: Sequence[dict[str, Any]], *, damage: bool) -> dict[str, Any]:
    """Tables with an alarm and with a warning alone, by kind and by source; of damaged ones those that are seen.

    Where not all are damaged, the counts are of those that are not.

    >>> table = pa.table({"a": [1]})
    >>> one, two = Dealt("t", "s", table, table, column="a", kind="scale"), Dealt("u", "s", table, table)
    >>> alarms = [{"table": name, "column": "b", "kind": "history", "level": "error"} for name in "tu"]
    >>> figures([two], alarms[1:], damage=False)["with_alarm"], figures([one], alarms[:1], damage=True)["with_alarm"]
    (1, 0)
    >>> told = figures([one, two], alarms, damage=False)
    >>> told["tables"], told["with_alarm"], told["by_damage"]
    (1, 1, {'scale': [1, 0, 0]})
    """
    of = {one.name: one for one in found}
    about = [x for x in said if x["column"] in ("", of[x["table"]].column) or not of[x["table"]].column]
    alarmed = {x["table"] for x in about if x["level"] == "error"}
    warned = {x["table"] for x in about} - alarmed
    counted = [one for one in found if damage or not one.column]
    names = {one.name for one in counted}
    counts: dict[str, tuple[float, float]] = defaultdict(lambda: (0, 0))
    for one in counted:
        hits, tests = counts[one.source]
        counts[one.source] = hits + (one.name in alarmed), tests + 1
    mine = [x for x in about if x["table"] in names]
    by_kind = {
        level: dict(Counter(x["kind"] for x in mine if (x["level"] == "error") == (level == "alarms")))
        for level in ("alarms", "warnings")
    }
    seen: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for one in found:
        for place, is_so in enumerate((True, one.name in alarmed, one.name in warned)) if one.column else ():
            seen[one.kind][place] += is_so
    return {"tables": len(counted), "with_alarm": len(alarmed & names), "with_warning_alone": len(warned & names),
            **by_kind, "by_damage": dict(sorted(seen.items())), "by_source": by_source(counts),
            "by_mode": _by_mode(found, alarmed), "said": list(said)}  # fmt: skip


def _by_mode(found: Sequence[Dealt], alarmed: Collection[str]) -> dict[str, list[int]]:
    """By how second versions are written: [damaged, of these with an alarm, undamaged, of these with an alarm]."""
    out: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for one in found:
        place = 0 if one.column else 2
        out[one.mode][place] += 1
        out[one.mode][place + 1] += one.name in alarmed
    return dict(sorted(out.items()))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.second", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with columns/")
    parser.add_argument("--json", type=Path, required=True, help="where to write the figures")
    parser.add_argument("--part", choices=(DEVELOP, REPORT, ALL), default=DEVELOP)
    parser.add_argument("--tables", type=int, help="at most so many")
    parser.add_argument("--only", choices=tuple(REGIMES), nargs="+", default=list(REGIMES), help="these regimes alone")
    parser.add_argument("--weeks", type=int, default=1, help="how many draws of each week")
    asked = parser.parse_args()
    observe.scan = folded_here  # type: ignore[assignment]  # small files need no Spark; keys of several columns do
    found = list(real_tables(asked.data, asked.part, asked.tables))
    report: dict[str, Any] = {"part": asked.part, "regimes": {}}
    for how in ("order", "random"):
        mine = {name: one for name, one in REGIMES.items() if one.how == how and name in asked.only}
        if not mine:
            continue
        with tempfile.TemporaryDirectory() as folder, clocked():
            settings = apart(get_settings(), Path(folder) / "home")
            lake = Lake(Path(folder), settings, dealt(found, how))
            for name, regime in mine.items():
                for seed in range(asked.weeks if regime.days > 1 else 1):
                    told = lake.judged(regime, seed)
                    report["regimes"][f"{name} {seed}" if seed else name] = told
                    asked.json.write_text(json.dumps(report, indent=1))
                    show(name, told)


def show(name: str, told: dict[str, Any]) -> None:
    """Print a regime's figures."""
    shown = {key: told[key] for key in ("alarms", "warnings", "by_mode", "by_damage") if told[key]}
    print(f"{name}: of {told['tables']} tables {told['with_alarm']} with an alarm, ", end="")
    print(f"{interval(told['by_source'])}; {told['with_warning_alone']} with a warning alone; ", end="")
    if told["by_damage"]:
        harmed, alarmed, warned = (sum(one[at] for one in told["by_damage"].values()) for at in range(3))
        print(f"of {harmed} damaged {alarmed} with an alarm, {warned} with a warning alone; ", end="")
    stated = {kind: round(one, 2) for kind, one in told["stated"].items() if one >= 0.005}
    print(f"stated {json.dumps(stated)}, of a week {told['expected_of_week']:.1f}; {json.dumps(shown)}", flush=True)


if __name__ == "__main__":
    main()
