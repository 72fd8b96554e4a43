"""Damage to numbers and dates that are written as strings: another locale, a spreadsheet, a wrong digit."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta

from catalog.damage.kind import Change, Kind, Rng, drawn, each

ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
SLASHED = re.compile(r"(\d\d?)([/.])(\d\d?)\2(\d{4})(?!\d)")
DECIMAL = re.compile(r"([+-]?\d+)\.(\d+)")
COMMA = re.compile(r"([+-]?\d+),(\d+)")
GROUPED = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
MONTH_DAY = re.compile(r"(\d{1,2})[-/](\d{1,2})")
MONTH_CODE = re.compile(rf"({'|'.join(MONTHS)})[a-z]*-?(\d{{1,2}})", re.I)
EXCEL_EPOCH = date(1899, 12, 30)
LONG = 12  # digits from which a spreadsheet shows a number with an exponent: its bound, not ours


def _reordered(pattern: re.Pattern[str], template: str) -> Callable[[Sequence[str], Rng], Change]:
    return lambda values, rng: lambda value: pattern.sub(template, value, count=1) if pattern.match(value) else None


def _day_month(value: str) -> str | None:
    m = SLASHED.match(value)
    return m and f"{m[3]}{m[2]}{m[1]}{m[2]}{m[4]}{value[m.end() :]}"


def _serial(value: str) -> str | None:
    """A date as the number of days that a spreadsheet keeps."""
    m = ISO.fullmatch(value)
    try:
        return m and str((date(*map(int, m.groups())) - EXCEL_EPOCH).days)
    except ValueError:
        return None


def _from_serial(value: str) -> str:
    return (EXCEL_EPOCH + timedelta(int(value))).isoformat() if re.fullmatch(r"[1-9]\d{4}", value) else value


def _as_excel_date(value: str) -> str | None:
    """A code that a spreadsheet takes for a day of a month."""
    if m := MONTH_DAY.fullmatch(value):
        month, day = int(m[1]), int(m[2])
    elif m := MONTH_CODE.fullmatch(value):
        month, day = MONTHS.index(m[1][:3].title()) + 1, int(m[2])
    else:
        return None
    return f"{day}-{MONTHS[month - 1]}" if 1 <= month <= 12 and 1 <= day <= 31 else None


def _exponent(value: str) -> str | None:
    """A long number as a spreadsheet shows it: six digits are left."""
    if not re.fullmatch(rf"\d{{{LONG},300}}", value):
        return None
    digits, power = f"{float(value):.5E}".split("E")
    return f"{digits.rstrip('0').rstrip('.')}E+{int(power):02d}"


def _thousands(value: str) -> str | None:
    m = re.fullmatch(r"([+-]?)([1-9]\d{3,})(\.\d+)?", value)
    return m and f"{m[1]}{int(m[2]):,}{m[3] or ''}"


#: A number with zeros in front, alone or behind a prefix; of fewer than four digits it may be a month or an hour.
_PADDED = re.compile(r"(|.*[A-Za-z#/_-](?=\d{4}))0+(\d+)")


def _zeros_lost(value: str) -> str | None:
    m = _PADDED.fullmatch(value)
    return m and f"{m[1]}{m[2]}"


def _zeros(values: Sequence[str], rng: Rng) -> Change | None:
    """Codes of digits lose their zeros; the ones without are as they were."""
    return _zeros_lost if any(_zeros_lost(v) for v in values) else None


def _check_digit(value: str, rng: Rng) -> str | None:
    if not value or not value[-1].isascii() or not value[-1].isdigit():
        return None
    return value[:-1] + str((int(value[-1]) + int(rng.integers(1, 10))) % 10)


WRITTEN = (
    Kind("iso_to_european", "date_format", "Dates in {column} are written day first", ("2026-03-09", "09/03/2026"),
         "the values are no dates of the form 2026-03-09", _reordered(ISO, r"\3/\2/\1"),
         undo=lambda v: re.sub(r"^(\d\d)/(\d\d)/(\d{4})", r"\3-\2-\1", v),
         guess="Probably exported with another locale."),
    Kind("iso_to_american", "date_format", "Dates in {column} are written month first", ("2026-03-09", "03/09/2026"),
         "the values are no dates of the form 2026-03-09", _reordered(ISO, r"\2/\3/\1"),
         undo=lambda v: re.sub(r"^(\d\d)/(\d\d)/(\d{4})", r"\3-\1-\2", v),
         guess="Probably exported with another locale."),
    Kind("iso_compact", "date_format", "Dates in {column} are written without separators", ("2026-03-09", "20260309"),
         "the values are no dates of the form 2026-03-09", _reordered(ISO, r"\1\2\3"),
         undo=lambda v: re.sub(r"^(\d{4})(\d\d)(\d\d)", r"\1-\2-\3", v), guess="Probably another export format."),
    Kind("day_month", "day_month", "Day and month in {column} are swapped", ("25/03/2026", "03/25/2026"),
         "the values are no dates written with slashes or dots", each(_day_month), undo=lambda v: _day_month(v) or v,
         guess="Probably exported with another locale.", seen=False),
    Kind("decimal_comma", "decimal_mark", "Numbers in {column} have a decimal comma", ("12.50", "12,50"),
         "the values are no numbers with a decimal point",
         each(lambda v: v.replace(".", ",") if DECIMAL.fullmatch(v) else None),
         undo=lambda v: v.replace(",", ".") if COMMA.fullmatch(v) else v,
         guess="Probably exported with another locale."),
    Kind("decimal_point", "decimal_mark", "Numbers in {column} have a decimal point", ("12,50", "12.50"),
         "the values are no numbers with a decimal comma",
         each(lambda v: v.replace(",", ".") if COMMA.fullmatch(v) else None),
         undo=lambda v: v.replace(".", ",") if DECIMAL.fullmatch(v) else v,
         guess="Probably exported with another locale."),
    Kind("thousands", "decimal_mark", "Numbers in {column} have marks between thousands", ("12345", "12,345"),
         "fewer than nine of ten values are numbers of 1,000 or more", each(_thousands),
         undo=lambda v: v.replace(",", "") if GROUPED.fullmatch(v) else v, guess="Probably formatted for people."),
    Kind("zeros_lost", "leading_zeros", "Values in {column} have lost their leading zeros", ("00471", "471"),
         "fewer than half the values begin with a zero", _zeros, guess="Probably read as numbers.", least=0.5),
    Kind("check_digit", "check_digit", "Check digits in {column} are wrong", ("4006381333931", "4006381333937"),
         "the values do not end in a digit, or the last digit checks nothing: fewer than nine of ten values of the "
         "column pass a check", drawn(_check_digit), guess="Probably typed or made up.", seen=False),
    Kind("excel_number", "excel", "Long numbers in {column} have an exponent and lost their last digits",
         ("4006381333931", "4.00638E+12"), f"fewer than nine of ten values are numbers of {LONG} digits or more",
         each(_exponent), guess="Probably saved by a spreadsheet."),
    Kind("excel_date", "excel", "Codes in {column} have become days of a month", ("3-4", "4-Mar"),
         "fewer than nine of ten values are codes that a spreadsheet takes for dates", each(_as_excel_date),
         guess="Probably saved by a spreadsheet."),
    Kind("excel_serial", "excel", "Dates in {column} have become a spreadsheet's day numbers", ("2026-03-09", "46090"),
         "the values are no dates of the form 2026-03-09", each(_serial), undo=_from_serial,
         guess="Probably saved by a spreadsheet."),
)  # fmt: skip
