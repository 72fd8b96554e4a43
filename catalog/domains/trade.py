"""Domains of money, trade and organisations."""

from __future__ import annotations

import re

from stdnum import bic, ean, iban, imei, isbn, isin, ismn, issn, lei, luhn
from stdnum.eu import vat

from catalog.domains import lexicon
from catalog.domains.domain import Domain

NUMERIC = frozenset({"string", "number"})

_MONEY = (
    r"\(?-?(?:US|CA|AU|NZ|HK|R|C|"
    r"A)?[$€£¥₹₽₩₺₫₪฿]\s?-?\d{1,3}(?:[,. ]\d{3})*(?:[.,]\d{1,4})?\)?\s?(?:[kKmMbB]n?|million|billion|"
    r"/\w+)?"
    r"|-?(?:US|CA|AU|NZ|HK)?[$€£¥₹]\s?\d+(?:[.,]\d+)?|\d[\d,. ]*\s?(?:[€£$¥₹]|[A-Z]{3})|[A-Z]{3}\s?\d[\d,.]*"
)


def _is_money(text: str) -> bool:
    code = re.search(r"[A-Z]{3}", text)
    return bool(re.search(r"[^\w\s.,()/-]", text)) or (code is not None and code[0] in lexicon.currency_codes())


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
    return len(re.sub(r"[\s-]", "", text)) in (10, 13) and isbn.is_valid(text)


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


