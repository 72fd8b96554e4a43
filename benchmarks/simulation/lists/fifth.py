"""The fifth list, of the tables of `benchmarks.simulation.services`: written before any miss of the fourth was read.

Several causes are right where people would disagree, with the reason beside them; none where no cause says it.
"""

from __future__ import annotations

from datetime import timedelta

import pyarrow as pa

from benchmarks.simulation.lists.fourth import before_again, both, copied, exchange_two, exchanged
from benchmarks.simulation.lists.further import Fault, Rng, col, const, drop, put

ICAO = dict(
    zip("WAW KRK GDN CDG ARN AMS GOT LYS".split(), "EPWA EPKK EPGD LFPG ESSA EHAM ESGG LFLL".split(), strict=True)
)


def of_the_stay(table: pa.Table, rng: Rng, before: pa.Table) -> pa.Table:
    pairs = zip(table["rate"].to_pylist(), table["nights"].to_pylist(), strict=True)
    return put(table, "rate", [round(rate * nights, 2) for rate, nights in pairs])


def part_of_yesterday(table: pa.Table, rng: Rng, before: pa.Table) -> pa.Table:
    return pa.concat_tables([table, before.slice(0, int(0.4 * before.num_rows))])


FIFTH: dict[str, tuple[Fault, ...]] = {
    "bookings": (
        Fault("rate_of_the_stay", "rate", "scale", of_the_stay),
        Fault("rate_in_kronor", "rate", "scale", col("rate", lambda x: round(x * 11.2, 2))),
        Fault("arrival_and_departure", "arrival", "swapped", exchanged("arrival", "departure")),
        Fault(
            "other_rooms", "room", "new_values",
            col("room", {"DBL": "D2", "SGL": "S1", "TWN": "T2", "SUI": "X4"}.__getitem__),
        ),
        Fault("guest_capitals", "guest", "case", col("guest", str.upper)),
        Fault("channel_gone", "channel", "nulls", const("channel", None, 0.35)),
        Fault("booked_by_day", "booked_at", "time_lost", col(
            "booked_at", lambda x: x.replace(hour=0, minute=0, second=0, microsecond=0))),
        # a part of an old delivery again: its rows came twice, or it is an old one
        Fault("part_of_yesterday", "", "duplicates stale", part_of_yesterday),
    ),
    "claims": (
        Fault("hyphens", "claim", "separators", col("claim", lambda x: x.replace("/", "-"))),
        Fault("in_thousands", "reserve", "scale", col("reserve", lambda x: x / 1000)),
        # all in another order, which only days beyond 12 prove
        Fault("month_first", "reported_on", "day_month date_format", col(
            "reported_on", lambda x: f"{x[3:5]}-{x[:2]}-{x[6:]}")),
        Fault("peril_unknown", "peril", "default new_values", const("peril", "to be classified", 0.45)),
        Fault("bare_plates", "plate", "separators", col("plate", lambda x: x.replace("-", ""))),
        Fault("handler_letters", "handler", "encoding", col("handler", lambda x: x.encode().decode("latin-1"))),
        Fault("reversals", "paid", "sign", col("paid", lambda x: -x, 0.5)),
        Fault("next_year", "lost_on", "days_moved", col("lost_on", lambda x: x + timedelta(days=365))),
    ),
    "students": (
        Fault("names_exchanged", "given", "swapped", exchanged("given", "family")),
        Fault("other_way_round", "average", "", col("average", lambda x: f"{6 - float(x):.2f}")),
        Fault("comma", "average", "decimal_mark", col("average", lambda x: x.replace(".", ","))),
        Fault("small_programmes", "programme", "case", col("programme", str.lower)),
        Fault("born_unknown", "born", "default", const("born", "2000-01-01", 0.25)),
        # the end of the address is another
        Fault("new_domain", "mail", "suffix", col(
            "mail", lambda x: x.replace("@stud.uni.example", "@student.example"))),
        Fault("no_faculty_of_law", "programme", "part_missing", drop("programme", "LAW")),
        Fault("entities", "family", "escapes", col(
            "family", lambda x: x.encode("ascii", "xmlcharrefreplace").decode())),
    ),
    "flights": (
        Fault("fuel_in_pounds", "fuel_kg", "scale", col("fuel_kg", lambda x: round(x * 2.20462))),
        Fault("no_blank", "flight", "separators", col("flight", lambda x: x.replace(" ", ""))),
        Fault("icao", "origin", "new_values", col("origin", ICAO.__getitem__)),
        Fault("local_time", "off_block", "time_zone", both(
            *(col(name, lambda x: x + timedelta(hours=2)) for name in ("off_block", "on_block")))),
        Fault("delay_in_seconds", "delay", "scale", col("delay", lambda x: x * 60)),
        Fault("still_in_the_air", "on_block", "nulls", const("on_block", None, 0.2)),
        Fault("nobody_aboard", "passengers", "default", const("passengers", 0, 0.2)),
        Fault("morning_only", "", "volume", lambda t, rng, b: t.sort_by("off_block").slice(0, int(0.45 * t.num_rows))),
    ),
    "weather": (
        Fault("knots", "wind", "scale", col("wind", lambda x: round(x * 1.944, 1))),
        Fault("fahrenheit", "celsius", "scale", col("celsius", lambda x: round(x * 9 / 5 + 32, 1))),
        Fault("vane_stuck", "direction", "default", const("direction", 999, 0.25)),
        Fault("a_day_late", "at", "days_moved", col("at", lambda x: x + timedelta(days=1))),
        Fault("station_number", "station", "leading_zeros", col("station", lambda x: str(int(x)))),
        Fault("gauge_blocked", "rain", "default", const("rain", 0.0)),
        Fault("whole_hectopascal", "hectopascal", "rounded", col("hectopascal", lambda x: float(round(x)))),
        Fault("fixed_width", "sky", "spaces suffix", col("sky", lambda x: x.ljust(6))),  # blanks are added behind
    ),
    "loans": (
        Fault("nine_digits", "isbn", "prefix cut", col("isbn", lambda x: x[3:])),  # 978 in front is gone
        Fault("spreadsheet", "isbn", "excel", col("isbn", lambda x: f"{float(x):.5E}")),
        Fault("short_titles", "title", "cut", col("title", lambda x: x[:20])),
        Fault("quoted_titles", "title", "quotes", col("title", lambda x: f'"{x}"')),
        Fault("shelves_typed", "shelf", "transposed", col("shelf", exchange_two, 0.5)),
        Fault("branch_renamed", "branch", "new_values", col(
            "branch", lambda x: "Stadsbiblioteket" if x == "Centralbiblioteket" else x)),
        # due when lent: another column's days, or moved by days
        Fault("due_at_once", "due_on", "swapped days_moved", copied("due_on", "lent_on")),
        Fault("yesterday", "", "stale", before_again),
    ),
}  # fmt: skip
