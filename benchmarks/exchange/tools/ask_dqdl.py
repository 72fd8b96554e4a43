"""Rulesets of DQDL: parsed by Glue's own grammar (`software.amazon.glue:dqdl`), judged by deequ's translator of it."""

from __future__ import annotations

from typing import Any

import job
from pyspark.sql import DataFrame

SPARK = job.spark()
JVM: Any = SPARK._jvm
DQDL = JVM.com.amazon.deequ.dqdl
PASSED = ("Passed", "Failed")


def judge(file: str, texts: dict[str, str]) -> dict[str, job.Answer]:
    frame = SPARK.read.parquet(file).cache()
    frame.createOrReplaceTempView("primary")  # as Glue names the table that a ruleset is asked of
    parsed = {id: job.told(lambda text=text: {"rules": rules_of(text)}) for id, text in texts.items()}  # type: ignore[misc]
    inner = [text.partition("[")[2].rpartition("]")[0].strip() for id, text in texts.items() if "rules" in parsed[id]]
    whole = "Rules = [\n" + ",\n".join(inner) + "\n]"
    rows = DataFrame(DQDL.EvaluateDataQuality.process(frame._jdf, whole), SPARK).collect()
    told = {row["Rule"]: row for row in rows}
    return {
        id: said([told.get(rule) for rule in one["rules"]]) if "rules" in one else one for id, one in parsed.items()
    }


def rules_of(text: str) -> list[str]:
    ruleset = DQDL.util.DefaultDQDLParser.parse(text)
    return [rule.toString() for rule in ruleset.getRules()]


def said(rows: list[Any]) -> job.Answer:
    if None in rows or not rows:
        return job.unread("no outcome has the words of the rule")
    reasons = [row["FailureReason"] or "" for row in rows if row["Outcome"] not in PASSED or _of_tool(row)]
    return job.unread(reasons[0]) if reasons else job.judged(all(row["Outcome"] == "Passed" for row in rows))


def _of_tool(row: Any) -> bool:
    why = row["FailureReason"] or ""
    return any(word in why for word in ("not supported", "not implemented", "Exception", "cannot be resolved", "PARSE"))


if __name__ == "__main__":
    job.run(judge)
