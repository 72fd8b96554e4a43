"""What an alert says: the one-line cause first, then size, first bad version, who answers, and where to look. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from catalog.wording import within

#: From so many alerts on at one moment, one message tells of them all: fifty mails are read by nobody; chosen.
DIGEST = 10
TITLES = {"opened": "", "worse": "much worse now: ", "reopened": "open again: ", "resolved": "resolved: "}


@dataclass(frozen=True)
class Alert:
    """What one alert tells. Texts come masked (`catalog.tags.privacy.hiding`); names of a lake may still be hostile."""

    event: str  # opened, worse, reopened, resolved
    incident: int
    level: str
    table: str
    sentence: str
    size: str
    version: str
    owner: str
    link: str
    why: str = ""  # of a resolved one: its reason


@dataclass(frozen=True)
class Message:
    title: str
    body: str


def plain(text: str, most: int = 400) -> str:
    """A text in one line that no receiver takes for more than text: no control or direction characters, no marks of
    names, no mentions.

    >>> plain("`a`\\nis <!channel> \\u202e@here")
    'a is ‹!channel› ＠here'
    """
    one = " ".join("".join(c if c.isprintable() else " " for c in text.replace("`", "")).split())
    for mark, fit in (("<", "‹"), (">", "›"), ("@", "＠")):
        one = one.replace(mark, fit)
    return one if len(one) <= most else one[: most - 1] + "…"


def compose(alert: Alert) -> Message:
    """One alert.

    >>> told = Alert("opened", 3, "error", "shop/orders", "Amounts are too large.", "all rows", "7", "ann", "u")
    >>> compose(told).title
    'Assay error, shop/orders: Amounts are too large.'
    >>> print(compose(told).body)
    Amounts are too large.
    <BLANKLINE>
    Table: shop/orders
    Size: all rows
    First bad version: 7
    Owner: ann
    u
    """
    table, said = plain(alert.table, 120), plain(_said(alert))
    facts = [("Table", table), ("Size", plain(alert.size)), ("First bad version", plain(alert.version))]
    facts += [("Owner", plain(alert.owner, 100)), ("Resolved as", plain(alert.why))]
    lines = [f"{name}: {value}" for name, value in facts if value]
    title = f"Assay {alert.level}, {table}: {TITLES.get(alert.event, '')}{said}"
    return Message(title if len(title) <= 200 else title[:199] + "…", "\n".join([said, "", *lines, alert.link]))


def digest(alerts: Sequence[Alert], link: str) -> Message:
    """Many alerts in one message.

    >>> one = Alert("opened", 3, "error", "shop/orders", "Amounts are too large.", "", "7", "ann", "u3")
    >>> print(digest([one, one], "home").title, digest([one, one], "home").body, sep="\\n")
    Assay: 2 incidents
    shop/orders, version 7: Amounts are too large. u3
    shop/orders, version 7: Amounts are too large. u3
    <BLANKLINE>
    home
    """
    lines = [
        f"{plain(one.table, 120)}, version {plain(one.version, 60)}: {TITLES.get(one.event, '')}"
        f"{plain(_said(one), 200)} {one.link}"
        for one in alerts
    ]
    return Message(f"Assay: {len(lines)} incidents", "\n".join([*lines, "", link]))


def _said(alert: Alert) -> str:
    """Its sentence beside the name of its table: columns are named alone.

    >>> _said(Alert("opened", 3, "error", "shop/orders", "Amounts in `orders.fee` are too large.", "", "7", "ann", "u"))
    'Amounts in `fee` are too large.'
    """
    return within(alert.table.partition("/")[2], alert.sentence)


def trial(route: str, who: str, link: str) -> Message:
    """What the test button sends."""
    said = f"{plain(who, 100)} tests the route “{plain(route, 100)}”. No incident is meant."
    return Message("Assay: a test of alerts", f"{said}\n{link}")
