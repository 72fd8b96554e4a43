"""Causes of whole rows: what rewrites made of them, and how each reads."""
