"""Reference rule: every value of a column is one of another table's key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from catalog.metrics.words import number
from catalog.rules.chances import chance_of_repeats
from catalog.rules.kinds.key import A_FEW, TolerantRule
from catalog.rules.verdict import NOT_APPLICABLE, PASSED, VIOLATED, Subject, Verdict
from catalog.wording import counted, do


@dataclass(frozen=True)
class Joined:
    """Rows of a batch beside another table as it stands.

    Parameters
    ----------
    rows, lacking : rows with a value, and those of them whose value the other table lacks.
    version : the other table's. waits : whether it has had no version since the batch, and may have one soon.
    """

    rows: int
    lacking: int
    version: int
    waits: bool = False


class ReferenceRule(TolerantRule):
    """``params``: ``{"column": the key of the table `other`, "lacking": share of the rows that may lack their value}``.

    It is asked when the tables of a crawl are all taken in (`catalog.flow.references.judging`), of both as they are
    then; rows whose value the other table may still bring are no violation.
    """

    meanings: ClassVar[Mapping[str, str]] = {"reference": "every value of a column is a key of another table"}
    of_tables = True
    tolerance = "lacking"

    def judge(self, batch: Subject) -> Verdict:
        return Verdict(NOT_APPLICABLE, "It is judged beside the other table.")

    def judge_joined(self, found: Joined) -> Verdict:
        """What the rule says of a batch beside the other table.

        >>> params = {"column": "id", "lacking": 0.01}
        >>> rule = ReferenceRule("reference", "who", params, 0.001, "", "references", other="s/people")
        >>> rule.judge_joined(Joined(900, 30, 4)).sentence
        "Column 'who': 30 rows (3.33%) name a value that s/people.id lacks; expected none."
        """
        if not found.rows:
            return Verdict(NOT_APPLICABLE, "The batch has no value in this column.")
        share = found.lacking / found.rows
        theirs = f"{self.other}.{self.params['column']}"
        told = f"{counted(found.lacking, 'row')} ({number('unique_ratio', share)}) {do(found.lacking, 'name')} a value"
        told = f"{told} that {theirs} lacks"
        observed, expected = {"lacking": found.lacking, "share": share}, {"at_most": self.tolerated}
        band: dict[str, Any] = {"value": share, "low": 0.0, "high": self.tolerated}
        if share <= self.tolerated or found.lacking <= A_FEW:
            said = f"{told}." if found.lacking else f"Every value is one of {theirs}."
            return Verdict(PASSED, said, observed, expected, **band)
        if found.waits:
            said = f"{told}, which has had no version since: asked again when it has."
            return Verdict(NOT_APPLICABLE, said, observed, expected, **band)
        p_value = chance_of_repeats(share, self.tolerated, self.fpr or 1.0)
        said = f"Column {self.column!r}: {told}; expected none."
        return Verdict(VIOLATED, said, observed, expected, p_value=p_value, **band)
