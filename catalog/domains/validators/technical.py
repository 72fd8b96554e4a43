"""Validators of networks and computing."""

from __future__ import annotations

import base64
import binascii
import ipaddress
import json
import mimetypes
import re
import uuid
from functools import cache

from catalog.domains.lexicon import vocabulary, words
from catalog.domains.validators.temporal import is_date

CUT = 250  # bytes: longer strings may have been cut by the column's state; a bound, a character short of 256
_SUFFIXES = vocabulary(
    "txt csv json xml yaml yml md rst log cfg conf ini toml lock sql db py js ts java rb go rs c h cpp sh "
    "bat exe dll so zip gz bz2 xz tar tgz 7z rar jar war parquet avro orc doc docx xls xlsx ppt pptx odt "
    "ods pdf ps png jpg jpeg gif bmp svg tif tiff webp ico mp3 mp4 mov avi mkv wav flac ogg html htm php "
    "jsp asp aspx css scss ipynb bak tmp pcap zeek key pem crt p12 iso img deb rpm dat bin"
)


@cache
def _suffixes() -> frozenset[str]:
    # the standard's own table: the module's grows by the machine's when somebody in the process serves a file
    return _SUFFIXES | {suffix.lstrip(".") for suffix in mimetypes.MimeTypes().types_map[True]} - {"com"}


def _is_ipv4(text: str) -> bool:
    parts = text.split("/")[0].split(".")
    return all(int(part) < 256 and (part == "0" or part[0] != "0") for part in parts)


def _is_newer_ip(text: str) -> bool:
    """Of version 6 among those of version 4: where both stand in one column neither is most of it."""
    return text.count(":") > 1 and _is_ipv6(text)


def _some_older_ips(values: set[str]) -> bool:
    return any(":" not in value for value in values)


def _is_ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Interface(text.split("%")[0])
    except ValueError:
        return False
    return ":" in text


_HOST = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,24}\.?")


def _is_host(text: str) -> bool:
    """Dotted labels whose last is no file suffix and no number."""
    last = text.rstrip(".").rsplit(".", 1)[-1].lower()
    return (
        len(text) <= 253
        and last not in _suffixes() - {"zip", "mov", "py", "md", "sh", "rs", "so", "ps", "log"}
        and text[0] != "-"
    )


def _is_any_host(text: str) -> bool:
    """In any mixture of cases; trusted only where the column's name says so."""
    return bool(_HOST.fullmatch(text)) and _is_host(text)


def _of_names(text: str) -> bool:
    """A given and a family name, as people log in: no top-level domain is called by a family name of three letters and
    more but those that all know."""
    one, _, two = text.lower().partition(".")
    return one in words("first_names") and two in words("last_names") and len(two) > 2 and two not in _TOP


_TOP = vocabulary("com net org info biz")


def _is_lower_host(text: str) -> bool:
    """Names are written in one case; `File.Name` and `db.schema.Table` are not domain names."""
    return (
        _is_host(text)
        and not _of_names(text)
        and (text == text.lower() or text == text.upper())
        and len(text.rsplit(".", 1)[-1]) <= 10
        and text[:1] != "_"
    )


def _is_uuid(text: str) -> bool:
    try:
        uuid.UUID(text.strip("{}"))
    except ValueError:
        return False
    return True


def _has_both(text: str) -> bool:
    """Hexadecimal text that is neither a decimal number, nor a word, nor a number behind a letter."""
    return bool(re.search(r"\d[A-Fa-f]", text.removeprefix("0x")))


def _is_hash(text: str) -> bool:
    return _has_both(text) and len(set(text.lower())) >= 8


def _is_hex(text: str) -> bool:
    digits = re.sub(r"[:\s-]", "", text.removeprefix("0x"))
    return len(digits) >= 8 and (":" in text or _has_both(text))


def _is_any_hex(text: str) -> bool:
    """Of random ones of eight digits six in a hundred have no letter behind a digit."""
    return len(re.sub(r"[:\s-]", "", text.removeprefix("0x"))) >= 8


