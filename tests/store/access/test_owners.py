"""Owners: named, inherited downwards, defaulted, counted, taken back."""

from __future__ import annotations

import pytest
from singly import upsert_table
from sqlmodel import Session

from catalog.errors import UsageError
from catalog.roles import ROLES, Identity
from catalog.store.access import audit, owners, people
from catalog.store.access.owners import Owner, owner_of, set_owner
from catalog.store.access.undo import undo
from catalog.store.lake import sources, tables
from catalog.store.pages.tables import TableFilter, find_tables, table_facets

PASSWORD = "correct horse battery"  # noqa: S105 - of nobody
ANN = Identity("ann", ROLES["author"], "author")


@pytest.fixture
def lake(db: Session) -> dict[str, int]:
    """Two sources: shop with orders (id, mail) and stock, web with clicks."""
    ids = {}
    for source, names in (("shop", ("orders", "stock")), ("web", ("clicks",))):
        ids[source] = sources.add_source(db, source, f"/{source}").id
        for name in names:
            ids[name] = upsert_table(db, ids[source], name, f"/{source}/{name}").id
    for column in tables.set_columns(db, ids["orders"], [["id", "bigint"], ["mail", "string"]]):
        ids[f"orders.{column.name}"] = column.id
    return ids


def test_what_has_no_owner_belongs_to_that_of_what_holds_it(db: Session, lake: dict[str, int]) -> None:
    mail = ("column", lake["orders.mail"])
    assert owner_of(db, *mail) == Owner(None)
    assert owner_of(db, *mail).unowned
    owners.set_default_owner(db, "platform", actor="ann")
    assert owner_of(db, *mail) == Owner("platform", "default")
    assert owner_of(db, *mail).unowned  # somebody answers, nobody was named
    for kind, key, name in (("source", "shop", "sales"), ("table", "orders", "bob"), ("column", "orders.mail", "dpo")):
        set_owner(db, kind, lake[key], name, actor="ann")
        assert owner_of(db, *mail) == Owner(name, kind)
    assert owner_of(db, "column", lake["orders.id"]) == Owner("bob", "table")
    assert owner_of(db, "table", lake["stock"]) == Owner("sales", "source")
    assert owner_of(db, "table", lake["clicks"]) == Owner("platform", "default")
    assert set_owner(db, *mail, "  ", actor="ann") == Owner("bob", "table")
    assert owners.owner_of_columns(db, lake["orders"], ["id", "mail"]) == Owner("bob", "table")


def test_lists_are_filtered_by_owner(db: Session, lake: dict[str, int]) -> None:
    def found(owner: str, *who: str) -> list[str]:
        return [line.table.name for line in find_tables(db, TableFilter(owner=owner, who=who)).items]

    set_owner(db, "source", lake["shop"], "sales", actor="ann")
    set_owner(db, "table", lake["stock"], "bob", actor="ann")
    set_owner(db, "column", lake["orders.mail"], "dpo", actor="ann")
    owners.set_team(db, "sales", ["bob", "cid"], actor="ann")
    assert owners.names_of(db, "bob") == ("bob", "sales")
    assert found("unowned") == ["clicks"]
    assert found("mine", *owners.names_of(db, "bob")) == ["orders", "stock"]
    assert found("mine", *owners.names_of(db, "eve")) == []
    assert found("dpo") == ["orders"]  # for a column of it
    assert [item.table.name for item in find_tables(db, TableFilter(owner="sales")).items] == ["orders"]
    assert owners.count_unowned(db) == 1
    facet = table_facets(db, TableFilter(who=owners.names_of(db, "bob")))["owner"]
    assert facet == [("mine", "mine", 2), ("unowned", "unowned", 1), ("bob", "bob", 1), ("sales", "sales", 1)]
    listed = {one["owner"]: (one["tables"], one["sources"], one["columns"]) for one in owners.owners(db)}
    assert listed == {"bob": (1, 0, 0), "dpo": (0, 0, 1), "sales": (1, 1, 0)}


def test_an_owner_is_written_down_and_taken_back(db: Session, lake: dict[str, int]) -> None:
    set_owner(db, "table", lake["orders"], "bob", actor="ann", reason="he wrote the job")
    set_owner(db, "table", lake["orders"], "bob", actor="eve")  # changes nothing: no event
    event = audit.find_events(db)[0]
    assert (event.actor, event.action, event.kind, event.item) == ("ann", "own", "table", "shop/orders")
    assert (event.before, event.after, event.reason) == ({"owner": None}, {"owner": "bob"}, "he wrote the job")
    undo(db, event.id, by=ANN, false_alarm_budget=1.0)
    assert owner_of(db, "table", lake["orders"]) == Owner(None)
    set_owner(db, "source", lake["shop"], "sales", actor="ann")
    sources.remove_source(db, lake["shop"])
    undo(db, audit.find_events(db)[0].id, by=Identity("root", ROLES["admin"], "admin"), false_alarm_budget=1.0)
    assert owner_of(db, "source", sources.get_source(db, "shop").id) == Owner("sales", "source")


