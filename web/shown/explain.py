"""Rules explained: what a revision changed, which columns of the lake speak for a rule, what its rivals were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, select

from catalog.rules.clause import Difference, count_changes
from catalog.store.expectations.rules import as_rule, revisions
from catalog.store.models import LakeColumn, RuleRow, Table
from catalog.tags.privacy.masking import masked_texts

STARTER = "starter:"
#: Parts of a string rule's evidence that have a place of their own on the page.
TOLD_APART = ("columns", "rivals", "learned", "examples")


@dataclass(frozen=True)
class Comparison:
    """Two revisions: `found` are the clauses that changed, `same` counts the others; `others` can be compared with."""

    old: RuleRow
    found: list[Difference]
    same: int
    counts: dict[str, int]
    others: list[RuleRow]


@dataclass(frozen=True)
class Witness:
    """A column of the lake that keeps to a rule's first clause; `column_id` None where it is of the starter index or
    gone."""

    table: str
    column: str
    share: float
    table_id: int | None = None
    column_id: int | None = None


@dataclass(frozen=True)
class Why:
    """Why a rule demands what it does: columns of the lake that speak for it, the candidates that it was chosen from,
    values that keep to it and values that would break it, and what else it says of itself."""

    witnesses: list[Witness]
    rivals: list[dict[str, Any]]
    chosen: list[str]
    examples: dict[str, list[str]]
    rest: dict[str, Any]


def comparison(session: Session, rule: RuleRow, old_id: int | None, *, private: bool) -> Comparison | None:
    """A rule against an older revision: the wanted one, or the one before; None where there is none."""
    kept = revisions(session, rule)
    older = [row for row in kept if row.revision < rule.revision]
    old = next((row for row in kept if row.id == old_id and row.id != rule.id), older[0] if older else None)
    if old is None:
        return None
    found = as_rule(rule).compare(as_rule(old), private=private)
    others = [row for row in kept if row.id != rule.id]
    changed = [one for one in found if one.change != "same"]
    return Comparison(old, changed, len(found) - len(changed), count_changes(found), others)


def why(session: Session, rule: RuleRow, private: bool) -> Why:
    """The reasons that a rule keeps, with the columns that it names found in the catalog."""
    typed = as_rule(rule)
    evidence = typed.evidence
    rest = {name: value for name, value in typed.shown_evidence(private=private).items() if name not in TOLD_APART}
    return Why(
        _witnesses(session, evidence.get("columns")),
        _rivals(evidence.get("rivals")),
        [clause.key for clause in typed.clauses],
        shown_examples(rule.body, private=private),
        masked_texts(rest) if private else rest,
    )


def shown_examples(body: Mapping[str, Any], *, private: bool) -> dict[str, list[str]]:
    """Values that keep to a rule and values that would break it, masked where the column is sensitive; empty where the
    rule keeps none.

    >>> shown_examples({"evidence": {"examples": {"passing": ["Ann"], "breaking": ["Ann "]}}}, private=True)
    {'passing': ['Aaa'], 'breaking': ['Aaa ']}
    """
    kept = (body.get("evidence") or {}).get("examples") or {}
    found = {name: [str(one) for one in kept.get(name) or []] for name in ("passing", "breaking")}
    if not any(found.values()):
        return {}
    return {name: masked_texts(values) for name, values in found.items()} if private else found


def _witnesses(session: Session, listed: Any) -> list[Witness]:
    found = []
    for one in listed if isinstance(listed, list) else []:
        if not (isinstance(one, Sequence) and len(one) == 3):
            continue
        key, column, share = str(one[0]), str(one[1]), float(one[2])
        table = session.get(Table, int(key)) if key.isdecimal() and int(key) < 2**31 else None
        if table is None:
            name = key.removeprefix(STARTER) if key.startswith(STARTER) else "a table that is gone"
            found.append(Witness(name, column, share))
        else:
            found.append(Witness(table.name, column, share, table.id, _column_id(session, table.id, column)))
    return found


def _column_id(session: Session, table_id: int | None, name: str) -> int | None:
    query = select(LakeColumn.id).where(LakeColumn.table_id == table_id, LakeColumn.name == name)
    return session.exec(query).first()


def _rivals(listed: Any) -> list[dict[str, Any]]:
    rows = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return sorted(rows, key=lambda one: one.get("risk", 1.0))
