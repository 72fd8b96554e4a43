"""Predicates on Arrow batches: for every row true, false or null."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from multiprocessing import current_process

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from catalog.predicates.kinds import Kind, NeedsSpark, kind_of
from catalog.predicates.predicate import Predicate, PredicateError, first_missing, short
from catalog.predicates.typed import compile_predicate

Mask = NDArray[np.bool_]
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
    """A connection to a DuckDB that can reach nothing but what is registered with this connection."""
    return _engine(current_process().pid).cursor()


@cache  # one that a fork took along is not closed there: that waits for ever
def _engine(process: int | None) -> duckdb.DuckDBPyConnection:
    """One for a process, for it does not outlive a fork: to start it takes as long as hundreds of conditions on a slice
    of rows."""
    return duckdb.connect(config=_CLOSED)


def kinds_of(columns: Mapping[str, pa.DataType]) -> dict[str, tuple[str, Kind]]:
    """Column -> (name in DuckDB, kind), as `catalog.predicates.typed.compile_predicate` asks for."""
    return {name: (f'"c{at}"', kind_of(kind)) for at, (name, kind) in enumerate(columns.items())}


def registered(columns: Mapping[str, pa.Array], used: Collection[str] | None = None) -> pa.Table:
    """The columns (only those `used`, in lower case) as DuckDB sees them: by number, times without a zone (in UTC) in
    microseconds, and of types that it does not compare as Spark does (times with a zone, lists ...) only whether there
    is a value."""
    numbered = enumerate(columns.items())
    wanted = {f"c{at}": _plain(array) for at, (name, array) in numbered if used is None or name.casefold() in used}
    rows = next((len(array) for array in columns.values()), 0)
    return pa.table(wanted or {"none": pa.nulls(rows)})


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


def evaluate(columns: Mapping[str, pa.Array], predicates: Sequence[Predicate]) -> list[pa.Array]:
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
    found = answers(columns, [(one, compile_predicate(one, kinds)) for one in predicates])
    return [pa.array(true, mask=~known) for true, known in found]


def answers(columns: Mapping[str, pa.Array], compiled: Sequence[tuple[Predicate, str]]) -> list[tuple[Mask, Mask]]:
    """Of predicates that were compiled against these columns (`kinds_of`): for each, where it is true, and where it is
    not null. Errors: `PredicateError`."""
    if not compiled:
        return []
    used = {name.casefold() for one, _ in compiled for name in one.columns}
    wanted = [f"CAST({text} AS BOOLEAN) AS p{at}" for at, (_, text) in enumerate(compiled)]
    connection = connect()
    try:
        connection.register("rows", registered(columns, used))
        # not as a relation, which is bound and planned twice: that takes longer than a slice of rows
        found = connection.execute(f"SELECT {', '.join(wanted)} FROM rows").fetchnumpy()  # noqa: S608 - from the tree
    except duckdb.Error as error:
        raise PredicateError(f"the condition cannot be evaluated: {str(error).splitlines()[0]}") from None
    finally:
        connection.close()
    return [_masks(np.ma.getdata(one).astype(bool), ~np.ma.getmaskarray(one)) for one in found.values()]


def _masks(held: Mask, known: Mask) -> tuple[Mask, Mask]:
    return held & known, known
