"""Rules on keys: no value of a column that identifies rows, or of several that do together, comes twice, in a batch or
in loads one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from catalog.metrics.words import number
from catalog.rules.chances import chance_of_repeats
from catalog.rules.clauses.clause import Difference
from catalog.rules.rule import Rule
from catalog.rules.verdict import NOT_APPLICABLE, PASSED, VIOLATED, Subject, Verdict, part_place
from catalog.states.column import ColumnState
from catalog.states.parts.distinct import Distinct, repeat_bounds
from catalog.states.table import TableState
from catalog.wording import counted, do

if TYPE_CHECKING:
    from catalog.measures.part import Part

#: Rows of a batch that may repeat a value without breaking the rule, however few there are. Chosen: of 936 healthy
#: batches of keys one repeats a value, in a single row (`catalog.rules.chances`).
A_FEW = 1
ROWS = ""  # in place of a column's name: whole rows


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
        if old.params.get("columns") != self.params.get("columns"):  # another key
            pairs = (("added", None, self.said(private=private)), ("dropped", old.said(private=private), None))
            return [Difference(self.tolerance, *one) for one in pairs]
        a, b = (float(rule.params[self.tolerance]) for rule in (old, self))
        change = "same" if a == b else "loosened" if b > a else "tightened"
        return [Difference(self.tolerance, change, old.said(private=private), self.said(private=private))]


class OneOfEach(TolerantRule):
    """A rule on what identifies rows: a column, or those that ``params["columns"]`` names together, of which tuples are
    counted (`catalog.measures.tuples`)."""

    of_values = of_parts = True

    @property
    def together(self) -> tuple[str, ...]:
        """The columns, where there are several."""
        return tuple(self.params.get("columns", ()))

    @property
    def place(self) -> str:
        """Where samples of earlier loads stand among those of a batch.

        >>> KeyRule("key", "id", {"repeated": 0}, 0.1, "", "keys").place
        'id'
        """
        return place_of(self.together) if self.together else self.column or ""

    @property
    def parts(self) -> tuple[Part, ...]:
        return (together_part(self.together),) if self.together else ()

    @property
    def _called(self) -> str:
        return f"Columns {listed(list(map(repr, self.together)))}" if self.together else f"Column {self.column!r}"

    def renamed(self, names: Mapping[str, str]) -> OneOfEach:
        """The same with other names for its columns.

        >>> rule = KeyRule("key", None, {"repeated": 0, "columns": ["id", "no"]}, 0.1, "Each id and no once.", "keys")
        >>> rule.renamed({"no": "line"}).sentence
        'Each id and line once.'
        """
        columns = [names.get(name, name) for name in self.together]
        said = self.sentence.replace(listed(self.together), listed(columns))
        return replace(self, params={**self.params, "columns": columns}, sentence=said)

    def sampled(self, batch: Subject) -> Distinct | None:
        """The sample of what a batch holds of it; None where it was not counted, or a column is gone."""
        if not self.together:
            found = batch.state.columns.get(self.column or "")
            return None if found is None else found.distinct
        counted = batch.parts.get(part_place(self.scope, self.parts[0].key))
        return None if counted is None or isinstance(counted, Exception) else counted.distinct

    def _judge(self, batch: Subject, rows: TableState) -> Verdict:
        sample = self.sampled(batch)
        if sample is None:
            return Verdict(NOT_APPLICABLE, f"{self._called}: not counted of this version.")
        state = rows.columns.get(self.column or "")
        filled = state.non_null - state.empties if state is not None else sample.rows
        if filled <= 0:
            of = "these columns" if self.together else "this column"
            return Verdict(NOT_APPLICABLE, f"The batch has no value in {of}.")
        said = self._judge_sample(batch, sample, filled, sample.rows if state is None else _once_empty(state))
        told = {"columns": list(self.together)} if self.together and said.status == VIOLATED else {}
        return replace(said, observed=said.observed | told, offenders=said.offenders | told) if told else said

    def _judge_sample(self, batch: Subject, sample: Distinct, filled: int, rows: int) -> Verdict:
        """What it says of a batch with `filled` values, of so many `rows` where all empty texts count as one."""
        raise NotImplementedError


class KeyRule(OneOfEach):
    """``params``: ``{"repeated": the share of the rows that may hold a value that another row holds already}``."""

    meanings: ClassVar[Mapping[str, str]] = {"key": "no value of a column that identifies rows comes twice"}
    tolerance, size = "repeated", "repeated"

    def _judge_sample(self, batch: Subject, sample: Distinct, filled: int, rows: int) -> Verdict:
        again = repeats_in(sample, rows)
        share = again / filled
        observed, expected = {"repeated": again, "share": share}, {"at_most": self.tolerated}
        band: dict[str, Any] = {"metric": "unique_ratio", "value": 1 - share, "low": 1 - self.tolerated, "high": 1.0}
        some = f"{'' if sample.exact else 'at least '}{counted(again, 'row')}"
        none = "No value comes twice" if sample.exact else f"None of {len(sample.counts):,} values comes twice"
        if share <= self.tolerated or again <= A_FEW:
            told = f"{some[0].upper()}{some[1:]} {do(again, 'repeat')} a value of another" if again else none
            return Verdict(PASSED, f"{told}.", observed, expected, **band)
        told = f"{some} ({number('unique_ratio', share)}) repeat a value of another, expected none"
        sentence = f"{self._called}: {told}."
        p_value = chance_of_repeats(share, self.tolerated, self.fpr or 1.0)
        return Verdict(VIOLATED, sentence, observed, expected, offenders={"repeated": True}, p_value=p_value, **band)


class NewKeyRule(OneOfEach):
    """``params``: ``{"again": the share of a load's values that earlier loads may hold already}``.

    Loads are compared by samples of their values: broken is what is there in 95 of 100 cases (`Again.least`).
    """

    meanings: ClassVar[Mapping[str, str]] = {"new_key": "no load brings a key that an earlier load brought"}
    tolerance = "again"
    across_loads = True
    #: What is said of several such rows and of one, and where there is none.
    _come_again = ("hold a value that an earlier load has", "holds a value that an earlier load has")
    _none = "No value is one of an earlier load."

    @property
    def _usual(self) -> str:
        return "none"

    @property
    def _compared(self) -> str:
        return "these columns" if self.together else "this column"

    def _judge_sample(self, batch: Subject, sample: Distinct, filled: int, rows: int) -> Verdict:
        earlier = batch.earlier.get(self.place)
        if batch.kind != "increment" or earlier is None:
            return Verdict(NOT_APPLICABLE, f"What earlier loads hold of {self._compared} is not known here.")
        found = earlier.again(sample.hashes, sample.threshold, batch.version)
        if not found.compared:
            return Verdict(NOT_APPLICABLE, "Nothing can be compared with earlier loads.")
        again = round(found.share * filled)
        observed = {"again": again, "share": found.share, "version": found.version, "exact": found.exact}
        expected = {"at_most": self.tolerated}
        band: dict[str, Any] = {"value": found.share, "low": 0.0, "high": self.tolerated}
        which = f"{'' if found.exact else 'about '}{counted(again, 'row')}"
        if found.least <= self.tolerated or found.seen <= A_FEW:
            told = f"{which} {do(again, *self._come_again)}." if found.seen else self._none
            return Verdict(PASSED, told, observed, expected, **band)
        told = f"{which} ({number('unique_ratio', found.share)}) {do(again, *self._come_again)}"
        sentence = f"{told}, most of them version {found.version}; expected {self._usual}."
        sentence = f"{self._called}: {sentence}" if self.place else sentence
        p_value = chance_of_repeats(found.least, self.tolerated, self.fpr or 1.0)
        offenders = {"again": found.version}
        return Verdict(VIOLATED, sentence, observed, expected, offenders=offenders, p_value=p_value, **band)


class NewRowsRule(NewKeyRule):
    """The same of whole rows, for tables of which no column is known to identify them: ``params`` as of `NewKeyRule`.
    Rows are alike where all their columns are."""

    meanings: ClassVar[Mapping[str, str]] = {"new_rows": "no load brings the rows of an earlier load again"}
    across_loads = False  # of no key: the rows of every load are known
    _come_again, _none = ("came in an earlier load", "came in an earlier load"), "No row came in an earlier load."

    @property
    def place(self) -> str:
        return ROWS

    @property
    def _compared(self) -> str:
        return "its rows"

    @property
    def _usual(self) -> str:
        return f"at most {self.tolerated:.0%}"

    def sampled(self, batch: Subject) -> Distinct | None:
        return batch.state.row_distinct

    def _judge(self, batch: Subject, rows: TableState) -> Verdict:
        said = super()._judge(batch, rows)
        told = {"columns": list(batch.state.of_rows)} if said.status == VIOLATED else {}
        return replace(said, offenders=said.offenders | told)


def listed(columns: Sequence[str]) -> str:
    """Names of columns in words.

    >>> listed(["order_id", "line_no"])
    'order_id and line_no'
    """
    return " and ".join([", ".join(columns[:-1]), columns[-1]])


def place_of(columns: Sequence[str]) -> str:
    """Where samples of several columns together are kept, beside those of single ones."""
    return " + ".join(columns)


def together_part(columns: Sequence[str]) -> Part:
    """What is counted of several columns together."""
    from catalog.measures.part import Part

    return Part("tuples", tuple(columns))


def repeats(state: ColumnState) -> int:
    """How many rows hold a value that another row holds already: all that hold one, empty texts apart, but one of each
    value. Where a sample of the values answers, at least so many in 95 of 100 cases.

    >>> import pyarrow as pa
    >>> from catalog.states.folding.fold import fold
    >>> table = pa.table({"id": [1, 2, 2, 3, 3, 3, None], "no": ["a", "b", "", "", "", "c", "c"]})
    >>> {name: repeats(state) for name, state in fold(table).columns.items()}
    {'id': 3, 'no': 1}
    """
    return repeats_in(state.distinct, _once_empty(state))


def _once_empty(state: ColumnState) -> int:
    """Rows with a value, empty texts taken as one."""
    return state.non_null - max(state.empties - 1, 0)


def repeats_in(distinct: Distinct, rows: int) -> int:
    """The same of a sample of the values that so many rows hold."""
    least = rows - distinct.bounds()[1]
    if not distinct.exact:
        least = max(least, rows - rows / repeat_bounds(distinct.counts)[0])
    return max(round(least), 0)
