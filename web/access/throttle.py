"""Wrong tokens and passwords, counted by the address they come from: who guesses waits, and the log says so."""

from __future__ import annotations

import ipaddress
import logging
from collections import deque

from catalog.errors import UsageError

log = logging.getLogger(__name__)
KNOWN = 10_000  # addresses whose wrong tries are remembered; a bound of memory


class TooManyTries(UsageError):
    """Too many wrong tokens or logins came from one address."""

    remedy = "wait a minute"


class Throttle:
    """At most `limit` wrong tries in `seconds` for each client; then further ones there wait."""

    def __init__(self, limit: int = 10, seconds: float = 60.0) -> None:
        self.limit, self.seconds = limit, seconds
        self._wrong: dict[str, deque[float]] = {}

    def blocked(self, client: str, at: float) -> bool:
        wrong = self._wrong.get(neighbours(client), deque())
        while wrong and wrong[0] < at - self.seconds:
            wrong.popleft()
        return len(wrong) >= self.limit

    def note(self, client: str, at: float, what: str = "a wrong try") -> bool:
        """Count one more; whether it is one too many. `what` must hold nothing that was typed: it is logged."""
        wrong = self._wrong.pop(neighbours(client), deque())
        wrong.append(at)
        self._wrong[neighbours(client)] = wrong  # last, so that the first is who was wrong longest ago
        if len(self._wrong) > KNOWN:  # a flood from many addresses may not fill the memory
            del self._wrong[next(iter(self._wrong))]
        last = self.blocked(client, at)
        waits = f"; more from there wait up to {self.seconds:.0f} seconds" if last else ""
        log.warning("%s from %s, number %d%s", what, client or "an unknown address", len(wrong), waits)
        return last


def neighbours(client: str) -> str:
    """Whose tries are counted together: an IPv4 address, or the IPv6 network in which one has 2^64 of them.

    >>> neighbours("2001:db8::1:2") == neighbours("2001:db8::3"), neighbours("::ffff:10.0.0.1"), neighbours("unix")
    (True, '10.0.0.1', 'unix')
    """
    try:
        address = ipaddress.ip_address(client.partition("%")[0])
    except ValueError:
        return client
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(address.ipv4_mapped or ipaddress.ip_network((address, 64), strict=False))
