"""What the name of a column asks of people: their marriage, origin, faith, party, pay and health, in full or short."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from catalog.domains.domain import Domain, words
from catalog.domains.known import KNOWN
from catalog.domains.lexicon import words as listed
from catalog.domains.load import Validator
from catalog.domains.names.reading import reading

#: What an illness is called: a column about one tells of a person.
ILL = Validator("people.illness")
ORIGIN = Validator("people.one_origin")
#: What is asked of each person by himself, so that it tells of persons; pay is that of groups and places, too.
ASKED = frozenset("marital_status religion ethnicity health_condition political_opinion".split())
#: What a survey writes as codes or as yes and no; illnesses are told by their stems, too.
#: What identifies a row, or what a row is about, is called so at its end.
KEYED = re.compile(
    r"\b(?:id|uid|guid|fid|oid|gid|objectid|key|mmsi|imo|eni|identifier|number|no|nr|num|ref|reference|ticket|serial|kennung|kennziffer|"
    r"num[eé]ro|n[uú]mero|identifi(?:ant|cador|cativo)|matr[ií]cul[ae]|matricola|legajo|folio|numer|identyfikator|"
    r"[cč][ií]slo|(?:redni|matični|maticni) broj|identifik[aá]tor|številka|stevilka|numurs|numeris|num[aă]r|nomor|"
    r"numaras?[ıi]?|номер|ідентифікатор|идентификатор|αύξων αριθμός|क्रमांक)$"
    r"|(?<=[^\W\d_]{3})(?:nummer|number|numero|nr|nro|szám|azonosító|tunnus|številka)$"  # languages that join words
    r"|(?:番号|编号|編號|序号|工号|学号|번호|사번|학번)$"
)
CODED = (*sorted(ASKED - {"health_condition"}), "salary", "health_condition")
_ASKING = re.compile(
    r"^(?:mom|mother|father|dad|husb?(?:and)?|wife|spouse|sp|child|kid|head|[mfdhw]) |"
    r"\b(?:is|was|are|ever|never|currently|now|flag|ind|dummy|yn)\b ?| (?:flag|ind|dummy|yn|[a-z]{1,2}|\d+)$"
)
#: In which form what is asked stands: its code in a list, its name there.
_FORM = re.compile(r" (?:codes?|cds?|cde|flag|ind|status|desc|description|recode|yn)$")
REST = frozenset({"other", "none", "no", "any", "engaged"})


@cache
def _traits() -> tuple[frozenset[str], tuple[str, ...]]:
    found = listed("person_traits")
    return frozenset(one for one in found if one[-1] != "*"), tuple(one[:-1] for one in found if one[-1] == "*")


def trait(named: str) -> bool:
    """Whether the words of a name are what a survey or a personnel file asks of each person.

    >>> [trait(one) for one in ("educ", "years of education", "numkids", "region", "diabetes")]
    [True, True, True, False, True]
    """
    whole, stems = _traits()
    return any(one in whole or one.startswith(stems) for one in named.split()) or ILL(named)


@lru_cache(maxsize=1 << 14)
def coded_domain(name: str) -> str:
    """The domain that a column of this name may hold codes of, or yes and no to one of its values; empty where there is
    none.

    >>> coded_domain("race"), coded_domain("vote"), coded_domain("diabetes"), coded_domain("status")
    ('ethnicity', 'political_opinion', 'health_condition', '')
    >>> coded_domain("black_2"), coded_domain("ever_married"), coded_domain("catholic"), coded_domain("other")
    ('ethnicity', 'marital_status', 'religion', '')
    """
    named = words(name)
    if asked := indicated(name):
        return asked
    forms = (named, _FORM.sub("", named))
    meant = next((domain for domain in CODED if any(_asks(KNOWN[domain], form) for form in forms)), "")
    return meant or ("health_condition" if ILL(named) else "")


def meant(name: str) -> str:
    """The domain that a name asks for, in full or short; empty where there is none.

    >>> meant("diabetes"), meant("fac_chf"), meant("status")
    ('health_condition', 'health_condition', '')
    """
    return coded_domain(name) or reading(name)[0]


def indicated(name: str) -> str:
    """The domain that a column called by one of its values tells of with yes and no; empty where there is none."""
    value = _ASKING.sub("", words(name))
    if value in REST:
        return ""
    listed = (one for one in ("marital_status", "religion") if KNOWN[one].validate(value))
    return "ethnicity" if ORIGIN(value) else next(listed, "")


def _asks(domain: Domain, named: str) -> bool:
    """Whether a name asks for a domain, without a doubt where there are names that leave none."""
    regex, against = domain.sure_regex or domain.name_regex, domain.against_regex
    return bool(regex and regex.search(named)) and not (against and against.search(named))


def of_one(name: str) -> bool:
    """Whether a column is called by what each person is asked, or is short for it."""
    return trait(words(name)) or reading(name)[0] in ASKED


@lru_cache(maxsize=1 << 14)
def asking(named: str) -> tuple[Domain, ...]:
    """The domains that the words of a name ask for.

    >>> [one.name for one in asking("e mail")], asking("zk ulc")
    (['email'], ())
    """
    return tuple(one for one in KNOWN.values() if one.told(named)[2])
