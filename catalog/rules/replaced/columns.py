"""A column of rows that were rewritten, beside itself in the rows that were replaced.

What nobody means is a fault (`catalog.history.replaced.changes`). What somebody may have meant is a finding whose
chance is `MEANT`: a warning, and none where earlier rewrites of the table that were right went as far.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from catalog.damage import DAMAGE_KINDS
from catalog.damage.numbers import factor_name
from catalog.history.replaced.changes import HALF, NEARLY_ALL, Change, Replaced, touched
from catalog.history.series import column_series
from catalog.metrics.words import number
from catalog.rules.verdict import MEANT, NOT_APPLICABLE, VIOLATED, Subject, Verdict
from catalog.wording import counted

#: Share of the rows by which a rewrite may go further than earlier ones did. Chosen: how many are due varies.
FURTHER = 0.1
#: By what figure of earlier rewrites each change is a usual one; of others by how many rows changed.
MEASURES = {"nulls": "erased_ratio", "constant": "set_ratio"}
REWRITTEN = "The version rewrote rows that were there"
RESTORE = "RESTORE"  # what logs call commits by which a table is as it was


@dataclass(frozen=True)
class Bands:
    """What the bands of a column say of rows that were rewritten.

    Parameters
    ----------
    said : of what is out by as much as its band is wide, and was within it in the rows that were replaced.
    put_right : whether those were out as far, and nothing is any more.
    """

    said: Verdict
    put_right: bool


def judged(batch: Subject, column: str, subject: str, bands: Bands | None) -> Verdict:
    """What is to be said of a column that was rewritten.

    Parameters
    ----------
    subject : the column, as sentences begin.
    bands : what its bands say; None where the column is not in both.
    """
    made = batch.replaced
    if batch.operation == RESTORE:
        return Verdict(NOT_APPLICABLE, f"{REWRITTEN}: an earlier version was restored.")
    if made is None or bands is None or column not in made.moves:
        return Verdict(NOT_APPLICABLE, f"{REWRITTEN}; what they replaced is not known, or of another type.")
    share, change = made.moves[column].share, made.changes.get(column)
    other = f"{REWRITTEN}: {_share(share)} of them hold another value here"
    quiet = Verdict(NOT_APPLICABLE, f"{other}, which no rule forbids.")
    if share == 0 or _is_load_mark(batch, column, made):
        return quiet
    if bands.put_right:
        return replace(quiet, sentence=f"{other}, and are as usual again.")
    if change is None:
        few = share < HALF or made.moves[column].filled >= HALF * share
        return quiet if few or bands.said.status != VIOLATED else replace(bands.said, p_value=MEANT)
    name = MEASURES.get(change.kind, "changed_ratio")
    usual = max((one[name] for one in column_series(batch.rewrites or [], column) if name in one), default=0.0)
    excused = change.kind in MEASURES or not change.fault
    if excused and change.share <= usual + FURTHER * (usual > 0):
        return replace(quiet, sentence=f"{other}, as in earlier rewrites.")
    return Verdict(
        VIOLATED,
        f"{subject}: {_said(change, made, column)}; expected {_usual(usual, change)}.",
        {name: change.share},
        {name: [0.0, usual]},
        metric=name,
        value=change.share,
        low=0.0,
        high=usual,
        p_value=0.0 if change.fault else MEANT,
    )


def _is_load_mark(batch: Subject, column: str, made: Replaced) -> bool:
    """Whether a column says when, or by which load, rows were written: it is another one whenever they are."""
    now, before = made.now.columns[column], made.before.columns[column]
    if touched(now, before, batch.committed_at.date()):
        return True
    known = [one["dist_val_count"] for one in column_series(batch.history or [], column) if "dist_val_count" in one]
    return bool(known) and max(known) <= 1 and now.distinct.estimate() <= max(before.distinct.estimate(), 1)


def _said(change: Change, made: Replaced, column: str) -> str:
    """What became of the column, in words; no value of it is told."""
    rows = "the rows that were rewritten"
    of = f"all of {rows}" if change.share >= NEARLY_ALL else f"{_share(change.share)} of {rows}"
    values = counted(round(made.before.columns[column].distinct.estimate()), "different value")
    words: Mapping[str, Callable[[], str]] = {
        "nulls": lambda: f"{_all(change.share)} of the values that were there are missing in {rows}",
        "constant": lambda: f"one value stands in {of} now, where there were {values}",
        "exchanged": lambda: f"{of} hold what {change.other!r} held, and that one what stood here",
        "copied": lambda: f"{of} hold the value of {change.other!r} now",
        "scale": lambda: f"numbers are {factor_name(change.size or 1.0)} times what they were in {of}",
        "moved": lambda: f"times are {_later(change.size or 0.0)} than they were in {of}",
        "written": lambda: f"{_lower(DAMAGE_KINDS[change.key].words.format(column='it'))} in {of}",
        "identifiers": lambda: f"{of} are identified by another value, while all else is as it was",
        "level": lambda: f"numbers are others in {of}, most of them of another size",
        "values": lambda: f"values in {of} were never there before",
    }
    return words[change.kind]()


def _usual(usual: float, change: Change) -> str:
    """What was expected of a rewrite."""
    return f"at most {_share(usual)}, as in earlier rewrites" if usual and not change.fault else "to stay as they were"


def _lower(words: str) -> str:
    return words[:1].lower() + words[1:]


def _all(share: float) -> str:
    return "all" if share >= 1 else _share(share)


def _share(share: float) -> str:
    return number("changed_ratio", share)


def _later(hours: float) -> str:
    """By how much times moved.

    >>> _later(24.0), _later(-2.0)
    ('1 day later', '2 hours earlier')
    """
    whole = abs(hours) % 24 == 0
    size: Any = counted(round(abs(hours) / 24), "day") if whole else counted(round(abs(hours)), "hour")
    return f"{size} {'later' if hours > 0 else 'earlier'}"
