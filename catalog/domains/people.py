"""Domains of people and contact."""

from __future__ import annotations

import re
from functools import cache

import phonenumbers
from stdnum import luhn
from stdnum.util import get_cc_module

from catalog.domains import lexicon
from catalog.domains.domain import Domain
from catalog.domains.lexicon import fold, vocabulary
from catalog.domains.temporal import is_date, is_datetime

STRING = frozenset({"string"})
NUMERIC = frozenset({"string", "number"})

_REGIONS = ("US", "GB", "DE", "FR", "IN", "AU", "ES", "IT", "BR", "NL", "MX", "JP", "CN")
_INITIALS = re.compile(r"[^\W\d_]\.?(?:-?[^\W\d_]\.?)?")
_NAME_PART = re.compile(r"[^\W\d_](?:[^\W\d_]|['’.\-])*")
_PARTICLES = vocabulary(
    "de da do dos das del della di van von der den la le el al bin ibn ter ten zu y st saint mac jr sr ii iii iv"
)


@cache
def _phone_possible(digits: str) -> bool:
    for region in _REGIONS:
        try:
            number = phonenumbers.parse(digits, None if digits.startswith("+") else region)
        except phonenumbers.NumberParseException:
            continue
        if phonenumbers.is_possible_number(number) if digits.startswith("+") else phonenumbers.is_valid_number(number):
            return True
    return False


def _is_phone(text: str) -> bool:
    """A plus and a possible length, or grouped as in North America, or valid in some country."""
    digits = re.sub(r"\D", "", text)
    if not 8 <= len(digits) <= 15 or re.fullmatch(r"\d{4}[-./ ]\d\d?[-./ ]\d\d?|\d\d?[-./ ]\d\d?[-./ ]\d{4}", text):
        return False
    grouped = re.fullmatch(r"(?:\+?1[-. ]?)?(?:\([2-9]\d\d\) ?|[2-9]\d\d[-. ])\d{3}[-. ]\d{4}(?: ?x ?\d+)?", text)
    if grouped:
        return True
    if not text.startswith(("+", "00", "(", "0")) and len(re.findall(r"\d+", text)) < 3 and " " not in text:
        return False
    return _phone_possible(("+" if text.startswith("+") else "") + digits)


def _is_dialled(text: str) -> bool:
    """A number without any grouping, valid somewhere; trusted only where the column's name says phone."""
    return bool(re.fullmatch(r"\d{8,15}", text)) and _phone_possible(text)


def _parts(text: str) -> list[str]:
    return [part for part in re.split(r"[\s,]+", re.sub(r"\([^)]*\)|\"[^\"]*\"", " ", text)) if part]


def _is_person(text: str) -> bool:
    """Two to six words, written like names, one of them a known name in a place where names have it."""
    if not 4 <= len(text) <= 60 or any(char.isdigit() for char in text) or re.search(r"[/@:;!?&_|<>#*=]", text):
        return False
    parts = _parts(text)
    keys = [fold(part).strip(".") for part in parts]
    titled = bool(keys) and any(key in lexicon.person_titles() for key in keys[:2])
    rest = [
        (p, k) for p, k in zip(parts, keys, strict=True) if k not in lexicon.person_titles() and k not in _PARTICLES
    ]
    if not 1 <= len(rest) <= 5 or (len(rest) < 2 and not titled) or not all(_NAME_PART.fullmatch(p) for p, _ in rest):
        return False
    if not all(p[0].isupper() or not p[0].isascii() for p, _ in rest):
        return False
    if titled:
        return True
    first, last = (rest[-1], rest[0]) if "," in text else (rest[0], rest[-1])
    if "," in text:
        first = rest[1]
    if first[1] in lexicon.first_names():
        return True
    initial = bool(_INITIALS.fullmatch(first[0])) and len(last[1]) > 2
    return (initial and "," not in text) or (
        last[1] in lexicon.last_names() and len(first[1]) > 2 and first[1] in lexicon.last_names()
    )


