"""Sources, tables, columns."""

from __future__ import annotations

from typing import Any

import pytest
from singly import put_tags, upsert_table
from sqlmodel import Session, select

from catalog.errors import CorruptLog, NotFound, TableVanished, UsageError
from catalog.rules.kinds.reference import ReferenceRule
from catalog.rules.rule import Rule
from catalog.store.access import audit
from catalog.store.expectations import rules
from catalog.store.lake import sources, tables
from catalog.store.meaning import tags
from catalog.store.models import LakeColumn, Table, Tag
from catalog.store.pages.columns import find_tags
from catalog.store.pages.home import totals
from catalog.store.pages.rules import find_rules, rule_counts
from catalog.store.pages.tables import TableFilter, find_tables, table_facets
from catalog.tags.proposal import TagProposal


def _lake(db: Session, *names: str, source: str = "lake") -> list[Table]:
    found = sources.add_source(db, source, "/lake")
    return sources.upsert_tables(db, found.id, [(name, f"/lake/{name}") for name in names])


def test_a_source_added_again_takes_the_new_address(db: Session) -> None:
    first = sources.add_source(db, "lake", "/old", ["a*"])
    again = sources.add_source(db, "lake", "/new", ["b*"], ["c*"])
    assert first.id == again.id
    db.expire_all()
    found = sources.get_source(db, "lake")
    assert (found.uri, found.include, found.exclude) == ("/new", ["b*"], ["c*"])
    assert sources.get_source(db, found.id).name == "lake"
    assert [source.name for source in sources.list_sources(db)] == ["lake"]


@pytest.mark.parametrize("name", ["", "a/b", " a"])
def test_a_source_needs_a_name_that_can_stand_before_a_slash(db: Session, name: str) -> None:
    with pytest.raises(UsageError, match="use letters"):
        sources.add_source(db, name, "/x")


def test_a_table_is_made_once_and_keeps_what_is_known_of_it(db: Session) -> None:
    orders = _lake(db, "orders")[0]
    tables.update_table(db, orders.id, rows=7, status="watched")
    again = upsert_table(db, orders.source_id, "orders", "/elsewhere")
    db.expire_all()
    assert (again.id, again.rows, again.uri) == (orders.id, 7, "/elsewhere")


def test_a_table_is_found_by_id_name_and_source(db: Session) -> None:
    deep = _lake(db, "sales/orders")[0]
    for ref in (deep.id, str(deep.id), "sales/orders", "lake/sales/orders"):
        assert tables.get_table(db, ref).id == deep.id
    other = _lake(db, "sales/orders", source="other")[0]
    assert tables.get_table(db, "other/sales/orders").id == other.id
    with pytest.raises(UsageError, match="lake/sales/orders, other/sales/orders"):
        tables.get_table(db, "sales/orders")


def test_a_table_that_is_not_there_has_its_neighbours_named(db: Session) -> None:
    _lake(db, "orders", "customers", "99")
    with pytest.raises(NotFound, match="did you mean customers"):
        tables.get_table(db, "custmers")
    with pytest.raises(NotFound, match="assay table list"):
        tables.get_table(db, "zzzzzzzz")
    assert tables.get_table(db, "99").name == "99"  # a name may look like an id
    with pytest.raises(NotFound):
        tables.get_table(db, "99999999999999999999")
    with pytest.raises(NotFound, match="did you mean lake"):
        sources.get_source(db, "lakes")
    with pytest.raises(NotFound) as raised:
        sources.get_source(db, "/data/my lake")
    assert "assay source add NAME '/data/my lake'" in raised.value.remedy


def test_columns_that_stay_keep_their_ids_and_tags(db: Session) -> None:
    table = _lake(db, "orders")[0]
    first = tables.set_columns(db, table.id, [["id", "long"], ["mail", "string"], ["old", "string"]])
    tags.put_table_tags(db, {one.id: [TagProposal("email", "E-mail", 1.0, 1.0, True, {})] for one in first}, 1)
    second = tables.set_columns(db, table.id, [["new", "date"], ["mail", "varchar(9)"], ["id", "long"]])
    assert [(one.name, one.type, one.position) for one in second] == [
        ("new", "date", 0),
        ("mail", "varchar(9)", 1),
        ("id", "long", 2),
    ]
    ids = {one.name: one.id for one in first}
    assert second[1].id == ids["mail"]
    assert second[2].id == ids["id"]
    assert set(db.exec(select(Tag.column_id))) == {ids["mail"], ids["id"]}
    assert tables.set_columns(db, table.id, []) == []
    assert db.exec(select(LakeColumn)).all() == []


def test_names_that_differ_in_case_only_are_two_columns(db: Session) -> None:
    table = _lake(db, "orders")[0]
    columns = tables.set_columns(
        db, table.id, [["a", "long"], ["A", "long"], ["ä", "long"], ["", "long"], ["a.b", "x"]]
    )
    assert [one.name for one in columns] == ["a", "A", "ä", "", "a.b"]
    assert tables.get_column(db, table.id, "A").id == columns[1].id
    with pytest.raises(NotFound, match=r"did you mean a\.b"):
        tables.get_column(db, table.id, "a.bb")


