"""Data contracts of the Open Data Contract Standard, run by the Data Contract CLI on Spark."""

from __future__ import annotations

import job
import yaml
from datacontract.data_contract import DataContract

SPARK = job.spark()


def judge(file: str, texts: dict[str, str]) -> dict[str, job.Answer]:
    SPARK.read.parquet(file).cache().createOrReplaceTempView("orders")
    return {id: job.told(lambda text=text: said(text)) for id, text in texts.items()}  # type: ignore[misc]


def said(text: str) -> job.Answer:
    contract = yaml.safe_load(text)
    contract["servers"] = [{"server": "here", "type": "databricks", "catalog": "spark_catalog", "schema": "default"}]
    run = DataContract(data_contract_str=yaml.safe_dump(contract), spark=SPARK).test()
    results = {str(getattr(one.result, "value", one.result)): str(one.reason) for one in run.checks or []}
    unread = any(why.startswith("Error evaluating") for why in results.values())
    if unread or not results or not set(results) <= {"passed", "failed", "warning"}:
        return job.unread("; ".join(results.values()))
    return job.judged(set(results) == {"passed"})


if __name__ == "__main__":
    job.run(judge)
