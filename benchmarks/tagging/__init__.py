"""How well columns are tagged; see ``benchmarks.tagging``."""
