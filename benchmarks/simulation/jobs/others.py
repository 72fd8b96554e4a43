"""More rows that jobs write: files of tenants, stocks of a day, changes, bookings over a new year, files of any size,
history loaded at once, a schema that grows, staff by the week, features, rare failures, visits.

Each function gives the rows of a version, as in `benchmarks.simulation.jobs.rows`.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.simulation.jobs.rows import BEGIN, COUNTRIES, WEEK, ZIPF

TENANTS = (  # name, prefix of numbers, currency, amounts of the order of, rows of the order of
    ("nordic", "NO", "SEK", 400, 900), ("tokyo", "JP-", "JPY", 6000, 300), ("berlin", "DE", "EUR", 40, 1200),
    ("texas", "US/", "USD", 45, 2000), ("lyon", "FR", "EUR", 42, 150), ("leeds", "GB", "GBP", 35, 60),
)  # fmt: skip
NEW_YEAR = timedelta(days=335)  # from BEGIN to twenty-six days before the next year
BACKFILLED = 60  # days that a job loads at once before it goes on by the day
AGENTS = ("Mozilla/5.0 (X11; Linux x86_64) Chrome/{}.0", "Mozilla/5.0 (iPhone; CPU iPhone OS {} like Mac OS X)",
          "Mozilla/5.0 (Windows NT 10.0; rv:{}.0) Firefox/{}.0", "curl/8.{}.1", "okhttp/4.{}")  # fmt: skip
NAMES = "Ada Bo Cem Dana Eva Finn Gil Hana Ivo Jun Kai Lea Mia Nia Oto Pia Quin Rosa Sami Tea Uma Vera Wim Xenia Yara"
SURNAMES = "Abel Bauer Costa Dietz Evans Fuchs Gomez Huber Ito Jansen Klein Lopez Meyer Novak Olsen Peters Rossi Silva"


def tenants(seed: int, step: int, path: Path) -> pa.Table:
    """A file of one of six tenants, each with numbers, amounts and mail addresses of its own."""
    rng, at = np.random.default_rng([seed, step]), BEGIN + timedelta(hours=4 * step)
    name, prefix, currency, size, many = TENANTS[rng.permutation(len(TENANTS))[0] if step % 6 else step // 6 % 6]
    rows = max(int(rng.lognormal(np.log(many), 0.3)), 1)
    return pa.table(
        {
            "tenant": [name] * rows,
            "number": [f"{prefix}{one:07d}" for one in step * 3000 + np.arange(rows)],
            "amount": np.round(rng.lognormal(np.log(size), 0.7, rows), 0 if currency == "JPY" else 2),
            "currency": [currency] * rows,
            "mail": [f"c{one}@{name}.example" for one in rng.integers(1, 9999, rows)],
            "note": pa.array(["gift"] * rows, mask=rng.random(rows) > (0.3 if name == "lyon" else 0.02)),
            "at": [at - timedelta(seconds=float(s)) for s in rng.random(rows) * 86400],
        }
    )


def stocks(seed: int, step: int, path: Path) -> pa.Table:
    """What is on stock at the end of a day, appended day by day."""
    base, rng = np.random.default_rng(seed), np.random.default_rng([seed, step])
    there = np.flatnonzero(base.integers(-300, 90, 900) <= step)
    level = np.zeros(900, int) + base.integers(5, 80, 900)
    for day in range(step + 1):
        level = level - np.random.default_rng([seed, day, 1]).poisson(2, 900)
        level = np.where(level < 0, base.integers(20, 80, 900), level)
    return pa.table(
        {
            "snapshot_date": [(BEGIN + timedelta(days=step)).date()] * len(there),
            "sku": [f"A-{one:06d}" for one in there * 37],
            "warehouse": [f"W{one % 4 + 1}" for one in there],
            "level": level[there],
            "reserved": rng.binomial(5, 0.1, len(there)),
            "counter": pa.array([f"u{n}" for n in rng.integers(1, 9, len(there))], mask=rng.random(len(there)) > 0.2),
        }
    )  # fmt: skip


def changes(seed: int, step: int, path: Path) -> pa.Table:
    """Changes of a database's rows within an hour, in bursts; what was deleted has no values."""
    rng, at = np.random.default_rng([seed, step]), BEGIN + timedelta(hours=step)
    rows = max(int(rng.lognormal(5, 0.9)), 1)
    op = rng.choice(["I", "U", "D"], rows, p=[0.3, 0.65, 0.05])
    gone = op == "D"
    return pa.table(
        {
            "op": op,
            "lsn": np.arange(rows) + step * 100_000 + 7_000_000,
            "id": rng.integers(1, 80_000, rows),
            "name": pa.array(
                [f"{rng.choice(NAMES.split())} {rng.choice(SURNAMES.split())}" for _ in range(rows)], mask=gone
            ),
            "credit": pa.array(np.round(rng.gamma(2, 500, rows), 2), mask=gone | (rng.random(rows) < 0.3)),
            "segment": pa.array(rng.choice(["A", "B", "C"], rows, p=[0.6, 0.3, 0.1]), mask=gone),
            "changed_at": [at + timedelta(seconds=float(s)) for s in np.sort(rng.random(rows)) * 3600],
        }
    )