def _is_first(text: str) -> bool:
    return fold(text) in lexicon.first_names()


def _is_last(text: str) -> bool:
    return fold(text) in lexicon.last_names()


def _is_login(text: str) -> bool:
    """A bare account name; trusted only where the column's name says so."""
    return bool(re.fullmatch(r"@?[A-Za-z][\w.\-$]{1,39}", text))


_HOUSE = re.compile(r"(?:no\.? ?)?\d{1,6}[a-zA-Z]?(?:[-/]\d{1,5}[a-zA-Z]?)?,? +(?=.*[^\W\d_]{2})[^@:|<>{}=]{3,90}")
_HOUSE_LAST = re.compile(r"[^\W\d_][^@:|<>{}=]{2,60},? +\d{1,5} ?[a-zA-Z]?(?:[,/ -].{0,40})?")
_BOX = re.compile(r"(?:p\.? ?o\.? ?box|postfach|apartado|box|bp|casilla)\s+\d{1,7}\b.{0,40}", re.I)


def _is_address(text: str) -> bool:
    if _BOX.fullmatch(text):
        return True
    keys = {fold(word).strip(".,") for word in text.split()}
    if _HOUSE.fullmatch(text) and len(text.split()) >= 2:
        return (bool(keys & lexicon.street_words()) and len(keys) >= 3) or bool(
            re.search(r"(?i)(strasse|straße|str\.|straat|weg|gatan)", text)
        )
    return bool(_HOUSE_LAST.fullmatch(text)) and (
        bool(re.search(r"(?i)(strasse|straße|str\.|straat|weg|gatan|gata)\b", text))
        or bool(keys & {"rue", "via", "calle", "rua", "avenida", "ulica", "plaza", "piazza"})
    )


def _loose_address(text: str) -> bool:
    return bool(_HOUSE.fullmatch(text)) or _is_address(text)


_POSTCODES = (
    r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}",  # United Kingdom
    r"[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z] ?\d[ABCEGHJ-NPRSTV-Z]\d",  # Canada
    r"\d{5}-\d{4}",  # United States, ZIP+4
    r"\d{4} ?[A-Z]{2}",  # Netherlands
    r"\d{5}-\d{3}",  # Brazil
    r"\d{2}-\d{3}",  # Poland
    r"\d{3} \d{2}",  # Sweden, Czechia, Greece
    r"\d{4}-\d{3}",  # Portugal
    r"[A-Z]\d{2} ?[A-Z\d]{4}",  # Ireland
    r"(?:L|LV|LT|SI|SK|CZ|SE|MD|AZ)-\d{4,5}",
)


def _is_plain_postcode(text: str) -> bool:
    return bool(re.fullmatch(r"\d{3,6}|[A-Z0-9]{2,4}[ -][A-Z0-9]{3,4}|\d{3}-\d{4}", text.upper()))


def _is_national_id(text: str) -> bool:
    """A number with the layout and check digits of some country's citizens."""
    for country, kinds in _NATIONAL:
        for kind in kinds:
            module = get_cc_module(country, kind)
            if module is not None and module.is_valid(text):
                return True
    return False


_NATIONAL = (
    ("us", ("ssn",)),
    ("br", ("cpf",)),
    ("es", ("dni", "nie")),
    ("it", ("codicefiscale",)),
    ("fr", ("nir",)),
    ("se", ("personnummer",)),
    ("fi", ("hetu",)),
    ("dk", ("cpr",)),
    ("no", ("fodselsnummer",)),
    ("be", ("nn",)),
    ("pl", ("pesel",)),
    ("cl", ("rut",)),
    ("ro", ("cnp",)),
    ("bg", ("egn",)),
    ("mx", ("curp",)),
    ("tr", ("tckimlik",)),
    ("kr", ("rrn",)),
    ("cn", ("ric",)),
    ("in_", ("aadhaar", "pan")),
    ("za", ("idnr",)),
)
_ID_LAYOUT = (
    r"\d{3}-\d{2}-\d{4}|\d{3}\.\d{3}\.\d{3}-\d{2}|[XYZ]?\d{7,8}-?[A-Z]|[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]"
    r"|[12] ?\d{2} ?\d{2} ?\d[\dAB] ?\d{3} ?\d{3} ?\d{2}|\d{6,8}[-+A-F]\d{3}[\dA-Z]|\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}"
    r"|\d{1,2}\.?\d{3}\.?\d{3}-[\dkK]|[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z\d]\d|\d{6}-[1-8]\d{6}|\d{17}[\dX]|"
    r"\d{4} \d{4} \d{4}|[A-Z]{5}\d{4}[A-Z]"
)


