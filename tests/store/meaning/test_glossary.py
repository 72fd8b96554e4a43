"""The glossary: terms, descriptions, taken back, in and out of files."""

from __future__ import annotations

import pytest
from singly import upsert_table
from sqlmodel import Session, select

from catalog.errors import NotFound, UsageError
from catalog.roles import everyone_here
from catalog.store.access import audit
from catalog.store.access.undo import undo
from catalog.store.glossary import exchange, terms
from catalog.store.lake import sources, tables
from catalog.store.models import LakeColumn, Table

ANN = everyone_here("ann")
HOSTILE = "=cmd|' /C calc'!A0"


@pytest.fixture
def column(db: Session) -> LakeColumn:
    source = sources.add_source(db, "shop", "/lake")
    table = upsert_table(db, source.id, "orders", "/lake/orders")
    return tables.set_columns(db, table.id, [["total", "double"], [HOSTILE, "string"]])[0]


def test_descriptions_and_terms_are_decisions(db: Session, column: LakeColumn) -> None:
    terms.put_term(db, "margin", "Revenue less cost.", owner="finance", actor="ann")
    terms.describe(db, "column", column.id, text="In euros.\r\n", terms=["margin", "margin"], actor="ann")
    assert (column.description, column.terms) == ("In euros.", ["margin"])
    assert [row.id for _, row in terms.carriers(db, "margin")] == [column.id]
    with pytest.raises(UsageError, match="carries the term"):
        terms.remove_term(db, "margin", actor="ann")
    with pytest.raises(NotFound, match="no term 'profit'"):
        terms.describe(db, "column", column.id, terms=["profit"], actor="ann")
    event = audit.find_events(db)[0]
    assert (event.action, event.kind, event.item) == ("describe", "column", "shop/orders total")
    undo(db, event.id, by=ANN, false_alarm_budget=1.0)
    assert (column.description, column.terms) == (None, None)
    terms.remove_term(db, "margin", actor="ann")
    undo(db, audit.find_events(db)[0].id, by=ANN, false_alarm_budget=1.0)
    assert terms.get_term(db, "margin").owner == "finance"


def test_a_term_is_renamed_on_all_that_carries_it(db: Session, column: LakeColumn) -> None:
    for name in ("margn", "price"):
        terms.put_term(db, name, "Revenue less cost.", actor="ann")
    terms.describe(db, "column", column.id, terms=["price", "margn"], actor="ann")
    terms.describe(db, "table", column.table_id, terms=["margn"], actor="ann")
    with pytest.raises(UsageError, match="has the term 'price' already"):
        terms.rename_term(db, "margn", "price", actor="ann")
    terms.rename_term(db, "margn", " margin ", actor="ann")
    assert column.terms == ["price", "margin"]
    assert len(terms.carriers(db, "margin")) == 2
    assert [one.name for one in terms.list_terms(db)] == ["margin", "price"]
    event = audit.find_events(db, limit=1)[0]
    assert (event.action, event.item, event.before, event.after) == (
        "rename",
        "margin",
        {"name": "margn"},
        {"name": "margin"},
    )
    terms.rename_term(db, "margin", "margin", actor="ann")
    undo(db, event.id, by=ANN, false_alarm_budget=1.0)
    assert column.terms == ["price", "margn"]


def test_nothing_new_is_no_decision(db: Session, column: LakeColumn) -> None:
    terms.put_term(db, "margin", "x", actor="ann")
    before = audit.count_events(db)
    terms.put_term(db, "margin", "x", actor="ann")
    terms.describe(db, "column", column.id, text="", terms=[], actor="ann")
    assert audit.count_events(db) == before


