"""A lake of marked values: whatever a person or program is shown may hold none of the marks."""

from __future__ import annotations

import pyarrow as pa

NAMES = ("Ann", "Bob", "Zoe", "Mia", "Leo", "Eva", "Tom", "Ida")
IBANS = ("GB82WEST12345698765432", "DE89370400440532013000", "FR1420041010050500013M02606")
CARDS = (4111111111111111, 5555555555554444, 4012888888881881)
#: What no text that people or programs get may hold: parts of values, so that no rendering hides them.
MARKS = ("markedperson", "marked.example", "WEST1234", "WEST 1234", "37040044", "20041010", "41111111", "4111 1111")
MARKS += ("55555555", "40128888", "71.1234", "71.8", "secretpass", "Markedstreet", "198.51.100.", "536-90-43")
#: Of columns that are masked, and arrive in others.
MARKS += ("Abendmarke", "Brückmarke", "Claasmarke", "4455 11", "4455-11")
#: Of a column that nobody knows.
MARKS += ("Qmarked", "Rmarked", "Smarked")


def batch(day: int, *, bad: bool = False) -> pa.Table:
    """Rows with marked values in columns, structs, lists, maps and notes. A bad batch breaks what was learned."""
    count = 80
    mail = [f"{NAMES[i % 8].lower()}.markedperson{day * count + i}@marked.example" for i in range(count)]
    notes = [f"parcel {i} was delivered on time and nobody complained about it" for i in range(count)]
    notes[3] = f"please write to {mail[3]} or pay to GB82 WEST 1234 5698 7654 32 with 4111 1111 1111 1111"
    if bad:
        mail = [f"?? {one} ??" for one in mail]
        notes = [f"{one}; {mail[i]}" for i, one in enumerate(notes)]
    return pa.table({
        "id": list(range(day * count, (day + 1) * count)),
        "email": mail,
        "iban": pa.array([None if bad else IBANS[i % 3] for i in range(count)], pa.string()),
        "card": [CARDS[i % 3] if not bad else CARDS[i % 3] * 10 for i in range(count)],
        "latitude": [71.1234 + i / 1000 if not bad else 0.5 for i in range(count)],
        "password": [f"secretpass{i}" if not bad else "" for i in range(count)],
        "client_ip": [f"198.51.100.{i}" if not bad else f"{i}.198.51.100.7" for i in range(count)],
        "note": notes,
        "customer": [{"email": m, "ssn": f"536-90-43{10 + i % 90}", "age": 20 + i % 50} for i, m in enumerate(mail)],
        "contacts": [[{"email": one, "street": f"{i} Markedstreet"}] for i, one in enumerate(mail)],
        "by_kind": pa.array([[("home", one)] for one in mail], pa.map_(pa.string(), pa.string())),
        "zgrp": [("Qmarked", "Rmarked", "Smarked")[i % 3] + ("?" if bad else "") for i in range(count)],
        "amount": [float(i % 13) if not bad else 1e9 for i in range(count)],
    })  # fmt: skip


SURNAMES = ("Abendmarke", "Brückmarke", "Claasmarke")


def visits(day: int, *, bad: bool = False) -> pa.Table:
    """Visitors, of whom names, telephones and passwords are masked. In a bad batch each text of a row stands one column
    further, and some telephones stand where days should."""
    count = 60
    who = [
        f"{SURNAMES[i % 3]}, {('Mr.', 'Miss.')[i % 2]} {NAMES[(i + day) % 8]} {'ABCDEFGH'[i % 8]}."
        for i in range(count)
    ]
    phone = [f"+49 30 4455 11{(day * 7 + i) % 100:02}" for i in range(count)]
    sex = [("male", "female")[i % 2] for i in range(count)]
    day_of = [f"2024-{1 + day % 12:02}-{1 + i % 28:02}" for i in range(count)]
    hall = [("north", "south", "west")[i % 3] for i in range(count)]
    login = [f"secretpass{i}" for i in range(count)]
    gate = [f"G{i % 5}" for i in range(count)]
    if bad:
        who, sex, hall = hall, who, sex
        day_of[10:20] = phone[10:20]
        gate[5:50] = login[5:50]
    return pa.table({
        "visit": list(range(day * count, (day + 1) * count)), "full_name": who, "sex": sex, "hall": hall,
        "phone": phone, "came_on": day_of, "password": login, "gate": gate,
    })  # fmt: skip


#: Checks on sensitive columns, of each way in which a verdict could tell a value; nearly all are broken.
CHECKS = """
tables:
  lake/people:
    - {has_max: latitude, at_most: 1}
    - {has_min: latitude, at_least: 100}
    - {has_mean: latitude, at_most: 0.1}
    - {has_sum: card, at_most: 1}
    - {has_max: card, at_most: 1}
    - {has_range: latitude, at_least: 1000}
    - {has_quantile: latitude, q: 0.5, at_most: 0.1}
    - {is_between: latitude, low: 500, high: 600}
    - {is_in: password, values: [never]}
    - {is_in: customer.email, values: [never]}
    - {is_in: zgrp, values: [never]}
    - {has_pattern: zgrp, pattern: "^x$"}
    - {has_pattern: email, pattern: "^x$"}
    - {has_max_length: email, at_most: 1}
    - {is_unique: iban}
    - {is_complete: iban}
    - {has_count_distinct: iban, at_most: 1}
    - {satisfies: length(client_ip) < 3, name: short_addresses}
    - {satisfies: amount > 2000000000 or id < 0, name: no_row}
    - {is_equal_to: [email, password]}
    - {has_max: amount, at_most: 1}
  lake/visitors:
    - {is_in: sex, values: [male, female]}
    - {is_in: hall, values: [north, south, west]}
    - {has_pattern: came_on, pattern: "^2024.*$"}
    - {has_max_length: gate, at_most: 3}
"""
