"""Who may ask: token, session cookie, form tokens, and the headers every answer carries.

Without people, an access token or an identity provider the page serves this machine only: it listens on a loopback
address and answers only to loopback host names (so a web page elsewhere cannot reach it by rebinding a name). As soon
as somebody has an account, or there is one of the others, every path but the login form and the static files wants to
know who asks: by ``Authorization: Bearer TOKEN`` or by the cookie that a login gives, which stands for a session that
is kept, and ended, in the catalog (`catalog.store.access.sessions`). What that person may do is asked route by route
(`web.access.gate`). Wrong tokens are counted by the address they come from, and so are wrong logins by the form, each
for itself. A right token passes whatever else came from its address: behind a proxy everybody may have the same one.

Writing requests are refused when a browser says that another site sent them, and HTML forms carry a token bound to a
cookie (double submit, signed), so that a page without that cookie cannot forge them.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import time
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from urllib.parse import quote, urlsplit

from anyio import move_on_after, to_thread
from fastapi import Request
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError, ProgrammingError
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from catalog.errors import AssayError, SettingError, StoreError, UsageError
from catalog.roles import READ, Identity, everyone_here
from catalog.settings import Settings
from catalog.store.access import people
from catalog.store.access.sessions import find_web_session
from catalog.store.engine import make_engine, upgrade
from catalog.store.engine import session as open_session
from web.access.throttle import Throttle, TooManyTries
from web.failures import bug, failure_json, failure_page, status_of, unreadable_catalog
from web.render import came_from

SESSION_COOKIE, FORM_COOKIE = "assay_session", "assay_form"
SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
OPEN_PATHS = {"/login", "/login/provider", "/login/provider/back", "/theme"}
PROBES = {"/metrics", "/api/v1/health"}
MOST_BYTES = 2**20  # of a request: a thousand globs of a source fit; a bound
PATIENCE = 60.0  # seconds that a request's body may take to arrive; a bound: 17 KB a second are enough
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


NOBODY = Identity("nobody", frozenset(), "none")
SERVICE = "access-token"  # whoever has the service's own token
UNGUESSABLE = 20  # characters of an access token that nobody finds by trying; chosen: 80 bits in hexadecimal
PERSON = "account"  # what a person's session belongs to


class Unauthorized(UsageError):
    """The access token is missing or wrong."""

    remedy = (
        "send the header 'Authorization: Bearer TOKEN' with a token of yours or ASSAY_ACCESS_TOKEN, or log in at /login"
    )


class Forbidden(UsageError):
    """The request comes from another site, or from a form that is too old."""


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine only.

    >>> [is_loopback(h) for h in ("127.0.0.1", "::1", "[::1]", "localhost", "0.0.0.0", "example.org")]
    [True, True, True, True, False, False]
    """
    name = host.strip("[]").lower()
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def check_binding(settings: Settings) -> None:
    """Refuse to serve other machines where nobody has to log in (`SettingError`)."""
    if settings.access_token or settings.oidc_issuer or is_loopback(settings.host):
        return
    engine = make_engine(settings.database)
    try:
        upgrade(engine)
        with open_session(engine, write=False) as session:
            known = people.has_users(session)
    finally:
        engine.dispose()
    if not known:
        raise SettingError(
            f"the page would listen on {settings.host} for everyone, without an access token or an account",
            remedy="make an account with `assay user add NAME --role admin`, or set ASSAY_HOST=127.0.0.1",
        )


def same(a: str, b: str) -> bool:
    """Compare in a time that does not tell where two strings differ."""
    return hmac.compare_digest(a.encode(), b.encode())


class Keys:
    """What is signed, and by which key: the access token, or a random key of this process."""

    def __init__(self, token: str) -> None:
        self.token = token
        self._key = sha256(b"assay " + token.encode()).digest() if token else secrets.token_bytes(32)

    def sign(self, text: str) -> str:
        return hmac.new(self._key, text.encode(), sha256).hexdigest()

    @property
    def key(self) -> str:
        """What a session is bound to: it ends when the token changes."""
        return self.sign("session")

    def form(self, nonce: str) -> str:
        """The hidden field of a form shown to the browser that holds `nonce` in its cookie."""
        return self.sign("form " + nonce)


class TooLarge(UsageError):
    """The request holds more than any that this page takes."""

    remedy = f"send at most {MOST_BYTES:,} bytes"


class TooSlow(UsageError):
    """The request did not arrive as a whole while it was waited for."""

    remedy = "send it again"