@pytest.mark.parametrize("form", ["csv", "yaml"])
def test_files_bring_back_what_was_written(db: Session, column: LakeColumn, form: str) -> None:
    terms.put_term(db, "margin", "=1+1, \u00fcber\nzwei Zeilen", actor="ann")
    terms.describe(db, "column", column.id, text="In euros.", terms=["margin"], actor="ann")
    other = db.exec(select(LakeColumn).where(LakeColumn.name == HOSTILE)).one()
    terms.describe(db, "column", other.id, text="@odd", actor="ann")
    terms.describe(db, "source", sources.get_source(db, "shop").id, text="The shop.", actor="ann")
    lines = list(exchange.export_lines(db))
    text = exchange.as_csv(lines) if form == "csv" else exchange.as_yaml(lines)
    if form == "csv":
        assert "\n=" not in text
        assert ",=" not in text
    for one in (column, other):
        terms.describe(db, "column", one.id, text="", terms=[], actor="ann")
    terms.put_term(db, "margin", "else", actor="ann")
    taken = exchange.take(db, exchange.read_lines(text.encode(), form), actor="bob")
    assert {one.what for one in taken} == {"changed", "same"}
    assert (column.description, column.terms, other.description) == ("In euros.", ["margin"], "@odd")
    assert list(exchange.export_lines(db)) == lines
    again = exchange.take(db, exchange.read_lines(text.encode(), form), actor="bob")
    assert {one.what for one in again} == {"same"}


@pytest.mark.parametrize("form", ["csv", "yaml"])
def test_no_character_is_lost_on_the_way(form: str) -> None:
    odd = (
        "=1",
        "'=1",
        "''@x",
        "'tis",
        "a\rb",
        "a\r\nb",
        'say "x"',
        "a;b,c\td",
        "007",
        "null",
        "- a",
        "k: v",
        "#",
        "\U0001f600",
    )
    lines = [dict.fromkeys(exchange.FIELDS, "") | {"kind": "term", "term": "t", "text": one} for one in odd]
    text = exchange.as_csv(lines) if form == "csv" else exchange.as_yaml(lines)
    assert [one["text"] for one in exchange.read_lines(text.encode(), form)] == list(odd)


def test_a_line_that_cannot_be_used_stops_no_other(db: Session, column: LakeColumn) -> None:
    text = (
        "kind,source,table,column,term,text,terms,owner\n"
        "table,shop,orders,,,One row an order.,,sales\n"
        "table,shop,nowhere,,,x,,\n"
        "column,shop,orders,total,,x,unknown,\n"
        "thing,shop,,,,x,,\n"
        f"term,,,,{'x' * 200},y,,\n"
    )
    taken = exchange.take(db, exchange.read_lines(text.encode(), "csv"), actor="ann")
    assert [one.what for one in taken] == ["changed", "skipped", "skipped", "skipped", "skipped"]
    assert "no such table" in taken[1].reason
    assert "no term 'unknown'" in taken[2].reason
    assert db.exec(select(Table.description, Table.owner)).one() == ("One row an order.", "sales")
    assert column.description is None


def test_of_lines_about_the_same_the_first_is_taken(db: Session, column: LakeColumn) -> None:
    """Another one would overwrite it, and the file would never be what is there already."""
    file = b"kind,source,table,column,term,text,owner\n"
    file += b"term,,,,Patient,Who is ill.,ward\nterm,,,, Patient ,Who waits.,\nterm,,,,,no name,\nterm,,,,,none,\n"
    file += b"column,shop,orders,total,,In euros.,\ncolumn,shop,orders,total,,In cents.,\n"
    lines = exchange.read_lines(file, "csv")
    taken = exchange.take(db, lines, actor="ann")
    assert [one.what for one in taken] == ["added", "skipped", "skipped", "skipped", "changed", "skipped"]
    assert [taken[k].reason for k in (1, 5)] == ["line 1 says it already", "line 5 says it already"]
    assert "already" not in taken[3].reason
    term = terms.get_term(db, "Patient")
    assert (term.definition, term.owner, column.description) == ("Who is ill.", "ward", "In euros.")
    again = exchange.take(db, lines, actor="ann")
    assert [one.what for one in again] == ["same", "skipped", "skipped", "skipped", "same", "skipped"]


def test_files_of_another_kind_are_refused() -> None:
    for data, form in ((b"\xff\xfe", "csv"), (b"a: [", "yaml"), (b"a: 1", "yaml"), (b"- 1", "yaml")):
        with pytest.raises(UsageError):
            exchange.read_lines(data, form)


