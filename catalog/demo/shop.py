"""The shop's twelve tables: what each delivers on each day.

Every batch is a function of (seed, table, day) and of what the shop knew the day before, so that the same seed writes
the same lake. Business follows the week (quiet Mondays, busy weekends), grows slowly and is noisy.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.random import Generator, default_rng

from catalog.demo import values as v

Rows = dict[str, list]
#: Orders of a weekday against the mean, Monday first.
WEEK = (0.82, 0.86, 0.92, 0.96, 1.08, 1.24, 1.12)
GROWTH = 0.003  # a day
CATEGORIES = ("Kitchen", "Garden", "Books", "Toys", "Audio", "Lighting", "Office", "Sports")
BRANDS = ("Nordlys", "Habitat&Co", "Velo", "Kranich", "Lumen", "Orbit", "Fjell")
CURRENCIES = ("EUR", "CHF", "GBP", "SEK")
PAGES = ("/", "/sale", "/search?q=lamp", "/category/garden", "/category/books", "/product/", "/blog/spring", "/help")
AGENTS = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{} Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_{} like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148",
    "Mozilla/5.0 (X11; Linux x86_64; rv:{}) Gecko/20100101 Firefox/{}",
)
RATES = {
    **{"USD": 1.08, "CHF": 0.95, "GBP": 0.85, "SEK": 11.4, "NOK": 11.7, "DKK": 7.46, "PLN": 4.3, "CZK": 25.2},
    **{"HUF": 392.0, "JPY": 162.0, "AUD": 1.65, "CAD": 1.47, "NZD": 1.78, "SGD": 1.45, "HKD": 8.4, "CNY": 7.8},
    **{"INR": 90.1, "KRW": 1455.0, "MXN": 18.4, "BRL": 5.5, "ZAR": 20.1, "TRY": 34.9, "ILS": 4.0, "THB": 39.2},
}


@dataclass
class Shop:
    """What the shop knows between two days; `rows` of a day come from the methods named like the tables."""

    seed: int = 1
    customers_known: list[dict[str, Any]] = field(default_factory=list)
    suppliers_known: list[dict[str, Any]] = field(default_factory=list)
    products_known: list[dict[str, Any]] = field(default_factory=list)
    stores_known: list[dict[str, Any]] = field(default_factory=list)
    rates: dict[str, float] = field(default_factory=lambda: dict(RATES))
    today: list[tuple[str, str, float, datetime, str]] = field(default_factory=list)  # orders of the day
    numbers: dict[str, int] = field(default_factory=dict)

    def rng(self, table: str, day: int) -> Generator:
        return default_rng([self.seed, zlib.crc32(table.encode()), day + 1])

    def next_numbers(self, kind: str, count: int, start: int) -> range:
        first = self.numbers.get(kind, start)
        self.numbers[kind] = first + count
        return range(first, first + count)

    def volume(self, rng: Generator, mean: float, day: int, when: date, noise: float = 0.05) -> int:
        """Rows of the day: weekly cycle, growth, noise."""
        level = mean * WEEK[when.weekday()] * (1 + GROWTH) ** day
        return max(1, round(level * math.exp(rng.normal(0, noise))))

    def customers(self, day: int, when: date) -> Rows:
        """New and changed customers (the first day: all there are)."""
        rng = self.rng("customers", day)
        changed = []
        if self.customers_known:
            for i in sorted(rng.choice(len(self.customers_known), size=int(rng.integers(12, 24)), replace=False)):
                known = self.customers_known[i]
                known["newsletter"] = not known["newsletter"]
                known["updated_at"] = v.moments(rng, when, 1)[0]
                changed.append(known)
        fresh = [self._customer(rng, day, when) for _ in range(1500 if day == 0 else int(rng.integers(18, 34)))]
        self.customers_known += fresh
        return _columns(changed + fresh)

    def _customer(self, rng: Generator, day: int, when: date) -> dict[str, Any]:
        firsts, lasts, streets, _ = v.names()
        first, last = firsts[rng.integers(len(firsts))], lasts[rng.integers(len(lasts))]
        country = v.choose(rng, v.COUNTRIES, 1, v.COUNTRY_SHARES)[0]
        joined = v.moments(rng, when - timedelta(days=int(rng.integers(1, 900)) if day == 0 else 0), 1)[0]
        return {
            "customer_id": f"C-{self.next_numbers('customer', 1, 100001)[0]}",
            "first_name": first,
            "last_name": last,
            "email": v.email(rng, first, last),
            "phone": v.phone(rng, country) if rng.random() < 0.85 else None,
            "birth_date": date(1945, 1, 1) + timedelta(days=int(rng.integers(0, 22000))),
            "street": f"{streets[rng.integers(len(streets))]} {rng.integers(1, 180)}",
            "postcode": v.postcode(rng, country),
            "city": v.choose(rng, v.CITIES[country], 1)[0],
            "country": country,
            "iban": v.iban(rng, country) if rng.random() < 0.3 else None,
            "segment": v.choose(rng, ("private", "business", "vip"), 1, (0.83, 0.14, 0.03))[0],
            "newsletter": bool(rng.random() < 0.45),
            "created_at": joined,
            "updated_at": joined,
        }

    def erased(self, day: int) -> list[str]:
        """Customers who asked to be forgotten."""
        rng = self.rng("erased", day)
        gone = sorted(rng.choice(len(self.customers_known), size=3, replace=False), reverse=True)
        return [self.customers_known.pop(i)["customer_id"] for i in gone]

    def suppliers(self, day: int, when: date) -> Rows:
        """New and changed suppliers (the first day: all there are)."""
        rng = self.rng("suppliers", day)
        if day == 0:
            self.suppliers_known = [self._supplier(rng, when) for _ in range(140)]
            return _columns(self.suppliers_known)
        changed = []
        for i in sorted(rng.choice(len(self.suppliers_known), size=int(rng.integers(3, 9)), replace=False)):
            known = self.suppliers_known[i]
            known["rating"] = round(float(np.clip(known["rating"] + rng.normal(0, 0.2), 1, 5)), 1)
            known["reviewed_on"] = when
            changed.append(known)
        if rng.random() < 0.3:
            changed.append(self._supplier(rng, when))
            self.suppliers_known.append(changed[-1])
        return _columns(changed)

    def _supplier(self, rng: Generator, when: date) -> dict[str, Any]:
        company = v.names()[3][rng.integers(len(v.names()[3]))]
        return {
            "supplier_id": f"SUP-{self.next_numbers('supplier', 1, 1001)[0]}",
            "company": company,
            "vat_id": v.vat_number(rng),
            "iban": v.iban(rng, "DE"),
            "bic": v.choose(rng, ("DEUTDEFF", "COBADEFF", "GENODEF1", "MARKDEF1", "HYVEDEMM"), 1)[0],
            "email": f"orders@{v.ascii_of(company)}.de",
            "phone": v.phone(rng, "DE"),
            "country": "DE",
            "terms_days": int(rng.choice([14, 30, 45, 60])),
            "rating": round(float(rng.uniform(2.5, 5)), 1),
            "reviewed_on": when,
        }

    def products(self, day: int, when: date) -> Rows:
        """The whole assortment, with a few new articles and new prices."""
        rng = self.rng("products", day)
        for _ in range(320 if day == 0 else int(rng.integers(0, 3))):
            category = CATEGORIES[rng.integers(len(CATEGORIES))]
            price = float(v.prices(rng, 1, 24)[0])
            number = self.next_numbers("product", 1, 20001)[0]
            self.products_known.append(
                {
                    "sku": f"{category[:3].upper()}-{number}",
                    "ean": v.ean(rng),
                    "name": f"{BRANDS[rng.integers(len(BRANDS))]} {category} {number % 1000}",
                    "category": category,
                    "price": price,
                    "cost": round(price * float(rng.uniform(0.4, 0.7)), 2),
                    "weight_g": int(rng.integers(40, 6000)),
                    "active": bool(rng.random() < 0.93),
                    "listed_on": (when - timedelta(days=int(rng.integers(0, 700)) if day == 0 else 0)).isoformat(),
                }
            )
        for i in rng.choice(len(self.products_known), size=12, replace=False):
            known = self.products_known[i]
            known["price"] = round(known["price"] * float(rng.uniform(0.94, 1.07)), 2)
        return _columns(self.products_known)

    def inventory(self, day: int, when: date) -> Rows:
        """The count of every article in every warehouse."""
        rng = self.rng("inventory", day)
        count = len(self.products_known) * 3
        on_hand = rng.poisson(rng.gamma(2.0, 30.0, count))
        return {
            "sku": [known["sku"] for known in self.products_known for _ in range(3)],
            "warehouse": ["WH-BER", "WH-LYS", "WH-RTM"] * len(self.products_known),
            "on_hand": on_hand.tolist(),
            "reserved": rng.binomial(on_hand, 0.12).tolist(),
            "reorder_point": (10 * rng.integers(1, 9, count)).tolist(),
            "counted_at": v.moments(rng, when, count, 20, 22),
        }

    def stores(self, day: int, when: date) -> Rows:
        """The shops with yesterday's visitors and revenue."""
        rng = self.rng("stores", day)
        if day == 0:
            self.stores_known = [self._store(rng, number, when) for number in range(1, 61)]
        busy = WEEK[when.weekday()] * math.exp(rng.normal(0, 0.04))
        visitors = rng.poisson(240 * busy, len(self.stores_known))
        revenue = np.round(visitors * rng.uniform(7.5, 9.5, len(visitors)), 2)
        rows = _columns(self.stores_known)
        return {**rows, "visitors": visitors.tolist(), "revenue": revenue.tolist()}

    def _store(self, rng: Generator, number: int, when: date) -> dict[str, Any]:
        country = v.choose(rng, v.COUNTRIES, 1, v.COUNTRY_SHARES)[0]
        city = v.choose(rng, v.CITIES[country], 1)[0]
        return {
            "store_id": f"ST{number:03d}",
            "name": f"{city} {('Mitte', 'Nord', 'Süd', 'Bahnhof')[rng.integers(4)]}",
            "postcode": v.postcode(rng, country),
            "city": city,
            "country": country,
            "latitude": round(float(rng.uniform(43.5, 54.5)), 6),
            "longitude": round(float(rng.uniform(0.5, 16.0)), 6),
            "phone": v.phone(rng, country),
            "website": f"https://www.shop.example/stores/{v.ascii_of(city)}-{number}",
            "opened_on": when - timedelta(days=int(rng.integers(200, 6000))),
        }

    def orders(self, day: int, when: date) -> Rows:
        rng = self.rng("orders", day)
        count = self.volume(rng, 420, day, when)
        ids = [f"ORD-{when.year}-{number:07d}" for number in self.next_numbers("order", count, 310001)]
        at = v.moments(rng, when, count)
        net = v.prices(rng, count, 52, 0.7)
        fee = np.where(net > 79, 0.0, 4.9)
        currency = v.choose(rng, CURRENCIES, count, (0.82, 0.08, 0.06, 0.04))
        total = np.round(net + fee, 2)
        buyers = rng.integers(0, len(self.customers_known), count)
        channel = v.choose(rng, ("web", "app", "store", "phone"), count, (0.5, 0.3, 0.17, 0.03))
        shops = rng.integers(1, 61, count)
        self.today = list(zip(ids, currency, total.tolist(), at, channel, strict=True))
        return {
            "order_id": ids,
            "customer_id": [self.customers_known[i]["customer_id"] for i in buyers],
            "order_date": [when.isoformat()] * count,
            "ordered_at": at,
            "status": v.choose(rng, ("new", "paid", "packed", "cancelled"), count, (0.25, 0.5, 0.2, 0.05)),
            "channel": channel,
            "store_id": [f"ST{n:03d}" if c == "store" else None for n, c in zip(shops, channel, strict=True)],
            "currency": currency,
            "items": (1 + rng.poisson(1.4, count)).tolist(),
            "net_amount": net.tolist(),
            "shipping_fee": fee.tolist(),
            "total_amount": total.tolist(),
            "ip_address": v.addresses(rng, count),
        }

    def order_items(self, day: int, when: date) -> Rows:
        rng = self.rng("order_items", day)
        lines = 1 + rng.poisson(1.4, len(self.today))
        orders = [order[0] for order, many in zip(self.today, lines, strict=True) for _ in range(many)]
        count = len(orders)
        sold = rng.integers(0, len(self.products_known), count)
        quantity = 1 + rng.poisson(0.5, count)
        price = np.array([self.products_known[i]["price"] for i in sold])
        discount = rng.choice([0.0, 0.0, 0.0, 0.05, 0.1, 0.2], count)
        return {
            "item_id": [f"{order}-{i % 97:02d}" for i, order in enumerate(orders)],
            "order_id": orders,
            "sku": [self.products_known[i]["sku"] for i in sold],
            "quantity": quantity.tolist(),
            "unit_price": price.tolist(),
            "discount": discount.tolist(),
            "tax_rate": rng.choice([0.07, 0.19, 0.19, 0.19], count).tolist(),
            "line_total": np.round(quantity * price * (1 - discount), 2).tolist(),
        }

    def payments(self, day: int, when: date) -> Rows:
        rng = self.rng("payments", day)
        paid = [order for order in self.today if rng.random() < 0.95]
        count = len(paid)
        method = v.choose(rng, ("card", "paypal", "transfer", "invoice"), count, (0.55, 0.25, 0.12, 0.08))
        return {
            "payment_id": v.uuids(rng, count),
            "order_id": [order[0] for order in paid],
            "method": method,
            "amount": [order[2] for order in paid],
            "currency": [order[1] for order in paid],
            "card_last4": [v.digits(rng, 4) if m == "card" else None for m in method],
            "iban": [v.iban(rng, "DE") if m == "transfer" else None for m in method],
            "status": v.choose(rng, ("captured", "authorised", "failed"), count, (0.93, 0.05, 0.02)),
            "paid_at": [order[3] + timedelta(seconds=int(rng.integers(5, 900))) for order in paid],
        }

    def shipments(self, day: int, when: date) -> Rows:
        rng = self.rng("shipments", day)
        sent = [order for order in self.today if order[4] != "store"]
        count = len(sent)
        country = v.choose(rng, v.COUNTRIES, count, v.COUNTRY_SHARES)
        shipped = v.moments(rng, when + timedelta(days=1), count, 6, 18)
        numbers = self.next_numbers("shipment", count, 700001)
        return {
            "shipment_id": [f"SH{number:09d}" for number in numbers],
            "order_id": [order[0] for order in sent],
            "carrier": v.choose(rng, ("DHL", "UPS", "DPD", "GLS"), count, (0.5, 0.2, 0.2, 0.1)),
            "tracking_number": [f"JJD{v.digits(rng, 15)}" for _ in range(count)],
            "postcode": [v.postcode(rng, c) for c in country],
            "country": country,
            "weight_kg": np.round(rng.gamma(2.0, 1.4, count) + 0.1, 2).tolist(),
            "shipped_at": shipped,
            "signature": [bool(x) for x in rng.random(count) < 0.3],
        }

    def returns(self, day: int, when: date) -> Rows:
        rng = self.rng("returns", day)
        count = self.volume(rng, 60, day, when, 0.08)
        known = self.numbers["order"]
        reasons = ("too small", "too large", "damaged", "not as described", "changed mind", "late")
        return {
            "return_id": [f"RET-{number:06d}" for number in self.next_numbers("return", count, 40001)],
            "order_id": [f"ORD-{when.year}-{n:07d}" for n in rng.integers(max(310001, known - 4000), known, count)],
            "sku": [self.products_known[i]["sku"] for i in rng.integers(0, len(self.products_known), count)],
            "reason": v.choose(rng, reasons, count, (0.2, 0.25, 0.1, 0.15, 0.25, 0.05)),
            "refund_amount": v.prices(rng, count, 31).tolist(),
            "requested_at": v.moments(rng, when, count),
            "inspector": v.sprinkle(rng, v.choose(rng, ("EMP-014", "EMP-027", "EMP-113", "EMP-121"), count), 0.2),
        }

    def web_sessions(self, day: int, when: date) -> Rows:
        rng = self.rng("web_sessions", day)
        count = self.volume(rng, 1100, day, when)
        who = rng.integers(0, len(self.customers_known), count)
        ids = [self.customers_known[i]["customer_id"] for i in who]
        agents = [a.format(rng.integers(120, 142), 130) for a in v.choose(rng, AGENTS, count, (0.45, 0.35, 0.2))]
        referrers = ("https://www.google.com/", "https://duckduckgo.com/", "https://news.example/", "https://t.co/x1")
        return {
            "session_id": v.uuids(rng, count),
            "visitor": v.hexes(rng, count),
            "customer_id": v.sprinkle(rng, ids, 0.62),
            "started_at": v.moments(rng, when, count, 0, 24),
            "duration_s": np.round(rng.gamma(1.3, 140.0, count), 1).tolist(),
            "page_views": (1 + rng.poisson(3.2, count)).tolist(),
            "landing_url": [f"https://www.shop.example{p}" for p in v.choose(rng, PAGES, count)],
            "referrer": v.sprinkle(rng, v.choose(rng, referrers, count, (0.6, 0.2, 0.1, 0.1)), 0.35),
            "ip": v.addresses(rng, count),
            "user_agent": agents,
            "country": v.choose(rng, v.COUNTRIES, count, v.COUNTRY_SHARES),
            "session_date": [when] * count,
        }

    def exchange_rates(self, day: int, when: date) -> Rows:
        rng = self.rng("exchange_rates", day)
        for currency in self.rates:
            self.rates[currency] *= math.exp(rng.normal(0, 0.004))
        count = len(self.rates)
        return {
            "rate_date": [when.isoformat()] * count,
            "base": ["EUR"] * count,
            "currency": list(self.rates),
            "rate": [round(rate, 5) for rate in self.rates.values()],
            "source": ["ECB"] * count,
        }


