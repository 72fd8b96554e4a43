"""Assay without a service: check, profile, learn, tag and compare data frames.

>>> import pyarrow as pa
>>> orders = pa.table({"id": [1, 2, 2], "currency": ["EUR", "USD", "usd"]})
>>> report = check("orders").is_unique("id").is_in("currency", values=["EUR", "USD"]).run(orders)
>>> report.status, [result.status for result in report.results]
('error', ['violated', 'violated'])
>>> report.failing(orders).to_pylist()
[{'id': 2, 'currency': 'USD', 'failed_checks': ['is_unique_id']}, \
{'id': 2, 'currency': 'usd', 'failed_checks': ['is_unique_id', 'is_in_currency']}]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from catalog.declared.check import Check as Declared
from catalog.declared.check import status_of
from catalog.declared.constraint import VIOLATED, Constraint, Result
from catalog.declared.facts import Facts, Other
from catalog.errors import UsageError
from catalog.lake.reading.failing import by_rows
from catalog.library.frames import Frame, as_arrow, leaf_columns, schema_of
from catalog.library.rows import breaking
from catalog.measures.part import fold_parts
from catalog.states.folding.fold import fold
from catalog.states.folding.kinds import type_name
from catalog.states.metrics import metrics

if TYPE_CHECKING:
    from catalog.causes.cause import Cause
    from catalog.rules.rule import Rule
    from catalog.tags.proposal import TagProposal

FAILED = "failed_checks"


class Check(Declared):
    """Constraints on a table that can be run on a frame; see `catalog.declared.check.Check` for what can be said."""

    def run(
        self,
        frame: Frame,
        *,
        others: Mapping[str, Frame] | None = None,
        past: Mapping[str, Sequence[float]] | None = None,
        at: datetime | None = None,
    ) -> Report:
        """Judge a frame.

        Parameters
        ----------
        others : frames of the tables that checks compare with, by the name the check gives them.
        past : earlier figures of checks on anomalies, oldest first, by the check's name.
        at : the moment that ages are counted from; now where it is None.

        Raises `UsageError` for what is no frame, and where a condition has to be evaluated by Spark: run it on the
        table of a lake then.
        """
        columns = leaf_columns(table := as_arrow(frame))
        folded = {name: _Other.of(one) for name, one in (others or {}).items()}
        schema, moment = schema_of(table), at or datetime.now(UTC)
        fields = [[field.name, type_name(field.type)] for field in table.schema]

        def facts(one: Constraint) -> Facts:
            other = folded.get(one.other or "")
            known = Other(one.other or "", None, other.schema, other.counted(one)) if other else None
            return Facts(schema, moment, (past or {}).get(one.name), known, fields=fields)

        found = self.judge(fold_parts(columns, table.num_rows, self.parts), facts)
        return Report(self, tuple(found), {name: one.columns for name, one in folded.items()})

    def failing(self, frame: Frame, *, others: Mapping[str, Frame] | None = None) -> Any:
        """The rows of a frame that break a check, with the names of those in a column ``failed_checks``: of a Spark
        frame as one, which nothing is collected of, whatever its conditions and keys; of any other as an Arrow table,
        where conditions on single rows can be told apart.

        Raises `UsageError` for what is no frame, and where no single row breaks any of the checks.

        >>> rows = pa.table({"id": [1, None]})
        >>> check("orders").is_complete("id").failing(rows).to_pylist()
        [{'id': None, 'failed_checks': ['is_complete_id']}]
        """
        if not type(frame).__module__.startswith("pyspark."):
            return self.run(frame, others=others).failing(frame)
        from catalog.lake.reading.failing import failing

        return failing(frame, self.constraints, lambda one: (others or {})[one.other or ""])


@dataclass(frozen=True)
class _Other:
    """A frame that another is compared with."""

    columns: dict[str, pa.Array]
    rows: int
    schema: list[list[str]]

    @classmethod
    def of(cls, frame: Frame) -> _Other:
        table = as_arrow(frame)
        return cls(leaf_columns(table), table.num_rows, schema_of(table))

    def counted(self, constraint: Constraint) -> dict[str, Any]:
        return fold_parts(self.columns, self.rows, constraint.other_parts)


@dataclass(frozen=True)
class Report:
    """What a check says of a frame.

    Parameters
    ----------
    results : one a constraint, in order. others : columns of the tables that it compared with, by their names.
    """

    check: Check
    results: tuple[Result, ...]
    others: Mapping[str, Mapping[str, pa.Array]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def status(self) -> str:
        """The worst of all: ``error``, ``warning``, ``passed``, or ``not_applicable``."""
        return status_of(self.results)

    @property
    def passed(self) -> bool:
        """Whether nothing of level ``error`` is violated."""
        return self.status != "error"

    def failing(self, frame: Frame) -> pa.Table:
        """The rows that break a violated constraint, with the names of those in a column ``failed_checks``: a condition
        on single rows, a key that occurs more than once, or one that another table lacks. Rows of constraints on whole
        columns (a mean) cannot be told apart and are not among them."""
        table = as_arrow(frame)
        known = leaf_columns(table)
        broken = [one.constraint for one in self.results if one.status == VIOLATED and by_rows(one.constraint)]
        if not broken or not table.num_rows:
            names = pa.array([[] for _ in range(table.num_rows)], pa.list_(pa.string()))
            return table.append_column(FAILED, names).slice(0, 0)
        masks = [breaking(known, one, self.others.get(one.other or "")) for one in broken]
        lists = [
            [one.name for one, wrong in zip(broken, row, strict=True) if wrong]
            for row in zip(*(mask.to_pylist() for mask in masks), strict=True)
        ]
        marked = table.append_column(FAILED, pa.array(lists, pa.list_(pa.string())))
        return marked.filter(pc.greater(pc.list_value_length(marked[FAILED]), 0))

    def to_json(self) -> dict[str, Any]:
        return {"table": self.check.table, "status": self.status, "results": [one.to_json() for one in self.results]}

    def __str__(self) -> str:
        lines = [f"{self.check.table or 'the frame'}: {self.status}"]
        return "\n".join([*lines, *(f"  {one.status:>14}  {one.sentence}" for one in self.results)])


def check(table: str = "") -> Check:
    """An empty check of a table; add constraints by calling its methods, then `Check.run` it on a frame."""
    return Check(table)


def profile(frame: Frame) -> dict[str, dict[str, Any]]:
    """Every metric of every leaf column, by its dotted name, and the column's ``type``. One pass over the frame.

    Raises `UsageError` for what is no frame.

    >>> found = profile(pa.table({"x": ["a", "a", "b", None]}))["x"]
    >>> found["type"], found["complete_ratio"], found["dist_val_count"]
    ('string', 0.75, 2.0)
    """
    state = fold(as_arrow(frame))
    return {name: {"type": column.type, **metrics(column)} for name, column in state.columns.items()}


def tag(frame: Frame, table: str = "") -> dict[str, list[TagProposal]]:
    """What the columns mean: proposals by leaf column, the most likely first; none where nothing is known of it.

    Raises `UsageError` for what is no frame.

    >>> emails = [f"{name}@example.org" for name in ("ann", "bob", "eve", "joe", "kim", "lou", "max", "pia")]
    >>> [one.domain for one in tag(pa.table({"contact": emails}))["contact"]]
    ['email']
    """
    from catalog.tags.table import propose_table

    return propose_table(fold(as_arrow(frame)).columns, table)


def learn(frame: Frame, column: str, *, budget: float = 0.01, home: str | Path | None = None) -> Rule | None:
    """A rule for the later values of a column of text, from those of a frame; None where nothing can be demanded.

    Parameters
    ----------
    column : dotted name of the leaf.
    budget : false-alarm rate that the rule may spend while as many rows again come, 0..1.
    home : folder of the index of common patterns (``ASSAY_HOME``); made on the first call, which takes a minute.

    Raises `UsageError` for what is no frame, a column that is not there or not of text, a budget that is no share.
    """
    from catalog.flow.learning.index import open_index
    from catalog.learners.strings import learn_strings
    from catalog.settings import Settings
    from catalog.tags.propose import propose_tags

    if not isinstance(budget, int | float) or not 0 < budget < 1:
        raise UsageError(f"a budget of {budget!r} is no rate of false alarms", remedy="give a share, such as 0.01")
    state = fold(as_arrow(frame))
    if column not in state.columns:
        known = ", ".join(list(state.columns)[:12])
        remedy = f"name one of: {known}" if known else "the frame has no columns"
        raise UsageError(f"there is no column {column!r}", remedy=remedy)
    if state.columns[column].kind != "string":
        raise UsageError(
            f"column {column!r} is of {state.columns[column].type}, not of text",
            remedy="learn of numbers from the versions of a table: register it",
        )
    settings = Settings() if home is None else Settings(home=Path(home))
    index = open_index(settings)
    tags = propose_tags(state.columns[column], column, index=index)
    meant = {one.domain for one in tags if not one.contains}
    return learn_strings(
        state.columns[column], index, column=column, own_table=None, budget=budget, horizon=1.0, meant=meant
    )


def compare(before: Frame, after: Frame, table: str = "") -> list[Cause]:
    """What happened between two deliveries of one table: the most likely cause of each change, none where nothing did.

    Raises `UsageError` for what is no frame.

    >>> euros, cents = (pa.table({"price": [n * unit for n in range(1, 99)]}) for unit in (1.0, 100.0))
    >>> compare(euros, cents)[0].cause
    'scale'
    """
    from catalog.causes.compare import compare_states

    return compare_states(fold(as_arrow(before)), fold(as_arrow(after)), table)
