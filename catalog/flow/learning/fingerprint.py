"""What the pattern index is made of: the views, the clauses that replays try, how each domain is recognised; and what
tags are made with: as short fingerprints.

Those of the index are of what decides, not of files: the code without its comments and docstrings, a domain's data
without its title and examples. So a reworded sentence rebuilds nothing, and a new domain or another regex needs no
version number that somebody has to think of. Tags are made again at little cost: theirs is of files.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import ModuleType
from typing import Any

from catalog.domains import lexicon
from catalog.domains.domain import Domain
from catalog.domains.load import AllOf, AnyOf, Listed, Validator
from catalog.errors import UsageError
from catalog.evidence.calibrated import boosting, calibration, features, replay, risk
from catalog.evidence.clauses import candidate, candidates, clean, counters, listed, patterned, undamaged
from catalog.evidence.clauses.meaning import recognised
from catalog.evidence.pattern_index import postings, starter, views
from catalog.evidence.pattern_index.index import MadeOf
from catalog.flow.context import Context
from catalog.flow.learning.domains import own_files
from catalog.patterns import unions, versions
from catalog.patterns.language import characters, hierarchy
from catalog.store.domains import lakedomains

#: What decides which classes a column leaves, what the starter index holds, what replays tell of clauses, and how their
#: risk is fitted.
VIEWS = (
    *(characters, hierarchy, views, postings, starter),
    *(candidate, candidates, clean, counters, listed, patterned, undamaged, unions, versions, features, replay),
    *(boosting, calibration, risk),
)
#: Packages that validators ask.
ASKED = {"stdnum": "python-stdnum", "phonenumbers": "phonenumbers"}
#: What decides what a column means, by its values, its name and the columns beside it: code and data alike.
TAGGING = ("catalog.domains", "catalog.tags")
VIEWS_KEY, DOMAIN_KEY = "views", "domain "


@dataclass(frozen=True)
class Difference:
    """What changed since an index was made: the views, and the names of domains."""

    views: bool = False
    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    @property
    def domains(self) -> tuple[str, ...]:
        return (*self.new, *self.changed, *self.gone)

    def __bool__(self) -> bool:
        return self.views or bool(self.domains)

    @property
    def words(self) -> str:
        """In words.

        >>> Difference(new=("order_number",), gone=("iban", "isin")).words
        'new domain order_number; domains gone: iban, isin'
        """
        if self.views:
            return "how values are looked at and learned from changed, or the index does not say what it was made of"
        said = [("new domain", self.new), ("changed domain", self.changed), ("domain gone", self.gone)]
        return "; ".join(
            f"{what} {names[0]}" if len(names) == 1 else f"{what.replace('domain', 'domains')}: {', '.join(names)}"
            for what, names in said
            if names
        )


def made_of() -> MadeOf:
    """Fingerprints of the views and of each domain in force."""
    found = {DOMAIN_KEY + one.name: _digest(_recogniser(one)) for one in recognised()}
    return {VIEWS_KEY: _views(), **found}


@cache
def _views() -> str:
    return _digest(_code(module) for module in VIEWS)


def difference(before: MadeOf, now: MadeOf) -> Difference:
    """What changed between two sets of fingerprints.

    >>> difference({"views": "1", "domain a": "1", "domain b": "1"}, {"views": "1", "domain b": "2", "domain c": "1"})
    Difference(views=False, new=('c',), changed=('b',), gone=('a',))
    """
    names = [
        tuple(sorted(key.removeprefix(DOMAIN_KEY) for key in keys if key.startswith(DOMAIN_KEY)))
        for keys in (
            now.keys() - before.keys(),
            {key for key in now.keys() & before.keys() if now[key] != before[key]},
            before.keys() - now.keys(),
        )
    ]
    return Difference(before.get(VIEWS_KEY) != now.get(VIEWS_KEY), *names)


def shipped() -> str:
    """Fingerprint of what this release brings to tags: how values are looked at, what is known of meanings, the starter
    index. What a lake's own people named or wrote is not among it."""
    return _digest((_views(), *map(_content, TAGGING)))


def tagged_with(context: Context) -> str:
    """Fingerprint of what tags are made with beside a table's own columns: what is known of meanings, the lake's own
    domains, whose data are taken for a person's where nothing tells, whether identifiers of persons are masked. How
    common a pattern is in the lake is not among it: that moves with every table, and a table's next version asks
    again."""
    settings = context.settings
    with context.reading() as session:
        found = lakedomains.list_domains(session, named=True)
    named = [repr((one.name, one.label, one.regex, one.sensitive)) for one in found]
    try:
        own = [path.read_bytes().hex() for path in own_files(settings.domains)]
    except (OSError, UsageError):  # said where they are taken up
        own = []
    return _digest((shipped(), *named, *own, str((settings.personal_by_default, settings.mask_identifiers))))


def _recogniser(domain: Domain) -> Iterable[str]:
    """What decides whether a value belongs, and whether the domain is sought."""
    yield domain.pattern or ""
    yield from _check(domain.check)


def _check(check: Callable[..., bool] | None) -> Iterable[str]:
    match check:
        case None:
            return
        case AllOf(parts) | AnyOf(parts):
            yield type(check).__name__
            for part in parts:
                yield from _check(part)
        case Listed():
            yield from (check.case, *sorted(check.entries), _code(lexicon))
        case Validator(name):
            yield name
            yield _code(sys.modules[check.function.__module__]) if not name.startswith("stdnum.") else _asked("stdnum")
            if name.startswith("contact."):
                yield _asked("phonenumbers")
        case _:
            yield _code(sys.modules[check.__module__])


@cache
def _code(module: ModuleType) -> str:
    """The code of a module without comments and docstrings."""
    tree = ast.parse(inspect.getsource(module))
    for node in ast.walk(tree):
        body: list[Any] | None = getattr(node, "body", None)
        if (
            isinstance(body, list)
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
        ):
            node.body = body[1:] or [ast.Pass()]  # type: ignore[attr-defined]
    return ast.unparse(tree)


@cache
def _content(package: str) -> str:
    """A digest of the files of a package."""
    return _digest(f"{name}\0{one.read_bytes().hex()}" for name, one in sorted(_files(files(package))))


def _files(folder: Traversable, within: str = "") -> Iterator[tuple[str, Traversable]]:
    for one in folder.iterdir():
        name = f"{within}/{one.name}"
        if one.is_dir() and one.name != "__pycache__":
            yield from _files(one, name)
        elif one.is_file():
            yield name, one


@cache
def _asked(module: str) -> str:
    try:
        return version(ASKED[module])
    except PackageNotFoundError:
        return ""


def _digest(parts: Iterable[str]) -> str:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
