"""The columns of `benchmarks.tagging.carried` in the order of their files, for string rules.

    python -m benchmarks.tagging.carried.ordered --out FOLDER [--lists first,later]

What is written below FOLDER is read by ``python -m benchmarks.fmdv --data FOLDER``: the first `MOST` cells of each
column of the real tables, and which of the columns are asked of (at least `LEAST` values, two different ones, no
numbers; at most `OF_A_TABLE` of a table and a tenth of one source). Made columns are left out: they come in no order.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.tagging.carried.__main__ import LISTS, fetched, labels

#: Cells of a column and values of one that is asked of; chosen, as in other folders that ``benchmarks.fmdv`` reads.
MOST, LEAST, OF_A_TABLE = 1000, 100, 10
#: Share of the values that have one of three shapes, and share of one source among what is asked of. Chosen so too.
FORMED, OF_A_SOURCE = 0.95, 0.1


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def is_machine_like(values: Sequence[str]) -> bool:
    """Whether values look as a program's do, by their three most frequent shapes: codes, or no two words in a row.

    >>> [is_machine_like([text] * 9) for text in ("SO-17", "Elm Street", "Elm Street 5", "NY", "Monday", "a1 b c d")]
    [True, False, False, True, False, False]
    """
    shapes = Counter(re.sub("[0-9]+", "0", re.sub(r"[^\W\d_]+", "a", text)) for text in values)
    top = shapes.most_common(3)
    if sum(rows for _, rows in top) < FORMED * len(values):
        apart = sum(" " in text for text in values)
        return apart < (1 - FORMED) * len(values) and sum(map(_has_digit, values)) > len(values) / 2
    if top[0][0] == "a":
        return all(text.isupper() or len(text) <= 3 for text in set(values))
    return not any("a a" in shape for shape, _ in top)


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)


def rows_of(which: str) -> Iterator[dict[str, Any]]:
    """The columns of a list."""
    for source, name, table in fetched([one for one in labels(which) if not one.get("made")]):
        for place, (column, cells) in enumerate(table.items()):
            values = [cell or "" for cell in cells[:MOST]]
            given = [value for value in values if value]
            numeric = all(map(is_number, given))
            yield {
                "column_id": f"{source}/{name}:{place}", "repo": source, "table_id": f"{source}/{name}",
                "column": column, "values": values, "numeric": numeric, "n_nonempty": len(given),
                "n_distinct": len(set(given)), "machine_like": bool(given) and not numeric and is_machine_like(given),
            }  # fmt: skip


def asked(rows: Iterable[dict[str, Any]]) -> list[str]:
    """The columns that are asked of, machine-like ones first."""
    fit = [r for r in rows if not r["numeric"] and r["n_nonempty"] >= LEAST and r["n_distinct"] > 1]
    of_table: Counter[str] = Counter()
    of_source: Counter[str] = Counter()
    out = []
    for row in sorted(fit, key=lambda row: not row["machine_like"]):
        if of_table[row["table_id"]] < OF_A_TABLE and of_source[row["repo"]] < OF_A_SOURCE * len(fit):
            of_table[row["table_id"]] += 1
            of_source[row["repo"]] += 1
            out.append(row["column_id"])
    return out


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.tagging.carried.ordered", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    parser.add_argument("--lists", default="first,later,third,fourth,fifth", help="names of lists")
    options = parser.parse_args()
    wanted = options.lists.split(",")
    if unknown := set(wanted) - LISTS.keys():
        parser.error(f"no list is called {', '.join(sorted(unknown))}")
    found: dict[str, dict[str, Any]] = {}
    for which in wanted:
        for row in rows_of(which):
            found.setdefault(row["column_id"], row)
    queries = asked(found.values())
    options.out.mkdir(parents=True, exist_ok=True)
    pl.DataFrame(list(found.values())).write_parquet(options.out / "columns.parquet")
    pl.DataFrame({"column_id": queries}).write_parquet(options.out / "benchmark.parquet")
    print(
        f"{len(found)} columns, {len(queries)} asked of, {sum(found[one]['machine_like'] for one in queries)} of codes"
    )


if __name__ == "__main__":
    main()
