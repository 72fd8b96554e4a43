"""``python -m web``: the page on the address that settings name."""

from __future__ import annotations

import logging

import uvicorn

from catalog.logs import log_to_stderr
from catalog.settings import Settings, get_settings
from catalog.store.engine import upgrade
from web.app import create_app

GRACE = 10  # seconds that requests under way have when the service is told to stop; chosen: pages take less


def serve(settings: Settings) -> None:
    """Serve until interrupted; the catalog's schema is brought up to date first.

    Errors: `SettingError` when it would serve other machines without an access token.
    """
    if not logging.getLogger().handlers:
        log_to_stderr(settings.log_level)
    app = create_app(settings)
    upgrade(app.state.engine)
    uvicorn.run(
        app,
        host=settings.host,
        port=settings.port,
        log_level=settings.log_level.lower(),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies or None,
        timeout_graceful_shutdown=GRACE,
    )


if __name__ == "__main__":
    serve(get_settings())
