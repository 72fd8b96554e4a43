"""Whether a source holds what it promises: its folder can be listed, and Delta tables lie in it.

``python -m catalog.flow.reading.probe`` is asked by processes that read no lake themselves: it takes the arguments of
`probe` as JSON on standard input, the settings from the environment, and answers in JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from itertools import islice
from typing import Any

from catalog.errors import AssayError, UsageError
from catalog.lake.logs.discover import discover
from catalog.settings import get_settings
from catalog.wording import unlisted

ENOUGH = 1000  # tables of a new source looked for; a lake may hold any number; a bound of time
UNTESTED = "register it untested"


def probe(
    uri: str,
    include: Sequence[str],
    exclude: Sequence[str],
    options: dict[str, str],
    *,
    roots: Sequence[str] = (),
    most: int | None = ENOUGH,
) -> tuple[list[tuple[str, str]], list[str]]:
    """The tables there are, up to `most`: name and address; and the folders that cannot be listed, of which nobody
    knows what they hold. `roots`: see `discover`. Errors: `NotFound` when the place cannot be listed, `UsageError` when
    no table that is wanted was seen."""
    closed: list[str] = []
    seen = discover(uri, include, exclude, options, on_error=lambda folder, _: closed.append(folder), roots=roots)
    found = list(islice(seen, most))
    if not found and closed:
        raise UsageError(
            f"no Delta table was seen under {uri}: {unlisted(closed)}", remedy=f"see who may read them, or {UNTESTED}"
        )
    if not found:
        globs = " whose name is wanted" if include or exclude else ""
        remedy = f"give the folder that holds the Delta tables, or {UNTESTED} if they come later"
        raise UsageError(f"there is no Delta table{globs} under {uri}", remedy=remedy)
    return found, closed


def main() -> None:
    asked = json.load(sys.stdin)
    told: dict[str, Any]
    try:
        found, closed = probe(**asked, options=get_settings().storage_options)
        told = {"tables": found, "closed": closed}
    except AssayError as error:
        told = {"cause": error.cause, "remedy": error.remedy}
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