def _is_bare_id(text: str) -> bool:
    return bool(re.fullmatch(r"\d{9,13}", text)) and (
        (len(text) == 9 and text[0] != "9") or _is_national_id(text) or luhn.is_valid(text)
    )


_GENDERS = vocabulary(
    "male female m f man woman boy girl masculino femenino feminino masculin feminin homme femme h w x u "
    "o maschio femmina"
)
_GENDERS |= vocabulary(
    "mannlich weiblich divers nonbinary non-binary other diverse nonconforming transgender man woman"
)
_SEXES: tuple[frozenset[str], ...] = (vocabulary("male m man boy masculino masculin homme h maschio mannlich"),)
_SEXES += (vocabulary("female f woman girl femenino feminino feminin femme w femmina weiblich mujer"),)


def _both_genders(values: set[str]) -> bool:
    """Both sexes are there and little else: F may stand for false or Friday, F, M and D for places in a team."""
    keys = {fold(value) for value in values}
    if not all(keys & sex for sex in _SEXES):
        return False
    letters = {key for key in keys if len(key) == 1}
    return len(keys - _GENDERS) <= (0 if letters else 1) and any(letters <= kind for kind in _LETTERS)


_LETTERS = (frozenset("mfuxon"), frozenset("mwdx"), frozenset("hfx"), frozenset("hmx"))


def _is_day(text: str) -> bool:
    return is_date(text) or is_datetime(text)


def _is_age_band(text: str) -> bool:
    found = re.fullmatch(r"(\d{1,3}) ?(?:-|–|to) ?(\d{1,3})(?: ?(?:years|yrs|y))?", text)
    if found:
        return int(found[1]) < int(found[2]) <= 120
    return bool(re.fullmatch(r"(?:[<>]=?|≤|≥|under|over) ?\d{1,2}(?: ?years)?|\d{1,2} ?\+", text.lower()))


