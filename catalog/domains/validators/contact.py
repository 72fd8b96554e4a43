"""Validators of contact and identity: e-mail, telephone, address, postal code, national numbers."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Collection
from functools import lru_cache
from typing import Any

import phonenumbers
from stdnum import luhn
from stdnum.util import get_cc_module

from catalog.domains.lexicon import fold, vocabulary, words

FEW = 8  # chosen: distinct values from which their common width tells something
# Chosen: share of values that are of a form, where nothing but the columns beside speaks for it; share of names, and of
# numbers, that differ among streets.
MOST, DIVERSE = 0.85, 0.2
YEARS = 30  # chosen: years in which those are born whom a table has; numbers of orders are of fewer
_REGIONS = ("US", "GB", "DE", "FR", "IN", "AU", "ES", "IT", "BR", "NL", "MX", "JP", "CN", "SE", "PL", "CZ", "RU", "TR")
_AMERICAN = re.compile(
    r"(?:(?:\+|00)?1[-. ]?)?(?:\([2-9]\d\d\) ?|[2-9]\d\d[-. ])\d{3}[-. ]\d{4}(?: ?(?:x|ext\.?) ?\d{1,6})?"
)
_NO_PHONE = re.compile(
    r"\d{4}[-./ ]\d\d?[-./ ]\d\d?|\d\d?[-./ ]\d\d?[-./ ]\d{4}|\d{3}-\d{2}-\d{4}|.*\D\d"
    r"|\d{4}(?:[ -]\d{4}){2,3}|\d+(?:\.\d+)?"
)


@lru_cache(maxsize=4096)
def _dialable(digits: str) -> bool:
    """Digits with a plus: of a possible length for their country; without: valid in one of the larger countries."""
    for region in _REGIONS:
        try:
            number = phonenumbers.parse(digits, None if digits.startswith("+") else region)
        except phonenumbers.NumberParseException:
            continue
        if phonenumbers.is_possible_number(number) if digits.startswith("+") else phonenumbers.is_valid_number(number):
            return True
    return False


def _is_phone(text: str) -> bool:
    """Grouped as in North America, or with a plus, or grouped somehow and valid in some country."""
    if _AMERICAN.fullmatch(text):
        return True
    number = re.split(r" ?(?:x|ext\.?) ?(?=\d{1,6}$)", text)[0]
    if _NO_PHONE.fullmatch(number):
        return False
    if number[0] not in "+0(" and len(re.findall(r"\d+", number)) < 3:
        return (
            False  # two groups of digits are as often a stock or ring number, and some country dials nearly any number
        )
    digits = re.sub(r"\D", "", number.replace("(0)", "") if number.startswith("+") else number)
    return 8 <= len(digits) <= 15 and _dialable(("+" if number.startswith("+") else "") + digits)


def _is_dialled(text: str) -> bool:
    """A number without any grouping, valid somewhere; trusted only where the column's name says phone."""
    return bool(re.fullmatch(r"\d{8,15}", text)) and _dialable(text)


def _is_calling_code(text: str) -> bool:
    """A country's prefix without the plus; trusted only where the column's name says so."""
    return re.fullmatch(r"(?:00)?\d{1,3}", text) is not None and int(text) in phonenumbers.COUNTRY_CODE_TO_REGION_CODE


_NUMBERED = re.compile(r"[+(]{0,2}\d[\d\s().\-/]{4,22}\d(?: ?(?:x|ext\.?) ?\d{1,6})?")
#: Days, decimals, numbers of books (no country is dialled by 978, 979 is no telephone's), counts filled with noughts.
_NOT_NUMBERED = re.compile(r"\d{4}-\d\d-\d\d|\d\d?[./]\d\d?[./]\d{4}|\d+\.\d+|97[89]\d{10}|0{4,}\d*")


def _is_numbered(text: str) -> bool:
    """As many digits as a telephone has, grouped in any way; trusted only where the column's name leaves no doubt."""
    if not _NUMBERED.fullmatch(text) or _NOT_NUMBERED.fullmatch(text):
        return False
    return 5 <= sum(char.isdigit() for char in text) <= 17


_NOTE = re.compile(r"\([^()\d]{2,30}\)|[^\W\d_]{2,20}[.:]?")
_APART = re.compile(r"[,;|\r\n]+|/(?= ?[+(0])| / |(?<=\d) ?(?=\+)| {2,}")


