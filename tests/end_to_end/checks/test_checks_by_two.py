"""Checks of a file that need a second person: nothing is judged by them until one approved, then all of them are."""

from __future__ import annotations

from pathlib import Path

import pytest
from broken_table import table_of

from catalog.declared.files import read_checks
from catalog.errors import Held
from catalog.flow.context import Context
from catalog.flow.declared.counting import apply_checks
from catalog.settings import Settings
from catalog.store.access import approvals, people
from catalog.store.access.answers import answer
from catalog.store.expectations import rules

CHECKS = """
tables:
  shop/orders:
    - is_complete: mail
    - satisfies: upper(mail) = mail
      name: capitals
    - is_in: mail
      values: [a, b]
      level: warning
"""
NAMES = ["capitals", "is_complete_mail", "is_in_mail"]


def test_checks_are_applied_when_another_approved(tmp_path: Path) -> None:
    context, checks = Context(Settings(home=tmp_path)), read_checks(CHECKS)
    context.actor = "ann"
    with context.transaction() as session:
        table = table_of(session, "orders")
        for name in ("ann", "bob"):
            people.add_user(session, name, "correct horse battery", "admin", actor="local")
        approvals.require(session, True, actor="ann")
    assert apply_checks(context, checks, dry_run=True)[0].added == NAMES  # to look needs nobody
    with pytest.raises(Held):
        apply_checks(context, checks)
    with context.transaction() as session:
        assert not [one for one in rules.active_rules(session, table) if one.learner.startswith("declared")]
        answer(session, 1, True, by=people.identity_of(people.get_user(session, "bob")))
    [change] = apply_checks(context, checks)  # nothing is left to do, so nothing waits
    assert (change.kept, change.added) == (NAMES, [])
    context.close()
