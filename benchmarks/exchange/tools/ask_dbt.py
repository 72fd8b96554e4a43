"""Tests of dbt, run by it on DuckDB: a project a table, with every contract of the job in it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import duckdb
import job
import yaml
from dbt.cli.main import dbtRunner


def judge(file: str, texts: dict[str, str]) -> dict[str, job.Answer]:
    with tempfile.TemporaryDirectory() as folder:
        return judged(Path(folder), file, texts)


def judged(folder: Path, file: str, texts: dict[str, str]) -> dict[str, job.Answer]:
    """Each contract's model has a name of its own, by which its tests are found again."""
    with duckdb.connect(str(folder / "data.duckdb")) as connection:
        connection.execute(f"CREATE TABLE orders AS SELECT * FROM read_parquet('{file}')")
    (folder / "models").mkdir()
    models: list[Any] = []
    for at, text in enumerate(texts.values()):
        for model in yaml.safe_load(text)["models"]:
            models.append({**model, "name": f"orders_{at}"})
            (folder / "models" / f"orders_{at}.sql").write_text("select * from main.orders")
    (folder / "models" / "schema.yml").write_text(yaml.safe_dump({"version": 2, "models": models}))
    project = {"name": "exchange", "version": "1.0.0", "profile": "exchange", "models": {"+materialized": "view"}}
    (folder / "dbt_project.yml").write_text(yaml.safe_dump(project))
    target = {"type": "duckdb", "path": str(folder / "data.duckdb"), "threads": 2}
    (folder / "profiles.yml").write_text(yaml.safe_dump({"exchange": {"target": "t", "outputs": {"t": target}}}))
    told = ["--project-dir", str(folder), "--profiles-dir", str(folder), "--quiet"]
    dbtRunner().invoke(["run", *told])
    result = dbtRunner().invoke(["test", *told])
    by_model: dict[str, list[Any]] = {}
    for one in getattr(result.result, "results", None) or []:
        model = str(one.node.attached_node or "").rpartition(".")[2]
        by_model.setdefault(model, []).append(one)
    return {id: said(by_model.get(f"orders_{at}", []), result.exception) for at, id in enumerate(texts)}


def said(results: list[Any], raised: Any) -> job.Answer:
    told = [str(getattr(one.status, "value", one.status)) for one in results]
    wrong = [
        str(one.message) for one, status in zip(results, told, strict=True) if status not in ("pass", "fail", "warn")
    ]
    if wrong or not told:
        return job.unread(wrong[0] if wrong else str(raised or "no test ran"))
    return job.judged(all(one == "pass" for one in told))


if __name__ == "__main__":
    job.run(judge)