def _are_numbered(text: str) -> bool:
    """One number or several, with what they are of: Tel. 049 9790651 (office), +977 1 4154183; trusted only where the
    column's name leaves no doubt.

    >>> [_are_numbered(one) for one in ("0363 1591034 (verificato)", "9846026811,9856026811,", "see above", "2 rooms")]
    [True, True, False, False]
    """
    if _is_numbered(text):
        return True
    numbers = [part for one in _APART.split(_NOTE.sub(" ", text[:200])) if (part := one.strip(" .:-"))]
    return bool(numbers) and sum(map(str.isdigit, text)) >= len(text) / 3 and all(map(_is_numbered, numbers))


_HOUSE = re.compile(r"(?:no\.? ?)?\d{1,6}[a-zA-Z]?(?:[-/]\d{1,5}[a-zA-Z]?)?,? +(?=.*[^\W\d_]{2})[^@:|<>{}=]{3,90}")
_HOUSE_LAST = re.compile(r"[^\W\d_][^@:|<>{}=]{2,60},? +(?:д\. ?)?\d{1,5} ?[a-zA-Z]?(?:\.|[,/ -].{0,40})?")
_BOX = re.compile(
    r"(?:p\.? ?o\.? ?box|postfach|apartado|box|bp|casilla|flat|apt|apartment|studio|suite)\s+\d{1,7}\b.{0,40}", re.I
)
_SUFFIX = re.compile(
    r"(?i)(?:stra(?:ß|ss)e|str\.|weg|allee|platz|gasse|damm|ring|ufer|straat|laan|plein|kade|dijk|steeg|gatan|gata|vägen|"
    r"katu|kuja|tie|polku|kaari|bulevardi|gade|vej|veien|vegen|utca|útja?|tér|körút|köz|sétány)(?!\w)"
)


# Lines that languages write in their own order; each needs a number (or, in Portuguese, "without number").
_POLISH = r"(?i:(?:ul|al|os|pl)\.|aleja|aleje|osiedle|plac) ?[^\W_][^\d,@=]{2,50} \d{1,4} ?[a-z]?(?:[/ ,-].{0,50})?"
_PORTUGUESE = (
    r"(?i:(?:r|av|tv|p[cç]|lg|estr|al|rod)\.|av|rua|avenida|travessa|praça|largo|estrada|alameda|rodovia) ?[^\W\d_]"
    r"[^\d,@=]{2,60}(?:,? (?:n\.?[º°o]? ?)?\d{1,5}\b|,? (?i:s/n\.?[º°]?)).{0,60}"
)
_JAPANESE_BLOCK = r"(?:\w{1,10}[市区町村郡] ?)(?:\d{1,4}-){1,2}\d{1,4}|\d{1,2}丁目\d{1,3}番(?:地)?\d{0,3}号?"
_JAPANESE = (
    r"(?:〒? ?\d{3}-\d{4} ?)?(?:(?:東京都|北海道|京都府|大阪府|\w{2,3}県)\w{1,12}?[市区町村郡]"
    r"|\w{1,10}?[市区郡](?=.*丁目|.*番地))(?=.*[\d一二三四五六七八九十]).{1,60}"
)
_ROMANISED = r"(?:\d{1,4}-){1,3}\d{1,4},? [A-Z][\w ōū'-]{2,40}, ?.{0,40}-(?:ku|shi|chō|cho|machi|gun|ken|fu)\b.{0,40}"
# An adjective with its number, as Czech and Slovak name streets: "Průškova 554", "Na Příkopě 12/3" needs a known word.
_CZECH = r"[A-ZČŘŠŽĎŤŇÁÉÍÓÚÝ]\w{1,20}(?:[^n\W\d]ova|ská|cká|ná|ého)(?: [^\W\d]{3,20})? \d{1,4}(?:/\d{1,4}[a-z]?)?"
_TURKISH = (
    r"(?=.*\d)[^\W\d_][^@:|<>{}=]{2,60}? (?:(?:Cad|Sok|Mah|Blv|Bulv)\.|Caddesi|Sokak|Sokağı|Mahallesi|Bulvarı)"
    r"(?:[ ,][^@|<>{}=]{1,60})?"
)
_CHINESE = (
    r"(?=.*[\u4e00-\u9fff])(?:\w{2,10} ){0,4}\w{1,20}?(?:路|街|大道|巷|弄|胡同|村)"
    r"\w{0,8}?\d{1,5}(?:-\d+)?(?:號|号|弄|樓|楼|室).{0,30}"
)
_LOCAL = re.compile(
    "|".join((_POLISH, _PORTUGUESE, _JAPANESE, _JAPANESE_BLOCK, _ROMANISED, _CZECH, _TURKISH, _CHINESE))
)
# A name and a number in any language, where the column's name says so.
_ANY = re.compile(
    r"[^\W\d_][^@:|<>{}=\d]{2,50},? (?:[Nn][o°º][.:]? ?)?\d{1,5} ?[a-zA-Z]?(?:[/-]\d{1,5}[a-z]?)?\.?(?:,.{0,50})?"
)

