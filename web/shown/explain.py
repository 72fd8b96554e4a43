"""Rules explained: what a revision changed, which columns of the lake speak for a rule, what its rivals were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, select

from catalog.rules.clauses.clause import Difference, count_changes
from catalog.rules.replayed import in_words
from catalog.store.expectations.rules import as_rule
from catalog.store.models import LakeColumn, RuleRow, Table
from catalog.store.pages.rules import revision_lines
from catalog.store.schemas.rules import RuleOut
from catalog.tags.privacy.masking import masked_texts

STARTER = "starter:"
#: Parts of a string rule's evidence that have a place of their own on the page.
TOLD_APART = ("columns", "rivals", "learned", "examples")
#: Parts of it that are kept under another name than they are told by.
WORDS = {
    "power": "share of its own damage that it sees",
    "unseen": "chance of an unseen value",
    "forms": "known forms, with a value of each",
    "replays": "columns replayed",
    "replayed_here": "of them this lake's",
}


@dataclass(frozen=True)
class Comparison:
    """Two revisions: `found` are the clauses that changed, `same` counts the others; `others` can be compared with."""

    old: RuleOut
    found: list[Difference]
    same: int
    counts: dict[str, int]
    others: list[RuleOut]


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
    and what else it says of itself."""

    witnesses: list[Witness]
    rivals: list[dict[str, Any]]
    chosen: list[str]
    rest: dict[str, Any]

    @property
    def replays(self) -> str:
        """What replays on the table's past did to the rule, in words."""
        return in_words(self.rest)


def comparison(session: Session, rule: RuleRow, old_id: int | None, *, private: bool) -> Comparison | None:
    """A rule against an older revision: the wanted one, or the one before; None where there is none."""
    kept = [line for line in revision_lines(session, rule) if line.rule.id != rule.id]
    older = [line for line in kept if line.rule.revision < rule.revision]
    old = next((line for line in kept if line.rule.id == old_id), older[0] if older else None)
    if old is None:
        return None
    found = as_rule(rule).compare(as_rule(old.rule), private=private)
    changed = [one for one in found if one.change != "same"]
    others = [RuleOut.of(line) for line in kept]
    return Comparison(RuleOut.of(old), changed, len(found) - len(changed), count_changes(found), others)


def why(session: Session, rule: RuleRow, private: bool) -> Why:
    """The reasons that a rule keeps, with the columns that it names found in the catalog."""
    typed = as_rule(rule)
    evidence = typed.evidence
    told = typed.shown_evidence(private=private).items()
    rest = {WORDS.get(name, name): value for name, value in told if name not in TOLD_APART}
    return Why(
        _witnesses(session, evidence.get("columns")),
        _rivals(evidence.get("rivals")),
        [clause.key for clause in typed.clauses],
        masked_texts(rest) if private else rest,
    )


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
    given = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    rows = [one | {"words": str(one.get("kind")).replace("_", " ")} for one in given]
    return sorted(rows, key=lambda one: one.get("risk", 1.0))
