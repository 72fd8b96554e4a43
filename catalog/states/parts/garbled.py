"""Text that was read in another encoding than it was written in."""

from __future__ import annotations

import re
from collections.abc import Iterable

import polars as pl

# What Windows-1252 and Latin-1 make of the bytes that continue a character of UTF-8.
_CONTINUED = "\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
# The same without marks that stand behind a letter in sound text too: quotation marks, dashes, non-breaking spaces.
_UNUSUAL = "\u0080-\u009f\u00a1-\u00aa\u00ac-\u00ba\u00bc-\u00bfƒˆŠŒŽšœžŸ˜"
GARBLED = "|".join(
    (
        "\ufffd",
        f"[ÂÃ][{_CONTINUED}]",
        f"[Ä-ß][{_UNUSUAL}]",
        f"à[¤-¿][{_CONTINUED}]",
        f"[á-ï][{_CONTINUED}]{{2}}",
        f"[ð-ô][{_CONTINUED}]{{3}}",
    )
)
_GARBLED = re.compile(GARBLED)
_REPLACED, _LEADS = "\ufffd".encode(), b"\xc3"  # in the UTF-8 of what is garbled


def is_garbled(value: str) -> bool:
    """Whether a text holds replacement characters, or characters that are UTF-8 read as Latin-1 or Windows-1252.

    >>> [is_garbled(v) for v in ("ZÃ¼rich", "Z\\ufffdrich", "â€œyesâ€", "Zürich", "CAFÉ»", "São Paulo")]
    [True, True, True, False, False, False]
    """
    return not value.isascii() and _GARBLED.search(value) is not None


def garbled_of_values(table: Iterable[tuple[str, int]]) -> int:
    """Rows of a short table of values that are garbled."""
    return sum(count for value, count in table if is_garbled(value))


def garbled_of_cells(cells: pl.Series) -> int:
    """How many of binary cells without nulls are garbled; bytes that are no UTF-8 are."""
    suspects = cells.filter(cells.bin.contains(_REPLACED) | cells.bin.contains(_LEADS))
    try:
        cells.cast(pl.String)  # nothing but a check of the bytes
        return int(suspects.cast(pl.String).str.contains(GARBLED).sum() or 0)
    except pl.exceptions.ComputeError:
        return sum(is_garbled(bytes(cell).decode("utf-8", "replace")) for cell in cells)