def test_profiles_are_kept_by_column_name(db: Session) -> None:
    table = _lake(db, "orders")[0]
    tables.set_columns(db, table.id, [["a", "long"], ["b", "long"]])
    tables.set_profile(db, table.id, {"b": {"nulls": 3, "mean": float("nan")}, "gone": {}})
    db.expire_all()
    assert [one.profile for one in tables.list_columns(db, table.id)] == [{}, {"nulls": 3, "mean": None}]


def test_an_error_stays_on_its_table_until_cleared(db: Session) -> None:
    good, bad, gone = _lake(db, "good", "bad", "gone")[::-1][0], *_lake(db, "bad", "gone")
    tables.mark_error(db, bad.id, CorruptLog("commit 7 is not JSON"))
    tables.mark_error(db, gone.id, TableVanished("no folder"))
    db.expire_all()
    assert (bad.status, bad.error_kind, bad.error) == ("error", "corrupt_log", "commit 7 is not JSON")
    assert "restore _delta_log from a backup" in (bad.remedy or ""), "nothing mends a log that cannot be read"
    assert gone.status == "vanished"
    assert good.status == "new"
    assert [uri for _, uri, _, _ in tables.watch_list(db)] == ["/lake/good"]  # no log was ever read of the bad one
    tables.update_table(db, bad.id, seen_version=7)
    assert [(uri, seen) for _, uri, seen, _ in tables.watch_list(db)] == [("/lake/bad", 7), ("/lake/good", -1)]
    tables.clear_error(db, bad.id)
    db.expire_all()
    assert (bad.status, bad.error_kind, bad.error, bad.remedy) == ("watched", None, None, None)


def test_lists_filter_count_sort_and_page(db: Session) -> None:
    orders, customers, empty = (_lake(db, "Orders", "customers", "empty_100%")[i] for i in (0, 1, 2))
    mail = tables.set_columns(db, customers.id, [["id", "long"], ["E_Mail", "string"]])[1]
    tables.set_columns(db, orders.id, [["id", "long"]])
    put_tags(db, mail.id, [TagProposal("email", "E-mail", 0.9, 1.0, True, {})], 1)
    rules.put_rules(db, orders.id, [Rule("schema", None, {}, 0.1, "s", "schema")], learners="schema", since_version=0)
    tables.update_table(db, orders.id, rows=10, status="watched")
    tables.update_table(db, customers.id, rows=20)

    def names(**filters: Any) -> list[str]:
        found = find_tables(db, TableFilter(**filters))
        assert found.total == len(found.items)
        return [item.table.name for item in found.items]

    assert sorted(names()) == ["Orders", "customers", "empty_100%"]
    assert names(text="ORD") == ["Orders"]
    assert names(text="e_mail") == ["customers"]
    assert names(text="%") == ["empty_100%"]
    assert names(text="lake/orders") == names(text="rders.id") == names(text="Lake/Orders.id") == ["Orders"]
    assert names(text="customers.e_mail") == ["customers"]
    assert names(text="orders.e_mail") == names(text="pond/orders") == names(text="/") == []
    (line,) = find_tables(db, TableFilter(text="customers.e_mail")).items
    assert line.matching == [(mail.id, "E_Mail")]
    assert find_tables(db, TableFilter(text="lake/customers")).items[0].matching == []
    assert table_facets(db, TableFilter(text="lake/orders.id"))["source"] == [(orders.source_id, "lake", 1)]
    assert find_rules(db, text="lake/orders").total == 1
    assert find_rules(db, text="pond/orders").total == 0
    assert names(status="watched") == ["Orders"]
    assert names(tag="email") == ["customers"]
    assert names(source=orders.source_id, sort="rows") == ["customers", "Orders", "empty_100%"]
    assert names(source=0) == []
    for order in ("name", "rows", "bytes", "changed", "incidents"):
        assert len(names(sort=order)) == 3
    with pytest.raises(UsageError, match="name, rows"):
        names(sort="colour")
    page = find_tables(db, TableFilter(sort="rows"), limit=1, offset=1)
    assert page.total == 3
    assert [(item.ref, item.columns, item.tags, item.rules, item.incidents) for item in page.items] == [
        ("lake/Orders", 1, [], 1, 0)
    ]
    tags.decide_tag(db, find_tags(db, limit=1000).items[0].Tag.id, "rejected", "ann", "made up")
    assert names(tag="email") == []
    assert empty.name == "empty_100%"


