"""Checks of DQX, run by it on Spark: its validator first, then its engine, each check named after its contract.

Queries are asked one by one (a plan with 40 of them takes more memory than a JVM has), and mark every row or none.
"""

from __future__ import annotations

from typing import Any
from unittest.mock import MagicMock

import job
import pyspark.sql.functions as f
import yaml
from databricks.labs.dqx.engine import DQEngineCore
from databricks.sdk import WorkspaceClient

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
    queries = [one for one in checks if one["check"]["function"] == "sql_query"]
    others = [one for one in checks if one not in queries]
    for some in [others, *([one] for one in queries)]:
        results = ENGINE.apply_checks_by_metadata(frame, some)
        told = f.concat(*(f.coalesce(one, f.array()) for one in ("_errors", "_warnings")))
        named = results.select(f.explode(told).alias("told")).select("told.name", "told.message")
        for row in named.groupBy("name").agg(f.count("*").alias("rows"), f.first("message").alias("message")).collect():
            unread = "skipped" in row["message"] or "cannot be evaluated" in row["message"]
            rows = None if some[0] in queries else row["rows"]
            answers[ids[row["name"]]] = job.unread(row["message"]) if unread else job.judged(False, rows)
    return answers


if __name__ == "__main__":
    job.run(judge)
