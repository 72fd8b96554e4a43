"""Validators of money, trade and organisations."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stdnum import bic, ean, isbn, luhn

from catalog.domains.lexicon import fold, words
from catalog.domains.validators.text import FLAGS
from catalog.domains.written import FORMS

#: How prices name their currency in words and shortened.
_CURRENCY = re.compile(
    r"(?<![^\W\d_])(?:[Rr]s|Rp|[Kk]r|Kč|Sk|zł|Ft|[Ll]ei|[Ll]eva|лв|руб(?:лей|ля|ль)?|грн|гривен\w*|тенге|сум|сом|ден|дин\w*|"
    r"TL|тг|dollars?|euros?|dirhams?|ريال|درهم|جنيه|دينار|ليرة|تومان|บาท|টাকা|元|円|원|đồng|VNĐ)\.?(?![^\W\d_])|[元円원]|[\d.]đ$"
)


def _is_money(text: str) -> bool:
    if _CURRENCY.search(text):
        return True
    code = re.search(r"[A-Z]{3}", text)
    return bool(re.search(r"[^\w\s.,()/+-]", text)) or (code is not None and code[0] in words("currency_codes"))


_CARDS = (
    r"4\d{12}(?:\d{3})?(?:\d{3})?|5[1-5]\d{14}|2(?:2[2-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|"
    r"6(?:011|5\d\d|4[4-9]\d)\d{12}"
    r"|3(?:0[0-5]|[68]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}|(?:50|5[6-9]|6[0-9])\d{10,17}"
)


def is_card(text: str) -> bool:
    """A payment card: an issuer's prefix and length, grouped as cards are, and the Luhn check digit.

    >>> is_card("4111 1111 1111 1111"), is_card("4111 1111 1111 1112"), is_card("2024010112345674")
    (True, False, False)
    """
    digits = re.sub(r"[ -]", "", text)
    return bool(re.fullmatch(_CARDS, digits)) and len(set(digits)) > 1 and luhn.is_valid(digits)


def is_card_expiry(text: str) -> bool:
    """The month and year to which a card is valid, or one of the two.

    >>> [is_card_expiry(text) for text in ("04/27", "2027-04", "Nov-22", "12", "2031", "13/27", "2024-04-17", "1999")]
    [True, True, True, True, True, False, False, False]
    """
    if re.fullmatch(r"0?[1-9]|1[0-2]|20[0-9]\d", text):
        return True
    if re.fullmatch(r"(?i)(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}[ /.-]?(?:20)?\d\d", text):
        return True
    found = re.fullmatch(r"(\d{1,2}) ?[/.-]? ?(?:20)?(\d\d)|(?:20)?(\d\d)[/.-](\d\d)", text)
    return found is not None and 1 <= int(found[1] or found[4]) <= 12


def _is_isbn(text: str) -> bool:
    """Its ten digits have the check digit of British patients' numbers too, which are written in three groups."""
    digits = re.sub(r"[\s-]", "", text)
    return len(digits) in (10, 13) and len(text) - len(digits) != 2 and isbn.is_valid(text)


def _is_shaped_isbn(text: str) -> bool:
    """Of a book by its form, whatever its last digit; trusted only where the column's name leaves no doubt."""
    return bool(re.fullmatch(r"97[89]\d{10}|\d{9}[\dXx]", re.sub(r"[\s-]", "", text)))


def _is_barcode(text: str) -> bool:
    return len(set(text)) > 2 and ean.is_valid(text)


_CORPORATE = re.compile(
    r"(?i)\b(?:inc|llc|llp|ltd|limited|plc|corp|corporation|gmbh|ag|kg|kgaa|e\.?v|stiftung|verein|eirl|eireli|epp|ehf|s\.?a\.?s?|s\.?r\.?l|b\.?v|n\.?v|"
    r"oyj?|a/?s|pty|co|company|companies|group|holdings?|"
    r"bank|stores?|shop|industries|partners|associates|association|associations|enterprises?|services|"
    r"solutions|systems|technologies|university|college|"
    r"institute|hospital|clinic|school|council|foundation|agency|airlines?|airways|aviation|motors|"
    r"insurance|& sons|sons|supply|supplies|works|"
    r"manufacturing|manufacturers|media|studios?|records|press|club|laborator\w+|medical group|"
    r"physicians|retail\w*|cycles|bicycles?|bikes?|toys|sports|credit union)\b\.?"
)