MONEY = (
    Domain(
        "currency_code",
        "Currency code (ISO 4217)",
        ("EUR", "USD", "JPY"),
        r"[A-Z]{3}",
        check=lambda text: text in lexicon.currency_codes(),
        chance=0.02,
        hit=0.95,
        floor=0.85,
        distinct=3,
        names="currency|ccy|cur|curr|iso ?4217|currency ?code",
        against="country|airport|team",
    ),
    Domain(
        "money",
        "Amount of money",
        ("$1,250.00", "€ 99", "12.50 USD"),
        _MONEY,
        check=_is_money,
        chance=0.001,
        hit=0.9,
        floor=0.6,
        distinct=2,
        names="price|amount|salary|salaries|cost|revenue|fee|pay|total|value|budget",
    ),
    Domain(
        "percentage",
        "Percentage",
        ("25%", "3.5 %", "-0.2%"),
        r"[<>~]?\s?[+-]?\d+(?:[.,]\d+)?\s?%",
        chance=0.001,
        floor=0.8,
        names="percent|pct|rate|share|percents|percentage",
    ),
    Domain(
        "iban",
        "Bank account (IBAN)",
        ("GB82 WEST 1234 5698 7654 32", "DE89370400440532013000", "FR1420041010050500013M02606"),
        r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}",
        check=iban.is_valid,
        chance=1e-6,
        floor=0.6,
        sensitive=True,
        names="iban|account|bank",
    ),
    Domain(
        "bic",
        "Bank code (BIC/SWIFT)",
        ("DEUTDEFF", "BNPAFRPPXXX", "CHASUS33", "INGBNL2A", "UBSWCHZH80A", "CITIUS33", "BARCGB22", "HSBCHKHH"),
        r"[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?",
        check=lambda text: bic.is_valid(text) and text[4:6] in lexicon.country_codes2(),
        chance=0.3,
        floor=0.97,
        distinct=8,
        names="bic|swift|bank",
    ),
    Domain(
        "card_number",
        "Payment card number",
        ("4111 1111 1111 1111", "5555555555554444", "3782-822463-10005"),
        r"\d{4}(?:[ -]?\d{4}){2,3}(?:[ -]?\d{1,3})?|\d{4}[ -]?\d{6}[ -]?\d{4,5}|\d{12,19}",
        check=is_card,
        chance=0.002,
        floor=0.6,
        distinct=2,
        sensitive=True,
        names="card|credit ?card|cc|pan|card ?number|ccnum|cc num",
        against="year|date|time",
        kinds=NUMERIC,
    ),
    Domain(
        "card_security_code",
        "Card security code (CVV)",
        ("123", "0457", "908"),
        r"\d{1,4}",  # numbers lost their leading zeros
        chance=0.05,
        needs_name=True,
        distinct=2,
        sensitive=True,
        names="cvv|cvc|csc|cvn|cid code|(?:card )?(?:security|verification|validation) (?:code|value|no|number)",
        against="result|response|match|status|check|present",
        kinds=NUMERIC,
    ),
    Domain(
        "card_expiry",
        "Card expiry",
        ("04/27", "11/2029", "2027-04", "0931"),
        check=is_card_expiry,
        chance=0.02,
        needs_name=True,
        distinct=2,
        sensitive=True,
        names=(
            "expiry|(?:card|cc|credit card|pan) ?(?:exp|expiry|expires|expiration|valid until|valid thru)(?: .*)?|"
            "(?:exp|expiry|expiration) (?:mm ?yy|yymm|month|year|mo|yr|mm yyyy)|valid (?:thru|through|until)"
        ),
        against="product|food|batch|lot|licen[cs]e|passport|contract|offer|token|session|password",
        kinds=NUMERIC,
    ),
    Domain(
        "vat_number",
        "VAT number (EU)",
        ("DE136695976", "IE6433435F", "FR40303265045"),
        r"[A-Z]{2}[ -]?[A-Z0-9][A-Z0-9 .]{6,12}",
        check=vat.is_valid,
        chance=1e-4,
        floor=0.8,
        distinct=2,
        names="vat|tax|ust",
    ),
    Domain(
        "isin",
        "Security (ISIN)",
        ("US0378331005", "GB0002634946", "DE0007164600"),
        r"[A-Z]{2}[A-Z0-9]{9}\d",
        check=isin.is_valid,
        chance=1e-5,
        names="isin|security",
    ),
    Domain(
        "lei",
        "Legal entity identifier",
        ("213800KUD8LAJWSQ9D15", "5493001KJTIIGC8Y1R12", "7LTWFZYICNSX8D621K86"),
        r"[A-Z0-9]{18}\d{2}",
        check=lei.is_valid,
        chance=1e-4,
        names="lei|entity",
    ),
    Domain(
        "isbn",
        "Book number (ISBN)",
        ("978-1-61779-766-8", "0-306-40615-2", "9783642258343"),
        r"(?i)(?:isbn(?:-1[03])?:? ?)?(?:97[89][ -]?)?\d[\d -]{7,12}[\dX]",
        check=lambda text: _is_isbn(re.sub(r"(?i)^isbn(?:-1[03])?:? ?", "", text)),
        chance=0.002,
        floor=0.8,
        distinct=2,
        names="isbn|isbn ?1[03]|book",
    ),
    Domain(
        "issn",
        "Serial number (ISSN)",
        ("0317-8471", "1050-124X", "2049-3630"),
        r"\d{4}-\d{3}[\dX]",
        check=issn.is_valid,
        chance=1e-3,
        floor=0.8,
        distinct=2,
        names="issn",
    ),
    Domain(
        "ismn",
        "Music number (ISMN)",
        ("979-0-2306-7118-7", "M-2306-7118-7", "9790060115615"),
        r"(?:979-?0|M)[\d -]{8,12}",
        check=ismn.is_valid,
        chance=1e-4,
        names="ismn",
    ),
    Domain(
        "barcode",
        "Barcode (EAN, UPC)",
        ("4006381333931", "73513537", "036000291452", "9780306406157"),
        r"\d{8}|\d{12,14}",
        check=_is_barcode,
        chance=0.02,
        floor=0.95,
        distinct=4,
        names="barcode|ean|upc|gtin",
        against="phone|date|time|ts",
        kinds=NUMERIC,
    ),
    Domain(
        "imei",
        "Device number (IMEI)",
        ("490154203237518", "35-209900-176148-1", "356938035643809"),
        r"[\d-]{15,18}",
        check=imei.is_valid,
        chance=0.1,
        floor=0.95,
        distinct=3,
        needs_name=True,
        names="imei|device",
        sensitive=True,
        kinds=NUMERIC,
    ),
    Domain(
        "doi",
        "Digital object identifier",
        ("10.1000/182", "doi:10.1145/3514221", "10.14778/3407790.3407798"),
        r"(?i)(?:doi:\s?)?10\.\d{4,9}/\S+",
        chance=1e-5,
        names="doi|reference",
    ),
    Domain(
        "orcid",
        "Researcher (ORCID)",
        ("0000-0002-1825-0097", "0000-0001-5109-3700", "0000-0002-1694-233X"),
        r"0000-000[1-9]-\d{4}-\d{3}[\dX]",
        chance=1e-5,
        sensitive=True,
        names="orcid",
    ),
    Domain(
        "stock_ticker",
        "Stock ticker",
        ("AAPL", "MSFT", "BRK.B"),
        r"\^?[A-Z]{1,5}(?:[.-][A-Z]{1,3})?",
        chance=0.5,
        needs_name=True,
        distinct=3,
        names="ticker|symbol|stock",
    ),
    Domain(
        "company_name",
        "Company or organisation",
        ("Trikes, Inc.", "Metropolitan Sports Supply", "Deutsche Bank AG", "University of Oslo"),
        check=_is_company,
        chance=0.015,
        hit=0.55,
        floor=0.28,
        distinct=4,
        names=(
            "company|organisation|organization|org|vendor|supplier|employer|business|firm|airline|school|"
            "institution|bank|org nm|reseller"
        ),
        against="title|product|description|song|first|last",
    ),
    Domain(
        "product_code",
        "Product code",
        ("FR-R92B-58", "HL-U509-R", "BK-M68B-42"),
        r"[A-Z0-9]{1,6}(?:[-/ ][A-Z0-9]{1,8}){0,5}(?: \(\w+\))?",
        chance=0.5,
        needs_name=True,
        distinct=3,
        names=(
            "sku|skus|product ?code|item ?(?:code|nos?|number)|part ?(?:code|nos?|number)|article ?(?:code|"
            "nos?|number)|product ?(?:key|number)"
        ),
    ),
)
