"""Declared checks on tables: counted, judged at once, across tables, tried on past versions."""
