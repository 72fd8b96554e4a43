"""Texts that stand some columns further on: one cause, though a column holds its own values still."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa

from catalog.causes.diagnose import Diagnosis, diagnose
from catalog.rules.rule import Rule
from catalog.rules.verdict import VIOLATED, Verdict
from catalog.states.folding.fold import fold
from tests.past import Past, broken_by

FIRST = "Uwe Dörte Jürgen Anna Käthe Jörg Günter Sören Monika Ute".split()
LAST = "Müller Schröder Groß Weiß Bäcker Jansen Krüger Lang Vogt Kühn".split()
STREETS = "Hauptstraße Am Markt|Ringweg|Lindenallee|Gartenstraße|Nordring".split("|")
TOWNS = "Köln Lübeck Gießen Ulm Münster Bonn".split()


def people(number: int) -> pa.Table:
    rng = np.random.default_rng([31, number])

    def drawn(words: list[str]) -> list[str]:
        return [str(one) for one in rng.choice(words, 70)]

    born = [date(1950, 1, 1) + timedelta(days=int(k)) for k in rng.integers(0, 18_000, 70)]
    return pa.table(
        {
            "person": [f"MA{70 * number + k:05d}" for k in range(70)],
            "first": drawn(FIRST),
            "last": drawn(LAST),
            "born": [f"{day:%d.%m.%Y}" for day in born],
            "street": [f"{one} {k}" for one, k in zip(drawn(STREETS), rng.integers(1, 99, 70), strict=True)],
            "postcode": [f"{k:05d}" for k in rng.integers(10_000, 99_999, 70)],
            "town": drawn(TOWNS),
        }
    )


PAST = Past("people", people, 12, datetime(2026, 3, 1, tzinfo=UTC))
TEXTS = ["first", "last", "born", "street", "postcode", "town"]


def said(table: pa.Table, broken: list[str]) -> list[Diagnosis]:
    """What is said of a version of which rules on these columns broke."""
    verdict = Verdict(VIOLATED, "Values are unlike before.")
    verdicts = [(Rule("pattern", name, {}, 0.01, "", "test"), verdict) for name in broken]
    return diagnose("people", PAST.next(fold(table)), verdicts)


def with_values(table: pa.Table, sources: dict[str, str]) -> pa.Table:
    columns: dict[str, Any] = {name: table[sources.get(name, name)] for name in table.column_names}
    return pa.table(columns)


MOVED = {"first": "person", "last": "first", "born": "last", "town": "postcode", "postcode": "street", "street": "town"}


def test_columns_that_hold_what_others_held_are_one_cause() -> None:
    (found,) = said(with_values(people(12), MOVED), TEXTS)
    assert (found.cause.cause, set(found.cause.columns), set(found.covers)) == ("shifted", set(MOVED), set(TEXTS))
    assert found.cause.size["moved"] == MOVED
    assert "hold values of other columns: `first` those of `person`" in found.cause.sentence


def test_columns_whose_rules_did_not_break_are_told_with_them() -> None:
    (found,) = said(with_values(people(12), MOVED), ["born"])
    assert (set(found.cause.columns), found.covers) == (set(MOVED), ("born",))


def test_two_columns_that_changed_places_are_exchanged() -> None:
    (found,) = said(with_values(people(12), {"first": "town", "town": "first"}), ["first", "town"])
    assert (found.cause.cause, set(found.cause.columns)) == ("swapped", {"first", "town"})


def test_other_values_of_their_own_are_no_other_columns() -> None:
    """Towns and streets of another country, where no column held them."""
    table = people(12)
    other = {"town": ["Lille", "Nantes"] * 35, "street": [f"{k} rue de Paris" for k in range(70)]}
    changed = pa.table({name: other.get(name, table[name]) for name in table.column_names})
    assert all(one.cause.cause != "shifted" for one in said(changed, ["town", "street"]))


def test_of_columns_garbled_unequally_each_share_is_told() -> None:
    """The least of them alone would say that nearly all rows are right."""
    table = people(12)
    garbled = {name: [v.encode().decode("latin-1") for v in table[name].to_pylist()] for name in ("first", "last")}
    few = [
        v if k % 3 == 0 else right
        for k, (v, right) in enumerate(zip(garbled["last"], table["last"].to_pylist(), strict=True))
    ]
    changed = pa.table(
        {name: ({"last": few, "first": garbled["first"]}).get(name, table[name]) for name in table.column_names}
    )
    (found,) = said(changed, ["last", "first"])
    shares = found.cause.size["shares"]
    assert shares["first"] == found.cause.size["share"] > shares["last"] + 0.1
    assert " (`first`) and " in found.cause.sentence


SENSORS = [f"s{k:02d}" for k in range(60)]


def readings(number: int) -> pa.Table:
    """Sixty sensors, each around a middle of its own; some are alike."""
    rng, own = np.random.default_rng([43, number]), np.random.default_rng(44)
    middles, spreads = own.normal(50, 30, len(SENSORS)), np.abs(own.normal(3, 2, len(SENSORS))) + 0.1
    return pa.table({n: rng.normal(m, s, 300) for n, m, s in zip(SENSORS, middles, spreads, strict=True)})


OF_SENSORS = Past("sensors", readings, 12, datetime(2026, 3, 1, tzinfo=UTC))


def test_numbers_that_stand_one_column_further_on_are_one_cause() -> None:
    """Each by itself would be off by some factor, or larger, or smaller."""
    block = SENSORS[20:40]
    sources = dict(zip(block, [*block[1:], block[0]], strict=True))
    batch = OF_SENSORS.next(fold(with_values(readings(12), sources)))
    (found,) = diagnose("sensors", batch, broken_by(batch, OF_SENSORS.rules), rules=OF_SENSORS.rules)
    assert (found.cause.cause, found.cause.key) == ("shifted", "columns_shifted")
    assert found.cause.size["moved"].items() <= sources.items()
    assert len(found.covers) >= len(block) - 2
    assert found.cause.proof.startswith("Move the columns back: ")


def test_numbers_off_by_factors_of_their_own_are_no_other_columns() -> None:
    """Among sixty columns there is always one that is spread like what came, though not beside it."""
    table = readings(12)
    factors = dict(zip(SENSORS[20:30], np.random.default_rng(45).uniform(1.3, 3, 10), strict=True))
    changed = pa.table({n: table[n].to_numpy() * factors.get(n, 1.0) for n in SENSORS})
    batch = OF_SENSORS.next(fold(changed))
    found = diagnose("sensors", batch, broken_by(batch, OF_SENSORS.rules), rules=OF_SENSORS.rules)
    assert all(one.cause.cause != "shifted" for one in found)
