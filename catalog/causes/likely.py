"""What it may be that became of values, in words: "Probably cents."."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from catalog.causes.cause import Guess
from catalog.causes.guesses.features import sample_of
from catalog.damage import DAMAGE_KINDS, TABLES, neighbour
from catalog.damage.numbers import UNITS
from catalog.states.column import ColumnState
from catalog.states.parts.exact import as_float

#: What numbers are called by the names of their columns.
NOUNS = (
    ("pct|percent", "Percentages"),
    ("(?<![a-z])lat(itude)?(?![a-z])", "Latitudes"),
    ("(?<![a-z])(lon|lng|longitude)(?![a-z])", "Longitudes"),
    ("altitude|elevation", "Altitudes"),
    (
        "amount|total|price|cost|revenue|paid|payment|fee|tax|balance|salary|earnings|income|value|"
        "(?<![a-z])(pay|wages?|kwota|betrag|montant|importe|importo|bedrag|belopp|renda|gehalt|lohn|preis|prix)(?![a-z])",
        "Amounts",
    ),
    ("weight|mass|kg", "Weights"),
    ("temp", "Temperatures"),
    ("distance|length|height|width|size", "Sizes"),
    ("duration|seconds|minutes|millis|latency", "Durations"),
    ("quantity|qty|(?<!dis)(?<!ac)count(?!r)|pieces|units", "Quantities"),
    ("(?<![a-z])(rate|ratio|share|proportion)(?![a-z])", "Rates"),
    ("(?<![a-z])ages?(?![a-z])", "Ages"),
)
#: What they are called by what they mean, where that is known.
BY_MEANING = {
    "latitude": "Latitudes", "longitude": "Longitudes", "salary": "Amounts", "money": "Amounts",
    "percentage": "Percentages", "ratio_score": "Rates", "fraction": "Rates",
}  # fmt: skip
#: Numbers that are below zero as they are above it: single ones of the other sign are places, or cold days.
BOTH_SIGNS = {"Latitudes", "Longitudes", "Altitudes", "Temperatures"}
#: Numbers that have no other unit than per cents, and the factors that these and a wrong decimal mark make.
NO_UNITS, WRITTEN = {"Latitudes", "Longitudes", "Rates", "Percentages", "Ages"}, {10, 0.1, 100, 0.01}
#: Factors between units of length, weight, speed, energy and storage, or one divided by those: money has none.
#: Bounds of nature, not chosen.
BETWEEN_THINGS = (453.592, 28.3495, 2.20462, 1.609344, 2.54, 3.28084, 3.6, 4.184, 25.4, 1024)
OF_THINGS = {*BETWEEN_THINGS, *(1 / factor for factor in BETWEEN_THINGS)}
#: Of which a change of sign may be one of debits and credits.
SIGNED = {"Amounts", "Numbers", "Quantities"}
#: How alike two names of columns are (`difflib`) of which one was removed and the other added, to be told as one that
#: was renamed. Chosen: `amount` and `amount_eur` are, `amount` and `total` are not.
SAME_NAME = 0.6
#: A factor of fewer rows, that explains less, is said without what it may be. Chosen.
PARTLY, SURE = 0.9, 0.98
#: Guesses by what stands before or behind values now.
BY_END = {
    ".0": "Probably identifiers that were read as numbers on the way.",
    "\r": "Probably line ends of another system.",
}
#: Guesses by what a column is of and the factor.
BY_NOUN = {
    ("Weights", 1000): "Probably grams instead of kilograms.",
    ("Weights", 1 / 1000): "Probably kilograms instead of grams.",
    ("Weights", 2.20462): "Probably pounds instead of kilograms.",
    ("Weights", 1 / 2.20462): "Probably kilograms instead of pounds.",
    ("Percentages", 1 / 100): "Probably shares instead of per cents.",
    ("Rates", 1 / 100): "Probably shares instead of per cents.",
    ("Amounts", 1 / 100): "Probably whole units instead of cents.",
    ("Amounts", 1000): "Probably whole units instead of thousands, or a mark for thousands read as nothing.",
    ("Amounts", 1 / 1000): "Probably thousands instead of whole units.",
}


def probably(guess: Guess, where: str, before: ColumnState | None, meaning: str = "") -> str:
    """What it may be that happened in the columns `where`, whose values mean that; empty where nothing is likelier than
    all else."""
    factor, called = guess.detail.get("factor"), noun(where, meaning)
    if guess.detail.get("capped"):
        return "Probably a limit on the way."
    if factor == 100 and _are_shares(before):
        return "Probably per cents instead of shares."
    if factor is not None and (called, factor) in BY_NOUN:
        return BY_NOUN[called, factor]
    if factor is not None and not _may_be(called, factor):
        return ""
    if guess.cause == "sign" and called not in SIGNED:
        return ""
    if "damage" in guess.detail:
        return ""  # whoever renames a column does so on purpose
    if guess.cause == "schema" and _is_renamed(guess.detail["gone"], guess.detail["new"]):
        return "Probably renamed."
    if guess.key == "inverted":
        return "Probably a rate the other way round."
    if guess.key == "default_number" and not guess.detail.get("beyond") and not guess.detail.get("all"):
        return "Probably a field that was not filled, or a measurement that stands still."
    if guess.detail.get("deleted"):
        return "They were deleted by hand or by a job, not lost by a load."
    if guess.cause == "default" and _is_test(guess.detail.get("values") or [guess.detail.get("value")]):
        return "Probably rows of a test."
    if guess.detail.get("unevenly"):
        return "Probably rows that a join multiplied: some came more than twice."
    if guess.cause == "restarted":
        return "Probably a counter that was set back."
    if guess.cause == "in_clear":
        return "Probably the step that hashes them did not run."
    if guess.key == "coarse":
        return "Probably rounded on the way."
    if guess.cause == "stray":
        return f"Probably {'a placeholder where there is no date' if guess.detail['placeholder'] else 'a wrong year'}."
    if guess.cause == "prefix" and guess.detail.get("new") == "'":
        return "Probably a spreadsheet's mark for text."
    if guess.cause == "suffix" and guess.detail.get("old") and guess.detail.get("new"):
        return "Probably another system's way to write them."
    if factor in UNITS:
        return UNITS[factor]
    if factor is not None and guess.key == "scale_other" and called == "Amounts" and not _is_power_of_ten(factor):
        return "Probably another currency."
    if factor is not None and guess.share < PARTLY and guess.cause == "scale" and guess.fit < SURE:
        return ""
    if factor == 100 and called == "Numbers":
        return "Probably another unit, such as cents."
    if guess.cause in ("prefix", "suffix") and not guess.detail.get("new"):
        return "" if "://" in str(guess.detail.get("old")) else "Probably left out by another export format."
    if guess.cause == "prefix" and not _are_numbered(before):
        return ""
    if guess.cause in ("prefix", "suffix") and guess.detail.get("new") in BY_END:
        return BY_END[guess.detail["new"]]
    kind = DAMAGE_KINDS.get(guess.key) or next((k for k in TABLES if k.key == guess.key), None)
    if guess.detail.get("loaded"):
        return "Probably the time of loading in place of their own."
    if guess.detail.get("copied"):
        return "Probably filled from the wrong column."
    if guess.key == "partly_exchanged":
        kind = next(k for k in TABLES if k.key == "columns_swapped")
    if guess.key == "neighbour":
        kind = neighbour([])
    return kind.guess if kind is not None else ""


def fits_noun(guess: Guess, where: str, meaning: str = "") -> bool:
    """Whether a factor may be one between units of what a column's numbers are called: temperatures, whose units begin
    at other zeros, have none but powers of ten. Of those that have `BOTH_SIGNS` a sign is another one where each number
    is known before and after.

    >>> [fits_noun(Guess("", "scale", 0.9, detail={"factor": factor}), "room_temp") for factor in (2.20462, 0.1)]
    [False, True]
    >>> fits_noun(Guess("sign", "sign", 0.9), "y", "latitude"), fits_noun(Guess("sign", "sign", 0.9), "balance")
    (False, True)
    """
    if guess.cause == "sign" and noun(where, meaning) in BOTH_SIGNS:
        return "pairs" in guess.detail
    return noun(where, meaning) != "Temperatures" or _is_power_of_ten(guess.detail.get("factor", 1.0))


def _is_power_of_ten(factor: float) -> bool:
    ten = math.log10(factor)
    return math.isclose(ten, round(ten), abs_tol=1e-9)


def _is_renamed(gone: Sequence[str], new: Sequence[str]) -> bool:
    """Whether one column was removed and one of nearly its name added.

    >>> _is_renamed(["amount"], ["amount_eur"]), _is_renamed(["amount"], ["total"]), _is_renamed(["a"], ["a1", "a2"])
    (True, False, False)
    """
    return len(gone) == len(new) == 1 and SequenceMatcher(None, gone[0], new[0]).ratio() >= SAME_NAME


def _is_test(values: Sequence[object]) -> bool:
    """Whether any of some values says that it is none.

    >>> _is_test(["0.01", "TEST-7"]), _is_test(["test@example.com"]), _is_test(["Testimony", "contest"])
    (True, True, False)
    """
    return any(re.search(r"(?i)(?<![^\W_])(test)*test(?![^\W\d_])|@example\.", str(value)) for value in values)


def _are_shares(column: ColumnState | None) -> bool:
    """Whether numbers lie between 0 and 1, as shares do and amounts of money do not."""
    if column is None or column.kind != "number" or column.low is None or column.high is None:
        return False
    return as_float(column.low) >= 0 and as_float(column.high) <= 1


def _may_be(called: str, factor: float) -> bool:
    """Whether what a factor is between may be units of such numbers: money has none of length or weight.

    >>> _may_be("Rates", 1000), _may_be("Amounts", 2.20462), _may_be("Amounts", 1000), _may_be("Numbers", 3600)
    (False, False, True, True)
    """
    if called in NO_UNITS:
        return factor in WRITTEN
    return called != "Amounts" or factor not in OF_THINGS


def _are_numbered(before: ColumnState | None) -> bool:
    """Whether values hold digits behind their first letters, as identifiers do; whatever is not known may be one."""
    values = [v for v, _ in sample_of(before)] if before is not None and before.kind == "string" else []
    return not values or 2 * sum(any(c.isdigit() for c in v) for v in values) >= len(values)


def noun(where: str, meaning: str = "") -> str:
    """What the numbers of a column are called, by what they mean or by its name."""
    known = BY_MEANING.get(meaning)
    return known or next((n for words, n in NOUNS if re.search(words, where.lower())), "Numbers")
