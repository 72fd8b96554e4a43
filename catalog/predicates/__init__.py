"""Conditions on rows that people write: SQL expressions in Spark's dialect, over the columns of one table.

A predicate is parsed (`predicate`), typed against a table's columns and turned into DuckDB's SQL (`typed`,
`functions`), and evaluated on Arrow batches (`engine`). Everything here is an expression: statements, subqueries,
aggregates, functions that read files, the clock or chance are refused.

What it means
-------------
As Spark does, with these words for what can go wrong in a row: a cast that fails, a division by zero, a number beyond
its type are null (Spark's ``try_cast``, ``try_divide``, ``try_add`` ...). So no cell makes a check fail as a whole.
NaN equals NaN and is above every number. A comparison with null is null; ``<=>`` compares nulls too. Text and numbers
are compared only after a CAST that somebody wrote. What DuckDB would answer otherwise than Spark is evaluated by Spark
(`NeedsSpark`).
"""