PEOPLE = (
    Domain(
        "email",
        "E-mail address",
        ("ann.lee@example.com", "b.cole7@mail.example.org", "info@shop.example.co.uk"),
        r"(?:mailto:)?[A-Za-z0-9!#$%&'*+/=?^_`{|"
        r"}~.-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,24}",
        chance=1e-4,
        names="e ?mail|mail|contact",
        sensitive=True,
        floor=0.6,
    ),
    Domain(
        "phone",
        "Telephone number",
        ("+44 1798 342332", "(212) 422-3855", "615-699-3517"),
        r"[+(\d][\d\s().\-/+x]{6,28}\d",
        check=_is_phone,
        weak=_is_dialled,
        chance=0.01,
        hit=0.9,
        floor=0.7,
        distinct=3,
        names="phone|telephone|tel|mobile|cell|fax|msisdn|phones|contact",
        sensitive=True,
    ),
    Domain(
        "person_name",
        "Name of a person",
        ("Ann Lee", "Garcia, Maria", "Mr. John Public", "Peter Schmidt", "K. Wright"),
        check=_is_person,
        chance=0.06,
        hit=0.8,
        floor=0.5,
        distinct=5,
        sensitive=True,
        names=(
            "name|names|full name|customer|person|author|authors|artist|director|directors|owner|employee|"
            "player|referee|contact|manager|patient"
        ),
        against=(
            "city|country|company|product|team|club|title|brand|street|school|airport|park|file|host|region|"
            "county|state|dataset|field|event"
        ),
    ),
    Domain(
        "first_name",
        "First name",
        ("Linda", "Michael", "Hannah", "Peter", "Julia", "Andrea", "Thomas", "Maria"),
        r"[^\W\d_](?:[^\W\d_]|['’.\-])*(?: (?:[^\W\d_]|['’.\-])+){0,2}",
        check=_is_first,
        chance=0.08,
        hit=0.9,
        floor=0.6,
        distinct=8,
        sensitive=True,
        names="first ?name|given ?name|forename|fname|first|name first|given|name",
        against="last|surname|family|city|country|team|state|product",
    ),
    Domain(
        "last_name",
        "Last name",
        ("Harrington", "Gonzalez", "Schmidt", "Johnson", "Nguyen", "Rossi", "Kowalski", "Patel"),
        r"[^\W\d_](?:[^\W\d_]|['’.\-])*(?: (?:[^\W\d_]|['’.\-])+){0,2}",
        check=_is_last,
        chance=0.07,
        hit=0.7,
        floor=0.45,
        distinct=8,
        sensitive=True,
        names="last ?name|surname|family ?name|lname|last|name last|family|maiden",
        against="first|given|city|country|team|state|product",
    ),
    Domain(
        "username",
        "User name",
        (r"CORP\jdoe", r"shop\ann_lee7", r"FACTORY\svc_sql"),
        r"[A-Za-z][\w.\-]{0,30}\\[A-Za-z][\w.\-$]{1,39}",
        weak=_is_login,
        chance=1e-3,
        floor=0.8,
        distinct=2,
        sensitive=True,
        names="user ?name|login|user|account ?name|screen ?name|handle|nick ?name|uname|login ?id|user ?id|userid",
        against="agent|type|role|status|count|group|level",
    ),
    Domain(
        "street_address",
        "Street address",
        ("3220 Lake Floyd Circle", "12 High Street", "PO Box 8975", "8 rue de la Paix"),
        check=_is_address,
        weak=_loose_address,
        chance=0.005,
        hit=0.85,
        floor=0.45,
        distinct=3,
        sensitive=True,
        names="address|addr|street|line 1|line 2|address ?line",
    ),
    Domain(
        "postcode",
        "Postal code",
        ("SW1A 1AA", "V6E 3V6", "94103-1234"),
        "|".join(_POSTCODES),
        weak=_is_plain_postcode,
        chance=0.01,
        floor=0.8,
        distinct=3,
        names="zip|zip ?code|post ?code|postal ?code|postal|plz|cep|postcodes|zipcodes",
        kinds=NUMERIC,
    ),
    Domain(
        "gender",
        "Gender",
        ("female", "male", "F", "M"),
        check=lambda text: fold(text) in _GENDERS,
        chance=0.03,
        floor=0.9,
        distinct=2,
        whole=_both_genders,
        names="gender|sex",
        against="status|result|size",
    ),
    Domain(
        "birth_date",
        "Date of birth",
        ("1990-04-17", "1985-01-02", "12/03/1971"),
        check=_is_day,
        chance=1e-4,
        needs_name=True,
        sensitive=True,
        names="birth ?date|date of birth|dob|birth ?day|born|birth ?years?|birth dt",
        kinds=frozenset({"string", "time"}),
    ),
    Domain(
        "national_id",
        "National identity number",
        ("536-90-4399", "390.533.447-05", "54362315K"),
        _ID_LAYOUT,
        check=_is_national_id,
        weak=_is_bare_id,
        chance=0.002,
        floor=0.8,
        distinct=2,
        names="ssn|social security|national id|nin|nino|tax ?id|cpf|dni|pesel|personnummer|citizen id|sin|sssn",
        sensitive=True,
    ),
    Domain(
        "age_band",
        "Age band",
        ("18-24", "25-34", "65+"),
        check=_is_age_band,
        chance=0.005,
        needs_name=True,
        names="age|ages|age ?(?:band|group|range|gr\\w*)|\\w*age ?gr\\w*|\\w*agegr",
    ),
)
