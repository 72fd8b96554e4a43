"""The locale modules of Faker, read as data."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from typing import Any

from faker import providers as faker_providers

from catalog.domains.lexicon import fold


def locales(provider: str) -> Iterator[Any]:
    """The provider classes of all locales of one Faker provider."""
    package = importlib.import_module(f"{faker_providers.__name__}.{provider}")
    for found in sorted(pkgutil.iter_modules(package.__path__), key=lambda m: m.name):
        if found.ispkg:
            yield importlib.import_module(f"{package.__name__}.{found.name}").Provider


def strings(provider: type, attribute: str) -> Iterator[str]:
    """The strings of a class attribute: tuple, list, dictionary (keys) or pairs."""
    found = getattr(provider, attribute, ())
    for item in found:
        yield from (part for part in (item if isinstance(item, tuple) else (item,)) if isinstance(part, str))


def folded(items: Iterable[str], shortest: int = 2) -> frozenset[str]:
    return frozenset(key for key in map(fold, items) if len(key) >= shortest and not key.isdigit())
