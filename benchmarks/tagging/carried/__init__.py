"""Labelled columns of tables that packages carry; see ``benchmarks.tagging.carried.__main__``."""
