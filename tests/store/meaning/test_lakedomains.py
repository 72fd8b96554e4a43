"""The lake's domains: what a survey found, the names people gave, and the tags that follow. On both databases."""

from __future__ import annotations

import pyarrow as pa
import pytest
from singly import upsert_table
from sqlmodel import Session

from catalog.domains.known import KNOWN
from catalog.errors import NotFound, UsageError
from catalog.states.encoding import encode
from catalog.states.folding.fold import fold
from catalog.store.domains import lakedomains
from catalog.store.lake import sources, tables, versions
from catalog.store.meaning import tags
from catalog.store.models import Table
from catalog.store.pages.columns import find_tags
from catalog.tags.discovery.discover import Discovered
from catalog.tags.propose import propose_tags


def found(table: Table, *columns: str, pattern: str = "AA-0000") -> Discovered:
    regex = r"[A-Z]{2}-[0-9]{4}"
    described = tuple((str(table.id), column) for column in columns)
    return Discovered("shape", pattern, "two capitals, “-”, four digits", regex, 4, 2, 0.01, described)


@pytest.fixture
def table(db: Session) -> Table:
    table = upsert_table(db, sources.add_source(db, "lake", "/lake").id, "orders", "/lake/orders")
    tables.set_columns(db, table.id, [["ticket", "string"], ["note", "string"]])
    tables.update_table(db, table.id, seen_version=48)
    return table


def test_a_name_tags_the_columns_and_stays_through_the_next_survey(db: Session, table: Table) -> None:
    lakedomains.put_domains(db, [found(table, "ticket")], {("shape", "AA-0000"): 0.0002})
    (row,) = lakedomains.list_domains(db)
    lakedomains.name_domain(db, row.id, "ticket_number", label="Ticket number", sensitive=True, actor="ann")
    (item,) = find_tags(db, table_id=table.id, limit=1000).items
    assert (item.LakeColumn.name, item.Tag.domain, item.Tag.title, item.Tag.sensitive) == (
        "ticket",
        "ticket_number",
        "Ticket number",
        True,
    )
    assert item.Tag.version == 48  # of the table whose values were looked at
    assert tables.get_column(db, table.id, "ticket").sensitive
    lakedomains.put_domains(db, [found(table, "ticket", "note")], {})
    (row,) = lakedomains.list_domains(db)
    assert (row.name, row.found, len(row.described), row.chance) == ("ticket_number", True, 2, 0.0002)
    lakedomains.put_domains(db, [], {})
    assert [(one.name, one.found) for one in lakedomains.list_domains(db)] == [("ticket_number", False)]


def test_a_named_domain_is_proposed_beside_the_known_ones(db: Session, table: Table) -> None:
    lakedomains.put_domains(db, [found(table, "ticket")], {("shape", "AA-0000"): 0.0002})
    lakedomains.name_domain(db, lakedomains.list_domains(db)[0].id, "ticket_number", actor="ann")
    state = fold(pa.table({"x": [f"{a}{b}-{n}" for a in "ABQ" for b in "XYZ" for n in range(1000, 1030)]}))
    domains = [*KNOWN.values(), *lakedomains.named_domains(db)]
    assert propose_tags(state.columns["x"], "x", domains=domains)[0].domain == "ticket_number"
    assert propose_tags(state.columns["x"], "x")[0].domain != "ticket_number"


def test_a_name_is_taken_back_with_the_tags_nobody_accepted(db: Session, table: Table) -> None:
    lakedomains.put_domains(db, [found(table, "ticket", "note")], {})
    row = lakedomains.name_domain(db, lakedomains.list_domains(db)[0].id, "ticket_number", actor="ann")
    accepted = find_tags(db, table_id=table.id, limit=1000).items[0].Tag
    tags.decide_tag(db, accepted.id, "accepted", "ann")
    lakedomains.forget_name(db, "ticket_number")
    assert [item.Tag.status for item in find_tags(db, table_id=table.id, limit=1000).items] == ["accepted"]
    with pytest.raises(UsageError, match="has no name"):
        lakedomains.forget_name(db, row.id)


def test_names_that_cannot_be_are_refused(db: Session, table: Table) -> None:
    lakedomains.put_domains(db, [found(table, "ticket"), found(table, "note", pattern="A-0")], {})
    one, other = lakedomains.list_domains(db)
    lakedomains.name_domain(db, one.id, "ticket_number", actor="ann")
    for name in ("ticket_number", "email", "Ticket", "", "a"):
        with pytest.raises(UsageError):
            lakedomains.name_domain(db, other.id, name, actor="ann")
    with pytest.raises(NotFound):
        lakedomains.get_domain(db, "no_such")


def test_an_example_comes_from_the_newest_files(db: Session, table: Table) -> None:
    assert lakedomains.column_state(db, table.id, "ticket") is None
    for number, value in enumerate(("AB-1", "CD-2")):
        state = fold(pa.table({"ticket": [value], "n": [number]}))
        versions.put_file_states(db, [(table.id, f"part-{number}", 1, 10, encode(state))])
    state = lakedomains.column_state(db, table.id, "ticket")
    assert state is not None
    assert sorted(value for value, _ in state.values() or ()) == ["AB-1", "CD-2"]
    assert list(lakedomains.string_states(db, table.id)) == ["ticket"]
    assert lakedomains.where(db, [[table.id, "note"], ["starter:x", "x"], [10**6, "x"]]).keys() == {
        (str(table.id), "note")
    }