@pytest.mark.parametrize(
    "data",
    [
        '\ufeffName;Definition;Owner\r\nUmsatz;"Erl\u00f6s; netto";finance\r\n'.encode(),
        "Term\tMeaning\tOwner\nUmsatz\tErl\u00f6s; netto\tfinance\n".encode("utf-16"),
    ],
)
def test_a_list_of_terms_from_a_spreadsheet_is_taken(db: Session, data: bytes) -> None:
    (taken,) = exchange.take(db, exchange.read_lines(data, "csv"), actor="ann")
    assert (taken.what, taken.name, taken.reason) == ("added", "Umsatz", "")
    (term,) = terms.list_terms(db)
    assert (term.definition, term.owner) == ("Erl\u00f6s; netto", "finance")


def test_what_a_file_has_no_column_for_stays_as_it_is(db: Session, column: LakeColumn) -> None:
    terms.put_term(db, "margin", "What is left.", owner="finance", actor="ann")
    terms.describe(db, "column", column.id, text="In euros.", terms=["margin"], actor="ann")
    text = "kind,source,table,column,owner\ncolumn,shop,orders,total,sales\n"
    exchange.take(db, exchange.read_lines(text.encode(), "csv"), actor="bob")
    assert (column.description, column.terms, column.owner) == ("In euros.", ["margin"], "sales")
    exchange.take(db, exchange.read_lines(b"kind,term,text\nterm,margin,What remains.\n", "csv"), actor="bob")
    (term,) = terms.list_terms(db)
    assert (term.definition, term.owner) == ("What remains.", "finance")


def test_a_file_without_the_columns_is_told_what_it_has() -> None:
    with pytest.raises(UsageError, match="neither a column kind nor one term: a, b"):
        exchange.read_lines(b"a,b\n1,2\n", "csv")


def test_a_term_that_is_there_is_not_added_again_and_none_means_nothing(db: Session) -> None:
    terms.add_term(db, "customer e-mail", "Address we write to.", owner="crm", actor="ann")
    with pytest.raises(UsageError, match="has the term 'customer e-mail' already"):
        terms.add_term(db, " customer  e-mail ", "again", actor="ann")
    for meaning in ("", " \n "):
        with pytest.raises(UsageError, match="would mean nothing"):
            terms.put_term(db, "customer e-mail", meaning, actor="ann")
        with pytest.raises(UsageError, match="would mean nothing"):
            terms.add_term(db, "other", meaning, actor="ann")
    terms.put_term(db, "customer e-mail", "Where we write to.", actor="ann")
    (term,) = terms.list_terms(db)
    assert (term.definition, term.owner) == ("Where we write to.", "crm"), "an owner stays where none is named"
    terms.put_term(db, "customer e-mail", "Where we write to.", owner="", actor="ann")
    assert term.owner is None
    undo(db, audit.find_events(db)[0].id, by=ANN, false_alarm_budget=1.0)
    assert term.owner == "crm"
    terms.put_term(db, "other", "Any.", actor="ann")
    terms.put_term(db, "other", "Any.", owner="crm", actor="ann")
    undo(db, audit.find_events(db)[0].id, by=ANN, false_alarm_budget=1.0)
    assert terms.get_term(db, "other").owner is None


def test_an_import_tells_what_is_new_and_what_it_does_not_take(db: Session) -> None:
    terms.put_term(db, "margin", "What is left.", actor="ann")
    lines = ["Term,Means,Status,Definition", "foo,First.,draft,", "margin,What remains.,,What is left.", "bar,,,"]
    text = "\n".join([*lines, "baz,Last.,,,more"])
    taken = exchange.take(db, exchange.read_lines(text.encode(), "csv"), actor="ann")
    assert [(one.name, one.what, one.reason) for one in taken] == [
        ("foo", "added", "not taken: Status"),
        ("margin", "same", "not taken: Means"),
        ("bar", "skipped", "the term 'bar' would mean nothing; say what it means"),
        ("baz", "added", "not taken: cells beyond the columns"),
    ]
    assert {one.name: one.definition for one in terms.list_terms(db)} == {
        "baz": "Last.",
        "foo": "First.",
        "margin": "What is left.",
    }


def test_a_broken_file_is_told_where_it_is_broken() -> None:
    with pytest.raises(UsageError) as broken:
        exchange.read_lines(b"- {kind: term\n- {", "yaml")
    assert broken.value.args[0].startswith("line 2, column 3: expected ',' or '}'")
    assert broken.value.remedy == "correct the YAML there"
    with pytest.raises(UsageError, match="cannot be read as UTF-8"):
        exchange.read_lines(b"term\n\xff", "csv")
