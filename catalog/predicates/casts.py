"""Casts as Spark's ``try_cast`` makes them: null where the value does not fit."""

from __future__ import annotations

import re

from catalog.predicates.kinds import BOOLEAN, DATE, DOUBLE, FLOAT, INTEGERS, TEXT, TIME, Kind, decimal

_NAMES = {
    "TINYINT": INTEGERS[0],
    "BYTE": INTEGERS[0],
    "SMALLINT": INTEGERS[1],
    "SHORT": INTEGERS[1],
    "INT": INTEGERS[2],
    "INTEGER": INTEGERS[2],
    "BIGINT": INTEGERS[3],
    "LONG": INTEGERS[3],
    "DOUBLE": DOUBLE,
    "STRING": TEXT,
    "BOOLEAN": BOOLEAN,
    "DATE": DATE,
    "TIMESTAMP": TIME,
    "TIMESTAMP_NTZ": TIME,
}
# What Spark's parser of doubles takes; the words are compared without case.
_DOUBLE_TEXT = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
_TRUE, _FALSE = "'t', 'true', 'y', 'yes', '1'", "'f', 'false', 'n', 'no', '0'"
# Spark trims all white space and control characters of ASCII before it reads a number, a boolean or a date.
_BLANKS = "' ' || " + " || ".join(f"chr({code})" for code in (*range(1, 32), 127))


def kind_named(name: str) -> Kind | None:
    """The kind of a type in Spark's SQL; None for one that is not handled here.

    >>> kind_named("DECIMAL(10, 2)"), kind_named("MAP<STRING, INT>")
    (Kind(name='decimal', bits=10, places=2), None)
    """
    found = re.fullmatch(r"(?:DECIMAL|NUMERIC|DEC)(?:\((\d+)(?:,\s*(\d+))?\))?", name)
    if found:
        return decimal(int(found[1] or 10), int(found[2] or 0))
    return _NAMES.get(name)


def widen(text: str, kind: Kind, wanted: Kind) -> str:
    """A number in a wider kind of numbers."""
    return text if kind == wanted else f"CAST({text} AS {wanted.duckdb})"


def cast(text: str, kind: Kind, name: str) -> tuple[str, Kind] | None:
    """DuckDB's SQL of ``try_cast(text AS name)`` and its kind; None where the two engines differ.

    >>> cast('"x"', DOUBLE, "INT")[0]
    'TRY_CAST(trunc("x") AS INTEGER)'
    """
    wanted = kind_named(name)
    if wanted is None:
        return None
    if wanted == kind:
        return text, kind
    if kind.name == "null":
        return f"CAST(NULL AS {wanted.duckdb})", wanted
    if kind == TEXT:
        return _from_text(text, wanted)
    if kind.is_number and wanted.is_number:
        return _number(text, kind, wanted)
    if wanted == TEXT and (kind.is_integer or kind in (BOOLEAN, DATE)):
        return f"CAST({text} AS VARCHAR)", TEXT
    if kind == FLOAT and wanted == DOUBLE:
        return f"CAST({text} AS DOUBLE)", DOUBLE
    if kind == BOOLEAN and wanted.is_integer:
        return f"CAST({text} AS {wanted.duckdb})", wanted
    if kind.is_integer and wanted == BOOLEAN:
        return f"({text} <> 0)", BOOLEAN
    if kind == TIME and wanted == DATE:
        return f"CAST({text} AS DATE)", DATE
    if kind == DATE and wanted == TIME:
        return f"CAST({text} AS TIMESTAMP)", TIME
    return None


def _number(text: str, kind: Kind, wanted: Kind) -> tuple[str, Kind] | None:
    if wanted.is_integer and (kind == DOUBLE or kind.name == "decimal"):
        return f"TRY_CAST(trunc({text}) AS {wanted.duckdb})", wanted
    if wanted.name == "decimal" and not kind.is_integer:
        return None  # rounding of halves
    return f"TRY_CAST({text} AS {wanted.duckdb})", wanted


def _from_text(text: str, wanted: Kind) -> tuple[str, Kind] | None:
    bare = f"trim({text}, {_BLANKS})"
    if wanted.is_integer:
        return (
            f"(CASE WHEN regexp_full_match({bare}, '[+-]?[0-9]+') THEN TRY_CAST({bare} AS {wanted.duckdb}) END)",
            wanted,
        )
    if wanted == DOUBLE:
        plain = f"regexp_extract({bare}, '^({_DOUBLE_TEXT})[dDfF]?$', 1)"
        return (
            f"(CASE WHEN regexp_full_match({bare}, '{_DOUBLE_TEXT}[dDfF]?') THEN TRY_CAST({plain} AS DOUBLE) "
            f"WHEN lower({bare}) IN ('nan') THEN 'nan'::DOUBLE "
            f"WHEN lower({bare}) IN ('inf', '+inf', 'infinity', '+infinity') THEN 'inf'::DOUBLE "
            f"WHEN lower({bare}) IN ('-inf', '-infinity') THEN '-inf'::DOUBLE END)"
        ), wanted
    if wanted == BOOLEAN:
        return (
            f"(CASE WHEN lower({bare}) IN ({_TRUE}) THEN TRUE WHEN lower({bare}) IN ({_FALSE}) THEN FALSE END)",
            wanted,
        )
    return None  # dates, times and decimals are written in more ways than one
