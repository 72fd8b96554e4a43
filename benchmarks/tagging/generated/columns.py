"""Columns of every domain in ten locales, with near-misses: ``python -m benchmarks.tagging --generated SEED``.

What Faker can say in a locale is drawn from Faker; other domains from their word lists and regexes, of which only what
the domain accepts is kept. Near-misses are columns that look like a domain and are not one: wrong check digits, numbers
of orders, sizes, grades, names of products, songs and streets without number. Half of the columns of a domain that
needs no name have none that tells (``col_7``). Since the lists behind Faker are those of our dictionaries, names and
towns are easier here than elsewhere; what is measured is above all which domain wins where several fit.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from faker import Faker

from benchmarks.tagging.generated.draws import LOCALES, ROWS, Kind
from benchmarks.tagging.generated.kinds import GENERATED, LOCAL
from catalog.domains.known import KNOWN


@dataclass(frozen=True)
class Column:
    """A generated column."""

    kind: str
    locale: str
    name: str
    values: tuple[str, ...]
    label: str
    alts: tuple[str, ...]
    sensitive: bool


def columns(seed: int, locales: tuple[str, ...] = LOCALES) -> Iterator[Column]:
    """Every kind in every locale it has, the same for the same seed. In a locale beyond `LOCALES` there is what has a
    language or is of people: names, places, telephones, jobs; what Faker lacks there is said in English."""
    for locale in locales:
        fake = Faker(locale)
        for number, kind in enumerate(GENERATED):
            if locale not in kind.locales and (locale in LOCALES or kind.name not in LOCAL):
                continue
            rng = random.Random(f"{seed} {locale} {kind.name}")
            fake.seed_instance(rng.getrandbits(32))
            values = _values(kind, fake, rng)
            if len(set(values)) < 2:
                continue
            telling = kind.needs_name or rng.random() < 0.5
            name = rng.choice(kind.names) if telling and kind.names else f"col_{number}"
            sensitive = kind.label in KNOWN and KNOWN[kind.label].sensitive
            yield Column(kind.name, locale, name, values, kind.label, kind.alts, sensitive)


def _values(kind: Kind, fake: Faker, rng: random.Random) -> tuple[str, ...]:
    pool = [kind.draw(fake, rng) for _ in range(ROWS if kind.distinct >= ROWS else 6 * kind.distinct)]
    pool = [value for value in pool if value]
    if not pool:
        return ()
    values = pool if kind.distinct >= ROWS else [rng.choice(pool) for _ in range(ROWS)]
    holes = rng.random() < 0.3
    return tuple("" if holes and rng.random() < 0.08 else value for value in values)
