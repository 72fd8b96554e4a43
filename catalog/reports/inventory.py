"""What the lake holds: personal data, what is known of the columns, what is demanded of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from catalog.reports.facts import Facts
from catalog.reports.section import Section, by_name, by_number, iso
from catalog.tags.privacy.levels import ABOUT, HIDDEN, IDENTIFIER, LEVELS_BY_HAND, UNREVIEWED

MASKED = {"all": "every value", "some": "values that hold one", "no": "nothing"}
DECLARED = "declared"
BY_HAND = "level set by hand"


def _place(facts: Facts, column: Mapping[str, Any]) -> dict[str, Any]:
    table = facts.tables[column["table_id"]]
    where = {"source": facts.source_of(column["table_id"]), "table": table["name"], "column": column["name"]}
    return where | {"type": column["type"], "owner": facts.owner_of(column) or None}


def _said(facts: Facts, key: int, tag: Mapping[str, Any]) -> dict[str, Any]:
    """Who says so, since when, by which decision."""
    decided = facts.decided.get(key) if tag["status"] != "proposed" or tag["actor"] != "assay" else None
    return {
        "status": tag["status"],
        "by": tag["actor"],
        "decided": iso(decided["at"]) if decided else None,
        "event": decided["id"] if decided else None,
        "reason": decided["reason"] if decided else None,
    }


def _level(column: Mapping[str, Any]) -> str | None:
    """How sensitive a column is; None before that was written down."""
    return column.get("level")


def _by_hand(facts: Facts) -> list[dict[str, Any]]:
    """Columns that a person called personal or secret, whatever their tags say, and those whose tags say that they are
    sensitive and a person that they are not."""
    tagged = {tag["column_id"] for tag in facts.tags.values() if tag["sensitive"] and tag["status"] != "rejected"}
    rows = []
    for key, column in facts.columns.items():
        level = column.get("hand_level")
        if level is None or (level not in HIDDEN and key not in tagged):
            continue
        decided = facts.levelled.get(key) or {"id": None, "at": None, "by": None, "reason": None}
        row = _place(facts, column) | {"domain": BY_HAND, "title": BY_HAND, "sure": None, "status": "accepted"}
        row |= {"by": decided["by"], "decided": iso(decided["at"]), "event": decided["id"], "reason": decided["reason"]}
        rows.append(
            row | {"masked": "all" if level in HIDDEN else "no", "level": _level(column), "since": iso(decided["at"])}
        )
    return rows


def personal(facts: Facts) -> Section:
    """Columns that hold personal or other sensitive data: one row a column and meaning, and one where a person said how
    sensitive a column is."""
    rows = _by_hand(facts)
    for key, tag in facts.tags.items():
        column = facts.columns.get(tag["column_id"])
        if column is None or not tag["sensitive"] or tag["status"] == "rejected" or _open(tag) or _stands_for(tag):
            continue
        masked = "some" if tag["contains"] else "all" if column["sensitive"] else "no"
        row = _place(facts, column) | {"domain": tag["domain"], "title": tag["title"], "sure": tag["score"]}
        known = {"masked": masked, "level": _level(column), "since": iso(tag["created_at"])}
        rows.append(row | _said(facts, key, tag) | known)
    columns = {_key(row) for row in rows}
    named = {_key(row) for row in rows if row["status"] == "accepted"}
    totals: dict[str, Any] = {
        "sources": len({row["source"] for row in rows}),
        "tables": len({one[:2] for one in columns}),
        "columns": len(columns),
        "columns_reviewed": len(named),
        "columns_hidden_whole": len({_key(r) for r in rows if r["masked"] == "all"}),
        "columns_not_hidden": len({_key(r) for r in rows if r["masked"] == "no"}),
        "all_columns": len(facts.columns),
        "all_tables": len(facts.tables),
        "all_sources": len(facts.sources),
        "by_meaning": by_number(Counter(row["title"] or row["domain"] for row in rows if row["domain"] != BY_HAND)),
        "by_level": {name: len({_key(r) for r in rows if r["level"] == name}) for name in LEVELS_BY_HAND},
        "without_owner": len({_key(r) for r in rows if not r["owner"]}),
    }
    heads = (
        *(("source", "Source"), ("table", "Table"), ("column", "Column"), ("type", "Type"), ("title", "Tag")),
        *(
            ("sure", "Confidence"),
            ("status", "Review"),
            ("by", "Said by"),
            ("decided", "Decided"),
            ("event", "Event"),
        ),
        *(("level", "Level"), ("masked", "Masked"), ("since", "Known since"), ("owner", "Owner")),
    )
    return Section("personal", "Inventory of personal and sensitive data", heads, sorted(rows, key=by_name), totals)


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["source"], row["table"], row["column"]


def _open(tag: Mapping[str, Any]) -> bool:
    """Whether a tag says no more than that nobody knows its column."""
    return (tag["domain"], tag["status"]) == (ABOUT, "proposed")


def _stands_for(tag: Mapping[str, Any]) -> bool:
    """Whether a tag says that values stand for persons without naming them."""
    return bool(tag["domain"] == IDENTIFIER)


def identifiers(facts: Facts) -> Section:
    """Columns of numbers that stand for persons (customer number, patient id): pseudonyms, listed apart from what names
    somebody, whether they are masked or not."""
    rows = []
    for key, tag in facts.tags.items():
        column = facts.columns.get(tag["column_id"])
        if column is None or not _stands_for(tag) or tag["status"] == "rejected":
            continue
        known = {"level": _level(column), "masked": "all" if column["sensitive"] else "no"}
        known["since"] = iso(tag["created_at"])
        rows.append(_place(facts, column) | {"sure": tag["score"]} | _said(facts, key, tag) | known)
    heads = (
        *(("source", "Source"), ("table", "Table"), ("column", "Column"), ("type", "Type"), ("sure", "Confidence")),
        *(
            ("status", "Review"),
            ("by", "Tagged by"),
            ("level", "Level"),
            ("masked", "Masked"),
            ("since", "Known since"),
        ),
        ("owner", "Owner"),
    )
    totals = {"columns": len(rows), "tables": len({(row["source"], row["table"]) for row in rows})}
    totals["columns_hidden"] = sum(row["masked"] == "all" for row in rows)
    return Section("identifiers", "Identifiers of persons", heads, sorted(rows, key=by_name), totals)


def not_known(facts: Facts) -> Section:
    """Columns that nobody knows and that may be about the person that a row is: hidden until somebody has looked."""
    rows = []
    for tag in facts.tags.values():
        column = facts.columns.get(tag["column_id"])
        if column is None or not _open(tag) or _level(column) != UNREVIEWED:
            continue
        rows.append(_place(facts, column) | {"sure": tag["score"], "since": iso(tag["created_at"])})
    heads = (
        *(("source", "Source"), ("table", "Table"), ("column", "Column"), ("type", "Type")),
        *(("sure", "Probability"), ("since", "Masked since"), ("owner", "Owner")),
    )
    totals = {"columns": len(rows), "tables": len({(row["source"], row["table"]) for row in rows})}
    title = "Unclassified columns, masked until reviewed"
    return Section("not_known", title, heads, sorted(rows, key=by_name), totals)


def set_aside(facts: Facts) -> Section:
    """Sensitive tags that people rejected: who, when, why."""
    rows = []
    for key, tag in facts.tags.items():
        column = facts.columns.get(tag["column_id"])
        if column is None or not tag["sensitive"] or tag["status"] != "rejected":
            continue
        rows.append(_place(facts, column) | {"domain": tag["domain"], "title": tag["title"]} | _said(facts, key, tag))
    heads = (
        *(("source", "Source"), ("table", "Table"), ("column", "Column"), ("title", "Was taken for")),
        *(("by", "Taken away by"), ("decided", "Decided"), ("event", "Event"), ("reason", "Reason")),
    )
    title = "Sensitive tags that people rejected"
    return Section("set_aside", title, heads, sorted(rows, key=by_name), {"columns": len(rows)})


def coverage(facts: Facts) -> Section:
    """What is known of the columns of each table, and how much of it people reviewed."""
    tags: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for tag in facts.tags.values():
        tags[tag["column_id"]].append(tag)
    by_table: dict[int, list[tuple[int, Mapping[str, Any]]]] = defaultdict(list)
    for key, column in facts.columns.items():
        by_table[column["table_id"]].append((key, column))
    states = ("accepted", "proposed", "described", "none", "sensitive", "unreviewed", "rejected_tags")
    rows = []
    for table_id, table in facts.tables.items():
        counted: Counter[str] = Counter()
        for key, column in by_table[table_id]:
            counted[_state(tags[key])] += 1
            counted["sensitive"] += bool(column["sensitive"])
            counted["unreviewed"] += _level(column) == UNREVIEWED
            counted["rejected_tags"] += sum(tag["status"] == "rejected" for tag in tags[key])
        row = {"source": facts.source_of(table_id), "table": table["name"], "columns": len(by_table[table_id])}
        rows.append(row | {name: counted[name] for name in states} | {"owner": facts.owner_of_table(table_id) or None})
    totals = {"tables": len(rows)} | {name: sum(row[name] for row in rows) for name in ("columns", *states)}
    heads = (
        *(("source", "Source"), ("table", "Table"), ("columns", "Columns"), ("accepted", "Reviewed")),
        *(("proposed", "To review"), ("described", "General kind only"), ("none", "Nothing known")),
        *(("sensitive", "Masked"), ("unreviewed", "Of these unclassified"), ("rejected_tags", "Tags rejected")),
        ("owner", "Owner"),
    )
    return Section("coverage", "Tag coverage by table", heads, sorted(rows, key=by_name), totals)


def _state(tags: list[Mapping[str, Any]]) -> str:
    """How far the meaning of a column is settled."""
    standing = [tag for tag in tags if tag["status"] != "rejected" and not _open(tag)]
    if any(tag["status"] == "accepted" for tag in standing):
        return "accepted"
    if any(not tag["generic"] for tag in standing):
        return "proposed"
    return "described" if standing else "none"


def rules(facts: Facts) -> Section:
    """What is demanded of each table: columns with a rule in force, rules of the whole table, rules out of force."""
    names: dict[int, set[str]] = defaultdict(set)
    for column in facts.columns.values():
        names[column["table_id"]].add(column["name"])
    by_table: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for rule in facts.rules.values():
        by_table[rule["table_id"]].append(rule)
    rows = []
    for table_id, table in facts.tables.items():
        current = [rule for rule in by_table[table_id] if rule["status"] != "superseded"]
        active = [rule for rule in current if rule["status"] == "active"]
        covered = {rule["column_name"] for rule in active} & names[table_id]
        row = {"source": facts.source_of(table_id), "table": table["name"], "columns": len(names[table_id])}
        row |= {"covered": len(covered), "rules": len(active)}
        row |= {"table_rules": sum(not rule["column_name"] for rule in active)}
        row |= {"declared": sum(str(rule["learner"]).startswith(DECLARED) for rule in active)}
        row |= {"demoted": sum(bool(rule["demoted"]) for rule in active)}
        row |= {name: sum(rule["status"] == name for rule in current) for name in ("paused", "rejected")}
        rows.append(row | {"owner": facts.owner_of_table(table_id) or None})
    numbers = ("columns", "covered", "rules", "table_rules", "declared", "demoted", "paused", "rejected")
    totals = {"tables": len(rows), "tables_without_rules": sum(not row["rules"] for row in rows)}
    totals |= {name: sum(row[name] for row in rows) for name in numbers}
    heads = (
        *(("source", "Source"), ("table", "Table"), ("columns", "Columns"), ("covered", "With a rule")),
        *(("rules", "Rules in force"), ("table_rules", "Of the whole table"), ("declared", "Declared")),
        *(("demoted", "Demoted"), ("paused", "Paused"), ("rejected", "Rejected"), ("owner", "Owner")),
    )
    return Section("rules", "Rules by table", heads, sorted(rows, key=by_name), totals)
