"""Who may ask: token, session cookie, form tokens, and the headers every answer carries.

Without an access token the page serves this machine only: it listens on a loopback address and answers only to
loopback host names (so a web page elsewhere cannot reach it by rebinding a name). With one, every path but the login
form and the static files wants it, as ``Authorization: Bearer TOKEN`` or as the cookie the login form gives.

Writing requests are refused when a browser says that another site sent them, and HTML forms carry a token bound to a
cookie (double submit, signed), so that a page without that cookie cannot forge them.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import time
from collections import deque
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from urllib.parse import quote, urlsplit

from fastapi import Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from catalog.errors import SettingError, UsageError
from catalog.settings import Settings
from web.failures import bug, failure_json, failure_page

SESSION_COOKIE, FORM_COOKIE = "assay_session", "assay_form"
SESSION_SECONDS = 14 * 86400
SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
OPEN_PATHS = {"/login", "/theme"}
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


class Unauthorized(UsageError):
    """The access token is missing or wrong."""

    remedy = "send the header 'Authorization: Bearer TOKEN' with the value of ASSAY_ACCESS_TOKEN, or log in at /login"


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
    """Refuse to serve other machines without an access token (`SettingError`)."""
    if not settings.access_token and not is_loopback(settings.host):
        raise SettingError(
            f"the page would listen on {settings.host} for everyone, without an access token",
            remedy="set ASSAY_ACCESS_TOKEN, or ASSAY_HOST=127.0.0.1",
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

    def session(self, at: float) -> str:
        """A cookie value that `session_valid` accepts for `SESSION_SECONDS` after `at` (epoch seconds)."""
        text = f"{int(at) + SESSION_SECONDS}.{secrets.token_hex(8)}"
        return f"{text}.{self.sign('session ' + text)}"

    def session_valid(self, cookie: str, at: float) -> bool:
        text, _, signature = cookie.rpartition(".")
        expiry = text.partition(".")[0]
        return same(signature, self.sign("session " + text)) and expiry.isdigit() and int(expiry) > at

    def form(self, nonce: str) -> str:
        """The hidden field of a form shown to the browser that holds `nonce` in its cookie."""
        return self.sign("form " + nonce)


class Throttle:
    """At most `limit` wrong tokens in `seconds` for each client; then everyone there waits."""

    def __init__(self, limit: int = 10, seconds: float = 60.0) -> None:
        self.limit, self.seconds = limit, seconds
        self._wrong: dict[str, deque[float]] = {}

    def blocked(self, client: str, at: float) -> bool:
        wrong = self._wrong.get(client, deque())
        while wrong and wrong[0] < at - self.seconds:
            wrong.popleft()
        return len(wrong) >= self.limit

    def note(self, client: str, at: float) -> None:
        if len(self._wrong) > 10_000:  # a flood from many addresses may not fill the memory
            self._wrong.clear()
        self._wrong.setdefault(client, deque()).append(at)


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

    def __init__(self, app: ASGIApp, settings: Settings, keys: Keys) -> None:
        self.app, self.settings, self.keys = app, settings, keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        cookies = _cookies(headers)
        known = cookies.get(FORM_COOKIE, "")
        nonce = known if len(known) == 32 and known.isalnum() else secrets.token_hex(16)
        state = scope.setdefault("state", {})
        state["form_nonce"], state["csrf"] = nonce, self.keys.form(nonce)

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
            await send(message)

        refusal = self._refusal(scope, headers, cookies)
        try:
            await (refusal or self.app)(scope, receive, guarded)
        except Exception as error:  # the last net: nothing above it would put the headers on the answer
            if started:
                raise
            await bug(scope, error)(scope, receive, guarded)

    def _refusal(self, scope: Scope, headers: Headers, cookies: dict[str, str]) -> Response | None:
        """The answer to a request that may not pass, or None."""
        path, method = scope["path"], scope["method"]
        is_api = path.startswith(("/api/", "/metrics"))
        bearer = headers.get("authorization", "")
        by_header = bool(self.keys.token) and bearer[:7].lower() == "bearer " and same(bearer[7:], self.keys.token)
        if not self.keys.token and not is_loopback(_host_name(headers.get("host", ""))):
            wrong = Forbidden("this page serves its own machine only", remedy="open it as http://127.0.0.1:PORT")
            return failure_json(wrong, 403) if is_api else failure_page(scope, wrong, 403)
        if method not in SAFE_METHODS and not by_header and _foreign(headers):
            wrong = Forbidden(
                "the request comes from another site",
                remedy="use the form on this page; a proxy in front must pass on the Host",
            )
            return failure_json(wrong, 403) if is_api else failure_page(scope, wrong, 403)
        if not self.keys.token or by_header or path in OPEN_PATHS or path.startswith("/static/"):
            return None
        if self.keys.session_valid(cookies.get(SESSION_COOKIE, ""), time.time()):
            return None
        if is_api:
            response: Response = failure_json(Unauthorized("the access token is missing or wrong"), 401)
            response.headers["www-authenticate"] = "Bearer"
            return response
        query = scope.get("query_string", b"").decode("latin-1")
        target = path + ("?" + query if query else "") if method in SAFE_METHODS else "/"
        return RedirectResponse("/login?next=" + quote(target, safe=""), 303)


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
