"""What the tools are asked: a check of every kind and the rules of the demo's lake, on rows that keep to them and on
rows that do not, with what Assay says of each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa

from catalog.damage.issues import ISSUES, inject
from catalog.declared.check import Check
from catalog.declared.constraint import NOT_APPLICABLE, VIOLATED, Constraint
from catalog.declared.docs import example
from catalog.declared.facts import Facts
from catalog.declared.kinds.registry import CHECK_KINDS
from catalog.measures.counts import Matches
from catalog.measures.part import fold_parts

#: Rows of the example table; a bound of cost that leaves a share of one in a hundred room on either side.
ROWS = 200
TABLE = "orders"
#: Procedures of `catalog.damage.issues` that happen to the rows of a lake.
WRONG = ("nulls/50/null", "unit_change/100/times", "insertion/50/anywhere")
#: Tables of other columns, which checks of the schema alone are asked of.
OTHERS = ("renamed", "narrow")
#: Names of types as the pages show them, by Arrow's.
_TYPES = {"int64": "bigint", "int32": "int", "string": "string", "double": "double", "bool": "boolean"}


@dataclass(frozen=True)
class Case:
    """Checks that are asked together, and the tables that they are asked of, by name.

    Parameters
    ----------
    said : by table what Assay says: whether it passes, and how many rows break it (None where no row by itself does).
    """

    id: str
    checks: tuple[Constraint, ...]
    tables: tuple[str, ...] = ()
    said: Mapping[str, tuple[bool, int | None]] = field(default_factory=dict)


@dataclass
class Cases:
    """Cases and the tables by name."""

    tables: dict[str, pa.Table]
    found: list[Case]

    def told(self, most: int) -> list[Case]:
        """Each that has something to judge in a table with what Assay says, of so many that keep to it and break it."""
        answered = [_answered(one, self.tables, most) for one in self.found]
        return [one for one in answered if one.said]


def judged(checks: Sequence[Constraint], table: pa.Table) -> tuple[bool, int | None] | None:
    """Whether rows keep to checks, and how many break them; None where there is nothing to judge."""
    named = tuple(replace(_here(one), name=f"c{at}") for at, one in enumerate(checks))
    check = Check(TABLE, named)
    columns = {name: table[name].combine_chunks() for name in table.column_names}
    states = fold_parts(columns, table.num_rows, check.parts)
    schema = [(one.name, _TYPES.get(str(one.type), str(one.type))) for one in table.schema]
    results = check.judge(states, lambda one: Facts(schema=schema))
    if all(one.status == NOT_APPLICABLE for one in results) or any(
        isinstance(one, Exception) for one in states.values()
    ):
        return None
    wrong: int | None = 0
    for one in results:
        state = next((found for part in one.constraint.parts if isinstance(found := states[part.key], Matches)), None)
        by_row = state is not None and CHECK_KINDS[one.constraint.kind].by_row
        wrong = wrong + state.rows - state.true if by_row and wrong is not None and state is not None else None
    return all(one.status != VIOLATED for one in results), wrong


def _here(one: Constraint) -> Constraint:
    """The same with the end of a text written as the engine on batches knows it; Spark, which Assay asks of what that
    engine does not know, knows both."""
    if one.kind != "has_pattern":
        return one
    return replace(one, arguments={"pattern": one.arguments["pattern"].replace(r"(?![\s\S])", r"\z")})


def _answered(case: Case, tables: Mapping[str, pa.Table], most: int) -> Case:
    found = {name: one for name in case.tables if (one := judged(case.checks, tables[name])) is not None}
    kept, broken = ([name for name, (passes, _) in found.items() if passes is side] for side in (True, False))
    return replace(case, said={name: found[name] for name in (*kept[:most], *broken[:most])})


# ------------------------------------------------------------------------------------------------ one of every kind


def example_tables() -> dict[str, pa.Table]:
    """The table of the reference of checks as it should be, and damaged in ways that break every kind.

    >>> {table.column_names[0] for table in example_tables().values()}
    {'id'}
    """
    start = datetime(2026, 11, 1)
    amount = [1 + 50 * ((7 * row) % 101) / 100 for row in range(ROWS)]
    clean = pa.table(
        {
            "id": pa.array(range(1, ROWS + 1), pa.int64()),
            "amount": amount,
            "tax": [round(0.2 * one, 4) for one in amount],
            "currency": ["EUR" if row % 3 else "USD" for row in range(ROWS)],
            "size": [str(row % 9) for row in range(ROWS)],
            "paid": [row % 4 > 0 for row in range(ROWS)],
            "ordered_at": pa.array([start + timedelta(hours=row) for row in range(ROWS)], pa.timestamp("us")),
        }
    )

    def with_(**columns: Any) -> pa.Table:
        made = clean
        for name, values in columns.items():
            kind = clean.schema.field(name).type
            made = made.set_column(made.column_names.index(name), name, pa.array(values, kind))
        return made

    def holes(name: str, every: int) -> list[Any]:
        gone = clean.column_names.index(name) % every
        return [None if row % every == gone else one for row, one in enumerate(clean[name].to_pylist())]

    texts = [" eur", "", "EURO", "D3", "usd ", "'x'", 'say "x"', "back\\slash"]
    return {
        "clean": clean,
        "swapped": with_(amount=clean["tax"].to_pylist(), tax=amount),
        "alike": with_(tax=amount),
        "one_missing": with_(**{name: holes(name, ROWS) for name in clean.column_names}),
        "missing": with_(**{name: holes(name, 5) for name in clean.column_names}),
        "one_twice": with_(id=[1, *range(1, ROWS)]),
        "twice": pa.concat_tables([clean, clean]),
        "hundredfold": with_(amount=[100 * one for one in amount], tax=[100 * one for one in amount]),
        "negative": with_(amount=[-one for one in amount]),
        "one_wrong": with_(amount=[-1.0, *amount[1:]], currency=["x", *clean["currency"].to_pylist()[1:]]),
        "texts": with_(
            currency=[texts[row % len(texts)] for row in range(ROWS)], size=[f"{row}x" for row in range(ROWS)]
        ),
        "constant": with_(amount=[5.0] * ROWS, currency=["EUR"] * ROWS, id=[7] * ROWS),
        "zeros": with_(amount=[0.0] * 20 + amount[20:], id=[0] * ROWS),
        "renamed": clean.rename_columns(["id", "total", *clean.column_names[2:]]),
        "narrow": clean.select(["id", "amount"]),
        "few": clean.slice(0, 3),
    }


#: Bands of figures that some of the tables keep to and some do not, where those of the reference all keep to.
_BANDS = {
    "has_size": (100, None), "has_standard_deviation": (None, 100), "has_variance": (None, 1e4),
    "has_skewness": (-1, 1), "has_kurtosis": (None, 10), "has_interquartile_range": (None, 1000),
    "has_predictability": (0.1, None), "has_mutual_information": (0.001, None), "has_column_count": (7, 7),
}  # fmt: skip


def every_kind() -> Cases:
    """A check of every kind; of those on rows also a share, with a condition, and as a warning."""
    tables = example_tables()
    found = []
    for name in CHECK_KINDS:
        for label, one in _variants(_example(name)):
            of_schema = CHECK_KINDS[name].needs == "schema"
            asked = tuple(table for table in tables if of_schema or table not in OTHERS)
            found.append(Case(f"{name}{label}", (one,), asked))
    return Cases(tables, found)


def _example(name: str) -> Constraint:
    one = example(name)
    if name in _BANDS:
        one = replace(one, at_least=_BANDS[name][0], at_most=_BANDS[name][1])
    if name == "has_column":
        return replace(one, columns=("amount",), arguments={}, name="")
    return replace(one, columns=("size",), name="") if name in ("is_castable", "has_data_type") else one


def _variants(one: Constraint) -> Iterator[tuple[str, Constraint]]:
    yield "", one
    if one.kind in ("is_unique", "has_no_duplicates"):
        yield " of two columns", replace(one, columns=("id", "currency"), name="")
    if CHECK_KINDS[one.kind].by_row and not CHECK_KINDS[one.kind].needs_band:
        yield " of most rows", replace(one, at_least=0.9, at_most=None)
        if one.kind == "is_complete":
            return
        there = f"`{one.columns[0]}` IS NOT NULL" if len(one.columns) == 1 else "`currency` IS NOT NULL"
        yield " of values", replace(one, where=there)
        yield " of most values", replace(one, where=there, at_least=0.9, at_most=None)
    if not CHECK_KINDS[one.kind].needs:
        yield " where", replace(one, where="paid")
        yield " as a warning", replace(one, level="warning")


# ------------------------------------------------------------------------------------------------- the demo's rules


def damaged(table: pa.Table) -> pa.Table:
    """Rows of which every column went wrong: half of the values lost, numbers a hundredfold, texts with more inside."""
    for name in table.column_names:
        for issue in ISSUES:
            of_text = pa.types.is_string(table.schema.field(name).type)
            if issue.key in WRONG and (of_text or issue.type != "insertion"):
                made = inject(table, name, issue)
                table = made if made is not None and made.schema.equals(table.schema) else table
    return table


def of_rules(rules: Mapping[str, tuple[pa.Table, Sequence[Constraint]]]) -> Cases:
    """Cases of demands by table, each asked of the rows as they are and of damaged ones."""
    tables: dict[str, pa.Table] = {}
    found: list[Case] = []
    for name, (rows, checks) in rules.items():
        tables |= {name: rows, f"{name}, damaged": damaged(rows)}
        found += [Case(f"{name}: {one.sentence}", (one,), (name, f"{name}, damaged")) for one in checks]
    return Cases(tables, found)
