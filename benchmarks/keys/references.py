"""Which columns are found to name rows of other tables, against those that do.

    python -m benchmarks.keys.references [--lake FOLDER ...] [--data DIR]

Of a folder of Delta tables, those of TPC-H or of the demo (whose references of one column are known: `TPCH`, `SHOP`),
and of the tables of each repository of real columns (`columns/`, first 1,000 rows): the pairs that
`catalog.learners.references` finds and whose rows all have their value, as the product tries them. Which of the pairs
found in real tables are references (`TRUE`) was read from their names and values; how many there are that are not found
is not known of them.
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
from catalog.learners.keys import KINDS, may_name_rows, own_key
from catalog.learners.references import Candidate, Keyed, candidates
from catalog.rules.kinds.key import repeats
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lake", type=Path, action="append", default=[], help="folder with Delta tables")
    parser.add_argument("--data", type=Path, help="folder with columns/")
    asked = parser.parse_args()
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
