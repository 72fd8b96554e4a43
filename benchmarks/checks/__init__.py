"""Declared checks and the full profile against the real deequ and DuckDB; see `benchmarks.checks.__main__`."""