def _is_base64(text: str) -> bool:
    """Whole groups of four characters, of both cases and more, that decode."""
    if len(text) % 4 or len(text) < 16:
        return False
    if not (re.search(r"[a-z]", text) and re.search(r"[A-Z]", text) and re.search(r"[0-9+/=]", text)):
        return False
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _is_any_base64(text: str) -> bool:
    """Of random ones of sixteen characters four in a hundred have neither a digit nor a sign."""
    return len(text) % 4 == 0


def _some_base64(values: set[str]) -> bool:
    """Some values hold what other identifiers do not: a plus, a slash, an equals sign at the end; or all are long."""
    telling = sum(bool(re.search(r"[+/=]", value)) for value in values)
    return telling >= 0.2 * len(values) or min(map(len, values), default=0) >= 40


def _is_json(text: str) -> bool:
    if len(text.encode()) >= CUT and text[:1] in "{[":  # cut by the state: its beginning has to do
        return bool(re.match(r'[{\[]\s*(?:[{\[\d"]|$)', text))
    if (text[:1], text[-1:]) not in (("{", "}"), ("[", "]")):
        return False
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False


def _is_jwt(text: str) -> bool:
    head = text.split(".")[0]
    try:
        return "alg" in json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (ValueError, RecursionError, TypeError):
        return False


def _is_any_file(text: str) -> bool:
    """With any suffix of letters, of a trade's own programs too; trusted only where the column's name says so."""
    return bool(re.fullmatch(r"[^/\\\s].{0,120}\.[A-Za-z][A-Za-z0-9]{0,5}", text)) and not text.startswith("www.")


def _is_file(text: str) -> bool:
    return text.rsplit(".", 1)[-1].lower() in _suffixes() and not re.match(r"(?i)https?:|www\.", text)


_TRANSPORTS = vocabulary(
    "tcp udp icmp icmp6 icmpv6 igmp sctp gre esp ah ipip ospf rsvp dccp tcp6 udp6 ipv6-icmp unknown_transport"
)


def _is_version(text: str) -> bool:
    """Neither an address nor a date with dots; of a year and a single digit it may be either.

    >>> [_is_version(x) for x in ("1.7.13", "2024.1.5", "2024.12.5", "10.0.0.1", "01.07.13", "2024.12.05")]
    [True, True, True, False, False, False]
    """
    if re.fullmatch(r"\d{1,3}(?:\.\d{1,3}){3}", text):
        return False
    return re.fullmatch(r"\d{4}\.(?:\d\.\d\d?|\d\d\.\d)", text) is not None or not is_date(text)


def _is_http_status(text: str) -> bool:
    return 100 <= int(text) <= 511 and int(text) % 100 <= 51


def _is_transport(text: str) -> bool:
    return re.split(r"[/-]", text, maxsplit=1)[-1].lower() in _TRANSPORTS


def _is_extension(text: str) -> bool:
    """A single letter is one behind a dot alone: `T` and `F` are true and false."""
    known = text.lstrip(".").lower() in _suffixes() and text.count(".") <= 1
    return known and (len(text) > 1 or not text.isalpha())


VALIDATORS = {
    "extension": _is_extension,
    "ipv4": _is_ipv4,
    "newer_ip": _is_newer_ip,
    "some_older_ips": _some_older_ips,
    "ipv6": _is_ipv6,
    "host": _is_lower_host,
    "any_host": _is_any_host,
    "uuid": _is_uuid,
    "hash": _is_hash,
    "hexadecimal": _is_hex,
    "any_hexadecimal": _is_any_hex,
    "base64": _is_base64,
    "any_base64": _is_any_base64,
    "some_base64": _some_base64,
    "json": _is_json,
    "jwt": _is_jwt,
    "file": _is_file,
    "any_file": _is_any_file,
    "version": _is_version,
    "http_status": _is_http_status,
    "transport": _is_transport,
}
