"""Why a column has its tag, in sentences; the figures behind them stand under details."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from catalog.wording import counted


def why_tagged(evidence: Mapping[str, Any], titles: Mapping[str, str]) -> list[str]:
    """What speaks for and against a tag. `evidence` is a tag's own, masked already; `titles` are of domains by name.

    >>> seen = {"matching_values": 64, "values_seen": 64, "chance": 0.0001, "name_agrees": True}
    >>> why_tagged(seen | {"rivals": [{"domain": "date", "score": 0.0, "match_share": 1.0}]}, {"date": "Date"})
    ['All 64 values that were tried match; of values of other kinds about 1 in 10,000 does.', 'The name says so too.',
     'Date fits the values as well, and is less likely.']
    >>> why_tagged({"type": "boolean", "name_agrees": False}, {})
    ['The type of the column is boolean.']
    >>> why_tagged({"whose": "organisation", "whose_because": [{"what": "table stores", "weight": -2.0}]}, {})
    ['It is sensitive only where it is about a person; here it is taken not to be: table stores.']
    >>> why_tagged({"whose": "person", "whose_because": [{"what": "next to country", "weight": -0.75}]}, {})
    ['It is taken to be about a person.']
    """
    found = [_values(evidence), _beside(evidence)]
    if evidence.get("type"):
        found.append(f"The type of the column is {evidence['type']}.")
    if evidence.get("not_known"):
        found.append("Neither the name nor the values tell what it is.")
    if words := evidence.get("main_pattern_in_words"):
        others = evidence.get("columns_with_it") or 0
        as_others = f", as {counted(others, 'column')} of the lake" if others > 1 else ""
        found.append(f"Values are mostly written {words}{as_others}.")
    found += [_rival(one, titles) for one in evidence.get("rivals") or ()]
    if whose := evidence.get("whose"):
        sign = 1 if whose == "person" else -1
        pieces = [one for one in evidence.get("whose_because") or () if one["what"] != "default"]
        because = "; ".join(str(one["what"]) for one in pieces if one.get("weight", sign) * sign > 0)
        told = "It is taken to be about a person"
        if whose != "person":
            told = "It is sensitive only where it is about a person; here it is taken not to be"
        found.append(f"{told}: {because}." if because else f"{told}.")
    return [one for one in found if one]


def _values(evidence: Mapping[str, Any]) -> str:
    matching, tried = evidence.get("matching_values"), evidence.get("values_seen")
    if matching is None or not tried:
        return ""
    share = f"{matching:,} of {counted(tried, 'value')} that were tried match"
    if matching == tried:
        share = f"All {tried:,} values that were tried match" if tried > 1 else "The one value that was tried matches"
    chance = evidence.get("chance") or 1.0
    if round(1 / chance) < 2:
        return share + "."
    return f"{share}; of values of other kinds about 1 in {round(1 / chance):,} does."


def _beside(evidence: Mapping[str, Any]) -> str:
    """What name and neighbours say: by how far each moved the odds."""
    weights = evidence.get("weights") or {}
    words = (("name", "name"), ("beside", "columns beside it"))
    agree = [what for key, what in words if weights.get(key, 0) > 0]
    against = [what for key, what in words if weights.get(key, 0) < 0]
    if not agree and evidence.get("name_agrees"):
        agree = ["name"]
    said = [f"The {' and the '.join(agree)} {_say(agree)} so too."] if agree else []
    said += [f"The {' and the '.join(against)} {_say(against)} otherwise."] if against else []
    return " ".join(said)


def _say(who: list[str]) -> str:
    return "says" if who == ["name"] else "say"


def _rival(rival: Mapping[str, Any], titles: Mapping[str, str]) -> str:
    name, share = rival.get("domain", ""), rival.get("match_share")
    fits = "fits fewer values"
    if share is not None and share >= 0.9995:
        fits = "fits the values as well, and is less likely"
    return f"{titles.get(name, name)} {fits}."
