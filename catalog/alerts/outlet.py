"""The process that sends: ``python -m catalog.alerts.outlet`` reads messages as JSON and says of each how it went.

Addresses are what users gave, and Apprise knows many services: rather than to trust each of them, the whole process is
kept from reaching what it must not. The interpreter's audit hooks see every connection with the address that was
resolved, after every redirect, every file that is opened and every program that would be started.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Sequence
from typing import Any

from catalog.addresses import Network, networks
from catalog.alerts.address import without
from catalog.alerts.networks import forbidden
from catalog.alerts.trouble import why

#: Programs that a service could start, and ways to get round the hooks.
_STARTS = (
    *("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty", "pty.spawn"),
    *("ctypes.dlopen", "os.startfile"),
)
#: Beside Python itself and this program: what libraries look up to name types, zones and authorities.
_READABLE = (
    *("/usr/lib", "/usr/local/lib", "/usr/local/etc", "/usr/share/zoneinfo", "/etc/ssl", "/etc/pki", "/etc/httpd"),
    *("/etc/ca-certificates", "/etc/apache", "/etc/mime.types", "/etc/localtime", "/etc/hosts", "/etc/resolv.conf"),
    *("/dev/null", "/dev/urandom"),
)


#: Where whoever runs the service says that certificates of authorities of its own lie.
AUTHORITIES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")


class Refused(PermissionError):
    """The address leads where no alert may go."""


class Guard:
    """The hooks. `met` are the addresses that were refused, so that an error can say it."""

    def __init__(self, allowed: Sequence[Network]) -> None:
        self.allowed = allowed
        self.met: list[str] = []
        authorities = [os.path.realpath(os.environ[name]) for name in AUTHORITIES if os.environ.get(name)]
        own = (sys.prefix, sys.base_prefix, os.path.dirname(os.path.dirname(__file__)))
        self.readable = (*_READABLE, *own, *authorities)

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        if event in ("socket.connect", "socket.sendto", "socket.sendmsg", "socket.bind"):
            self._connection(args[1])
        elif event == "open":
            self._file(args[0], args[1], args[2])
        elif event in _STARTS:
            raise PermissionError("an alert starts no program")

    def _connection(self, address: Any) -> None:
        host = address[0] if isinstance(address, tuple) and address else None
        if address is not None and (not isinstance(host, str) or forbidden(host, self.allowed)):
            self.met.append(host if isinstance(host, str) else "a socket of this machine")
        if self.met:  # a name of several addresses, one of them inside: it is told at none, or it would be told again
            raise Refused(f"{self.met[-1]} is in the service's own network")

    def _file(self, path: Any, mode: Any, flags: Any) -> None:
        if isinstance(path, int):
            return
        name = os.path.realpath(os.fsdecode(path))
        writes = bool((flags or 0) & (os.O_WRONLY | os.O_RDWR)) or any(one in (mode or "") for one in "wax+")
        if name != "/dev/null" and (writes or not name.startswith(self.readable)):
            raise PermissionError("an alert opens no file")


class _Heard(logging.Handler):
    """The last trouble that Apprise told of, and why: it says so to its debug log at most, of which the error that it
    was handling then is taken, and no text."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.forget()

    def forget(self) -> None:
        self.said = self.why = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.why = why(sys.exc_info()[1]) or self.why
        if record.levelno >= logging.WARNING:
            self.said = record.getMessage()


def send(message: dict[str, Any], guard: Guard, heard: _Heard) -> dict[str, Any]:
    """How one message went: ``{id, ok, error}``."""
    import apprise

    address = message["address"]
    heard.forget()
    guard.met.clear()
    made = apprise.Apprise.instantiate(address, suppress_exceptions=True)
    if made is None:
        return {"id": message["id"], "ok": False, "error": "the address cannot be used any more"}
    for name in ("headers", "payload_extras"):
        if isinstance(getattr(made, name, None), dict):
            getattr(made, name).update(message.get(name, {}))
    try:
        kind = apprise.NotifyType(message.get("kind", "warning"))
        done = bool(made.notify(body=message["body"], title=message["title"], notify_type=kind))
    except Exception as error:  # of whatever service: told, and tried again later
        done, heard.said = False, f"{type(error).__name__}: {error}"
    said = heard.why or heard.said
    if guard.met:
        said = (
            f"{guard.met[0]} is in the service's own network, where alerts may not go; an admin allows it with "
            "ASSAY_ALERT_NETWORKS"
        )
        done = False
    told = "" if done else without(" ".join(said.split())[:300], address) or "it was not taken"
    return {"id": message["id"], "ok": done, "error": told}


def main() -> None:
    """Messages from standard input, ``{"allowed": text, "messages": [...]}``; a line of JSON for each."""
    import encodings.idna  # noqa: F401 - loaded before files are watched

    import apprise

    given = json.load(sys.stdin)
    heard = _Heard()
    logger = logging.getLogger("apprise")
    logger.addHandler(heard)
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    apprise.Apprise.instantiate("json://localhost")  # loads the services
    guard = Guard(networks(given["allowed"]))
    sys.addaudithook(guard)
    for message in given["messages"]:
        sys.stdout.write(json.dumps(send(message, guard, heard)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
