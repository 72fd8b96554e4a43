"""What happened in the period: incidents with the time to notice and to resolve them, false alarms, decisions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from catalog.checks.feedback import FALSE_ALARM
from catalog.reports.facts import Facts
from catalog.reports.section import Section, by_name, by_number, iso, whole_seconds


def incidents(facts: Facts) -> Section:
    """Incidents that were open at any time of the period: one row a cause, in the table where it began."""
    rows = []
    for key, one in facts.incidents.items():
        if one["table_id"] not in facts.tables or one["lead_id"] is not None or one["spread_id"] is not None:
            continue
        over = one["resolved_at"]
        if one["opened_at"] >= facts.moment or (over is not None and over < facts.start):
            continue
        where = {"source": facts.source_of(one["table_id"]), "table": facts.tables[one["table_id"]]["name"]}
        what = {"id": key, "column": one["column_name"] or None, "kind": one["kind"], "level": one["level"]}
        what |= {"cause": one["corrected"] or one["cause"] or None, "version": one["first_version"]}
        times = {"written": iso(one["committed_at"]), "opened": iso(one["opened_at"]), "resolved": iso(over)}
        spans = {"to_notice": whole_seconds(one["committed_at"], one["opened_at"])}
        spans |= {"to_resolve": whole_seconds(one["opened_at"], over)}
        said = {"status": one["status"], "reason": one["reason"], "by": one["actor"] if over else None}
        rows.append(where | what | times | spans | said | {"owner": facts.owner_of_table(one["table_id"]) or None})
    rows.sort(key=lambda row: (row["opened"], row["id"]))
    resolved = [row for row in rows if row["status"] == "resolved"]
    totals = {
        "incidents": len(rows),
        "opened": sum(row["opened"] >= (iso(facts.start) or "") for row in rows),
        "resolved": len(resolved),
        "open": len(rows) - len(resolved),
        "errors": sum(row["level"] == "error" for row in rows),
        "false_alarms": sum(row["reason"] == FALSE_ALARM for row in resolved),
        "median_to_notice": _median([row["to_notice"] for row in rows]),
        "median_to_resolve": _median([row["to_resolve"] for row in rows]),
    }
    heads = (
        *(("id", "No."), ("source", "Source"), ("table", "Table"), ("column", "Column"), ("cause", "Cause")),
        *(("level", "Level"), ("version", "Version"), ("written", "Written"), ("opened", "Noticed")),
        *(("to_notice", "Time to notice"), ("resolved", "Resolved"), ("to_resolve", "Time to resolve")),
        *(("status", "Status"), ("reason", "Answer"), ("by", "Answered by"), ("owner", "Owner")),
    )
    return Section("incidents", "Incidents", heads, rows, totals)


def false_alarms(facts: Facts) -> Section:
    """The ledger of false alarms: of each table, how many its rules stated to expect, and how many people said there
    were. A version with several alarms that one answer called false counts once; one that was there before any rule was
    judged by none."""
    judged: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for version in facts.versions.values():
        if facts.start <= version["judged_at"] < facts.moment and version["passed"] + version["violated"]:
            judged[version["table_id"]].append(version)
    false: dict[int, set[int]] = defaultdict(set)
    for one in facts.incidents.values():
        fell = facts.start <= one["opened_at"] < facts.moment
        if one["status"] == "resolved" and one["reason"] == FALSE_ALARM and fell:
            false[one["table_id"]].add(one["first_version"])
    demoted = Counter(
        rule["table_id"] for rule in facts.rules.values() if rule["demoted"] and rule["status"] == "active"
    )
    rows = []
    for table_id, table in facts.tables.items():
        found = judged[table_id]
        row = {"source": facts.source_of(table_id), "table": table["name"], "versions": len(found)}
        row |= {"verdicts": sum(one["passed"] + one["violated"] for one in found)}
        row |= {"violated": sum(one["violated"] for one in found)}
        row |= {"expected": round(sum(one["expected_alarms"] for one in found), 3)}
        row |= {"false_alarms": len(false[table_id]), "demoted": demoted[table_id]}
        if found or false[table_id] or demoted[table_id]:
            rows.append(row)
    totals: dict[str, Any] = {
        name: sum(row[name] for row in rows) for name in ("versions", "verdicts", "violated", "false_alarms", "demoted")
    }
    totals["expected"] = round(sum(row["expected"] for row in rows), 3)
    heads = (
        *(("source", "Source"), ("table", "Table"), ("versions", "Versions judged"), ("verdicts", "Verdicts")),
        *(("violated", "Violations"), ("expected", "False alarms expected"), ("false_alarms", "False alarms said")),
        ("demoted", "Demoted rules"),
    )
    return Section("false_alarms", "False alarms by table", heads, sorted(rows, key=by_name), totals)


def decisions(facts: Facts) -> Section:
    """Every decision of the period, from the audit log: an answer to incidents of one cause is one, though the log has
    an entry for each."""
    answered = {(one["action"], one["item_id"]) for one in facts.events if one["kind"] == "incident"}

    def is_of_another(one: Mapping[str, Any]) -> bool:
        of = facts.incidents.get(one["item_id"]) if one["kind"] == "incident" else None
        leads = {of["lead_id"], of["spread_id"]} - {None} if of is not None else set()
        return any((one["action"], lead) in answered for lead in leads)

    rows = [
        {
            **{"id": one["id"], "at": iso(one["at"]), "by": one["actor"], "action": one["action"], "kind": one["kind"]},
            **{"about": one["item"], "before": one["before"], "after": one["after"], "reason": one["reason"]},
            "undoes": one["undoes"],
        }
        for one in facts.events
        if not is_of_another(one)
    ]
    totals = {
        "decisions": len(rows),
        "by_person": by_number(Counter(row["by"] for row in rows)),
        "by_kind": [[name, n] for name, n in sorted(Counter(f"{r['action']} {r['kind']}" for r in rows).items())],
        "without_reason": sum(not row["reason"] for row in rows),
        "undone": sum(row["undoes"] is not None for row in rows),
    }
    heads = (
        *(("id", "Event"), ("at", "When"), ("by", "Who"), ("action", "Action"), ("kind", "Kind"), ("about", "Object")),
        *(("before", "Before"), ("after", "After"), ("reason", "Reason"), ("undoes", "Undoes")),
    )
    return Section("decisions", "Decisions", heads, rows, totals)


def _median(values: Sequence[int | None]) -> int | None:
    """The lower median of those known: a figure that was measured."""
    known = sorted(value for value in values if value is not None)
    return known[(len(known) - 1) // 2] if known else None
