"""Predicates on Arrow batches: for every row true, false or null."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from catalog.predicates.kinds import Kind, kind_of
from catalog.predicates.predicate import Predicate, PredicateError, first_missing, short
from catalog.predicates.sql import NeedsSpark
from catalog.predicates.typed import compile_predicate

#: No file, no network, no extension, no change of these settings: a predicate sees the batch and nothing else.
_CLOSED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "threads": "1",
    "memory_limit": "2GB",
    "lock_configuration": "true",
}


def connect() -> duckdb.DuckDBPyConnection:
    """A DuckDB that can reach nothing but what is registered with it."""
    return duckdb.connect(config=_CLOSED)


def kinds_of(columns: Mapping[str, pa.DataType]) -> dict[str, tuple[str, Kind]]:
    """Column -> (name in DuckDB, kind), as `catalog.predicates.typed.compile_predicate` asks for."""
    return {name: (f'"c{at}"', kind_of(kind)) for at, (name, kind) in enumerate(columns.items())}


def registered(columns: Mapping[str, pa.Array]) -> pa.Table:
    """The columns as DuckDB sees them: by number, times without a zone (in UTC) in microseconds, and of types that it
    does not compare as Spark does (times with a zone, lists ...) only whether there is a value."""
    return pa.table({f"c{at}": _plain(array) for at, array in enumerate(columns.values())})


def _plain(array: pa.Array) -> pa.Array:
    kind = array.type
    if not kind_of(kind).known:
        return pc.if_else(array.is_valid(), pa.scalar(True), pa.scalar(None, pa.bool_()))
    if pa.types.is_timestamp(kind):
        return array.cast(pa.timestamp("us", kind.tz), safe=False).cast(pa.timestamp("us"))
    return array


def check(predicate: Predicate, columns: Mapping[str, pa.DataType]) -> bool:
    """Whether DuckDB answers a predicate as Spark does; False: let Spark evaluate it.

    Raises `PredicateError` where it does not fit the columns.
    """
    missing = first_missing(predicate, columns)
    if missing is not None:
        raise PredicateError(
            f"in {short(predicate.text)}: there is no column {missing!r}",
            remedy="name one of: " + ", ".join(list(columns)[:12]),
        )
    try:
        compile_predicate(predicate, kinds_of(columns))
    except NeedsSpark:
        return False
    return True


def evaluate(columns: Mapping[str, pa.Array], predicates: Sequence[Predicate]) -> list[pa.ChunkedArray]:
    """What each predicate says of each row: boolean arrays with nulls, in the order of `predicates`.

    Parameters
    ----------
    columns : leaf columns by dotted name (`catalog.states.folding.fold.leaves`), all of one length.

    Raises `PredicateError` for a predicate that does not fit, `NeedsSpark` for one that only
    Spark answers rightly.

    >>> rows = {"n": pa.array([1, None, 3])}
    >>> evaluate(rows, [Predicate("n > 1"), Predicate("n IS NULL")])[0].to_pylist()
    [False, None, True]
    """
    kinds = kinds_of({name: array.type for name, array in columns.items()})
    wanted = [f"CAST({compile_predicate(one, kinds)} AS BOOLEAN) AS p{at}" for at, one in enumerate(predicates)]
    if not wanted:
        return []
    connection = connect()
    try:
        connection.register("rows", registered(columns))
        found = connection.sql(f"SELECT {', '.join(wanted)} FROM rows").to_arrow_table()  # noqa: S608 - from the tree
    except duckdb.Error as error:
        raise PredicateError(f"the condition cannot be evaluated: {str(error).splitlines()[0]}") from None
    finally:
        connection.close()
    return list(found.columns)
