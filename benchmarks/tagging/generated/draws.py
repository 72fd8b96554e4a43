"""How values of one kind are drawn: by Faker, of a domain's pattern or list, or by hand."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache

from faker import Faker

from benchmarks.tagging.generated.sampling import draw
from catalog.domains.domain import Domain
from catalog.domains.known import KNOWN
from catalog.domains.load import AllOf, Listed
from catalog.domains.validators.trade import is_card

LOCALES = ("en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "nl_NL", "pt_BR", "pl_PL", "ja_JP")
ROWS = 120
TRIES = 3000
Draw = Callable[[Faker, random.Random], str]
DRAWS = 500  # chosen: that one of twelve names is not among so many has a chance below one in a billion billion


@dataclass(frozen=True)
class Kind:
    """One kind of column: its label, how a value is drawn, names it may have, what else it may be called."""

    name: str
    label: str
    draw: Draw
    names: tuple[str, ...] = ()
    alts: tuple[str, ...] = ()
    locales: tuple[str, ...] = LOCALES
    distinct: int = ROWS
    needs_name: bool = False


def faked(name: str, **more: object) -> Draw:
    return lambda fake, rng: str(getattr(fake, name)(**more))


def of_domain(domain: Domain) -> Draw:
    """A value that the domain accepts: of its list, its regex, or its examples."""

    @cache
    def pool() -> tuple[str, ...]:
        rng = random.Random(domain.name)
        found = _list_of(domain)
        for _ in range(0 if found or not domain.pattern else TRIES):
            value = draw(domain.pattern or "", rng).strip()
            if domain.validate(value):
                found.append(value)
            if len(found) >= 2 * ROWS:
                break
        return tuple(found if len(found) >= 10 else (*found, *domain.examples))

    return lambda fake, rng: rng.choice(pool())


def _list_of(domain: Domain) -> list[str]:
    checks = domain.check.checks if isinstance(domain.check, AllOf) else (domain.check,)
    for check in checks:
        if isinstance(check, Listed):
            return [word for word in sorted(check.entries) if domain.validate(word)]
    return []


def one_of(text: str) -> Draw:
    words = text.split("|")
    return lambda fake, rng: rng.choice(words)


def of_form(form: str) -> Draw:
    """# a digit, ? a capital."""

    def one(fake: Faker, rng: random.Random) -> str:
        return "".join(
            str(rng.randint(0, 9)) if c == "#" else rng.choice("ABCDEFGHJKLMNPRSTUVWXYZ") if c == "?" else c
            for c in form
        )

    return one


def wrong_digit(right: Draw, domain: str) -> Draw:
    """The same with another last digit, so that the check digits are wrong."""

    def one(fake: Faker, rng: random.Random) -> str:
        for _ in range(50):
            value = right(fake, rng)
            found = value[:-1] + str((int(value[-1]) + rng.randint(1, 8)) % 10) if value[-1:].isdigit() else value
            if not KNOWN[domain].validate(found):
                return found
        return ""

    return one


def authors(fake: Faker, rng: random.Random) -> str:
    return ", ".join(fake.name() for _ in range(rng.randint(1, 4)))


def release(fake: Faker, rng: random.Random) -> str:
    return f"{rng.randint(0, 12)}.{rng.randint(0, 30)}.{rng.randint(0, 20)}" + rng.choice(
        ["", "", "-rc.1", "-alpha", "+build.5"]
    )


def card(fake: Faker, rng: random.Random) -> str:
    for _ in range(50):
        value = fake.credit_card_number()
        if is_card(value):
            return str(value)
    return ""


def point(fake: Faker, rng: random.Random) -> str:
    return f"{rng.uniform(-80, 80):.5f}, {rng.uniform(-170, 170):.5f}"


def degrees(limit: int) -> Draw:
    return lambda fake, rng: f"{rng.uniform(-limit, limit):.6f}"


@cache
def _called(locale: str, form: str) -> tuple[str, ...]:
    """What days of the week (``%A``) or months are called there. Faker draws a moment until now, so that what it says
    of one seed depends on the clock: all its names are asked for, and drawn from elsewhere."""
    fake = Faker(locale)
    drawn = (fake.day_of_week() if form == "%A" else fake.month_name() for _ in range(DRAWS))
    return tuple(sorted(set(map(str, drawn))))


def date_in(form: str) -> Draw:
    def one(fake: Faker, rng: random.Random) -> str:
        moment = datetime(1995, 1, 1) + timedelta(seconds=rng.randrange(30 * 365 * 86_400))
        if form in ("%A", "%B"):  # in the language of the locale
            return rng.choice(_called(fake.locales[0], form))
        return str(int(moment.replace(tzinfo=UTC).timestamp())) if form == "%s" else moment.strftime(form)

    return one
