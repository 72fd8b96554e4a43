"""Domains from YAML: what a person writes to teach the catalog a new meaning.

A file maps names to domains. A domain needs a title, examples, and at least one way to be recognised::

    order_number:
      title: Order number
      description: Sales orders of the shop.
      pattern: SO\\d{5}
      examples: [SO43701, SO43702, SO43703]
      counter_examples: [PO43701, SO4370]

`KEYS` lists what may be said of a domain. Every scalar is read as text, so that ``2024-01-31``, ``0123`` or ``no`` are
what they look like. Examples that are not recognised and counter-examples that are make a domain an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from catalog.domains.backtracking import ambiguous
from catalog.domains.domain import Domain
from catalog.domains.lexicon import fold, words
from catalog.errors import UsageError

KEYS = {
    "title": "what people read",
    "description": "a sentence or two about it",
    "pattern": "regex that a whole value has to match",
    "values": "the values themselves, or single words in one text",
    "words": "a word list that comes with the catalog (files in catalog/domains/words)",
    "case": "of values and words: any (accents do not matter either), uniform (all capitals or none), exact",
    "validator": "a check by name: theme.name, or a module of python-stdnum (stdnum.iban); of several, any",
    "validator_if_named": "a laxer check, used where the column's name agrees",
    "validator_if_sure": "a check that is enough where the name leaves no doubt",
    "validator_of_column": "a check of all distinct values together",
    "validator_beside_others": "a check that is enough for one value of a column whose others validate",
    "examples": "values that belong to it, three at least",
    "counter_examples": "values that look like it and do not belong",
    "sensitive": "no; yes; or person: only where the values are a person's, not an organisation's",
    "name_words": "regex alternatives found in the words of a fitting column name",
    "name_words_sure": "regex alternatives in the words of a name that leaves no doubt: the column needs no check then",
    "name_words_against": "regex alternatives in the words of a name that rule it out",
    "name_terms": "what a name may be short for (mar_st of marital status) in a table of people, a space between parts",
    "needs_name": "yes where the values alone fit many meanings",
    "types": "string, number, time, boolean",
    "chance": "share of the values of other columns that it recognises by accident",
    "hit": "share of its own values that it recognises",
    "least_share": "share of recognised values from which on the tag is proposed",
    "distinct": "least number of distinct values, where the name does not agree",
    "beside": "domains that often stand in a column of the same table",
    "next_to": "domains that stand for a fitting name in a column right beside one whose name no domain knows",
    "among": "domains that stand for a fitting name in any column of its table where its name is not known",
    "validator_if_placed": "a check of all distinct values together, with which a place stands for a sure name",
    "limits": "the least and the greatest number that it can be (inf: none); what has none is a code, not a measure",
    "broader": "what somebody says who does not know the domain (code, opaque_id, category ...)",
}
#: What keys were called in files of earlier releases.
FORMER = {"floor": "least_share"}
NAME = re.compile(r"[a-z][a-z0-9_]{1,59}")
TYPES = frozenset({"string", "number", "time", "boolean"})
SENSITIVE = ("no", "yes", "person")
CASES = ("any", "uniform", "exact")
SEE = "see docs/domains.md"
_VALIDATOR = re.compile(r"[a-z_]+(?:\.[a-z0-9_]+){1,2}")


@dataclass(frozen=True)
class Validator:
    """A check by name, whose module is imported when a value is first shown to it."""

    name: str

    @cached_property
    def function(self) -> Callable[[Any], bool]:
        """Errors: `UsageError` when there is none of that name."""
        theme, _, rest = self.name.partition(".")
        try:
            if not _VALIDATOR.fullmatch(self.name):
                raise KeyError(self.name)
            if theme == "stdnum":
                found: Callable[[Any], bool] = import_module(self.name).is_valid
            else:
                found = import_module(f"catalog.domains.validators.{theme}").VALIDATORS[rest]
        except (ImportError, KeyError, AttributeError) as error:
            raise UsageError(
                f"there is no validator {self.name!r}",
                remedy="use one of catalog/domains/validators, or a module of python-stdnum such as stdnum.iban",
            ) from error
        return found

    def __call__(self, value: Any) -> bool:
        return self.function(value)


@dataclass(frozen=True)
class AnyOf:
    """True where one of several validators is."""

    validators: tuple[Validator, ...]

    def __call__(self, value: Any) -> bool:
        return any(one(value) for one in self.validators)


@dataclass(frozen=True)
class AllOf:
    """True where each of several checks is."""

    checks: tuple[Callable[[Any], bool], ...]

    def __call__(self, value: Any) -> bool:
        return all(one(value) for one in self.checks)


@dataclass(frozen=True)
class Listed:
    """Membership of a list of values, or of a word list that is read when first needed."""

    values: frozenset[str] = frozenset()
    words: str = ""
    case: str = "any"

    @cached_property
    def entries(self) -> frozenset[str]:
        return self.values | words(self.words) if self.words else self.values

    def __call__(self, text: str) -> bool:
        if self.case == "any":
            return fold(text) in self.entries
        if self.case == "uniform":
            return (text.isupper() or text.islower()) and text.upper() in self.entries
        return text in self.entries


def parse(text: str, source: str) -> dict[str, Any]:
    """The mapping in a YAML text, all scalars as text. Errors: `UsageError`, naming `source` and the line."""
    import yaml

    loader = getattr(
        yaml, "CBaseLoader", yaml.BaseLoader
    )  # the one in C reads the known domains in a tenth of the time
    try:
        found = yaml.load(text, Loader=loader)  # noqa: S506 - a base loader makes texts, lists and mappings only
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UsageError(f"{source} is not YAML: {error}", remedy="correct it") from error
    if found is None:
        return {}
    if not isinstance(found, dict) or not all(isinstance(body, dict) for body in found.values()):
        raise UsageError(f"{source} has to map names of domains to what is said of them", remedy="see docs/domains.md")
    return dict(found)


def domains(text: str, source: str, *, theme: str = "", trusted: bool = False) -> list[Domain]:
    """The domains of one YAML text.

    `trusted` texts are those of the package, whose examples its tests hold; of others every example and counter-example
    is tried, and regexes that could take exponential time are refused. Errors: `UsageError`.

    >>> text = "pair: {title: Pair, pattern: '[a-z]{2}', examples: [aa, bb, cc], counter_examples: [abc]}"
    >>> domains(text, "mine.yaml")[0].validate("dd")
    True
    """
    found, errors = read(text, source, theme=theme, trusted=trusted)
    if errors:
        raise errors[0]
    return found


def read(text: str, source: str, *, theme: str = "", trusted: bool = False) -> tuple[list[Domain], list[UsageError]]:
    """The domains of one YAML text that can be used, and everything that is wrong with the others, as in `domains`.
    Errors: `UsageError` for a text that is no list of domains.

    >>> text = "{a1: {title: A, pattern: '[', exmples: [x]}, b1: {values: [x, y]}}"
    >>> found, errors = read(text, "mine.yaml")
    >>> len(found), len(errors)
    (0, 4)
    """
    found: list[Domain] = []
    errors: list[UsageError] = []
    for name, body in parse(text, source).items():
        one: Domain | None = None
        body = {FORMER.get(key, key): value for key, value in body.items()}
        try:
            faults = list(_faults(name, body))
            one = None if faults else _domain(name, body, theme)
            faults += _tried(one) if one is not None and not trusted else ()
        except UsageError as error:  # of a validator that there is none of
            faults = [(error.cause, error.remedy or SEE)]
        if one is not None and not faults:
            found.append(one)
        errors += [UsageError(f"{source}: domain {name!r}: {what}", remedy=remedy) for what, remedy in faults]
    return found, errors


def _faults(name: str, body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What is wrong with what the YAML of a domain says, and what to do about it."""
    if not NAME.fullmatch(name):
        yield "its name cannot be used", "use small letters, digits and underscores"
    for key in sorted(set(body) - set(KEYS)):
        yield f"{key!r} is not known", f"use {', '.join(KEYS)}"
    if not {"pattern", "values", "words", "validator"} & set(body):
        yield "nothing says how to recognise it", "give a pattern, values, words or a validator"
    if "title" not in body or len(_texts(body.get("examples", []))) < 2:
        yield "it needs a title and examples", SEE
    if body.get("sensitive", "no") not in SENSITIVE:
        yield f"sensitive is {', '.join(SENSITIVE)}", SEE
    if frozenset(_texts(body.get("types", ["string"]))) - TYPES or body.get("case", "any") not in CASES:
        yield f"types are {', '.join(sorted(TYPES))}; case is {', '.join(CASES)}", SEE
    try:
        numbers = _numbers(body)
        int(body.get("distinct", 1))
        _limits(body.get("limits", ("0", "0")))
    except ValueError as error:
        yield str(error), "correct it"
    else:
        if not all(0 < value <= 1 for value in numbers.values()) or not (
            0 < numbers.get("chance", 0.01) < numbers.get("hit", 0.97)
        ):
            yield "chance, hit and least_share are shares, chance the smaller than hit", SEE
    try:
        re.compile(body.get("pattern") or "")
    except re.error as error:
        yield f"its pattern cannot be read: {error}", "correct it"


