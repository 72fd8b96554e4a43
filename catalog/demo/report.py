"""What the demo found, for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, col, func, select

from catalog.cli.console import count, grid, say, size
from catalog.flow.context import Context
from catalog.rules.rule import kinds_where, meanings
from catalog.store.incidents.groups import leads
from catalog.store.lake.versions import state_totals
from catalog.store.models import Incident, LakeColumn, Outcome, RuleRow, Table, Tag
from catalog.store.pages.columns import find_domains, find_tags
from catalog.store.pages.home import totals
from catalog.store.pages.rules import find_rules

Key = tuple[str, str, int]  # table, column, version


@dataclass(frozen=True)
class Report:
    """Figures of the demo. `incidents` are what the three bad versions opened, `false_alarms` any other."""

    tables: int
    columns: int
    tags: int
    rules: int
    versions_checked: int
    outcomes: int
    incidents: list[dict[str, Any]]
    false_alarms: list[dict[str, Any]]
    missed: list[dict[str, Any]]
    seconds: float
    first_tag_seconds: float | None
    phases: dict[str, float]
    url: str

    @property
    def perfect(self) -> bool:
        """All three caught and nothing else."""
        return not self.missed and not self.false_alarms

    def to_json(self) -> dict[str, Any]:
        return {
            "tables": self.tables,
            "columns": self.columns,
            "tags": self.tags,
            "rules": self.rules,
            "versions_checked": self.versions_checked,
            "outcomes": self.outcomes,
            "incidents": self.incidents,
            "missed": self.missed,
            "false_alarms": len(self.false_alarms),
            "false_alarm_details": self.false_alarms,
            "seconds": round(self.seconds, 1),
            "first_tag_seconds": None if self.first_tag_seconds is None else round(self.first_tag_seconds, 1),
            "crawl_seconds": self.phases,
        }


def caught(
    context: Context,
    expected: Mapping[Key, str],
    *,
    seconds: float,
    first_tag_seconds: float | None,
    url: str,
    phases: dict[str, float],
) -> Report:
    """Compare what the catalog says with what was done to the lake.

    Every broken rule counts: on a damaged column at its damaged version it caught the damage, anywhere else it is a
    false alarm.
    """
    violated = (
        select(Outcome, RuleRow, Table.name)
        .join(RuleRow, col(RuleRow.id) == col(Outcome.rule_id))
        .join(Table, col(Table.id) == col(Outcome.table_id))
        .where(Outcome.status == "violated")
        .order_by(Table.name, col(Outcome.version), RuleRow.column_name)
    )
    # of the latest version before, only the wait for the next one is judged
    of_waits = col(RuleRow.kind).in_(kinds_where("of_waits"))
    arrived = select(Outcome.table_id, Outcome.version).join(RuleRow, col(RuleRow.id) == col(Outcome.rule_id))
    arrived = arrived.where(~of_waits)
    with context.reading() as session:
        counts = [
            session.exec(select(func.count()).select_from(query.subquery())).one()
            for query in (
                select(Table.id),
                select(LakeColumn.id),
                select(Tag.id).where(Tag.status != "rejected"),
                select(RuleRow.id).where(RuleRow.status == "active"),
                arrived.distinct(),
                select(Outcome.id),
            )
        ]
        broken = [_broken(*row, expected=expected) for row in session.exec(violated)]
        named = _named(session)
    damaged = [one for one in broken if one["fault"]]
    found = {(one["table"], one["column"], one["version"]) for one in damaged}
    missed = [
        {"table": table, "column": column, "version": version, "fault": fault}
        for (table, column, version), fault in expected.items()
        if (table, column, version) not in found
    ]
    figures = dict(zip(("tables", "columns", "tags", "rules", "versions_checked", "outcomes"), counts, strict=True))
    return Report(
        **figures,
        incidents=[one | named.get((one["table"], one["version"]), {}) for one in _together(damaged)],
        false_alarms=_together([one for one in broken if not one["fault"]]),
        missed=missed,
        seconds=seconds,
        first_tag_seconds=first_tag_seconds,
        phases=phases,
        url=url,
    )


def _named(session: Session) -> dict[tuple[str, int], dict[str, Any]]:
    """What the first incident of each table and version says that happened; `opened` is how many there are."""
    query = select(Incident, Table.name).join(Table, col(Table.id) == col(Incident.table_id)).where(*leads(0))
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for incident, table in session.exec(query.order_by(col(Incident.id).desc())):
        key = table, incident.first_version
        opened = found.get(key, {}).get("opened", 0) + 1
        proof = incident.diagnosis.get("proof") or None
        found[key] = {
            "cause": incident.cause or None, "confidence": incident.confidence, "sentence": incident.sentence,
            "proof": proof, "opened": opened,
        }  # fmt: skip
    return found


def _together(broken: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One entry for each column and version, told by its first rule; `rules` are the kinds that broke."""
    found: dict[Any, dict[str, Any]] = {}
    for one in sorted(broken, key=lambda one: (one["table"], one["column"] or "", one["version"], _telling(one))):
        first = found.setdefault((one["table"], one["column"], one["version"]), {**one, "rules": []})
        first["rules"].append(one["kind"])
        first["rows"] = max(first["rows"], one["rows"])
    return list(found.values())


