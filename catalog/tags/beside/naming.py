"""What the name of a column asks for where it says little by itself: with the names of the table and its columns."""

from __future__ import annotations

from catalog.domains.domain import words
from catalog.domains.headers import INSTITUTION, ROLE
from catalog.domains.headers import PERSON as NATURAL
from catalog.domains.known import KNOWN, words_for
from catalog.domains.lexicon import vocabulary
from catalog.domains.names.asked import asking
from catalog.domains.names.told import of_persons, of_somebody, role
from catalog.tags.discovery.sample import Sample
from catalog.tags.rows import silent
from catalog.tags.whose import Around

#: What either half of a name is called for short.
HALF_NAMES = frozenset("name nom nome nombre naam navn namn nazwa".split())
MOST_WORDS = 0.5  # chosen: share of values of two words, from which they are whole names
FIRM = "company name"  # what a word for an institution asks for
#: Of whatever the table lists.
NAMELESS = frozenset(
    {"name", "names", "label", "full name", "nickname", "display name", "title", "kana", "furigana", "romaji", "かな"}
)


def named_in(name: str, around: Around) -> str:
    """The words of a column's name; of a mere "name" with those of the table: the names of airlines are companies. That
    each column begins with the same word says nothing of one of them.

    >>> named_in("name", Around("airlines")), named_in("city", Around("airlines"))
    ('name airlines', 'city')
    >>> named_in("r_name", Around("region", ("r_regionkey", "r_name", "r_comment")))
    'name region'
    """
    named = words(name)
    table = words(around.table)
    if named in _DEPARTMENTS and any(_asks_place(words(one), "region") for one in around.columns if one != name):
        return "region"
    first, _, rest = named.partition(" ")
    if rest in NAMELESS and len(around.columns) > 1:
        named = rest if all(words(one).startswith(f"{first} ") for one in around.columns) else named
    bare = named in NAMELESS
    named = f"{named} {table}".strip() if bare else named
    if _of_institutions(named):
        return FIRM
    if not bare and words_for(ROLE, NATURAL).whole(of_somebody(named)):
        return f"{named} full name"
    return f"{named} person" if role(named) and not asking(named) else named


#: Of a country in French and Spanish, where other columns are of its parts, and of a firm.
_DEPARTMENTS = vocabulary("departamento département departement departamentos départements")


def of_places(name: str, around: Around) -> str:
    """What a column of titles asks for that is called by nothing, in a table that lists places; empty elsewhere.

    >>> of_places("col_1", Around("governorates")), of_places("col_1", Around("products"))
    ('names governorates', '')
    """
    asks = f"names {words(around.table)}"
    bare = silent(name) or words_for("name").whole(words(name))
    return asks if bare and any(_asks_place(asks, one) for one in ("city", "region")) else ""


def _asks_place(named: str, domain: str) -> bool:
    regex = KNOWN[domain].sure_regex
    return regex is not None and regex.search(named)


def _of_institutions(named: str) -> bool:
    """Whether a name is a word for an institution, alone or with one for a name: a supplier, the name of a school.

    >>> _of_institutions("fournisseur"), _of_institutions("furnizor nume"), _of_institutions("fournisseur adresse")
    (True, True, False)
    """
    rest = [one for one in named.split() if one not in NAMELESS and not words_for("name").whole(one)]
    return bool(rest) and words_for(INSTITUTION).whole(" ".join(rest))


def half_named(name: str, found: Sample, around: Around) -> str:
    """What a mere "name" asks for beside the other half of people's names: the family's beside given names, and the
    other way round, unless its values are two words and more. In a table of natural persons alone it is theirs."""
    named = words(name)
    if not (named in HALF_NAMES or words_for("name").whole(named)):
        return ""
    wide = sum(" " in text.strip() for text in found.texts) > MOST_WORDS * len(found.texts)
    others = [words(one) for one in around.columns if one != name]
    first, last = (
        any(regex.search(one) for one in others)
        for regex in (KNOWN["first_name"].sure_regex, KNOWN["last_name"].sure_regex)
        if regex is not None
    )
    if first != last:
        return "" if wide else ("last name" if first else "first name")
    return ("full name" if wide else "first name") if not first and of_persons(words(around.table)) else ""