_PLAIN = vocabulary("rue avenue boulevard chemin impasse via viale calle avenida rua ulica ул пр бул алл пер наб")


def _is_address(text: str) -> bool:
    """A street with a number, in the order and with the words of several languages, or a box; the first lines count."""
    return any(_is_line(part.strip()) for part in re.split(r"[\r\n]+", text[:200])[:2] if part.strip())


def _is_line(text: str) -> bool:
    if _BOX.fullmatch(text) or _LOCAL.fullmatch(text):
        return True
    keys = [fold(word).strip(".,") for word in text.split()]
    if len(keys) < 2:
        return False
    if _HOUSE.fullmatch(text):
        return (len(keys) >= 3 and not words("street_words").isdisjoint(keys)) or bool(_SUFFIX.search(text))
    if keys[0] in words("street_prefixes") and (text[-1].isdigit() or (len(keys) >= 3 and keys[0] in _PLAIN)):
        return not re.search(r"[@:|<>{}=]", text)
    return bool(_HOUSE_LAST.fullmatch(text) and _SUFFIX.search(text))


def _loose_address(text: str) -> bool:
    return bool(_HOUSE.fullmatch(text) or _ANY.fullmatch(text)) or _is_address(text) or _is_unnumbered(text)


def _is_street_name(text: str) -> bool:
    """A few words, as streets are called; trusted only where the column's name leaves no doubt."""
    return len(text.split()) <= 6 and bool(re.search(r"[^\W_]{2}", text))


def _is_unnumbered(text: str) -> bool:
    """A street or a village with the place it is in, as where houses have no numbers: MAIN STREET, AMPARA."""
    parts = [part for part in re.split(r"[\r\n,]+ *", text) if part.strip()]
    streets = not words("street_words").isdisjoint(fold(word).strip(".") for word in text.split())
    return len(text) <= 120 and (len(parts) > 1 or streets) and bool(re.fullmatch(r"[^\W\d_][^@:|<>{}=]{6,}", text))


_POSTCODE = re.compile(
    r"(?=.*\d)(?:\d{3,8}|\d{5}-\d{3,5}|[A-Z0-9]{2,4}[ -][A-Z0-9]{2,5}|\d{3}-\d{4}|[A-Z]{1,3}-?\d{3,6})"
)


def _is_plain_postcode(text: str) -> bool:
    return bool(_POSTCODE.fullmatch(text.upper()))


#: Where letters stand before them, no country has more than five digits.
_ONE_OF_SORTS = re.compile(r"(?:[A-Z]{1,3}-?(?!\d{6}))?(\d{3,7})(?:-\d{3,5})?")


def _are_postcodes(values: set[str]) -> bool:
    """Digits of one width, no years, or with the letters of a country before them or a dash; trusted only right beside
    towns and streets."""
    found = [_ONE_OF_SORTS.fullmatch(text.removesuffix(".0")) for text in values]
    if len(found) < FEW or not all(found):
        return False
    digits = {one[1] for one in found if one}
    written = sum(one[0] != one[1] for one in found if one)  # with more than digits
    years = sum(len(text) == 4 and "1800" <= text <= "2100" for text in digits)
    widths = len({len(text) for text in digits})
    return widths <= (2 if written > len(found) / 4 else 1) and years < len(values) / 2


_LINE = re.compile(r"(?=\D*\d)[^@:|<>{}=]{5,80}")
_HOUSE_NUMBER = re.compile(r"(?<!\d)\d{1,5}(?!\d)")