def _columns(rows: list[dict[str, Any]]) -> Rows:
    return {name: [row[name] for row in rows] for name in rows[0]}


@dataclass(frozen=True)
class Delivery:
    """How a table is written: `how` is append, overwrite or merge (by its first column)."""

    table: str
    how: str
    rows: Callable[[Shop, int, date], Rows]
    compacted: bool = False
    partition: str | None = None


#: In the order of a day: orders need customers and products, items and payments need the day's orders.
DELIVERIES = (
    Delivery("customers", "merge", Shop.customers),
    Delivery("suppliers", "merge", Shop.suppliers),
    Delivery("products", "overwrite", Shop.products),
    Delivery("inventory", "overwrite", Shop.inventory),
    Delivery("stores", "overwrite", Shop.stores),
    Delivery("orders", "append", Shop.orders, compacted=True),
    Delivery("order_items", "append", Shop.order_items, compacted=True),
    Delivery("payments", "append", Shop.payments, compacted=True),
    Delivery("shipments", "append", Shop.shipments, compacted=True),
    Delivery("returns", "append", Shop.returns),
    Delivery("web_sessions", "append", Shop.web_sessions, partition="session_date"),
    Delivery("exchange_rates", "append", Shop.exchange_rates),
)


def to_arrow(rows: Rows) -> pa.Table:
    """The rows as an Arrow table with the types Delta has: timestamps of microseconds, UTC; missing-only strings."""
    arrays = {}
    for name, cells in rows.items():
        array = pa.array(cells)
        if pa.types.is_timestamp(array.type):
            array = array.cast(pa.timestamp("us")).cast(pa.timestamp("us", tz="UTC"))
        elif pa.types.is_null(array.type):
            array = array.cast(pa.string())
        arrays[name] = array
    return pa.table(arrays)
