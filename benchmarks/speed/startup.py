"""What a command costs before it has done anything: processor seconds of a few that people give all day.

    python -m benchmarks.speed.startup --json startup.json

Each runs in turn, in a process of its own, over a catalog of a hundred tables; the median of user and system time is
printed, and its ratio to that of a Python that does nothing. The first round, which writes byte code, does not count.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from catalog.flow.context import Context
from catalog.settings import Settings
from catalog.store.lake import sources

COMMANDS = {
    "python": ["-c", "pass"],
    "--help": ["-m", "catalog.cli", "--help"],
    "table list": ["-m", "catalog.cli", "table", "list"],
    "table list --json": ["-m", "catalog.cli", "table", "list", "--json"],
    "incident list": ["-m", "catalog.cli", "incident", "list"],
    "table list --owner": ["-m", "catalog.cli", "table", "list", "--owner", "mine"],
    "incident list --owner": ["-m", "catalog.cli", "incident", "list", "--owner", "mine"],
    "rule list": ["-m", "catalog.cli", "rule", "list"],
}
TABLES = 100


def processor_seconds(command: list[str], environment: dict[str, str]) -> float:
    """User and system time of a command and all it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *command], env=environment, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        context = Context(Settings(home=Path(folder)))
        with context.transaction() as session:
            source = sources.add_source(session, "lake", "/lake")
            sources.upsert_tables(session, source.id, [(f"table_{i}", f"/lake/table_{i}") for i in range(TABLES)])
        context.close()
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["ASSAY_HOME"] = folder
        spent: dict[str, list[float]] = {name: [] for name in COMMANDS}
        for number in range(asked.rounds + 1):
            for name, command in COMMANDS.items():
                seconds = processor_seconds(command, environment)
                if number:
                    spent[name].append(seconds)
    medians = {name: statistics.median(seconds) for name, seconds in spent.items()}
    for name, seconds in medians.items():
        print(f"{name:20} {seconds:.2f} s of processor time, {seconds / medians['python']:.0f} times an empty Python")
    if asked.json:
        asked.json.write_text(json.dumps({"seconds": medians, "rounds": asked.rounds, "tables": TABLES}, indent=2))


if __name__ == "__main__":
    main()
