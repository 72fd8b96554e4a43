"""The third list of further faults: what jobs, exports and machines do, rather than people."""

from __future__ import annotations

import hashlib
import unicodedata
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa

from benchmarks.simulation.lists.further import Change, Fault, Rng, col, const, put

ASCII = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "é": "e", "å": "a"})


def sampled(share: float) -> Change:
    """A sample of the rows, as a test run leaves it."""
    return lambda table, rng, before: table.filter(pa.array(rng.random(table.num_rows) < share))


def held(name: str, every: int) -> Change:
    """A value that is held for some rows, as a device does that hangs."""

    def done(table: pa.Table, rng: Rng, before: pa.Table) -> pa.Table:
        cells = table[name].to_pylist()
        return put(table, name, [cells[k - k % every] for k in range(len(cells))])

    return done


def some_of(before: bool, share: float) -> Change:
    """A part of the rows of the day before delivered again among those of today."""

    def done(table: pa.Table, rng: Rng, old: pa.Table) -> pa.Table:
        again = old.slice(0, int(share * old.num_rows))
        return pa.concat_tables([table, again]) if before else pa.concat_tables([table.slice(again.num_rows), again])

    return done


def filled(name: str) -> Change:
    """Missing values filled with the median."""

    def done(table: pa.Table, rng: Rng, before: pa.Table) -> pa.Table:
        cells = table[name].to_pylist()
        middle = int(np.median([x for x in cells if x is not None]))
        return put(table, name, [middle if x is None else x for x in cells])

    return done


