"""The known domains, by name, read from ``data/*.yaml`` when first asked for. One is added to these files.

A lake may have domains of its own, which come instead of known ones of their name. They are settings of the process:
whoever opens the catalog says once where they come from (`use_own`), and all that learns and judges asks `in_force`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files

from catalog.domains.domain import Domain
from catalog.domains.headers import Called, asked, called, of_line
from catalog.domains.load import domains, parse

#: File in ``data/`` and the heading of what it holds.
THEMES = {
    "people": "people",
    "contact": "contact and identity",
    "places": "places",
    "technical": "networks and computing",
    "secrets": "secrets",
    "time": "time",
    "trade": "money, trade and organisations",
    "science": "science and health",
    "language": "language",
    "numbers": "numbers and flags",
}


@cache
def _load() -> dict[str, Domain]:
    found: dict[str, Domain] = {}
    for name, theme in THEMES.items():
        text = (files("catalog.domains") / "data" / f"{name}.yaml").read_text(encoding="utf-8")
        found |= {one.name: one for one in domains(text, f"{name}.yaml", theme=theme, trusted=True)}
    for name, (weak, sure) in asked(headers()).items():
        found[name] = replace(found[name], called=weak, called_sure=sure)
    return found


@cache
def headers() -> dict[str, dict[str, str]]:
    """What columns and tables are called, by language and by what they ask (`headers`)."""
    text = (files("catalog.domains") / "data" / "headers.yaml").read_text(encoding="utf-8")
    return parse(text, "headers.yaml")


@cache
def words_for(*lines: str) -> Called:
    """What finds the words of some lines of `headers`, those that say whose a thing is, in a name.

    >>> words_for("person").search("uczniowie"), words_for("person").search("produkty")
    (True, False)
    """
    return called((word.strip("~") for word in of_line(headers(), *lines)), within=True)


class _Known(Mapping[str, Domain]):
    """Reads the files when first used: commands that need no domain do not wait for them."""

    def __getitem__(self, name: str) -> Domain:
        return _load()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_load())

    def __len__(self) -> int:
        return len(_load())


KNOWN: Mapping[str, Domain] = _Known()

Load = Callable[[], Mapping[str, Domain]]


class _InForce:
    """The known domains and the lake's own; these are loaded when first asked for."""

    def __init__(self) -> None:
        self.generation = 0
        self._load: Load = dict
        self._found: Mapping[str, Domain] | None = KNOWN

    def use(self, load: Load) -> None:
        self.generation += 1
        self._load, self._found = load, None

    def get(self) -> Mapping[str, Domain]:
        if self._found is None:
            own = self._load()
            self._found = {**KNOWN, **own} if own else KNOWN
        return self._found


_IN_FORCE = _InForce()


def use_own(load: Load) -> None:
    """From now on this process knows the domains that `load` gives, by name, beside the known ones; asked once, when
    somebody needs a domain."""
    _IN_FORCE.use(load)


def in_force() -> Mapping[str, Domain]:
    """The known domains and the lake's own.

    >>> use_own(lambda: {"pair": Domain("pair", "Pair", ("aa",), r"(.)\\1")})
    >>> "pair" in in_force(), "date" in in_force(), "pair" in KNOWN
    (True, True, False)
    >>> use_own(dict); "pair" in in_force()
    False
    """
    return _IN_FORCE.get()


def limits_of(names: Iterable[str]) -> tuple[float, float] | None:
    """The least and the greatest number that a column of these domains can hold; None where they say nothing of it.

    >>> limits_of(["person_key", "latitude"]), limits_of(["phone"])
    ((-90.0, 90.0), None)
    """
    return next((one.limits for name in names if (one := in_force().get(name)) and one.limits is not None), None)


def generation() -> int:
    """Another number whenever other domains may be in force: what was remembered of the old ones is of no use."""
    return _IN_FORCE.generation


# What is said of a column with no particular meaning, so that every column can be sorted and searched.
GENERIC: dict[str, str] = {
    "category": "Category (few recurring words)",
    "code": "Code (short symbols)",
    "opaque_id": "Identifier",
    "person_key": "Identifier of a person",
    "title": "Title or label",
    "free_text": "Free text",
    "other": "Structured text",
}


def title(name: str) -> str:
    """What people read for a domain's name.

    >>> title("ipv4"), title("opaque_id"), title("my_own")
    ('IPv4 address', 'Identifier', 'My own')
    """
    if name in KNOWN:
        return KNOWN[name].title
    return GENERIC.get(name) or name.replace("_", " ").capitalize()
