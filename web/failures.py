"""Errors as answers: one JSON schema for the API, one page for people; both say the cause and the remedy."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import OperationalError, ProgrammingError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from catalog.errors import AssayError, BrokerError, Changed, NotFound, StoreError, UsageError
from catalog.roles import READ
from catalog.wording import unlisted
from web.render import bare_page, came_from

log = logging.getLogger(__name__)

STATUS_BY_KIND = {
    "unauthorized": 401,
    "forbidden": 403,
    "too_many_tries": 429,
    "too_large": 413,
    "too_slow": 408,
    "changed": 409,
    "conflict": 409,
    "tables_lost": 409,
    "delivery_error": 502,
    "provider_error": 502,
    "refused": 403,
    "held": 202,
    "invalid_request": 422,
}
CAUSES = {
    400: ("invalid_request", "the body of the request cannot be parsed", "send valid JSON, or the form of the page"),
    404: ("not_found", "there is no such page", "start from the home page"),
    405: ("method_not_allowed", "this address does not take that method", "see the API page for what it takes"),
}


class Conflict(UsageError):
    """The thing is no longer in the state that the request assumed, or its name is taken."""


class TablesLost(Conflict):
    """A source that is changed so would not have tables that it has: somebody has to want that."""

    def __init__(self, names: Sequence[str], closed: Sequence[str] = ()) -> None:
        few = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
        left = "table is" if len(names) == 1 else "tables are"
        super().__init__(
            f"{len(names)} {left} not there and would not be watched any more: {few}"
            + (f"; {unlisted(closed)}" if closed else ""),
            remedy="correct the folder or the names; or say `leave_out`: what was learned of them is kept",
        )
        self.names, self.closed = list(names), list(closed)


class InvalidRequest(UsageError):
    """A name or value of the request cannot be used."""


def status_of(error: AssayError) -> int:
    """The HTTP status of an error.

    >>> status_of(NotFound("x")), status_of(UsageError("x")), status_of(BrokerError("x"))
    (404, 400, 503)
    """
    if error.kind in STATUS_BY_KIND:
        return STATUS_BY_KIND[error.kind]
    if isinstance(error, NotFound):
        return 404
    if isinstance(error, UsageError):
        return 400
    return 503 if isinstance(error, BrokerError | StoreError) else 500


def failure_json(error: AssayError, status: int) -> JSONResponse:
    return JSONResponse({"error": {"kind": error.kind, "cause": error.cause, "remedy": error.remedy}}, status)


def failure_page(scope: Scope, error: AssayError, status: int, sent: Sequence[tuple[str, str]] = ()) -> Response:
    """The error as a page, with the menu for whoever may read; `sent` is the form that can be sent again. It reads
    nothing from the catalog, which may be what is broken: the menu tells no counts."""
    request = Request(scope)
    nav = {"incidents": 0, "waiting": 0, "runs": 0} if request.state.identity.may(READ) else None
    told = {"error": error, "code": status, "back": came_from(request), "nav": nav, "sent": sent}
    return bare_page(request, "error.html", http_status=status, **told)


async def ask_again(request: Request, error: Changed) -> Response:
    """The page that says what is so now, with what was sent, which takes another press of a button."""
    form = [(name, str(value)) for name, value in (await request.form()).multi_items() if name not in ("csrf", "seen")]
    return failure_page(request.scope, error, status_of(error), [*form, ("seen", error.seen)])


def answer(request: Request, error: AssayError, status: int | None = None) -> Response:
    code = status or status_of(error)
    if request.url.path.startswith(("/api/", "/metrics")):
        return failure_json(error, code)
    return failure_page(request.scope, error, code)


class _Plain(AssayError):
    """An error of the web framework under a kind of its own."""

    def __init__(self, kind: str, cause: str, remedy: str) -> None:
        super().__init__(cause, remedy=remedy)
        self._kind = kind

    @property
    def kind(self) -> str:
        return self._kind


#: What is wrong with a field, in words for whoever filled it in; what is not among them is said as it was found out.
WRONG = {"float_parsing": "that is no number", "int_parsing": "that is no whole number", "missing": "it is missing"}


def _invalid(error: RequestValidationError) -> AssayError:
    """Name the first few fields that cannot be used."""
    said = [
        f"{'.'.join(str(p) for p in e['loc'][1:]) or e['loc'][0]}: {WRONG.get(e['type'], e['msg'])}"
        for e in error.errors()[:5]
    ]
    return _Plain("invalid_request", "; ".join(said), "correct the values named and send the request again")


def bug(scope: Scope, error: Exception) -> Response:
    """The answer to an error nobody foresaw: it goes to the log, not to the reader."""
    log.error("unexpected error at %s", scope["path"], exc_info=error)
    said = _Plain("internal", "something unexpected went wrong", "see the log of the web process")
    return answer(Request(scope), said, 500)


def unreadable_catalog(scope: Scope, error: Exception) -> Response:
    """The answer where the catalog's database cannot be asked."""
    log.error("the catalog's database failed", exc_info=error)
    cause = str(getattr(error, "orig", None) or error).splitlines()[0]
    remedy = "check ASSAY_DATABASE_URL and that the database runs; `assay up` brings its tables up to date"
    return answer(Request(scope), StoreError(f"the catalog's database failed: {cause}", remedy=remedy), 503)


def install(app: FastAPI) -> None:
    """Answer every error of `app` in the one form."""

    async def on_assay(request: Request, error: Any) -> Response:
        if isinstance(error, Changed) and not request.url.path.startswith("/api/"):
            return await ask_again(request, error)
        return answer(request, error)

    async def on_http(request: Request, error: Any) -> Response:
        kind, cause, remedy = CAUSES.get(error.status_code, ("http_error", str(error.detail), ""))
        if error.status_code == 404 and request.url.path.startswith("/api/"):
            cause, remedy = "there is no such address", "see /api for those there are"
        return answer(request, _Plain(kind, cause, remedy), error.status_code)

    async def on_invalid(request: Request, error: Any) -> Response:
        of_place = all(one["loc"][0] == "path" for one in error.errors())
        if of_place and not request.url.path.startswith("/api/"):  # /tables/orders: pages are found by number
            return await on_http(request, HTTPException(404))
        return answer(request, _invalid(error), 422)

    async def on_database(request: Request, error: Any) -> Response:
        return unreadable_catalog(request.scope, error)

    app.add_exception_handler(AssayError, on_assay)
    app.add_exception_handler(HTTPException, on_http)
    app.add_exception_handler(RequestValidationError, on_invalid)
    app.add_exception_handler(OperationalError, on_database)
    app.add_exception_handler(ProgrammingError, on_database)
