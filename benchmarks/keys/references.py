"""Which columns are found to name rows of other tables, against those that do.

    python -m benchmarks.keys.references [--lake FOLDER ...] [--data DIR] [--series DIR ...] [--versions FOLDER ...]

Of a folder of Delta tables, those of TPC-H or of the demo (whose references of one column are known: `TPCH`, `SHOP`),
and of the tables of each repository of real columns (`columns/`, first 1,000 rows): the pairs that
`catalog.learners.references` finds and whose rows all have their value, as the product tries them. Which of the pairs
found in real tables are references (`TRUE`) was read from their names and values; how many there are that are not found
is not known of them.

Of real series of one source (`--series`: folders with histories/), as they stood together on each day that one of them
was delivered, and of the tables of a lake as they stood together after each version (`--versions`): a reference is
learned from what stood at a time and judges what stands from then on, whole tables without any wait for the other;
(reference, time) pairs that break it are counted.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from deltalake import DeltaTable

from benchmarks.lake import typed_column, unique_names
from benchmarks.lived.data import delivery, read_series
from benchmarks.split import source_of
from catalog.learners.keys import KINDS, may_name_rows, own_key
from catalog.learners.references import HALF, Candidate, Keyed, candidates, learn_references
from catalog.rules.kinds.key import repeats
from catalog.rules.kinds.reference import Joined, ReferenceRule
from catalog.rules.verdict import NOT_APPLICABLE, VIOLATED
from catalog.states.folding.fold import fold
from catalog.states.table import merge_all

Pair = tuple[str, str, str, str]
TPCH: set[Pair] = {
    ("nation", "n_regionkey", "region", "r_regionkey"),
    ("supplier", "s_nationkey", "nation", "n_nationkey"),
    ("customer", "c_nationkey", "nation", "n_nationkey"),
    ("partsupp", "ps_partkey", "part", "p_partkey"),
    ("partsupp", "ps_suppkey", "supplier", "s_suppkey"),
    ("orders", "o_custkey", "customer", "c_custkey"),
    ("lineitem", "l_orderkey", "orders", "o_orderkey"),
    ("lineitem", "l_partkey", "part", "p_partkey"),
    ("lineitem", "l_suppkey", "supplier", "s_suppkey"),
}
#: The demo's shop (`catalog.demo`): some customers were erased, and articles are called otherwise.
SHOP: set[Pair] = {
    *((table, "order_id", "orders", "order_id") for table in ("order_items", "payments", "returns", "shipments")),
    *((table, "customer_id", "customers", "customer_id") for table in ("orders", "web_sessions")),
    *((table, "sku", "products", "sku") for table in ("order_items", "inventory")),
    ("orders", "store_id", "stores", "store_id"),
}
#: Pairs found in real tables that are references, by repository.
TRUE: dict[str, set[Pair]] = {
    "chadwickbureau/baseballdatabank": {
        ("HomeGames", "park_key", "Parks", "park_key"),
        ("Teams", "franchID", "TeamsFranchises", "franchID"),
    },
    "jokecamp/FootballData": {("cities", "country_id", "countries", "Id")},
    "mysociety/uk_local_authority_names_and_codes": {
        (name, "local-authority-code", "uk_local_authorities_future", "local-authority-code")
        for name in ("lookup_gss_to_registry", "lookup_name_to_registry")
    },
}


def keyed(number: int, name: str, parts: Iterable[pa.Table]) -> Iterator[Keyed]:
    """The columns of a table as the product keeps them."""
    state = merge_all([fold(part) for part in parts])
    named = own_key(state.columns, name)
    for column, found in state.columns.items():
        if found.kind in KINDS and found.non_null and may_name_rows(column):
            is_own = column == named and not found.nulls and not repeats(found)
            sample = found.distinct
            yield Keyed(
                number, name, name, column, found.kind, is_own, sample.hashes, sample.threshold,
                found.non_null, round(sample.singletons()),
            )  # fmt: skip


def pairs(tables: Mapping[str, pa.Table]) -> tuple[list[Pair], list[Pair]]:
    """(pairs whose rows all have their value, pairs that only the samples let through)."""
    columns = [one for number, (name, table) in enumerate(tables.items()) for one in keyed(number, name, cut(table))]
    found = candidates(columns)
    kept = [one for one in found if _holds(one, tables)]
    return [_named(one) for one in kept], [_named(one) for one in found if one not in kept]


def cut(table: pa.Table) -> list[pa.Table]:
    return [table.slice(at, 100_000) for at in range(0, max(table.num_rows, 1), 100_000)]


def _holds(one: Candidate, tables: Mapping[str, pa.Table]) -> bool:
    own, other = tables[one.own.table][one.own.column], tables[one.other.table][one.other.column]
    own = own.combine_chunks().drop_null()
    return bool(pc.all(pc.is_in(own, other.combine_chunks().cast(own.type))).as_py())


def _named(one: Candidate) -> Pair:
    return one.own.table, one.own.column, one.other.table, one.other.column


def real(data: Path) -> dict[str, dict[str, pa.Table]]:
    """The tables of each repository by name."""
    columns = {row["column_id"]: row for row in pq.read_table(data / "columns" / "columns.parquet").to_pylist()}
    found: dict[str, dict[str, pa.Table]] = {}
    for table in pq.read_table(data / "columns" / "tables.parquet").to_pylist():
        known = [columns[one] for one in table["column_ids"]]
        rows = min(len(one["values"]) for one in known)
        cells = [typed_column(pl.Series(one["values"][:rows], dtype=pl.String).fill_null("")) for one in known]
        names = unique_names([one["column"] for one in known])
        found.setdefault(table["repo"], {})[Path(table["path"]).stem] = pa.table(dict(zip(names, cells, strict=True)))
    return found


def days(folders: Iterable[Path]) -> Iterator[dict[str, pa.Table]]:
    """The tables of a source as they stand together, day by day."""
    known = [read_series(folder) for folder in folders]
    standing: dict[str, pa.Table] = {}
    for day in sorted({day for series in known for day in series.days}):
        for series in known:
            for index in (at for at, one in enumerate(series.days, 1) if one == day and not series.wrong(at)):
                if (rows := delivery(series, index)).num_rows:
                    standing[series.name] = rows
        yield dict(standing)


def commits(lake: Path) -> Iterator[dict[str, pa.Table]]:
    """The tables of a lake as they stood together after each of their versions."""
    standing: dict[str, pa.Table] = {}
    listed = [
        (said["timestamp"], one, int(said["version"]))
        for one in sorted(lake.iterdir())
        for said in DeltaTable(str(one)).history()
    ]
    for _, one, version in sorted(listed):
        standing[one.name] = DeltaTable(str(one), version=version).to_pyarrow_table()
        yield dict(standing)


def held(times: Iterable[dict[str, pa.Table]]) -> tuple[dict[Pair, int], dict[Pair, int]]:
    """(times that a reference judged, times that broke it), of tables as they stood together one time after another."""
    judged: dict[Pair, int] = {}
    broken: dict[Pair, int] = {}
    rules: dict[Pair, ReferenceRule] = {}
    for tables in times:
        for pair, rule in rules.items():
            own, other = tables[pair[0]], tables[pair[2]]
            if pair[1] in own.column_names and pair[3] in other.column_names:
                values = own[pair[1]].combine_chunks().drop_null()
                there = pc.is_in(values, other[pair[3]].combine_chunks().cast(values.type, safe=False))
                lacking = len(values) - int(pc.sum(there).as_py() or 0)
                said = rule.judge_joined(Joined(len(values), lacking, 0))
                judged[pair] = judged.get(pair, 0) + (said.status != NOT_APPLICABLE)
                broken[pair] = broken.get(pair, 0) + (said.status == VIOLATED)
        columns = [
            one for number, (name, table) in enumerate(tables.items()) for one in keyed(number, name, cut(table))
        ]
        found = [one for one in candidates(columns) if _holds(one, tables)]
        kept = [one for one in found if one.tolerated < HALF]
        rules = {_named(one): rule for one, rule in zip(kept, learn_references(kept), strict=True)} | rules
    return judged, broken


def _say_held(data: Iterable[Path], lakes: Iterable[Path]) -> None:
    by_source: dict[str, list[Path]] = {}
    for folder in (one.parent for root in data for one in sorted(root.glob("histories*/*/incidents.json"))):
        by_source.setdefault(source_of(folder), []).append(folder)
    total = 0, 0
    several = {source: days(folders) for source, folders in by_source.items() if len(folders) > 1}
    for source, times in (several | {str(lake): commits(lake) for lake in lakes}).items():
        judged, broken = held(times)
        total = total[0] + sum(broken.values()), total[1] + sum(judged.values())
        for (own, column, other, key), asked in judged.items():
            out = broken[own, column, other, key]
            print(f"{source}: {own}.{column} -> {other}.{key}: {out} of {asked} times broken", flush=True)
    print(f"{total[0]} of {total[1]} (reference, time) pairs broken; {len(several)} sources of several series")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lake", type=Path, action="append", default=[], help="folder with Delta tables")
    parser.add_argument("--data", type=Path, help="folder with columns/")
    parser.add_argument("--series", type=Path, action="append", default=[], help="folder with histories/")
    parser.add_argument("--versions", type=Path, action="append", default=[], help="folder with Delta tables")
    asked = parser.parse_args()
    if asked.series or asked.versions:
        _say_held(asked.series, asked.versions)
    for lake in asked.lake:
        tables = {one.name: DeltaTable(str(one)).to_pyarrow_table() for one in sorted(lake.iterdir())}
        known = {one for one in TPCH | SHOP if one[0] in tables and one[1] in tables[one[0]].column_names}
        _say(str(lake), *pairs(tables), known)
    for repo, some in real(asked.data).items() if asked.data else ():
        _say(repo, *pairs(some), TRUE.get(repo, set()))


def _say(where: str, found: list[Pair], tried: list[Pair], wanted: set[Pair]) -> None:
    right = set(found) & wanted
    if not (found or tried or wanted):
        return
    precision, recall = len(right) / max(len(found), 1), len(right) / max(len(wanted), 1)
    print(f"{where}: {len(found)} found, precision {precision:.2f}; {len(wanted)} there, recall {recall:.2f}")
    for what, some in (("missed", wanted - right), ("not one", set(found) - right), ("tried, not held", set(tried))):
        for own, column, other, key in sorted(some):
            print(f"  {what}: {own}.{column} -> {other}.{key}")


if __name__ == "__main__":
    main()
