"""The fourth list: what went wrong over twenty years in other trades, on the tables of `benchmarks.simulation.trades`.

The causes that are right were written down before a line of it was run. Several stand where people would disagree; the
reason is beside them. None stand where no cause that the product knows says it.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from urllib.parse import quote

import numpy as np
import pyarrow as pa

from benchmarks.simulation.lists.further import Change, Fault, Rng, col, const, drop, put


def before_again(table: pa.Table, rng: Rng, before: pa.Table) -> pa.Table:
    return before


def part_again(share: float) -> Change:
    """A part of the rows delivered a second time."""
    return lambda table, rng, before: pa.concat_tables([table, table.slice(0, int(share * table.num_rows))])


def exchanged(one: str, other: str) -> Change:
    def done(table: pa.Table, rng: Rng, before: pa.Table) -> pa.Table:
        first, second = table[one].to_pylist(), table[other].to_pylist()
        return put(put(table, one, second), other, first)

    return done


def copied(name: str, source: str) -> Change:
    return lambda table, rng, before: put(table, name, table[source].to_pylist())


def both(*changes: Change) -> Change:
    def done(table: pa.Table, rng: Rng, before: pa.Table) -> pa.Table:
        for change in changes:
            table = change(table, rng, before)
        return table

    return done


def glucose_mg(table: pa.Table, rng: Rng, before: pa.Table) -> pa.Table:
    what, value = table["analyte"].to_pylist(), table["result"].to_pylist()
    return put(table, "result", [round(v * 18.016, 2) if w == "GLU" else v for w, v in zip(what, value, strict=True)])


def hourly(table: pa.Table, rng: Rng, before: pa.Table) -> pa.Table:
    kept = table.take(pa.array(np.arange(0, table.num_rows, 2)))
    later = table["kwh"].to_pylist()[1::2]
    return put(kept, "kwh", [round(a + b, 3) for a, b in zip(kept["kwh"].to_pylist(), later, strict=True)])


def hours_gone(first: int, last: int) -> Change:
    """The rows of some hours of the day missing."""

    def done(table: pa.Table, rng: Rng, before: pa.Table) -> pa.Table:
        hours = [datetime.fromtimestamp(x / 1000, UTC).hour for x in table["shown_ms"].to_pylist()]
        return table.filter(pa.array([not first <= h < last for h in hours]))

    return done


def autumn_hour(table: pa.Table, rng: Rng, before: pa.Table) -> pa.Table:
    night = pa.array([t.hour == 2 for t in table["starts_at"].to_pylist()])
    return pa.concat_tables([table, table.filter(night)])


def rotated(*names: str) -> Change:
    """A separator within a value: what follows stands a column further right."""

    def done(table: pa.Table, rng: Rng, before: pa.Table) -> pa.Table:
        cells = [table[name].to_pylist() for name in names]
        for name, new in zip(names, cells[-1:] + cells[:-1], strict=True):
            table = put(table, name, new)
        return table

    return done


def exchange_two(value: str) -> str:
    """Two characters beside each other in the middle change places."""
    at = len(value) // 2
    return value[: at - 1] + value[at] + value[at - 1] + value[at + 1 :]


def wrong_digit(value: str) -> str:
    return value[:-1] + str((int(value[-1]) + 3) % 10)


def two_digits(value: str) -> str:
    return f"{value[8:]}.{value[5:7]}.{value[2:4]}"


FOURTH: dict[str, tuple[Fault, ...]] = {
    "statements": (
        Fault("debits_unsigned", "amount", "sign", col("amount", abs)),
        Fault("minor_units", "amount", "scale", col("amount", lambda x: round(x * 100))),
        Fault("intraday_and_final", "", "duplicates", part_again(0.35)),
        # the century stands in front: another way to write dates, or a prefix
        Fault("century", "value_on", "date_format prefix", col("value_on", lambda x: "20" + x)),
        Fault("swift_letters", "party", "encoding", col("party", lambda x: x.encode("ascii", "replace").decode())),
        Fault("purpose_of_27", "purpose", "cut", col("purpose", lambda x: x[:27])),
        Fault("padded", "kind", "spaces suffix", col("kind", lambda x: x.ljust(10))),  # blanks are added behind
        Fault("balance_of_one_account", "balance", "default", const("balance", 248_113.07)),
        Fault("one_day_early", "booked_on", "days_moved", col("booked_on", lambda x: x - timedelta(days=1))),
    ),
    "laboratory": (
        Fault("glucose_mg_dl", "result", "scale", glucose_mg),
        Fault("below_detection", "result", "default sign", const("result", -1.0, 0.15)),  # a sentinel with a sign
        Fault("analyser_clock", "taken_at", "time_zone", col("taken_at", lambda x: x - timedelta(hours=1))),
        Fault("taken_and_resulted", "taken_at", "swapped", exchanged("taken_at", "resulted_at")),
        Fault("verbose_flags", "flag", "new_values", col("flag", {"N": "normal", "H": "high", "L": "low"}.__getitem__)),
        Fault("patient_number", "patient", "leading_zeros", col("patient", lambda x: x.lstrip("0"))),
        Fault("no_dashes", "sample", "separators", col("sample", lambda x: x.replace("-", ""))),
        Fault("analyser_down", "analyte", "part_missing", drop("analyte", "CRP")),
        Fault("micro", "unit", "encoding", col("unit", lambda x: x.encode().decode("latin-1"))),
    ),
    "calls": (
        Fault("international", "callee", "prefix", col("callee", lambda x: "00" + x)),
        Fault("last_digits_masked", "callee", "", col("callee", lambda x: x[:-3] + "XXX")),
        Fault("milliseconds", "seconds", "scale", col("seconds", lambda x: x * 1000)),
        Fault("whole_minutes", "seconds", "rounded", col("seconds", lambda x: -(-x // 60) * 60)),
        Fault("switch_silent", "trunk", "part_missing", drop("trunk", "OP01")),
        Fault("file_twice", "", "duplicates", lambda t, rng, b: pa.concat_tables([t, t])),
        Fault(
            "switch_in_utc", "began_at", "time_zone",
            both(*(col(n, lambda x: x - timedelta(hours=2)) for n in ("began_at", "ended_at"))),
        ),
        Fault("imei_zero", "imei", "check_digit", col("imei", lambda x: x[:-1] + "0")),
        Fault("no_callee", "callee", "nulls", const("callee", None, 0.3)),
    ),
    "adverts": (
        Fault("cpm_micros", "cpm", "scale", col("cpm", lambda x: x * 1e6)),
        # a number by a thousandth, or a time written another way
        Fault("epoch_seconds", "shown_ms", "scale date_format", col("shown_ms", lambda x: x // 1000)),
        # a macro that nobody filled in: a new value, or a default
        Fault("macro", "size", "default new_values", const("size", "${AD_SIZE}", 0.25)),
        Fault("capital_x", "size", "case", col("size", str.upper)),
        Fault("page_encoded", "page", "escapes", col("page", lambda x: quote(x, safe=""))),
        Fault("tracker_down", "clicked", "default", const("clicked", 0)),
        # which hours is a part of the rows; that they are few is true as well
        Fault("hours_lost", "", "volume part_missing", hours_gone(17, 21)),
        Fault("no_hyphens", "auction", "separators", col("auction", lambda x: x.replace("-", ""))),
        Fault("windows_10", "os", "new_values", col("os", lambda x: "windows 10" if x == "windows" else x)),
    ),
    "messages": (
        Fault("gln_typed", "consignee", "check_digit", col("consignee", wrong_digit)),
        # the mark that ends a segment: something behind, or a quotation mark
        Fault("terminator", "tariff", "suffix quotes", col("tariff", lambda x: x + "'")),
        Fault("html", "firm", "escapes", col("firm", lambda x: x.replace("&", "&amp;").replace("'", "&#39;"))),
        Fault("sscc_in_excel", "sscc", "excel", col("sscc", lambda x: f"{float(x):.5E}")),
        Fault("pounds", "kilograms", "scale", col("kilograms", lambda x: round(x * 2.20462, 1))),
        Fault("comma", "cube", "decimal_mark", col("cube", lambda x: x.replace(".", ","))),
        Fault("far_east", "received_at", "time_zone", col("received_at", lambda x: x - timedelta(hours=7))),
        Fault("parties_exchanged", "shipper", "swapped", exchanged("shipper", "consignee")),
        Fault("lower_terms", "terms", "case", col("terms", str.lower)),
    ),
    "meters": (
        Fault("summer_time", "starts_at", "time_zone", col("starts_at", lambda x: x + timedelta(hours=1))),
        Fault("autumn_hour_twice", "", "duplicates", autumn_hour),
        Fault("watt_hours", "kwh", "scale", col("kwh", lambda x: x * 1000)),
        Fault("all_estimated", "quality", "default", const("quality", "E")),
        Fault("meter_changed", "register", "", col("register", lambda x: round(x - 50_000, 1))),
        Fault("no_reading", "kwh", "default", const("kwh", 0.0, 0.3)),
        Fault("hourly", "", "volume scale", hourly),  # half the rows, of twice the size
        Fault("yesterday", "", "stale", before_again),
        Fault("whole_kwh", "kwh", "rounded", col("kwh", lambda x: float(round(x)))),
    ),
    "vendors": (
        Fault("umlauts", "name", "encoding", col("name", lambda x: x.encode().decode("cp1252", "replace"))),
        Fault("number_field", "vendor", "leading_zeros", col("vendor", lambda x: x.lstrip("0"))),
        Fault("capital_towns", "town", "case", col("town", str.upper)),
        Fault("iso", "created", "date_format", col("created", lambda x: f"{x[6:]}-{x[3:5]}-{x[:2]}")),
        # three columns that moved: shifted, or exchanged
        Fault("moved_right", "street", "shifted swapped", rotated("street", "postcode", "town")),
        Fault("vat_bare", "vat", "prefix", col("vat", lambda x: x[2:])),
        Fault(
            "terms_in_words", "terms", "new_values",
            col("terms", lambda x: f"{int(x[1:])} days net"),
        ),
        # half of a file in the order of its numbers
        Fault("second_client", "", "volume part_missing", lambda t, rng, b: t.slice(0, t.num_rows // 2)),
        Fault("mail_twice", "mail", "doubled", col("mail", lambda x: f"{x};{x}")),
    ),
    "payroll": (
        Fault("a_year", "gross", "scale", col("gross", lambda x: round(x * 12, 2))),
        # net holds what gross holds: a column in place of another, or half as much again
        Fault("net_is_gross", "net", "swapped scale", copied("net", "gross")),
        Fault("minutes", "hours", "scale", col("hours", lambda x: x * 60)),
        Fault("american", "born", "day_month date_format", col("born", lambda x: f"{x[3:5]}/{x[:2]}/{x[6:]}")),
        Fault("entry_unknown", "since", "default", const("since", date(1900, 1, 1), 0.2)),
        Fault("no_class", "tax_class", "nulls", const("tax_class", None, 0.4)),
        Fault("letter_o", "centre", "digits_letters", col("centre", lambda x: x.replace("0", "O"))),
        Fault("last_month", "", "stale", before_again),
        Fault("quoted", "name", "quotes", col("name", lambda x: f'"{x}"')),
    ),
    "bins": (
        Fault("short_years", "expires", "date_format", col("expires", two_digits)),
        Fault("for_ever", "expires", "default", const("expires", "9999-12-31", 0.3)),
        Fault("corrections", "counted", "sign", col("counted", lambda x: -x, 0.25)),
        Fault("typed_lots", "lot", "transposed", col("lot", exchange_two, 0.4)),
        Fault("quarentine", "state", "typo", col("state", lambda x: x.replace("quarantine", "quarentine"))),
        Fault("not_counted", "counted", "default", const("counted", 0, 0.4)),
        Fault("columns_of_the_form", "counted", "swapped", exchanged("counted", "reserved")),
        Fault("aisle_closed", "bin", "part_missing volume", lambda t, rng, b: t.filter(
            pa.array([not x.startswith("C") for x in t["bin"].to_pylist()]))),
        Fault("midnight", "last_count", "time_lost", col("last_count", lambda x: x.replace(hour=0))),
    ),
}  # fmt: skip
