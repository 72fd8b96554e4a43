"""What the columns beside say of one whose own name says nothing: what a table's rows are, and what that makes it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from catalog.domains.domain import words
from catalog.domains.known import KNOWN, in_force, title, words_for
from catalog.domains.load import Validator
from catalog.domains.names.asked import CODED, KEYED, asking, coded_domain
from catalog.domains.names.reading import initialled, reading
from catalog.domains.names.told import of_somebody
from catalog.domains.names.told import said as listed
from catalog.tags.discovery.sample import Sample
from catalog.tags.generic import NAMED, TEXT_NAME
from catalog.tags.privacy.among import among_illnesses, named_by_illnesses, remarked
from catalog.tags.privacy.masking import mask
from catalog.tags.proposal import TagProposal
from catalog.tags.whose import NAMES, Around, whose

#: Names that programs give to columns without one, in the words for a column of some languages.
_SILENT = re.compile(
    r"(?:(?:c|f|v|x|cols?|columns?|fields?|vars?|variable|attr|attribute|unnamed|untitled|feld|spalte|champ|colonne|campo|"
    r"columna|coluna|colonna|kolom|veld|kolonne|kolumn|kolumna|pole|sloupec|oszlop|sarake|sütun|поле|столбец|列|欄|컬럼)"
    r" ?)?\d*"
)
SURELY = 2.5  # chosen: log odds that a row is a person, the default and two neighbours, from which a table is of people
OWN_NAME = 1.0  # chosen: log odds that a row is a person for a name of its own, as much as the default
ASKED = 1.5  # chosen: log odds of a person for a name that asks for what is sensitive alone, as of two neighbours
OWN_VALUE = 0.9  # chosen: share of rows with a value of their own, from which a number leads to one of them
LEAST = 8  # chosen: distinct values that tell a form
WIDTHS = 3  # chosen: lengths that numbers of one kind have at the most
SHORT, LONG = 6, 34  # bound: characters of what is given to one person, without what parts them: of an IBAN 34
MAYBE = 0.6  # chosen: score of what a column of numbers may be by its place alone; rather so than not
WHOLE = 0.8  # chosen: share of values of a form, from which the column is of it

#: What is said of numbers that stand for one thing each, where nothing is known of them.
NUMBERS = frozenset({"opaque_id", "code", "other", "number_range", "integer", "unix_timestamp", "version"})

#: Of these, what is made of letters and digits or signs and has no meaning that we know; amounts of money, as numbers.
LOOSE = frozenset({"opaque_id", "other"})
AMOUNTS = frozenset({"integer", "decimal", "money"})
_SIGN = re.compile(r"[\d!-@\[-`{-~]")
_BODIES = re.compile(rf"\b(?:{listed('bodies')})\b")
_STAFF = re.compile(rf"\b(?:{listed('staff')})\b")
LEAST_PAY = 100  # bound: of a wage of a week in any currency; ages, grades and hours are below

#: What an amount is called, of which each row may have its own too.
_AMOUNT = re.compile(
    r"\b(?:am(?:oun)?ts?|bal(?:ance)?|price|cost|fee|tot(?:al)?|sum|val(?:ue)?|qty|quantity|betrag|saldo)\b"
)
RECURRING = 0.2  # chosen, as of categories: share of rows with a value of their own, below which words recur
#: Names that tell one person from another.
WHOLE_NAMES = frozenset({"last_name", "person_name", "username"})
RUN_ON = Validator("contact.run_on")  # who numbers his own things counts
#: What of a tag's evidence are values of its column.
SHOWN = ("matching", "failing")
#: Numbers that somebody else gave to a person.
GIVEN = frozenset(
    "national_id passport_number driving_licence bank_account iban phone medical_record card_number".split()
)
#: Names that are one half of a person's.
HALVES = ("first_name", "last_name")


def silent(name: str) -> bool:
    """Whether a column's name says nothing.

    >>> silent("col_3"), silent("_c0"), silent("Unnamed: 2"), silent("V7"), silent("v_max")
    (True, True, True, True, False)
    """
    return bool(_SILENT.fullmatch(words(name)))


@lru_cache(maxsize=1 << 14)
def unread(name: str) -> bool:
    """Whether a column's name says nothing to us: a word of a language, or of a trade, that no domain asks for.

    >>> unread("zk_ulc"), unread("col_3"), unread("customer_email"), unread("order_id"), unread("status")
    (True, True, False, False, False)
    """
    if silent(name):
        return True
    named = words(name)
    return not any(regex.search(named) for regex in NAMED) and not asking(named)


@lru_cache(maxsize=1 << 14)
def guarded(name: str) -> bool:
    """Whether all that a column's name asks for is sensitive: what its values are that no check knows is so, too. The
    number of an account or a passport is given to a person, that of a customer by who keeps the table.

    >>> guarded("mobiil"), guarded("telefon"), guarded("address_id"), guarded("city"), guarded("zk_ulc")
    (True, True, False, False, False)
    >>> guarded("passport_no"), guarded("account_no"), guarded("customer_no")
    (True, True, False)
    """
    named = words(name)
    asked = [one for one in asking(named) if not (one.against_regex and one.against_regex.search(named))]
    kind = [regex for regex in NAMED if regex is not KEYED or not GIVEN & {one.name for one in asked}]
    if any(regex.search(named) for regex in kind):
        return False
    return bool(asked) and all(one.sensitive for one in asked)


def of_people(name: str, around: Around, default: str = "person", least: float = SURELY) -> str:
    """What says that each row of a table is a person, by the columns beside one; empty where that is not as sure as at
    `least`, in log odds. Names that are each row's own say more than those that recur."""
    if not NAMES & {tag for other, tag in around.tags.items() if other != name}:
        return ""
    said = whose(KNOWN["national_id"], name, (), around, default=default)
    told = [what for what, weight in said.reasons[1:] if weight > 0]
    own = [one for one in around.own if one != name and around.tags.get(one) in WHOLE_NAMES]
    if own:
        told.append(f"each row has its own {min(own)}")
    return ", ".join(told) if said.odds + OWN_NAME * bool(own) >= least else ""


