"""Validators of money, trade and organisations."""

from __future__ import annotations

import re

from stdnum import bic, ean, isbn, luhn

from catalog.domains.lexicon import words


def _is_money(text: str) -> bool:
    code = re.search(r"[A-Z]{3}", text)
    return bool(re.search(r"[^\w\s.,()/-]", text)) or (code is not None and code[0] in words("currency_codes"))


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

    >>> [is_card_expiry(text) for text in ("04/27", "2027-04", "0427", "12", "2031", "13/27", "2024-04-17", "1999")]
    [True, True, True, True, True, False, False, False]
    """
    if re.fullmatch(r"0?[1-9]|1[0-2]|20[0-9]\d", text):
        return True
    found = re.fullmatch(r"(\d{1,2}) ?[/.-]? ?(?:20)?(\d\d)|(?:20)?(\d\d)[/.-](\d\d)", text)
    return found is not None and 1 <= int(found[1] or found[4]) <= 12


def _is_isbn(text: str) -> bool:
    """Its ten digits have the check digit of British patients' numbers too, which are written in three groups."""
    digits = re.sub(r"[\s-]", "", text)
    return len(digits) in (10, 13) and len(text) - len(digits) != 2 and isbn.is_valid(text)


def _is_barcode(text: str) -> bool:
    return len(set(text)) > 2 and ean.is_valid(text)


_CORPORATE = re.compile(
    r"(?i)\b(?:inc|llc|llp|ltd|limited|plc|corp|corporation|gmbh|ag|kg|s\.?a\.?s?|s\.?r\.?l|b\.?v|n\.?v|"
    r"oyj?|a/?s|pty|co|company|companies|group|holdings?|"
    r"bank|stores?|shop|industries|partners|associates|association|associations|enterprises?|services|"
    r"solutions|systems|technologies|university|college|"
    r"institute|hospital|clinic|school|council|foundation|agency|airlines?|airways|aviation|motors|"
    r"insurance|& sons|sons|supply|supplies|works|"
    r"manufacturing|manufacturers|media|studios?|records|press|club|laborator\w+|medical group|"
    r"physicians|retail\w*|cycles|bicycles?|bikes?|toys|sports|credit union)\b\.?"
)


_LEGAL = re.compile(
    r"(?i)(?:\b(?:inc|llc|ltd|gmbh|corp|plc|sarl|sas|srl|spa|ltda|kft|gbr|ohg|oy|ab|asa?|aps|b\.?v)\.?"
    r"|[ ,](?:s\.a\.?(?:[a-z]\.?)?|s\.l\.?(?:[a-z]\.?)*|s\.r\.l\.?|s\.p\.a\.?|s\.coop\.?|s\.n\.c\.?|sp\. z o\.o\.)"
    r"|\b(?:e figli|y asociados|et fils|en zonen|& zn|hijos|hermanos|und söhne|e hijos))$"
)
_FOREIGN = ("株式会社", "有限会社", "合同会社", "ООО ", "ЗАО ", "ОАО ", "ИП ")
_PARTNERS = re.compile(r"[^\W\d_]\w+, [^\W\d_]\w+ (?:and|&|und|et|y|e) [^\W\d_]\w+")


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


def _is_bic(text: str) -> bool:
    return bic.is_valid(text) and text[4:6] in words("country_codes2")


def _is_titled_isbn(text: str) -> bool:
    return _is_isbn(re.sub(r"(?i)^isbn(?:-1[03])?:? ?", "", text))


VALIDATORS = {
    "money": _is_money,
    "card": is_card,
    "card_expiry": is_card_expiry,
    "isbn": _is_titled_isbn,
    "barcode": _is_barcode,
    "company": _is_company,
    "bic": _is_bic,
}
