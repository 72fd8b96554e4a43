"""What the past of one more version costs, by the age of its table.

    python -m benchmarks.speed.pasts --versions 100 1000 10000 [--a-day N]

A catalog holds so many versions of a stream (`benchmarks.simulation.streams.sensors`, five columns). Told are processor
milliseconds, the least of three times: reading the past that a version is compared with; computing what it is beside
that past; learning the rules anew, at every ninth version; replaying them, when half as many versions came as were
replayed; and what a version costs of all these on average. Beside it, in the same run, the same of the last ninety
versions alone.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from sqlalchemy import Engine

from benchmarks.simulation.streams import BEGIN, BUDGET, LIMIT, sensors
from catalog.flow.learning.propose import RELEARN_SHARE
from catalog.flow.reading.observe import restarted
from catalog.history.series import Past, TableMetrics, observe_metrics, paced
from catalog.learners.series.history import learn_history, unused_in
from catalog.rules.replayed import SHARE, Replayed
from catalog.states.folding.fold import fold
from catalog.states.table import TableState
from catalog.store.engine import make_engine, session, upgrade
from catalog.store.lake import sources, versions

TIMES, ALIKE, ROWS = 3, 144, 200
AGAIN = round(RELEARN_SHARE * LIMIT)  # versions from one learning to the next


def least(do: Callable[[], object]) -> float:
    """Processor milliseconds, the least of some times."""
    found = []
    for _ in range(TIMES):
        begun = time.process_time()
        do()
        found.append(1000 * (time.process_time() - begun))
    return min(found)


def cost(many: int, a_day: int, folder: Path) -> None:
    """A line for each way to choose the past of a table of so many versions."""
    engine = make_engine(f"sqlite:///{folder / f'{many}.db'}")
    upgrade(engine)
    step = timedelta(days=1) / a_day
    states = [fold(sensors(ROWS, BEGIN + n * step, 0)) for n in range(ALIKE)]
    metrics = [observe_metrics(now, before).encode() for before, now in zip(states[-1:] + states, states, strict=False)]
    columns = [[name, column.type, ""] for name, column in states[0].columns.items()]
    with session(engine) as current:
        source = sources.add_source(current, "lake", "/lake")
        (table,) = sources.upsert_tables(current, source.id or 0, [("stream", "/lake/stream")])
        table_id = table.id or 0
        known = {"batch": "increment", "status": "judged", "schema_columns": columns}
        told = [
            {"number": n, "committed_at": BEGIN + n * step, "metrics": metrics[n % ALIKE], "batch_rows": ROWS, **known}
            for n in range(many)
        ]
        versions.record_versions(current, table_id, told)
    for name, choose in (("the last", versions.past_batches), ("and seasons", versions.past_and_seasons)):
        print(
            f"{many:6} versions, {name:11} {_told(engine, table_id, choose, states[0], metrics[many % ALIKE])}",
            flush=True,
        )


def _told(engine: Engine, table_id: int, choose: Callable[..., list], last: TableState, metrics: bytes) -> str:
    kinds = {name: column.kind for name, column in last.columns.items()}

    def read() -> Past:
        with session(engine, write=False) as current:
            past = dict(choose(current, table_id, "increment", limit=LIMIT))
            return restarted(past, versions.schemas(current, table_id, past))

    def learn(own: Replayed) -> object:
        return learn_history(past, kinds=kinds, unused=unused_in(last), budget=BUDGET, own=own)

    past, now = read(), TableMetrics.decode(metrics)
    batches = sum(one is not None for one in past)
    beside = least(lambda: paced(now, past, 0.01))
    learned, replayed = least(lambda: learn(Replayed(batches))), least(lambda: learn(Replayed()))
    often = SHARE * LIMIT  # versions from one replay of the columns to the next, about
    each = least(read) + beside + learned / AGAIN + (replayed - learned) / often
    return (
        f"{batches:3} batches: read {least(read):5.1f} ms, beside them {beside:4.1f}, learned {learned:6.1f},"
        f" replayed {replayed - learned:7.1f}; {each:5.1f} a version"
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.pasts", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--versions", type=int, nargs="+", default=[100, 1000, 10_000])
    parser.add_argument("--a-day", type=int, default=144)
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="assay-pasts-") as folder:
        for many in asked.versions:
            cost(many, asked.a_day, Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
