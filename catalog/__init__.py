"""Assay: a data catalog for Delta lakes that tags and tests every column by itself."""

__version__ = "0.1.0"