def _cookies(headers: Headers) -> dict[str, str]:
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(headers.get("cookie", "")).items()}
    except CookieError:
        return {}


def _foreign(headers: Headers) -> bool:
    """Whether the browser says that another site sent this request."""
    if headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        return True
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != headers.get("host", "")


class Gate:
    """The outermost ASGI layer: lets a request in or answers it, and puts the security headers on every answer."""

    def __init__(self, app: ASGIApp, settings: Settings, keys: Keys, engine: Engine) -> None:
        self.app, self.settings, self.keys, self.engine = app, settings, keys, engine
        self.throttle = Throttle()  # of wrong tokens; wrong logins have another
        self._people = False  # whether somebody has an account; once true, always
        self._guarded = bool(keys.token or settings.oidc_issuer)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        head = scope["method"] == "HEAD"  # what GET answers, without the body
        scope = {**scope, "method": "GET"} if head else scope
        headers = Headers(scope=scope)
        cookies = _cookies(headers)
        known = cookies.get(FORM_COOKIE, "")
        nonce = known if len(known) == 32 and known.isalnum() else secrets.token_hex(16)
        state = scope.setdefault("state", {})
        state["form_nonce"], state["csrf"] = nonce, self.keys.form(nonce)
        state["identity"], state["closed"] = NOBODY, self._guarded

        started = False

        async def guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                out = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    out.setdefault(name, value)
                is_page = out.get("content-type", "").startswith("text/html")
                if not scope["path"].startswith("/static/"):
                    out.setdefault("cache-control", "no-store")
                if is_page and nonce != known:
                    secure = "; Secure" if scope["scheme"] == "https" else ""
                    out.append("set-cookie", f"{FORM_COOKIE}={nonce}; Path=/; HttpOnly; SameSite=Strict{secure}")
            if head and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        try:
            refusal = await to_thread.run_sync(self._refusal, scope, headers, cookies)
            if refusal is None and scope["method"] not in SAFE_METHODS:
                receive, refusal = await _within_limit(scope, headers, receive)
            await (refusal or self.app)(scope, receive, guarded)
        except Exception as error:  # the last net: nothing above it would put the headers on the answer
            if started:
                raise
            await bug(scope, error)(scope, receive, guarded)

    def _refusal(self, scope: Scope, headers: Headers, cookies: dict[str, str]) -> Response | None:
        """The answer to a request that may not pass, or None."""
        path, method = scope["path"], scope["method"]
        is_api = path.startswith(("/api/", "/metrics"))
        if path.startswith("/static/"):
            return None
        try:
            closed = self._closed()
            by_header, wrong = self._by_header(scope, headers) if closed else (None, None)
            who = by_header or (self._by_session(cookies.get(SESSION_COOKIE, "")) if closed else everyone_here())
        except (StoreError, ProgrammingError, OperationalError) as error:
            return self._unknown(scope, error)
        state = scope["state"]
        state["closed"], state["identity"] = closed, who or NOBODY
        if wrong is not None:
            return failure_json(wrong, 429) if is_api else failure_page(scope, wrong, 429)
        if not closed and not is_loopback(_host_name(headers.get("host", ""))):
            wrong = Forbidden("this page serves its own machine only", remedy="open it as http://127.0.0.1:PORT")
            return failure_json(wrong, 403) if is_api else failure_page(scope, wrong, 403)
        if method not in SAFE_METHODS and not by_header and _foreign(headers):
            wrong = Forbidden(
                "the request comes from another site",
                remedy="use the form on this page; a proxy in front must pass on the Host",
            )
            return failure_json(wrong, 403) if is_api else failure_page(scope, wrong, 403)
        if who is not None or path in OPEN_PATHS:
            return None
        if path in PROBES and self._open_probes():
            state["identity"] = Identity("monitoring", frozenset({READ}), "viewer")
            return None
        if is_api:
            response: Response = failure_json(Unauthorized("the access token is missing, wrong or over"), 401)
            response.headers["www-authenticate"] = "Bearer"
            return response
        query = scope.get("query_string", b"").decode("latin-1")
        target = path + ("?" + query if query else "") if method in SAFE_METHODS else came_from(Request(scope)) or "/"
        return RedirectResponse("/login?next=" + quote(target, safe=""), 303)

    def _closed(self) -> bool:
        """Whether everybody has to log in: there is a token or a provider, or somebody has an account."""
        if not self._people:
            with open_session(self.engine, write=False) as session:
                self._people = people.has_users(session)
        return self._people or self._guarded

    def _unknown(self, scope: Scope, error: Exception) -> Response | None:
        """Nobody can be told from anybody without the catalog. Probes say so themselves; on this machine without a
        token, pages say what is wrong."""
        if not self._guarded and is_loopback(self.settings.host) and scope["path"] in PROBES:
            scope["state"]["identity"] = Identity("monitoring", frozenset({READ}), "viewer")
            return None
        return unreadable_catalog(scope, error)

    def _by_header(self, scope: Scope, headers: Headers) -> tuple[Identity | None, AssayError | None]:
        """Whom the request's token stands for, and that too many wrong ones came.

        What people chose themselves, as a short access token, waits with the wrong ones: it could be found by trying.
        """
        given = headers.get("authorization", "")
        if given[:7].lower() != "bearer ":
            return None, None
        client, moment = peer(scope), time.time()
        with open_session(self.engine, write=False) as session:
            who = people.by_token(session, given[7:], rests_after=self.settings.oidc_token_days)
        own = bool(self.keys.token) and same(given[7:], self.keys.token)
        blocked = self.throttle.blocked(client, moment)
        if own and (not blocked or len(self.keys.token) >= UNGUESSABLE):
            who = everyone_here(SERVICE)
        if who is None and blocked:
            return None, TooManyTries("too many wrong tokens came from this address")
        if who is None:
            self.throttle.note(client, moment, "a wrong token")
        return who, None

    def _by_session(self, secret: str) -> Identity | None:
        """Who logged in with this browser."""
        if not secret:
            return None
        with open_session(self.engine, write=False) as session:
            found = find_web_session(session, secret, PERSON)
            if found is not None:
                return people.active_identity(session, found.user_id)
            known = self.keys.token and find_web_session(session, secret, self.keys.key) is not None
            return everyone_here(SERVICE) if known else None

    def _open_probes(self) -> bool:
        """Whether monitoring gets its figures without the token. Behind a proxy, localhost is everybody."""
        local = is_loopback(self.settings.host) and not self.settings.trusted_proxies
        return local or self.settings.open_probes


