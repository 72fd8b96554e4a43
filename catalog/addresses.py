"""Which machines an address means, however it is written, which of them hand out a cloud's credentials, and what of an
address may be shown.

Pure: no name is looked up.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import unicodedata
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

from catalog.errors import UsageError

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

#: Names by which clouds' metadata services are known inside of them.
METADATA_NAMES = frozenset(
    {
        "metadata",
        "metadata.google.internal",
        "metadata.goog",
        "metadata.azure.internal",
        "instance-data",
        "instance-data.ec2.internal",
    }
)
#: Beside the link-local networks: Alibaba's, Azure's and Oracle's addresses, and AWS's of version 6. Azure's is an
#: address of the internet to whoever looks at its number alone.
METADATA_ADDRESSES = frozenset(
    map(ipaddress.ip_address, ("100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254"))
)
#: Parameters of an address that are secrets: `password` of databases, `token` of Spark Connect.
_SECRET_PARAMETER = re.compile(r"(?i)([?&;][^=?&;]*(?:pass|pwd|token|secret|key|credential)[^=?&;]*=)[^&;#]*")
#: Schemes of the object stores that hold lakes, as deltalake knows them.
OBJECT_STORES = frozenset("s3 s3a gs gcs az azure abfs abfss adl wasb wasbs hdfs oci".split())
#: Of Azure's addresses what stands before the `@` is a container.
_OF_CONTAINERS = frozenset("abfs abfss wasb wasbs".split())
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


def meant(text: str) -> Address | None:
    """The address that a text is: an IPv4 one where it only wraps it, None where it is a name.

    >>> str(meant("::ffff:10.0.0.1")), str(meant("0xa9fea9fe")), str(meant("64:ff9b::7f00:1")), meant("example.org")
    ('10.0.0.1', '169.254.169.254', '127.0.0.1', None)
    >>> str(meant("①⑥⑨。254.169.254"))  # as what resolves names reads it
    '169.254.169.254'
    """
    plain = unicodedata.normalize("NFKC", text).replace("。", ".").partition("%")[0].rstrip(".")
    try:
        return _unwrapped(ipaddress.ip_address(plain))
    except ValueError:
        pass
    try:
        return ipaddress.ip_address(socket.inet_aton(plain))  # 2852039166, 0xa9fea9fe: the old ways to write it
    except (OSError, ValueError):
        return None


def _unwrapped(found: Address) -> Address:
    """The IPv4 address that an IPv6 one stands for, where it does."""
    if isinstance(found, IPv4Address):
        return found
    if found in _NAT64:
        return IPv4Address(int(found) & 0xFFFFFFFF)
    return found.ipv4_mapped or found.sixtofour or (found.teredo[1] if found.teredo else None) or found


def networks(text: str) -> list[Network]:
    """Networks and addresses, comma-separated, as settings give them. Errors: `ValueError`.

    >>> networks("10.1.2.3, fd00::/8")
    [IPv4Network('10.1.2.3/32'), IPv6Network('fd00::/8')]
    """
    return [ipaddress.ip_network(part.strip(), strict=False) for part in text.split(",") if part.strip()]


def hands_out_credentials(host: str) -> bool:
    """Whether a host, as a name or an address, is where a cloud hands out credentials.

    >>> [hands_out_credentials(host) for host in ("169.254.170.2", "METADATA.google.internal.", "10.0.0.1")]
    [True, True, False]
    """
    name = unicodedata.normalize("NFKC", host).replace("。", ".").rstrip(".").lower()
    address = meant(host)
    return name in METADATA_NAMES or (address is not None and (address.is_link_local or address in METADATA_ADDRESSES))


def without_password(address: str) -> str:
    """An address that can be shown.

    >>> without_password("postgresql://assay:secret@db/assay"), without_password("redis://:a/b@c?d@host:6379/0")
    ('postgresql://assay:****@db/assay', 'redis://:****@host:6379/0')
    >>> without_password("postgresql://db/assay?user=me&password=pw"), without_password("sc://spark:443/;token=t;a=b")
    ('postgresql://db/assay?user=me&password=****', 'sc://spark:443/;token=****;a=b')
    """
    return _SECRET_PARAMETER.sub(r"\1****", re.sub(r"(://[^/:@]*):.*@", r"\1:****@", address))


def lake_address(text: str) -> str:
    """An address at which a lake may lie: an absolute path, or one in an object store.

    Errors: `UsageError` for any other, as for one that holds a key: addresses are shown to everybody and kept for good.

    >>> lake_address(" /data/lake"), lake_address("abfss://raw@shop.dfs.core.windows.net/sales")
    ('/data/lake', 'abfss://raw@shop.dfs.core.windows.net/sales')
    >>> lake_address("lake")
    Traceback (most recent call last):
    catalog.errors.UsageError: 'lake' is neither an absolute path nor an address; give a path like /data/lake, or ...
    """
    address = text.strip()
    scheme, told, rest = address.partition("://")
    if not told and not address.startswith("/"):
        raise UsageError(
            f"{address!r} is neither an absolute path nor an address",
            remedy="give a path like /data/lake, or an address like s3://bucket/lake",
        )
    scheme = scheme.lower() if told and not address.startswith("/") else "file"
    if scheme not in OBJECT_STORES | {"file"}:
        raise UsageError(
            f"no Delta tables are looked for at addresses that begin with {scheme[:20]}://",
            remedy="give a path, or an address in an object store (s3://, gs://, abfss://, az://, hdfs://, oci://)",
        )
    host = rest.partition("/")[0]
    user, at, _ = host.rpartition("@")
    if scheme != "file" and ("?" in rest or "#" in rest or ":" in user or (at and scheme not in _OF_CONTAINERS)):
        raise UsageError(
            "the address holds a key, a password or a signature, which everybody would see",
            remedy="leave it out of the address; keys are given by ASSAY_STORAGE_OPTIONS",
        )
    return address
