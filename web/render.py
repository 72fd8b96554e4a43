"""Templates: one Jinja environment with escaping always on, and the filters that make values fit to look at.

Names and values come from the lake and are hostile: every one of them goes through escaping, control and direction
characters are made visible, long ones are cut.
"""

from __future__ import annotations

import json
import math
import re
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from fastapi import Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from sqlmodel import Session
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Match

from catalog.causes import TITLES
from catalog.checks.feedback import IN_WORDS
from catalog.domains.known import title
from catalog.learners.registry import LEARNERS
from catalog.store.pages import home
from catalog.store.schemas.listing import Listing
from catalog.store.seen import mark
from catalog.wording import counted, one_in, within
from web.drawing import bars, charts
from web.shown.figures import called

HERE = Path(__file__).resolve().parent
THEME_COOKIE, THEMES = "assay_theme", ("auto", "light", "dark")
CUT = 160  # characters of a text that is shown; a bound


def show(value: Any, cut: int = CUT) -> str:
    """A value as text that cannot hide anything.

    Control, direction and zero-width characters become their code point in angle brackets.

    >>> show("a\\u202eb"), show(None), show(" x"), show(1.5)
    ('a⟨U+202E⟩b', '∅', '␣x', '1.5')
    """
    if value is None:
        return "∅"
    if isinstance(value, float):
        return fixed(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    if text == "":
        return "(empty)"
    cut_text = text if len(text) <= cut else text[:cut] + "…"
    seen = "".join(c if c.isprintable() else f"⟨U+{ord(c):04X}⟩" for c in cut_text)
    body = seen.strip(" ")
    at = seen.find(body)
    return "␣" * at + body + "␣" * (len(seen) - at - len(body)) if body else "␣" * len(seen)


def name(value: str, cut: int = 80) -> str:
    """A name of the lake's; of a long one both ends, since paths tell what they are at the end.

    >>> name("a/b"), name("lake/with/a/long/path/orders.csv", 20)
    ('a/b', 'lake/with/…rders.csv')
    """
    return show(value if len(value) <= cut else f"{value[: cut // 2]}…{value[-(cut - cut // 2 - 1) :]}", cut)


def sentence(text: str, cut: int = CUT) -> str:
    """A demand or finding as a sentence: with a capital, unless it begins with a value or a pattern.

    >>> sentence("every value is C-<digit>{6}."), sentence("“a” or “b”."), sentence("IPv4 addresses."), sentence("")
    ('Every value is C-<digit>{6}.', '“a” or “b”.', 'IPv4 addresses.', '(empty)')
    """
    told = show(text, cut)
    return told[:1].upper() + told[1:] if told[:2].isalpha() and told[:2].islower() else told


#: Words with which errors begin that do not begin with a name: only these get a capital, a name is what it is.
BEGINNINGS = frozenset("a an another at it no nobody nothing of only something that the there these this".split())


def headed(text: str, cut: int = CUT) -> str:
    """The cause of an error as a heading.

    >>> headed("there is no such page"), headed("customers has no version 9"), headed("'a/b' is no folder")
    ('There is no such page', 'customers has no version 9', "'a/b' is no folder")
    """
    told = show(text, cut)
    return told[:1].upper() + told[1:] if told.partition(" ")[0] in BEGINNINGS else told


#: Addresses of our own pages within a text; a path of the lake begins otherwise, or goes on.
PAGES = re.compile(r"(?<!\S)/(?:tables(?:/\d+/(?:versions|checks))?|tags|reports|login|api)(?=[\s,.;]|$)")


def linked(text: str, cut: int = CUT) -> Markup:
    """A remedy, in which our own pages are links.

    >>> str(linked("see /tags for those there are")), str(linked("give a path like /data/<lake>"))
    ('see <a href="/tags">/tags</a> for those there are', 'give a path like /data/&lt;lake&gt;')
    """
    told = str(escape(show(text, cut)))
    return Markup(PAGES.sub(lambda found: f'<a href="{found[0]}">{found[0]}</a>', told))  # noqa: S704 - escaped above


def fixed(value: float | None) -> str:
    """A number with four or five significant digits, thousands apart.

    >>> fixed(1234567.0), fixed(0.123456), fixed(12), fixed(None), fixed(1.5e-9), fixed(2.5e14)
    ('1,234,567', '0.1235', '12', '–', '1.5e-09', '2.5e+14')
    """
    if value is None:
        return "–"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value == 0:
        return "0"
    if not 1e-4 <= abs(value) < 1e12:
        return f"{value:.4g}"
    if float(value).is_integer() or abs(value) >= 1e5:
        return f"{value:,.0f}"
    digits = max(0, (4 if abs(value) >= 1 else 3) - math.floor(math.log10(abs(value))))
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent(value: float | None) -> str:
    """A share, without claiming 100% of what is not whole.

    >>> percent(1), percent(0.99999), percent(0.123), percent(0), percent(0.00001), percent(None)
    ('100%', '>99.9%', '12.3%', '0%', '<0.1%', '–')
    """
    if value is None:
        return "–"
    if 0.999 < value < 1:
        return ">99.9%"
    if 0 < value < 0.001:
        return "<0.1%"
    return f"{100 * value:.1f}".removesuffix(".0") + "%"


def rate(value: float | None) -> str:
    """A small rate as people say it.

    >>> rate(0.001), rate(None)
    ('1 in 1,000', '–')
    """
    return "–" if value is None else one_in(value)


def size(value: float | None) -> str:
    """Bytes in the unit that fits.

    >>> size(0), size(1536), size(5 * 2**30)
    ('0 B', '1.5 KiB', '5.0 GiB')
    """
    if value is None:
        return "–"
    units = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
    step = min(len(units) - 1, int(math.log(value, 1024)) if value >= 1 else 0)
    return f"{value:.0f} B" if step == 0 else f"{value / 1024**step:.1f} {units[step]}"


def seconds(value: float | None) -> str:
    """A span of time.

    >>> seconds(0.34), seconds(75), seconds(4000), seconds(200000)
    ('0.3 s', '1 min 15 s', '1 h 6 min', '2 d 7 h')
    """
    if value is None:
        return "–"
    if value < 60:
        return f"{value:.1f} s" if value < 10 else f"{value:.0f} s"
    whole = int(value)
    for unit, name, part, part_name in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= unit:
            rest = whole % unit // part
            return f"{whole // unit} {name}" + (f" {rest} {part_name}" if rest else "")
    return f"{whole} s"


def when(value: datetime | None) -> Markup:
    """A time element: how long ago, with the time itself on hover and for machines."""
    if value is None:
        return Markup("–")
    age = (datetime.now(UTC) - value).total_seconds()
    exact = value.strftime("%Y-%m-%d %H:%M:%S UTC")
    if age < 0 or age > 30 * 86400:
        text = value.strftime("%Y-%m-%d")
    else:
        text = "just now" if age < 5 else seconds(age).split(" ")[0] + " " + seconds(age).split(" ")[1] + " ago"
    return Markup('<time datetime="{}" title="{}">{}</time>').format(value.isoformat(), exact, text)


def stamp(value: datetime | None) -> Markup:
    """A time element with date and minute."""
    if value is None:
        return Markup("–")
    return Markup('<time datetime="{}">{}</time>').format(value.isoformat(), value.strftime("%Y-%m-%d %H:%M"))


def headline(sentence: str, cut: int = 200) -> str:
    """The first of several findings in a sentence.

    >>> headline("mean is 5; median is 4; and 6 more metrics."), headline("Columns stay.")
    ('mean is 5 …', 'Columns stay.')
    """
    first, more, _ = sentence.partition("; ")
    return show(first, cut) + (" …" if more else "")


def story(sentence: str, table: str, cut: int = 600) -> Markup:
    """What happened, as one sentence whose names of columns stand out, where the table is named beside it.

    >>> str(story("Amounts in `pay.amount` are <large>.", "pay"))
    'Amounts in <bdi class="name">amount</bdi> are &lt;large&gt;.'
    """
    sentence = within(table, sentence)
    parts = show(sentence, cut).split("`")
    if len(parts) % 2 == 0:  # a name that was cut, or a stray mark
        return escape(show(sentence, cut))
    names = Markup('<bdi class="name">{}</bdi>')
    return Markup("").join(names.format(name(part)) if at % 2 else part for at, part in enumerate(parts))


def meaning(domain: str) -> str:
    """A domain's name for people, short. One that people of this lake named is told by that name.

    >>> meaning("country_code2"), meaning("opaque_id"), meaning("order_number")
    ('Country code', 'Identifier', 'Order number')
    """
    return title(domain).partition(" (")[0]


def query(request: Request, **changes: Any) -> str:
    """This page's query string with changes; None takes a parameter away, and any change goes back to page 1."""
    pairs = {**request.query_params, **({} if "page" in changes else {"page": None}), **changes}
    return "?" + urlencode({name: value for name, value in pairs.items() if value not in (None, "")})


def static_version(name: str) -> str:
    """A static file's address with a digest of its content, so that browsers may keep it for good."""
    digest = sha256((HERE / "static" / name).read_bytes()).hexdigest()[:10]
    return f"/static/{name}?v={digest}"


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    shown = (
        show,
        name,
        sentence,
        headed,
        linked,
        headline,
        story,
        fixed,
        percent,
        rate,
        size,
        seconds,
        when,
        stamp,
        meaning,
        called,
    )
    made.filters.update({function.__name__: function for function in shown})
    made.filters["counted"] = counted
    made.globals.update(titles=TITLES, answers_in_words=IN_WORDS, published=frozenset(LEARNERS))
    made.globals.update(
        static={path.name: static_version(path.name) for path in (HERE / "static").iterdir() if path.is_file()},
        query=query,
        mark=mark,
        line_chart=charts.line_chart,
        sparkline=charts.sparkline,
        share_bar=charts.share_bar,
        bar_chart=bars.bar_chart,
        by_tokens=bars.by_tokens,
        by_columns=bars.by_columns,
        between=charts.between,
        themes=THEMES,
    )
    return made


environment = _environment()


def theme_of(request: Request) -> str:
    wanted = request.cookies.get(THEME_COOKIE, "auto")
    return wanted if wanted in THEMES else "auto"


def came_from(request: Request) -> str:
    """The page of this site from which somebody came, as a path; empty where there was none. Where that was the answer
    to a form, which no link leads to, it is the nearest page above: `/glossary` of `/glossary/import`."""
    try:
        page = urlsplit(request.headers.get("referer", ""))
    except ValueError:
        return ""
    here = page.netloc == request.url.netloc and page.path.startswith("/") and not page.path.startswith("//")
    asked = request.method in ("GET", "HEAD") and page.path == request.url.path
    if not here or asked:
        return ""
    found = _nearest(request, page.path)
    return page.path + (f"?{page.query}" if page.query else "") if found == page.path else found


def _nearest(request: Request, path: str) -> str:
    """The page at a path, or the nearest above it; empty where there is none but home."""
    while path.strip("/"):
        asked = {"type": "http", "method": "GET", "path": path, "headers": [], "app": request.app}
        if any(route.matches(asked)[0] is Match.FULL for route in request.app.routes):
            return path
        path = path.rpartition("/")[0]
    return path


def bare_page(request: Request, template: str, *, http_status: int = 200, **context: Any) -> HTMLResponse:
    """A page that asks the catalog nothing: login and errors."""
    context.setdefault("nav", None)
    context["allowed"] = request.state.identity.may  # what would be refused is not offered
    sent = request.method == "POST"
    context["belongs"] = came_from(request) or _nearest(request, request.url.path) if sent else ""
    html = environment.get_template(template).render(
        request=request, path=request.url.path, csrf=request.state.csrf, theme=theme_of(request), **context
    )
    return HTMLResponse(html, http_status)


def page(request: Request, session: Session, template: str, **context: Any) -> Response:
    """A page with the counts of the navigation bar. Past the last page of the list that it shows, where an old link may
    lead, it sends on to the last."""
    found = context.get("found")
    if isinstance(found, Listing) and found.offset >= found.total > 0:
        return RedirectResponse(request.url.path + query(request, page=found.count), 303)
    return bare_page(request, template, nav=home.navigation(session), **context)