def peer(scope: Scope) -> str:
    """The address that a request came from. A proxy's word for it counts where settings trust that proxy: the server
    has put it there then."""
    client = scope.get("client")
    return str(client[0]) if client else ""


async def _within_limit(scope: Scope, headers: Headers, receive: Receive) -> tuple[Receive, Response | None]:
    """The body of a request, read until its end or the limit: what a header says of its length is not believed."""
    is_api = scope["path"].startswith("/api/")
    told = headers.get("content-length", "0")
    read: list[bytes] = []
    size, more = int(told) if told.isdecimal() and len(told) < 20 else 0, True
    size = size if size > MOST_BYTES else 0
    with move_on_after(PATIENCE) as waiting:
        while more and size <= MOST_BYTES:
            message = await receive()
            if message["type"] != "http.request":
                break
            read.append(message.get("body", b""))
            size, more = size + len(read[-1]), message.get("more_body", False)
    if waiting.cancelled_caught or size > MOST_BYTES:
        refused = TooLarge("the request is too large") if size > MOST_BYTES else TooSlow("the request did not arrive")
        code = status_of(refused)
        return receive, failure_json(refused, code) if is_api else failure_page(scope, refused, code)
    whole: list[Message] = [{"type": "http.request", "body": b"".join(read), "more_body": False}]

    async def again() -> Message:
        return whole.pop() if whole else await receive()

    return again, None


def _host_name(host: str) -> str:
    """The host without its port.

    >>> _host_name("[::1]:80"), _host_name("localhost:8420")
    ('::1', 'localhost')
    """
    try:
        return urlsplit("//" + host).hostname or ""
    except ValueError:
        return ""


async def check_form(request: Request) -> None:
    """Dependency of every page: a writing request must carry the form token of this browser (`Forbidden`)."""
    if request.method in SAFE_METHODS:
        return
    form = await request.form()
    given = form.get("csrf")
    if FORM_COOKIE not in request.cookies or not isinstance(given, str) or not same(given, request.state.csrf):
        raise Forbidden("this form is too old or was not made for this browser", remedy="reload the page and try again")


def local_path(target: str | None) -> str:
    """A path of this page to go to next; anything else becomes the home page.

    >>> local_path("/tables/3?page=2"), local_path("//evil.example"), local_path("https://evil.example/")
    ('/tables/3?page=2', '/', '/')
    """
    text = target or "/"
    hostile = not text.startswith("/") or text.startswith(("//", "/\\")) or any(ord(c) < 33 for c in text)
    return "/" if hostile else text
