"""Checks in SodaCL, run by Soda Core 3.5 on DuckDB."""

from __future__ import annotations

import duckdb
import job
from soda.scan import Scan


def judge(file: str, texts: dict[str, str]) -> dict[str, job.Answer]:
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE orders AS SELECT * FROM read_parquet('{file}')")
    return {id: job.told(lambda text=text: said(connection, text)) for id, text in texts.items()}  # type: ignore[misc]


def said(connection: duckdb.DuckDBPyConnection, text: str) -> job.Answer:
    scan = Scan()
    scan.add_duckdb_connection(connection)
    scan.set_data_source_name("duckdb")
    scan.add_sodacl_yaml_str(text)
    scan.execute()
    outcomes = [one["outcome"] for one in scan.get_scan_results()["checks"]]
    if scan.has_error_logs() or None in outcomes or not outcomes:
        return job.unread(scan.get_error_logs_text() or "nothing was judged")
    return job.judged(outcomes == ["pass"] * len(outcomes))


if __name__ == "__main__":
    job.run(judge)
