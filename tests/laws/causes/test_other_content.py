"""Other values than before are no values rewritten."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.causes.young import pairs_of
from catalog.causes.cause import REWRITTEN
from catalog.causes.compare import compare_states
from catalog.causes.diagnose import diagnose
from catalog.states.folding.fold import fold


def test_other_content_is_no_rewriting() -> None:
    """What fits an explanation by a part of what changed is no explanation: other values came."""
    before, now = (
        fold(pa.table({"species": names, "size": sizes, "place": places}))
        for names, sizes, places in (
            (
                ["Adelie", "Gentoo", "Adelie"] * 50,
                [float(k % 40) for k in range(150)],
                ["Allianz Arena", "Wembley"] * 75,
            ),
            (
                ["Chinstrap", "Gentoo", "King"] * 20,
                [float(k % 7) ** 2 for k in range(60)],
                ["Stade Rennais", "Anoeta"] * 30,
            ),
        )
    )
    assert {one.cause for one in compare_states(before, now)} & REWRITTEN == set()


def test_how_sure_a_cause_is_holds_on_real_tables(data_dir: Path) -> None:
    """Of other content of real tables one change in three at most is called a rewriting (more than half by fits
    alone), and damage is named."""
    said: list[tuple[bool, str]] = []
    for one in pairs_of(data_dir, "report", 16, 3):
        found = diagnose(one.name, one.batch, broken) if (broken := one.broken()) else []
        cause = None if one.damaged is None else one.damaged.cause
        if found and cause is None:
            said += [(each.cause.cause not in REWRITTEN, "") for each in found]
        elif found and cause in REWRITTEN:
            said.append((found[0].cause.cause == cause, str(cause)))
    undamaged = [right for right, cause in said if not cause]
    damaged = [right for right, cause in said if cause]
    assert min(len(undamaged), len(damaged)) >= 10
    assert sum(undamaged) >= 0.65 * len(undamaged)
    assert sum(damaged) >= 0.6 * len(damaged)


def test_a_factor_of_numbers_of_both_signs_is_measured() -> None:
    balances = np.random.default_rng(1).normal(5, 10, 400)
    before, now = (fold(pa.table({"balance": some})) for some in (balances, balances[::-1] * 12))
    (cause,) = compare_states(before, now)
    assert (cause.cause, cause.size["factor"]) == ("scale", 12)


def test_whole_numbers_longer_than_64_bits_are_compared() -> None:
    ids = np.arange(400, dtype=np.int64) * 10**15 + 9 * 10**16
    before, now = (fold(pa.table({"id": some})) for some in (ids, ids // 100))
    (cause,) = compare_states(before, now)
    assert cause.cause == "scale"