def bookings(seed: int, step: int, path: Path) -> pa.Table:
    """A day's bookings over a new year: their numbers hold the year and begin again with it, another counts on past
    99,999."""
    rng, on = np.random.default_rng([seed, step]), BEGIN + NEW_YEAR + timedelta(days=step)
    rows = int(220 * WEEK[on.weekday()] * (0.5 if (on.month, on.day) in ((12, 25), (12, 26), (1, 1)) else 1))
    first = 400 * on.timetuple().tm_yday
    stay = rng.integers(1, 15, rows)
    begins = [on + timedelta(days=int(d)) for d in rng.gamma(1.5, 30, rows)]
    return pa.table(
        {
            "booking": [f"BK-{on:%Y}-{first + one:06d}" for one in range(rows)],
            "account": 99_000 + step * 40 + rng.integers(0, 40, rows),
            "arrival": [one.date() for one in begins],
            "departure": [(one + timedelta(days=int(d))).date() for one, d in zip(begins, stay, strict=True)],
            "price": np.round(rng.gamma(3, 45, rows) * stay, 2),
            "season": [f"{one:%Y}-{'S' if 4 <= one.month <= 9 else 'W'}" for one in begins],
            "channel": rng.choice(["web", "phone", "agency"], rows, p=[0.7, 0.1, 0.2]),
            "month": [f"{on:%b %Y}"] * rows,
        }
    )


def drops(seed: int, step: int, path: Path) -> pa.Table:
    """A file as it comes, of one row or of thousands."""
    rng, at = np.random.default_rng([seed, step]), BEGIN + timedelta(hours=6 * step)
    rows = max(int(rng.lognormal(4.5, 1.6)), 1)
    return pa.table(
        {
            "claim": [f"CL{rng.integers(10**8):08d}" for _ in range(rows)],
            "amount": np.round(rng.lognormal(6, 1.1, rows), 2),
            "cause": rng.choice(["water", "fire", "theft", "storm", "other"], rows, p=[0.4, 0.1, 0.2, 0.2, 0.1]),
            "plate": pa.array(
                [f"{chr(65 + a)}{chr(65 + b)} {n}" for a, b, n in rng.integers((0, 0, 100), (26, 26, 999), (rows, 3))],
                mask=rng.random(rows) < 0.5,
            ),
            "reported": [(at - timedelta(days=int(d))).date() for d in rng.gamma(1.0, 6, rows)],
            "file": [f"claims_{at:%Y%m%d_%H}.csv"] * rows,
        }
    )


def backfill(seed: int, step: int, path: Path) -> pa.Table:
    """A day's tickets, of which the first two months were loaded at once."""
    rng, on = np.random.default_rng([seed, step]), BEGIN + timedelta(days=step - BACKFILLED)
    rows = int(180 * WEEK[on.weekday()] * (1 + rng.normal(0, 0.08)))
    opened = [on + timedelta(seconds=float(s)) for s in np.sort(rng.random(rows)) * 86400]
    closed = rng.random(rows) < 0.7
    return pa.table(
        {
            "ticket": [f"T{step:03d}-{one:04d}" for one in range(rows)],
            "priority": rng.choice(["low", "normal", "high", "urgent"], rows, p=[0.2, 0.6, 0.17, 0.03]),
            "minutes": pa.array(np.round(rng.lognormal(4, 1, rows)).astype(int), mask=~closed),
            "opened": opened,
            "closed": [one + timedelta(minutes=float(m)) if done else None
                       for one, m, done in zip(opened, rng.lognormal(4, 1, rows), closed, strict=True)],
            "country": rng.choice(COUNTRIES, rows, p=ZIPF / ZIPF.sum()),
        }
    )  # fmt: skip


def leads(seed: int, step: int, path: Path) -> pa.Table:
    """A day's leads; a column comes after a month, and is filled more and more."""
    rng, on = np.random.default_rng([seed, step]), BEGIN + timedelta(days=step)
    rows = int(160 * WEEK[on.weekday()] * (1 + rng.normal(0, 0.08)))
    name = [f"{rng.choice(NAMES.split())} {rng.choice(SURNAMES.split())}" for _ in range(rows)]
    found = {
        "lead": np.arange(rows) + 1000 * step,
        "name": name,
        "mail": pa.array([f"{one.lower().replace(' ', '.')}@example.net" for one in name], mask=rng.random(rows) < 0.1),
        "phone": pa.array(
            [f"+49 {rng.integers(150, 179)} {rng.integers(10**7):07d}" for _ in name], mask=rng.random(rows) < 0.4
        ),
        "source": rng.choice(["fair", "web", "partner", "ad"], rows, p=[0.1, 0.6, 0.1, 0.2]),
        "score": rng.integers(0, 101, rows),
    }  # fmt: skip
    if step >= 30:
        found["consent"] = pa.array(rng.choice(["yes", "no"], rows), mask=rng.random(rows) > (step - 29) / 40)
    return pa.table(found)


