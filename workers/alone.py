"""One run without a worker: ``python -m workers.alone RUN``, for what a person waits for where no worker is there."""

from __future__ import annotations

import sys

from catalog.flow.context import Context
from catalog.logs import log_to_stderr
from catalog.settings import get_settings
from workers.tasks import crawl_run


def main(run_id: int) -> None:
    """Do what the run says; how it ended is told on it."""
    settings = get_settings()
    log_to_stderr(settings.log_level)
    context = Context(settings)
    try:
        crawl_run(context, run_id)
    finally:
        context.close()


if __name__ == "__main__":
    main(int(sys.argv[1]))
