"""Causes of whole rows in words: too few, twice, deleted, loaded again, of columns that changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from catalog.causes.cause import Guess
from catalog.causes.quoting import per_cent, shown
from catalog.wording import counted, do

if TYPE_CHECKING:
    from catalog.causes.words import Seen

MOST_CHANGES = 3  # of a schema that a sentence names; a bound of length


def named(table: str) -> str:
    """A table in words: of a frame nobody told the name."""
    return f"`{table}`" if table else "the table"


def _rows(guess: Guess, where: str, seen: Seen) -> str:
    usual = seen.usual("row_count")
    if not seen.rows:
        return f"{where} is empty{f' (usual {usual} rows)' if usual else ''}"
    less = guess.detail["ratio"] - 1
    change = f"{per_cent(abs(less))} {'fewer' if less < 0 else 'more'}"
    if "before" in guess.detail:
        return f"{where} has {counted(seen.rows, 'row')}, {change} than the batch before ({guess.detail['before']:,})"
    if "then" in guess.detail:
        usual = f"{guess.detail['usual']:,.0f}"
    return f"{where} has {counted(seen.rows, 'row')}, {change} than usual{f' ({usual})' if usual else ''}"


def _twice(guess: Guess, where: str, seen: Seen) -> str:
    usual = seen.usual("row_count")
    rows = f"({counted(seen.rows, 'row')}{f'; usual {usual}' if usual else ''})"
    if guess.detail.get("unevenly") and "repeats" in guess.detail:  # some came more often: twice, none in particular
        return f"About {per_cent(guess.detail['repeats'])} of the rows of {where} repeat others {rows}"
    what = "Every row" if guess.key == "batch_twice" else f"About {per_cent(guess.share)} of the rows"
    has = "has" if guess.key == "batch_twice" else "have"
    return f"{what} of {where} {has} come twice {rows}"


def _key_repeated(guess: Guess, where: str, seen: Seen) -> str:
    rows = f"{counted(guess.detail['rows'], 'row')} ({per_cent(guess.share)})"
    return f"{rows} repeat a value of {where}, which was unique"


def _loaded_again(guess: Guess, where: str, seen: Seen) -> str:
    about = "" if guess.detail["exact"] else "about "
    rows = f"{about}{counted(guess.detail['rows'], 'row')} ({per_cent(guess.share)}) of this load"
    carry = f"{rows} carry a value of {where} that" if guess.others else f"{rows} are rows that"
    carry += f" an earlier load has already, most of them version {guess.detail['version']}"
    same = "The rows are the same: probably loaded twice"
    other = "Probably loaded twice, or changes that were appended and not merged"
    return f"{carry}. {same if guess.detail['same'] else other}"


def _part_missing(guess: Guess, where: str, seen: Seen) -> str:
    column, values = guess.detail["column"], guess.detail["values"]
    gone = guess.detail.get("gone", len(values))  # diagnoses kept before say how many in no word
    more = [f"one of {gone - len(values)} more values"] if gone > len(values) else []
    hidden = "one value" if gone == 1 else f"one of {gone} values"
    which = hidden if seen.private else " or ".join([*map(shown, values), *more])
    share = per_cent(guess.share)
    rows = f"All rows of {named(seen.table)} with {which} in `{column}`"
    return f"{rows} are missing (they were {share} of the rows before)"


def _stale(guess: Guess, where: str, seen: Seen) -> str:
    if dated := guess.detail.get("dated"):
        names = " and ".join(f"`{name}`" for name in dated[:MOST_CHANGES])
        rows = (
            "All rows" if guess.detail["same"] else f"{counted(guess.detail['rows'], 'row')} ({per_cent(guess.share)})"
        )
        return f"{rows} of {where} are those of another load under another {names}: all else in them is the same"
    if guess.share <= 0.98:
        about = f"About {per_cent(guess.share)} of the rows of {where}"
        return f"{about} were in the batch before already, where all used to be new"
    return f"{where} holds the same rows as the batch before ({counted(seen.rows, 'row')})"


def _schema(guess: Guess, where: str, seen: Seen) -> str:
    if "damage" in guess.detail:
        more = len(guess.detail["damage"]) - MOST_CHANGES
        also = [f"and {counted(more, 'more change')}"] if more > 0 else []
        changes = "; ".join([*guess.detail["damage"][:MOST_CHANGES], *also])
        return f"Columns of {named(seen.table)} have changed: {changes}"
    gone, new, retyped = (guess.detail[name] for name in ("gone", "new", "retyped"))
    parts = [
        f"{', '.join(f'`{n}`' for n in names[:3])}{f' and {len(names) - 3} more' if len(names) > 3 else ''} {what}"
        for names, what in ((gone, "removed"), (new, "added"), (retyped, "with another type"))
        if names
    ]
    return f"Columns of {named(seen.table)} have changed: {'; '.join(parts)}"


def _rows_deleted(guess: Guess, where: str, seen: Seen) -> str:
    left = "none is left" if not guess.detail["left"] else f"{per_cent(guess.share)} of them all"
    return f"{counted(guess.detail['rows'], 'row')} of {where} were deleted, {left}"


def _rows_twice(guess: Guess, where: str, seen: Seen) -> str:
    rows = guess.detail["rows"]
    return f"{counted(rows, 'row')} of {where} {do(rows, 'stand')} there again, word for word, since a rewrite"


SAID_OF_ROWS: dict[str, Callable[[Guess, str, Seen], str]] = {
    "part_missing": _part_missing, "volume": _rows, "duplicates": _twice, "repeated_key": _key_repeated,
    "stale": _stale, "schema": _schema, "loaded_again": _loaded_again, "rows_deleted": _rows_deleted,
    "rows_twice": _rows_twice,
}  # fmt: skip