def _telling(one: dict[str, Any]) -> int:
    """Rules of values tell more than those of figures."""
    return list(meanings()).index(one["kind"])


def _broken(outcome: Outcome, rule: RuleRow, table: str, *, expected: Mapping[Key, str]) -> dict[str, Any]:
    return {
        "table": table,
        "column": rule.column_name or None,
        "version": outcome.version,
        "kind": rule.kind,
        "fault": expected.get((table, rule.column_name, outcome.version)),
        "sentence": outcome.sentence,
        "rows": len(outcome.rows or []),
    }


def show_learned(context: Context, stats: Mapping[str, Any]) -> None:
    """What was tagged and learned, to a person."""
    with context.reading() as session:
        domains = sorted(find_domains(session), key=lambda one: (-one["columns"], one["domain"]))
        held, states = totals(session), state_totals(session)
        examples: dict[str, str] = {}
        for tag, column, table in find_tags(session, limit=100_000).items:
            if tag.status != "rejected":
                examples.setdefault(tag.domain, f"{table.name}.{column.name}")
        learned = find_rules(session, status="active", limit=100_000).items
    tagged = [(one["title"], one["columns"], examples.get(one["domain"], "")) for one in domains if one["columns"]]
    more = f" (and {len(tagged) - 15} more domains)" if len(tagged) > 15 else ""
    tags = sum(one["columns"] for one in domains)
    grid(f"Tagged: {count(tags, 'tag')} on {count(held['columns'], 'column')}{more}", _TAGS, tagged[:15])
    kinds: dict[str, list[Any]] = {}
    for rule, table in learned:
        kinds.setdefault(rule.kind, []).append((f"{table.name}.{rule.column_name}".rstrip("."), rule.sentence))
    rows = [(kind, len(found), *found[0]) for kind, found in sorted(kinds.items())]
    grid(f"Learned: {count(len(learned), 'rule')}", ("kind", "rules", "for example", "demand"), rows)
    say(
        f"{count(stats.get('files', 0), 'data file')}, {size(states.data_bytes)}; "
        f"their states {size(states.state_bytes)}; crawled in {stats.get('seconds', 0):.0f} s"
    )


_TAGS = ("domain", "columns", "for example")


def show_incidents(report: Report) -> None:
    """What was caught, to a person."""
    say("")
    for one in report.incidents:
        kinds = " and ".join(one["rules"])
        say(f"CAUGHT {one['table']}.{one['column']}, version {one['version']} ({kinds} rule)", "bold green")
        say(f"  {one['sentence']}")
        if one.get("proof"):
            say(f"  {one['proof']}")
    for one in report.missed:
        say(f"MISSED {one['table']}.{one['column']}, version {one['version']} ({one['fault']})", "bold red")
    for one in report.false_alarms:
        where = f"{one['table']}.{one['column']}" if one["column"] else one["table"]
        say(f"FALSE ALARM {where}, version {one['version']} ({one['kind']} rule)", "bold red")
        say(f"  {one['sentence']}")
    first = f", first tags after {report.first_tag_seconds:.0f} s" if report.first_tag_seconds is not None else ""
    say(
        f"\n{count(report.tables, 'table')}, {count(report.columns, 'column')}, {count(report.tags, 'tag')}, "
        f"{count(report.rules, 'rule')}; {count(report.versions_checked, 'new version')} checked, "
        f"{count(len(report.false_alarms), 'false alarm')}; {report.seconds:.0f} s in all{first}."
    )
