"""Which addresses an alert may be sent to: none of the service's own network but those that settings name."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from ipaddress import ip_network

from catalog.addresses import METADATA_ADDRESSES, METADATA_NAMES, Network, meant

#: Networks of a site's own or of nobody's that Python takes for the internet's.
_NEAR = [ip_network(one) for one in ("fec0::/10", "192.0.0.0/24", "192.88.99.0/24", "3fff::/20")]


def forbidden(address: str, allowed: Sequence[Network] = ()) -> bool:
    """Whether an address lies in the service's own network: loopback, link-local (where clouds hand out credentials),
    private, reserved, a cloud's own, or such an IPv4 address inside an IPv6 one; and is not allowed. What is no address
    is forbidden.

    >>> [forbidden(one) for one in ("127.0.0.1", "169.254.169.254", "10.0.0.8", "::ffff:127.0.0.1", "64:ff9b::7f00:1")]
    [True, True, True, True, True]
    >>> [forbidden(one) for one in ("168.63.129.16", "192.0.0.192", "fec0::1", "2002:7f00:1::")]
    [True, True, True, True]
    >>> forbidden("93.184.215.14"), forbidden("10.0.0.8", [ip_network("10.0.0.0/24")]), forbidden("example.org")
    (False, False, True)
    """
    found = meant(address)
    if found is None:
        return True
    if any(found in network for network in allowed if network.version == found.version):
        return False
    near = any(found in network for network in _NEAR if network.version == found.version)
    return near or not found.is_global or found.is_multicast or found.is_reserved or found in METADATA_ADDRESSES


def near(host: str, allowed: Sequence[Network] = ()) -> str:
    """The address in the service's own network that a machine has, by its number or as its name resolves now; empty
    where it has none, or nobody knows the name yet.

    >>> near("[::1]"), near("127.0.0.1", [ip_network("127.0.0.0/8")]), near("93.184.215.14"), near("metadata.goog")
    ('::1', '', '', 'metadata.goog')
    >>> near("0x7f000001")
    '127.0.0.1'
    """
    bare = host.strip("[]")
    if bare.lower().rstrip(".") in METADATA_NAMES:
        return bare
    try:
        number = meant(bare)
        found = [str(number)] if number else [str(one[4][0]) for one in socket.getaddrinfo(bare, None)]
    except (OSError, UnicodeError):
        return ""
    return next((one for one in found if forbidden(one, allowed)), "")