def _are_streets(values: set[str]) -> bool:
    """Names of two letters and more with a short number before or behind them, both of which differ from row to row;
    trusted only beside people, firms and towns. What comes in sizes and models has few of the one or the other."""
    lines = [text for text in values if _LINE.fullmatch(text) and _loose_address(text)]
    if len(values) < FEW or len(lines) < MOST * len(values):
        return False
    names = {_HOUSE_NUMBER.sub("", text, count=1).strip(" ,") for text in lines}
    numbers = {found[0] for text in lines if (found := _HOUSE_NUMBER.search(text))}
    return min(len(names), len(numbers)) >= DIVERSE * len(lines)


def _are_numbers_to_call(values: set[str]) -> bool:
    """Of seven to fifteen digits in much the same number, which begin as calls do: with a plus, a bracket, a nought or
    all with one digit; trusted only beside people and firms. Numbers of other things begin with any digit."""
    numbers = [text for text in values if _is_numbered(text) and 7 <= sum(map(str.isdigit, text)) <= 15]
    if len(values) < FEW or len(numbers) < MOST * len(values):
        return False
    first = Counter(re.sub(r"\D", "", text)[0] for text in numbers).most_common(1)[0][1]
    called = sum(text[0] in "+(0" for text in numbers)
    grouped = sum(bool(re.search(r"\d[ ().-]+\d", text)) for text in numbers)
    long = sum(sum(map(str.isdigit, text)) >= 9 for text in numbers)
    lengths = Counter(sum(map(str.isdigit, text)) for text in numbers)
    usual = sum(count for _, count in lengths.most_common(3))
    begins = max(first, called) >= MOST * len(numbers) and not _run_on(numbers)
    return begins and usual >= MOST * len(numbers) and max(grouped, long) >= MOST * len(numbers)


def _run_on(numbers: Collection[str]) -> bool:
    """Whether half of all numbers and more follow another by one: who numbers his own things counts.

    >>> _run_on(["241511001", "241511002", "241511003"]), _run_on(["241511001", "241519873", "241514402"])
    (True, False)
    """
    counted = sorted(int(digits) for text in numbers if (digits := re.sub(r"\D", "", text)))
    next_by_one = sum(two - one == 1 for one, two in itertools.pairwise(counted))
    return len(counted) == len(numbers) > 1 and 2 * next_by_one >= len(counted)


_DAY = r"(?P<day>0[1-9]|[12]\d|3[01])"
_MONTH = r"(?P<month>0[1-9]|1[0-2])"
#: How numbers of identity begin with a day of birth, behind a sex and century, or a district, or nothing.
_BORN = [
    re.compile(rf"\d{{{before}}}{day}")
    for before in (0, 1, 4, 6)
    for day in (
        rf"(?P<year>\d\d){_MONTH}{_DAY}",
        rf"{_DAY}{_MONTH}(?P<year>\d\d)",
        rf"{_DAY}{_MONTH}[09](?P<year>\d\d)",
        rf"(?:19|20)(?P<year>\d\d){_MONTH}{_DAY}",
    )
]


def _born_inside(values: set[str]) -> bool:
    """Numbers of nine digits and more, or of letters and six, each with a day at the same place, which span more years
    than a firm has numbered its orders: so do the numbers of most states. The chance of a day is one in twenty-five."""
    digits = [re.sub(r"\D", "", text) for text in values]
    if len(values) < FEW or any(not 6 <= len(one) <= len(text) <= 24 for one, text in zip(digits, values, strict=True)):
        return False
    if any(len(one) < 9 and text.isdigit() for one, text in zip(digits, values, strict=True)):
        return False  # a day alone
    return any(_days([found for one in digits if (found := regex.match(one))], len(digits)) for regex in _BORN)


def _days(found: list[re.Match[str]], of: int) -> bool:
    """Whether so many are days of all the year and of a generation: digits that all begin alike are days, too."""
    if len(found) < MOST * of or min(len({one[part] for one in found}) for part in ("day", "month")) < FEW / 2:
        return False
    return _span({int(one["year"]) for one in found}) >= YEARS


def _span(years: set[int]) -> int:
    """Years of two digits as a circle: how long the shortest stretch that has them all is.

    >>> _span({98, 2, 15}), _span({45, 99, 6})
    (17, 46)
    """
    order = sorted(years)
    return 100 - max(b - a for a, b in zip(order, [*order[1:], order[0] + 100], strict=True))


