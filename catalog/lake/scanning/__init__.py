"""Spark: its session, the scan, and the counting of what checks ask for."""
