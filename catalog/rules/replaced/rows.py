"""How many rows a rewrite took away, or brought twice."""

from __future__ import annotations

from catalog.history.replaced.changes import FEW_ROWS, HALF, NEARLY_ALL
from catalog.history.series import column_series
from catalog.history.times import duplicated
from catalog.metrics.words import number
from catalog.rules.replaced.columns import FURTHER, RESTORE, REWRITTEN
from catalog.rules.replaced.figures import of_rows
from catalog.rules.verdict import MEANT, NOT_APPLICABLE, VIOLATED, Subject, Verdict
from catalog.wording import counted

#: Share of the rows that stand twice where hardly any did, from which they were multiplied. Chosen: a source may hold
#: one of a hundred twice.
TWICE = 0.01


def judged_rows(batch: Subject) -> Verdict:
    """What is to be said of the number of rows that were rewritten."""
    before, now = batch.previous, batch.state
    if batch.operation == RESTORE:
        return Verdict(NOT_APPLICABLE, f"{REWRITTEN}: an earlier version was restored.")
    if before is None or not before.rows:
        return Verdict(NOT_APPLICABLE, f"{REWRITTEN}; what they replaced is not known.")
    lost = of_rows(batch).get("deleted_ratio", 0.0)
    usual = max((one["deleted_ratio"] for one in batch_rows(batch) if "deleted_ratio" in one), default=0.0)
    if lost >= HALF and lost > usual + FURTHER * (usual > 0):
        gone = counted(before.rows - now.rows, "row")
        empty = batch.whole is not None and not batch.whole.rows
        left = "none is left" if empty else f"{number('deleted_ratio', lost)} of the table's"
        said = f"The table: {gone} were deleted, {left}."
        return _verdict(said, "deleted_ratio", lost, usual, fault=lost >= NEARLY_ALL)
    twice, often = duplicated(now.row_distinct), duplicated(before.row_distinct)
    known = [one.get("duplicate_ratio", 0.0) for one in column_series(batch.history or [], None) if one]
    more, came = (twice - max(often, 0.0)) * now.rows, now.rows - before.rows
    ever = max([often, *known])
    if twice - ever > TWICE and more >= FEW_ROWS and came >= HALF * more:
        said = f"The table: {counted(round(more), 'row')} came that stand there already, word for word, as none did."
        return _verdict(said, "duplicate_ratio", twice, ever, fault=True)
    changed = f"{before.rows:,} rows became {now.rows:,}"
    return Verdict(NOT_APPLICABLE, f"{REWRITTEN}: {changed}, which no rule forbids.")


def batch_rows(batch: Subject) -> list[dict[str, float]]:
    """The figures of rows of earlier rewrites."""
    return [dict(one) for one in column_series(batch.rewrites or [], None)]


def _verdict(said: str, name: str, value: float, usual: float, *, fault: bool) -> Verdict:
    band = {"metric": name, "value": value, "low": 0.0, "high": usual}
    p_value = None if fault else MEANT
    return Verdict(VIOLATED, said, {name: value}, {name: [0.0, usual]}, p_value=p_value, **band)  # type: ignore[arg-type]
