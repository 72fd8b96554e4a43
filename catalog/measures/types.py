"""The types that texts could be read as: deequ's five buckets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

#: deequ's expressions, in the order in which they are asked (deequ's StatefulDataType).
_FRACTIONAL = r"\A(-|\+)? ?\d+((\.\d+)|((\.\d+)?[Ee][-+]?\d+))\z"
_INTEGRAL = r"\A(-|\+)? ?\d+\z"
_BOOLEAN = r"\A(true|false)\z"


@dataclass(frozen=True)
class TypeCounts:
    """Rows by the type their text could be read as; `unknown` are nulls.

    >>> counts = type_counts(pa.array(["1", "- 4", "1.0", "1e5", "true", ".5", "1,000", None, ""]))
    >>> counts
    TypeCounts(unknown=1, fractional=2, integral=2, boolean=1, string=3)
    >>> counts.inferred, type_counts(pa.array(["1", "1.0"])).inferred, type_counts(pa.array(["1", None])).inferred
    ('String', 'Fractional', 'Integral')
    """

    unknown: int = 0
    fractional: int = 0
    integral: int = 0
    boolean: int = 0
    string: int = 0

    @property
    def known(self) -> int:
        return self.fractional + self.integral + self.boolean + self.string

    @property
    def inferred(self) -> str:
        """The one type that all values fit: Integral, Fractional, Boolean, String, or Unknown where all are null."""
        if not self.known:
            return "Unknown"
        numbers = self.integral + self.fractional
        if self.string or (self.boolean and numbers):
            return "String"
        if self.boolean:
            return "Boolean"
        return "Fractional" if self.fractional else "Integral"

    def share(self, name: str) -> float | None:
        """Share of the values that are not null: those of a type, 0..1; a number is Integral or Fractional.

        >>> type_counts(pa.array(["1", "2", "x", None])).share("Integral")
        0.6666666666666666
        """
        counted = {
            "Integral": self.integral, "Fractional": self.fractional, "Boolean": self.boolean, "String": self.string,
            "Numeric": self.integral + self.fractional,
        }[name]  # fmt: skip
        return counted / self.known if self.known else None

    def to_json(self) -> Any:
        return [self.unknown, self.fractional, self.integral, self.boolean, self.string]

    @classmethod
    def from_json(cls, data: Any) -> TypeCounts:
        return cls(*data)


def merge_types(parts: Iterable[TypeCounts]) -> TypeCounts:
    found = [part.to_json() for part in parts]
    return TypeCounts(*(sum(column) for column in zip(*found, strict=True))) if found else TypeCounts()


def type_counts(values: pa.Array) -> TypeCounts:
    """Counts of a batch; a column that is not of text has one type for all its values."""
    nulls, there = values.null_count, len(values) - values.null_count
    kind = values.type
    if pa.types.is_integer(kind):
        return TypeCounts(unknown=nulls, integral=there)
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return TypeCounts(unknown=nulls, fractional=there)
    if pa.types.is_boolean(kind):
        return TypeCounts(unknown=nulls, boolean=there)
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)):
        return TypeCounts(unknown=nulls, string=there)
    likely = _likely(values)
    found = {name: _matching(likely, regex) for name, regex in
             (("fractional", _FRACTIONAL), ("integral", _INTEGRAL), ("boolean", _BOOLEAN))}  # fmt: skip
    return replace(TypeCounts(unknown=nulls, string=there - sum(found.values())), **found)


#: Bytes a number may begin with, those of true and false, and those that each of them may end with.
_FIRST, _LAST = np.zeros(256, bool), np.zeros(256, bool)
_FIRST[list(b"+- 0123456789tf")] = _LAST[list(b"0123456789e")] = True


def _likely(values: pa.Array) -> pa.Array:
    """The values whose first and last byte a number, true or false may have: the expressions are asked of them only,
    which for most columns of text are none."""
    texts = values.drop_null().cast(pa.large_string())
    offsets, data = (texts.buffers()[at] for at in (1, 2))
    if not len(texts) or data is None or offsets is None:
        return texts.slice(0, 0)
    ends = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    raw = np.frombuffer(data, np.uint8)
    there = np.flatnonzero(ends[1:] > ends[:-1])
    kept = there[_FIRST[raw[ends[:-1][there]]] & _LAST[raw[ends[1:][there] - 1]]]
    return texts if len(kept) == len(texts) else texts.take(pa.array(kept))


def _matching(values: pa.Array, regex: str) -> int:
    return pc.sum(pc.match_substring_regex(values, regex)).as_py() or 0
