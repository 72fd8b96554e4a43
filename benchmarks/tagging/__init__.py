"""How well columns are tagged; see ``benchmarks/tagging/__main__.py``."""