def personal(one: TagProposal, found: Sample, name: str, around: Around, default: str) -> TagProposal:
    """What each row has of its own, in a column whose name tells nothing or asks for what is sensitive, leads to the
    person that the row is: a passport, a licence, an account, a login, whatever it is called. Not so the table's own
    key: its first column, or what is called a number of something that we know, or begins with the same letters in
    each row, as who numbers his own things writes. And amounts beside what people work as may be what they earn."""
    asked = guarded(name)
    if one.sensitive or not (unread(name) or asked) or around.columns[:1] == (name,):
        return one
    counted = bool(_AMOUNT.search(words(name)))
    number = one.domain in NUMBERS and not counted and _one_each(found, one.domain in LOOSE)
    staff = "job_title" in around.tags.values() or (silent(name) and bool(_STAFF.search(words(around.table))))
    amount = one.domain in AMOUNTS and staff and _amounts(found)
    told = of_people(name, around, default, SURELY - ASKED * asked) if number or amount else ""
    if not told:
        return one
    what = "a number of each row's own" if number else "amounts beside what people work as, which may be their pay"
    return hidden(one, {"what": told, "weight": SURELY}, {"what": what})


#: What is counted or measured of somebody beside his pay, and is no part of it.
_NO_PAY = re.compile(
    r"\b(?:id|no|nr|num|number|code|age|years?|months?|days?|hours?|hrs|count|qty|rate|pct|percent|tenure|experience|"
    r"level|grade|rank|score|rating|budget|sales|target|revenue)\b"
)


