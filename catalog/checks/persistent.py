"""Whether a rule breaks as it broke before: one change that stays, however many versions it is seen in.

Compared is what the outcomes of two versions keep: of a schema the damage, of metrics which of them are out, on which
side and how far in half widths of their bands, of strings which clauses are broken and by what new look. Anything more,
or further out than the band itself is wide, is another change.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

Detail = Mapping[str, Any]  # `observed` and `expected` of a verdict

#: Half widths of its band by which a metric may be further out than it was: as far as healthy batches differ.
FURTHER = 1.0
#: Standard errors by which a share of rows may be larger than it was.
SIGMAS = 3.0


def continues(kind: str, before: Detail, now: Detail) -> bool:
    """Whether a violation goes on with what an earlier one of the same rule saw, and nothing worse.

    >>> gone = {"observed": {"damage": ["column 'a' is gone"]}}
    >>> more = {"observed": {"damage": ["column 'a' is gone", "column 'b' is gone"]}}
    >>> continues("schema", gone, gone), continues("schema", gone, more), continues("schema", more, gone)
    (True, False, True)
    """
    how = _HOW.get(kind)
    return how is not None and bool(now.get("observed")) and how(before, now)


def _schema(before: Detail, now: Detail) -> bool:
    damage = set(now["observed"].get("damage") or ())
    return bool(damage) and damage <= set(before["observed"].get("damage") or ())


def _metrics(before: Detail, now: Detail) -> bool:
    """
    >>> half = {"observed": {"row_count": 50.0}, "expected": {"row_count": [90.0, 110.0]}}
    >>> less = {"observed": {"row_count": 1.0}, "expected": {"row_count": [90.0, 110.0]}}
    >>> continues("volume", half, half), continues("volume", half, less)
    (True, False)
    """
    was, out = _beyond(before), _beyond(now)
    return all(
        name in was and was[name] * far > 0 and abs(far) <= abs(was[name]) + FURTHER for name, far in out.items()
    )


def _beyond(detail: Detail) -> dict[str, float]:
    """How far each metric is beyond its band, in half widths; negative below it."""
    found = {}
    for name, value in (detail.get("observed") or {}).items():
        low, high = (detail.get("expected") or {}).get(name) or (None, None)
        if high is None or value is None:
            found[name] = math.nan
            continue
        half = max((high - (low if low is not None else 0.0)) / 2, 1e-12)
        found[name] = (value - high) / half if low is None or value > high else (value - low) / half
    return found


def _strings(before: Detail, now: Detail) -> bool:
    was, out = _broken(before), _broken(now)
    look = [(one["observed"].get("new") or [None])[0] for one in (before, now)]
    rows = max(now["observed"].get("rows") or 0, 1)
    known = {words: share + SIGMAS * math.sqrt(share * (1 - share) / rows) for words, share in was.items()}
    return bool(out) and look[0] == look[1] and all(share <= known.get(words, -1.0) for words, share in out.items())


def _broken(detail: Detail) -> dict[str, float]:
    """The share of the rows that does not conform to each clause that any row breaks."""
    clauses = (detail.get("observed") or {}).get("clauses") or ()
    return {one["words"]: float(one["share"]) for one in clauses if one["nonconforming"]}


_HOW: dict[str, Callable[[Detail, Detail], bool]] = {
    "schema": _schema,
    "history": _metrics,
    "volume": _metrics,
    "pattern": _strings,
    "vocabulary": _strings,
}