def _numbers(body: Mapping[str, Any]) -> dict[str, float]:
    return {key: float(body[key]) for key in ("chance", "hit", "least_share") if key in body}


def _domain(name: str, body: Mapping[str, Any], theme: str) -> Domain:
    """One domain from what its YAML says, which has no faults."""
    keys = {"names": "name_words", "sure": "name_words_sure", "against": "name_words_against"}
    sought = {field: _alternatives(body.get(key)) for field, key in keys.items()}
    named: dict[str, Any] = {**sought, **_numbers(body)}
    return Domain(
        name, body["title"], tuple(_texts(body["examples"])), body.get("pattern"), _check(body),
        distinct=int(body.get("distinct", 1)), kinds=frozenset(_texts(body.get("types", ["string"]))),
        terms=tuple(_texts(body.get("name_terms", []))),
        needs_name=_yes(body.get("needs_name")), weak=_validator(body.get("validator_if_named")),
        lax=_validator(body.get("validator_if_sure")),
        alike=_validator(body.get("validator_beside_others")), whole=_validator(body.get("validator_of_column")),
        sensitive=body.get("sensitive", "no") != "no",
        of_persons=body.get("sensitive") == "person", description=body.get("description", ""),
        counter_examples=tuple(_texts(body.get("counter_examples", []))), theme=theme,
        limits=_limits(body["limits"]) if "limits" in body else None, broader=tuple(_texts(body.get("broader", []))),
        beside=frozenset(_texts(body.get("beside", []))), next_to=frozenset(_texts(body.get("next_to", []))),
        among=frozenset(_texts(body.get("among", []))), placed=_validator(body.get("validator_if_placed")), **named,
    )  # fmt: skip


