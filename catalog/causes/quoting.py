"""Values and shares as sentences show them, and the sentence of rows that name what is not there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from catalog.wording import counted, do

MOST_QUOTED = 30  # characters of a value that a sentence shows; a bound


def shown(value: Any) -> str:
    """A value as a sentence shows it, control characters made visible."""
    text = str(value)
    text = text if text.isprintable() else repr(text)[1:-1]
    return f'"{text[:MOST_QUOTED]}{"..." if len(text) > MOST_QUOTED else ""}"'


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
