"""What one append costs a table of few files and one of many, and what a crawl of few tables holds and one of many.

    python -m benchmarks.speed.append --files 15 1500 10000 --lakes 60 240 --json OUT

Writes Delta tables as a stream leaves them, a file a commit, crawls them, appends one file to each and crawls again:
processor seconds of the crawling process (its phases in wall seconds beside), and the states it decoded. The rival, in
the same run, on the same tables: all files of a set merged at once, as if nothing had been kept.

Then lakes of small tables, each crawled by a process of its own in portions of `PORTION` tables: its peak memory.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

os.environ.setdefault("POLARS_MAX_THREADS", "1")

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable

from benchmarks.speed.scan import strings

ROWS = 60  # of a file
STRINGS = ("order_key", "session_id", "email", "ordered_at", "product", "customer", "country", "comment")
PORTION = 30
START, HOUR = 1_700_000_000_000, 3_600_000  # epoch milliseconds
_TYPES = {"string": "string", "int64": "long", "double": "double"}


def rows_of(number: int, rows: int = ROWS) -> pa.Table:
    """The rows of file `number`: eight strings, an id that grows, a skewed amount."""
    rng = np.random.default_rng(number)
    cells = {name: array for name, array in strings(rng, number * rows, rows).items() if name in STRINGS}
    amounts = rng.lognormal(3, 1, rows).round(2)
    return pa.table({"id": np.arange(number * rows, (number + 1) * rows), **cells, "amount": amounts})


def append(folder: Path, number: int, batch: pa.Table) -> None:
    """Commit `number` of a table: one file more."""
    log = folder / "_delta_log"
    log.mkdir(parents=True, exist_ok=True)
    name = f"part-00000-{np.random.default_rng(number).bytes(16).hex()}-c000.snappy.parquet"
    pq.write_table(batch, folder / name)
    moment = START + number * HOUR
    actions: list[dict[str, Any]] = []
    if number == 0:
        fields = [
            {"name": field.name, "type": _TYPES[str(field.type)], "nullable": True, "metadata": {}}
            for field in batch.schema
        ]
        actions.append({"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}})
        actions.append(
            {
                "metaData": {
                    "id": f"00000000-0000-4000-8000-{zlib.crc32(folder.name.encode()):012d}",
                    "format": {"provider": "parquet", "options": {}},
                    "schemaString": json.dumps({"type": "struct", "fields": fields}),
                    "partitionColumns": [],
                    "configuration": {},
                    "createdTime": moment,
                }
            }
        )
    stats = json.dumps({"numRecords": batch.num_rows})
    size = (folder / name).stat().st_size
    added = {"path": name, "size": size, "modificationTime": moment, "dataChange": True, "stats": stats}
    actions.append({"add": {**added, "partitionValues": {}}})
    actions.append(
        {"commitInfo": {"timestamp": moment, "operation": "WRITE", "operationParameters": {"mode": "Append"}}}
    )
    (log / f"{number:020d}.json").write_text("".join(json.dumps(action) + "\n" for action in actions))


def write_table(folder: Path, files: int) -> None:
    """A table of so many commits of one file each, with a checkpoint at the last, as writers leave every ten."""
    for number in range(files):
        append(folder, number, rows_of(number))
    DeltaTable(str(folder)).create_checkpoint()


@contextmanager
def catalog(home: Path) -> Iterator[Any]:
    """A new catalog, with the jars and the starter index of the one in force."""
    from catalog.flow.context import Context
    from catalog.settings import Settings, get_settings

    given = get_settings()
    home.mkdir()
    (home / "jars").symlink_to(given.home / "jars", target_is_directory=True)
    context = Context(Settings(home=home, starter_index=str(given.starter_path)))
    try:
        yield context
    finally:
        context.close()


def crawl(context: Any, source: int) -> dict[str, Any]:
    """Crawl; processor seconds of this process, states decoded, wall seconds by phase."""
    from catalog.flow.crawl import crawl_source
    from catalog.flow.reading import states

    decoded, real = 0, states.decode

    def counting(data: bytes) -> Any:
        nonlocal decoded
        decoded += 1
        return real(data)

    states.decode = counting  # type: ignore[assignment]
    try:
        start = time.process_time()
        summary = crawl_source(context, source)
    finally:
        states.decode = real
    if summary["failed"] or summary["tables"] != 1:
        raise RuntimeError(f"the crawl went wrong: {summary}")
    cost = {"processor_seconds": round(time.process_time() - start, 2), "decoded": decoded}
    return cost | {"judged": summary["versions_judged"], "phases": summary["phases"]}


def of_appends(work: Path, files: int, at_once: int) -> dict[str, Any]:
    """Costs of the first crawl of a table and of crawls after one append each: along the tree and, of up to `at_once`
    files, all at once."""
    from catalog.flow.reading import states
    from catalog.flow.reading.sources import add_source

    folder = work / f"lake-{files}" / "stream"
    write_table(folder, files)
    found: dict[str, Any] = {"files": files}
    with catalog(work / f"home-{files}") as context:
        source = add_source(context, "lake", str(folder.parent)).id or 0
        context.spark.range(1).count()
        found["first"] = crawl(context, source)
        appends, number = [], files
        for _ in range(3):
            append(folder, number, rows_of(number))
            appends.append(crawl(context, source))
            number += 1
        found["append"] = min(appends, key=lambda one: one["processor_seconds"])
        if files > at_once:
            return found
        kept, states.FLAT = states.FLAT, sys.maxsize
        try:
            append(folder, number, rows_of(number))
            found["append_merging_all"] = crawl(context, source)
        finally:
            states.FLAT = kept
    return found


def of_lake(work: Path, tables: int) -> dict[str, Any]:
    """Peak memory of a process that crawls a lake of so many tables of three files."""
    lake = work / f"lake-of-{tables}"
    for table in range(tables):
        for number in range(3):
            append(lake / f"t{table:04d}", number, rows_of(1000 * table + number, 500))
    command = [sys.executable, "-m", "benchmarks.speed.append", "--peak", str(lake), str(work / f"home-of-{tables}")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {"tables": tables} | json.loads(done.stdout.splitlines()[-1])


def peak(lake: str, home: str) -> dict[str, Any]:
    """Crawl a lake in portions of `PORTION` tables; the memory of this process before and at most, in MB."""
    from catalog.flow import crawl as crawling
    from catalog.flow.learning.index import open_index
    from catalog.flow.reading.sources import add_source

    crawling.PORTION = PORTION
    with catalog(Path(home)) as context:
        source = add_source(context, "lake", lake).id or 0
        context.spark.range(1).count()
        open_index(context.settings)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        summary = crawling.crawl_source(context, source)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"crawled": summary["tables"], "before_mb": before // 1024, "peak_mb": after // 1024}


def told(figures: dict[str, Any]) -> dict[str, Any]:
    """The same, said on standard error as it is known."""
    print(json.dumps(figures), file=sys.stderr, flush=True)
    return figures


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.append", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--files", type=int, nargs="*", default=[15, 1500], help="sizes of the tables appended to")
    parser.add_argument(
        "--at-once", type=int, default=2000, help="the most files that the rival merges (minutes beyond)"
    )
    parser.add_argument("--lakes", type=int, nargs="*", default=[], help="sizes of the lakes whose crawl is weighed")
    parser.add_argument("--peak", nargs=2, metavar=("LAKE", "HOME"), help="only crawl this lake and tell the memory")
    parser.add_argument("--json", type=Path, help="where the figures are written")
    options = parser.parse_args(arguments)
    if options.peak:
        print(json.dumps(peak(*options.peak)))
        return 0
    found: dict[str, Any] = {"rows": ROWS, "columns": len(STRINGS) + 2, "portion": PORTION}
    with tempfile.TemporaryDirectory() as work:
        found["appends"] = [told(of_appends(Path(work), files, options.at_once)) for files in options.files]
        found["lakes"] = [told(of_lake(Path(work), tables)) for tables in options.lakes]
    least = found["appends"][0]["append"]["processor_seconds"] if found["appends"] else 0.0
    for one in found["appends"]:
        one["more_than_the_first"] = round(one["append"]["processor_seconds"] - least, 2)
        if "append_merging_all" in one:
            rival = one["append_merging_all"]["processor_seconds"]
            one["ratio_to_merging_all"] = round(rival / one["append"]["processor_seconds"], 2)
    print(json.dumps(found, indent=1))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
