"""kinds of clauses and what a rule was learned from by names that say what they are: `length_range`, `shapes`

Rules that demand the same keep their revisions, decisions and verdicts: fingerprints follow, wherever one is kept.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

KINDS = {"span": "length_range", "wide": "wider_length_range"}
EVIDENCE = {"looks": "shapes"}
SEEN = {"looks_before": "shapes_before", "looks_now": "shapes_now"}
RULE = sa.table("rule", sa.column("id"), sa.column("body", sa.JSON), sa.column("fingerprint"))
DECISION = sa.table("clause_decision", sa.column("id"), sa.column("clause"), sa.column("body", sa.JSON))
EVENT = sa.table("rule_event", sa.column("id"), sa.column("clause"))
APPROVAL = sa.table("approval", sa.column("id"), sa.column("what"), sa.column("args", sa.JSON))
PORTION = 1000  # rules in memory at once


def upgrade() -> None:
    _rename(KINDS, EVIDENCE, SEEN)


def downgrade() -> None:
    _rename(*({new: old for old, new in names.items()} for names in (KINDS, EVIDENCE, SEEN)))


def _rename(kinds: Mapping[str, str], evidence: Mapping[str, str], seen: Mapping[str, str]) -> None:
    connection = op.get_bind()
    _rules(connection, kinds, evidence)
    _decisions(connection, kinds)
    _observed(connection, seen)


def _rules(connection: sa.Connection, kinds: Mapping[str, str], evidence: Mapping[str, str]) -> None:
    last = 0
    while True:
        query = sa.select(RULE.c.id, RULE.c.body, RULE.c.fingerprint).where(RULE.c.id > last)
        found = connection.execute(query.order_by(RULE.c.id).limit(PORTION)).all()
        if not found:
            return
        last = found[-1].id
        for row in found:
            body = _body(row.body, kinds, evidence)
            if body == row.body:
                continue
            same = body.get("params") == row.body.get("params")
            fingerprint = row.fingerprint if same else _fingerprint(body)
            changed = sa.update(RULE).where(RULE.c.id == row.id)
            connection.execute(changed.values(body=body, fingerprint=fingerprint))
            if not same:
                _verdicts(connection, row.id, row.fingerprint, fingerprint)


def _body(body: dict[str, Any], kinds: Mapping[str, str], evidence: Mapping[str, str]) -> dict[str, Any]:
    """A rule as stored, with its clauses, those it was learned with and those it was chosen from renamed."""
    params, told = body.get("params"), body.get("evidence")
    if isinstance(params, dict) and "clauses" in params:
        body = body | {"params": params | {"clauses": _clauses(params["clauses"], kinds)}}
    if isinstance(told, dict):
        told = {evidence.get(name, name): value for name, value in told.items()}
        lists = {name: _clauses(told[name], kinds) for name in ("learned", "rivals") if name in told}
        body = body | {"evidence": told | lists}
    return body


def _clauses(listed: Any, kinds: Mapping[str, str]) -> Any:
    if not isinstance(listed, list):
        return listed
    return [
        one | {"kind": kinds.get(one["kind"], one["kind"])} if isinstance(one, dict) and "kind" in one else one
        for one in listed
    ]


def _fingerprint(body: Mapping[str, Any]) -> str:
    """As this release's rules have it: of what judging depends on."""
    parts: list[Any] = [body["kind"], body["column"], body["params"], body.get("level", "error")]
    usual = {"scope": "batch", "where": None, "other": None}
    more = {name: body[name] for name, value in usual.items() if body.get(name, value) != value}
    text = json.dumps([*parts, more] if more else parts, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _verdicts(connection: sa.Connection, rule_id: int, before: str, after: str) -> None:
    """Verdicts name the rule that they follow from, to be said again."""
    told = {f'"rule": "{before}"': f'"rule": "{after}"'}
    _replace(connection, "replay", told, "rule_id = :rule", {"rule": rule_id})


def _observed(connection: sa.Connection, seen: Mapping[str, str]) -> None:
    """What broken rules saw. A quotation mark within a value is escaped: only keys of an object end so."""
    keys = {f'"{old}": ': f'"{new}": ' for old, new in seen.items()}
    where = f"status = 'violated' AND CAST(detail AS text) LIKE '%\"{next(iter(seen))}\"%'"
    _replace(connection, "detail", keys, where, {})


def _replace(
    connection: sa.Connection, column: str, pairs: Mapping[str, str], where: str, values: Mapping[str, Any]
) -> None:
    """Replace texts within a column of JSON, by the database alone: outcomes are many."""
    value, given = f"CAST({column} AS text)", dict(values)
    for number, pair in enumerate(pairs.items()):
        value = f"replace({value}, :old{number}, :new{number})"
        given |= dict(zip((f"old{number}", f"new{number}"), pair, strict=True))
    value = f"CAST({value} AS json)" if connection.dialect.name == "postgresql" else value
    connection.execute(sa.text(f"UPDATE outcome SET {column} = {value} WHERE {where}"), given)  # noqa: S608 - ours alone


def _decisions(connection: sa.Connection, kinds: Mapping[str, str]) -> None:
    """Decisions of people, what is told of them, and what waits for a second person. The audit log stays as it is."""
    for old, new in kinds.items():
        connection.execute(sa.update(EVENT).where(EVENT.c.clause == old).values(clause=new))
        connection.execute(sa.update(DECISION).where(DECISION.c.clause == old).values(clause=new))
    for row in connection.execute(sa.select(DECISION).where(DECISION.c.clause.in_(kinds.values()))).all():
        body = _clauses([row.body], kinds)[0]
        connection.execute(sa.update(DECISION).where(DECISION.c.id == row.id).values(body=body))
    for row in connection.execute(sa.select(APPROVAL).where(APPROVAL.c.what == "clause")).all():
        clause = kinds.get(row.args.get("clause"))
        if clause is not None:
            args = row.args | {"clause": clause}
            connection.execute(sa.update(APPROVAL).where(APPROVAL.c.id == row.id).values(args=args))