def of_pay(one: TagProposal, found: Sample, name: str, around: Around, default: str) -> TagProposal:
    """What pay is made of (deductions, allowances, tax) stands beside it: amounts as large, which are as personal. So
    is what is measured of a body, in a table that surely lists persons."""
    if one.sensitive or one.domain not in AMOUNTS | {"measurement"}:
        return one
    if _BODIES.search(words(name)) and (told := surely_persons("health_condition", name, around, default)):
        return hidden(one, {"what": told, "weight": SURELY}, {"what": "what is measured of a body"})
    beside = next((other for other, tag in around.tags.items() if tag == "salary" and other != name), "")
    counted = KEYED.search(words(name)) or _NO_PAY.search(words(name)) or one.domain == "measurement"
    if not beside or counted or not _large(found):
        return one
    of = whose(KNOWN["salary"], name, (), around, default=default)
    return hidden(one, {"what": f"next to {beside}"}, {"what": "amounts beside pay"}) if of.person else one


def _large(found: Sample) -> bool:
    """Whether most amounts but nothing at all are as large as pay is."""
    values = [float(text) for text in found.texts if re.fullmatch(r"-?\d{1,9}(?:\.\d+)?", text)]
    paid = [abs(value) for value in values if value]
    return bool(paid) and sum(value >= LEAST_PAY for value in paid) >= WHOLE * len(paid)


#: What leads to one person, and is taken at its name's word in a table that surely lists persons.
LEADING = GIVEN | {"email"}
ADDRESS = "street_address"  # a name that asks for one may ask for an address of another kind as well
#: Lines of `headers` for names, which lead to one person where they are all that a column is called.
CALLED = ("name", "full_name", "first_name", "last_name")


def taken(one: TagProposal, found: Sample, name: str, around: Around, default: str) -> TagProposal:
    """What no check knows under a name that asks for nothing but what leads to a person, in a table that surely lists
    persons by what else it holds: somebody typed it there as what was asked for. Not so where values recur, as counts,
    flags and kinds do; and not the names of something, as of teams."""
    called = words_for(*CALLED).whole(words(name)) or bool(of_somebody(words(name)))
    bare = called and not any(map(KNOWN["company_name"].validate, found.texts))
    if one.sensitive or one.domain not in CODES | LOOSE | {"title", "hex_string"} or not (guarded(name) or bare):
        return one
    asked = asking(words(name))
    meant = [d for d in asked if d.name in LEADING or (bare and d.name in NAMES)]
    meant = meant or [d for d in asked if d.name == ADDRESS and one.domain == "title"]
    if not meant or found.distinct < OWN_VALUE * found.rows:
        return one
    others = replace(around, columns=tuple(other for other in around.columns if other != name))
    told = surely_persons(meant[0].name, "", others, default)
    said = hidden(one, {"what": told, "weight": SURELY}, {"what": f"called by a word for: {meant[0].title}"})
    return replace(said, domain=meant[0].name, title=meant[0].title, score=MAYBE, generic=False) if told else one


CODES = frozenset({"integer", "code", "category", "boolean", "other", "number_range", "ordinal"})
REMARKS = frozenset({"category", "title", "free_text"})  # what texts are that have no meaning of their own
FEW = 40  # chosen: values of a code list, of brackets of income too
LEAST_ILL = 2  # chosen: columns called by illnesses, beside which two letters are short for one, too
#: What says that the codes of a column are those of illnesses, of which there are thousands.
#: Not so how old or how long ago somebody was told: age at diagnosis.
_CLASSIFIED = re.compile(
    r"^(?!(?:age|date|time|days|months|years?)\b).*(?:\b(?:icd|dx|dgns|diag\w*|diseases?|conditions?)(?: ?\d+)?\b|dx\b)"
)