def sha(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()


def turned(value: str) -> str:
    first, _, last = value.partition(" ")
    return f"{last}, {first}"


#: Made up after the second list was run; run once before any of its misses was read.
THIRD: dict[str, tuple[Fault, ...]] = {
    "orders": (
        Fault("load_time", "placed_at", "default", const("placed_at", datetime(2026, 2, 3, 2, 0, tzinfo=UTC))),
        Fault("gross_is_net", "gross", "scale", col("gross", lambda x: round(x / 1.19, 2))),
        Fault("carriage_return", "status", "spaces suffix", col("status", lambda x: x + "\r")),
        Fault("long_date", "ordered_on", "date_format suffix", col("ordered_on", lambda x: x + "T00:00:00")),
        Fault("sample", "", "volume", sampled(0.1)),
        Fault("german_words", "status", "new_values", col("status", lambda x: {"paid": "bezahlt"}.get(x, x))),
        Fault("float_ids", "customer", "suffix", col("customer", lambda x: x + ".0")),
        Fault("again", "", "duplicates stale", some_of(True, 0.5)),
        Fault("dozen", "items", "scale", col("items", lambda x: x * 12)),
    ),
    "payments": (
        Fault(
            "groups_of_four",
            "iban",
            "separators",
            col("iban", lambda x: " ".join(x[k : k + 4] for k in range(0, len(x), 4))),
        ),
        Fault("hashed", "iban", "", col("iban", sha)),
        Fault("negative_fee", "fee", "sign", col("fee", lambda x: -x)),
        Fault("whole_euros", "amount", "rounded", col("amount", lambda x: float(round(x)))),
        Fault(
            "numbers",
            "currency",
            "new_values",
            col("currency", lambda x: {"EUR": "978", "CHF": "756", "PLN": "985"}[x]),
        ),
        Fault("summer_time", "booked_at", "time_zone", col("booked_at", lambda x: x + timedelta(hours=2))),
        Fault("json", "method", "quotes", col("method", lambda x: f'"{x}"')),
        Fault("next_year", "settled_at", "days_moved", col("settled_at", lambda x: x + timedelta(days=365))),
        Fault("capped", "amount", "default", col("amount", lambda x: min(x, 50.0))),
    ),
    "customers": (
        Fault("decomposed", "city", "", col("city", lambda x: unicodedata.normalize("NFD", x))),
        Fault("transliterated", "city", "", col("city", lambda x: x.translate(ASCII))),
        Fault("last_first", "name", "", col("name", turned)),
        Fault("initials", "name", "cut", col("name", lambda x: f"{x[0]}. {x.partition(' ')[2]}")),
        Fault("hashed_mail", "email", "", col("email", sha)),
        Fault("two_digits", "birthday", "date_format", col("birthday", lambda x: x[:6] + x[8:])),
        Fault("no_code", "phone", "prefix", col("phone", lambda x: x.removeprefix("+49 "))),
        Fault("ja_nein", "newsletter", "new_values", col("newsletter", lambda x: {"yes": "ja", "no": "nein"}[x])),
        Fault("limit_filled", "limit", "", filled("limit")),
    ),
    "tickets": (
        Fault("hours", "minutes", "scale", col("minutes", lambda x: round(x / 60, 2))),
        Fault("null_text", "queue", "default", const("queue", "null", 0.2)),
        Fault(
            "levels",
            "priority",
            "new_values",
            col("priority", lambda x: {"low": "4", "normal": "3", "high": "2", "urgent": "1"}[x]),
        ),
        Fault("ten_stars", "rating", "scale", col("rating", lambda x: x * 2)),
        Fault("nbsp", "agent", "separators", col("agent", lambda x: x.replace(" ", "\u00a0"))),
        Fault("never_closed", "closed_at", "nulls", const("closed_at", None, 0.7)),
        Fault("thousands", "minutes", "scale", col("minutes", lambda x: x * 1000)),
        Fault("lower_ids", "ticket", "case", col("ticket", str.lower)),
        Fault("epoch", "opened_at", "default", const("opened_at", datetime(1970, 1, 1, tzinfo=UTC), 0.2)),
    ),
    "sensors": (
        Fault("kelvin", "celsius", "scale", col("celsius", lambda x: round(x + 273.15, 1))),
        Fault("stuck", "celsius", "default", const("celsius", 21.5)),
        Fault("hangs", "celsius", "", held("celsius", 8)),
        Fault("hectopascal", "pascal", "scale", col("pascal", lambda x: x / 100)),
        Fault("percent", "humidity", "scale", col("humidity", lambda x: x * 100)),
        Fault("dead_battery", "battery", "default", const("battery", 0, 0.5)),
        Fault("clock_back", "read_at", "days_moved", col("read_at", lambda x: x - timedelta(days=30))),
        Fault(
            "one_site",
            "site",
            "part_missing",
            lambda t, rng, b: t.filter(pa.array([s != t["site"][0].as_py() for s in t["site"].to_pylist()])),
        ),
        Fault("zero_padded", "sensor", "prefix", col("sensor", lambda x: "S0" + x[1:])),
    ),
    "articles": (
        Fault("currency_sign", "title", "suffix", col("title", lambda x: x + " \u2122")),
        Fault(
            "hex_colours",
            "colour",
            "new_values",
            col("colour", lambda x: {"blue": "#0000ff", "red": "#ff0000", "green": "#00ff00"}.get(x, "#000000")),
        ),
        Fault("grams", "weight_kg", "scale", col("weight_kg", lambda x: x * 1000)),
        Fault("bits", "active", "new_values", col("active", lambda x: {"true": "1", "false": "0"}[x])),
        Fault("negative_stock", "stock", "sign", col("stock", lambda x: -x, 0.4)),
        Fault("slashes", "listed_on", "date_format separators", col("listed_on", lambda x: x.replace("-", "/"))),
        Fault("no_dashes", "sku", "separators", col("sku", lambda x: x.replace("-", ""))),
        Fault("free", "price", "default", const("price", 0.0, 0.3)),
        Fault("double_space", "title", "spaces separators", col("title", lambda x: x.replace(" ", "  "))),
    ),
    "weblog": (
        Fault("anonymised", "address", "", col("address", lambda x: x.rpartition(".")[0] + ".0")),
        Fault("mapped", "address", "prefix", col("address", lambda x: "::ffff:" + x)),
        Fault("no_query", "path", "cut", col("path", lambda x: x.partition("?")[0])),
        Fault("encoded_twice", "path", "escapes", col("path", lambda x: x.replace("&", "%2526").replace("=", "%253D"))),
        Fault("all_ok", "status", "default", const("status", 200)),
        Fault("seconds", "millis", "scale", col("millis", lambda x: x / 1000)),
        Fault("bots", "device", "new_values", const("device", "bot", 0.25)),
        Fault("kilobytes", "bytes", "scale", col("bytes", lambda x: x // 1024)),
        Fault("half_day", "", "volume", lambda t, rng, b: t.sort_by("at").slice(0, t.num_rows // 2)),
    ),
    "shipments": (
        Fault("grams", "kilograms", "scale", col("kilograms", lambda x: x * 1000)),
        Fault("excel", "postcode", "leading_zeros suffix", col("postcode", lambda x: f"{int(x)}.0")),
        Fault("country_before", "postcode", "prefix", col("postcode", lambda x: "D-" + x)),
        Fault("upper_city", "city", "case", col("city", str.upper)),
        Fault("no_carrier", "carrier", "nulls", const("carrier", None, 0.5)),
        Fault("a_week_late", "shipped_at", "days_moved", col("shipped_at", lambda x: x + timedelta(days=7))),
        Fault("old_rows", "", "stale duplicates", some_of(False, 0.9)),
        Fault("minimum_cost", "cost", "default", col("cost", lambda x: max(x, 5.0))),
        Fault("spaces", "parcel", "separators", col("parcel", lambda x: f"{x[:4]} {x[4:8]} {x[8:]}")),
    ),
    "supplier": (
        Fault("with_euro", "price", "suffix", col("price", lambda x: x + " EUR")),
        Fault("apostrophes", "article", "prefix quotes", col("article", lambda x: "'" + x)),
        Fault("twelve_digits", "gtin", "cut", col("gtin", lambda x: x[:12])),
        Fault(
            "other_words",
            "available",
            "new_values",
            col("available", lambda x: {"in stock": "yes", "low": "few", "sold out": "no"}[x]),
        ),
        Fault("plural", "unit", "suffix new_values", col("unit", lambda x: x + "s")),
        Fault("us_dates", "valid_from", "date_format", col("valid_from", lambda x: f"{x[3:5]}/{x[:2]}/{x[6:]}")),
        Fault("one_maker", "maker", "default", const("maker", "ACME")),
        Fault("in_cents", "price", "scale", col("price", lambda x: str(round(float(x) * 100)))),
        Fault("minimum_one", "minimum", "default", const("minimum", 1)),
    ),
}
