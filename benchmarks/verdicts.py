"""Whether two releases learn the same rules of the demo's lake and say the same of its versions.

    python -m benchmarks.verdicts --home DIR --json OUT [--leave 2] [--against OUT_OF_ANOTHER_RELEASE]

A lake of fixed rows and dates is written into the folder, but for its last two days (an ordinary one, and one on which
three tables go wrong), and crawled; then each day arrives and is crawled, but for those to `--leave`: another release
goes on from there with the catalog as it finds it, and writes to it. Told are the fingerprints of the rules and of the
outcomes of each table. They are of what is demanded and found, not of the names under which a release keeps it: words,
bounds, tolerances and rates of every clause; status, words and figures of every outcome. Ends with 1 where they differ
from those of `--against`, and says which. Another release does it by this file, with its code first on the path:

    PYTHONPATH=OTHER python benchmarks/verdicts.py --home DIR --json OUT
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlmodel import Session, col, select

from catalog.demo.faults import FAULTS
from catalog.demo.lake import ShopLake
from catalog.demo.run import apart
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.reading.sources import add_source
from catalog.rules.clauses.clause import Clause
from catalog.settings import get_settings
from catalog.store.expectations.rules import as_rule
from catalog.store.lake import sources
from catalog.store.models import Outcome, RuleRow, Table

END = datetime(2026, 3, 2, 6, tzinfo=UTC)  # a Monday; any day would do
SOURCE = "shop"
#: What a clause is besides its words, under whatever name its kind is kept.
BOUNDS = ("accepted", "theta", "risk", "risks", "metric", "lag", "log", "center", "low", "high", "fpr")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True, help="folder of lake and catalog")
    parser.add_argument("--json", type=Path, required=True, help="where to write the fingerprints")
    parser.add_argument("--leave", type=int, default=0, help="days of the last two that do not arrive yet")
    parser.add_argument("--against", type=Path, help="what another release wrote")
    options = parser.parse_args(arguments)
    found = play(options.home.absolute(), options.leave)
    options.json.write_text(json.dumps(found, indent=1))
    print(json.dumps(found["totals"]))
    if options.against is None:
        return 0
    differ = differences(json.loads(options.against.read_text()), found)
    print("\n".join(differ) if differ else "rules and outcomes are equal")
    return int(bool(differ))


def play(home: Path, leave: int) -> dict[str, Any]:
    """Bring the lake to the day wanted, crawling each; what the catalog says then."""
    if not (home / "lake").exists():
        write(home)
    context = Context(apart(get_settings(), home / "catalog"))
    try:
        with context.reading() as session:
            known = [one.id for one in sources.list_sources(session)]
        if not known:
            known = [add_source(context, SOURCE, str(home / "lake")).id]
            crawl_source(context, known[0])
        held = sorted((home / "held").iterdir())
        for day in held[: max(len(held) - leave, 0)]:
            for file in day.rglob("*.json"):
                file.rename(home / "lake" / file.relative_to(day))
            shutil.rmtree(day)
            crawl_source(context, known[0])
        with context.reading() as session:
            return told(session)
    finally:
        context.close()


def write(home: Path) -> None:
    """The whole lake, with the commits of its last two days set aside."""
    lake = ShopLake(home / "lake", end=END)
    for _ in lake.write_history():
        pass
    held = []
    for number, versions in enumerate((lake.deliver(), lake.deliver(FAULTS))):
        for table, version in versions.items():
            name = f"{table}/_delta_log/{version:020d}.json"
            held.append((home / "lake" / name, home / "held" / str(number) / name))
    for commit, away in held:  # once all is written: a day's rows follow from the table as the day before left it
        away.parent.mkdir(parents=True)
        commit.rename(away)


def told(session: Session) -> dict[str, Any]:
    """What a catalog demands and found, by fingerprint."""
    names = dict(session.exec(select(Table.id, Table.name)).all())
    rules: dict[str, list[Any]] = defaultdict(list)
    of_rule = {}
    for row in session.exec(select(RuleRow)):
        of_rule[row.id] = [row.column_name, row.kind, row.learner, row.revision]
        rules[names[row.table_id]].append([*of_rule[row.id], row.status, row.level, demanded(row)])
    outcomes: dict[str, list[Any]] = defaultdict(list)
    for one in session.exec(select(Outcome).order_by(col(Outcome.version))):
        figures = [one.version, one.status, one.sentence, one.metric, one.value, one.low, one.high, one.rows]
        outcomes[names[one.table_id]].append([*of_rule[one.rule_id], *figures])
    counts = {"rules": sum(map(len, rules.values())), "outcomes": sum(map(len, outcomes.values()))}
    violated = sum(one[5] == "violated" for listed in outcomes.values() for one in listed)
    by_table = {
        name: {"rules": fingerprint(rules[name]), "outcomes": fingerprint(outcomes[name])} for name in sorted(rules)
    }
    whole = {what: fingerprint([one[what] for one in by_table.values()]) for what in ("rules", "outcomes")}
    return {"totals": {**counts, "violated": violated, "fingerprints": whole}, "tables": by_table}


def demanded(row: RuleRow) -> list[Any]:
    """What a rule demands: its words, its stated rate, and each clause with its bounds."""
    rule = as_rule(row)
    plain = {name: value for name, value in rule.params.items() if name != "clauses"}
    return [rule.sentence, rule.fpr, plain, [_clause(one) for one in rule.clauses]]


def _clause(clause: Clause) -> list[Any]:
    data = clause.to_json()
    return [clause.sentence(), *(data.get(name) for name in BOUNDS)]


def fingerprint(listed: Iterable[Any]) -> str:
    """SHA-256 (first 16 hex digits) of a list in no order.

    >>> fingerprint([["b", 1], ["a", 2.5]]) == fingerprint([["a", 2.5], ["b", 1]]) != fingerprint([["a", 2]])
    True
    """
    lines = sorted(json.dumps(one, sort_keys=True, default=str) for one in listed)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def differences(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """What two releases say differently, by table.

    >>> one, two = {"rules": "1", "outcomes": "2"}, {"rules": "1", "outcomes": "3"}
    >>> differences({"tables": {"a": one}}, {"tables": {"a": two, "b": one}})
    ['a: other outcomes', 'b: other rules', 'b: other outcomes']
    """
    return [
        f"{name}: other {what}"
        for name in sorted(before["tables"].keys() | now["tables"].keys())
        for what in ("rules", "outcomes")
        if before["tables"].get(name, {}).get(what) != now["tables"].get(name, {}).get(what)
    ]


if __name__ == "__main__":
    sys.exit(main())
