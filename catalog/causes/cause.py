"""What is said of a cause, and the guesses that it is chosen from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

#: Every cause by its name, as people read it in lists and when they correct one.
TITLES: dict[str, str] = {
    "scale": "another unit or scale",
    "sign": "the other sign",
    "rounded": "decimals lost",
    "decimal_mark": "another decimal mark",
    "date_format": "another date format",
    "day_month": "day and month exchanged",
    "time_zone": "times shifted by hours",
    "time_lost": "time of day lost",
    "time_cut": "times cut to hours, minutes or seconds",
    "days_moved": "times moved by days",
    "stray": "times far from all others",
    "default": "default values",
    "nulls": "values missing",
    "filled": "values where there were none",
    "new_values": "new values",
    "typo": "misspelt values",
    "case": "upper and lower case",
    "cut": "values cut off",
    "doubled": "values twice in a cell",
    "transposed": "characters exchanged",
    "prefix": "another prefix",
    "suffix": "something added behind",
    "separators": "other separators",
    "spaces": "white space added",
    "quotes": "quotation marks added",
    "digits_letters": "digits and letters confused",
    "leading_zeros": "leading zeros lost",
    "check_digit": "wrong check digits",
    "encoding": "garbled letters",
    "escapes": "escapes of HTML or URLs",
    "excel": "changed by a spreadsheet",
    "swapped": "columns exchanged",
    "shifted": "columns shifted",
    "volume": "number of rows",
    "duplicates": "rows that came twice",
    "repeated_key": "values of a key twice",
    "part_missing": "a part of the rows missing",
    "stale": "an old delivery again",
    "reused": "identifiers used again",
    "restarted": "numbers that begin again",
    "in_clear": "values in clear",
    "loaded_again": "rows that an earlier load brought",
    "orphans": "values that another table lacks",
    "schema": "columns changed",
    "late": "late delivery",
    "unknown": "not known",
}
#: Causes that rewrite the values that are there, one by one and by a rule; not those that put others in their place.
REWRITES = frozenset(
    "scale sign rounded decimal_mark date_format day_month time_zone time_lost time_cut days_moved case cut doubled "
    "transposed prefix suffix separators spaces quotes digits_letters leading_zeros check_digit encoding escapes "
    "excel".split()
)
#: Causes that are of the whole table, whichever of its columns show it.
OF_TABLES = ("volume", "duplicates", "stale", "part_missing")
#: Confidence from which a cause is sure. Chosen: nine of ten are right.
SURE = 0.9


@dataclass(frozen=True)
class Cause:
    """What probably happened to one batch, for one reason.

    Parameters
    ----------
    cause : one of `TITLES`.
    key : the kind of damage (`catalog.damage`), or the cause where there is none.
    confidence : 0..1; how often such a cause was right where it was measured (`benchmarks.causes`).
    columns : the columns concerned; none where whole rows are.
    size : what is to be told of it: a factor, hours, a share of the rows, a value. JSON data.
    sentence : the whole story in one sentence or two. No value of a sensitive column is in it.
    undo : what takes it back, in words; empty where nothing does.
    proof : what holds when it is taken back, in words; empty where it was not tried.
    figures : of numbers, quantiles `before` and `now` by their share, JSON data; none of a sensitive column.
    """

    cause: str
    key: str
    confidence: float
    columns: tuple[str, ...]
    size: Mapping[str, Any]
    sentence: str
    undo: str = ""
    proof: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As JSON data.

        >>> Cause("nulls", "nulls", 0.9, ("a",), {"share": 0.4}, "Values are missing.").to_json()["columns"]
        ['a']
        """
        found = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return found | {"columns": list(self.columns), "size": dict(self.size), "figures": dict(self.figures)}


@dataclass(frozen=True)
class Guess:
    """One explanation of what changed in a column.

    Parameters
    ----------
    fit : share of the change that it explains, 0..1.
    share : of the rows that it concerns.
    words : what happened, without the columns: see `catalog.causes.words`.
    mend : a value back as it was, for the proof.
    others : further columns that it concerns (the one it was exchanged with).
    """

    key: str
    cause: str
    fit: float
    share: float = 1.0
    detail: Mapping[str, Any] = field(default_factory=dict)
    mend: Callable[[Any], Any] | None = None
    undo: str = ""
    others: tuple[str, ...] = ()
