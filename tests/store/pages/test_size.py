"""A catalog of 600 tables, 9,000 columns and 20,000 rules stays quick. Counted in statements and in steps of SQLite's
machine, which are the same on every machine; the bounds are two to three times what it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event
from sqlmodel import Session

from catalog.rules.rule import Rule
from catalog.rules.verdict import PASSED, VIOLATED, Verdict
from catalog.store.engine import make_engine, session, upgrade
from catalog.store.expectations import rules
from catalog.store.incidents import outcomes
from catalog.store.lake import sources, tables, versions
from catalog.store.meaning import tags
from catalog.store.models import now
from catalog.store.pages import columns, home
from catalog.store.pages import rules as rule_pages
from catalog.store.pages import tables as table_pages
from catalog.store.pages.tables import TableFilter
from catalog.tags.proposal import TagProposal

pytestmark = pytest.mark.slow
TABLES, COLUMNS, VERSIONS, JUDGED = 600, 15, 10, 2
LEARNERS = ("fmdv", "avh", "schema")
PARAMS = {"program": [["digits", 4]] * 20, "bands": {name: [0.0, 1.0] for name in "abcdefgh"}}


class Work:
    """What the database did: statements, and steps of SQLite's machine in thousands."""

    def __init__(self) -> None:
        self.statements = self.steps = 0

    def count(self) -> None:
        self.steps += 1


@contextmanager
def _within(db: Session, *, statements: int, steps: int) -> Iterator[None]:
    work = Work()

    def began(*_: object) -> None:
        work.statements += 1

    raw = db.connection().connection.driver_connection
    assert raw is not None
    raw.set_progress_handler(work.count, 1000)
    event.listen(db.get_bind(), "before_cursor_execute", began)
    try:
        yield
        db.flush()
    finally:
        event.remove(db.get_bind(), "before_cursor_execute", began)
        raw.set_progress_handler(None, 0)
    told = f"{work.statements} statements, {work.steps},000 steps"
    assert (work.statements <= statements, work.steps <= steps) == (True, True), told


def _rules() -> list[Rule]:
    of_columns = [
        Rule(kind, f"col_{n}", PARAMS, 0.001, "The column keeps to this and that.", learner, {"why": ["so"] * 20})
        for n in range(COLUMNS)
        for kind, learner in (("pattern", "fmdv"), ("history", "avh"))
    ]
    of_table = [Rule(kind, None, PARAMS, 0.001, "It stays.", "schema") for kind in ("schema", "volume", "freshness")]
    return of_columns + of_table


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The catalog, filled by what a crawl calls; filling it has bounds too."""
    engine = make_engine(f"sqlite:///{tmp_path_factory.mktemp('large') / 'assay.db'}")
    upgrade(engine)
    schema = [[f"col_{n}", "string"] for n in range(COLUMNS)]
    with session(engine) as db:
        source = sources.add_source(db, "lake", "/lake")
        names = [(f"sales/t{n:04d}", f"/lake/{n}") for n in range(TABLES)]
        ids = [table.id for table in sources.upsert_tables(db, source.id, names)]
    with session(engine) as db, _within(db, statements=3_600, steps=2_000):
        found = {key: tables.set_columns(db, key, schema) for key in ids}
    with session(engine) as db, _within(db, statements=8_400, steps=6_000):
        for key in ids:
            rules.put_rules(db, key, _rules(), learners=LEARNERS, since_version=0)
    with session(engine) as db, _within(db, statements=11_000, steps=18_000):
        for key in ids:
            proposed = [TagProposal(f"domain_{n % 60}", "A domain", 0.9, 1.0, n % 7 == 0, {}) for n in range(COLUMNS)]
            tags.put_table_tags(db, {one.id: [tag] for one, tag in zip(found[key], proposed, strict=True)}, 1)
    with session(engine) as db:
        for key in ids:
            known = [
                {"number": n, "committed_at": now() - timedelta(hours=n), "batch": "snapshot"} for n in range(VERSIONS)
            ]
            versions.record_versions(
                db, key, [{**one, "metrics": bytes(2000), "schema_columns": schema} for one in known]
            )
            versions.put_file_states(db, [(key, f"part-{n}", 1000, 10**6, bytes(4000)) for n in range(VERSIONS)])
            _judge(db, key)
    yield engine
    engine.dispose()


def _judge(db: Session, table_id: int) -> None:
    said = [
        outcomes.outcome_row(table_id, number, row.id, Verdict(VIOLATED if row.id % 700 == 1 else PASSED, "So."))
        for number in range(JUDGED)
        for row in rules.active_rules(db, table_id)
    ]
    for one in outcomes.record_outcomes(db, said):
        if one.status == VIOLATED:
            outcomes.open_or_update_incident(db, one)


NARROW = TableFilter(tag="domain_7", sensitive=True, open=True)

#: Name, query, statements and thousands of steps that it may take.
QUERIES: dict[str, tuple[Callable[[Session], Any], int, int]] = {
    "navigation": (home.navigation, 4, 10),
    "totals": (home.totals, 34, 1060),
    "days": (home.daily_outcomes, 28, 26),
    "tables": (lambda db: table_pages.find_tables(db, TableFilter()), 14, 110),
    "search": (lambda db: table_pages.find_tables(db, TableFilter(text="sales col domain_7")), 16, 1202),
    "search for nothing": (lambda db: table_pages.find_tables(db, TableFilter(text="zz yy xx")), 16, 738),
    "filters": (
        lambda db: table_pages.find_tables(db, NARROW),
        14,
        262,
    ),
    "facets": (lambda db: table_pages.table_facets(db, TableFilter(text="sales col_7")), 8, 1254),
    "columns": (lambda db: columns.columns_of(db, 300), 10, 14),
    "domains": (columns.find_domains, 2, 680),
    "columns of a domain": (lambda db: columns.find_tags(db, domain="domain_7"), 4, 46),
    "rules": (lambda db: rule_pages.list_rules(db), 10, 848),
    "last page of rules": (lambda db: rule_pages.find_rules(db, offset=19_700), 6, 924),
    "rules of a table": (lambda db: rule_pages.find_rules(db, table_id=300, charted=True), 6, 14),
    "outcomes": (lambda db: rule_pages.find_outcomes(db), 4, 330),
    "versions": (lambda db: table_pages.versions_of(db, 300), 6, 12),
    "series": (lambda db: versions.metric_series(db, 300, "snapshot"), 2, 10),
    "watch list": (tables.watch_list, 2, 22),
}


@pytest.mark.parametrize("name", QUERIES)
def test_a_page_is_quick_on_a_large_catalog(large: Engine, name: str) -> None:
    query, statements, steps = QUERIES[name]
    with session(large, write=False) as db, _within(db, statements=statements, steps=steps):
        assert query(db) is not None


def test_learning_one_table_again_is_quick(large: Engine) -> None:
    with session(large) as db, _within(db, statements=12, steps=20):
        kept = rules.put_rules(db, 300, _rules(), learners=LEARNERS, since_version=1)
    assert kept.kept == 2 * COLUMNS + 3


def test_a_large_catalog_is_a_small_file(large: Engine) -> None:
    path = Path(str(large.url.database))
    assert path.stat().st_size < 250e6
