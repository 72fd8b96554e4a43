"""Nine business tables of a small company, a delivery a day, and what happens to such tables in real life.

Six grow by what a day brought (orders, payments, tickets, sensors, a web log, shipments), three are delivered whole
(customers, the catalog of articles, a supplier's feed). Weekends are quiet, ids grow, a few values are missing; texts
have check digits, addresses, decimals with points. All of it follows from a seed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa

START = datetime(2026, 3, 2, tzinfo=UTC)  # a Monday
Rng = np.random.Generator
Batch = Callable[[Rng, int, int], dict[str, Any]]

FIRST = "Jörg|Anna|Zoë|Tom|Łucja|Ana|Søren|Chloé|Émile|Greta|Marek|Íñigo|Håkan|Ruth|Paul|Özlem".split("|")
LAST = "Müller|Weiß|Blanc|Ford|Żak|Peña|Ångström|Løkke|Dvořák|Schäfer|Novák|García|Smith|Jones|Brandt".split("|")
CITIES = "Köln|Zürich|Graz|Århus|München|Lyon|Gdańsk|Utrecht".split("|")


def pick(rng: Rng, values: str, n: int, weights: list[float] | None = None) -> list[str]:
    return [str(v) for v in rng.choice(values.split("|"), n, p=weights)]


def clock(rng: Rng, day: int, n: int, middle: float, width: float) -> list[datetime]:
    hours = np.clip(rng.normal(middle, width, n), 0, 23.98)
    return [START + timedelta(days=day, seconds=int(3600 * h)) for h in hours]


def later(rng: Rng, times: list[datetime], hours: float) -> list[datetime]:
    waits = rng.exponential(hours, len(times))
    return [t + timedelta(seconds=60 + int(3600 * h)) for t, h in zip(times, waits, strict=True)]


def names(rng: Rng, n: int) -> list[str]:
    return [f"{rng.choice(FIRST)} {rng.choice(LAST)}" for _ in range(n)]


def digits(rng: Rng, n: int, size: int) -> list[str]:
    return ["".join(map(str, rng.integers(0, 10, size))) for _ in range(n)]


def ean(body: str) -> str:
    """Thirteen digits, the last one checks (GS1)."""
    total = sum(int(d) * (3 if i % 2 else 1) for i, d in enumerate(body))
    return body + str(-total % 10)


def iban(body: str) -> str:
    """A German IBAN of eighteen digits (ISO 13616)."""
    return f"DE{98 - int(body + '131400') % 97:02d}{body}"


def holes(rng: Rng, values: list[Any], share: float) -> list[Any]:
    return [None if gone else v for v, gone in zip(values, rng.random(len(values)) < share, strict=True)]


def orders(rng: Rng, day: int, n: int) -> dict[str, Any]:
    placed = clock(rng, day, n, 17, 3)
    net = np.round(rng.lognormal(3.6, 0.6, n), 2)
    return {
        "order_no": [f"SO-2026-{100_000 + 700 * day + k:06d}" for k in range(n)],
        "customer": [f"C{k:05d}" for k in rng.integers(0, 30_000, n)],
        "status": pick(rng, "shipped|packed|paid|returned|cancelled", n, [0.5, 0.2, 0.2, 0.06, 0.04]),
        "country": pick(rng, "DE|FR|NL|AT|PL", n, [0.4, 0.2, 0.2, 0.1, 0.1]),
        "placed_at": placed,
        "paid_at": later(rng, placed, 2),
        "ordered_on": [f"{t:%Y-%m-%d}" for t in placed],
        "net": net,
        "gross": np.round(net * 1.19, 2),
        "items": rng.poisson(2, n) + 1,
    }


def payments(rng: Rng, day: int, n: int) -> dict[str, Any]:
    booked = clock(rng, day, n, 10, 2)
    return {
        "payment": [f"{k:x}" for k in rng.integers(16**9, 16**10, n)],
        "iban": [iban(d) for d in digits(rng, n, 18)],
        "method": pick(rng, "card|transfer|wallet|invoice", n, [0.5, 0.2, 0.2, 0.1]),
        "currency": pick(rng, "EUR|CHF|PLN", n, [0.8, 0.1, 0.1]),
        "amount": np.round(rng.lognormal(4, 0.6, n), 2),
        "fee": np.round(rng.lognormal(0.5, 0.3, n), 2),
        "booked_at": booked,
        "settled_at": later(rng, booked, 30),
    }


def customers(rng: Rng, day: int, n: int) -> dict[str, Any]:
    people = names(rng, n)
    born = rng.integers(0, 20_000, n)
    return {
        "customer": [f"C{k:05d}" for k in range(n)],
        "name": people,
        "email": [f"{p.split()[1][:3].lower()}{k}@example.org" for k, p in enumerate(people)],
        "phone": [f"+49 {d[:3]} {d[3:]}" for d in digits(rng, n, 10)],
        "city": [str(c) for c in rng.choice(CITIES, n)],
        "postcode": [f"{k:05d}" for k in rng.integers(1000, 99_999, n)],
        "birthday": [f"{datetime(1950, 1, 1, tzinfo=UTC) + timedelta(days=int(k)):%d/%m/%Y}" for k in born],
        "segment": pick(rng, "retail|business|partner", n, [0.7, 0.25, 0.05]),
        "newsletter": pick(rng, "yes|no", n, [0.4, 0.6]),
        "limit": holes(rng, (100 * rng.integers(1, 50, n)).tolist(), 0.05),
    }  # fmt: skip


def tickets(rng: Rng, day: int, n: int) -> dict[str, Any]:
    opened = clock(rng, day, n, 13, 2.5)
    return {
        "ticket": [f"TCK-{40_000 + 300 * day + k:06d}" for k in range(n)],
        "queue": pick(rng, "billing|delivery|returns|technical|other", n, [0.3, 0.25, 0.2, 0.15, 0.1]),
        "priority": pick(rng, "low|normal|high|urgent", n, [0.3, 0.5, 0.15, 0.05]),
        "agent": names(rng, n),
        "opened_at": opened,
        "closed_at": later(rng, opened, 6),
        "minutes": np.round(rng.lognormal(3, 0.6, n), 1),
        "rating": holes(rng, rng.integers(1, 6, n).tolist(), 0.3),
    }


def sensors(rng: Rng, day: int, n: int) -> dict[str, Any]:
    read = clock(rng, day, n, 12, 3)
    return {
        "sensor": [f"S{k:02d}-{'AB'[k % 2]}" for k in rng.integers(1, 40, n)],
        "site": [str(c) for c in rng.choice(CITIES, n)],
        "read_at": read,
        "stored_at": later(rng, read, 0.5),
        "celsius": np.round(rng.normal(19, 3, n), 1),
        "pascal": np.round(rng.normal(101_300, 600, n), 0),
        "humidity": np.round(rng.beta(6, 4, n), 3),
        "battery": rng.integers(20, 101, n),
    }


def articles(rng: Rng, day: int, n: int) -> dict[str, Any]:
    group, size = pick(rng, "AB|CD|EF", n), pick(rng, "S|M|L", n)
    look, thing = pick(rng, "Blue|Red|Grün|Weiß|Black", n), pick(rng, "shirt|mug|chair|lamp|bag", n)
    price = np.round(rng.lognormal(3, 0.8, n), 2)
    return {
        "sku": [f"{a}-{k:04d}-{b}" for k, (a, b) in enumerate(zip(group, size, strict=True))],
        "ean": [ean("40" + d) for d in digits(rng, n, 10)],
        "title": [f"{a} {b}" for a, b in zip(look, thing, strict=True)],
        "colour": pick(rng, "blue|red|green|white|black", n),
        "price": price,
        "weight_kg": np.round(rng.lognormal(0, 0.6, n), 3),
        "stock": rng.poisson(40, n),
        "listed_on": [f"{START - timedelta(days=int(k)):%Y-%m-%d}" for k in rng.integers(1, 900, n)],
        "active": pick(rng, "true|false", n, [0.9, 0.1]),
    }  # fmt: skip


def weblog(rng: Rng, day: int, n: int) -> dict[str, Any]:
    return {
        "at": clock(rng, day, n, 15, 4),
        "address": [".".join(map(str, rng.integers(1, 255, 4))) for _ in range(n)],
        "path": [f"/item/{k}?ref=a&b={k % 7}" for k in rng.integers(1, 400, n)],
        "verb": pick(rng, "GET|POST|HEAD", n, [0.85, 0.12, 0.03]),
        "status": rng.choice([200, 301, 404, 500], n, p=[0.9, 0.05, 0.04, 0.01]),
        "bytes": rng.lognormal(8, 1, n).astype(int),
        "millis": np.round(rng.lognormal(4, 0.5, n), 1),
        "device": pick(rng, "mobile|desktop|tablet", n, [0.6, 0.3, 0.1]),
    }


def shipments(rng: Rng, day: int, n: int) -> dict[str, Any]:
    packed = clock(rng, day, n, 10, 2)
    return {
        "parcel": [f"{k:014d}" for k in rng.integers(0, 10**13, n)],
        "carrier": pick(rng, "north|swift|parcelo|express", n, [0.4, 0.3, 0.2, 0.1]),
        "postcode": [f"{k:05d}" for k in rng.integers(1000, 99_999, n)],
        "city": [str(c) for c in rng.choice(CITIES, n)],
        "kilograms": np.round(rng.lognormal(0.5, 0.7, n), 2),
        "cost": np.round(rng.lognormal(1.5, 0.3, n), 2),
        "packed_at": packed,
        "shipped_at": later(rng, packed, 3),
    }


def supplier(rng: Rng, day: int, n: int) -> dict[str, Any]:
    return {
        "article": [f"{k:06d}" for k in rng.integers(10, 90_000, n)],
        "gtin": [ean("76" + d) for d in digits(rng, n, 10)],
        "price": [f"{x:.2f}" for x in rng.lognormal(3, 0.7, n)],
        "available": pick(rng, "in stock|low|sold out", n, [0.7, 0.2, 0.1]),
        "unit": pick(rng, "piece|box|pallet", n, [0.7, 0.25, 0.05]),
        "delivery": [f"{START + timedelta(days=day + int(k)):%Y-%m-%d}" for k in rng.integers(1, 30, n)],
        "valid_from": [f"{START - timedelta(days=int(k)):%d.%m.%Y}" for k in rng.integers(1, 300, n)],
        "maker": pick(rng, "Größe & Söhne|ACME|Nordlicht|Čapek|Blåvand", n),
        "minimum": rng.choice([1, 5, 10, 50], n, p=[0.5, 0.2, 0.2, 0.1]),
    }


@dataclass(frozen=True)
class Business:
    """A table: what makes a batch of it, whether a delivery replaces it, its rows on a weekday, and what happens to
    it: (kind of damage, columns of it, share of the rows)."""

    batch: Batch
    whole: bool
    rows: int
    faults: tuple[tuple[str, str, float], ...] = ()


def told(text: str) -> tuple[tuple[str, str, float], ...]:
    """``kind column share`` a line; without a column for kinds that hit rows.

    >>> told("zone at; typo queue .1; stale")
    (('zone', 'at', 1.0), ('typo', 'queue', 0.1), ('stale', '', 1.0))
    """
    parts = [[*one.split(), "", ""] for one in text.split(";")]
    return tuple((kind, column, float(share or 1)) for kind, column, share, *_ in parts)


TABLES: dict[str, Business] = {
    "orders": Business(orders, False, 600, told(
        "zone placed_at; times_swapped; scale_100 net; scale_1/1.19 gross; typo status .1; lower country;"
        "batch_twice; part_missing; stale; iso_to_european ordered_on; nulls customer .3; prefix order_no;"
        "renamed items")),
    "payments": Business(payments, False, 500, told(
        "scale_100 amount; sign amount .3; check_digit iban; transposed iban .3; zone booked_at; times_swapped;"
        "typo method .1; rows_lost; part_twice; upper payment; default_number fee; nulls iban .5;"
        "new_values currency .15")),
    "customers": Business(customers, True, 900, told(
        "mojibake name; replaced city; day_month birthday; zeros_lost postcode; upper email; half_cut name;"
        "missing_text phone .4; part_missing; columns_shifted; html name; space_behind segment .3; scale_1/100 limit")),
    "tickets": Business(tickets, False, 300, told(
        "times_swapped; zone opened_at; time_lost closed_at; typo queue .1; upper priority; scale_60 minutes; stale;"
        "batch_twice; mojibake agent; nulls rating .8; separators ticket; dropped minutes")),
    "sensors": Business(sensors, False, 800, told(
        "fahrenheit celsius; scale_1/100 pascal; zone read_at; times_swapped; rounded celsius; default_number humidity;"
        "mojibake site; digit_as_letter sensor .3; part_missing; scale_100 humidity; stale; sign celsius")),
    "articles": Business(articles, True, 700, told(
        "check_digit ean; transposed ean .3; scale_1/100 price; scale_1000 weight_kg; columns_swapped; typo colour .1;"
        "iso_to_european listed_on; doubled sku .3; quotes title; rows_lost; half_cut title;"
        "default_text colour .3")),
    "weblog": Business(weblog, False, 1000, told(
        "zone at; url path; lower verb; scale_1000 millis; rows_lost; part_twice; default_time at .3; nulls address;"
        "new_values device .15; prefix path; scale_1/1000 bytes; doubled address .3")),
    "shipments": Business(shipments, False, 500, told(
        "scale_2.20462 kilograms; zeros_lost postcode; excel_number parcel; times_swapped; zone shipped_at;"
        "typo carrier .1;"
        "mojibake city; batch_twice; stale; scale_100 cost; day_month_time packed_at; first_lost parcel .3")),
    "supplier": Business(supplier, True, 600, told(
        "decimal_comma price; check_digit gtin; transposed gtin .3; day_month valid_from; iso_compact delivery;"
        "zeros_lost article; mojibake maker; quotes maker; columns_shifted; typo unit .1; part_twice;"
        "scale_10 minimum")),
}  # fmt: skip


def batch_of(one: Business, name: str, seed: int, day: int) -> pa.Table:
    """What a table brings on a day; a whole delivery changes by a twentieth from day to day."""
    rng = np.random.default_rng([seed, day, *name.encode()])
    quiet = 0.7 if (START + timedelta(days=day)).weekday() >= 5 else 1.0
    if not one.whole:
        return pa.table(one.batch(rng, day, int(rng.normal(quiet * one.rows, 0.04 * one.rows))))
    steady = np.random.default_rng([seed, *name.encode()])
    first = pa.table(one.batch(steady, 0, one.rows))
    changed = pa.table(one.batch(rng, day, one.rows))
    number = one.rows // 20
    at = [int(k) for k in rng.choice(one.rows, number, replace=False)]
    keep = [k + one.rows if k in set(at) else k for k in range(one.rows)]
    key = first.column_names[0]
    mixed = pa.concat_tables([first, changed]).take(pa.array(keep))
    return mixed.set_column(0, key, first[key]) if name != "supplier" else mixed
