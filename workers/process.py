"""A worker's process."""

from __future__ import annotations

import os
import socket
from typing import Any

from celery.signals import setup_logging, worker_ready

from catalog.settings import Settings
from workers.app import make_app
from workers.names import WARM


def run_worker(settings: Settings) -> int:
    """Work until told to stop; the exit code. SIGTERM lets the running task end, SIGQUIT puts it back after some
    seconds."""
    app = make_app(settings)

    @setup_logging.connect(weak=False)
    def keep_logging(**_: Any) -> None:
        """The logs are set up already: Celery leaves them alone."""

    @worker_ready.connect(weak=False)
    def warm_up(**_: Any) -> None:
        app.send_task(WARM, expires=60)

    worker = app.Worker(
        hostname=f"assay-{os.getpid()}@{socket.gethostname()}",
        loglevel=settings.log_level,
        without_gossip=True,
        without_mingle=True,
        optimization="fair",
    )
    worker.start()
    return worker.exitcode or 0
