"""Contracts of other tools, taken in as declared checks."""