def coded(one: TagProposal, found: Sample, name: str, around: Around, default: str) -> TagProposal:
    """A few codes or words under a name that leaves no doubt, where rows are surely people: what they stand for is
    known to who has the list. Amounts under a name of pay may be of any size: thousands are often left out."""
    classified = _classified(found, name, around)
    if one.sensitive or one.domain not in REMARKS | CODES | AMOUNTS | {"title"} | (
        LOOSE if classified else frozenset()
    ):
        return one  # of a few rows a list of answers reads like titles
    meant, told = _coded(found, name, around, default)
    if not meant and one.domain in CODES and (likely := _of_illnesses(found, name, around, default)):
        return hidden(one, *_because(likely))
    if not meant and one.domain in REMARKS and (likely := _of_health(found, name, around, default)):
        return hidden(one, *_because(likely))
    told_apart = one.domain in CODES | {"title"} or meant == "salary" or classified or _whole(one, found)
    if one.domain == "free_text" or not told_apart:
        return one
    written = "amounts" if one.domain in AMOUNTS and len(found.values) > FEW else "codes"
    because = {"what": f"{written} under the name of {title(meant)}"}
    return hidden(one, {"what": told, "weight": SURELY}, because) if meant else one


def _coded(found: Sample, name: str, around: Around, default: str) -> tuple[str, str]:
    """The domain that a column holds codes of, and what says that rows are people; empty where it does not."""
    called = around.called(name)
    meant = coded_domain(called) or reading(called, found.texts)[0]
    if not meant and initialled(called, "health_condition") and _illnesses(name, around) >= LEAST_ILL:
        meant = "health_condition"  # mi and dm beside copd, htn and stroke
    if meant not in CODED or (meant != "salary" and not (_few(found) or _classified(found, name, around))):
        return "", ""
    told = surely_persons(meant, name, around, default)
    return (meant, told) if told else ("", "")


def _of_illnesses(found: Sample, name: str, around: Around, default: str) -> list[str]:
    """What says that rows are persons, and what that a column asks for their illnesses; empty where it does not."""
    likely = among_illnesses(name, around)
    if not likely and name not in around.pairs and _few(found):
        likely = named_by_illnesses(found.texts)
    told = surely_persons("health_condition", name, around, default) if likely else ""
    return [told, *likely] if told else []


def _of_health(found: Sample, name: str, around: Around, default: str) -> list[str]:
    """What says that rows are persons, and what that remarks on them tell of their health; empty where it does not."""
    likely = remarked(found.texts) if TEXT_NAME.search(words(around.called(name))) else []
    told = of_people(name, around, default) if likely else ""
    return [told, *likely] if told else []


def _whole(one: TagProposal, found: Sample) -> bool:
    """Whether decimals are whole numbers, as codes are written that went through a column with holes."""
    return one.domain == "decimal" and all(text.isdigit() for text in found.texts)


def _illnesses(name: str, around: Around) -> int:
    """How many other columns are called by illnesses."""
    others = [around.called(one) for one in around.columns if one != name]
    return sum((coded_domain(one) or reading(one)[0]) == "health_condition" for one in others)


def _classified(found: Sample, name: str, around: Around) -> bool:
    """Whether values are codes of illnesses by the column's name: many, of which some come again."""
    return bool(_CLASSIFIED.search(words(around.called(name)))) and found.distinct < found.rows


def _few(found: Sample) -> bool:
    """Whether values are those of a list of codes, which come again and again."""
    return len(found.values) <= FEW and (found.distinct < OWN_VALUE * found.rows or found.rows < LEAST)


def surely_persons(domain: str, name: str, around: Around, default: str = "person") -> str:
    """What says that the rows of a table are surely persons, beside a column that may be of a domain; empty where
    nothing does."""
    said = whose(in_force()[domain], name, (), around, default=default)
    return ", ".join(what for what, weight in said.reasons[1:] if weight > 0) if said.odds >= SURELY else ""


def in_full(name: str, found: Sample, around: Around, default: str) -> str:
    """The term that a name is short for in a table of persons, or what the other columns explain it by; empty where
    there is none, or it says something itself."""
    called = around.called(name)
    domain, term = reading(called, found.texts) if unread(called) and around.columns else ("", "")
    against = in_force()[domain].against_regex if domain else None
    if against is not None and against.search(words(called)):  # a room in Spanish, for which pay may be short
        return ""
    if domain and surely_persons(domain, name, around, default):
        return term
    return called if called != name else ""


