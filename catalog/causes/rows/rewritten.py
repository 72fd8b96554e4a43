"""Guesses at what a rewrite did wrong: from the rows that it replaced and those in their place, which are the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from catalog.causes.case import Case
from catalog.causes.cause import KNOWN_PAIRS, Guess
from catalog.causes.guesses.times import moved_back
from catalog.damage.numbers import factor_name, times, undo_of
from catalog.history.replaced.changes import Change
from catalog.history.times import duplicated
from catalog.rules.replaced.figures import of_rows

Chosen = tuple[list[Guess], tuple[str, ...]]


def guesses(case: Case) -> list[Chosen]:
    """What became of rows and of the columns that broke, where that is known; each with the columns it explains."""
    made = case.batch.replaced
    if made is None:
        return []
    changes = {name: change for name, change in made.changes.items() if name in case.broken}
    found = [([guess], ()) for guess in _of_rows(case)] + [*_exchanged(changes)]
    for name, change in changes.items():
        guess = _of_column(name, change)
        if guess is not None:
            found.append(([guess], (name,)))
    return [*_together(found)]


def _of_rows(case: Case) -> Iterator[Guess]:
    """Rows that were deleted, or came twice."""
    batch, metrics = case.batch, case.metrics("")
    assert batch.previous is not None
    gone, left = batch.previous.rows - batch.state.rows, 0 if batch.whole is None else batch.whole.rows
    if "deleted_ratio" in metrics:
        share = of_rows(batch)["deleted_ratio"]
        yield Guess("rows_deleted", "volume", 1.0, share, {"rows": gone, "left": left}, sure=KNOWN_PAIRS)
    if "duplicate_ratio" in metrics:
        share = duplicated(batch.state.row_distinct)
        more = round(share * batch.state.rows)
        undo = "keep each row once"
        yield Guess("rows_twice", "duplicates", 1.0, share, {"rows": more}, undo=undo, sure=KNOWN_PAIRS)


def _exchanged(changes: Mapping[str, Change]) -> Iterator[Chosen]:
    """Columns that changed places, whichever of both broke a rule."""
    told: set[str] = set()
    for name, change in changes.items():
        if change.kind == "exchanged" and name not in told:
            both = (name, change.other)
            undo = "exchange the two columns"
            guess = Guess("columns_swapped", "swapped", 1.0, change.share, {}, None, undo, both, KNOWN_PAIRS)
            yield [guess], both
            told |= {*both}


def _of_column(name: str, change: Change) -> Guess | None:
    """The guess at one column; None where the guessers of its kind see what single values became."""
    sure, share = KNOWN_PAIRS, change.share
    if change.kind == "copied":
        return Guess("neighbour", "swapped", 1.0, share, {"from": change.other, "copied": True}, sure=sure)
    if change.kind == "identifiers":
        return Guess("identifiers", "identifiers", 1.0, share, sure=sure)
    if change.kind == "nulls":
        return Guess("nulls", "nulls", 1.0, share, {"missing": share}, sure=sure)
    if change.kind == "scale" and change.size:
        key, factor = f"scale_{factor_name(change.size)}", change.size
        detail = {"factor": factor}
        return Guess(key, "scale", 1.0, share, detail, times(1 / factor), undo_of(factor), sure=sure)
    if change.kind == "moved" and change.size:
        by, unit = (change.size / 24, "day") if change.size % 24 == 0 else (change.size, "hour")
        mend, undo = moved_back(round(by), unit)
        key, cause = ("days_moved", "days_moved") if unit == "day" else ("zone", "time_zone")
        return Guess(key, cause, 1.0, share, {f"{unit}s": round(by)}, mend, undo, sure=sure)
    return None


def _together(found: list[Chosen]) -> Iterator[Chosen]:
    """Columns of which the same became are of one cause."""
    groups: dict[tuple[str, str], tuple[list[Guess], list[str]]] = {}
    for guess, columns in found:
        alike = str(guess[0].detail) if guess[0].cause not in ("nulls", "swapped") else ""
        own = columns[:1] if guess[0].cause == "swapped" else ()
        groups.setdefault((guess[0].key, f"{alike}{own}"), (guess, []))[1].extend(columns)
    yield from ((guess, tuple(columns)) for guess, columns in groups.values())
