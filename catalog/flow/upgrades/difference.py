"""What the version of Assay that runs would tag otherwise than tables are tagged, and which rules it would learn
otherwise: from stored states, with the index as it would be. Nothing is changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from catalog.errors import AssayError
from catalog.evidence.pattern_index.index import PatternIndex
from catalog.flow.context import Context, Progress
from catalog.flow.learning.domains import take_up
from catalog.flow.learning.index import up_to_date
from catalog.flow.learning.propose import believed, known_domains, learned_strings, proposed
from catalog.flow.reading.states import States
from catalog.lake.logs.log import read_table
from catalog.learners.registry import STRINGS
from catalog.rules.clauses.clause import count_changes
from catalog.states.table import TableState
from catalog.store.domains import upgrades
from catalog.store.expectations import learners, rules
from catalog.store.lake import sources, tables
from catalog.store.meaning import privacy, tags
from catalog.store.models import Table
from catalog.tags.proposal import TagProposal


def work_out(context: Context, run_id: int | None = None, *, with_rules: bool = False) -> dict[str, Any]:
    """The difference as JSON data: `tags` that would come, go, or be told as lost, and with `with_rules` the `rules`
    that would be learned otherwise if they were learned today. Where no tag would change, the upgrade that waits is in
    force from then on: there is nothing to approve.

    Rules are learned again when they are due, not by an upgrade: what differs may be due to rows that came since, too.
    """
    take_up(context.settings.domains)
    progress = Progress(context, run_id)
    index, _ = up_to_date(context, progress)
    domains = known_domains(context)
    with context.reading() as session:
        ids = tables.present(session)
    progress.begin("comparing tags", len(ids))
    found: dict[str, Any] = {"tables": 0, "unread": 0, "columns": 0, "tags": [], "rules": [] if with_rules else None}
    for table_id in ids:
        try:
            seen = _latest(context, table_id)
        except (AssayError, OSError):  # one that cannot be read now cannot be tagged either
            seen = None
        if seen is None:
            found["unread"] += 1
        else:
            found["tables"] += 1
            found["columns"] += len(seen[1].columns)
            meant = proposed(context, *seen, index, domains)
            found["tags"] += _tags(context, seen[0], meant)
            found["rules"] = [*found["rules"], *_rules(context, *seen, index, meant)] if with_rules else None
        progress.advance()
    found["tags"].sort(key=lambda one: (one["domain"], one["table"], one["column"]))
    if not found["tags"]:
        with context.transaction() as session:
            upgrades.adopt(session)
    return found


def _latest(context: Context, table_id: int) -> tuple[Table, TableState] | None:
    """A table with the state of its latest version; None where that was not scanned, or holds nothing."""
    with context.reading() as session:
        table = tables.get_table(session, table_id)
        source = sources.get_source(session, table.source_id)
    info = read_table(table.uri, context.options, roots=(source.uri, *source.allowed))
    state = States(context, table_id).merged(sorted(file.key for file in info.files))
    return (table, state) if state is not None and state.rows else None


def _tags(context: Context, table: Table, meant: Mapping[str, list[TagProposal]]) -> Iterator[dict[str, Any]]:
    with context.reading() as session:
        columns = {column.name: column for column in tables.list_columns(session, table.id)}
        wanted = {columns[name].id: found for name, found in meant.items() if name in columns}
        names = {column.id: column.name for column in columns.values()}
        for one in tags.changes(session, wanted):
            yield {
                **{"what": one.what, "domain": one.domain, "title": one.title, "sensitive": one.sensitive},
                **{"table_id": table.id, "table": table.name, "column_id": one.column_id},
                "column": names[one.column_id],
            }


def _rules(
    context: Context, table: Table, state: TableState, index: PatternIndex, meant: Mapping[str, list[TagProposal]]
) -> Iterator[dict[str, Any]]:
    """String rules of our own learner that are not as they would be learned today."""
    with context.reading() as session:
        if STRINGS in learners.learners_of(session, table).choices:
            return
        decided = tags.decided_domains(session, table.id or 0)
    domains_of = {name: believed(found, decided.get(name, {})) for name, found in meant.items()}
    learned = learned_strings(context, table, state, index, domains_of)
    with context.reading() as session:
        hide = privacy.hiding(session, table.id)
        wanted = {(rule.kind, rule.column or ""): rule for rule in rules.decided(session, table.id, learned)}
        current = {
            (row.kind, row.column_name): row
            for row in rules.active_rules(session, table.id)
            if row.learner == "strings"
        }
    for key in sorted(wanted.keys() | current.keys()):
        rule, row = wanted.get(key), current.get(key)
        told = {"table_id": table.id, "table": table.name, "kind": key[0], "column": key[1]}
        told |= {"rule_id": row.id if row else None}
        if rule is None or row is None:
            yield told | {"what": "comes" if row is None else "goes", "changes": {}}
        elif rule.fingerprint != row.fingerprint:
            compared = rule.compare(rules.as_rule(row), private=hide.private_rule(row.column_name, row.body))
            if counts := count_changes(compared):
                yield told | {"what": "changes", "changes": counts}
