"""Values and shares as sentences show them, examples of what became of values, rows that name what is not there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from catalog.causes.cause import Guess
from catalog.causes.guesses import features as f
from catalog.causes.guesses.vocabulary import distance
from catalog.states.column import ColumnState
from catalog.states.parts.shapes import shape_of
from catalog.wording import counted, do

MOST_QUOTED = 30  # characters of a value that a sentence shows; a bound
AROUND = 10  # characters shown in front of the place where two values differ; chosen
#: Values looked at to find one that became another, before and now, and how long they are: bounds of time. Edits of a
#: character by which they differ at most. Chosen: one in four is the damage, more is another value.
LOOKED_AT, LONGEST, EDITS = (64, 4), 60, 0.25


def shown(value: Any) -> str:
    """A value as a sentence shows it, control characters made visible."""
    text = str(value)
    text = text if text.isprintable() else repr(text)[1:-1]
    return f'"{text[:MOST_QUOTED]}{"..." if len(text) > MOST_QUOTED else ""}"'


def side_by_side(a: Any, b: Any) -> tuple[str, str]:
    """Two values as a sentence compares them: cut round the place where they differ if they would look the same.

    >>> side_by_side("shiped", "shipped")
    ('"shiped"', '"shipped"')
    >>> side_by_side("http://creativecommons.org/liceses/by/4.0", "http://creativecommons.org/liceses/by/4.0/")
    ('"...ses/by/4.0"', '"...ses/by/4.0/"')
    """
    if a == b or shown(a) != shown(b):
        return shown(a), shown(b)
    one, other = str(a), str(b)
    same = next((i for i, (x, y) in enumerate(zip(one, other, strict=False)) if x != y), min(len(one), len(other)))
    first, second = (shown(text[max(same - AROUND, 0) :]) for text in (one, other))
    return f'"...{first[1:]}', f'"...{second[1:]}'


def example(guess: Guess, now: ColumnState | None, before: ColumnState | None) -> str:
    """Values before and after where these are known; else a value as it is now, of a shape that never was if there is
    one, with what it was before: what taking the guess back makes of it, or the known value that is nearest. A value
    that no known one can have become stands alone."""
    if "pairs" in guess.detail:
        pairs = (side_by_side(old, new) for old, new in guess.detail["pairs"])
        return f" ({', '.join(f'{old} became {new}' for old, new in pairs)})"
    if now is None or before is None or now.kind != "string":
        return ""
    old, new = [v for v, _ in f.sample_of(before)], [v for v, _ in f.sample_of(now)]
    shapes, known = {shape_of(v) for v in old}, set(old)
    changed = [guess.detail["example"]] if "example" in guess.detail else [v for v in new if shape_of(v) not in shapes]
    changed = changed or [v for v in new if v not in known]
    for value in changed:
        back = guess.mend(value) if guess.mend is not None else None
        if isinstance(back, str) and back != value and (back in known or shape_of(back) in shapes):
            after, was = side_by_side(value, back)
            return f" ({after} now, {was} before)"
    for value in changed[: LOOKED_AT[1]]:
        if (nearest := _nearest(value, old)) is not None:
            after, was = side_by_side(value, nearest)
            return f" ({after} now, {was} before)"
    return f" ({shown(changed[0])} now)" if changed else ""


def _nearest(value: str, known: Sequence[str]) -> str | None:
    """The known value that one may have become: what it is an end or the beginning of, or is a few edits away from.

    >>> _nearest("VE-", ["PT-06", "VE-A"]), _nearest("PT-60", ["VE-A", "PT-06"]), _nearest("VE-", ["PT-06"])
    ('VE-A', 'PT-06', None)
    """
    whole = [k for k in known if k != value and len(k) < 2 * len(value) and (k.startswith(value) or k.endswith(value))]
    if whole:
        return min(whole, key=len)
    most = int(max(EDITS * len(value), 1))
    near = [k for k in known if k != value and abs(len(k) - len(value)) <= most and len(k) <= LONGEST]
    found = [(distance(value, k), k) for k in near[: LOOKED_AT[0]]] if len(value) <= LONGEST else []
    best = min(found, default=(most + 1, ""))
    return best[1] if best[0] <= most else None


def per_cent(share: float) -> str:
    """A share for a sentence.

    >>> per_cent(0.4137), per_cent(0.0042), per_cent(0.9999)
    ('41%', '0.42%', '100%')
    """
    return f"{100 * share:.0f}%" if share >= 0.095 else f"{100 * share:.2g}%"


def orphans(
    table: str, column: str, other: str, rows: int, of: int, named: tuple[Sequence[Any], int], lost: tuple[int, int]
) -> str:
    """That rows of a table name what another one lacks.

    Parameters
    ----------
    rows, of : rows that do, of those that have a value.
    named : the first of the values, none of a sensitive column, and how many there are.
    lost : rows that the other table has lost, and its version in which it did.

    >>> orphans("orders", "customer_id", "customers", 14, 1500, ([901, "x"], 5), (0, 8))
    '14 rows (0.93%) of `orders` name a `customer_id` that `customers` does not have: 901, "x" and 3 more.'
    >>> orphans("orders", "phone", "people", 1, 90, ([], 1), (120, 8))
    '1 row (1.1%) of `orders` names a `phone` that `people` does not have. `people` lost 120 rows in its version 8.'
    """
    values, distinct = named
    told = ", ".join(str(one) if isinstance(one, int) else shown(one) for one in values)
    more = f" and {distinct - len(values):,} more" if distinct > len(values) else ""
    said = f"{counted(rows, 'row')} ({per_cent(rows / of)}) of `{table}` {do(rows, 'name')} a `{column}`"
    fell = f" `{other}` lost {counted(lost[0], 'row')} in its version {lost[1]}." if lost[0] else ""
    return f"{said} that `{other}` does not have{f': {told}{more}' if values else ''}.{fell}"
