"""What the scripts of this folder share, run by other interpreters: a job in, answers out; nothing of this project.

A job is a JSON file: ``tables`` (name to Parquet file), ``contracts`` (each with ``id``, its ``text`` and the
``tables`` that it is asked of). Answers: by id and table ``passed``, ``wrong`` (rows that break it, where the tool
counts them) and ``error`` (what it said instead).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Answer = dict[str, Any]


def told(work: Callable[[], Answer]) -> Answer:
    """What a tool says, or why it says nothing."""
    try:
        return work()
    except Exception as error:
        return unread(f"{type(error).__name__}: {error}")


def unread(why: str) -> Answer:
    return {"passed": None, "wrong": None, "error": why[:600] or "it says nothing"}


def judged(passed: bool, wrong: int | None = None) -> Answer:
    return {"passed": passed, "wrong": wrong, "error": ""}


def run(judge: Callable[[str, dict[str, str]], dict[str, Answer]]) -> None:
    """Answers a job.

    Parameters
    ----------
    judge : from the file of a table and the texts of contracts by id to what is said of each.
    """
    job, out = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])
    found: dict[str, dict[str, Answer]] = {one["id"]: {} for one in job["contracts"]}
    for name, file in job["tables"].items():
        for id, answer in judge(
            file, {one["id"]: one["text"] for one in job["contracts"] if name in one["tables"]}
        ).items():
            found[id][name] = answer
    out.write_text(json.dumps(found))


def spark() -> Any:
    """Spark 3.5 on this machine alone."""
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    return (
        SparkSession.builder.master("local[2]")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "3g")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.jars", os.environ.get("EXCHANGE_JARS", ""))
        .getOrCreate()
    )
