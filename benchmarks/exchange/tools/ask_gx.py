"""Suites of Great Expectations, run by it on Spark."""

from __future__ import annotations

import json
from typing import Any

import great_expectations as gx
import job

CONTEXT = gx.get_context(mode="ephemeral")
SPARK = job.spark()
SOURCE = CONTEXT.data_sources.add_spark("tables")


def judge(file: str, texts: dict[str, str]) -> dict[str, job.Answer]:
    whole = SOURCE.add_dataframe_asset(name=file).add_batch_definition_whole_dataframe("all")
    batch = whole.get_batch(batch_parameters={"dataframe": SPARK.read.parquet(file).cache()})
    return {id: job.told(lambda text=text: said(batch, text)) for id, text in texts.items()}  # type: ignore[misc]


def said(batch: Any, text: str) -> job.Answer:
    results = batch.validate(gx.ExpectationSuite(**json.loads(text))).results
    raised = [one.exception_info for one in results if _raised(one.exception_info)]
    if raised or not results:
        return job.unread(json.dumps(raised, default=str))
    counts = [one.result.get("unexpected_count") for one in results]
    return job.judged(all(one.success for one in results), None if None in counts else sum(counts))


def _raised(info: dict[str, Any]) -> bool:
    return bool(info.get("raised_exception")) or any(
        isinstance(one, dict) and one.get("raised_exception") for one in info.values()
    )


if __name__ == "__main__":
    job.run(judge)
