"""Asks a process of its own whether a source can be read: this one reads no lake, and no slow store holds it up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from catalog.errors import UsageError
from catalog.settings import Settings

PATIENCE = 60  # seconds; a bound


def probe(
    settings: Settings, uri: str, include: Sequence[str], exclude: Sequence[str], **more: Any
) -> tuple[list[tuple[str, str]], list[str]]:
    """The tables under an address, and the folders there that cannot be listed, as `catalog.flow.reading.probe` finds
    them; `more`: see there. Errors: `UsageError`."""
    asked = json.dumps({"uri": uri, "include": list(include), "exclude": list(exclude), **more})
    command = [sys.executable, "-m", "catalog.flow.reading.probe"]
    environment = {**os.environ, **settings.as_environment()}
    try:
        done = subprocess.run(  # noqa: S603 - of our own; what the user gave goes to its input
            command, input=asked, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=True
        )
    except subprocess.TimeoutExpired as error:
        remedy = "check the address and the network, or register it untested"
        raise UsageError(f"{uri} does not answer within {PATIENCE} s", remedy=remedy) from error
    except subprocess.CalledProcessError as error:
        last = (error.stderr or "").strip().rpartition("\n")[2][:300]
        raise UsageError(f"{uri} cannot be looked into ({last})", remedy="check the address and the rights") from error
    told = json.loads(done.stdout)
    if "tables" not in told:
        raise UsageError(told["cause"], remedy=told["remedy"])
    return [(name, address) for name, address in told["tables"]], told["closed"]