def unnamed(found: Sample, name: str, around: Around, default: str) -> list[TagProposal]:
    """Of a column of numbers without a meaning what makes it personal, where something does; nothing otherwise."""
    for kind, said, mere in (("decimal", "salary", False), ("integer", "opaque_id", True)):
        one = personal(TagProposal(kind, "", MAYBE, 1.0, False), found, name, around, default)
        if one.sensitive:
            return [replace(one, domain=said, title=title(said), generic=mere)]
    meant, told = _coded(found, name, around, default)
    likely = [told] if meant else _of_illnesses(found, name, around, default)
    if not likely:
        return []
    one = TagProposal(meant or "health_condition", title(meant or "health_condition"), MAYBE, 1.0, False)
    return [hidden(one, *_because(likely))]


def _because(told: Sequence[str]) -> list[dict[str, Any]]:
    """What says that rows are persons, with its weight, and what a column of them asks, as evidence."""
    return [{"what": told[0], "weight": SURELY}, *({"what": what} for what in told[1:])]


def hidden(one: TagProposal, *because: dict[str, Any]) -> TagProposal:
    """A tag that is sensitive for what stands beside it, with the values that it shows masked."""
    shown = {what: [mask(text) for text in one.evidence[what]] for what in SHOWN if what in one.evidence}
    return replace(
        one, sensitive=True, evidence=one.evidence | shown | {"whose": "person", "whose_because": [*because]}
    )


def _one_each(found: Sample, loose: bool) -> bool:
    """Whether nearly each row has its own, of about one length but where it is `loose`ly a sign of any kind."""
    texts = found.texts
    if len(texts) < LEAST or found.distinct < OWN_VALUE * found.rows:
        return False
    if all(map(str.isdigit, texts)) and RUN_ON(set(texts)):
        return False
    own = {re.match(r"[^\W\d_]*", text)[0] for text in texts}  # type: ignore[index]
    if len(own) == 1 and own != {""}:
        return False
    bare = [re.sub(r"[ ()./+-]", "", text) for text in texts]
    if loose:
        return sum(SHORT <= len(text) <= LONG and bool(_SIGN.search(text)) for text in bare) >= WHOLE * len(texts)
    if len({len(text) for text in bare}) > WIDTHS:
        return False
    numbers = sum(SHORT <= len(text) <= LONG and any(char.isdigit() for char in text) for text in bare)
    return numbers >= WHOLE * len(texts)


def _amounts(found: Sample) -> bool:
    """Whether numbers are as large and as different as what people earn."""
    values = [float(text) for text in found.texts if re.fullmatch(r"\d{1,9}(?:\.\d{1,2})?", text)]
    large = sum(value >= LEAST_PAY for value in values)
    return large >= WHOLE * max(len(found.texts), LEAST) and found.distinct >= RECURRING * found.rows


def whole_names(one: TagProposal, found: Sample, name: str, around: Around) -> TagProposal:
    """A column called by the word for given or family names, whose values are two words and more, in a table without
    the other half: it holds whole names."""
    if one.domain not in HALVES or one.contains or not around.columns:
        return one
    both = words_for("full_name").search(words(name)) and all(" " in text.strip() for text in found.texts)
    if both and not set(HALVES) & {tag for other, tag in around.tags.items() if other != name}:
        return replace(one, domain="person_name", title=title("person_name"))
    if set(HALVES) & {tag for other, tag in around.tags.items() if other != name} or len(found.texts) < LEAST:
        return one
    if sum(len(text.split()) >= 2 for text in found.texts) < WHOLE * len(found.texts):
        return one
    person = KNOWN["person_name"]
    return replace(one, domain=person.name, title=person.title)
