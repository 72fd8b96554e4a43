"""Rows that are rewritten: what is told of right rewrites, and of wrong ones."""
