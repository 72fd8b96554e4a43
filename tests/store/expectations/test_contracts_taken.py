"""Contracts taken in: known again by tool and file, what people changed kept, several contracts side by side."""

from __future__ import annotations

import pytest
from sqlmodel import Session

from catalog.declared.constraint import Constraint
from catalog.errors import Held, UsageError
from catalog.roles import everyone_here
from catalog.rules.exchange.registry import read_contract
from catalog.store.access import approvals, audit, people
from catalog.store.access.answers import answer
from catalog.store.access.undo import undo
from catalog.store.contracts import importing as contracts
from catalog.store.expectations import declared
from catalog.store.lake import sources, tables

SIZE = "Rules = [ RowCount between 0 and 100 ]"
PATTERNS = ['ColumnValues "s" matches "^a"', 'ColumnValues "s" matches "b$"']


@pytest.fixture
def lake(db: Session) -> Session:
    source = sources.add_source(db, "shop", "/lake")
    sources.upsert_tables(db, source.id, [(name, f"/lake/{name}") for name in ("orders", 'it\'s "x"', "12")])
    return db


def take(session: Session, text: str, table: str = "shop/orders", **told: object) -> list[tuple[str, str]]:
    form, asked = read_contract(text.encode())
    given = {"file": "a.dqdl", "chosen": {"": table} if table else {}, "actor": "local"} | told
    return [(one.what, one.check or one.reason) for one in contracts.take(session, asked, form=form, **given)]  # type: ignore[arg-type]


def names(session: Session) -> dict[str, str]:
    found = declared.checks_of(session, tables.get_table(session, "shop/orders").id or 0)
    return {rule.constraint.name: rule.constraint.sentence for _, rule in found}


def test_what_a_person_changed_or_retired_is_kept_until_told_otherwise(lake: Session) -> None:
    key = tables.get_table(lake, "shop/orders").id or 0
    assert take(lake, SIZE) == [("added", "has_size")]
    assert take(lake, SIZE) == [("same", "has_size")]
    assert take(lake, SIZE.replace("100", "50")) == [("changed", "has_size")]
    assert take(lake, SIZE) == [("changed", "has_size")], "back as it was, by the contract"
    mine = Constraint("has_size", at_least=7)
    declared.put_check(lake, key, mine, actor="ann", old="has_size")
    assert take(lake, SIZE) == [("kept", "has_size")]
    assert take(lake, SIZE.replace("100", "50")) == [("kept", "has_size")]
    assert names(lake) == {"has_size": mine.sentence}
    assert take(lake, SIZE, replacing=True) == [("changed", "has_size")]
    declared.retire_check(lake, key, "has_size", actor="ann")
    assert take(lake, SIZE) == [("kept", "has_size")]
    assert names(lake) == {}
    assert take(lake, SIZE, replacing=True) == [("added", "has_size")]


def test_a_hint_that_somebody_wrote_stays(lake: Session) -> None:
    take(lake, SIZE)
    ((row, rule),) = declared.checks_of(lake, tables.get_table(lake, "shop/orders").id or 0)
    hinted = Constraint.from_json(rule.constraint.to_json() | {"hint": "call the till"})
    declared.put_check(lake, row.table_id, hinted, actor="ann", old="has_size")
    assert take(lake, SIZE) == [("same", "has_size")]
    assert take(lake, SIZE.replace("100", "50")) == [("changed", "has_size")], "what it demands is the contract's still"


def test_contracts_stand_side_by_side(lake: Session) -> None:
    key = tables.get_table(lake, "shop/orders").id or 0
    declared.put_check(lake, key, Constraint("has_size", at_least=1), actor="ann")
    assert take(lake, SIZE) == [("added", "has_size_2")]
    assert take(lake, SIZE.replace("100", "50"), file="b.dqdl") == [("added", "has_size_3")]
    assert take(lake, SIZE.replace("100", "20")) == [("changed", "has_size_2")]
    assert take(lake, SIZE.replace("100", "50"), file="b.dqdl") == [("same", "has_size_3")]
    assert len(names(lake)) == 3


def test_demands_of_one_kind_keep_their_names(lake: Session) -> None:
    both = f"Rules = [{', '.join(PATTERNS)}]"
    first, second = "has_pattern_s", "has_pattern_s_2"
    assert take(lake, both) == [("added", first), ("added", second)]
    changed = both.replace("b$", "c$")
    assert take(lake, changed) == [("same", first), ("changed", second)]
    assert take(lake, changed.replace("^a", "^z")) == [("changed", first), ("same", second)]
    assert take(lake, f"Rules = [{PATTERNS[0]}, {PATTERNS[0]}]")[1][0] == "same"


def test_tables_are_found_by_their_names_alone(lake: Session) -> None:
    soda = "".join(f"checks for {name}:\n  - row_count > 0\n" for name in ("shop/orders", "nope", "12"))
    done = take(lake, soda, table="")
    assert [what for what, _ in done] == ["added", "skipped", "skipped"]
    assert "nope" in done[1][1]
    assert "there is no table" in done[2][1], "a name of digits is no id"
    several = "checks for a:\n  - row_count > 3\nchecks for b:\n  - row_count > 1\n"
    form, asked = read_contract(several.encode())
    chosen = {"a": "shop/orders", "b": 'it\'s "x"'}
    done = contracts.take(lake, asked, form=form, file="s.yml", chosen=chosen, actor="local")
    assert [(one.what, one.table) for one in done] == [("added", "shop/orders"), ("added", 'shop/it\'s "x"')]
    with pytest.raises(UsageError, match="no table 'c'"):
        contracts.take(lake, asked, form=form, file="s.yml", chosen={"c": "shop/orders"}, actor="local")
    one = contracts.take(lake, asked, form=form, file="t.yml", chosen={"": "shop/orders"}, actor="local")
    assert [told.what for told in one] == ["skipped", "skipped"], "of two tables, neither is this one"
    assert take(lake, SIZE, table="")[0][1].startswith("the file does not say of which table it is")


def test_an_import_that_waits_for_a_second_person_is_known_again(lake: Session) -> None:
    for name in ("ann", "bob"):
        people.add_user(lake, name, "correct horse battery", "admin", actor="local")
    approvals.require(lake, True, actor="ann")
    with pytest.raises(Held):
        take(lake, SIZE, actor="ann")
    assert names(lake) == {}
    answer(lake, 1, True, by=people.identity_of(people.get_user(lake, "bob")))
    assert take(lake, SIZE) == [("same", "has_size")]
    with pytest.raises(Held):
        take(lake, SIZE.replace("100", "50"))


def test_declaring_is_taken_back_with_what_stood_before(lake: Session) -> None:
    take(lake, SIZE)
    key = tables.get_table(lake, "shop/orders").id or 0
    ((row, _),) = declared.checks_of(lake, key)
    row.status = "paused"
    take(lake, f"Rules = [{PATTERNS[0]}]", file="b.dqdl")
    take(lake, SIZE.replace("100", "50"))
    events = audit.find_events(lake, kind="table")
    assert [one.after["imported_from"] for one in events] == [["a.dqdl"], ["b.dqdl"], ["a.dqdl"]]
    with pytest.raises(UsageError, match="decided about the same since"):
        undo(lake, events[1].id, by=everyone_here(), false_alarm_budget=1)
    undo(lake, events[0].id, by=everyone_here(), false_alarm_budget=1)
    statuses = {rule.constraint.name: one.status for one, rule in declared.checks_of(lake, key)}
    assert statuses == {"has_size": "paused", "has_pattern_s": "active"}
    assert take(lake, SIZE) == [("same", "has_size")]
