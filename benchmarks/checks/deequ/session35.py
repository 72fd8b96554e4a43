"""deequ 2.1.0 on Spark 3.5, run by `environment.Deequ` with another interpreter: questions and answers are JSON lines.

    python session35.py IVY_FOLDER MEMORY

Of each answer: the processor seconds of this process tree (the JVM is among it), Spark's jobs, and the records that
stages read from files, which divided by the rows of a table are the passes over it.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import urllib.request
from collections.abc import Callable
from typing import Any

os.environ["SPARK_VERSION"] = "3.5"
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
os.environ["PYSPARK_PYTHON"] = sys.executable

import pydeequ.analyzers as analyzers
from processor import tree_seconds
from pydeequ.checks import Check, CheckLevel
from pydeequ.profiles import ColumnProfilerRunner
from pyspark.sql import SparkSession

EXCLUDED = "net.sourceforge.f2j:arpack_combined_all,software.amazon.glue:dqdl,org.slf4j:slf4j-api"
OUT = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what libraries print is no answer


def start(ivy: str, memory: str) -> SparkSession:
    return (
        SparkSession.builder.master("local[2]")
        .config("spark.jars.packages", "com.amazon.deequ:deequ:2.1.0-spark-3.5")
        .config("spark.jars.excludes", EXCLUDED)
        .config("spark.jars.ivy", ivy)
        .config("spark.driver.memory", memory)
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.ui.retainedStages", "100000")
        .config("spark.ui.retainedJobs", "100000")
        .config("spark.ui.port", "0")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )


class Session:
    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self.jvm: Any = spark._jvm

    def counted(self, work: Callable[[], Any]) -> dict[str, Any]:
        """What a work gives, with what it cost."""
        jobs, rows = self._done()
        before = tree_seconds()
        found = work()
        seconds = tree_seconds() - before
        jobs_after, rows_after = self._done()
        return {
            "found": found,
            "seconds": round(seconds, 3),
            "jobs": jobs_after - jobs,
            "rows_read": rows_after - rows,
        }

    def _done(self) -> tuple[int, int]:
        self.spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty(60_000)
        base = f"{self.spark.sparkContext.uiWebUrl}/api/v1/applications/{self.spark.sparkContext.applicationId}"
        with urllib.request.urlopen(f"{base}/jobs") as jobs, urllib.request.urlopen(f"{base}/stages") as stages:
            return len(json.load(jobs)), sum(stage["inputRecords"] for stage in json.load(stages))

    def profile(self, files: list[str]) -> dict[str, Any]:
        """deequ's column profile, its defaults: histograms up to 120 distinct values, no KLL."""
        frame = self.spark.read.parquet(*files)
        found = ColumnProfilerRunner(self.spark).onData(frame).run()
        told = {name: str(one) for name, one in found.profiles.items()}
        return {name: json.loads(text[text.index("{") :]) for name, text in told.items()}

    def values(self, files: list[str], demands: list[dict[str, Any]]) -> dict[str, Any]:
        """All metrics in one run of the analysis runner, as deequ plans it."""
        return self._run(self.spark.read.parquet(*files), demands)

    def grow(self, deltas: list[list[str]], demands: list[dict[str, Any]], incremental: bool) -> list[Any]:
        """The metrics after each delta: of everything so far, or of the delta with the states so far."""
        folder = tempfile.mkdtemp(prefix="deequ-states-")
        try:
            found = []
            for number in range(len(deltas)):
                files = deltas[number] if incremental else [one for some in deltas[: number + 1] for one in some]
                found.append(self.counted(lambda: self._delta(files, demands, folder, number if incremental else None)))  # noqa: B023
            return found
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _delta(self, files: list[str], demands: list[dict[str, Any]], folder: str, number: int | None) -> Any:
        frame = self.spark.read.parquet(*files)
        if number is None:
            return self._run(frame, demands)
        before = self._states(f"{folder}/{number - 1}") if number else None
        return self._run(frame, demands, before, self._states(f"{folder}/{number}"))

    def _states(self, where: str) -> Any:
        return self.jvm.com.amazon.deequ.analyzers.HdfsStateProvider(self.spark._jsparkSession, where, 2, True)

    def _run(self, frame: Any, demands: list[dict[str, Any]], before: Any = None, after: Any = None) -> dict[str, Any]:
        built = {one["id"]: self._analyzer(one) for one in demands}
        builder = self.jvm.com.amazon.deequ.VerificationSuite().onData(frame._jdf)  # as analyses, and takes states too
        for analyzer in built.values():
            builder = builder.addRequiredAnalyzer(analyzer)
        if before is not None:
            builder = builder.aggregateWith(before)
        if after is not None:
            builder = builder.saveStatesWith(after)
        metrics = builder.run().metrics()
        return {name: self._value(metrics.get(analyzer)) for name, analyzer in built.items()}

    def _analyzer(self, demand: dict[str, Any]) -> Any:
        if "check" in demand:
            check = Check(self.spark, CheckLevel.Error, demand["id"])
            getattr(check, demand["check"])(*demand["arguments"])
            return check._Check.requiredAnalyzers().iterator().next()
        analyzer = getattr(analyzers, demand["analyzer"])(*demand["arguments"], **demand.get("named", {}))
        analyzer._set_jvm(self.jvm)
        return analyzer._analyzer_jvm

    def _value(self, metric: Any) -> Any:
        if metric.isEmpty():
            return {"error": "no metric"}
        value = metric.get().value()
        if value.isFailure():
            return {"error": str(value.failed().get().getMessage())[:300]}
        found = value.get()
        if not hasattr(found, "getClass") or "Distribution" not in found.getClass().getName():
            return found
        pairs, out = found.values().iterator(), {}
        while pairs.hasNext():
            pair = pairs.next()
            out[str(pair._1())] = pair._2().absolute()
        return out


def main() -> None:
    started = tree_seconds()
    session = Session(start(sys.argv[1], sys.argv[2]))
    session.spark.range(10).count()
    say({"seconds": round(tree_seconds() - started, 3)})
    for line in sys.stdin:
        told = json.loads(line)
        try:
            work = getattr(session, told.pop("do"))
            if work == session.grow:
                say({"found": work(**told)})
            else:
                say(session.counted(lambda: work(**told)))  # noqa: B023 - called before the next one
        except Exception as error:
            say({"error": f"{type(error).__name__}: {error}"[:2000]})
    session.spark.stop()


def say(answer: dict[str, Any]) -> None:
    OUT.write(json.dumps(answer) + "\n")
    OUT.flush()


if __name__ == "__main__":
    main()
