"""Six tables of services: a hotel's bookings, an insurer's claims, a university's students, flights, weather stations,
a library's loans."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np

from benchmarks.simulation.data import START, Business, Rng, clock, digits, ean, holes, later, pick

GIVEN = "Zofia|Łukasz|Małgorzata|Éloïse|Gaël|Benoît|Åsa|Göran|Linnéa|Karel|Anneke|Piet"
FAMILY = "Wiśniewska|Król|Żurek|Lefèvre|Béranger|Garçon|Sjöberg|Åkesson|Nyström|de Vries|Bakker|Mulder"
PORTS = "WAW|KRK|GDN|CDG|ARN|AMS|GOT|LYS"
SUBJECTS = "Fångarna på|En kort historia om|Kvinnan i|Resan till|Vägen mot|Boken om"
PLACES = "Kattegatt|Uppsala slott|Norrland|ön|månens baksida|Gamla stan|Torne älv"


def people(rng: Rng, n: int) -> list[str]:
    return [f"{a} {b}" for a, b in zip(pick(rng, GIVEN, n), pick(rng, FAMILY, n), strict=True)]


def letters(rng: Rng, n: int, size: int) -> list[str]:
    return ["".join(rng.choice(list("ABCDEFGHJKLMNPRSTUVWXYZ23456789"), size)) for _ in range(n)]


def day_of(day: int) -> date:
    return (START + timedelta(days=day)).date()


def bookings(rng: Rng, day: int, n: int) -> dict[str, Any]:
    nights = 1 + rng.poisson(1.6, n)
    arrival = [day_of(day) + timedelta(days=int(k)) for k in rng.exponential(25, n)]
    return {
        "booking": [f"H{x}" for x in letters(rng, n, 7)],
        "hotel": pick(rng, "LYS01|LYS02|WAW01|STO01|STO03|AMS02", n),
        "guest": people(rng, n),
        "arrival": arrival,
        "departure": [a + timedelta(days=int(k)) for a, k in zip(arrival, nights, strict=True)],
        "nights": nights,
        "room": pick(rng, "DBL|SGL|TWN|SUI", n, [0.5, 0.25, 0.2, 0.05]),
        "board": pick(rng, "BB|RO|HB|FB", n, [0.6, 0.25, 0.1, 0.05]),
        "rate": np.round(rng.lognormal(4.7, 0.35, n), 2),
        "channel": holes(rng, pick(rng, "direct|ota|agent|corporate", n, [0.3, 0.45, 0.15, 0.1]), 0.02),
        "booked_at": clock(rng, day, n, 19, 3),
    }


def claims(rng: Rng, day: int, n: int) -> dict[str, Any]:
    lost = [day_of(day) - timedelta(days=int(k)) for k in rng.exponential(9, n)]
    return {
        "claim": [f"CL/2026/{3000 + 400 * day + k:06d}" for k in range(n)],
        "policy": [f"P-{a}-{b}" for a, b in zip(rng.integers(60, 90, n), digits(rng, n, 6), strict=True)],
        "peril": pick(rng, "glass|water|theft|fire|hail", n, [0.4, 0.3, 0.15, 0.1, 0.05]),
        "lost_on": lost,
        "reported_on": [f"{day_of(day) - timedelta(days=int(k)):%d-%m-%Y}" for k in rng.integers(0, 60, n)],
        "plate": [f"{a[:2]}-{d}-{a[2:]}" for a, d in zip(
            ["".join(rng.choice(list("BDFGHJKLNPRSTVXZ"), 4)) for _ in range(n)], digits(rng, n, 3), strict=True)],
        "reserve": np.round(rng.lognormal(7.2, 0.8, n), 0),
        "paid": np.round(rng.lognormal(6.1, 0.9, n), 2),
        "handler": people(rng, n),
    }  # fmt: skip


def students(rng: Rng, day: int, n: int) -> dict[str, Any]:
    given, family = pick(rng, GIVEN, n), pick(rng, FAMILY, n)
    return {
        "student": [f"S{2020 + k % 6}-{k:05d}" for k in range(n)],
        "given": given,
        "family": family,
        "born": [f"{date(1996, 1, 1) + timedelta(days=int(k)):%Y-%m-%d}" for k in rng.integers(0, 4000, n)],
        "programme": pick(rng, "BIO|INF|LAW|MED|HIS", n, [0.2, 0.3, 0.2, 0.2, 0.1]),
        "credits": 5 * rng.integers(0, 37, n),
        "average": [f"{x:.2f}" for x in np.clip(rng.normal(2.4, 0.6, n), 1, 5)],
        "mail": [f"{g[:1].lower()}{k}@stud.uni.example" for k, g in enumerate(given)],
        "fee": rng.choice([380.0, 1250.0, 2100.0], n, p=[0.7, 0.2, 0.1]),
    }


def flights(rng: Rng, day: int, n: int) -> dict[str, Any]:
    off = clock(rng, day, n, 13, 4)
    return {
        "flight": [f"{a} {k}" for a, k in zip(pick(rng, "LO|AF|SK|KL", n), rng.integers(100, 3999, n), strict=True)],
        "tail": [f"{a}-{b}" for a, b in zip(pick(rng, "SP|SE|PH", n), pick(rng, "LRA|LRB|RSD|BXK|LVT|DNF", n),
                                            strict=True)],
        "origin": pick(rng, PORTS, n),
        "destination": pick(rng, PORTS, n),
        "off_block": off,
        "on_block": later(rng, off, 2),
        "delay": rng.normal(9, 14, n).astype(int),
        "passengers": rng.binomial(180, 0.8, n),
        "fuel_kg": np.round(rng.normal(6200, 900, n), 0),
        "stand": [f"{a}{k}" for a, k in zip(pick(rng, "A|B|C", n), rng.integers(1, 40, n), strict=True)],
    }  # fmt: skip


def weather(rng: Rng, day: int, n: int) -> dict[str, Any]:
    slots = [(s, k) for s in ("02485", "02432", "07149", "07481", "12375", "06240") for k in range(144)]
    hours = np.array([k / 6 for _, k in slots])
    return {
        "station": [s for s, _ in slots],
        "at": [START + timedelta(days=day, minutes=10 * k) for _, k in slots],
        "celsius": np.round(8 + 5 * np.sin((hours - 9) / 24 * 2 * np.pi) + rng.normal(0, 1.5, len(slots)), 1),
        "hectopascal": np.round(rng.normal(1013, 6, len(slots)), 1),
        "wind": np.round(rng.weibull(2, len(slots)) * 5, 1),
        "direction": rng.integers(0, 360, len(slots)),
        "rain": np.round(np.where(rng.random(len(slots)) < 0.12, rng.exponential(0.6, len(slots)), 0), 1),
        "sky": pick(rng, "CLR|FEW|SCT|BKN|OVC", len(slots), [0.25, 0.2, 0.2, 0.2, 0.15]),
    }


def loans(rng: Rng, day: int, n: int) -> dict[str, Any]:
    return {
        "isbn": [ean(f"978{d}") for d in digits(rng, n, 9)],
        "borrower": [f"{k:09d}" for k in rng.integers(100, 900_000, n)],
        "branch": pick(rng, "Centralbiblioteket|Östermalm|Söderläsning|Kungsholmen", n, [0.5, 0.2, 0.2, 0.1]),
        "lent_on": [day_of(day)] * n,
        "due_on": [day_of(day) + timedelta(days=int(k)) for k in rng.choice([14, 28], n, p=[0.3, 0.7])],
        "shelf": [f"{a}{b}.{c} {d}{e}" for a, b, c, d, e in zip(
            pick(rng, "QA|PT|HV", n), rng.integers(10, 99, n), rng.integers(1, 99, n), pick(rng, "P|S|L", n),
            rng.integers(10, 99, n), strict=True)],
        "title": [f"{a} {b}, del {k}" for a, b, k in zip(pick(rng, SUBJECTS, n), pick(rng, PLACES, n),
                                                         rng.integers(1, 9, n), strict=True)],
        "tongue": pick(rng, "swe|eng|ara|pol", n, [0.7, 0.2, 0.06, 0.04]),
        "renewals": rng.poisson(0.7, n),
    }  # fmt: skip


SERVICES: dict[str, Business] = {
    "bookings": Business(bookings, False, 500),
    "claims": Business(claims, False, 380),
    "students": Business(students, True, 700),
    "flights": Business(flights, False, 800),
    "weather": Business(weather, False, 864),
    "loans": Business(loans, False, 450),
}
