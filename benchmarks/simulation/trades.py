"""Nine tables of other trades: a bank, a hospital's laboratory, telephone calls, advertising, messages of hauliers,
electricity meters, an ERP's vendors, a payroll, the bins of a warehouse. Each speaks another language."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np

from benchmarks.simulation.data import START, Business, Rng, clock, digits, ean, holes, iban, later, pick

GIVEN = {
    "it": "Giulia|Niccolò|Chiara|Andrea|Zoè|Matteo|Elisa|Davide|Noemi|Luca",
    "pt": "João|Inês|Mateus|Conceição|Tomás|Íris|Lourenço|Sofia|Rui|Marta",
    "fi": "Väinö|Aino|Jyrki|Päivi|Eero|Hilkka|Yrjö|Säde|Olli|Maija",
}
FAMILY = {
    "it": "Rossi|Bianchi|Caruso|Nicolò|Ferrari|Gallo|Greco|Conti|Marini|Villa",
    "pt": "Gonçalves|Magalhães|Simões|Brandão|Pereira|Araújo|Sousa|Leitão|Costa|Antão",
    "fi": "Mäkelä|Hämäläinen|Virtanen|Pöysti|Koskinen|Järvi|Nieminen|Yli-Ojä|Laine|Salo",
}
FIRMS = (
    "Ström & Söner AB|Łódź Trans Sp. z o.o.|Hnos. Núñez S.L.|Dvořák s.r.o.|Van Dijk BV|Çelik A.Ş.|Côte d'Or|Falk GmbH"
)
STREETS = "Via Garibaldi|Corso Umberto I|Piazza della Libertà|Viale Roma|Via dell'Università|Largo Augusto"
TOWNS = {
    "it": "Forlì|Torino|Cantù|Bari|Mondovì|Genova|Patti|Nardò",
    "es": "Málaga|Cádiz|Logroño|León|A Coruña|Vigo|Ávila|Madrid",
}


def people(rng: Rng, tongue: str, n: int) -> list[str]:
    given, family = pick(rng, GIVEN[tongue], n), pick(rng, FAMILY[tongue], n)
    return [f"{a} {b}" for a, b in zip(given, family, strict=True)]


def days_before(rng: Rng, day: int, most: int, n: int, pattern: str) -> list[str]:
    ago = rng.integers(0, most, n)
    return [f"{START + timedelta(days=day - int(k)):{pattern}}" for k in ago]


def luhn(body: str) -> str:
    """Digits with the one behind that checks them (ISO/IEC 7812)."""
    doubled = [int(d) * (1 + (k % 2 == 0)) for k, d in enumerate(reversed(body))]
    return body + str(-sum(x - 9 * (x > 9) for x in doubled) % 10)


def statements(rng: Rng, day: int, n: int) -> dict[str, Any]:
    out = rng.random(n) < 0.7
    today = START + timedelta(days=day)
    return {
        "line": [f"{today:%y%m%d}/{k:05d}" for k in range(n)],
        "account": [iban(f"37040044{k:010d}") for k in rng.choice([11, 12, 17, 23, 40, 58], n)],
        "booked_on": [date(today.year, today.month, today.day)] * n,
        "value_on": days_before(rng, day, 3, n, "%y%m%d"),
        "kind": pick(rng, "NTRF|NDDT|NCHG|NMSC", n, [0.6, 0.25, 0.1, 0.05]),
        "amount": np.round(rng.lognormal(5, 1, n) * np.where(out, -1, 1), 2),
        "balance": np.round(rng.normal(250_000, 30_000, n), 2),
        "party": pick(rng, FIRMS, n),
        "purpose": [f"INVOICE {y}/{k:06d} CUSTOMER {c}" for y, k, c in zip(
            pick(rng, "2025|2026", n), rng.integers(0, 10**6, n), rng.integers(1000, 9999, n), strict=True)],
    }  # fmt: skip


ANALYTES = {  # unit, usual value, spread
    "GLU": ("mmol/L", 5.4, 0.2), "NA": ("mmol/L", 140.0, 0.02), "HB": ("g/L", 138.0, 0.1),
    "CREA": ("µmol/L", 80.0, 0.25), "CRP": ("mg/L", 4.0, 0.8), "TSH": ("mIU/L", 2.0, 0.5),
}  # fmt: skip


def laboratory(rng: Rng, day: int, n: int) -> dict[str, Any]:
    taken = clock(rng, day, n, 8.5, 2)
    what = pick(rng, "|".join(ANALYTES), n, [0.2, 0.2, 0.2, 0.15, 0.15, 0.1])
    value = [round(float(ANALYTES[w][1] * np.exp(ANALYTES[w][2] * rng.normal())), 2) for w in what]
    return {
        "sample": [f"L26-{70_000 + 800 * day + k:07d}-{k % 9}" for k in range(n)],
        "patient": [f"{k:010d}" for k in rng.integers(1000, 4_000_000, n)],
        "analyte": what,
        "result": value,
        "unit": [ANALYTES[w][0] for w in what],
        "flag": pick(rng, "N|H|L", n, [0.8, 0.12, 0.08]),
        "ward": pick(rng, "ICU|ER|SURG|MED1|MED2|PED", n),
        "taken_at": taken,
        "resulted_at": later(rng, taken, 1.5),
        "validated_by": holes(rng, people(rng, "fi", n), 0.04),
    }


def calls(rng: Rng, day: int, n: int) -> dict[str, Any]:
    began = clock(rng, day, n, 16, 3.5)
    seconds = rng.lognormal(4.3, 1, n).astype(int) + 1
    return {
        "caller": [f"3519{d}" for d in digits(rng, n, 8)],
        "callee": [f"351{a}{d}" for a, d in zip(pick(rng, "21|22|91|93|96", n), digits(rng, n, 7), strict=True)],
        "kind": pick(rng, "MOC|MTC|SMS|FWD", n, [0.5, 0.3, 0.15, 0.05]),
        "began_at": began,
        "ended_at": [b + timedelta(seconds=int(s)) for b, s in zip(began, seconds, strict=True)],
        "seconds": seconds,
        "cell": [f"268-06-{a}-{b}" for a, b in zip(rng.integers(1000, 1100, n), digits(rng, n, 5), strict=True)],
        "trunk": pick(rng, "LX01|LX02|OP01|FA01|CO03", n, [0.35, 0.25, 0.2, 0.15, 0.05]),
        "imei": [luhn("35" + d) for d in digits(rng, n, 12)],
        "charge": np.round(seconds * 0.0021, 4),
    }


def adverts(rng: Rng, day: int, n: int) -> dict[str, Any]:
    shown = clock(rng, day, n, 18, 3)
    return {
        "auction": [f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:32]}"
                    for h in (rng.bytes(16).hex() for _ in range(n))],
        "shown_ms": [int(t.timestamp() * 1000) for t in shown],
        "campaign": rng.choice([4411, 4412, 4480, 5003, 5017], n),
        "size": pick(rng, "300x250|728x90|160x600|320x50", n, [0.4, 0.2, 0.1, 0.3]),
        "page": [f"https://{s}/{a}/{k}?utm_source={u}" for s, a, k, u in zip(
            pick(rng, "dailypost.example|kitchen.example|wheels.example", n), pick(rng, "news|sport|life", n),
            rng.integers(1, 900, n), pick(rng, "mail|feed|search", n), strict=True)],
        "bid_micros": rng.lognormal(7.5, 0.5, n).astype(int),
        "cpm": np.round(rng.lognormal(0.6, 0.4, n), 3),
        "os": pick(rng, "android|ios|windows|macos", n, [0.45, 0.3, 0.15, 0.1]),
        "clicked": (rng.random(n) < 0.03).astype(int),
        "viewable": np.round(rng.beta(5, 3, n), 2),
    }  # fmt: skip


def messages(rng: Rng, day: int, n: int) -> dict[str, Any]:
    sent = clock(rng, day, n, 11, 2.5)
    return {
        "interchange": [f"{26_000_000 + 500 * day + k}" for k in range(n)],
        "kind": pick(rng, "ORDERS|DESADV|INVOIC|IFTMIN", n, [0.4, 0.3, 0.2, 0.1]),
        "shipper": [ean(f"84{d}") for d in digits(rng, n, 10)],
        "consignee": [ean(f"54{d}") for d in digits(rng, n, 10)],
        "sscc": [f"38412345{d}" for d in digits(rng, n, 10)],
        "depot": pick(rng, TOWNS["es"], n),
        "firm": pick(rng, FIRMS, n),
        "terms": pick(rng, "DAP|EXW|FCA|CIF", n, [0.4, 0.3, 0.2, 0.1]),
        "tariff": [f"{a}.{b}.{c}" for a, b, c in zip(rng.integers(8400, 8600, n), rng.integers(10, 99, n),
                                                      rng.integers(10, 99, n), strict=True)],
        "kilograms": np.round(rng.lognormal(6, 0.5, n), 1),
        "cube": [f"{x:.3f}" for x in rng.lognormal(0.5, 0.4, n)],
        "sent_at": sent,
        "received_at": later(rng, sent, 0.4),
    }  # fmt: skip


def meters(rng: Rng, day: int, n: int) -> dict[str, Any]:
    today, counters = START + timedelta(days=day), 20
    slots = [(m, s) for m in range(counters) for s in range(48)]
    load = np.array(
        [0.25 + 0.5 * np.exp(-((s - 38) ** 2) / 40) + 0.2 * np.exp(-((s - 15) ** 2) / 20) for _, s in slots]
    )
    used = np.round(load * rng.lognormal(0, 0.3, len(slots)), 3)
    return {
        "meter": [f"871687{120_000_000_000 + 7919 * m}" for m, _ in slots],
        "starts_at": [today + timedelta(minutes=30 * s) for _, s in slots],
        "kwh": used,
        "register": [round(50_000 + 1000 * m + 17.5 * day + 0.36 * s, 1) for m, s in slots],
        "quality": pick(rng, "A|E|S", len(slots), [0.93, 0.05, 0.02]),
        "volts": np.round(rng.normal(231, 2, len(slots)), 1),
        "tariff": ["T1" if 14 <= s < 44 else "T2" for _, s in slots],
        "supplier": pick(rng, "voltara|helder|zonne", len(slots), [0.6, 0.3, 0.1]),
    }


def vendors(rng: Rng, day: int, n: int) -> dict[str, Any]:
    return {
        "vendor": [f"{100_000 + 7 * k:010d}" for k in range(n)],
        "name": [f"{p.split()[1]} {w}" for p, w in zip(
            people(rng, "it", n), pick(rng, "S.r.l.|S.p.A.|& Figli|Società", n), strict=True)],
        "vat": [f"IT{luhn(d)}" for d in digits(rng, n, 10)],
        "street": [f"{s} {k}" for s, k in zip(pick(rng, STREETS, n), rng.integers(1, 200, n), strict=True)],
        "postcode": [f"{k:05d}" for k in rng.integers(10, 98_168, n)],
        "town": pick(rng, TOWNS["it"], n),
        "terms": pick(rng, "Z030|Z014|Z060|Z000", n, [0.5, 0.2, 0.2, 0.1]),
        "created": days_before(rng, 0, 4000, n, "%d.%m.%Y"),
        "mail": [f"ordini{k}@fornitore{k % 90}.example" for k in range(n)],
        "credit": (500 * rng.integers(1, 60, n)).astype(float),
    }  # fmt: skip


def payroll(rng: Rng, day: int, n: int) -> dict[str, Any]:
    gross = np.round(rng.lognormal(8.1, 0.3, n), 2)
    born = rng.integers(0, 14_000, n)
    return {
        "employee": [f"E-{1000 + 3 * k:05d}" for k in range(n)],
        "name": people(rng, "pt", n),
        "born": [f"{date(1962, 1, 1) + timedelta(days=int(k)):%d/%m/%Y}" for k in born],
        "since": [date(2026, 1, 1) - timedelta(days=int(k)) for k in rng.integers(1, 7000, n)],
        "grade": [f"{a}{b}" for a, b in zip(pick(rng, "A|B|C|D", n), rng.integers(1, 6, n), strict=True)],
        "centre": [
            f"{a}-{b}0" for a, b in zip(pick(rng, "4100|4200|5010|6000", n), rng.integers(1, 9, n), strict=True)
        ],
        "gross": gross,
        "net": np.round(gross * rng.normal(0.66, 0.03, n), 2),
        "hours": np.round(rng.normal(162, 9, n), 1),
        "tax_class": pick(rng, "I|II|III|IV", n, [0.5, 0.1, 0.2, 0.2]),
        "account": [iban(d) for d in digits(rng, n, 18)],
    }


def bins(rng: Rng, day: int, n: int) -> dict[str, Any]:
    counted = rng.poisson(120, n)
    return {
        "bin": [f"{'ABCDEF'[k % 6]}-{k // 6 % 40:02d}-{k // 240:02d}" for k in range(n)],
        "lot": [f"{a}{b}{c}" for a, b, c in zip(rng.integers(2301, 2653, n), pick(rng, "KX|MV|TR", n),
                                                digits(rng, n, 3), strict=True)],
        "expires": days_before(rng, day + 700, 600, n, "%Y-%m-%d"),
        "counted": counted,
        "reserved": rng.binomial(counted, 0.2),
        "unit_cost": np.round(rng.lognormal(1.2, 0.7, n), 2),
        "state": pick(rng, "released|quarantine|blocked|expired", n, [0.8, 0.1, 0.06, 0.04]),
        "picker": holes(rng, people(rng, "pt", n), 0.1),
        "last_count": [START + timedelta(days=day - int(k), hours=int(h)) for k, h in
                       zip(rng.integers(0, 30, n), rng.integers(6, 20, n), strict=True)],
    }  # fmt: skip


TRADES: dict[str, Business] = {
    "statements": Business(statements, False, 450),
    "laboratory": Business(laboratory, False, 700),
    "calls": Business(calls, False, 1100),
    "adverts": Business(adverts, False, 1200),
    "messages": Business(messages, False, 400),
    "meters": Business(meters, False, 960),
    "vendors": Business(vendors, True, 800),
    "payroll": Business(payroll, True, 650),
    "bins": Business(bins, True, 900),
}
