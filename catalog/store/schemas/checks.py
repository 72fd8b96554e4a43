"""Declared checks."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from catalog.rules.kinds.declared import DeclaredRule
from catalog.store.models import Outcome, RuleRow
from catalog.store.schemas.listing import Out


class LastVerdict(Out):
    version: int
    status: str
    sentence: str


class CheckOut(Out):
    id: int
    name: str
    kind: str
    columns: list[str]
    arguments: dict[str, Any]
    at_least: float | None
    at_most: float | None
    where: str | None
    level: str = Field(description="warning, too, while the check is demoted")
    scope: str
    hint: str
    status: str = Field(description="active, paused, rejected, or draft: waits for an approver")
    sentence: str
    revision: int
    last: LastVerdict | None

    @classmethod
    def of(cls, row: RuleRow, rule: DeclaredRule, last: Outcome | None, *, private: bool) -> CheckOut:
        """Without what may be a value where the check is `private`."""
        one = rule.constraint
        hidden: dict[str, Any] = {"arguments": {}, "at_least": None, "at_most": None, "where": None}
        told = hidden if private else {name: getattr(one, name) for name in hidden}
        told |= {"name": one.name, "kind": one.kind, "columns": list(one.columns), "hint": rule.hint or ""}
        told |= {"level": row.level_now, "scope": rule.scope, "last": last and LastVerdict.made(last)}
        return cls.made(row, **told)
