"""Holding rules to the false-alarm rates they state, and tables to the false alarms people put up with.

An alarm is an incident: a rule that breaks in five versions in a row wakes people once. So do five rules that break in
one version: for a table, alarms are the versions in which incidents began. Only alarms that a person called false count
against anybody; those nobody has judged yet are shown apart.

Two budgets, over the last `WINDOW_DAYS` days:

- A **rule** has what it states: the sum of its rates over the versions it judged. It is overspent when at least
  `LEAST_FALSE` of its alarms were false and so many or more are improbable (below `SIGNIFICANCE`) at that rate. The
  number of false alarms of independent versions is a sum of Bernoulli variables; from one event beyond its mean on, its
  tail is at most the Poisson distribution's of that mean (Hoeffding, 1956; Anderson and Samuels, 1967), which is used.
- A **table** has what a person sets. When more alarms were false than that, the rules that raised them are demoted
  until the others' false alarms are within it: those of the version that the fewest rules broke in first, and of
  several the least credible at its stated rate. What most rules broke in was no fault of one rule.

A demoted rule only warns, but for what its false alarms do not explain (`catalog.checks.weekly.is_beyond`). It is
promoted again when a person says so, or when in a whole window of at least `LEAST_JUDGED` versions nothing that it
reported was anything but right. What only a person may demote (`kept_level`), and what one did, is left to people.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from catalog.rules.rule import kinds_where
from catalog.wording import counted

WINDOW_DAYS = 30
SIGNIFICANCE = 0.01  # chosen: of a hundred honest rules that are looked at one is demoted by chance
#: One alarm is what any rate above zero allows: of thousands of honest rules some raise one every month. Chosen.
LEAST_FALSE = 2
LEAST_JUDGED = 7  # chosen: a week of days, before which a rate is no rate


@dataclass(frozen=True)
class Account:
    """What a rule promised and did in the window.

    Parameters
    ----------
    rule_id : the revision in force; `kind`, `column` ("" for the table) name the demand.
    judged : versions it applied to; `expected` the sum of its stated rates over them.
    false, confirmed, unlabelled : alarms, and warnings of a demoted rule, called false, called right, and not judged by
        anybody (those that are still open count whenever they were opened).
    false_at : the versions in which those that were told and called false began.
    demoted : whether it is; `whole_window` whether it has been for the whole window; `by_person` whether a person did.
    """

    rule_id: int
    kind: str
    column: str
    judged: int = 0
    expected: float = 0.0
    false: int = 0
    confirmed: int = 0
    unlabelled: int = 0
    false_at: frozenset[int] = frozenset()
    demoted: bool = False
    whole_window: bool = False
    by_person: bool = False

    @property
    def kept_level(self) -> bool:
        """A column that is gone, rows that are missing, what a person demands are told however often it was wanted."""
        return self.kind in kinds_where("kept_level")

    @property
    def chance(self) -> float:
        """P(so many false alarms or more) if the stated rate were true."""
        return tail(self.false, self.expected)


@dataclass(frozen=True)
class Change:
    """A rule that is demoted or promoted, and why."""

    rule_id: int
    demoted: bool
    reason: str


def tail(count: int, mean: float) -> float:
    """P(X >= count) for a Poisson variable of that mean.

    >>> round(tail(1, 0.03), 4), round(tail(2, 0.03), 6), tail(0, 0.0), tail(1, 0.0)
    (0.0296, 0.000441, 1.0, 0.0)
    """
    if count <= 0:
        return 1.0
    if mean <= 0:
        return 0.0
    below = math.fsum(_mass(k, mean) for k in range(count))
    above = math.fsum(_mass(k, mean) for k in range(count, count + 50))  # exact enough where 1 - below cancels
    return 1.0 - below if below < 0.9 else above


def _mass(k: int, mean: float) -> float:
    return math.exp(k * math.log(mean) - mean - math.lgamma(k + 1))


def overspent(account: Account) -> bool:
    """Whether a rule's false alarms are more than its stated rate explains.

    >>> overspent(Account(1, "history", "price", judged=30, expected=0.03, false=2))
    True
    >>> overspent(Account(1, "history", "price", judged=30, expected=0.03, false=1))
    False
    """
    return account.false >= LEAST_FALSE and account.chance < SIGNIFICANCE


def behaved(account: Account) -> bool:
    """Whether a demoted rule may be believed again.

    >>> behaved(Account(1, "history", "price", judged=30, demoted=True, whole_window=True))
    True
    """
    if not account.demoted or account.by_person:
        return False
    quiet = not (account.false or account.unlabelled)
    return account.kept_level or (account.whole_window and account.judged >= LEAST_JUDGED and quiet)


def settle(accounts: Sequence[Account], budget: float) -> list[Change]:
    """Which rules of a table are to be demoted and which promoted.

    Parameters
    ----------
    accounts : of all the table's rules.
    budget : versions of the table in which false alarms may begin in a window.

    >>> one = Account(1, "history", "price", judged=30, expected=0.03, false=2, false_at=frozenset([7, 9]))
    >>> two = Account(2, "pattern", "sku", judged=30, expected=0.01, false=1, false_at=frozenset([4]))
    >>> [change.rule_id for change in settle([one, two], budget=1)], [c.rule_id for c in settle([two], budget=1)]
    ([1], [])
    """
    changes = [Change(a.rule_id, False, _good(a)) for a in accounts if behaved(a)]
    believed = [a for a in accounts if a.false and not a.demoted and not a.kept_level]
    raised = len(_versions(believed))
    changes += [Change(a.rule_id, True, _bad(a)) for a in believed if overspent(a)]
    left = [a for a in believed if not overspent(a)]
    while len(_versions(left)) > budget:
        breakers = [[a for a in left if version in a.false_at] for version in sorted(_versions(left))]
        dear = min(breakers, key=lambda rules: (len(rules), min(a.chance for a in rules)))
        changes += [Change(a.rule_id, True, _dear(a, raised, budget)) for a in dear]
        left = [a for a in left if a not in dear]
    return changes


def _versions(accounts: Sequence[Account]) -> set[int]:
    """The versions in which false alarms of any of these rules began."""
    return {version for account in accounts for version in account.false_at}


def _bad(account: Account) -> str:
    return (
        f"{_alarms(account.false)} in {WINDOW_DAYS} days over {counted(account.judged, 'version')}; its stated rate "
        f"allows {account.expected:.2g}, and so many would have a chance of {account.chance:.1g}"
    )


def _dear(account: Account, spent: int, budget: float) -> str:
    return (
        f"the table raised {_alarms(spent)} in {WINDOW_DAYS} days, more than its budget of {budget:g}; "
        f"{account.false} of them came from this rule, which stated {account.expected:.2g}"
    )


def _good(account: Account) -> str:
    if account.kept_level:
        return "rules on the schema, on the number of rows and those that people declared are demoted by people only"
    return f"nothing it reported over {counted(account.judged, 'version')} in {WINDOW_DAYS} days was wrong"


def _alarms(count: int) -> str:
    return f"{count} false alarm" + ("" if count == 1 else "s")
