"""How many false alarms a week the whole lake may raise, and which findings are told under that budget.

Rules state false-alarm rates. What they state together over a week is how many false alarms may be expected if
everything that breaks is told; correlated columns make alarms come together, they do not make more of them, since
expectations add up however the events depend. Where that is within the budget everything is told. Where it is not,
findings that have p-values are told only if these are below their rules' rates times a `share` which makes the sum fit:
alpha spending over a week, each test weighed by the rate of its rule (weighted Bonferroni; Holm, 1979; Ramdas et al.,
2019, "A unified treatment of multiple testing with prior knowledge using the p-filter", section 2).

The sum is that of the whole week that a version is part of, not of what was judged of it so far: levels g b/S, of which
S grows with each g from the budget b to all that is stated, add up to b (1 + ln(S/b)), as they did in the first week of
every lake. So versions that came before there were rules count as often as they came, and what the first week of a
table has not brought yet is foreseen (`to_come`); from its second week on the last seven days say it.

Of the online procedures for many tests LORD++ (Ramdas et al., 2017), SAFFRON (2018) and ADDIS (Tian and Ramdas, 2019)
bound the *share* of false alarms among all: they earn levels by discoveries, so that a bad week brings more false
alarms, and they need p-values that do not depend on each other's past (for SAFFRON and ADDIS: independent ones). A
person who is woken counts alarms. Here E[false alarms told in seven days] is the budget under any dependence, where
weeks state about as much; what dependence breaks is the spread around it (one cause makes several at once), and what
breaks the bound is a rate that is not true.

So rates are held to what the lake shows: `optimism` is how many of the alarms were false for each that was stated, of
the whole lake by a prior of one, of a table by a prior of the lake's (the mean of a Gamma posterior whose prior weighs
as much as one expected alarm). A month of answers makes the levels as many times smaller as there were false alarms for
each that was allowed, which takes back a part of what wrong rates bring, not all of it. An alarm that nobody has
answered counts for the share of a false one that its table's answered alarms were (`Answers.likely_false`), and before
the first answer for what rules stated of so many (`Answers.expected`): people answer late, and until they do a lake
would be held to what it was told long ago.

A finding that is held back is shown. That it comes again says nothing more where each version is the whole table: what
happened to it is in its next versions too, healthy or not. Each of these puts it to the budget of its day, which has
room for it where less was stated or it goes further. In a table of increments it is found in other rows (of a job that
replaces two days, two versions later): by chance that is as seldom as the product of two rates, of which one in a
thousand makes less than a hundredth of one in a week, so that it is told. What goes on with an alarm that waits for its
answer is no alarm of its own, and no reason to tell whatever else is found meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

DAYS = 7
#: Share of the budget that findings with a p-value have, however much the other rules state. Chosen: what a lake may
#: expect is then at most half a budget more than these others state, and what many columns show together is told.
KEPT = 0.5
#: Findings whose cause is named and sure are told at so many times the level of others. Chosen: of the findings held
#: back in a lake of fifteen tables with faults put in, those that needed up to three times their level were faults.
NAMED = 3.0
#: Share of the findings on healthy versions whose cause is named so, at most. Chosen: twice the 3 of 40 that were in
#: one run over 25 real series (`docs/figures/whole-product.md`).
NAMED_HEALTHY = 0.15


#: Stated alarms that the lake's optimism weighs as the prior of a rule's. Chosen: of some 600 rules of 25 real series
#: 37 found something in healthy versions, seven of them twice or more, as counts do whose rates have a Gamma law of
#: about this shape.
OF_A_RULE = 0.1


#: Share of the smallest p-value that was called false below which a finding is another. Chosen: of one change that went
#: on for seven versions they were 8.3e-17 to 8.6e-17, of faults in columns with false alarms a twelfth and less.
ANOTHER = 0.5


#: How many versions a day tables bring of which nothing is known: a Gamma law of mean `SOON` / `WEIGHT` that weighs
#: `WEIGHT` days. Fitted by ``python -m benchmarks.shipped.first_week --data DIR`` to 25 real series, by moments.
SOON, WEIGHT = 1.2, 2.9


@dataclass(frozen=True)
class Stated:
    """Sums of stated rates over the versions of a week: of rules that say only whether (`fixed`), and of those that say
    how improbable what they found is (`graded`)."""

    fixed: float = 0.0
    graded: float = 0.0

    @property
    def total(self) -> float:
        return self.fixed + self.graded

    def __add__(self, other: Stated) -> Stated:
        return Stated(self.fixed + other.fixed, self.graded + other.graded)

    def times(self, count: float) -> Stated:
        return Stated(self.fixed * count, self.graded * count)


def to_come(days: float, versions: int) -> float:
    """How many versions a table will bring in what is left of its first week, that has brought so many in the `days`
    since its first one (the mean of a Gamma-Poisson posterior); none once the week is over.

    >>> [round(to_come(days, 0), 2) for days in (0, 1, 6, 8)], round(to_come(1, 24), 1)
    ([2.9, 1.85, 0.13, 0.0], 38.8)
    """
    return max(DAYS - days, 0.0) * (SOON + versions) / (WEIGHT + days)


#: Answers that the prior of a share of false alarms weighs. Not chosen: as much as one answer of either kind (Laplace's
#: rule of succession).
OF_EITHER_KIND = 2


@dataclass(frozen=True)
class Answers:
    """Versions in which alarms began, by what people said of them: `false`, `right`, and `unanswered` so far."""

    false: int = 0
    right: int = 0
    unanswered: int = 0

    def expected(self, stated: float) -> float:
        """The share of false alarms among these before anybody answered, where so many were stated, 0..1: half at most,
        which is what is as likely as not. A first day of many alarms is one of many faults.

        >>> Answers(unanswered=13).expected(1.3), Answers(unanswered=2).expected(1.0), Answers().expected(1.0)
        (0.1, 0.5, 0.5)
        """
        return min(stated / max(self.false + self.right + self.unanswered, 1), 0.5)

    def share(self, prior: float) -> float:
        """The share of false alarms among those that nobody answered, 0..1: the mean of a Beta posterior of those that
        were, whose mean is `prior` before the first answer.

        >>> Answers().share(0.5), Answers(false=3, right=3).share(0.5), Answers(right=8).share(0.5), Answers(2).share(0)
        (0.5, 0.5, 0.1, 0.5)
        """
        return (OF_EITHER_KIND * prior + self.false) / (OF_EITHER_KIND + self.false + self.right)

    def likely_false(self, prior: float) -> float:
        """How many of the alarms are false, as far as one knows.

        >>> Answers(false=2, unanswered=4).likely_false(0.5), Answers(unanswered=4).likely_false(0.1)
        (5.0, 0.4)
        """
        return self.false + self.unanswered * self.share(prior)

    def __add__(self, other: Answers) -> Answers:
        return Answers(self.false + other.false, self.right + other.right, self.unanswered + other.unanswered)


@dataclass(frozen=True)
class Seen:
    """What was stated over a longer window, in how many versions alarms were false (those that nobody answered by
    their share, see `Answers`), and how many `days` of the window there were."""

    stated: float = 0.0
    false: float = 0.0
    days: float = 0.0


def optimism(seen: Seen, prior: float = 1.0, weight: float = 1.0) -> float:
    """How many false alarms there are for each one stated, where `prior` is expected and weighs so many stated alarms.

    >>> optimism(Seen()), optimism(Seen(stated=9.0, false=4)), optimism(Seen(stated=1.0, false=3), prior=0.5)
    (1.0, 0.5, 1.75)
    >>> round(optimism(Seen(stated=0.03, false=2), weight=OF_A_RULE), 1)
    16.2
    """
    return (weight * prior + seen.false) / (weight + seen.stated)


def told_of(seen: Seen, budget: float) -> Seen:
    """What was seen against what the budget let be told in these days, where rules stated more: of healthy batches more
    are far out than a power law foresees, and only what was told can have been called false.

    >>> told_of(Seen(40.0, 3, 28), 1.0).stated, told_of(Seen(2.0, 3, 28), 1.0).stated
    (4.0, 2.0)
    """
    return replace(seen, stated=min(seen.stated, budget * seen.days / DAYS))


def share(week: Stated, budget: float, lake: float) -> float:
    """The share of its stated rate below which a p-value is told, 0..1, so that what the lake may expect of a week is
    `budget`.

    Parameters
    ----------
    week : what the versions of the week state, those to come among them.
    lake : the lake's `optimism`.

    >>> share(Stated(0.2, 0.3), 1.0, 1.0), share(Stated(0.5, 2.0), 1.0, 1.0), share(Stated(3.0, 2.0), 1.0, 1.0)
    (1.0, 0.25, 0.25)
    """
    if week.graded <= 0:
        return 1.0
    left = max(budget / lake - week.fixed, KEPT * budget / lake)
    return min(left / week.graded, 1.0)


def weight(named: bool) -> float:
    """What a p-value is divided by: faults rewrite values by one rule (cut, another prefix, a factor), healthy batches
    seldom do. Weights average one over healthy findings, so that the sum of the levels stays what it is, as long as the
    cause of a healthy finding does not depend on its p-value (Genovese, Roeder and Wasserman, 2006).

    >>> weight(True), round(weight(False), 2), round(NAMED_HEALTHY * weight(True) + 0.85 * weight(False), 9)
    (3.0, 0.65, 1.0)
    """
    return NAMED if named else (1 - NAMED_HEALTHY * NAMED) / (1 - NAMED_HEALTHY)


def is_beyond(p: float, rate: float, part: float, lake: float, rule: float) -> bool:
    """Whether what a demoted rule found is told all the same. That more of its alarms were false than it states is no
    reason to be silent for good: it must show as much more as they were more, as a table must.

    Parameters
    ----------
    p, rate : the chance of a healthy batch so far out, by the rule, and what the rule states.
    part, lake : see `are_told`.
    rule : the rule's own `optimism`, by a prior of the lake's.

    >>> is_beyond(2e-4, 1e-3, 0.5, 1.0, 2.0), is_beyond(4e-4, 1e-3, 0.5, 1.0, 2.0), is_beyond(6e-4, 1e-3, 1.0, 1.0, 2.0)
    (True, False, False)
    """
    return p <= rate * min(part, 1.0) * min(lake / rule, 1.0)


def are_told(found: Sequence[tuple[float | None, float]], part: float, lake: float, table: float) -> bool:
    """Whether what was found in a version is told: where anything in it has no p-value, or where the p-values together
    are small enough.

    Columns of one version move together for one cause, and an error seldom moves a single one. So a version's findings
    are one test: told if the k-th smallest p-value is at most k times its level for any k (Simes, 1986; weighed by
    rates as by Genovese, Roeder and Wasserman, 2006). That keeps the sum of the levels if columns depend on each other
    positively (Sarkar, 1998), as distances of one batch do.

    Parameters
    ----------
    found : (p, rate) of each finding: the chance of a healthy batch so far out, by the rule, and what the rule states.
    part : see `share`; where it is 1 there is room for everything.
    lake, table : the `optimism` of either. A table whose rules erred more than the lake's others must show more.

    >>> are_told([(5e-4, 1e-3)], 0.25, 1.0, 1.0), are_told([(5e-4, 1e-3)] * 2, 0.25, 1.0, 1.0)
    (False, True)
    >>> are_told([(2e-4, 1e-3)], 0.25, 1.0, 1.0), are_told([(2e-4, 1e-3)], 0.25, 1.0, 2.0), are_told([], 1.0, 1.0, 1.0)
    (True, False, False)
    """
    if part >= 1 or any(p is None for p, _ in found):
        return bool(found)
    level = part * min(lake / table, 1.0)
    ratios = sorted(p / rate for p, rate in found if p is not None and rate > 0)
    return any(ratio <= k * level for k, ratio in enumerate(ratios, 1))
