"""Declared checks on tables: counted, judged at once, across tables, tried, and the rows that break them."""
