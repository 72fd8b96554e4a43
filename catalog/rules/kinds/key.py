"""Rules on keys: no value of a column that identifies rows comes twice, in a batch or in loads one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from catalog.history.earlier import Again
from catalog.metrics.words import number
from catalog.rules.chances import chance_of_repeats
from catalog.rules.clauses.clause import Difference
from catalog.rules.rule import Rule
from catalog.rules.verdict import NOT_APPLICABLE, PASSED, VIOLATED, Subject, Verdict
from catalog.states.column import ColumnState
from catalog.states.parts.distinct import repeat_bounds
from catalog.states.table import TableState
from catalog.wording import counted, do

#: Rows of a batch that may repeat a value without breaking the rule, however few there are. Chosen: of 936 healthy
#: batches of keys one repeats a value, in a single row (`catalog.rules.chances`).
A_FEW = 1


class TolerantRule(Rule):
    """A rule that a share of the rows may break: its kinds differ in what is counted.

    Class attributes: `tolerance` is the name of that share in ``params``, `size` what of a verdict's observed figures
    says how far it went.
    """

    graded = True
    tolerance: ClassVar[str]
    size: ClassVar[str] = "share"

    @property
    def tolerated(self) -> float:
        return float(self.params[self.tolerance])

    @classmethod
    def continues(cls, before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
        """No further than before.

        >>> few, more = {"observed": {"share": 0.1, "repeated": 9}}, {"observed": {"share": 0.1, "repeated": 90}}
        >>> KeyRule.continues(few, few), KeyRule.continues(few, more), NewKeyRule.continues(few, more)
        (True, False, True)
        """
        was, out = ((one.get("observed") or {}).get(cls.size) for one in (before, now))
        return was is not None and out is not None and out <= was

    def compare(self, old: Rule, *, private: bool = False) -> list[Difference]:
        a, b = (float(rule.params[self.tolerance]) for rule in (old, self))
        change = "same" if a == b else "loosened" if b > a else "tightened"
        return [Difference(self.tolerance, change, old.said(private=private), self.said(private=private))]


class KeyRule(TolerantRule):
    """``params``: ``{"repeated": the share of the rows that may hold a value that another row holds already}``."""

    meanings: ClassVar[Mapping[str, str]] = {"key": "no value of a column that identifies rows comes twice"}
    of_values = True
    tolerance, size = "repeated", "repeated"

    def _judge(self, batch: Subject, rows: TableState) -> Verdict:
        state = rows.columns[self.column or ""]
        filled = state.non_null - state.empties
        if filled <= 0:
            return Verdict(NOT_APPLICABLE, "The batch has no value in this column.")
        again = repeats(state)
        share = again / filled
        observed, expected = {"repeated": again, "share": share}, {"at_most": self.tolerated}
        band: dict[str, Any] = {"metric": "unique_ratio", "value": 1 - share, "low": 1 - self.tolerated, "high": 1.0}
        if share <= self.tolerated or again <= A_FEW:
            told = f"{counted(again, 'row')} {do(again, 'repeat')} a value of another"
            told = f"{told if again else 'No value comes twice'}."
            return Verdict(PASSED, told, observed, expected, **band)
        told = f"{counted(again, 'row')} ({number('unique_ratio', share)}) repeat a value of another, expected none"
        sentence = f"Column {self.column!r}: {told}."
        p_value = chance_of_repeats(share, self.tolerated, self.fpr or 1.0)
        return Verdict(VIOLATED, sentence, observed, expected, offenders={"repeated": True}, p_value=p_value, **band)


class NewKeyRule(TolerantRule):
    """``params``: ``{"again": the share of a load's values that earlier loads may hold already}``.

    Loads are compared by samples of their values: broken is what is there in 95 of 100 cases (`Again.least`).
    """

    meanings: ClassVar[Mapping[str, str]] = {"new_key": "no load brings a key that an earlier load brought"}
    of_values = True
    tolerance = "again"

    def _judge(self, batch: Subject, rows: TableState) -> Verdict:
        earlier, state = batch.earlier.get(self.column or ""), rows.columns[self.column or ""]
        if batch.kind != "increment" or earlier is None:
            return Verdict(NOT_APPLICABLE, "What earlier loads hold of this column is not known here.")
        found = earlier.again(state.distinct.hashes, state.distinct.threshold, batch.version)
        if not found.compared:
            return Verdict(NOT_APPLICABLE, "No values can be compared with those of earlier loads.")
        again = round(found.share * (state.non_null - state.empties))
        observed = {"again": again, "share": found.share, "version": found.version, "exact": found.exact}
        expected = {"at_most": self.tolerated}
        band: dict[str, Any] = {"value": found.share, "low": 0.0, "high": self.tolerated}
        if found.least <= self.tolerated or found.seen <= A_FEW:
            told = f"{_rows(found, again)} {do(again, 'hold')} a value that an earlier load has"
            told = f"{told}." if found.seen else "No value is one of an earlier load."
            return Verdict(PASSED, told, observed, expected, **band)
        told = f"{_rows(found, again)} ({number('unique_ratio', found.share)}) hold a value that an earlier load has"
        sentence = f"Column {self.column!r}: {told}, most of them version {found.version}; expected none."
        p_value = chance_of_repeats(found.least, self.tolerated, self.fpr or 1.0)
        offenders = {"again": found.version}
        return Verdict(VIOLATED, sentence, observed, expected, offenders=offenders, p_value=p_value, **band)


def _rows(found: Again, again: int) -> str:
    return f"{'' if found.exact else 'about '}{counted(again, 'row')}"


def repeats(state: ColumnState) -> int:
    """How many rows hold a value that another row holds already: all that hold one, empty texts apart, but one of each
    value. Where a sample of the values answers, at least so many in 95 of 100 cases.

    >>> import pyarrow as pa
    >>> from catalog.states.folding.fold import fold
    >>> table = pa.table({"id": [1, 2, 2, 3, 3, 3, None], "no": ["a", "b", "", "", "", "c", "c"]})
    >>> {name: repeats(state) for name, state in fold(table).columns.items()}
    {'id': 3, 'no': 1}
    """
    distinct, rows = state.distinct, state.non_null - max(state.empties - 1, 0)
    least = rows - distinct.bounds()[1]
    if not distinct.exact:
        least = max(least, rows - rows / repeat_bounds(distinct.counts)[0])
    return max(round(least), 0)
