"""The kinds of columns that are generated: of every known domain and of none, with the names that people give them."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.tagging.draws import (
    LOCALES,
    ROWS,
    Draw,
    Kind,
    _authors,
    _card,
    _choice,
    _date,
    _degrees,
    _digits,
    _dotted,
    _method,
    _of_domain,
    _point,
    _wrong,
)
from catalog.domains.known import KNOWN

#: Names a person might give to a column of a domain, for those where it matters.
NAMES: dict[str, tuple[str, ...]] = {
    "email": ("email", "e_mail", "contact_email"),
    "phone": ("phone", "tel", "mobile_number"),
    "person_name": ("full_name", "customer", "name"),
    "first_name": ("first_name", "given_name"),
    "last_name": ("last_name", "surname"),
    "username": ("user_name", "login"),
    "gender": ("gender", "sex"),
    "birth_date": ("birth_date", "dob", "date_of_birth"),
    "age_band": ("age_group", "age_band"),
    "street_address": ("address", "street"),
    "postcode": ("postcode", "zip_code", "postal_code"),
    "national_id": ("ssn", "national_id"),
    "country_name": ("country",),
    "city": ("city", "town"),
    "latitude": ("latitude", "lat"),
    "longitude": ("longitude", "lng"),
    "hostname": ("hostname", "computer_name"),
    "http_status": ("http_status", "status_code"),
    "unix_timestamp": ("timestamp", "created_ts", "epoch"),
    "airport_iata": ("airport_code", "iata"),
    "airport_icao": ("icao", "icao_code"),
    "stock_ticker": ("ticker", "symbol"),
    "product_code": ("product_code", "sku", "part_no"),
    "ratio_score": ("score", "result"),
    "password": ("password", "pwd"),
    "card_security_code": ("cvv", "cvc"),
    "card_expiry": ("card_expiry", "card_exp"),
    "passport_number": ("passport_no", "passport_number"),
    "port": ("port", "src_port"),
    "slug": ("slug", "permalink"),
    "geohash": ("geohash",),
    "continent_code": ("continent_code",),
    "un_locode": ("un_locode", "port_code"),
    "company_number": ("company_number", "registration_number"),
    "routing_number": ("routing_number", "aba"),
    "bank_account": ("bank_account", "account_number"),
    "sort_code": ("sort_code",),
    "hs_code": ("hs_code", "tariff"),
    "drug_code": ("ndc", "ndc_code"),
    "medical_record": ("mrn", "patient_id"),
    "fraction": ("fraction", "proportion"),
    "container_image": ("image", "container_image"),
    "vehicle_plate": ("licence_plate", "number_plate"),
    "driving_licence": ("driving_licence_no",),
    "iban": ("iban",),
    "company_name": ("company", "supplier"),
}
#: What Faker draws in a locale.
FAKED: dict[str, Draw] = {
    "person_name": _method("name"),
    "first_name": _method("first_name"),
    "last_name": _method("last_name"),
    "email": _method("email"),
    "phone": _method("phone_number"),
    "username": _method("user_name"),
    "city": _method("city"),
    "country_name": _method("country"),
    "postcode": _method("postcode"),
    "street_address": _method("street_address"),
    "company_name": _method("company"),
    "job_title": _method("job"),
    "ipv4": _method("ipv4"),
    "ipv6": _method("ipv6"),
    "mac_address": _method("mac_address"),
    "url": _method("url"),
    "domain_name": _method("domain_name"),
    "uuid": _method("uuid4"),
    "md5": _method("md5"),
    "sha1": _method("sha1"),
    "sha256": _method("sha256"),
    "hex_color": _method("hex_color"),
    "file_path": _method("file_path", depth=3),
    "file_name": _method("file_name"),
    "mime_type": _method("mime_type"),
    "user_agent": _method("user_agent"),
    "date": _date("%Y-%m-%d"),
    "datetime": _date("%Y-%m-%dT%H:%M:%SZ"),
    "time": _date("%H:%M:%S"),
    "month": _date("%B"),
    "weekday": _date("%A"),
    "year": _date("%Y"),
    "year_month": _date("%Y-%m"),
    "birth_date": _date("%Y-%m-%d"),
    "unix_timestamp": _date("%s"),
    "currency_code": _method("currency_code"),
    "currency_name": _method("currency_name"),
    "iban": _method("iban"),
    "bic": _method("swift"),
    "isbn": _method("isbn13"),
    "barcode": _method("ean13"),
    "card_number": _card,
    "card_expiry": _method("credit_card_expire"),
    "card_security_code": _method("credit_card_security_code"),
    "card_brand": _method("credit_card_provider"),
    "language_name": _method("language_name"),
    "language_code": _method("language_code"),
    "locale": _method("locale"),
    "timezone": _method("timezone"),
    "color_name": _method("safe_color_name"),
    "vin": _method("vin"),
    "latitude": _degrees(89),
    "longitude": _degrees(179),
    "geo_point": _point,
    "version": _dotted,
    "slug": _method("slug"),
    "hostname": _method("hostname"),
    "password": _method("password"),
    "free_text": _method("paragraph"),
    "company": _method("company"),
    "boolean": _choice("yes|no"),
    "gender": _choice("male|female"),
    "region": _method("administrative_unit"),
    "salutation": _method("prefix"),
    "emoji": _method("emoji"),
    "file_extension": _method("file_extension"),
    "json": lambda fake, rng: f'{{"id": {rng.randint(1, 999)}, "name": "{fake.word()}"}}',
    "base64": lambda fake, rng: __import__("base64").b64encode(rng.randbytes(24)).decode(),
    "rgb_color": lambda fake, rng: f"rgb({rng.randint(0, 255)},{rng.randint(0, 255)},{rng.randint(0, 255)})",
    "age_band": _choice("0-17|18-24|25-34|35-44|45-54|55-64|65+"),
    "integer": lambda f, rng: str(rng.randint(0, 5000)),
    "decimal": lambda fake, rng: f"{rng.uniform(0, 900):.2f}",
    "percentage": lambda fake, rng: f"{rng.uniform(0, 99):.1f}%",
    "money": lambda fake, rng: f"${rng.uniform(1, 9999):,.2f}",
    "year_range": lambda f, r: f"{(y := r.randint(1900, 2015))}-{y + r.randint(1, 9)}",
    "number_range": lambda f, r: f"{(a := r.randint(0, 90) * 10)}-{a + 9 + 10 * r.randint(0, 20)}",
    "duration": lambda f, r: f"{r.randint(1, 23)}h {r.randint(1, 59)}m",
    "http_status": _choice("200|201|301|302|304|400|401|403|404|500|502|503"),
    "measurement": lambda f, r: f"{r.uniform(1, 300):.1f} {r.choice(['cm', 'kg', 'mm'])}",
    "ratio_score": lambda f, r: f"{r.randint(0, 6)}-{r.randint(0, 6)}",
    "port": _choice("22|25|53|80|110|143|443|3306|5432|6379|8080|8443|9092|49152|51344"),
    "airport_iata": _choice("LIS|JFK|NRT|CDG|FRA|AMS|MAD|BCN|LHR|MUC|ZRH|VIE|CPH|OSL|ARN"),
    "airport_icao": _choice("LPPT|KJFK|RJAA|LFPG|EDDF|EHAM|LEMD|EGLL|EDDM|LSZH"),
    "stock_ticker": _choice("AAPL|MSFT|GOOG|AMZN|META|TSLA|NVDA|JPM|V|WMT|UNH|XOM|MA|PG|HD"),
    "xml": lambda fake, rng: f"<item><id>{rng.randint(1, 999)}</id></item>",
    "un_locode": _choice("DEHAM|NLRTM|USNYC|CNSHA|SGSIN|BEANR|GBFXT"),
}
ONE_LANGUAGE = ("en_US",)
LOCAL = frozenset(
    "person_name first_name last_name phone city country_name postcode street_address company_name iban month weekday "
    "job_title region salutation currency_name language_name email username color_name company free_text gender".split()
)
FEW = {
    "boolean": 2,
    "gender": 2,
    "age_band": 7,
    "continent": 7,
    "season": 4,
    "quarter": 8,
    "log_level": 6,
    "http_method": 7,
}
#: Without a word list, regex or Faker that makes honest ones.
WITHOUT = frozenset({"admin_area_code", "jwt", "private_key", "data_uri", "sql_statement", "wkt_geometry", "user_name"})
CONFUSED: dict[str, tuple[str, ...]] = {
    "region": ("us_state_name", "city"),
    "us_state_name": ("region",),
    "country_code2": ("us_state_code", "admin_area_code"),
    "us_state_code": ("admin_area_code", "country_code2"),
    "hostname": ("domain_name",),
    "country_name": (),
    "card_expiry": ("year_month",),
    "birth_date": ("date",),
    "job_title": ("title", "category"),
    "language_code": ("locale",),
}


def _known() -> Iterator[Kind]:
    for name, domain in KNOWN.items():
        if name in WITHOUT:
            continue
        made = FAKED.get(name) or _of_domain(domain)
        locales = (
            LOCALES
            if name in LOCAL
            else (LOCALES[sum(map(ord, name)) % len(LOCALES)], LOCALES[sum(map(ord, name)) * 7 % len(LOCALES)])
        )
        yield Kind(
            name,
            name,
            made,
            NAMES.get(name, (name,)),
            CONFUSED.get(name, ()),
            locales,
            FEW.get(name, ROWS),
            domain.needs_name,
        )


NATIONAL = {
    "en_US": "ssn",
    "en_GB": "ssn",
    "pt_BR": "cpf",
    "es_ES": "nif",
    "it_IT": "ssn",
    "pl_PL": "pesel",
    "fr_FR": "ssn",
}


def _more() -> Iterator[Kind]:
    """Other ways to write what is known, and what no domain is."""
    identity = ("national_id",)
    for locale, method in NATIONAL.items():
        yield Kind(f"national_id {locale}", "national_id", _method(method), ("national_id", "ssn"), (), (locale,))
    yield Kind("cnpj formatted", "cnpj", _method("cnpj"), ("cnpj",), (), ("pt_BR",))
    yield Kind("siren spaced", "siren", _method("siren"), ("siren",), ("company_number",), ("fr_FR",))
    yield Kind("siret spaced", "siret", _method("siret"), ("siret",), ("company_number",), ("fr_FR",))
    yield Kind("french vat spaced", "vat_number", _method("vat_id"), ("vat",), (), ("fr_FR",))
    yield Kind(
        "plates",
        "vehicle_plate",
        _method("license_plate"),
        ("licence_plate",),
        ("opaque_id", "code"),
        ("en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "nl_NL", "pl_PL", "pt_BR"),
    )
    yield Kind("postcodes of Japan", "postcode", _method("postcode"), ("col",), (), ("ja_JP",))
    yield Kind("lists of authors", "person_name", _authors, ("authors",), (), LOCALES[:9])
    yield Kind("dates, day first", "date", _date("%d/%m/%Y"), ("date",), (), ("de_DE", "fr_FR"))
    yield Kind("dates with dots", "date", _date("%d.%m.%Y"), ("datum",), (), ("de_DE", "pl_PL"))
    yield Kind("dates in words", "date", _date("%d %b %Y"), ("date",), (), ("en_US", "en_GB"))
    yield Kind("clock", "datetime", _date("%m/%d/%Y %I:%M %p"), ("when",), (), ("en_US",))
    yield Kind("imei", "imei", _of_domain(KNOWN["imei"]), ("imei",), identity, ("en_US", "de_DE"), needs_name=True)
    opaque, code = ("code", "product_code", "other"), ("opaque_id", "category", "code", "product_code", "other")
    yield Kind("order numbers", "opaque_id", _digits("SO#####"), ("order_no", "ref"), opaque)
    yield Kind("invoice numbers", "opaque_id", _digits("INV-2024-#####"), ("invoice",), opaque)
    yield Kind("ticket numbers", "opaque_id", _digits("??-####-##"), ("ticket",), opaque, LOCALES[:5])
    yield Kind("parcels", "opaque_id", _digits("1Z###?##########"), ("tracking",), opaque, LOCALES[:3])
    yield Kind(
        "bad cards", "opaque_id", _wrong(_card, "card_number"), ("number",), ("integer", "code", "barcode"), LOCALES[:4]
    )
    yield Kind(
        "bad ibans",
        "opaque_id",
        _wrong(_method("iban"), "iban"),
        ("reference",),
        opaque,
        ("de_DE", "en_GB", "fr_FR", "pl_PL"),
    )
    yield Kind(
        "bad barcodes", "opaque_id", _wrong(_method("ean13"), "barcode"), ("number",), ("integer", "code"), LOCALES[:3]
    )
    yield Kind("nine digits", "integer", _digits("1########"), ("number",), ("opaque_id", "code"), LOCALES[:5])
    yield Kind(
        "ten digits",
        "integer",
        _digits("7#########"),
        ("number",),
        ("opaque_id", "code", "unix_timestamp"),
        LOCALES[:5],
    )
    yield Kind("packed times", "datetime", _date("%Y%m%d%H%M%S"), ("when",), ("opaque_id",), LOCALES[:3])
    yield Kind("grades", "category", _choice("A+|A|A-|B+|B|B-|C+|C|D|F"), ("grade",), code, LOCALES[:3], 10)
    yield Kind("sizes", "category", _choice("S|M|L|XL|XXL|XS"), ("size",), code, LOCALES[:3], 6)
    yield Kind(
        "statuses",
        "category",
        _choice("open|closed|pending|cancelled|shipped|returned"),
        ("status",),
        code,
        LOCALES[:3],
        6,
    )
    yield Kind("letters", "code", _digits("??"), ("col", "kind"), code, LOCALES[:4])
    yield Kind("three letters", "code", _digits("???"), ("col", "kind"), code, LOCALES[:4])
    yield Kind("five letters", "code", _digits("?????"), ("col", "kind"), code, LOCALES[:4])
    yield Kind("shelves", "code", _digits("?#-##"), ("shelf", "bin"), code, LOCALES[:4])
    yield Kind("sentences", "free_text", _method("sentence", nb_words=12), ("comment", "note"), ("title",), LOCALES[:9])
    yield Kind("paragraphs", "free_text", _method("paragraph"), ("description",), (), LOCALES[:9])
    yield Kind(
        "streets without number",
        "title",
        _method("street_name"),
        ("street",),
        ("street_address", "category", "other", "person_name"),
        ("en_US", "de_DE", "fr_FR", "it_IT", "nl_NL"),
    )
    yield Kind(
        "slogans",
        "title",
        _method("catch_phrase"),
        ("headline",),
        ("free_text", "category"),
        ("en_US", "fr_FR", "es_ES", "it_IT"),
    )
    yield Kind(
        "products",
        "title",
        lambda f, r: (
            f"{f.color_name()} {r.choice(['Bike', 'Helmet', 'Road Tyre', 'Jersey', 'Lamp'])} {r.randint(10, 90)}"
        ),
        ("product",),
        ("category", "free_text"),
        ("en_US",),
    )
    yield Kind(
        "songs",
        "title",
        lambda f, r: " ".join(w.capitalize() for w in f.words(r.randint(2, 4))),
        ("song",),
        ("category",),
        ("en_US", "en_GB", "de_DE", "fr_FR"),
    )
    yield Kind(
        "animals",
        "category",
        _choice("cat|dog|horse|rabbit|hamster|parrot|goldfish|turtle"),
        ("animal",),
        ("title",),
        LOCALES[:2],
        8,
    )
    yield Kind(
        "months as numbers",
        "integer",
        _choice("1|2|3|4|5|6|7|8|9|10|11|12"),
        ("month_no",),
        ("month", "code"),
        LOCALES[:2],
        12,
    )
    yield Kind("thousands", "integer", lambda f, r: f"{r.randint(1000, 9_000_000):,}", ("visitors",), (), LOCALES[:3])
    yield Kind(
        "key value",
        "other",
        lambda f, r: f"size={r.randint(1, 9)};colour={f.safe_color_name()}",
        ("attributes",),
        (),
        LOCALES[:2],
    )


GENERATED: tuple[Kind, ...] = (*_known(), *_more())
