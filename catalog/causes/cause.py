"""What is said of a cause, and the guesses that it is chosen from."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

#: Every cause by its name, as people read it in lists and when they correct one.
TITLES: dict[str, str] = {
    "scale": "another unit or scale",
    "inverted": "one divided by each",
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
    "identifiers": "identifiers changed",
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
    "scale inverted sign rounded decimal_mark date_format day_month time_zone time_lost time_cut days_moved case cut "
    "doubled transposed prefix suffix separators spaces quotes digits_letters leading_zeros check_digit encoding "
    "escapes excel".split()
)
#: Causes by which values are not those that came, to be told from other content.
REWRITTEN = REWRITES | {"swapped", "shifted"}
#: Share of a change that a guess has to explain to be said, and probability from which one is. Chosen: less than a
#: third is chance among so many guesses; rather so than not.
LEAST_FIT, RATHER = 0.35, 0.5
#: Log odds that values were rewritten as a guess says, rather than that other ones came: ``WRITTEN + EXPLAINING * z``,
#: z = -log(1.01 - fit), less for numbers and for columns exchanged. Fitted by what ``benchmarks.causes.young --fit``
#: does, to 549 diagnoses of real tables of the part to develop on, one version or twenty before, 300 of them right; the
#: command itself, to 939 guesses at single columns with one version before, gives -3.43, 1.76, -0.57 and -2.41.
WRITTEN, EXPLAINING = -4.44, 2.14
LESS = dict.fromkeys(("scale", "inverted", "sign", "rounded"), -1.13) | {"swapped": -0.97, "shifted": -0.97}  # fitted
#: Kinds of damage to times, of which too few were measured.
OF_TIMES = frozenset({"zone", "time_lost", "time_cut", "days_moved", "day_month_time", "times_swapped"})
#: How often what is read off values themselves was right there (marks, check digits, exchanged neighbours): of 18 such
#: guesses, and one more that would have been wrong (rule of succession). Of values known before and after 152 of 153
#: were. Chosen so.
READ_OFF, KNOWN_PAIRS = 0.95, 0.99
#: What a rule on values measures: the share of them that it does not allow.
NONCONFORMING = "nonconforming"
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
    sure : how often such a guess is right, where its fit only ranks it among others.
    """

    key: str
    cause: str
    fit: float
    share: float = 1.0
    detail: Mapping[str, Any] = field(default_factory=dict)
    mend: Callable[[Any], Any] | None = None
    undo: str = ""
    others: tuple[str, ...] = ()
    sure: float | None = None

    @property
    def probability(self) -> float | None:
        """How probable it is that values were rewritten so, rather than that other ones came; None for causes that tell
        what is there, and for those of which too few were measured."""
        if self.sure is not None:
            return self.sure
        if self.cause not in REWRITTEN or self.key in OF_TIMES:
            return None
        return KNOWN_PAIRS if "pairs" in self.detail else probability(self.cause, self.fit)

    @property
    def credible(self) -> bool:
        """Whether it is rather so than not, and explains enough to be said."""
        known = self.probability
        return self.fit >= LEAST_FIT and (known is None or known >= RATHER)


def probability(cause: str, fit: float) -> float:
    """How probable a guess of so good a fit is, where half of the changes are damage.

    >>> [round(probability("cut", fit), 2) for fit in (0.7, 0.9, 0.95, 1.0)]
    [0.13, 0.57, 0.83, 1.0]
    """
    odds = WRITTEN + LESS.get(cause, 0.0) - EXPLAINING * math.log(max(1 - fit, 0.0) + 0.01)
    return 1 / (1 + math.exp(-odds))
