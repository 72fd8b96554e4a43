"""Hiding what must not be seen."""
