"""How many rows come: false alarms of the rule on a table's rows, and which losses it detects.

    python -m benchmarks.simulation.loads [--seeds N] [--first SEED] [--only SHAPE ...]

Generated numbers of rows, 90 batches of each shape (`SHAPES`), as they are and with two days of three or five times as
many rows, which nobody called wrong. Rules are learned after 15 batches and again after every five; judged are each
batch as it came, and every fourth with half, three quarters and nine tenths of its rows lost, or twice as many.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import numpy as np

from catalog.history.calendar.seasons import Floats
from catalog.history.series import TableMetrics, paced
from catalog.learners.series.history import learn_volume
from catalog.rules.kinds.history import HistoryRule
from catalog.rules.verdict import VIOLATED

BATCHES, FIRST, AGAIN, EVERY = 90, 15, 5, 4
WEEK = np.array((1.0, 1.05, 0.98, 1.02, 1.3, 0.45, 0.35))
HOURS = 0.55 + 0.45 * np.sin((np.arange(24) - 9) / 24 * 2 * np.pi)
TIMES = (0.5, 0.25, 0.1, 2.0)  # as many rows as came


def _level(rng: np.random.Generator, steps: Floats) -> Floats:
    level = np.zeros(len(steps))
    for at in range(1, len(steps)):
        level[at] = 0.85 * level[at - 1] + rng.normal(0, 0.15)
    return level


def _holidays(rng: np.random.Generator, steps: Floats) -> Floats:
    off = np.zeros(len(steps))
    off[rng.integers(0, len(steps), len(steps) // 45)] = np.log(0.2)
    return np.log(WEEK[steps.astype(int) % 7]) + rng.normal(0, 0.08, len(steps)) + off


BEGIN = datetime(2026, 1, 5, tzinfo=UTC)
EVERY_OF = {"day": timedelta(hours=1)}  # of others a day
Shape = Callable[[np.random.Generator, Floats], Floats]
#: Logarithms of how many rows come, against a thousand.
SHAPES: dict[str, Shape] = {
    "even": lambda rng, steps: rng.normal(0, 0.08, len(steps)),
    "week": lambda rng, steps: np.log(WEEK[steps.astype(int) % 7]) + rng.normal(0, 0.08, len(steps)),
    "day": lambda rng, steps: np.log(HOURS[steps.astype(int) % 24]) + rng.normal(0, 0.1, len(steps)),
    "growing": lambda rng, steps: 0.01 * steps + rng.normal(0, 0.08, len(steps)),
    "wandering": _level,
    "holidays": _holidays,
    "uneven": lambda rng, steps: rng.normal(0, 0.5, len(steps)),
    "heavy tails": lambda rng, steps: 0.2 * rng.standard_t(3, len(steps)),
    "few": lambda rng, steps: np.log(np.maximum(rng.poisson(12, len(steps)), 1) / 1000),
}


def rows_of(shape: Shape, seed: int, many: bool) -> list[int]:
    """The rows of each batch, with two of `many` rows."""
    rng = np.random.default_rng([seed, many])
    rows = 1000 * np.exp(shape(rng, np.arange(BATCHES, dtype=float)))
    for at in rng.choice(np.arange(5, BATCHES), 2, replace=False) if many else ():
        rows[at] *= rng.choice([3, 5])
    return [max(round(float(one)), 1) for one in rows]


def live(rows: list[int], every: timedelta, found: Counter[str]) -> None:
    """Count what was judged, by what was done to it, and which of it was called wrong."""
    past: list[TableMetrics] = []
    rule: HistoryRule | None = None
    for at, came in enumerate(rows):
        then = BEGIN + at * every
        if rule is not None:
            for times in (1.0, *(TIMES if at % EVERY == 0 else ())):
                now = paced(TableMetrics(int(came * times), at=then), past, 1.0)
                verdict = rule.judge_metrics(now.of_table(), [one.of_table() for one in past])
                found[f"judged {times}"] += 1
                found[f"wrong {times}"] += verdict.status == VIOLATED
        past.append(TableMetrics(came, at=then))
        if at + 1 >= FIRST and (at + 1 - FIRST) % AGAIN == 0:
            rule = learn_volume(past, 0.001)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.simulation.loads", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--only", nargs="+", choices=sorted(SHAPES), default=list(SHAPES))
    asked = parser.parse_args(arguments)
    print(f"{'rows':12} {'false alarms':>14} {'half':>6} {'1/4':>6} {'1/10':>6} {'twice':>6}")
    for many in (False, True):
        total: Counter[str] = Counter()
        for name in asked.only:
            found: Counter[str] = Counter()
            for seed in range(asked.first, asked.first + asked.seeds):
                live(rows_of(SHAPES[name], seed, many), EVERY_OF.get(name, timedelta(days=1)), found)
            total += found
            print(_line(name, found), flush=True)
        print(_line("two of many" if many else "all", total), flush=True)
    return 0


def _line(name: str, found: Counter[str]) -> str:
    false = f"{found['wrong 1.0']} of {found['judged 1.0']}"
    shares = (found[f"wrong {times}"] / max(found[f"judged {times}"], 1) for times in TIMES)
    return f"{name:12} {false:>14} " + " ".join(f"{share:6.2f}" for share in shares)


if __name__ == "__main__":
    sys.exit(main())
