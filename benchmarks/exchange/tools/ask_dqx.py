"""Checks of DQX, run by it on Spark: its validator first, then its engine, each check named after its contract."""

from __future__ import annotations

from typing import Any
from unittest.mock import MagicMock

import job
import pyspark.sql.functions as f
import yaml
from databricks.labs.dqx.engine import DQEngineCore
from databricks.sdk import WorkspaceClient

#: Checks in one plan; a bound of memory: with 40 queries in it a JVM of 1 GiB ran out of it.
TOGETHER = 8
SPARK = job.spark()
CLIENT = MagicMock(spec=WorkspaceClient)  # a workspace, which judging rows asks nothing of
CLIENT.config = MagicMock()
ENGINE = DQEngineCore(CLIENT, SPARK)


def judge(file: str, texts: dict[str, str]) -> dict[str, job.Answer]:
    frame = SPARK.read.parquet(file).cache()
    checks, answers, ids = list[Any](), dict[str, job.Answer](), dict[str, str]()
    for id, text in texts.items():
        own = yaml.safe_load(text)
        status = DQEngineCore.validate_checks(own)
        if status.has_errors:
            answers[id] = job.unread(str(status))
            continue
        ids[f"c{len(ids)}"] = id
        checks += [one | {"name": f"c{len(ids) - 1}"} for one in own]
    answers |= dict.fromkeys(ids.values(), job.judged(True, 0))
    for start in range(0, len(checks), TOGETHER):
        results = ENGINE.apply_checks_by_metadata(frame, checks[start : start + TOGETHER])
        for column in ("_errors", "_warnings"):
            named = results.select(f.explode_outer(f.array_distinct(f.col(column)["name"])).alias("name"), column)
            for row in named.groupBy("name").agg(f.count("*").alias("rows"), f.first(column).alias("told")).collect():
                if row["name"] is None:
                    continue
                message = next(one["message"] for one in row["told"] if one["name"] == row["name"])
                unread = "skipped" in message or "cannot be evaluated" in message
                answers[ids[row["name"]]] = job.unread(message) if unread else job.judged(False, row["rows"])
    return answers


if __name__ == "__main__":
    job.run(judge)
