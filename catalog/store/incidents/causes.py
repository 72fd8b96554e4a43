"""Causes of incidents: what broke in one version for one cause is one incident. Never commits.

An incident row is what one kind of rule has against one column. Rows that a diagnosis explains together have one
leader, which carries the cause and its sentence; the others point to it and are its details. Where columns of one
meaning broke alike in several tables within a night, the leaders point to the first of them. Lists and counts are of
leaders; a person's answer to one is an answer to all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from sqlmodel import Session, col, func, select

from catalog.causes.cause import TITLES
from catalog.errors import UsageError
from catalog.metrics.words import number
from catalog.rules.verdict import VIOLATED
from catalog.store.access import audit
from catalog.store.expectations.demands import check_name
from catalog.store.incidents.groups import leads, members, open_lead
from catalog.store.incidents.persistent import WORSE, apart
from catalog.store.models import Incident, LakeColumn, Outcome, RuleRow, Tag, now
from catalog.tags.privacy.levels import ABOUT

if TYPE_CHECKING:
    from catalog.causes.diagnose import Diagnosis

#: Incidents of several tables that began within so long of each other may be one.
NIGHT = timedelta(hours=12)


def name_causes(session: Session, table_id: int, version: int, found: Sequence[Diagnosis]) -> list[Incident]:
    """Group the open incidents that a version opened or extended by the diagnoses of it. Returns the leaders.

    A leader that was named before keeps its cause: later versions are compared with the same healthy past, and a
    person may have read it; what surely broke for another one, and otherwise, is an incident of its own. Its sentence
    and size are those of the version in which most rows are broken. Calling it again changes nothing.
    """
    touched = _touched(session, table_id, version)
    chosen = []
    for one in found:
        mine = [incident for incident in touched if incident.column_name in one.covers and _told_by(one, incident)]
        if mine:
            chosen.append(_group(session, [apart(session, each, one.cause, version) for each in mine], one))
    for incident in touched:  # no diagnosis covers it: it stands alone, if its leader is answered
        if incident.lead_id is not None and open_lead(session, incident) is None:
            incident.lead_id = None
    session.flush()
    for incident in chosen:
        _spread(session, incident)
    _rank([one for one in chosen if one.first_version == version])
    session.flush()
    return chosen


def _rank(opened: Sequence[Incident]) -> None:
    """Lists show the newest first: of what one version opened the newest is what its diagnosis tells first, a lone
    column before several that broke alike."""
    unique = list({incident.id: incident for incident in opened}.values())
    for incident, at in zip(unique, sorted((one.opened_at for one in unique), reverse=True), strict=True):
        incident.opened_at = at


def _told_by(one: Diagnosis, incident: Incident) -> bool:
    """What nobody can explain is no reason to answer different checks of a column at once."""
    return one.cause.cause != "unknown" or not incident.check_name


def _touched(session: Session, table_id: int, version: int) -> list[Incident]:
    query = select(Incident).where(
        Incident.table_id == table_id, Incident.last_version == version, Incident.status != "resolved"
    )
    return list(session.exec(query.order_by(col(Incident.id))))


def _group(session: Session, mine: Sequence[Incident], one: Diagnosis) -> Incident:
    """One leader for these rows: one that has the cause already, else the alarm on the cause's first column. What waits
    with another cause keeps that, and takes in nothing that broke for this one."""
    heads = [lead if (lead := open_lead(session, i)) is not None else i for i in mine]
    alike = [head for head in heads if head.cause == one.cause.cause] or [
        head for head in heads if head.cause == "unknown" and head.first_version == mine[0].last_version
    ]
    joined = [incident for incident, head in zip(mine, heads, strict=True) if not head.cause or head in alike]
    if not joined:
        return heads[0]
    order = {column: at for at, column in enumerate(one.cause.columns)}
    lead = min(alike or joined, key=lambda i: (i.level != "error", order.get(i.column_name, len(order)), i.id))
    if not alike:
        _name(lead, one)
    elif lead.cause == one.cause.cause:
        _follow(lead, one)
    for incident in joined:
        if incident is not lead:
            incident.lead_id, incident.cause = lead.id, ""
    lead.lead_id = None
    if any(incident.level == "error" for incident in joined):
        lead.level = "error"
    return lead


def _name(incident: Incident, one: Diagnosis) -> None:
    cause = one.cause
    incident.cause, incident.confidence, incident.columns = cause.cause, cause.confidence, list(cause.columns)
    incident.sentence = cause.sentence
    data = cause.to_json()
    kept = {name: data[name] for name in ("key", "size", "undo", "proof", "figures")}
    incident.diagnosis = kept | {"others": [[name, share] for name, share in one.others]}


def _follow(incident: Incident, one: Diagnosis) -> None:
    """A larger part of the rows broke for the same cause, or more columns have changed: that is what the incident tells
    from now on, and once, where it is `WORSE` or more has changed, that it got so (`diagnosis["worse"]`: when)."""
    had = incident.diagnosis or {}
    before, share = (size.get("share") for size in (had.get("size") or {}, one.cause.size))
    more = _more_changed(incident, one)
    if before is None or share is None:
        return
    if not more and (share <= before or not set(incident.columns) <= set(one.cause.columns)):
        return
    first, worse = had.get("first_share", before), had.get("worse")
    _name(incident, one)
    if worse is None and (more or share >= WORSE * first):
        incident.updated_at = now()
        worse = incident.updated_at.isoformat()
    incident.diagnosis = {**incident.diagnosis, "first_share": first} | ({"worse": worse} if worse else {})


def _more_changed(incident: Incident, one: Diagnosis) -> bool:
    """Whether the schema has changed in more than the incident tells."""
    told = ((incident.diagnosis or {}).get("size") or {}).get("damage") or incident.columns
    found = one.cause.size.get("damage") or one.cause.columns
    return one.cause.cause == "schema" and not set(found) <= set(told)


def _spread(session: Session, incident: Incident) -> None:
    """Point to the first incident of another table whose column of the same meaning broke alike that night."""
    meanings = _meanings(session, incident)
    if not meanings or incident.cause == "unknown" or incident.spread_id is not None:
        return
    query = select(Incident).where(
        Incident.table_id != incident.table_id,
        Incident.cause == incident.cause,
        Incident.status != "resolved",
        col(Incident.opened_at) >= incident.opened_at - NIGHT,
        col(Incident.id) < incident.id,
        *leads(),
    )
    for first in session.exec(query.order_by(col(Incident.id))):
        if _sort_of(first) == _sort_of(incident) and meanings & _meanings(session, first):
            incident.spread_id = first.id
            return


def _sort_of(incident: Incident) -> tuple[str, set[str]]:
    """What broke alike has in common: the key of its cause, and of a schema whether columns went, came or changed."""
    told = incident.diagnosis or {}
    return told.get("key", ""), {name for name in ("gone", "new", "retyped") if (told.get("size") or {}).get(name)}


def _meanings(session: Session, incident: Incident) -> set[str]:
    """Domains of the columns that an incident is about; that both hold codes, or tell of persons, is no meaning."""
    query = (
        select(Tag.domain)
        .join(LakeColumn, col(LakeColumn.id) == col(Tag.column_id))
        .where(
            LakeColumn.table_id == incident.table_id,
            col(LakeColumn.name).in_(incident.columns or []),
            Tag.status != "rejected",
            col(Tag.generic).is_(False),
            Tag.domain != ABOUT,
        )
    )
    return set(session.exec(query))


def lead_of(session: Session, incident: Incident) -> Incident:
    """The leader that an incident's row belongs to, in its own table."""
    return session.get_one(Incident, incident.lead_id) if incident.lead_id is not None else incident


