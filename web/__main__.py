"""``python -m web``: the page on the address that settings name."""

from __future__ import annotations

import uvicorn

from catalog.settings import Settings, get_settings
from catalog.store.engine import upgrade
from web.app import create_app


def serve(settings: Settings) -> None:
    """Serve until interrupted; the catalog's schema is brought up to date first.

    Errors: `SettingError` when it would serve other machines without an access token.
    """
    app = create_app(settings)
    upgrade(app.state.engine)
    uvicorn.run(
        app,
        host=settings.host,
        port=settings.port,
        log_level=settings.log_level.lower(),
        access_log=False,
        server_header=False,
        proxy_headers=True,
        forwarded_allow_ips="127.0.0.1",
    )


if __name__ == "__main__":
    serve(get_settings())
