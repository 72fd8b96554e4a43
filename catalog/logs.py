"""Logs: lines on standard error, with no value of any cell in them.

Tracebacks show where something failed, never what the variables held. Messages of libraries quote cells that they could
not convert; these are masked like everything else that is told.
"""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import MutableMapping
from typing import Any


def log_to_stderr(level: str) -> None:
    """Set up the logs of this process."""
    import structlog

    number = logging.getLevelNamesMapping()[level.upper()]
    lines = logging.StreamHandler()
    lines.setFormatter(Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.basicConfig(level=max(number, logging.INFO), handlers=[lines])
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.StackInfoRenderer(),
            structlog.processors.TimeStamper(fmt="%Y-%m-%d %H:%M:%S", utc=False),
            hide_values,
            structlog.dev.ConsoleRenderer(
                colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
            ),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        # asked again for each line: whoever replaces standard error does not leave a closed file behind
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )


def hide_values(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Step of structlog: texts of an event without values; an exception becomes its traceback."""
    from catalog.tags.privacy.inside import without_values  # dictionaries: only when something is logged

    told = event.pop("exc_info", None)
    if told:
        error = told if isinstance(told, BaseException) else told[1] if isinstance(told, tuple) else sys.exc_info()[1]
        if error is not None:
            event["exception"] = "".join(traceback.format_exception(error)).rstrip()
    return {name: without_values(value) if isinstance(value, str) else value for name, value in event.items()}


class Formatter(logging.Formatter):
    """Lines of the standard library's logs, without values."""

    def format(self, record: logging.LogRecord) -> str:
        from catalog.tags.privacy.inside import without_values

        return without_values(super().format(record))
