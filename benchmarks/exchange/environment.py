"""The tools, each in an environment of its own, and the jobs that they are given."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.environments import ensure

_SCRIPTS = Path(__file__).with_name("tools")
_SPARK = ("pyspark==3.5.6", "pandas<3", "pyarrow", "setuptools")


@dataclass(frozen=True)
class Tool:
    """What pip installs, the script that asks it, and jars from Maven Central by their coordinates."""

    packages: tuple[str, ...]
    script: str
    jars: tuple[str, ...] = ()


#: By name. dbt-core is as new as its packages are all in the registry: the parser of 1.12 comes from elsewhere. SodaCL
#: is the language of Soda Core 3; that of 4 is another.
TOOLS = {
    "gx": Tool(("great_expectations==1.24.1", *_SPARK), "ask_gx.py"),
    "dqx": Tool(("databricks-labs-dqx==0.17.0", *_SPARK), "ask_dqx.py"),
    "odcs": Tool(("datacontract-cli[duckdb]==1.2.8", *_SPARK), "ask_odcs.py"),
    # deequ 2.1 is built with 1.0.7 of the grammar, which is not served
    "dqdl": Tool(_SPARK, "ask_dqdl.py", ("com.amazon.deequ:deequ:2.1.0-spark-3.5", "software.amazon.glue:dqdl:1.0.0")),
    "soda": Tool(("soda-core-duckdb==3.5.6", "setuptools"), "ask_soda.py"),
    "dbt": Tool(("dbt-core==1.10.23", "dbt-duckdb==1.10.1"), "ask_dbt.py"),
}


def run(
    name: str, cache: Path, tables: Mapping[str, pa.Table], contracts: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """What a tool says of contracts (``id``, ``text``, ``tables``): by id and table (`tools.job`)."""
    tool = TOOLS[name]
    python = ensure(cache / name, tool.packages)
    folder = cache / name / "job"
    folder.mkdir(exist_ok=True)
    asked = {table for one in contracts for table in one["tables"]}
    files = {table: str(folder / f"{at}.parquet") for at, table in enumerate(sorted(asked))}
    for table, file in files.items():
        pq.write_table(tables[table], file)
    job, out = folder / "job.json", folder / "answers.json"
    job.write_text(json.dumps({"tables": files, "contracts": list(contracts)}))
    out.unlink(missing_ok=True)
    words = {"EXCHANGE_JARS": ",".join(str(_jar(cache / "jars", one)) for one in tool.jars)}
    environment = {key: told for key, told in os.environ.items() if not key.startswith(("PYTHON", "SPARK"))} | words
    with (folder / "log.txt").open("w") as log:
        command = [str(python), str(_SCRIPTS / tool.script), str(job), str(out)]
        subprocess.run(command, check=True, stdout=log, stderr=log, env=environment, cwd=folder)
    found: dict[str, Any] = json.loads(out.read_text())
    return found


def _jar(folder: Path, artifact: str) -> Path:
    """The file of one artifact of Maven Central, without those it asks for, by Maven itself."""
    _, name, version = artifact.split(":")
    file = folder / f"{name}-{version}.jar"
    if not file.exists():
        told = [f"-Dartifact={artifact}", f"-DoutputDirectory={folder}", "-Dmdep.useBaseVersion=true"]
        subprocess.run(["mvn", "-q", "dependency:copy", *told], check=True)
    return file
