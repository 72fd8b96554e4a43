"""Decisions about clauses: what they make of a rule, that they outlive learning, that every revision is kept."""

from __future__ import annotations

import pytest
from singly import upsert_table
from sqlmodel import Session

from catalog.errors import UsageError
from catalog.rules.clauses.clause import Difference, count_changes
from catalog.rules.rule import Rule
from catalog.store.expectations import clauses, rules
from catalog.store.expectations.clauses import decide_clause
from catalog.store.lake import sources, tables
from catalog.store.models import RuleRow, Table
from catalog.store.pages.rules import find_rules

MEAN = {"metric": "mean", "lag": 0, "log": False, "center": 5.0, "low": 4.0, "high": 6.0, "fpr": 0.0005}
NULLS = {"metric": "complete_ratio", "lag": 0, "log": False, "center": 1.0, "low": 0.99, "high": 1.01, "fpr": 0.0005}
SHAPE = {"kind": "shape", "accepted": ["AA00"], "theta": 0.0, "risk": 0.006, "words": "every value is two capitals"}
SIGNS = {"kind": "charset", "accepted": ["0A"], "theta": 0.0, "risk": 0.004, "words": "every value is made of digits"}


def history(*found: dict) -> Rule:
    return Rule("history", "price", {"clauses": list(found)}, 0.001, "Column 'price' stays: x.", "avh", {"batches": 9})


def strings(*found: dict) -> Rule:
    return Rule("pattern", "sku", {"clauses": list(found), "rows": 100}, 0.01, "x.", "strings")


@pytest.fixture
def table(db: Session) -> Table:
    table = upsert_table(db, sources.add_source(db, "lake", "/lake").id, "orders", "/lake/orders")
    tables.update_table(db, table.id, judged_version=7)
    rules.put_rules(db, table.id, [history(MEAN, NULLS)], learners="avh", since_version=3)
    rules.put_rules(db, table.id, [strings(SHAPE, SIGNS)], learners="strings", since_version=3)
    return table


def current(db: Session, table: Table, column: str = "price") -> RuleRow:
    (item,) = find_rules(db, table_id=table.id, column=column, limit=1000).items
    return item.RuleRow


def changes(db: Session, row: RuleRow) -> list[Difference]:
    """What the latest revision changed of the one before."""
    new, old = (rules.as_rule(one) for one in rules.revisions(db, row)[:2])
    return new.compare(old)


def metrics(row: RuleRow) -> list[str]:
    return [clause.get("metric") or clause["kind"] for clause in row.body["params"]["clauses"]]


def test_a_rejected_clause_is_left_out_whatever_is_learned_since(db: Session, table: Table) -> None:
    row = decide_clause(db, current(db, table).id, "mean", "rejected", actor="ann")
    assert (row.revision, metrics(row), row.since_version) == (2, ["complete_ratio"], 7)
    assert row.fpr == pytest.approx(0.0005, rel=1e-3)
    assert row.sentence == "Column 'price' stays: at most 1% of the rows are null."
    rules.put_rules(db, table.id, [history({**MEAN, "high": 6.5}, NULLS)], learners="avh", since_version=9)
    assert metrics(current(db, table)) == ["complete_ratio"]
    assert current(db, table).revision == 2  # the program in force is the same: no new revision
    lines = clauses.clause_lines(db, current(db, table))
    assert [(line.key, line.in_force) for line in lines] == [("complete_ratio", True), ("mean", False)]
    row = decide_clause(db, current(db, table).id, "mean", "undo", actor="ann")
    assert sorted(metrics(row)) == ["complete_ratio", "mean"]
    assert next(c for c in row.body["params"]["clauses"] if c["metric"] == "mean")["high"] == 6.5
    assert [(one.what, one.clause) for one in rules.events(db, row)] == [("undone", "mean"), ("rejected", "mean")]


def test_a_loosened_clause_is_wider_than_what_is_learned(db: Session, table: Table) -> None:
    row = decide_clause(db, current(db, table).id, "mean", "loosened", actor="ann")
    row = decide_clause(db, row.id, "mean", "loosened", actor="ann")
    mean = row.body["params"]["clauses"][0]
    assert (mean["low"], mean["high"]) == (1.0, 9.0)
    rules.put_rules(db, table.id, [history({**MEAN, "high": 7.0}, NULLS)], learners="avh", since_version=9)
    assert current(db, table).body["params"]["clauses"][0]["high"] == 13.0
    assert count_changes(changes(db, row)) == {"loosened": 1}


def test_an_accepted_clause_stays_as_it_is(db: Session, table: Table) -> None:
    row = decide_clause(db, current(db, table).id, "mean", "accepted", actor="ann")
    assert row.revision == 1
    rules.put_rules(db, table.id, [history(NULLS)], learners="avh", since_version=9)
    assert sorted(metrics(current(db, table))) == ["complete_ratio", "mean"]
    rules.put_rules(db, table.id, [history({**MEAN, "high": 60.0}, NULLS)], learners="avh", since_version=9)
    assert current(db, table).body["params"]["clauses"][0]["high"] == 6.0


