"""Values of persons and secrets inside texts and structs: by their keys, and by whom a struct names."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from catalog.states.folding.fold import fold
from catalog.tags.privacy.hiding import Hiding
from catalog.tags.privacy.inside import holds, mask_inside
from catalog.tags.privacy.levels import level_of
from catalog.tags.table import propose_table

FIRST = "Anna Bernd Clara David Emma Felix Greta Hans Ida Jonas".split()
LAST = "Mueller Schmidt Fischer Weber Meyer Wagner Becker Hoffmann Koch".split()
ILL = ("chronic kidney disease stage 3", "HIV positive since 2019", "major depression", "type 2 diabetes")
NAMES = [f"{FIRST[i % 10]} {LAST[i % 9]}" for i in range(90)]
MAILS = [f"{FIRST[i % 10]}.{LAST[i % 9]}{i}@mail.example".lower() for i in range(90)]
NOTES = [f"{ILL[i % 4]}, visit {i}" for i in range(90)]


def levels(columns: dict[str, list[object]], table: str = "events") -> dict[str, str]:
    rows = pa.table({"event_id": list(range(90)), **columns})
    found = propose_table(fold(rows).columns, table)
    return {
        name: level_of([(one.domain, "proposed") for one in ones if one.sensitive and not one.contains])
        for name, ones in found.items()
    }


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("2026-11-01 login user=ann password=Zqpw!871x from 10.0.0.11", "Zqpw!871x"),
        ("https://api.example/x?token=zq000abcdef0123&u=ann", "zq000abcdef0123"),
        (json.dumps({"user": "ann", "Password": 'corre"ct horse', "n": 1}), 'corre\\"ct horse'),
        (json.dumps({"body": json.dumps({"api_key": "zq17abcd"})}), "zq17abcd"),
        ("{'client_secret': 'zq17-abcd'}", "zq17-abcd"),
        ("DefaultEndpointsProtocol=https;AccountKey=Zq17abcd==;EndpointSuffix=x", "Zq17abcd=="),
        ("Authorization: Bearer zq17.abcd-efgh", "zq17.abcd-efgh"),
        ("cannot reach postgres://app:Zqpw31@db1.example/prod now", "Zqpw31"),
        ("the key sk_live_abcdefghijklmnop1234 was used", "abcdefghijklmnop1234"),
        ("https://x.example/c?sv=2020&sig=ab17cd%3D", "ab17cd%3D"),
        ("Passwort: hunter2!", "hunter2!"),
    ],
)
def test_secrets_are_masked_where_they_stand(text: str, secret: str) -> None:
    told = mask_inside(text)
    assert secret not in told
    assert len(told) == len(text)
    assert "user=ann" in told or "user=ann" not in text
    assert secret not in str(Hiding(known=frozenset({"line"})).row({"line": text}))


@pytest.mark.parametrize(
    "text",
    [
        "pass: 12, fail: 3", "The secret: a story of two cities", "max_tokens=4096", "token: noun, singular",
        "Password reset: required", '{"password": null, "secret": true}', '{"token": "hello"}', "spinning: 1234",
        "secretary: Smith", "monkey=banana", "key: value", '{"password": "string"}', "compass=north",
        "basic understanding of things", "passenger=Smith", "tokenizer: bert-base-17",
    ],
)  # fmt: skip
def test_other_words_behind_keys_stay(text: str) -> None:
    assert not holds(text)


def test_json_that_names_somebody_is_masked_until_somebody_has_looked() -> None:
    person = [
        json.dumps({"name": name, "dx": ill, "born": f"1970-02-{i % 28 + 1:02}"})
        for i, (name, ill) in enumerate(zip(NAMES, NOTES, strict=True))
    ]
    thing = [json.dumps({"name": f"Bolt M{i % 9}", "price": i, "color": "red"}) for i in range(90)]
    inside = [f"received {one} from the queue" for one in person]
    found = levels({"body": person, "product": thing, "line": inside})
    assert (found["body"], found["line"], found["product"]) == ("unreviewed", "unreviewed", "internal")


def test_what_stands_in_a_struct_is_about_whom_the_struct_names() -> None:
    last = [one.split()[1] + "zq" for one in NAMES]
    details = [[{"who": a, "mail": b, "note": c}] for a, b, c in zip(last, MAILS, NOTES, strict=True)]
    commit = [
        {"author": {"name": a, "email": b}, "message": f"fix the build {i}", "lines": i}
        for i, (a, b) in enumerate(zip(NAMES, MAILS, strict=True))
    ]
    shop = [{"email": f"info@shop{i}.example", "phone": f"+49 30 {5550000 + i}", "open": "8"} for i in range(90)]
    found = levels({"details": details, "commit": commit, "shop": shop})
    assert [found[f"details[].{one}"] for one in ("who", "mail", "note")] == ["unreviewed", "personal", "personal"]
    assert {found["commit.author.name"], found["commit.author.email"]} == {"personal"}
    others = [name for name in found if name.startswith("shop.") or name in ("commit.message", "commit.lines")]
    assert {name: found[name] for name in others} == dict.fromkeys(others, "internal")
