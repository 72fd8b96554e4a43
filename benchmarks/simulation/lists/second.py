"""The second list of further faults."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pyarrow as pa

from benchmarks.simulation.lists.further import Fault, col, const, put

#: Made up after what the first list showed was mended.
SECOND: dict[str, tuple[Fault, ...]] = {
    "orders": (
        Fault("won", "net", "scale", col("net", lambda x: round(x * 1450))),
        Fault("payment_delay", "paid_at", "days_moved time_zone", col("paid_at", lambda x: x + timedelta(hours=5))),
        Fault(
            "status_codes",
            "status",
            "new_values",
            col("status", lambda x: {"shipped": "S", "packed": "P", "paid": "B", "returned": "R", "cancelled": "X"}[x]),
        ),
        Fault(
            "country3",
            "country",
            "case new_values",
            col("country", lambda x: {"DE": "DEU", "FR": "FRA", "NL": "NLD", "AT": "AUT", "PL": "POL"}[x]),
        ),
        Fault("c_lower", "customer", "case", col("customer", str.lower)),
        Fault("only_morning", "", "volume", lambda table, rng, before: table.sort_by("placed_at").slice(0, 150)),
        Fault("net_null", "net", "nulls", const("net", None, 0.25)),
        Fault("items0", "items", "default", const("items", 0, 0.3)),
        Fault("dotdate", "ordered_on", "date_format separators", col("ordered_on", lambda x: x.replace("-", "."))),
    ),
    "payments": (
        Fault("iban_lower", "iban", "case", col("iban", str.lower)),
        Fault("masked", "iban", "", col("iban", lambda x: x[:4] + "*" * 14 + x[-4:])),
        Fault("cents", "fee", "scale", col("fee", lambda x: x * 100)),
        Fault("eur", "currency", "default", const("currency", "EUR")),
        Fault("hexprefix", "payment", "prefix", col("payment", lambda x: "0x" + x)),
        Fault("sepa", "method", "new_values", const("method", "sepa", 0.3)),
        Fault("utc", "booked_at", "time_zone", col("booked_at", lambda x: x - timedelta(hours=1))),
        Fault("doublerun", "", "duplicates", lambda table, rng, before: pa.concat_tables([table, table])),
    ),
    "customers": (
        Fault("iso_birth", "birthday", "date_format", col("birthday", lambda x: f"{x[6:]}-{x[3:5]}-{x[:2]}")),
        Fault("tel", "phone", "prefix", col("phone", lambda x: "tel:" + x.replace(" ", ""))),
        Fault("title", "name", "", col("name", lambda x: "Herr " + x)),
        Fault("city_upper", "city", "case", col("city", str.upper)),
        Fault("nopost", "postcode", "nulls", const("postcode", None, 0.6)),
        Fault("yn", "newsletter", "new_values", col("newsletter", lambda x: x[0])),
        Fault("caps_segment", "segment", "case", col("segment", str.title)),
        Fault("unknown", "city", "default", const("city", "n/a", 0.06)),
        Fault("mail", "email", "default", const("email", "test@test.com", 0.2)),
        Fault("limit_k", "limit", "scale", col("limit", lambda x: x // 100)),
        Fault(
            "shuffle",
            "",
            "swapped",
            lambda table, rng, before: put(
                put(table, "city", table["segment"].to_pylist()), "segment", table["city"].to_pylist()
            ),
        ),
    ),
    "tickets": (
        Fault("id_short", "ticket", "cut leading_zeros prefix", col("ticket", lambda x: "TCK-" + x[4:].lstrip("0"))),
        Fault("hours", "minutes", "scale", col("minutes", lambda x: x / 60)),
        Fault(
            "merged",
            "queue",
            "default part_missing",
            col("queue", lambda x: "other" if x in ("billing", "returns") else x),
        ),
        Fault("open0", "closed_at", "default", const("closed_at", datetime(1900, 1, 1, tzinfo=UTC), 0.1)),
        Fault("lastyear", "opened_at", "days_moved", col("opened_at", lambda x: x - timedelta(days=365))),
        Fault("stars", "rating", "scale", col("rating", lambda x: x * 20)),
        Fault("neg", "minutes", "default sign", const("minutes", -1.0, 0.05)),
        Fault("agent_upper", "agent", "case", col("agent", str.upper)),
    ),
    "sensors": (
        Fault("id", "sensor", "separators", col("sensor", lambda x: x.replace("-", "_"))),
        Fault("hpa", "pascal", "scale", col("pascal", lambda x: x / 100)),
        Fault("zero", "celsius", "default", const("celsius", 0.0, 0.2)),
        Fault("calib", "celsius", "scale", col("celsius", lambda x: x - 6)),
        Fault("full", "battery", "default", const("battery", 100)),
        Fault(
            "midnight",
            "read_at",
            "time_lost",
            col("read_at", lambda x: x.replace(hour=0, minute=0, second=0, microsecond=0)),
        ),
        Fault("late", "stored_at", "days_moved time_zone", col("stored_at", lambda x: x + timedelta(days=1))),
        Fault("nanhalf", "celsius", "nulls", const("celsius", float("nan"), 0.1)),
        Fault("old", "", "stale", lambda table, rng, before: before),
    ),
    "articles": (
        Fault("sku_slash", "sku", "separators", col("sku", lambda x: x.replace("-", "/"))),
        Fault("gtin14", "ean", "prefix", col("ean", lambda x: "0" + x)),
        Fault("usd", "price", "scale", col("price", lambda x: x * 1.6)),
        Fault("pieces", "stock", "scale", col("stock", lambda x: x * 12)),
        Fault("01", "active", "new_values", col("active", lambda x: "1" if x == "true" else "0")),
        Fault(
            "english_date",
            "listed_on",
            "date_format",
            col("listed_on", lambda x: datetime.fromisoformat(x).strftime("%b %d, %Y")),
        ),
        Fault(
            "epoch",
            "listed_on",
            "date_format",
            col("listed_on", lambda x: str(int(datetime.fromisoformat(x).replace(tzinfo=UTC).timestamp()))),
        ),
        Fault("latin", "title", "encoding", col("title", lambda x: x.encode("utf8").decode("cp1252", "replace"))),
        Fault("brand", "title", "prefix", col("title", lambda x: "ACME " + x)),
        Fault("halfcat", "", "part_missing volume", lambda table, rng, before: table.slice(0, 300)),
    ),
    "weblog": (
        Fault("port", "address", "suffix", col("address", lambda x: x + ":443")),
        Fault("micro", "millis", "scale", col("millis", lambda x: x * 1000)),
        Fault(
            "apple",
            "device",
            "new_values",
            col("device", lambda x: {"mobile": "phone", "desktop": "pc", "tablet": "pad"}[x]),
        ),
        Fault("strip", "path", "cut prefix", col("path", lambda x: x[6:])),
        Fault("kb", "bytes", "scale", col("bytes", lambda x: x // 1000)),
        Fault("post", "verb", "default", const("verb", "GET")),
        Fault("yesterday", "at", "days_moved time_zone", col("at", lambda x: x - timedelta(days=30))),
        Fault("status99", "status", "default", const("status", 999, 0.05)),
        Fault("dash", "address", "default", const("address", "-", 0.2)),
    ),
    "shipments": (
        Fault("kg_prefix", "postcode", "prefix", col("postcode", lambda x: "DE-" + x)),
        Fault(
            "carrier_ids",
            "carrier",
            "new_values",
            col("carrier", lambda x: {"north": "N01", "swift": "S02", "parcelo": "P03", "express": "E04"}[x]),
        ),
        Fault("oz", "kilograms", "scale", col("kilograms", lambda x: x * 35.274)),
        Fault("spaces", "parcel", "separators", col("parcel", lambda x: x[:4] + " " + x[4:8] + " " + x[8:])),
        Fault(
            "city_en",
            "city",
            "new_values",
            col("city", lambda x: {"Köln": "Cologne", "Zürich": "Zurich", "München": "Munich"}.get(x, x)),
        ),
        Fault("far", "packed_at", "days_moved", col("packed_at", lambda x: x + timedelta(days=366))),
        Fault("weight0", "kilograms", "default", const("kilograms", 0.0, 0.15)),
        Fault("parcel_x", "parcel", "default", const("parcel", "00000000000000", 0.1)),
        Fault("free", "cost", "default", const("cost", 9.99, 1.0)),
    ),
    "supplier": (
        Fault("pct", "price", "suffix", col("price", lambda x: x + " €")),
        Fault("art", "article", "prefix", col("article", lambda x: "A-" + x)),
        Fault(
            "avail",
            "available",
            "new_values",
            col("available", lambda x: {"in stock": "2", "low": "1", "sold out": "0"}[x]),
        ),
        Fault("iso", "valid_from", "date_format", col("valid_from", lambda x: f"{x[6:]}-{x[3:5]}-{x[:2]}")),
        Fault("us", "delivery", "date_format", col("delivery", lambda x: f"{x[5:7]}/{x[8:]}/{x[:4]}")),
        Fault("null", "maker", "default nulls", const("maker", "NULL", 0.1)),
        Fault("comma", "price", "decimal_mark", col("price", lambda x: x.replace(".", ","))),
        Fault("gtin8", "gtin", "cut", col("gtin", lambda x: x[:12])),
        Fault("stock_up", "available", "case", col("available", str.upper)),
        Fault("x2", "", "duplicates", lambda table, rng, before: pa.concat_tables([table, table.slice(0, 150)])),
    ),
}