def test_removing_a_source_leaves_the_others(db: Session) -> None:
    orders = _lake(db, "orders")[0]
    other = _lake(db, "orders", source="other")[0]
    for table in (orders, other):
        column = tables.set_columns(db, table.id, [["id", "long"]])[0]
        put_tags(db, column.id, [TagProposal("email", "E-mail", 0.9, 1.0, True, {})], 1)
        rules.put_rules(
            db, table.id, [Rule("schema", None, {}, 0.1, "s", "schema")], learners="schema", since_version=0
        )
    sources.remove_source(db, orders.source_id)
    assert [item.ref for item in find_tables(db, TableFilter()).items] == ["other/orders"]
    assert len(find_rules(db, limit=1000).items) == len(find_tags(db, limit=1000).items) == 1


def test_a_table_is_gone_or_left_out_and_can_be_forgotten_then_only(db: Session) -> None:
    there, dropped, left_out = _lake(db, "a", "b", "tmp_c")
    column = tables.set_columns(db, left_out.id, [["id", "long"]])[0]
    put_tags(db, column.id, [TagProposal("email", "E-mail", 0.9, 1.0, True, {})], 1)
    tables.mark_error(db, left_out.id, CorruptLog("commit 7 is not JSON"))
    sources.mark_gone(db, there.source_id, {there.id}, lambda name: not name.startswith("tmp_"))
    db.expire_all()
    assert (there.status, dropped.status, left_out.status) == ("new", "vanished", "excluded")
    assert "assay table remove" in (dropped.remedy or "")
    assert (left_out.error_kind, left_out.error, left_out.remedy) == (None, None, None)
    assert tables.present(db) == [there.id]
    assert [one.table_id for one in tables.watch_list(db)] == [there.id]
    with pytest.raises(UsageError, match="lake/a is still under its source"):
        tables.forget_table(db, there.id)
    for gone in (dropped, left_out):
        tables.forget_table(db, gone.id)
    assert [item.ref for item in find_tables(db, TableFilter()).items] == ["lake/a"]
    assert find_tags(db).total == 0
    event = audit.find_events(db)[0]
    assert (event.kind, event.action, event.item, event.before["status"]) == (
        "table",
        "remove",
        "lake/tmp_c",
        "excluded",
    )


def test_totals_and_lists_of_rules_leave_out_tables_that_are_gone(db: Session) -> None:
    there, gone = _lake(db, "a", "b")
    for table in (there, gone):
        tables.set_columns(db, table.id, [["id", "long"]])
        tables.update_table(db, table.id, rows=10, bytes=100)
        rules.put_rules(
            db, table.id, [Rule("schema", None, {}, 0.1, "s", "schema")], learners="schema", since_version=0
        )
    sources.mark_gone(db, there.source_id, {there.id}, lambda _: True)
    told = totals(db)
    assert (told["tables"], told["columns"], told["rows"], told["bytes"], told["rules"]) == (
        2,
        1,
        10,
        100,
        {"active": 1},
    )
    assert find_rules(db).total == 1
    assert rule_counts(db)["status"] == {"active": 1}
    assert find_rules(db, table_id=gone.id).total == 1


def test_tables_keep_what_is_known_of_them_when_their_source_is_another_folder(db: Session) -> None:
    """The same address is the same table, whatever it is called from the new folder, and back again."""
    source = sources.add_source(db, "lake", "/lake")
    whole = [(name, f"/lake/{name}") for name in ("orders", "hist/orders", "hist/regions")]
    known = {table.name: table.id for table in sources.upsert_tables(db, source.id, whole)}
    asks = {"column": "id", "lacking": 0.0}
    demand = ReferenceRule(
        "reference", "region", asks, 0.1, "One of lake/hist/regions.id.", "ours", other="lake/hist/regions"
    )
    rules.put_rules(db, known["orders"], [demand], learners="ours", since_version=0)
    inner = [("orders", "/lake/hist/orders"), ("regions", "/lake/hist/regions")]
    assert sources.would_lose(db, source.id, inner) == ["orders"]

    found = {table.name: table.id for table in sources.upsert_tables(db, source.id, inner)}
    assert found == {"orders": known["hist/orders"], "regions": known["hist/regions"]}
    assert db.get_one(Table, known["orders"]).name == "orders (/lake/orders)"
    assert rules.active_rules(db, known["orders"])[0].sentence == "One of lake/regions.id."
    assert find_rules(db).items[0][0].body["other"] == "lake/regions"

    assert sources.would_lose(db, source.id, whole) == []
    assert {table.name: table.id for table in sources.upsert_tables(db, source.id, whole)} == known
    assert find_rules(db).items[0][0].body["other"] == "lake/hist/regions"


def test_tables_of_a_lake_that_moved_are_those_of_the_same_names(db: Session) -> None:
    first = _lake(db, "orders", "customers")
    moved = [("orders", "/new/orders"), ("stock", "/new/stock")]
    assert sources.would_lose(db, first[0].source_id, moved) == ["customers"]
    found = {table.name: (table.id, table.uri) for table in sources.upsert_tables(db, first[0].source_id, moved)}
    assert found["orders"] == (next(one.id for one in first if one.name == "orders"), "/new/orders")
