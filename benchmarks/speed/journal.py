"""What the journal of reports costs: the store's work of crawls with its triggers and without, in the same run.

    python -m benchmarks.speed.journal --tables 20 --json OUT

Two new catalogs are filled in turn, one with the triggers of `catalog.store.reports.journal`, one from which they were
taken: tables of twenty columns with a tag and two rules each are registered, tagged again with scores that hardly move,
judged for ten versions, half of their tags decided. Told are the ratios, by part, of the steps of SQLite's machine,
which are the same on every machine, and of the processor seconds of the process, beside the bytes that the journal
adds. Reading, folding and learning, of which most of a crawl is, touch no trigger and are left out: the ratio of a
whole crawl is nearer to one.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event
from sqlmodel import col, select

from catalog.rules.rule import Rule
from catalog.rules.verdict import PASSED, Verdict
from catalog.store.engine import make_engine, session, upgrade
from catalog.store.expectations import rules
from catalog.store.incidents import outcomes
from catalog.store.lake import sources, tables, versions
from catalog.store.meaning import review, tags
from catalog.store.models import Tag, now
from catalog.tags.proposal import TagProposal

COLUMNS, VERSIONS = 20, 10


class Work:
    """What was done in each part: thousands of steps of SQLite's machine, processor seconds."""

    def __init__(self) -> None:
        self.count = 0
        self.steps: dict[str, float] = {}
        self.seconds: dict[str, float] = {}

    def watch(self, connection: Any, _record: object) -> None:
        def step() -> None:
            self.count += 1

        connection.set_progress_handler(step, 1000)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        begun, count = time.process_time(), self.count
        yield
        self.seconds[name], self.steps[name] = time.process_time() - begun, self.count - count


def main(argv: list[str] | None = None) -> None:
    arguments = _arguments(argv)
    with_it, without = _round(arguments.tables, True), _round(arguments.tables, False)
    told: dict[str, Any] = {
        "tables": arguments.tables,
        "columns": COLUMNS,
        "steps": _ratios(with_it[0], without[0]),
        "seconds": _ratios(with_it[1], without[1]),
        "bytes": round(with_it[2] / without[2], 3),
    }
    print(json.dumps(told, indent=1))
    if arguments.json:
        arguments.json.write_text(json.dumps(told, indent=1))


def _ratios(with_it: dict[str, float], without: dict[str, float]) -> dict[str, float]:
    """By part, and of all together."""
    found = {name: round(with_it[name] / without[name], 3) for name in with_it}
    return found | {"all": round(sum(with_it.values()) / sum(without.values()), 3)}


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--json", type=Path, help="where to write the figures")
    return parser.parse_args(argv)


def _round(count: int, journal: bool) -> tuple[dict[str, float], dict[str, float], int]:
    """Steps in thousands and processor seconds by part, and bytes of the catalog's file."""
    with tempfile.TemporaryDirectory() as folder:
        return _filled(Path(folder), count, journal)


def _filled(folder: Path, count: int, journal: bool) -> tuple[dict[str, float], dict[str, float], int]:
    engine = make_engine(f"sqlite:///{folder / 'assay.db'}")
    upgrade(engine)
    if not journal:
        with engine.begin() as connection:
            made = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'trigger'").scalars().all()
            for name in (one for one in made if one.startswith("journal_")):
                connection.exec_driver_sql(f"DROP TRIGGER {name}")
    work = Work()
    engine.dispose()  # connections from here on are counted
    event.listen(engine, "connect", work.watch)
    with work.part("register"):
        ids = [_register(engine, number) for number in range(count)]
    with work.part("tag again"):
        for _, columns in ids:
            with session(engine) as db:
                tags.put_table_tags(db, {column: [_tag(0.971)] for column in columns}, 2)
    with work.part("judge"):
        for table_id, _ in ids:
            _judge(engine, table_id)
    with work.part("decide"), session(engine, actor="ann") as db:
        found = list(db.exec(select(Tag.id).order_by(col(Tag.id))))
        review.decide(db, found[::2], "accepted", "ann")
    engine.dispose()  # who closes the file last moves the rest of the log into it
    return work.steps, work.seconds, sum(path.stat().st_size for path in folder.glob("assay.db*"))


def _tag(score: float) -> TagProposal:
    return TagProposal("url", "Address of a page", score, 1.0, False, {"matching": ["https://example.org/a"]})


def _register(engine: Engine, number: int) -> tuple[int, list[int]]:
    with session(engine) as db:
        source = sources.add_source(db, "lake", "/lake") if number == 0 else sources.list_sources(db)[0]
        (table,) = sources.upsert_tables(db, source.id, [(f"table_{number}", f"/lake/table_{number}")])
        columns = tables.set_columns(db, table.id, [[f"col_{n}", "string"] for n in range(COLUMNS)])
        ids = [column.id for column in columns]
        tags.put_table_tags(db, {column: [_tag(0.97)] for column in ids}, 1)
        learned = [
            Rule(kind, f"col_{n}", {"bands": {"mean": [0.0, 1.0]}}, 0.001, "It keeps to this.", learner)
            for n in range(COLUMNS)
            for kind, learner in (("pattern", "fmdv"), ("history", "avh"))
        ]
        rules.put_rules(db, table.id, learned, learners=["fmdv", "avh"], since_version=0)
        return table.id, ids


def _judge(engine: Engine, table_id: int) -> None:
    for number in range(1, VERSIONS + 1):
        with session(engine) as db:
            told = {"number": number, "committed_at": now(), "batch": "snapshot"}
            versions.record_versions(db, table_id, [told])
            said = Verdict(PASSED, "It does.", {}, {})
            rows = [outcomes.outcome_row(table_id, number, row.id, said) for row in rules.active_rules(db, table_id)]
            outcomes.follow_up(db, outcomes.record_outcomes(db, rows))
            versions.mark_judged(db, table_id, number)


if __name__ == "__main__":
    main()
