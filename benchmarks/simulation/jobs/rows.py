"""The rows that jobs write: a stream, sensors, merged orders, customers with validity, prices, invoices, logs.

Each function gives the rows of a version: of a seed, of so many steps after the first, of the table at a path so far.
"""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
from deltalake import DeltaTable

BEGIN = datetime(2026, 1, 5, tzinfo=UTC)
WEEK = (1.0, 1.05, 0.98, 1.02, 1.3, 0.45, 0.35)
HOURS = 0.55 + 0.45 * np.sin((np.arange(24) - 9) / 24 * 2 * np.pi)  # fewest at three in the morning
COUNTRIES = "DE FR GB ES IT NL PL SE AT BE CH CZ DK FI GR HU IE NO PT RO".split()
ZIPF = 1 / np.arange(1, len(COUNTRIES) + 1)
MESSAGES = (
    "request done in {} ms", "user {} logged in", "cache miss for key {}", "retry {} of upload", "job {} finished",
    "slow query took {} ms", "connection from pool {} closed", "scheduled run {} started",
)  # fmt: skip
DEVICES = 30


def events(seed: int, step: int, path: Path) -> pa.Table:
    """Ten minutes of a shop's clicks."""
    rng, at = np.random.default_rng([seed, step]), BEGIN + timedelta(minutes=10 * step)
    rows = max(int(rng.poisson(260 * HOURS[at.hour] * (0.7 if at.weekday() > 4 else 1.0))), 1)
    kinds = rng.choice(["view", "search", "cart", "buy", "return"], rows, p=[0.6, 0.25, 0.1, 0.045, 0.005])
    amount = np.round(rng.lognormal(3.2, 0.8, rows), 2)
    return pa.table(
        {
            "event_id": [str(uuid.UUID(bytes=rng.bytes(16), version=4)) for _ in range(rows)],
            "user_id": rng.integers(1, 200_000, rows),
            "event": kinds,
            "country": rng.choice(COUNTRIES, rows, p=ZIPF / ZIPF.sum()),
            "amount": pa.array(amount, mask=~np.isin(kinds, ["cart", "buy", "return"])),
            "at": [at + timedelta(seconds=float(s)) for s in np.sort(rng.random(rows)) * 600],
            "payload": [f'{{"page":"/p/{p}","ms":{m}}}' for p, m in rng.integers(1, 999, (rows, 2))],
        }
    )


def sensors(seed: int, step: int, path: Path) -> pa.Table:
    """An hour of thirty devices, some of which say nothing now and then; batteries run down and are changed."""
    rng, at = np.random.default_rng([seed, step]), BEGIN + timedelta(hours=step)
    there = np.flatnonzero(rng.random(DEVICES) > 0.02)
    device = np.repeat(there, 12)
    day = np.sin((at.hour - 9) / 24 * 2 * np.pi)
    return pa.table(
        {
            "device": [f"SN-{seed % 10}{one:04d}" for one in device],
            "at": [at + timedelta(minutes=5 * (i % 12)) for i in range(len(device))],
            "temperature": np.round(18 + device % 5 + 4 * day + rng.normal(0, 0.6, len(device)), 1),
            "humidity": pa.array(np.round(rng.normal(55 - 6 * day, 4, len(device))).astype(int)),
            "battery": np.round(100 - (step + 37 * device) % 400 / 5, 1),
            "status": rng.choice(["ok", "weak"], len(device), p=[0.97, 0.03]),
        }
    )


def orders(seed: int, step: int, path: Path) -> pa.Table:
    """All orders with their states now: new ones come, those of the last days go on."""
    new = _ordered(seed, step)
    if step == 0:
        return new
    known = DeltaTable(str(path)).to_pyarrow_table()
    rng = np.random.default_rng([seed, step, 1])
    then = {"open": "paid", "paid": "shipped", "shipped": "done", "done": "done", "void": "void"}
    state = [
        then[one] if rng.random() < 0.6 else "void" if one == "open" and rng.random() < 0.1 else one
        for one in known["status"].to_pylist()
    ]
    changed = np.array([a != b for a, b in zip(state, known["status"].to_pylist(), strict=True)])
    went = known.set_column(known.schema.get_field_index("status"), "status", pa.array(state))
    return pa.concat_tables([went.filter(pa.array(changed)), new])


def _ordered(seed: int, day: int) -> pa.Table:
    rng = np.random.default_rng([seed, day])
    rows = int(200 * WEEK[day % 7] * (1 + rng.normal(0, 0.05)))
    amount = np.round(rng.gamma(4.0, 12.0, rows), 2)
    return pa.table(
        {
            "order_id": np.arange(rows) + day * 1000 + 10_000,
            "customer": [f"C{one:06d}" for one in rng.integers(0, 50_000, rows)],
            "amount": amount,
            "voucher": pa.array([f"V-{one:03d}" for one in rng.integers(0, 40, rows)], mask=rng.random(rows) < 0.9),
            "status": ["open"] * rows,
            "ordered_at": [BEGIN + timedelta(days=day, seconds=float(s)) for s in np.sort(rng.random(rows)) * 86400],
        }
    )


