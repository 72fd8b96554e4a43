"""Guesses at values of a small vocabulary that were never there: misspelt, new, all of them others; flags all alike."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from catalog.causes.cause import Guess
from catalog.states.column import ColumnState

#: Share of rows with new values from which a vocabulary is another one; share of its values by which it may grow, or of
#: the rows where more values come at once. Chosen.
OTHER, GROWN, MANY = 0.9, 0.5, 0.2
#: All rows hold one flag that not all held: by chance in fewer batches. Chosen, as for numbers.
CHANCE = 0.001


def new_values(now: ColumnState, before: ColumnState) -> Iterator[Guess]:
    """Values of a small vocabulary that were never there: misspelt ones, or just new."""
    if now.table is None or before.table is None:
        return
    old, new = dict(before.table), dict(now.table)
    added = {v: n / now.rows for v, n in new.items() if v not in old and v}
    share = sum(added.values())
    if not added or (len(added) > GROWN * len(old) + 3 and share < MANY):
        return
    pairs = {v: like for v in added if (like := most_like(v, old)) is not None}
    first = sorted(added, key=lambda v: -added[v])[:5]
    detail = {"new": first, "like": [pairs.get(v, "") for v in first], "old": sorted(old, key=lambda v: -old[v])[:5]}
    if len(pairs) >= 0.5 * len(added) and len(added) <= 3:
        yield Guess("typo", "typo", 0.96, share, detail | {"share": share})
    elif share < OTHER:
        yield Guess("new_values", "new_values", 0.55, share, detail | {"share": share})
    elif len(added) > 1:
        yield Guess("recoded", "new_values", 0.8, share, detail | {"share": share})


def flags(
    now: ColumnState, before: ColumnState, others: Mapping[str, ColumnState], usual: Mapping[str, float]
) -> list[Guess]:
    """Explanations of what changed in a column of flags; see `guesses.strings.guesses`."""
    was, has = share_of_true(before), share_of_true(now)
    old = was if has else 1 - was
    if has not in (0.0, 1.0) or old**now.non_null >= CHANCE:
        return []
    detail = {"value": "true" if has else "false", "share": 1 - old, "all": True}
    return [Guess("default_flag", "default", 0.9, 1 - old, detail)]


def share_of_true(state: ColumnState) -> float:
    """Of the rows that hold a flag, the share of those that hold true."""
    counts: dict[bool, int] = dict(state.table or ())
    return counts.get(True, 0) / max(state.non_null, 1)


def most_like(value: str, known: Mapping[str, int]) -> str | None:
    """The known word that a new one is probably meant to be: one edit away, or two in a long word. What differs in
    digits alone is the next of its kind.

    >>> known = {"shipped": 1, "packed": 1, "A1": 1, "HAM1": 1}
    >>> most_like("shiped", known), most_like("A2", known), most_like("SHIPPED", known), most_like("HAM2", known)
    ('shipped', None, None, None)
    """
    if len(value) < 3 or not re.search(r"[^\W\d_]{3}", value):
        return None
    most = 1 if len(value) < 8 else 2
    near = [(distance(value, k), k) for k in known if isinstance(k, str) and abs(len(k) - len(value)) <= most]
    same = {kind(value) for kind in (str.casefold, _digits_alike)}
    near = [(d, k) for d, k in near if d <= most and not same & {k.casefold(), _digits_alike(k)} and not k.isdigit()]
    return min(near)[1] if near else None


def _digits_alike(text: str) -> str:
    return re.sub(r"\d", "0", text)


def distance(a: str, b: str) -> int:
    """Edits between two words: a character more, less, other, or two neighbours exchanged (optimal string alignment).

    >>> distance("shiped", "shipped"), distance("hsipped", "shipped"), distance("abc", "xyz")
    (1, 1, 3)
    """
    rows = [list(range(len(b) + 1))]
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            row.append(min(row[j - 1] + 1, rows[-1][j] + 1, rows[-1][j - 1] + (x != y)))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                row[j] = min(row[j], rows[-2][j - 2] + 1)
        rows.append(row)
    return rows[-1][-1]
