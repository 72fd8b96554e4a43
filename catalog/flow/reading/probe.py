"""Whether a source holds what it promises: its folder can be listed, and Delta tables lie in it.

``python -m catalog.flow.reading.probe`` is asked by processes that read no lake themselves: it takes address and globs
as JSON on standard input, the settings from the environment, and answers in JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from itertools import islice

from catalog.errors import AssayError, UsageError
from catalog.lake.logs.discover import discover
from catalog.settings import get_settings

ENOUGH = 1000  # tables counted; a lake may hold any number; a bound of time
UNTESTED = "register it untested"


def probe(uri: str, include: Sequence[str], exclude: Sequence[str], options: dict[str, str]) -> int:
    """How many tables there are, counted up to `ENOUGH`. Errors: `NotFound` when the place cannot be listed,
    `UsageError` when it holds no table that is wanted."""
    found = sum(1 for _ in islice(discover(uri, include, exclude, options), ENOUGH))
    if not found:
        globs = " whose name is wanted" if include or exclude else ""
        remedy = f"give the folder that holds the Delta tables, or {UNTESTED} if they come later"
        raise UsageError(f"there is no Delta table{globs} under {uri}", remedy=remedy)
    return found


def main() -> None:
    asked = json.load(sys.stdin)
    try:
        told = {"tables": probe(asked["uri"], asked["include"], asked["exclude"], get_settings().storage_options)}
    except AssayError as error:
        told = {"cause": error.cause, "remedy": error.remedy}  # type: ignore[dict-item]
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
