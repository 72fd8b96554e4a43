"""Assay: a data catalog for Delta lakes that tags and tests every column by itself.

As a library, without a service: `check`, `profile`, `learn`, `tag` and `compare` (`catalog.library`) work on data
frames of pandas, polars, Arrow and Spark. They are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from catalog.library import check, compare, learn, profile, tag

__version__ = "0.1.0"
__all__ = ["check", "compare", "learn", "profile", "tag"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from catalog import library

    return getattr(library, name)
