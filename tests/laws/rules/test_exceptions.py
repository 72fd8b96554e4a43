"""What few of a column's values break may be broken by one more of them in the next version."""

from __future__ import annotations

import numpy as np
import pytest

from catalog.evidence.calibrated.calibration import limits
from catalog.evidence.calibrated.risk import TOLERANCES
from catalog.evidence.clauses.candidate import Candidate
from catalog.evidence.pattern_index.views import Profile, profile_values
from catalog.learners.strings import broken_by_own_rows
from catalog.rules.kinds.strings import StringsRule
from catalog.rules.rule import Rule
from catalog.rules.verdict import PASSED, VIOLATED

IPV4 = Candidate("domain", ("ipv4",))


def addresses(many: int, others: dict[str, int], each: int = 1) -> Profile:
    known = {f"10.0.{i // 200}.{1 + i % 200}": each for i in range(many - len(others))}
    return profile_values((known | others).items())


def offered(seen: Profile) -> float:
    """The least tolerance at which the domain may be demanded."""
    return TOLERANCES[int(np.argmin(broken_by_own_rows([IPV4], seen)[0]))]


@pytest.mark.parametrize("others", [{"localhost": 1}, {"localhost": 40}, {"localhost": 3, "gateway": 9}])
def test_the_next_version_may_hold_one_exception_more(others: dict[str, int]) -> None:
    """By the rule of succession, and with as many rows as the exceptions known have."""
    seen = addresses(164, others, each=5)
    theta = offered(seen)
    assert theta > 0
    more = round(sum(others.values()) / len(others))
    grown = addresses(165, others | {"router": more}, each=5)
    bad = IPV4.nonconforming(grown)
    assert bad > IPV4.nonconforming(seen)
    assert bad / grown.rows <= limits(grown.rows)[TOLERANCES.index(theta)]
    assert theta >= (len(others) + 1) / (164 + 2)


def test_without_exceptions_none_is_tolerated() -> None:
    assert offered(addresses(164, {})) == 0.0


def test_the_fewer_different_values_there_are_the_more_an_exception_says() -> None:
    assert offered(addresses(12, {"localhost": 1}, each=100)) > offered(addresses(1200, {"localhost": 1}))


URLS = {"kind": "domain", "accepted": ["url"], "theta": 0.0, "risk": 0.001, "words": "all values are URLs"}


def judged(values: dict[str, int], before: dict[str, int]) -> str:
    rule = Rule("pattern", "x", {"clauses": [URLS], "rows": 165}, 0.001, "All values are URLs.", "strings")
    assert isinstance(rule, StringsRule)
    seen, known = (profile_values(rows.items()) for rows in (values, before))
    return rule.judge_profile(seen, known).status


def test_what_the_healthy_batch_before_had_may_grow_by_one() -> None:
    good = {f"https://shop.org/{n}": 2 for n in range(80)}
    before = good | {"BASE_URL + '/token'": 1}
    assert judged(before | {"f'{HOST}/token'": 1}, before) == PASSED
    assert judged(before | {"f'{HOST}/token'": 1}, good) == VIOLATED
    assert judged(before | {f"f'{{HOST}}/{n}'": 1 for n in range(9)}, before) == VIOLATED
