"""The kinds of columns that are generated: of every known domain and of none, with the names that people give them."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.tagging.generated.draws import (
    LOCALES,
    ROWS,
    Draw,
    Kind,
    authors,
    card,
    date_in,
    degrees,
    faked,
    of_domain,
    of_form,
    one_of,
    point,
    release,
    wrong_digit,
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
    "medical_record": ("mrn", "medical_record_no"),
    "fraction": ("fraction", "proportion"),
    "container_image": ("image", "container_image"),
    "vehicle_plate": ("licence_plate", "number_plate"),
    "driving_licence": ("driving_licence_no",),
    "iban": ("iban",),
    "company_name": ("company", "supplier"),
}
#: What Faker draws in a locale.
FAKED: dict[str, Draw] = {
    "person_name": faked("name"),
    "first_name": faked("first_name"),
    "last_name": faked("last_name"),
    "email": faked("email"),
    "phone": faked("phone_number"),
    "username": faked("user_name"),
    "city": faked("city"),
    "country_name": faked("country"),
    "postcode": faked("postcode"),
    "street_address": faked("street_address"),
    "company_name": faked("company"),
    "job_title": faked("job"),
    "ipv4": faked("ipv4"),
    "ipv6": faked("ipv6"),
    "mac_address": faked("mac_address"),
    "url": faked("url"),
    "domain_name": faked("domain_name"),
    "uuid": faked("uuid4"),
    "md5": faked("md5"),
    "sha1": faked("sha1"),
    "sha256": faked("sha256"),
    "hex_color": faked("hex_color"),
    "file_path": faked("file_path", depth=3),
    "file_name": faked("file_name"),
    "mime_type": faked("mime_type"),
    "user_agent": faked("user_agent"),
    "date": date_in("%Y-%m-%d"),
    "datetime": date_in("%Y-%m-%dT%H:%M:%SZ"),
    "time": date_in("%H:%M:%S"),
    "month": date_in("%B"),
    "weekday": date_in("%A"),
    "year": date_in("%Y"),
    "year_month": date_in("%Y-%m"),
    "birth_date": date_in("%Y-%m-%d"),
    "unix_timestamp": date_in("%s"),
    "currency_code": faked("currency_code"),
    "currency_name": faked("currency_name"),
    "iban": faked("iban"),
    "bic": faked("swift"),
    "isbn": faked("isbn13"),
    "barcode": faked("ean13"),
    "card_number": card,
    "card_expiry": faked("credit_card_expire"),
    "card_security_code": faked("credit_card_security_code"),
    "card_brand": faked("credit_card_provider"),
    "language_name": faked("language_name"),
    "language_code": faked("language_code"),
    "locale": faked("locale"),
    "timezone": faked("timezone"),
    "color_name": faked("safe_color_name"),
    "vin": faked("vin"),
    "latitude": degrees(89),
    "longitude": degrees(179),
    "geo_point": point,
    "version": release,
    "slug": faked("slug"),
    "hostname": faked("hostname"),
    "password": faked("password"),
    "free_text": faked("paragraph"),
    "company": faked("company"),
    "boolean": one_of("yes|no"),
    "gender": one_of("male|female"),
    "region": faked("administrative_unit"),
    "salutation": faked("prefix"),
    "emoji": faked("emoji"),
    "file_extension": faked("file_extension"),
    "json": lambda fake, rng: f'{{"id": {rng.randint(1, 999)}, "name": "{fake.word()}"}}',
    "base64": lambda fake, rng: __import__("base64").b64encode(rng.randbytes(24)).decode(),
    "rgb_color": lambda fake, rng: f"rgb({rng.randint(0, 255)},{rng.randint(0, 255)},{rng.randint(0, 255)})",
    "age_band": one_of("0-17|18-24|25-34|35-44|45-54|55-64|65+"),
    "integer": lambda f, rng: str(rng.randint(0, 5000)),
    "decimal": lambda fake, rng: f"{rng.uniform(0, 900):.2f}",
    "percentage": lambda fake, rng: f"{rng.uniform(0, 99):.1f}%",
    "money": lambda fake, rng: f"${rng.uniform(1, 9999):,.2f}",
    "year_range": lambda f, r: f"{(y := r.randint(1900, 2015))}-{y + r.randint(1, 9)}",
    "number_range": lambda f, r: f"{(a := r.randint(0, 90) * 10)}-{a + 9 + 10 * r.randint(0, 20)}",
    "duration": lambda f, r: f"{r.randint(1, 23)}h {r.randint(1, 59)}m",
    "http_status": one_of("200|201|301|302|304|400|401|403|404|500|502|503"),
    "measurement": lambda f, r: f"{r.uniform(1, 300):.1f} {r.choice(['cm', 'kg', 'mm'])}",
    "ratio_score": lambda f, r: f"{r.randint(0, 6)}-{r.randint(0, 6)}",
    "port": one_of("22|25|53|80|110|143|443|3306|5432|6379|8080|8443|9092|49152|51344"),
    "airport_iata": one_of("LIS|JFK|NRT|CDG|FRA|AMS|MAD|BCN|LHR|MUC|ZRH|VIE|CPH|OSL|ARN"),
    "airport_icao": one_of("LPPT|KJFK|RJAA|LFPG|EDDF|EHAM|LEMD|EGLL|EDDM|LSZH"),
    "stock_ticker": one_of("AAPL|MSFT|GOOG|AMZN|META|TSLA|NVDA|JPM|V|WMT|UNH|XOM|MA|PG|HD"),
    "xml": lambda fake, rng: f"<item><id>{rng.randint(1, 999)}</id></item>",
    "un_locode": one_of("DEHAM|NLRTM|USNYC|CNSHA|SGSIN|BEANR|GBFXT"),
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
WITHOUT = frozenset(
    {
        "admin_area_code",
        "jwt",
        "private_key",
        "data_uri",
        "sql_statement",
        "wkt_geometry",
        "user_name",
        "salary",
        "health_condition",
    }
)
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
        made = FAKED.get(name) or of_domain(domain)
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
        yield Kind(f"national_id {locale}", "national_id", faked(method), ("national_id", "ssn"), (), (locale,))
    yield Kind("cnpj formatted", "cnpj", faked("cnpj"), ("cnpj",), (), ("pt_BR",))
    yield Kind("siren spaced", "siren", faked("siren"), ("siren",), ("company_number",), ("fr_FR",))
    yield Kind("siret spaced", "siret", faked("siret"), ("siret",), ("company_number",), ("fr_FR",))
    yield Kind("french vat spaced", "vat_number", faked("vat_id"), ("vat",), (), ("fr_FR",))
    yield Kind(
        "plates",
        "vehicle_plate",
        faked("license_plate"),
        ("licence_plate",),
        ("opaque_id", "code"),
        ("en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "nl_NL", "pl_PL", "pt_BR"),
    )
    yield Kind("postcodes of Japan", "postcode", faked("postcode"), ("col",), (), ("ja_JP",))
    yield Kind("lists of authors", "person_name", authors, ("authors",), (), LOCALES[:9])
    yield Kind("dates, day first", "date", date_in("%d/%m/%Y"), ("date",), (), ("de_DE", "fr_FR"))
    yield Kind("dates with dots", "date", date_in("%d.%m.%Y"), ("datum",), (), ("de_DE", "pl_PL"))
    yield Kind("dates in words", "date", date_in("%d %b %Y"), ("date",), (), ("en_US", "en_GB"))
    yield Kind("clock", "datetime", date_in("%m/%d/%Y %I:%M %p"), ("when",), (), ("en_US",))
    yield Kind("imei", "imei", of_domain(KNOWN["imei"]), ("imei",), identity, ("en_US", "de_DE"), needs_name=True)
    opaque, code = ("code", "product_code", "other"), ("opaque_id", "category", "code", "product_code", "other")
    yield Kind("order numbers", "opaque_id", of_form("SO#####"), ("order_no", "ref"), opaque)
    yield Kind("invoice numbers", "opaque_id", of_form("INV-2024-#####"), ("invoice",), opaque)
    yield Kind("ticket numbers", "opaque_id", of_form("??-####-##"), ("ticket",), opaque, LOCALES[:5])
    yield Kind("parcels", "opaque_id", of_form("1Z###?##########"), ("tracking",), opaque, LOCALES[:3])
    yield Kind(
        "bad cards",
        "opaque_id",
        wrong_digit(card, "card_number"),
        ("number",),
        ("integer", "code", "barcode"),
        LOCALES[:4],
    )
    yield Kind(
        "bad ibans",
        "opaque_id",
        wrong_digit(faked("iban"), "iban"),
        ("reference",),
        opaque,
        ("de_DE", "en_GB", "fr_FR", "pl_PL"),
    )
    yield Kind(
        "bad barcodes",
        "opaque_id",
        wrong_digit(faked("ean13"), "barcode"),
        ("number",),
        ("integer", "code"),
        LOCALES[:3],
    )
    yield Kind("nine digits", "integer", of_form("1########"), ("number",), ("opaque_id", "code"), LOCALES[:5])
    yield Kind(
        "ten digits",
        "integer",
        of_form("7#########"),
        ("number",),
        ("opaque_id", "code", "unix_timestamp"),
        LOCALES[:5],
    )
    yield Kind("packed times", "datetime", date_in("%Y%m%d%H%M%S"), ("when",), ("opaque_id",), LOCALES[:3])
    yield Kind("grades", "category", one_of("A+|A|A-|B+|B|B-|C+|C|D|F"), ("grade",), code, LOCALES[:3], 10)
    yield Kind("sizes", "category", one_of("S|M|L|XL|XXL|XS"), ("size",), code, LOCALES[:3], 6)
    yield Kind(
        "statuses",
        "category",
        one_of("open|closed|pending|cancelled|shipped|returned"),
        ("status",),
        code,
        LOCALES[:3],
        6,
    )
    yield Kind("letters", "code", of_form("??"), ("col", "kind"), code, LOCALES[:4])
    yield Kind("three letters", "code", of_form("???"), ("col", "kind"), code, LOCALES[:4])
    yield Kind("five letters", "code", of_form("?????"), ("col", "kind"), code, LOCALES[:4])
    yield Kind("shelves", "code", of_form("?#-##"), ("shelf", "bin"), code, LOCALES[:4])
    yield Kind("sentences", "free_text", faked("sentence", nb_words=12), ("comment", "note"), ("title",), LOCALES[:9])
    yield Kind("paragraphs", "free_text", faked("paragraph"), ("description",), (), LOCALES[:9])
    yield Kind(
        "streets without number",
        "title",
        faked("street_name"),
        ("street",),
        ("street_address", "category", "other", "person_name"),
        ("en_US", "de_DE", "fr_FR", "it_IT", "nl_NL"),
    )
    yield Kind(
        "slogans",
        "title",
        faked("catch_phrase"),
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
        one_of("cat|dog|horse|rabbit|hamster|parrot|goldfish|turtle"),
        ("animal",),
        ("title",),
        LOCALES[:2],
        8,
    )
    yield Kind(
        "months as numbers",
        "integer",
        one_of("1|2|3|4|5|6|7|8|9|10|11|12"),
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
