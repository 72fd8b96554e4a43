"""Columns that name rows of other tables: found from samples of keys, and asked of both tables as they stand."""
