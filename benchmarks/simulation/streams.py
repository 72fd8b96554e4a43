"""Tables of many batches a day: false alarms, and which faults are detected, beside the same time of other days or not.

    python -m benchmarks.simulation.streams [--seeds N] [--first SEED] [--a-day N ...] [--noise S ...]
                                            [--latest] [--columns]

Generated streams (`rows_of`): nights of a seventh of the rows, weekends as other days or of a third, noise of a batch.
Rules are learned as the product does, by the past that it chooses (`--latest`: the last ninety batches alone, as it was
before), and judge four weeks from the fifth day on; every so often a batch with a fault, too, which nothing is learned
from. With `--columns` batches hold rows of sensors, whose states are folded, and are judged for three days.
"""

from __future__ import annotations

import argparse
import sys
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa

from catalog.flow.learning.propose import RELEARN_EVERY, RELEARN_SHARE
from catalog.history.calendar.seasons import AHEAD, BETWEEN, SINCE, Floats, same_times
from catalog.history.series import Past, TableMetrics, column_series, observe_metrics, paced
from catalog.learners.series.history import learn_history, learn_volume, unused_in
from catalog.rules.kinds.history import HistoryRule
from catalog.rules.replayed import Replayed
from catalog.rules.verdict import VIOLATED
from catalog.states.folding.fold import fold
from catalog.states.table import TableState

BEGIN, DAYS, FIRST_DAY = datetime(2026, 1, 5, tzinfo=UTC), 28, 4
OF_COLUMNS = range(15, 18)  # days on which columns are judged, Tuesday to Thursday of the third week
LIMIT = 90  # batches that are learned from at most: the product's default
NIGHT, WEEKENDS = 0.15, (1.0, 0.35)  # of a day's rows
TRIED = 8  # batches a day on which faults are tried, about
BUDGET = 0.001
UNREPLAYED = Replayed(1)  # what replays of a table tell of its rules is left out: most of the time goes there


def level(a_day: int, weekend: float) -> Floats:
    """Logarithms of how many rows are usual at each batch, against a thousand."""
    at = np.arange(a_day * DAYS) / a_day
    day: Floats = np.log(NIGHT) * (0.5 - 0.5 * np.sin((at % 1 * 24 - 9) / 24 * 2 * np.pi))
    return day + np.where(at.astype(int) % 7 > 4, np.log(weekend), 0.0)


def rows_of(a_day: int, noise: float, weekend: float, seed: int) -> list[int]:
    """The rows of each batch."""
    rng = np.random.default_rng([seed, a_day, round(noise * 100)])
    rows = 1000 * np.exp(level(a_day, weekend) + rng.normal(0, noise, a_day * DAYS))
    return [max(round(float(one)), 1) for one in rows]


def latest(at: Sequence[datetime]) -> list[int]:
    """Which batches are learned from, of all so far: the last ones."""
    return list(range(max(len(at) - LIMIT, 0), len(at)))


def chosen(at: Sequence[datetime]) -> list[int]:
    """The same as `catalog.store.lake.versions.past_and_seasons` has it; -1 for holes."""
    found = latest(at)
    for since, until in same_times([at[n] for n in found]) if len(found) == LIMIT else ():
        end = min(bisect_right(at, until), found[0])
        there = range(max(bisect_left(at, since), end - SINCE - AHEAD - 1), end)
        if there:
            found = [*there, *[-1] * min(BETWEEN, found[0] - end), *found]
    return found


Choose = Callable[[Sequence[datetime]], list[int]]


def _past(batches: Sequence[TableMetrics], at: Sequence[datetime], choose: Choose) -> Past:
    def known(n: int) -> TableMetrics:  # of earlier days the rows alone
        return batches[n] if n >= len(at) - LIMIT else replace(batches[n], columns={}, table={})

    return [None if n < 0 else known(n) for n in choose(at)]


