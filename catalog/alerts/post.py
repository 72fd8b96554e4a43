"""Handing messages to the process that sends them (`catalog.alerts.outlet`)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from catalog.alerts.outlet import AUTHORITIES

#: What the process is told of this machine: neither settings nor credentials, nor a proxy, by which an address would
#: be reached without being seen.
_PASSED = ("PATH", "LANG", "LC_ALL", "TZ", *AUTHORITIES)
FIRST, EACH = 30.0, 15.0  # seconds: until the first is sent, and for each further one; bounds


def post(messages: Sequence[dict[str, Any]], allowed: str) -> dict[Any, str]:
    """Send messages ``{id, address, title, body, kind, headers, payload_extras}`` one after the other: by id the
    error, empty where it was taken. `allowed` is the setting `alert_networks`."""
    listed = list(messages)
    if not listed:
        return {}
    given = json.dumps({"allowed": allowed, "messages": listed})
    root = str(Path(__file__).resolve().parents[2])
    environment = {name: os.environ[name] for name in _PASSED if name in os.environ}
    environment |= {"PYTHONPATH": root, "NO_PROXY": "*", "HOME": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "catalog.alerts.outlet"],
        env=environment,
        cwd=root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    late = ""
    try:
        said, trouble = process.communicate(given, timeout=FIRST + EACH * len(listed))
    except subprocess.TimeoutExpired:
        process.kill()
        said, trouble = process.communicate()
        late = "no answer in time"
    found = {}
    for line in said.splitlines():
        told = json.loads(line)
        found[told["id"]] = "" if told["ok"] else str(told["error"])
    last = trouble.strip().splitlines()[-1:] if process.returncode and not late else []
    missing = late or "the sending process failed" + (f": {last[0].partition(':')[0]}" if last else "")
    return {one["id"]: found.get(one["id"], missing) for one in listed}
