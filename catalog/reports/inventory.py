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
ASSAY = "assay"  # who says what nobody decided
GENERAL = "general"  # the tag is a general kind, which no person is asked about
LEVEL = "level"  # no tag says that the column is sensitive, but a person


def _place(facts: Facts, column: Mapping[str, Any]) -> dict[str, Any]:
    table = facts.tables[column["table_id"]]
    where = {"source": facts.source_of(column["table_id"]), "table": table["name"], "column": column["name"]}
    return where | {"type": column["type"], "owner": facts.owner_of(column) or None}


def _said(facts: Facts, key: int, tag: Mapping[str, Any]) -> dict[str, Any]:
    """Who says so, since when, by which decision; of what nobody decided, or no more, that the program does."""
    asked = tag["status"] == "proposed"
    decided = None if asked else facts.decided.get(key)
    return {
        "status": GENERAL if asked and not _waits(tag) else tag["status"],
        "by": ASSAY if asked else tag["actor"],
        "decided": iso(decided["at"]) if decided else None,
        "event": decided["id"] if decided else None,
        "reason": decided["reason"] if decided else None,
    }


def _level(column: Mapping[str, Any]) -> str | None:
    """How sensitive a column is; None before that was written down."""
    return column.get("level")


def _waits(tag: Mapping[str, Any]) -> bool:
    """Whether the review asks people about a tag: as `catalog.store.meaning.review.OPEN`."""
    return tag["status"] == "proposed" and not tag["generic"] and tag["domain"] != ABOUT


def _by_hand(facts: Facts, key: int, column: Mapping[str, Any]) -> dict[str, Any]:
    """Who set the level of a column by hand; nothing where its tags decide."""
    decided = (facts.levelled.get(key) if column.get("hand_level") is not None else None) or {}
    at = iso(decided["at"]) if decided else None
    told = {"level_by": decided.get("by"), "level_decided": at, "level_event": decided.get("id")}
    return told | {"level_reason": decided.get("reason")}


def _one(facts: Facts, key: int, tags: Mapping[int, Mapping[str, Any]]) -> dict[str, Any] | None:
    """What is so of a column at the moment: its sensitive tags that stand, those first that people accepted, then the
    surer ones, and how sensitive a person said that it is. None where neither says that it is sensitive."""
    column = facts.columns[key]
    hand = _by_hand(facts, key, column)
    if not tags and column.get("hand_level") not in HIDDEN:
        return None
    ranked = sorted(
        tags.items(), key=lambda one: (one[1]["status"] != "accepted", one[1]["generic"], -one[1]["score"], one[0])
    )
    row = _place(facts, column) | {
        "domain": ", ".join(tag["domain"] for _, tag in ranked) or BY_HAND,
        "title": ", ".join(_title(tag) + _apart(tag, ranked[0][1]) for _, tag in ranked) or BY_HAND,
        "sure": ranked[0][1]["score"] if ranked else None,
    }
    if ranked:
        row |= _said(facts, *ranked[0])
    else:
        row |= {"status": LEVEL, "by": hand["level_by"], "decided": hand["level_decided"]}
        row |= {"event": hand["level_event"], "reason": hand["level_reason"]}
    some = any(tag["contains"] for tag in tags.values())
    known = [iso(tag["created_at"]) or "" for tag in tags.values()]
    return (
        row
        | {"waiting": sum(map(_waits, tags.values())), "level": _level(column)}
        | hand
        | {"masked": "all" if column["sensitive"] else "some" if some else "no"}
        | {"since": min(known) if known else hand["level_decided"]}
    )


def _title(tag: Mapping[str, Any]) -> str:
    return str(tag["title"] or tag["domain"])


def _apart(tag: Mapping[str, Any], first: Mapping[str, Any]) -> str:
    """Said of a tag that nobody accepted, beside one that somebody did."""
    return " (proposed)" if tag["status"] != first["status"] else ""


