"""Rules, their revisions, and what they said of versions."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Self

from pydantic import Field

from catalog.rules.clause import count_changes
from catalog.store.expectations.rules import as_rule
from catalog.store.models import Outcome, RuleRow
from catalog.store.schemas.listing import Out
from catalog.tags.privacy.hiding import Hiding
from catalog.tags.privacy.masking import masked_texts


class RuleOut(Out):
    id: int
    table_id: int
    table: str
    column_name: str = Field(description="empty: the whole table")
    kind: str
    learner: str
    revision: int
    fingerprint: str
    status: str
    level: str
    level_now: str = Field(description="warning while the rule is demoted")
    demotion: str | None = Field(description="why the rule only warns; null when it does not")
    fpr: float | None = Field(description="stated chance that a healthy version breaks it; null: it states none")
    sentence: str
    since_version: int
    created_at: datetime
    body: dict[str, Any] | None = Field(None, description="the rule itself; only when one rule is asked for")

    @classmethod
    def of(cls, row: RuleRow, table: str, hide: Hiding | None = None) -> Self:
        """With its body, of a sensitive column without values, where `hide` says what is hidden of its table."""
        body = None if hide is None else _body(row, hide)
        return cls.made(row, table=table, fpr=row.stated_fpr, body=body)


class ChangeOut(Out):
    clause: str
    change: str = Field(description="added, dropped, loosened, tightened or moved")
    before: str | None
    after: str | None


class RevisionOut(RuleOut):
    first: bool = Field(description="whether there is no revision before it")
    changed: dict[str, int] = Field(description="how many clauses were added, dropped, loosened, tightened or moved")
    changes: list[ChangeOut] = Field(description="against the revision before; clauses that are the same left out")

    @classmethod
    def against(cls, row: RuleRow, older: RuleRow | None, table: str, hide: Hiding) -> RevisionOut:
        """A revision and what it changed of the `older` one before, None of the first."""
        private = hide.private_rule(row.column_name, row.body)
        found = as_rule(row).compare(as_rule(older), private=private) if older is not None else []
        changes = [ChangeOut.made(one) for one in found if one.change != "same"]
        told = {"first": older is None, "changed": count_changes(found), "changes": changes}
        return cls.made(row, table=table, fpr=row.stated_fpr, body=None, **told)


class OutcomeOut(Out):
    id: int
    table_id: int
    version: int
    rule_id: int
    status: str
    sentence: str
    metric: str | None
    value: float | None
    low: float | None
    high: float | None
    judged_at: datetime
    kind: str
    column_name: str
    rows: list[dict[str, Any]] | None = Field(description="some offending rows; cells of sensitive columns are masked")

    @classmethod
    def of(cls, row: Outcome, rule: RuleRow, hide: Hiding) -> OutcomeOut:
        """What the rule said of a version; cells of its rows as they may be shown."""
        rows = None if row.rows is None else [hide.row(one) for one in row.rows]
        return cls.made(row, kind=rule.kind, column_name=rule.column_name, rows=rows)


def _body(row: RuleRow, hide: Hiding) -> dict[str, Any]:
    if not hide.private_rule(row.column_name, row.body):
        return dict(row.body)
    typed = as_rule(row)
    evidence = masked_texts(typed.shown_evidence(private=True))
    return {
        **row.body,
        "params": typed.shown_params(private=True),
        "evidence": evidence,
        "sentence": row.sentence,
    }