# How a number is written -> (country, number as python-stdnum names them): those with check digits or a date inside.
_NATIONAL: dict[str, tuple[tuple[str, str], ...]] = {
    r"\d{3}-\d{2}-\d{4}": (("us", "ssn"),),
    r"\d{3}\.\d{3}\.\d{3}-\d{2}": (("br", "cpf"),),
    r"\d{8}-?[A-Z]|[XYZ]-?\d{7}-?[A-Z]": (("es", "dni"), ("es", "nie")),
    r"[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]": (("it", "codicefiscale"),),
    r"[12] ?\d{2} ?\d{2} ?\d[\dAB] ?\d{3} ?\d{3} ?\d{2}": (("fr", "nir"),),
    r"(?:\d{2})?\d{6}[-+]\d{4}": (("se", "personnummer"), ("dk", "cpr")),
    r"\d{6}[-+A-F]\d{3}[\dA-Z]": (("fi", "hetu"),),
    r"\d{6}/\d{3,4}": (("cz", "rc"),),
    r"\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}": (("be", "nn"),),
    r"\d{1,2}\.?\d{3}\.?\d{3}-[\dkK]": (("cl", "rut"),),
    r"[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z\d]\d": (("mx", "curp"),),
    r"\d{6}-[1-8]\d{6}": (("kr", "rrn"),),
    r"\d{17}[\dX]": (("cn", "ric"),),
    r"\d{4} \d{4} \d{4}": (("in_", "aadhaar"),),
    r"[A-Z]{5}\d{4}[A-Z]": (("in_", "pan"),),
    r"\d{11}": (
        ("br", "cpf"),
        ("pl", "pesel"),
        ("no", "fodselsnummer"),
        ("tr", "tckimlik"),
        ("hr", "oib"),
        ("ee", "ik"),
    ),
    r"\d{13}": (("za", "idnr"), ("ro", "cnp"), ("kr", "rrn")),
}
_LAYOUTS = tuple((re.compile(layout), numbers) for layout, numbers in _NATIONAL.items())
_BRITISH = r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?: ?\d{2}){3} ?[A-D]?|ZZ ?\d{2} ?\d{2} ?\d{2} ?T?"


@lru_cache(maxsize=4096)
def _is_national_id(text: str) -> bool:
    """A number with the layout and check digits of some country's citizens."""
    if re.fullmatch(_BRITISH, text):
        return True
    for layout, numbers in _LAYOUTS:
        if layout.fullmatch(text):
            modules = (get_cc_module(country, number) for country, number in numbers)
            if any(module is not None and _valid(module, text) for module in modules):
                return True
    return False


def _valid(module: Any, text: str) -> bool:
    """What python-stdnum says; of a Chinese district without a county it raises (2.1)."""
    try:
        return bool(module.is_valid(text))
    except KeyError:
        return False


def _is_bare_id(text: str) -> bool:
    """Nine digits and more, or days of birth and appointment of Indonesian civil servants (NIP); trusted only where the
    column's name says so."""
    if re.fullmatch(r"(?:19|20)\d{6} ?(?:19|20)\d{4} ?[12] ?\d{3}", text):
        return True
    if not re.fullmatch(r"\d{9,13}", text):
        return False
    return (len(text) == 9 and text[0] != "9") or _is_national_id(text) or luhn.is_valid(text)


def _any_identity(text: str) -> bool:
    """Digits with few letters; trusted only where the column's name leaves no doubt."""
    return bool(re.fullmatch(r"[A-Z0-9][A-Z0-9 ./-]{4,22}", text.upper())) and sum(c.isdigit() for c in text) >= 5


VALIDATORS = {
    "phone": _is_phone,
    "calling_code": _is_calling_code,
    "dialled": _is_dialled,
    "numbered": _are_numbered,
    "address": _is_address,
    "loose_address": _loose_address,
    "street_name": _is_street_name,
    "plain_postcode": _is_plain_postcode,
    "postcodes": _are_postcodes,
    "streets": _are_streets,
    "numbers_to_call": _are_numbers_to_call,
    "run_on": _run_on,
    "born_inside": _born_inside,
    "any_identity": _any_identity,
    "national_id": _is_national_id,
    "bare_national_id": _is_bare_id,
}