def customers(seed: int, step: int, path: Path) -> pa.Table:
    """Customers with the times that each row was valid: a change ends a row and begins another."""
    rng, on = np.random.default_rng([seed, step]), (BEGIN + timedelta(days=step)).date()
    plans = ["free", "basic", "pro", "team"]
    fresh = np.arange(800) if step == 0 else np.arange(8) + 800 + 8 * step
    new = {
        "customer": [f"K{one:06d}" for one in fresh],
        "plan": rng.choice(plans, len(fresh), p=[0.5, 0.3, 0.15, 0.05]).tolist(),
        "mail": [f"user{one}@example.org" for one in fresh],
        "valid_from": [on] * len(fresh),
        "valid_to": [None] * len(fresh),
        "is_current": [True] * len(fresh),
    }
    schema = pa.schema(
        [("customer", pa.string()), ("plan", pa.string()), ("mail", pa.string()), ("valid_from", pa.date32()),
         ("valid_to", pa.date32()), ("is_current", pa.bool_())]
    )  # fmt: skip
    if step == 0:
        return pa.table(new, schema)
    known = DeltaTable(str(path)).to_pyarrow_table()
    current = np.flatnonzero(known["is_current"].to_numpy())
    ends = set(rng.choice(current, 12, replace=False).tolist())
    rows = known.to_pylist()
    for at in ends:
        again = {**rows[at], "plan": str(rng.choice(plans)), "valid_from": on}
        rows[at] |= {"valid_to": on, "is_current": False}
        rows.append(again)
    return pa.concat_tables([pa.Table.from_pylist(rows, schema), pa.table(new, schema)])


def prices(seed: int, step: int, path: Path) -> pa.Table:
    """All products with their prices, some of which change each day; a few products come and go."""
    base = np.random.default_rng(seed)
    ids = np.arange(1500)
    price = np.round(base.lognormal(3, 1, 1500), 2)
    brands = base.choice(["Acme", "Borealis", "Cento", "Dune", "Elm", "Fjord"], 1500)
    born, dies = base.integers(-200, 60, 1500), base.integers(0, 2000, 1500)
    for day in range(step + 1):
        rng = np.random.default_rng([seed, day])
        some = rng.random(1500) < (0.3 if day % 30 == 12 else 0.03)  # a sale, monthly
        price = np.where(some, np.round(price * rng.normal(1, 0.06, 1500), 2), price)
    there = (born <= step) & (dies > step)
    stock = np.random.default_rng([seed, step, 1]).poisson(40, 1500)
    return pa.table(
        {
            "sku": [f"P{one:05d}" for one in ids[there]],
            "brand": brands[there],
            "price": price[there],
            "stock": stock[there],
            "as_of": [(BEGIN + timedelta(days=step)).date()] * int(there.sum()),
        }
    )


def invoices(seed: int, step: int, path: Path) -> pa.Table:
    """A day's invoices; the last day of a month has five times as many, of larger amounts."""
    rng, on = np.random.default_rng([seed, step]), BEGIN + timedelta(days=step)
    last = (on + timedelta(days=1)).month != on.month
    rows = int(150 * WEEK[on.weekday()] * (5 if last else 1) * (1 + rng.normal(0, 0.05)))
    net = np.round(rng.lognormal(5.5 if last else 5.0, 0.9, rows), 2)
    return pa.table(
        {
            "number": [f"INV-{on:%Y%m}-{step:03d}{one:04d}" for one in range(rows)],
            "net": net,
            "vat": np.round(net * 0.19, 2),
            "terms": rng.choice(["14 days", "30 days", "prepaid"], rows, p=[0.6, 0.3, 0.1]),
            "due": [(on + timedelta(days=int(d))).date() for d in rng.choice([0, 14, 30], rows)],
            "iban": [
                f"DE{rng.integers(10, 99)}{rng.integers(10**9):09d}{rng.integers(10**9):09d}" for _ in range(rows)
            ],
        }
    )


def logs(seed: int, step: int, path: Path) -> pa.Table:
    """A day's messages of a service, in their order; a release every second week has other modules."""
    rng, on = np.random.default_rng([seed, step]), BEGIN + timedelta(days=step)
    rows = int(1200 * WEEK[on.weekday()] * (1 + rng.normal(0, 0.06)))
    modules = [f"svc.{name}" for name in ("auth", "cart", "mail", "search", "stock", "pay", "ship")]
    modules += [f"svc.new{one}" for one in range(step // 14)]
    level = rng.choice(["INFO", "WARN", "ERROR"], rows, p=[0.93, 0.06, 0.01])
    return pa.table(
        {
            "at": [(on + timedelta(seconds=float(s))).isoformat() for s in np.sort(rng.random(rows)) * 86400],
            "level": level,
            "module": rng.choice(modules, rows),
            "message": [MESSAGES[i].format(n) for i, n in rng.integers((0, 1), (8, 5000), (rows, 2))],
            "ip": [".".join(map(str, one)) for one in rng.integers(1, 255, (rows, 4))],
            "trace": [rng.bytes(8).hex() for _ in range(rows)],
            "status": pa.array(rng.choice([200, 201, 304, 404, 500], rows, p=[0.8, 0.08, 0.06, 0.05, 0.01])),
        }
    )  # fmt: skip
