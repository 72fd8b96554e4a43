"""Proposed tags in groups that one decision can settle: the same meaning, said for the same reasons, as surely; and
what is not known of a table, in one question."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

#: How sure a proposal is, in words: at least this score. Within a band columns are looked at alike.
BANDS = ((0.9, "nearly sure"), (0.7, "likely"), (0.0, "unsure"))
#: The number or letter by which columns of one family differ: dx_1 to dx_9, PARTY_D and PARTY_R.
_APART = re.compile(r"[\W_]*(?:\d+|(?<=[\W_])[^\W\d_])$")
LIKELY = 0.5  # chosen: rather so than not; such columns are ticked beforehand
#: Columns that one group shows and one decision settles at most; the others wait in the next group. A bound.
MOST_AT_ONCE = 100


class ProposedTag(BaseModel):
    """A proposed tag, as people and programs are told of it."""

    tag_id: int
    column_id: int
    column: str
    table_id: int
    table: str
    source: str
    type: str
    domain: str
    title: str
    score: float
    match_share: float
    sensitive: bool
    contains: bool
    remembered: str = Field("", description="what people decided about such a tag on columns of this name, and why")
    kind: str = Field("", description="the general kind of its values, where nothing else is known of them")
    distinct: int | None = Field(None, description="how many different values it has, where that is asked")


class Proposed(ProposedTag, frozen=True):
    """The same with what it is grouped by, and how people answered for columns of this name."""

    evidence: dict[str, Any] = Field(default_factory=dict)
    answered: str = ""


@dataclass(frozen=True)
class Group:
    """Tags that look alike. `because`: the reasons that they share, in words."""

    domain: str
    title: str
    sensitive: bool
    contains: bool
    because: tuple[str, ...]
    items: tuple[Proposed, ...]

    @property
    def lowest(self) -> float:
        return min(one.score for one in self.items)

    @property
    def key(self) -> str:
        """Names the group on a page: its first tag."""
        return f"g{self.items[0].tag_id}"


def group(proposed: Iterable[Proposed]) -> list[Group]:
    """Groups in the order of what a decision on them settles: most columns first, sensitive ones before others.

    >>> said = {"table_id": 1, "table": "people", "source": "crm", "type": "string", "score": 0.95, "match_share": 1.0}
    >>> mail = {"column": "mail", "domain": "email", "title": "E-mail address", "sensitive": True, "contains": False}
    >>> one = Proposed(tag_id=1, column_id=1, **mail, **said)
    >>> other = one.model_copy(update={"tag_id": 2, "column": "note", "domain": "isbn", "title": "ISBN"})
    >>> [(g.title, len(g.items), g.because) for g in group([other, one])]
    [('E-mail address', 1, ('nearly sure', 'every value matches')), ('ISBN', 1, ('nearly sure', 'every value matches'))]
    """
    found: dict[tuple[Any, ...], list[Proposed]] = defaultdict(list)
    for one in proposed:
        found[(one.domain, one.title, one.sensitive, one.contains, _because(one))].append(one)
    groups = [
        Group(domain, title, sensitive, contains, because, tuple(part))
        for (domain, title, sensitive, contains, because), items in found.items()
        for part in _parts(items)
    ]
    return sorted(groups, key=lambda g: (-len(g.items), not g.sensitive, -g.lowest, g.title, g.because, g.key))


def _parts(items: list[Proposed]) -> Iterable[list[Proposed]]:
    ordered = sorted(items, key=lambda one: (one.column.casefold(), one.source, one.table, one.tag_id))
    for start in range(0, len(ordered), MOST_AT_ONCE):
        yield ordered[start : start + MOST_AT_ONCE]


def _because(one: Proposed) -> tuple[str, ...]:
    """What speaks for a tag. Where little does, also how the values are written: the unlike are asked apart."""
    band = next(words for least, words in BANDS if one.score >= least)
    shares = "every value matches" if one.match_share >= 0.9995 else "nearly every value matches"
    if one.contains:
        shares = "some values hold one"
    elif one.match_share < 0.95:
        shares = "part of the values match"
    said = {"name_agrees": "the name says so too", "placed": "the columns beside it say so too"}
    named = tuple(text for key, text in said.items() if one.evidence.get(key))
    whose = one.evidence.get("whose")
    owner = (f"about {'a person' if whose == 'person' else 'an organisation'}",) if whose else ()
    written = one.evidence.get("main_pattern_in_words") if band == "unsure" else None
    return (band, shares, *named, *owner, *((f"values are {written}",) if written else ()))


def family(name: str) -> str:
    """What columns of one family are called alike, in any case.

    >>> family("dx_1"), family("PARTY_D"), family("Q12"), family("race"), family("7")
    ('dx', 'party', 'q', 'race', '7')
    """
    return (_APART.sub("", name) or name).casefold()


@dataclass(frozen=True)
class Line:
    """Columns of one family and kind, which one tick answers for."""

    kind: str
    items: tuple[Proposed, ...]

    @property
    def ticked(self) -> bool:
        """Whether it is ticked beforehand: as people answered for columns of the family, or as is likely."""
        told = next((one.answered for one in self.items if one.answered), "")
        return told == "accepted" or (not told and max(one.score for one in self.items) >= LIKELY)


@dataclass(frozen=True)
class Question:
    """What is not known of one table, asked at once."""

    lines: tuple[Line, ...]

    @property
    def items(self) -> list[Proposed]:
        return [one for line in self.lines for one in line.items]

    @property
    def key(self) -> str:
        """Names the question on a page: its table."""
        return f"t{self.items[0].table_id}"

    @property
    def because(self) -> tuple[str, ...]:
        """What says that the rows of the table are persons."""
        told = [one["what"] for one in self.items[0].evidence.get("whose_because", ())]
        return tuple(dict.fromkeys(told))


def questions(proposed: Iterable[Proposed]) -> list[Question]:
    """A question for each table, those first whose answer is likely to find most.

    >>> said = {"column_id": 1, "table_id": 1, "table": "people", "source": "crm", "type": "int", "match_share": 0.0}
    >>> said |= {"domain": "about_the_person", "title": "About the person", "sensitive": True, "contains": False}
    >>> names = ("dx_1", "dx_2", "tgroup")
    >>> asked = [Proposed(tag_id=i, column=one, score=0.4, **said) for i, one in enumerate(names)]
    >>> [[one.column for one in line.items] for line in questions(asked)[0].lines]
    [['dx_1', 'dx_2'], ['tgroup']]
    """
    tables: dict[int, dict[tuple[str, str], list[Proposed]]] = defaultdict(lambda: defaultdict(list))
    for one in proposed:
        tables[one.table_id][family(one.column), one.kind].append(one)
    found = [_question([Line(kind, tuple(part)) for (_, kind), part in lines.items()]) for lines in tables.values()]
    return sorted(found, key=lambda one: (-sum(part.score for part in one.items), one.key))


def _question(lines: list[Line]) -> Question:
    """Lines with the likeliest first, at most so many columns as one answer takes."""
    ordered = sorted(lines, key=lambda line: (-max(one.score for one in line.items), line.items[0].column))
    kept: list[Line] = []
    for line in ordered:
        if kept and sum(len(one.items) for one in kept) + len(line.items) > MOST_AT_ONCE:
            break
        kept.append(line)
    return Question(tuple(kept))
