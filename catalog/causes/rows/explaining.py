"""What a cause of all rows, or of columns together, explains of the columns that broke, and what it does not."""

from __future__ import annotations

from catalog.causes.case import ALIKE, OF_KEYS, OWN, Case, guesses_of
from catalog.causes.cause import Guess
from catalog.causes.guesses import tables

#: Metrics that rows which come twice, or are fewer, move in every column.
OF_ROWS = {"unique_ratio", "dist_val_count", "row_count", "uniqueness", "duplicate_ratio", "repeated_ratio", "sum"}


def is_collapsed(case: Case, guess: Guess) -> bool:
    """Whether rows look alike only because a column lost its values, rather than because they came twice."""
    if guess.cause != "duplicates":
        return False
    own = [found[0] for column in case.broken if column and (found := guesses_of(case, column))]
    least = 0.2 if guess.detail["more"] else 0.05
    return any(one.cause in ALIKE and one.fit > 0.8 and one.share > least for one in own)


def is_absorbed(case: Case, guess: Guess, column: str) -> bool:
    """Whether a cause of all rows explains what broke in a column."""
    if guess.cause in ("stale", "schema"):
        return guess.cause == "stale" or column in guess.others
    if guess.cause == "loaded_again" and (guess.detail["same"] or column in guess.others):
        return True
    twice = OF_KEYS if guess.cause in ("duplicates", "repeated_key") else set()
    if case.metrics(column) and case.metrics(column) <= OF_ROWS | twice:
        return True
    if guess.cause == "part_missing" and column in guess.others:
        return True
    if guess.key == "part_twice" and _moved_by_repeated(case, guess, column):
        return True
    own = guesses_of(case, column)
    if guess.key in ("rows_lost", "part_missing") and not any(one.cause == "nulls" for one in own):
        now, before = case.states(column)
        if now is not None and before is not None and tables.may_be_part(now, before):
            return True
    return not own or own[0].fit < OWN or own[0].cause in ("new_values", "swapped")


def _moved_by_repeated(case: Case, guess: Guess, column: str) -> bool:
    """Whether rows that came twice, where others did not, may be all that moved a column of numbers: how it is spread
    is moved by no more than their share."""
    now, before = case.states(column)
    if now is None or before is None or now.kind != "number" or now.quantiles is None or before.quantiles is None:
        return False
    return tables.ks(now, before) <= guess.share / (1 + guess.share)


def beats_own(case: Case, guess: Guess) -> bool:
    """Whether columns that were exchanged are not explained better one by one."""
    own = [found[0].fit if (found := guesses_of(case, column)) else 0.0 for column in guess.others]
    alone = [g for column in guess.others for g in guesses_of(case, column)[:1] if g.cause != "swapped"]
    return guess.fit + 0.05 >= (sum(own) / len(own) if alone else 0.0)