def live(rows: Sequence[int], a_day: int, seed: int, choose: Choose, found: Counter[str]) -> None:
    """Count what was judged of the rows of a stream, by what was done to them, and which of it was called wrong."""
    batches: list[TableMetrics] = []
    at: list[datetime] = []
    rule, since, waited = None, 0, 1 / a_day
    trying = np.random.default_rng([seed, 1])
    for n, came in enumerate(rows):
        then = BEGIN + n * timedelta(days=1) / a_day
        past = _past(batches, at, choose)
        now = paced(TableMetrics(came, at=then), past, waited)
        if rule is not None and n >= FIRST_DAY * a_day:
            earlier = column_series(past, None)
            tried = trying.random() < TRIED / a_day
            faults = {"half": came // 2, "a tenth": came // 10, "twice": 2 * came, "other hour": rows[n - a_day // 2]}
            for what, has in {"healthy": came, **(faults if tried else {})}.items():
                one = now if has == came else paced(TableMetrics(max(has, 1), at=then), past, waited)
                found[f"judged {what}"] += 1
                found[f"wrong {what}"] += rule.judge_metrics(one.of_table(), earlier).status == VIOLATED
        batches.append(now)
        at.append(then)
        since += 1
        if _due(n + 1, since):
            rule, since = learn_volume(_past(batches, at, choose), BUDGET), 0


def _due(known: int, since: int) -> bool:
    return known >= 2 * SINCE // 3 and since >= max(RELEARN_SHARE * min(known, LIMIT), RELEARN_EVERY)


def sensors(rows: int, at: datetime, seed: int, fault: str = "") -> pa.Table:
    """So many readings of thirty sensors: a temperature that goes with the hour, a pressure that does not, a status
    that is given at night more seldom; a fault of one of them."""
    rng = np.random.default_rng([seed, int(at.timestamp())])
    hour = at.hour + at.minute / 60
    times = np.datetime64(at.replace(tzinfo=None), "us") + rng.integers(0, 600_000_000, rows).astype("timedelta64[us]")
    device = rng.integers(0, 30, rows)
    temperature = 12 + 8 * np.sin((hour - 9) / 24 * 2 * np.pi) + device * 0.1 + rng.normal(0, 1.5, rows)
    pressure = rng.normal(1013, 4, rows)
    given = rng.random(rows) < (0.9 if 6 <= hour < 22 else 0.7)
    gone = rng.random(rows) < 0.3
    if fault == "stuck":
        temperature = np.full(rows, temperature[0])
    if fault == "one stuck":
        temperature = np.where(device < 10, temperature[0], temperature)
    if fault == "another hour":
        times -= np.timedelta64(12, "h")
    return pa.table(
        {
            "at": times,
            "device": [f"S-{one:03}" for one in device],
            "temperature": temperature.round(2),
            "pressure": pa.array(pressure.round(1), mask=gone if fault == "nulls" else None),
            "status": pa.array(np.where(rng.random(rows) < 0.97, "ok", "low"), mask=~given),
        }
    )


#: What is done to a batch of sensors; the first at night alone.
FAULTS = ("nulls", "stuck", "one stuck", "another hour")


def live_columns(rows: Sequence[int], a_day: int, seed: int, choose: Choose, found: Counter[str]) -> None:
    """The same of the columns of sensors; a batch counts once, however many of its columns are called wrong."""
    batches: list[TableMetrics] = []
    at: list[datetime] = []
    rules: list[HistoryRule] = []
    since, waited = 0, 1 / a_day
    trying = np.random.default_rng([seed, 1])
    before: TableState | None = None

    def wrong(state: TableState, past: Past, then: datetime) -> bool:
        one = paced(replace(observe_metrics(state, before), at=then), past, waited)
        broken = [
            rule.column for rule in rules
            if rule.judge_metrics(one.columns[rule.column or ""], column_series(past, rule.column)).status == VIOLATED
        ]  # fmt: skip
        found.update(f"by {column}" for column in broken if state is now)
        return bool(broken)

    for n, many in enumerate(rows[: OF_COLUMNS.stop * a_day]):
        then = BEGIN + n * timedelta(days=1) / a_day
        now = fold(sensors(many, then, seed))
        past = _past(batches, at, choose)
        if rules and n >= OF_COLUMNS.start * a_day:
            found["judged healthy"] += 1
            found["wrong healthy"] += wrong(now, past, then)
            for fault in FAULTS if trying.random() < TRIED / a_day else ():
                if fault == "nulls" and 6 <= then.hour < 22:
                    continue
                found[f"judged {fault}"] += 1
                found[f"wrong {fault}"] += wrong(fold(sensors(many, then, seed, fault)), past, then)
        batches.append(paced(replace(observe_metrics(now, before), at=then), past, waited))
        at.append(then)
        before, since = now, since + 1
        if _due(n + 1, since) and n + 1 >= OF_COLUMNS.start * a_day - SINCE:
            kinds = {name: column.kind for name, column in now.columns.items()}
            past, unused = _past(batches, at, choose), unused_in(now)
            learned = learn_history(past, kinds=kinds, unused=unused, budget=BUDGET, own=UNREPLAYED)
            rules, since = [one for one in learned if one.column is not None], 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.simulation.streams", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--a-day", type=int, nargs="+", default=[24, 96, 144])
    parser.add_argument("--noise", type=float, nargs="+", default=[0.1, 0.2, 0.3, 0.5])
    parser.add_argument("--latest", action="store_true", help="learn from the last batches alone")
    parser.add_argument("--columns", action="store_true", help="judge the columns of sensors")
    asked = parser.parse_args(arguments)
    choose = latest if asked.latest else chosen
    play = live_columns if asked.columns else live
    total: Counter[str] = Counter()
    for a_day in asked.a_day:
        for noise in asked.noise:
            found: Counter[str] = Counter()
            for seed in range(asked.first, asked.first + asked.seeds):
                for weekend in WEEKENDS[1:] if asked.columns else WEEKENDS:
                    rows = rows_of(a_day, noise, weekend, seed)
                    play([one // 5 + 2 for one in rows] if asked.columns else rows, a_day, seed, choose, found)
            total += found
            print(_line(f"{a_day} a day, {noise}", found), flush=True)
    print(_line("all", total))
    return 0


def _line(name: str, found: Counter[str]) -> str:
    tried = [what.removeprefix("judged ") for what in found if what.startswith("judged ")]
    false = f"{found['wrong healthy']} of {found['judged healthy']}"
    shares = [f"{what} {found[f'wrong {what}'] / found[f'judged {what}']:.2f}" for what in tried if what != "healthy"]
    by = [f"{what} {often}" for what, often in found.most_common() if what.startswith("by ")]
    return f"{name:16} false {false:>14}; {', '.join(shares)} {by or ''}"


if __name__ == "__main__":
    sys.exit(main())