def test_strings_tolerate_more_when_loosened(db: Session, table: Table) -> None:
    row = decide_clause(db, current(db, table, "sku").id, "shape", "loosened", actor="ann", factor=4.0)
    shape = row.body["params"]["clauses"][0]
    assert shape["theta"] == 0.01
    assert shape["words"].endswith("; at most 1% others")
    assert row.sentence.startswith(shape["words"])
    row = decide_clause(db, row.id, "shape", "paused", actor="ann")
    assert metrics(row) == ["charset"]


def test_what_cannot_be_decided_is_refused(db: Session, table: Table) -> None:
    row = current(db, table)
    for clause, action, factor, words in (
        ("median", "rejected", 2.0, "no clause 'median'"),
        ("mean", "praised", 2.0, "cannot be 'praised'"),
        ("mean", "loosened", 0.5, "cannot be loosened 0.5 times"),
        ("mean", "undo", 2.0, "nothing was decided"),
    ):
        with pytest.raises(UsageError, match=words):
            decide_clause(db, row.id, clause, action, actor="ann", factor=factor)
    newer = decide_clause(db, row.id, "mean", "rejected", actor="ann")
    with pytest.raises(UsageError, match="last clause"):
        decide_clause(db, newer.id, "complete_ratio", "rejected", actor="ann")
    with pytest.raises(UsageError, match="old revision") as error:
        decide_clause(db, row.id, "mean", "paused", actor="ann")
    assert error.value.remedy == f"decide on rule {newer.id}, which stands now"
    assert [one.decision for one in clauses.clause_lines(db, row)] == [None, None], "it was decided after this revision"
    assert [one.decision and one.decision.action for one in clauses.clause_lines(db, newer)] == [None, "rejected"]
    with pytest.raises(UsageError, match="left out"):
        decide_clause(db, newer.id, "mean", "accepted", actor="ann")


def test_a_rule_whose_clauses_are_all_left_out_is_not_demanded(db: Session, table: Table) -> None:
    decide_clause(db, current(db, table).id, "mean", "rejected", actor="ann")
    rules.put_rules(db, table.id, [history(MEAN)], learners="avh", since_version=9)
    assert find_rules(db, table_id=table.id, column="price", limit=1000).items == []
    rules.put_rules(db, table.id, [history(MEAN, NULLS)], learners="avh", since_version=10)
    assert metrics(current(db, table)) == ["complete_ratio"]


def test_every_revision_is_kept_newest_first(db: Session, table: Table) -> None:
    for high in (7.0, 8.0):
        rules.put_rules(db, table.id, [history({**MEAN, "high": high}, NULLS)], learners="avh", since_version=9)
    assert [one.revision for one in rules.revisions(db, current(db, table))] == [3, 2, 1]


def test_removing_a_table_takes_its_decisions_along(db: Session, table: Table) -> None:
    decide_clause(db, current(db, table).id, "mean", "rejected", actor="ann")
    tables.remove_table(db, table.id)
    assert rules.clause_decisions(db, table.id) == {}


def test_how_much_may_be_missing_is_demanded_once_for_each_column(db: Session, table: Table) -> None:
    """One value in twenty beside "at most 1% of the rows are null" reads as a contradiction: the looser share is
    neither said nor shown while the stricter rule is in force."""
    some = {"kind": "presence", "accepted": ["given"], "theta": 0.06, "words": "at most 6% missing"}
    pattern = Rule(
        "pattern", "price", {"clauses": [SHAPE, some], "rows": 100}, 0.01, "x; at most 6% missing.", "strings"
    )

    def shown() -> tuple[str, list[str]]:
        (row,) = (
            one for one in rules.active_rules(db, table.id) if one.kind == "pattern" and one.column_name == "price"
        )
        db.refresh(row)
        return row.sentence, [one.words for one in clauses.clause_lines(db, row)]

    rules.put_rules(db, table.id, [pattern, strings(SHAPE, SIGNS)], learners="strings", since_version=3)
    assert shown() == ("every value is two capitals, two digits.", ["every value is two capitals"])
    nulls = next(one for one in rules.active_rules(db, table.id) if one.kind == "history")
    rules.set_rule_status(db, nulls.id, "paused", "ann")
    both = "every value is two capitals, two digits; at most 6% missing."
    assert shown() == (both, ["every value is two capitals", "at most 6% missing"])
    rules.set_rule_status(db, nulls.id, "active", "ann")
    assert "missing" not in shown()[0]
    decide_clause(db, nulls.id, "complete_ratio", "rejected", actor="ann")
    assert "at most 6% missing" in shown()[0]


def test_a_clause_that_most_rows_may_break_is_a_remark(db: Session, table: Table) -> None:
    loose = {
        "kind": "domain",
        "accepted": ["email"],
        "theta": 0.8,
        "words": "values are e-mail addresses",
    }
    rules.put_rules(db, table.id, [strings(SHAPE, loose)], learners="strings", since_version=3)
    (row,) = (one for one in rules.active_rules(db, table.id) if one.kind == "pattern")
    assert [one.is_minor for one in clauses.clause_lines(db, row)] == [False, True]