_LEGAL = re.compile(
    r"(?i)(?:\b(?:inc|llc|ltd|gmbh|corp|plc|sarl|sas|srl|spa|ltda|kft|gbr|ohg|oy|ab|asa?|aps|b\.?v|s/a|e\.v|kgaa|eireli)\.?"
    r"|[ ,](?:- (?:me|ei|epp)|s\.c\.|s\.j\.|sp\. ?[kjz]\.|s\.k\.a\.)"
    r"|[ ,](?:s\.a\.?(?:[a-z]\.?)?|s\.l\.?(?:[a-z]\.?)*|s\.r\.l\.?|s\.p\.a\.?|s\.coop\.?|s\.n\.c\.?|sp\. z o\.o\.)"
    r"|[ ,](?:spol\. s )?(?:s\. ?r\. ?o\.?|v\. ?o\. ?s\.|k\. ?s\.|a\. ?[sş]\.|d\.o\.o\.?|d\.d\.|o\.y\.|ltd\. [sş]ti\.?)"
    r"|\b(?:zrt|nyrt|bt|kkt|oü|uab|sia|eood|ood|ead|оод|еоод|ад|тов|ооо|зат|tbk|m\.?b\.?h|pjsc|ojsc)\.?|公司|会社|集[团團]|\(주\)"
    r"|\b(?:e figli|y asociados|et fils|en zonen|& zn|hijos|hermanos|und söhne|e hijos))$"
)
_FOREIGN = (
    *("株式会社", "有限会社", "合同会社", "(주)", "㈜", "ООО ", "ЗАО ", "ОАО ", "ПАО ", "ИП ", "ТОВ ", "ПАТ ", "ПрАТ "),
    *("ТзОВ ", "PT ", "PT. ", "CV ", "CV. ", "UD ", "UAB ", "SIA ", "Cty ", "Công ty ", "Tập đoàn ", "Cửa hàng "),
)
_PARTNERS = re.compile(r"[^\W\d_]\w+, [^\W\d_]\w+ (?:and|&|und|et|y|e) [^\W\d_]\w+")


def are_firms(texts: Sequence[str]) -> bool:
    """Whether each of two texts and more names its legal form.

    >>> are_firms(["Alpen Technik AG", "Léman Conseil SA"]), are_firms(["Alpen Technik AG"]), are_firms(["A", "B"])
    (True, False, False)
    """
    formed = (text.split()[-1] in FORMS or (_is_company(text) and _LEGAL.search(text)) for text in texts)
    return len(texts) > 1 and all(" " in text for text in texts) and all(formed)


def _is_company(text: str) -> bool:
    """Up to nine words with one that only organisations carry; a sentence or a list of key=value pairs is none."""
    count = len(text.split())
    if "=" in text or len(text) > 90 or count > 9 or text[-1].isdigit():
        return False  # what ends in a number is an article or a branch
    if text.startswith(_FOREIGN) or _PARTNERS.fullmatch(text):
        return True
    if count < 2 or text.endswith(("?", "!")):
        return False
    return bool(_LEGAL.search(text)) or (bool(_CORPORATE.search(text)) and not text.endswith("."))


ABBREVIATED = 4  # chosen: capitals that are rather a code of a list than how firms are called


def _abbreviated(text: str) -> bool:
    return text.isascii() and text.isupper() and len(text) <= ABBREVIATED


def _loose_company(text: str) -> bool:
    """A name in a few words; trusted only where the column's name says so and some are known to be organisations."""
    if _abbreviated(text) or text[0].islower() or fold(text) in FLAGS or not any(char.isalpha() for char in text):
        return False
    return 2 <= len(text) <= 90 and len(text.split()) <= 10 and not re.search(r"[=@{}<>|]", text)


def _any_company(text: str) -> bool:
    """Anything a firm may be called, in any case and script, no abbreviation; trusted only where the column's name
    leaves no doubt."""
    letters = sum(char.isalpha() for char in text)
    if _abbreviated(text) or fold(text) in FLAGS or letters < 2 or letters < 0.5 * len(text):
        return False
    return len(text) <= 90 and not re.search(r"[=@{}<>|;]|://", text)


def _some_companies(values: set[str]) -> bool:
    return sum(map(_is_company, values)) >= 0.12 * len(values)


def _is_bic(text: str) -> bool:
    return bic.is_valid(text) and text[4:6] in words("country_codes2")


def _is_titled_isbn(text: str) -> bool:
    return _is_isbn(re.sub(r"(?i)^isbn(?:-1[03])?:? ?", "", text))


_VAT = re.compile(
    r"ATU\d{8}|BE ?[01]?\d{3}\.?\d{3}\.?\d{3}|BG\d{9,10}|CY\d{8}[A-Z]|CZ\d{8,10}|DE ?\d{9}|DK ?(?:\d{2} ?){4}|EE\d{9}"
    r"|(?:EL|GR)\d{9}|ES ?[A-Z0-9]\d{7}[A-Z0-9]|FI\d{8}|FR ?[A-HJ-NP-Z0-9]{2} ?\d{3} ?\d{3} ?\d{3}|HR\d{11}|HU\d{8}"
    r"|IE\d[A-Z0-9+*]\d{5}[A-Z]{1,2}|IT ?\d{11}|LT(?:\d{9}|\d{12})|LU\d{8}|LV\d{11}|MT\d{8}|NL ?\d{9}B\d{2}"
    r"|PL ?\d{10}|PT ?\d{9}|RO\d{2,10}|SE\d{12}|SI\d{8}|SK\d{10}|(?:GB|XI) ?\d{3} ?\d{4} ?\d{2}(?: ?\d{3})?"
    r"|CHE-?\d{3}\.?\d{3}\.?\d{3}(?: ?(?:MWST|TVA|IVA))?"
)


def _is_vat(text: str) -> bool:
    """The country's prefix and form; digits are wrong in real registers more often than others look like them."""
    return bool(_VAT.fullmatch(text.upper()))


VALIDATORS = {
    "vat": _is_vat,
    "money": _is_money,
    "card": is_card,
    "card_expiry": is_card_expiry,
    "isbn": _is_titled_isbn,
    "barcode": _is_barcode,
    "shaped_isbn": _is_shaped_isbn,
    "company": _is_company,
    "any_company": _any_company,
    "loose_company": _loose_company,
    "some_companies": _some_companies,
    "bic": _is_bic,
}
