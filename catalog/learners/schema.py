"""Learning how sure it is that a table keeps its columns."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from typing import Any

from catalog.history.labels import HEALTHY, UNHEALTHY
from catalog.rules.kinds.schema import Columns, broken
from catalog.rules.rule import Rule

#: Weight of the prior, in versions: before its own history speaks, a table is taken to change its schema once in a
#: thousand versions (0.1 changes in 100 versions).
PRIOR_CHANGES, PRIOR_VERSIONS = 0.1, 100.0

#: What readers of text that infer types make of numbers; chosen: those of Spark's.
INFERRED = {"int", "bigint", "double"}

#: The columns of a version, ``[[name, type], ...]``, and its label (`catalog.history.labels`), None where it has none.
Labelled = tuple[Columns, str | None]


def learn_schema(
    history: Sequence[Labelled], empty: Collection[str] = (), emptied: Collection[str] = ()
) -> Rule | None:
    """The rule that the columns of the last version stay, None for a table that never had columns.

    Parameters
    ----------
    history : the columns and the label of every version that is known, oldest first. A column whose type went to and
        fro may have any of the types that people called right, too: types that are guessed from the rows of the day do
        so.
    empty, emptied : names of the columns that hold no value in the last version, and in some version: what holds
        nothing has any type that a job cares to infer. A column that never was without values is not among these: to
        lose them all with its type is damage.

    The stated false-alarm rate is the share of past versions that broke the schema before them, smoothed by a Gamma
    prior of `PRIOR_CHANGES` in `PRIOR_VERSIONS`.

    >>> rule = learn_schema([([["id", "bigint"]], None)] * 10)
    >>> rule.sentence, round(rule.fpr, 4)
    ('The 1 column of the table keeps its name and type.', 0.0009)
    >>> learn_schema([]) is None
    True
    >>> days = [([["id", kind]], "healthy") for kind in ("bigint", "string", "bigint")]
    >>> learn_schema(days).params, learn_schema([(columns, None) for columns, _ in days]).params
    ({'columns': [['id', 'bigint']], 'also': {'id': ['string']}}, {'columns': [['id', 'bigint']]})
    """
    if not history or not history[-1][0]:
        return None
    changes = sum(bool(broken(old, new)) for (old, _), (new, _) in itertools.pairwise(history))
    columns = [list(column) for column in history[-1][0]]
    count = len(columns)
    words = (
        "The 1 column of the table keeps its name and type."
        if count == 1
        else (f"The {count} columns of the table keep their names and types.")
    )
    also = alternatives(columns, history)
    for name, kinds in types_before_damage(columns, history).items():
        also[name] = sorted({*also.get(name, ()), *kinds})
    params: dict[str, Any] = {"columns": columns}
    if also:
        params["also"] = also
    for key, names in (("empty", empty), ("emptied", emptied)):
        if nothing := sorted(name for name, *_ in columns if name in names):
            params[key] = nothing
    fpr = (changes + PRIOR_CHANGES) / (len(history) - 1 + PRIOR_VERSIONS)
    return Rule(
        "schema",
        None,
        params,
        min(1.0, fpr),
        words,
        "schema",
        {"versions": len(history), "changes": changes},
    )


def alternatives(columns: Columns, history: Sequence[Labelled]) -> dict[str, list[str]]:
    """The other types of each column that it had in a version that a person called right, and since it first had one
    again that it had had before. What is held against a version counts for nothing.

    Where a column of numbers with decimals became one of whole numbers, and a person called that right, nobody declares
    the types of that table: they are what the day's values make them, and every column of numbers may be either.

    >>> days = [([["id", kind]], "healthy") for kind in ("int", "double", "string", "double")]
    >>> alternatives([["id", "double"]], days), alternatives([["id", "double"]], days[:3])
    ({'id': ['string']}, {})
    >>> days = [([["a", kind], ["b", "bigint"]], "healthy") for kind in ("double", "bigint")]
    >>> alternatives([["a", "bigint"], ["b", "bigint"]], days)
    {'a': ['double', 'int'], 'b': ['double', 'int']}
    """
    types: dict[str, list[str]] = {}
    called_right = set()
    inferred = False
    for version, label in history:
        for name, kind, *_ in version if label not in UNHEALTHY else ():
            had = types.setdefault(name, [])
            if not had or had[-1] != kind:
                inferred |= label == HEALTHY and had[-1:] == ["double"] and kind in INFERRED
                had.append(kind)
            if label == HEALTHY:
                called_right.add((name, kind))
    found = {}
    for name, kind, *_ in columns:
        had = types.get(name, [])
        first = next((at for at, one in enumerate(had) if had.count(one) > 1), len(had))
        others = {one for one in had[first:] if (name, one) in called_right}
        if inferred and kind in INFERRED:
            others |= INFERRED
        others.discard(kind)
        if others:
            found[name] = sorted(others)
    return found


def types_before_damage(columns: Columns, history: Sequence[Labelled]) -> dict[str, list[str]]:
    """The types that columns had before they took on one in a version that something is held against: it may be mended,
    and who was told of the damage need not be told of that.

    >>> days = [([["id", kind]], label) for kind, label in (("int", None), ("string", "incident"), ("string", None))]
    >>> types_before_damage([["id", "string"]], days)
    {'id': ['int']}
    >>> types_before_damage([["id", "int"]], [*days, ([["id", "int"]], None)])
    {}
    """
    runs: dict[str, list[tuple[str, bool]]] = {}
    for version, label in history:
        for name, kind, *_ in version:
            had = runs.setdefault(name, [])
            if not had or had[-1][0] != kind:
                had.append((kind, label in UNHEALTHY))
    found = {}
    for name, kind, *_ in columns:
        had = runs.get(name, [])
        sound = next((at for at in range(len(had) - 1, 0, -1) if not had[at][1]), 0)
        if before := {one for one, _ in had[sound:]} - {kind}:
            found[name] = sorted(before)
    return found
