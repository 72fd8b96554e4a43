"""Kinds of damage: what each does is what it says, seeded, undone by its undo, and none where it does not apply."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from catalog.damage import DAMAGE_KINDS, STRINGS, TABLES, Kind, TableKind, neighbour

RNG = np.random.default_rng(7)
N = 200
START = datetime(2026, 3, 1, tzinfo=UTC)
COLUMNS = {
    "code": [f"INV-{k:05d}" for k in RNG.integers(0, 90_000, N)],
    "name": [str(RNG.choice(["Zürich & Söhne", "Köln West", "Oslo Nord", "Łódź"])) for _ in range(N)],
    "ean": [f"{k:013d}" for k in RNG.integers(10**12, 10**13, N)],
    "day": [(date(2026, 1, 1) + timedelta(int(k))).isoformat() for k in RNG.integers(0, 300, N)],
    "slashed": [f"{m:02d}/{d:02d}/2026" for m, d in zip(RNG.integers(1, 13, N), RNG.integers(13, 28, N), strict=True)],
    "hyphened": [f"{d:02d}-{m:02d}-2026" for m, d in zip(RNG.integers(1, 13, N), RNG.integers(13, 28, N), strict=True)],
    "price": [f"{k / 100:.2f}" for k in RNG.integers(100_000, 999_999, N)],
    "comma": [f"{k / 100:.2f}".replace(".", ",") for k in RNG.integers(100_000, 999_999, N)],
    "size": [f"{m}-{d}" for m, d in zip(RNG.integers(1, 13, N), RNG.integers(1, 28, N), strict=True)],
    "state": [str(RNG.choice(["shipped", "packed", "returned"])) for _ in range(N)],
    "zip": [f"{k:05d}" for k in RNG.integers(0, 9_999, N)],
    "OIL": [f"OIL{k}" for k in RNG.integers(0, 99, N)],
    "amount": [round(float(k), 2) for k in RNG.lognormal(4, 1, N)],
    "money": [Decimal(int(k)) / 100 for k in RNG.integers(101, 9_999, N)],
    "pieces": [int(k) for k in RNG.integers(1, 50, N)],
    "at": [START + timedelta(minutes=int(k)) for k in RNG.integers(0, 20_000, N)],
    "born": [date(1980, 1, 2) + timedelta(int(k)) for k in RNG.integers(0, 9_000, N)],
}
OF = {"strings": str, "numbers": (int, float, Decimal), "times": (datetime, date)}


def test_keys_are_unique_and_every_kind_speaks():
    every = [*DAMAGE_KINDS.values(), *TABLES]
    assert len({k.key for k in every}) == len(every) > 60
    for kind in every:
        assert kind.words[0].isupper()
        assert not kind.words.endswith(".")
        assert kind.guess.startswith("Probably")
        assert kind.guess.endswith(".")
        assert kind.harmless
        assert kind.example[0] != kind.example[1]
        assert isinstance(kind, TableKind) or "{column}" in kind.words


@pytest.mark.parametrize("kind", DAMAGE_KINDS.values(), ids=lambda k: k.key)
def test_the_example_is_what_the_kind_does(kind: Kind):
    before, after = kind.example
    chosen = {"prefix", "transposed", "check_digit", "separators", "missing_text", "default_text", "default_number",
              "default_time", "zone", "typo"}  # fmt: skip
    done = [kind.damage([before], np.random.default_rng(seed)) for seed in range(40)]
    found = [d[0] for d in done if d is not None]
    if kind.of == "numbers":
        assert any(f == pytest.approx(after) for f in found)
    elif kind.key in chosen:
        assert found
        assert kind.key in ("prefix", "default_number") or after in found
    else:
        assert found
        assert set(found) == {after}
    if kind.undo is not None:
        back = kind.undo(after)
        assert back == (pytest.approx(before) if kind.of == "numbers" else before)


@pytest.mark.parametrize("kind", DAMAGE_KINDS.values(), ids=lambda k: k.key)
def test_each_is_seeded_and_changes_a_column_of_its_type(kind: Kind):
    applied = 0
    for values in COLUMNS.values():
        if not isinstance(values[0], OF[kind.of]):
            continue
        with_null = [*values, None]
        one, same = (kind.damage(with_null, np.random.default_rng(3)) for _ in range(2))
        assert one == same
        if one is None:
            continue
        applied += 1
        assert len(one) == len(with_null)
        assert one[-1] is None
        part = kind.damage(with_null, np.random.default_rng(3), share=0.05)
        whole = sum(a != b for a, b in zip(one, with_null, strict=True))
        assert part is not None
        changed = sum(a != b for a, b in zip(part, with_null, strict=True))
        assert 1 <= changed <= max(1, round(0.05 * whole))
    assert applied


@pytest.mark.parametrize("kind", STRINGS, ids=lambda k: k.key)
def test_each_kind_is_damage_to_one_column_and_none_to_another(kind: Kind):
    texts = [v for v in COLUMNS.values() if isinstance(v[0], str)]
    told = [kind.is_damage(v[:100], kind.damage(v[:100], np.random.default_rng(1)), v[100:]) for v in texts]
    assert any(told)
    assert not kind.is_damage([""] * 9, kind.damage([""] * 9, np.random.default_rng(1)), [""]) or kind.cause in (
        "default", "quotes", "spaces",
    )  # fmt: skip


def test_letters_of_either_case_suffer_no_damage_from_a_change_of_case():
    either = ["ab", "AB", "cd", "CD"] * 25
    kind = DAMAGE_KINDS["upper"]
    assert not kind.is_damage(either, kind.damage(either, RNG), either)
    codes = ["ab", "cd"] * 25
    assert kind.is_damage(codes, kind.damage(codes, RNG), codes)


def test_a_neighbour_gives_its_values():
    kind = neighbour(["x", None, "y"])
    assert set(kind.damage(["a"] * 50, RNG) or []) == {"x", "y"}
    assert neighbour([None]).damage(["a"], RNG) is None


TABLE = pa.table({**COLUMNS, "closed": [t + timedelta(hours=5) for t in COLUMNS["at"]]})


@pytest.mark.parametrize("kind", TABLES, ids=lambda k: k.key)
def test_damage_to_a_batch_is_seeded_and_named(kind: TableKind):
    before = TABLE.slice(0, 90)
    one, same = (kind.damage(TABLE, np.random.default_rng(5), before) for _ in range(2))
    assert one is not None
    assert same is not None
    assert one.table.equals(same.table)
    assert one.columns == same.columns
    assert not one.table.equals(TABLE)
    assert set(one.columns) <= set(TABLE.column_names)
    if kind.key == "key_repeated":  # rows come beside those that were there
        assert one.table.slice(0, TABLE.num_rows).equals(TABLE)
        assert len(set(one.table[one.columns[0]].to_pylist())) == TABLE.num_rows < one.table.num_rows
    elif one.columns and kind.key not in ("part_missing", "schema"):
        rest = [n for n in TABLE.column_names if n not in one.columns]
        assert one.table.select(rest).equals(TABLE.select(rest))
    assert kind.damage(TABLE.slice(0, 0), np.random.default_rng(5), before) is None


def test_swapped_times_are_those_of_which_one_is_always_first():
    kind = next(k for k in TABLES if k.key == "times_swapped")
    done = kind.damage(TABLE, RNG)
    assert done is not None
    assert set(done.columns) == {"at", "closed"}
    assert kind.damage(TABLE.drop_columns(["closed"]), RNG) is None
