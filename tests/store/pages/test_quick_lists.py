"""The lists of the command line, read through the driver alone, are those that a session gives."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from singly import put_tags, upsert_table
from sqlalchemy import Engine, text
from sqlmodel import Session, select

from catalog.rules.rule import Rule
from catalog.rules.verdict import VIOLATED, Verdict
from catalog.store.access import owners, people
from catalog.store.driver import quick, quick_people
from catalog.store.engine import session
from catalog.store.expectations import rules
from catalog.store.glossary import terms
from catalog.store.incidents import outcomes
from catalog.store.lake import sources, tables
from catalog.store.models import ApiToken, Source, Table, User
from catalog.store.pages import work
from catalog.store.pages.tables import TableFilter, find_tables
from catalog.store.schemas.incidents import IncidentOut
from catalog.store.schemas.lake import TableOut
from catalog.store.schemas.listing import listing
from catalog.tags.proposal import TagProposal

FILTERS: list[dict[str, Any]] = [
    *(
        {},
        {"text": "orders mail"},
        {"text": "e-mail cust"},
        {"text": "ORD"},
        {"text": "e_mail"},
        {"text": "%"},
        {"text": "/"},
        {"text": "lake/orders"},
        {"text": "omers.e_m"},
        {"text": "lake/customers.E_Mail orders"},
        {"text": "pond/customers"},
        {"status": "watched"},
    ),
    *({"tag": "email"}, {"source": "lake"}, {"source": "none"}, {"limit": 1}, {"text": "nothing of the kind"}),
]


@pytest.fixture
def lake(engine: Engine) -> None:
    """Four tables of two sources, one with a tag, two with open incidents, one of them a detail of the other."""
    with session(engine) as db:
        first, other = sources.add_source(db, "lake", "/lake"), sources.add_source(db, "pond", "/pond")
        mine = sources.upsert_tables(db, first.id, [(n, "/" + n) for n in ("Orders", "customers", "empty_100%/x")])
        upsert_table(db, other.id, "Orders", "/pond/Orders")
        tables.update_table(
            db, mine[0].id, rows=10, status="watched", changed_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
        )
        mail = tables.set_columns(db, mine[1].id, [["id", "long"], ["E_Mail", "string"]])[1]
        put_tags(db, mail.id, [TagProposal("email", "E-mail", 0.9, 1.0, True, {})], 1)
        demands = [Rule("schema", name, {}, 0.1, "s", "schema") for name in (None, "a", "b", "c")]
        rules.put_rules(db, mine[0].id, demands, learners="schema", since_version=0)
        broken = Verdict(VIOLATED, "A column is gone: ŭ.", value=0.5)
        told = [outcomes.outcome_row(mine[0].id, 1, row.id, broken) for row in rules.active_rules(db, mine[0].id)]
        found = [outcomes.open_or_update_incident(db, one)[0] for one in outcomes.record_outcomes(db, told)]
        found[0].cause, found[0].columns, found[0].diagnosis = "unit", ["a", "b"], {"undo": "divide by 100"}
        found[1].lead_id, found[2].level = found[0].id, "warning"
        outcomes.resolve(db, found[3].id, "MissingData", actor="ann")


@pytest.mark.parametrize("owner", ["unowned", "ann", "bob"])
def test_tables_of_owners_of_whom_one_has_left(engine: Engine, url: str, lake: None, owner: str) -> None:
    with session(engine) as db:
        db.add(User(name="ann", role="author", active=False))
        for source, name in (("lake", "bob"), ("pond", "ann")):
            db.exec(select(Source).where(Source.name == source)).one().owner = name
        db.exec(select(Table).where(Table.name == "customers")).one().owner = "ann"
    with quick.connect(url) as ask, session(engine, write=False) as db:
        assert ask is not None
        there = [line.table.id for line in find_tables(db, TableFilter(owner=owner)).items]
        assert [line.table.id for line in quick.find_tables(ask, owner=owner).items] == there
        assert len(there) == {"unowned": 1, "ann": 2, "bob": 3}[owner]


@pytest.mark.parametrize("asked", FILTERS, ids=str)
def test_tables(engine: Engine, url: str, lake: None, asked: dict[str, Any]) -> None:
    asked = {"limit": 1000} | asked
    with quick.connect(url) as ask, session(engine, write=False) as db:
        assert ask is not None
        known = {one.name: one.id for one in sources.list_sources(db)}
        of = {"source": known.get(asked["source"], 0)} if "source" in asked else {}
        words = {name: asked[name] for name in ("text", "status", "tag") if name in asked}
        there = find_tables(db, TableFilter(**words, **of), asked["limit"])
        found = quick.find_tables(ask, **asked)
        assert listing(found, TableOut.of) == listing(there, TableOut.of)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        *[(one, ["Ünï/çödé"]) for one in ("ÜNÏ/çödé", "ünï", "uni/code")],
        *[(one, ["nfc/café", "nfd/cafe\N{COMBINING ACUTE ACCENT}"]) for one in ("café", "CAFE", "cafe\u0301")],
        *[(one, ["straße/Müller"]) for one in ("muller", "STRASSE", "straße/müll", "uller")],
        *[(one, ["lojas/São_Paulo"]) for one in ("sao_paulo", "SÃO", "lojas/sao")],
        ("sao%paulo", []),
    ],
)
def test_names_are_found_in_any_case_with_accents_or_without(
    engine: Engine, url: str, text: str, wanted: list[str]
) -> None:
    names = ["Ünï/çödé", "nfc/café", "nfd/cafe\N{COMBINING ACUTE ACCENT}", "lojas/São_Paulo", "straße/Müller"]
    with session(engine) as db:
        source = sources.add_source(db, "quelle", "/lake")
        made = sources.upsert_tables(db, source.id, [(name, "/" + name) for name in names])
        terms.add_term(db, "Verkäufe", "São Paulo", actor="local")
        assert len(made) == len(names)
    with quick.connect(url) as ask, session(engine, write=False) as db:
        assert ask is not None
        told = [line.table.name for line in find_tables(db, TableFilter(text=text)).items]
        assert told == [line.table.name for line in quick.find_tables(ask, text=text).items]
        assert sorted(told) == sorted(wanted)
        assert [one.name for one in terms.list_terms(db, "verkaufe")] == ["Verkäufe"]


@pytest.mark.parametrize("every", [True, False])
@pytest.mark.parametrize("name", ["", "lake/Orders", "customers"])
def test_incidents(engine: Engine, url: str, lake: None, every: bool, name: str) -> None:
    with quick.connect(url) as ask, session(engine, write=False) as db:
        assert ask is not None
        key = tables.get_table(db, name).id if name else None
        there = work.find_incidents(db, status="" if every else "open", table_id=key, limit=1000)
        lines = work.incident_lines(db, there.items)
        assert bool(lines) == (name != "customers")
        assert not name or quick.table_ids(ask, name) == [key]
        found = quick.find_incidents(ask, every=every, table_id=key)
        assert [IncidentOut.of(one) for one in found.items] == [IncidentOut.of(one) for one in lines]
        assert [one.ref for one in found.items] == [one.ref for one in lines]
        assert found.total == there.total


def test_what_takes_more_than_reading_goes_through_a_session(engine: Engine, url: str, tmp_path: Path) -> None:
    def plain(address: str = url) -> bool:
        with quick.connect(address) as ask:
            return ask is not None

    assert plain()
    assert not plain(f"sqlite:///{tmp_path / 'none.db'}")
    assert not plain("postgresql://nobody@127.0.0.1:1/none")
    assert not (tmp_path / "none.db").exists()
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    assert not plain()  # has to be migrated
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :now"), {"now": quick.newest_revision()})
    assert plain()


@pytest.mark.parametrize("owner", ["ann", "sales", "bob", "nobody", "unowned", "mine"])
def test_owners(engine: Engine, url: str, lake: None, owner: str) -> None:
    """Of tables, of their sources, of columns, and of teams: what a session finds."""
    with session(engine) as db:
        table = tables.get_table(db, "lake/Orders")
        owners.set_owner(db, "table", table.id, "ann", actor="local")
        owners.set_owner(db, "source", tables.get_table(db, "pond/Orders").source_id, "sales", actor="local")
        column = tables.list_columns(db, tables.get_table(db, "customers").id)[0]
        owners.set_owner(db, "column", column.id, "bob", actor="local")
        owners.set_team(db, "sales", ["ann", "joe"], actor="local")
    with quick.connect(url) as ask, session(engine, write=False) as db:
        assert ask is not None
        who = quick_people.names_of(ask, "ann")
        assert who == owners.names_of(db, "ann") == ("ann", "sales")
        there = find_tables(db, TableFilter(owner=owner, who=who), 1000)
        assert len(there.items) == {"ann": 1, "sales": 1, "bob": 1, "nobody": 0, "unowned": 2, "mine": 2}[owner]
        found = quick.find_tables(ask, owner=owner, who=who)
        assert listing(found, TableOut.of) == listing(there, TableOut.of)
        broken = work.find_incidents(db, status="open", owner=owner, who=who, limit=1000)
        lines = work.incident_lines(db, broken.items)
        listed = quick.find_incidents(ask, owner=owner, who=who)
        assert [IncidentOut.of(one) for one in listed.items] == [IncidentOut.of(one) for one in lines]
        assert quick.find_incidents(ask, owner=owner, who=who, limit=1).total == broken.total


def test_who_asks(engine: Engine, url: str) -> None:
    """Whoever is here while nobody has an account; else whose token it is, unless it is over, revoked or his account
    is."""

    def name(secret: str = "") -> str | None:
        with quick.connect(url) as ask:
            assert ask is not None
            return quick_people.name_of(ask, secret, "local:me")

    assert name() == name("anything") == "local:me"
    with session(engine) as db:
        user = people.add_user(db, "ann", "a long password", "admin", actor="local")
        token, secret = people.make_token(db, user, "laptop", scope="viewer", days=1, actor="ann")
        over, old = people.make_token(db, user, "old", scope="viewer", days=1, actor="ann")
        over.expires_at = datetime(2026, 1, 1, tzinfo=UTC)
        key = token.id
    assert (name(), name("wrong"), name("\udcff"), name(old), name(secret)) == (None, None, None, None, "ann")
    with session(engine) as db:
        db.get_one(User, user.id).active = False
    assert name(secret) is None
    with session(engine) as db:
        db.get_one(User, user.id).active = True
        db.get_one(ApiToken, key).revoked_at = datetime(2026, 1, 1, tzinfo=UTC)
    assert name(secret) is None


def test_names_that_are_no_text_find_nothing(db: Session, url: str, lake: None) -> None:
    with quick.connect(url) as ask:
        assert ask is not None
        assert quick.find_tables(ask, text="\udcff").items == []