def details(session: Session, incident: Incident) -> list[tuple[Outcome, RuleRow]]:
    """What rules said of the versions of an incident, in its own table, latest version first."""
    rows = [one for one in members(session, incident) if one.table_id == incident.table_id]
    wanted = {(one.kind, one.column_name, one.check_name) for one in rows}
    query = (
        select(Outcome, RuleRow)
        .join(RuleRow, col(RuleRow.id) == col(Outcome.rule_id))
        .where(
            Outcome.table_id == incident.table_id,
            Outcome.status == VIOLATED,
            col(Outcome.version).between(incident.first_version, max(one.last_version for one in rows)),
        )
        .order_by(col(Outcome.version).desc(), col(Outcome.id))
    )
    return [(said, rule) for said, rule in session.exec(query) if _of(rule) in wanted]


def _of(rule: RuleRow) -> tuple[str, str, str]:
    return rule.kind, rule.column_name, check_name(rule.learner)


def correct_cause(session: Session, incident: Incident, cause: str | None, *, actor: str) -> None:
    """A person says what it was; None: what was named is right after all. Kept beside what was named, and counted.
    Errors: `UsageError` (no such cause)."""
    if cause is not None and cause not in TITLES:
        raise UsageError(f"{cause!r} is no cause", remedy=f"use one of {', '.join(TITLES)}")
    before, incident.corrected = incident.corrected, cause
    session.flush()
    if before != cause:
        about = f"{incident.column_name}: {incident.kind} incident {incident.id}".removeprefix(": ")
        item = audit.of_table(session, "incident", incident.id, incident.table_id, about)
        change = {"before": {"cause": before}, "after": {"cause": cause}}
        audit.record(session, actor, "correct the cause of", item, reason=f"named was {incident.cause}", **change)


def judged_causes(session: Session) -> dict[str, dict[str, int]]:
    """How often each named cause was answered with another one: ``{cause: {"named": n, "resolved": n, "corrected":
    n}}``. A resolved incident whose cause nobody corrected was right as far as is known."""
    query = select(Incident.cause, Incident.status, Incident.corrected, func.count()).where(
        *leads(), Incident.cause != ""
    )
    found: dict[str, Counter[str]] = {}
    for cause, status, corrected, n in session.exec(
        query.group_by(col(Incident.cause), col(Incident.status), col(Incident.corrected))
    ):
        counts = found.setdefault(cause, Counter())
        counts["named"] += n
        counts["resolved"] += n if status == "resolved" else 0
        counts["corrected"] += n if corrected is not None and corrected != cause else 0
    return {
        cause: {k: counts[k] for k in ("named", "resolved", "corrected")} for cause, counts in sorted(found.items())
    }


def distribution(incident: Incident) -> list[tuple[str, str, str]]:
    """(share of the rows, number before, number now) up to which they go; empty where the column is not of numbers."""
    figures = (incident.diagnosis or {}).get("figures") or {}
    before, now = figures.get("before"), figures.get("now")
    if not before or not now:
        return []
    names = ("minimum", "5%", "25%", "median", "75%", "95%", "maximum")
    return [(name, number("", a), number("", b)) for name, a, b in zip(names, before, now, strict=True)]