def _tried(one: Domain) -> Iterator[tuple[str, str]]:
    """What is wrong with a domain by its own examples. What could take for ever, or does not exist, is not tried."""
    if isinstance(one.check, Listed) and one.check.words:
        try:
            words(one.check.words)
        except KeyError:
            yield (
                f"there is no word list {one.check.words!r}",
                "use a file of catalog/domains/words, or list the values",
            )
            return
    if any(regex and ambiguous(regex) for regex in (one.pattern, one.names, one.sure, one.against)):
        yield (
            "a repetition within a repetition can take for ever",
            "write a sign between what is repeated, as in (?:\\w+ )+, or one level of +, * or {n,}",
        )
        return
    for value in one.examples:
        if not one.validate(value):
            yield f"its example {value!r} is not recognised", "correct the example or the recogniser"
    for value in one.counter_examples:
        if one.validate(value):
            yield f"its counter-example {value!r} is recognised", "correct it or make the recogniser stricter"


def _check(body: Mapping[str, Any]) -> Callable[[str], bool] | None:
    checks: list[Callable[[str], bool]] = []
    if "values" in body or "words" in body:
        case = body.get("case", "any")
        listed = body.get("values", [])
        values = listed.split() if isinstance(listed, str) else _texts(listed)
        keys: dict[str, Callable[[str], str]] = {"any": fold, "uniform": str.upper, "exact": str}
        key = keys[case]
        checks.append(Listed(frozenset(key(value) for value in values), body.get("words", ""), case))
    if (one := _validator(body.get("validator"))) is not None:
        checks.append(one)
    return AllOf(tuple(checks)) if len(checks) > 1 else checks[0] if checks else None


def _validator(names: Any) -> Callable[[Any], bool] | None:
    found = tuple(Validator(name) for name in _texts(names or []))
    return AnyOf(found) if len(found) > 1 else found[0] if found else None


def _limits(value: Any) -> tuple[float, float]:
    least, most = (float(one) for one in value)
    return least, most


def _texts(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(_flat(value))


def _flat(value: Any) -> Iterator[str]:
    for item in value:
        if isinstance(item, str):
            yield item
        else:
            yield from _flat(item)


def _alternatives(value: Any) -> str:
    return "|".join(_texts(value or []))


def _yes(value: Any) -> bool:
    return value in ("yes", "true")
