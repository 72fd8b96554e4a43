"""The three bad versions: what breaks in real pipelines and passes every schema check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from numpy.random import default_rng

Rows = dict[str, list]


@dataclass(frozen=True)
class Fault:
    """Damage to one column of one delivery; `cause` is what a diagnosis should name (`catalog.causes.TITLES`)."""

    table: str
    column: str
    kind: str
    cause: str
    sentence: str
    change: Callable[[Sequence], list]

    def apply(self, rows: Rows) -> Rows:
        return {**rows, self.column: self.change(rows[self.column])}


def to_european(cells: Sequence[str]) -> list[str]:
    """Dates as an export with another locale writes them.

    >>> to_european(["2026-03-09"])
    ['09/03/2026']
    """
    return [date.fromisoformat(cell).strftime("%d/%m/%Y") for cell in cells]


def to_cents(cells: Sequence[float]) -> list[float]:
    """Amounts in the smallest unit, still as decimals.

    >>> to_cents([12.5])
    [1250.0]
    """
    return [round(cell * 100, 2) for cell in cells]


def lose_some(cells: Sequence) -> list:
    """Two of five cells missing, as when one of several producers stops sending the field."""
    gone = default_rng(11).random(len(cells)) < 0.4
    return [None if missing else cell for cell, missing in zip(cells, gone, strict=True)]


FAULTS = {
    fault.table: fault
    for fault in (
        Fault(
            "orders",
            "order_date",
            "date_format",
            "date_format",
            "dates turn from 2026-03-09 into 09/03/2026",
            to_european,
        ),
        Fault("payments", "amount", "unit_change", "scale", "amounts arrive in cents", to_cents),
        Fault("shipments", "postcode", "null_burst", "nulls", "two of five postcodes are missing", lose_some),
    )
}
