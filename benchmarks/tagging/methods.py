"""Our tagger, and rivals that need nothing installed. Each takes a case and says domain, sensitivity, score."""

from __future__ import annotations

from functools import lru_cache

from benchmarks.tagging.cases import Case
from benchmarks.tagging.score import Tagger
from catalog.domains.domain import words
from catalog.domains.known import KNOWN
from catalog.tags.discovery.sample import sample
from catalog.tags.propose import propose_tags

Answer = tuple[str | None, bool, float | None]


def ours(case: Case) -> Answer:
    """Values, name, and the columns beside."""
    return _first(propose_tags(case.state, case.name, around=case.around))


def ours_without_names(case: Case) -> Answer:
    """Values alone: every column called ``c``, nothing around."""
    return _first(propose_tags(case.state, "c"))


def _first(found: list) -> Answer:
    best = found[0] if found else None
    return (best.domain, any(p.sensitive for p in found), best.score) if best else (None, False, None)


def regex_votes(case: Case) -> Answer:
    """The domain whose regex (no check digits, calendar or dictionary) most values match, if at least 80% do: what
    catalogs with a list of patterns do."""
    found = sample(case.state)
    best, top = None, 0.8
    for domain in KNOWN.values():
        regex = domain.regex
        if regex is not None and "string" in domain.kinds:
            share = found.share(lambda text, regex=regex: bool(regex.fullmatch(text)))[0]  # type: ignore[misc]
            if share > top:
                best, top = domain, share
    return (best.name, best.sensitive, None) if best else (None, False, None)


@lru_cache(maxsize=1)
def _named() -> tuple[tuple[str, bool], ...]:
    return tuple((one.name, one.sensitive) for one in KNOWN.values())


def name_only(case: Case) -> Answer:
    """The first domain whose name words occur in the column's name."""
    named = words(case.name)
    for name, sensitive in _named():
        regex = KNOWN[name].name_regex
        if regex and regex.search(named):
            return name, sensitive, None
    return None, False, None


METHODS: dict[str, Tagger] = {
    "ours": ours,
    "ours_without_names": ours_without_names,
    "regex_votes": regex_votes,
    "name_only": name_only,
}
