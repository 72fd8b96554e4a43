"""The web application: pages for people, a JSON interface beside them.

It reads the catalog and gives work to the task queue by name. It imports neither Spark nor the flow.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import PackageNotFoundError, version

from fastapi import Depends, FastAPI
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from catalog.settings import Settings, get_settings
from catalog.store.engine import make_engine
from catalog.vault import Vault
from web import api, failures
from web.access.auth import Gate, Keys, check_binding, check_form
from web.access.gate import permit
from web.access.oidc import Provider
from web.access.throttle import Throttle
from web.alone import Alone
from web.pages.access import account, approvals, audit, people, sign_on, unmasked
from web.pages.expectations import alerts, checks, contracts, incidents, ledger, rules
from web.pages.lake import columns, learners, owners, sources, tables
from web.pages.meaning import glossary, review, upgrade, workbench
from web.pages.service import home, reports, runs
from web.queue import Queue
from web.render import HERE
from web.shown.workbench import Index

PAGES = (
    home,
    tables,
    checks,
    contracts,
    columns,
    workbench,
    rules,
    incidents,
    ledger,
    runs,
    sources,
    learners,
    account,
    sign_on,
    people,
    owners,
    alerts,
    glossary,
    approvals,
    reports,
    review,
    upgrade,
    audit,
    unmasked,
)


class LastingFiles(StaticFiles):
    """Static files whose addresses carry a digest of their content: a browser may keep them."""

    def file_response(self, *args, **kwargs):  # type: ignore[no-untyped-def]
        response = super().file_response(*args, **kwargs)
        scope: Scope = args[2] if len(args) > 2 else kwargs["scope"]
        lasting = b"v=" in scope.get("query_string", b"")
        response.headers["cache-control"] = "public, max-age=31536000, immutable" if lasting else "no-cache"
        return response


def program_version() -> str:
    try:
        return version("assay-catalog")
    except PackageNotFoundError:  # run from a source tree that was never installed
        return "0"


def create_app(settings: Settings | None = None) -> FastAPI:
    """The application over the catalog that `settings` name.

    Nothing is connected before the first request. Errors: `SettingError` when it would serve other machines where
    nobody has to log in.
    """
    settings = settings or get_settings()
    check_binding(settings)
    engine = make_engine(settings.database)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        app.state.queue.close()
        app.state.alone.close()
        engine.dispose()

    app = FastAPI(
        title="Assay",
        version=program_version(),
        description="Tags, learned rules, verdicts and incidents of the tables of a Delta lake.",
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # both would load scripts from other hosts; /api lists the same in plain HTML
        redoc_url=None,
        lifespan=lifespan,
    )
    keys = Keys(settings.access_token)
    app.state.settings, app.state.engine, app.state.keys = settings, engine, keys
    app.state.queue, app.state.throttle, app.state.index = Queue(settings), Throttle(), Index(settings)
    app.state.alone = Alone(settings, engine)
    app.state.vault, app.state.provider = Vault(settings), Provider(settings)
    for module in PAGES:
        app.include_router(module.router, include_in_schema=False, dependencies=[Depends(permit), Depends(check_form)])
    app.include_router(api.router, dependencies=[Depends(permit)])
    app.mount("/static", LastingFiles(directory=HERE / "static"), name="static")
    failures.install(app)
    app.add_middleware(Gate, settings=settings, keys=keys, engine=engine)
    return app