def personal(facts: Facts) -> Section:
    """Columns that hold personal or other sensitive data, each once: by their tags, or as a person set their level."""
    of_column: dict[int, dict[int, Mapping[str, Any]]] = defaultdict(dict)
    for key, tag in facts.tags.items():
        if tag["sensitive"] and tag["status"] != "rejected" and not _open(tag) and not _stands_for(tag):
            of_column[tag["column_id"]][key] = tag
    rows = [row for key in facts.columns if (row := _one(facts, key, of_column.get(key, {})))]
    told = [tag for key, tags in of_column.items() if key in facts.columns for tag in tags.values()]
    states = Counter(row["status"] for row in rows)
    totals: dict[str, Any] = {
        "sources": len({row["source"] for row in rows}),
        "tables": len({(row["source"], row["table"]) for row in rows}),
        "columns": len(rows),
        "columns_reviewed": states["accepted"],
        "columns_to_review": states["proposed"],
        "columns_general": states[GENERAL],
        "columns_by_level": states[LEVEL],
        "levels_by_hand": sum(row["level_by"] is not None for row in rows),
        "columns_hidden_whole": sum(row["masked"] == "all" for row in rows),
        "columns_not_hidden": sum(row["masked"] == "no" for row in rows),
        "tables_gone": list(facts.absent),
        "all_columns": len(facts.columns),
        "all_tables": len(facts.tables),
        "all_sources": len(facts.sources),
        "by_meaning": by_number(Counter(map(_title, told))),
        "by_level": {name: sum(row["level"] == name for row in rows) for name in LEVELS_BY_HAND},
        "without_owner": sum(not row["owner"] for row in rows),
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
        *(("level", "Level"), ("level_by", "Level set by"), ("level_event", "Its event")),
        *(("masked", "Masked"), ("since", "Known since"), ("owner", "Owner")),
    )
    return Section("personal", "Inventory of personal and sensitive data", heads, sorted(rows, key=by_name), totals)


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
    states = ("accepted", "proposed", "described", "none", "waiting", "sensitive", "unreviewed", "rejected_tags")
    rows = []
    for table_id, table in facts.tables.items():
        counted: Counter[str] = Counter()
        for key, column in by_table[table_id]:
            counted[_state(tags[key])] += 1
            counted["waiting"] += sum(map(_waits, tags[key]))
            counted["sensitive"] += bool(column["sensitive"])
            counted["unreviewed"] += _level(column) == UNREVIEWED
            counted["rejected_tags"] += sum(tag["status"] == "rejected" for tag in tags[key])
        row = {"source": facts.source_of(table_id), "table": table["name"], "columns": len(by_table[table_id])}
        rows.append(row | {name: counted[name] for name in states} | {"owner": facts.owner_of_table(table_id) or None})
    totals: dict[str, Any] = {"tables": len(rows), "tables_gone": list(facts.absent)}
    totals |= {name: sum(row[name] for row in rows) for name in ("columns", *states)}
    heads = (
        *(("source", "Source"), ("table", "Table"), ("columns", "Columns"), ("accepted", "Reviewed")),
        *(("proposed", "To review"), ("described", "General kind only"), ("none", "Nothing known")),
        ("waiting", "Tags to review"),
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
    totals: dict[str, Any] = {"tables": len(rows), "tables_without_rules": sum(not row["rules"] for row in rows)}
    totals |= {"tables_gone": list(facts.absent)}
    totals |= {name: sum(row[name] for row in rows) for name in numbers}
    heads = (
        *(("source", "Source"), ("table", "Table"), ("columns", "Columns"), ("covered", "With a rule")),
        *(("rules", "Rules in force"), ("table_rules", "Of the whole table"), ("declared", "Declared")),
        *(("demoted", "Demoted"), ("paused", "Paused"), ("rejected", "Rejected"), ("owner", "Owner")),
    )
    return Section("rules", "Rules by table", heads, sorted(rows, key=by_name), totals)