def staff(seed: int, step: int, path: Path) -> pa.Table:
    """Who works in a firm, whole and by the week; pay rises with a year's first weeks and once in summer."""
    base = np.random.default_rng(seed)
    people, begins, ends = 600, base.integers(-400, 40, 600), base.integers(0, 300, 600)
    pay = np.round(base.lognormal(8.1, 0.3, people), -1)
    raised = [week for week in range(step + 1) if week % 26 == 13]
    pay = np.round(pay * 1.03 ** len(raised), 2)
    there = np.flatnonzero((begins <= step) & (ends > step))
    return pa.table(
        {
            "staff_id": [f"E{one:05d}" for one in there + 10_000],
            "name": [f"{NAMES.split()[one % 25]} {SURNAMES.split()[one % 18]}" for one in there],
            "team": [f"T{one % 17:02d}" for one in there],
            "pay": pay[there],
            "since": [(BEGIN + timedelta(weeks=int(begins[one]))).date() for one in there],
            "until": [(BEGIN + timedelta(weeks=int(ends[n]))).date() if ends[n] < step + 8 else None for n in there],
            "hours": base.choice([40, 32, 20], people, p=[0.8, 0.1, 0.1])[there],
        }
    )  # fmt: skip


def features(seed: int, step: int, path: Path) -> pa.Table:
    """A day's features of a model: numbers that drift slowly, vectors, and a struct."""
    rng, rows = np.random.default_rng([seed, step]), 500
    return pa.table(
        {
            "entity": rng.integers(1, 10**6, rows),
            "recency": np.round(rng.exponential(20 + step / 10, rows), 3),
            "ratio": np.where(rng.random(rows) < 0.01, np.nan, rng.beta(2, 5, rows)),
            "vector": [one.tolist() for one in rng.normal(0, 1, (rows, 8)).astype(np.float32)],
            "last": [{"channel": c, "spent": round(float(s), 2)}
                     for c, s in zip(rng.choice(["web", "app"], rows), rng.gamma(2, 30, rows), strict=True)],
            "label": rng.random(rows) < 0.08,
        }
    )  # fmt: skip


def failures(seed: int, step: int, path: Path) -> pa.Table:
    """A day's failed payments: a few, often none."""
    rng, on = np.random.default_rng([seed, step]), BEGIN + timedelta(days=step)
    rows = int(rng.poisson(3 if on.weekday() < 5 else 0.7))
    at = [on + timedelta(seconds=float(s)) for s in rng.random(rows) * 86400]
    return pa.table(
        {
            "payment": pa.array([f"pay_{rng.bytes(6).hex()}" for _ in range(rows)], pa.string()),
            "code": pa.array(map(str, rng.choice([51, 14, 54, 91], rows, p=[0.6, 0.2, 0.15, 0.05])), pa.string()),
            "amount": np.round(rng.gamma(2, 40, rows), 2),
            "at": pa.array(at, pa.timestamp("us", "UTC")),
        }
    )  # fmt: skip


def visits(seed: int, step: int, path: Path) -> pa.Table:
    """A working day's visits with addresses of pages, searches and agents, whose versions go on."""
    rng, on = np.random.default_rng([seed, step]), BEGIN + working(step)
    rows = int(900 * (1.4 if on.weekday() == 0 else 1.0) * (1 + rng.normal(0, 0.05)))
    release = 120 + (step / 20 + rng.random(rows)).astype(int) - rng.geometric(0.5, rows)
    agent = [AGENTS[i].replace("{}", str(n)) for i, n in zip(rng.integers(0, 5, rows), release, strict=True)]
    search = [" ".join(rng.choice(SURNAMES.lower().split(), rng.integers(1, 4))) for _ in range(rows)]
    return pa.table(
        {
            "visit": [f"{rng.bytes(4).hex()}-{rng.bytes(2).hex()}" for _ in range(rows)],
            "url": [f"https://shop.example/{rng.choice(['p', 'c', 'help'])}/{n}?utm_source={s}"
                    for n, s in zip(rng.zipf(1.5, rows) % 5000, rng.choice(["mail", "ad", "seo"], rows), strict=True)],
            "search": pa.array(search, mask=rng.random(rows) < 0.8),
            "agent": agent,
            "seconds": np.round(rng.lognormal(3, 1.2, rows), 1),
            "language": rng.choice(["de-DE", "en-US", "fr-FR", "en", "de"], rows, p=[0.4, 0.3, 0.1, 0.1, 0.1]),
        }
    )  # fmt: skip


def working(step: int) -> timedelta:
    """When the working day is that so many come before, from a Monday."""
    return timedelta(days=step // 5 * 7 + step % 5)


def backfilled(step: int) -> timedelta:
    """When a version of what is loaded at once is committed: a minute each, then a day each."""
    return timedelta(minutes=step + 1) if step < BACKFILLED else timedelta(days=step - BACKFILLED + 1)