@pytest.mark.parametrize("name", ["mine", "Unowned", "x" * 101, "a\u202eb", "\ud800"])
def test_a_name_that_cannot_be_one_is_refused(db: Session, lake: dict[str, int], name: str) -> None:
    with pytest.raises(UsageError):
        set_owner(db, "table", lake["orders"], name, actor="ann")


def test_who_was_locked_out_answers_for_nothing(db: Session, lake: dict[str, int]) -> None:
    """What he owned falls to the owner of what holds it, and counts as unowned where there is none."""
    people.add_user(db, "root", PASSWORD, "admin", actor="root")
    bob = people.add_user(db, "bob", PASSWORD, "author", actor="root")
    people.add_user(db, "cid", PASSWORD, "author", actor="root")
    for kind, key, name in (("table", "orders", "bob"), ("table", "clicks", "bob"), ("source", "shop", "cid")):
        set_owner(db, kind, lake[key], name, actor="root")
    owners.set_team(db, "web", ["bob"], actor="root")
    assert owners.count_unowned(db) == 0
    people.set_active(db, bob.id, False, actor="root")
    assert owner_of(db, "table", lake["orders"]) == Owner("cid", "source")
    assert owner_of(db, "table", lake["clicks"]) == Owner(None)
    assert owners.owner_of_columns(db, lake["orders"], ["mail"]) == Owner("cid", "source")
    assert owners.count_unowned(db) == 1

    def found(owner: str, *who: str) -> list[str]:
        return [line.table.name for line in find_tables(db, TableFilter(owner=owner, who=who)).items]

    assert found("unowned") == ["clicks"]
    assert found("bob") == ["clicks", "orders"]  # what somebody else has to be named for
    assert found("mine", "cid") == ["orders", "stock"]
    left = {one["owner"]: (one["tables"], one["gone"]) for one in owners.owners(db)}
    assert left == {"bob": (2, True), "cid": (1, False), "web": (0, True)}
    for name in (
        lambda: set_owner(db, "table", lake["stock"], "bob", actor="root"),
        lambda: owners.set_default_owner(db, "bob", actor="root"),
    ):
        with pytest.raises(UsageError, match="bob is locked out and would answer for nothing"):
            name()
    assert set_owner(db, "table", lake["orders"], "bob", actor="root") == Owner("cid", "source")  # as it was
    people.set_active(db, bob.id, True, actor="root")
    assert owner_of(db, "table", lake["clicks"]) == Owner("bob", "table")


def test_a_source_comes_back_whose_owner_was_locked_out_since(db: Session, lake: dict[str, int]) -> None:
    people.add_user(db, "root", PASSWORD, "admin", actor="root")
    bob = people.add_user(db, "bob", PASSWORD, "author", actor="root")
    set_owner(db, "source", lake["shop"], "bob", actor="root")
    sources.remove_source(db, lake["shop"])
    removed = audit.find_events(db, limit=1)[0]
    people.set_active(db, bob.id, False, actor="root")
    undo(db, removed.id, by=Identity("root", ROLES["admin"], "admin"), false_alarm_budget=1.0)
    assert sources.get_source(db, "shop").owner is None


def test_a_team_and_a_person_never_have_one_name(db: Session, lake: dict[str, int]) -> None:
    """What the team owns would be the person's, and nobody's when the person is locked out."""
    people.add_user(db, "root", PASSWORD, "admin", actor="root")
    people.add_user(db, "bob", PASSWORD, "author", actor="root")
    owners.set_team(db, "sales", ["bob"], actor="root")
    for enter in (
        lambda: people.add_user(db, "sales", PASSWORD, "author", actor="root"),
        lambda: people.come_in(db, "https://id.example 7", "sales", "viewer"),
    ):
        with pytest.raises(UsageError, match="sales is the name of a team"):
            enter()
    with pytest.raises(UsageError, match="bob is the name of a person"):
        owners.set_team(db, "bob", ["root"], actor="root")
    owners.set_team(db, "sales", [], actor="root")
    people.add_user(db, "sales", PASSWORD, "author", actor="root")
