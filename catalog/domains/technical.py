"""Domains of networks and computing."""

from __future__ import annotations

import base64
import binascii
import ipaddress
import json
import mimetypes
import re
import uuid
from functools import cache

from catalog.domains.domain import Domain
from catalog.domains.lexicon import vocabulary

NUMERIC = frozenset({"string", "number"})
CUT = 250  # bytes: longer strings may have been cut by the column's state
_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?"
_SUFFIXES = vocabulary(
    "txt csv json xml yaml yml md rst log cfg conf ini toml lock sql db py js ts java rb go rs c h cpp sh "
    "bat exe dll so zip gz bz2 xz tar tgz 7z rar jar war parquet avro orc doc docx xls xlsx ppt pptx odt "
    "ods pdf ps png jpg jpeg gif bmp svg tif tiff webp ico mp3 mp4 mov avi mkv wav flac ogg html htm php "
    "jsp asp aspx css scss ipynb bak tmp pcap zeek key pem crt p12 iso img deb rpm dat bin"
)


@cache
def _suffixes() -> frozenset[str]:
    return _SUFFIXES | {suffix.lstrip(".") for suffix in mimetypes.types_map} - {"com"}


def _is_ipv4(text: str) -> bool:
    parts = text.split("/")[0].split(".")
    return all(int(part) < 256 and (part == "0" or part[0] != "0") for part in parts)


def _is_ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Interface(text.split("%")[0])
    except ValueError:
        return False
    return ":" in text


def _is_host(text: str) -> bool:
    """Dotted labels whose last is no file suffix and no number."""
    last = text.rstrip(".").rsplit(".", 1)[-1].lower()
    return (
        len(text) <= 253
        and last not in _suffixes() - {"zip", "mov", "py", "md", "sh", "rs", "so", "ps", "log"}
        and text[0] != "-"
    )


def _is_lower_host(text: str) -> bool:
    """Names are written in one case; `File.Name` and `db.schema.Table` are not domain names."""
    return (
        _is_host(text)
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


def _hex(length: int) -> str:
    return rf"(?:0x)?[0-9a-f]{{{length}}}|[0-9A-F]{{{length}}}"


def _has_both(text: str) -> bool:
    """Hexadecimal text that is neither a decimal number, nor a word, nor a number behind a letter."""
    return bool(re.search(r"\d[A-Fa-f]", text.removeprefix("0x")))


def _is_hash(text: str) -> bool:
    return _has_both(text) and len(set(text.lower())) >= 8


def _is_hex(text: str) -> bool:
    digits = re.sub(r"[:\s-]", "", text.removeprefix("0x"))
    return len(digits) >= 8 and (":" in text or _has_both(text))


def _is_base64(text: str) -> bool:
    if (
        len(text) % 4
        or len(text) < 16
        or not (re.search(r"[a-z]", text) and re.search(r"[A-Z]", text) and re.search(r"[0-9+/=]", text))
    ):
        return False
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return text.endswith("=") or bool(re.search(r"[+/]", text)) or len(text) >= 40


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


def _is_file(text: str) -> bool:
    return text.rsplit(".", 1)[-1].lower() in _suffixes() and not re.match(r"(?i)https?:|www\.", text)


_AGENTS = (
    r"(?:Mozilla|Dalvik|Opera|curl|Wget|python-requests|okhttp|Java|Googlebot|bingbot|GoogleMaps|"
    r"Apache-HttpClient|PostmanRuntime|Go-http-client|Lynx|Safari|Chrome|CFNetwork|Instagram|"
    r"AppleCoreMedia|NSPlayer|Microsoft[\w -]*)"
)
_METHODS = vocabulary(
    "GET POST PUT DELETE HEAD OPTIONS PATCH TRACE CONNECT PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK "
    "SEARCH REPORT PRI ACL BASELINE-CONTROL BCOPY BDELETE BMOVE BPROPFIND BPROPPATCH CHECKIN CHECKOUT "
    "LABEL LINK MERGE MKACTIVITY MKCALENDAR MKWORKSPACE NOTIFY ORDERPATCH POLL REBIND SUBSCRIBE UNBIND "
    "UNCHECKOUT UNLINK UNSUBSCRIBE UPDATE UPDATEREDIRECTREF VERSION-CONTROL X-MS-ENUMATTS"
)
_LEVELS = vocabulary(
    "trace debug info information informational notice warn warning err error critical crit fatal alert "
    "emerg emergency severe fine finer finest panic"
)
_TRANSPORTS = vocabulary(
    "tcp udp icmp icmp6 icmpv6 igmp sctp gre esp ah ipip ospf rsvp dccp tcp6 udp6 ipv6-icmp unknown_transport"
)

TECHNICAL = (
    Domain(
        "ipv4",
        "IPv4 address",
        ("192.0.2.7", "198.51.100.23", "10.0.0.1/24"),
        r"\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?",
        check=_is_ipv4,
        chance=1e-4,
        sensitive=True,
        names="ip|ipv4|host|addr|address|ip address",
    ),
    Domain(
        "ipv6",
        "IPv6 address",
        ("2001:db8::7", "fe80::1%eth0", "::1"),
        r"[0-9A-Fa-f:.]{2,45}(?:%\w+)?(?:/\d{1,3})?",
        check=_is_ipv6,
        chance=1e-4,
        sensitive=True,
        names="ip|ipv6|host|addr",
    ),
    Domain(
        "mac_address",
        "MAC address",
        ("00:1B:44:11:3A:B7", "00-1b-44-11-3a-b8", "001b.4411.3ab7"),
        r"[0-9A-Fa-f]{2}([:-])[0-9A-Fa-f]{2}(?:\1[0-9A-Fa-f]{2}){4}|(?:[0-9A-Fa-f]{4}\.){2}[0-9A-Fa-f]{4}",
        chance=1e-5,
        names="mac|hw ?addr|ethernet|bssid",
        sensitive=True,
    ),
    Domain(
        "url",
        "URL",
        ("https://example.com/a?b=1", "http://www.example.org/", "ftp://files.example.com/x.zip"),
        r"(?i)(?:(?:https?|ftps?|sftp|s3a?|gs|abfss?|wasbs?|hdfs|file|jdbc:[a-z:]+|ssh|git|ws|wss)://|"
        r"www\.)[^\s<>\"]{3,}",
        chance=1e-4,
        floor=0.6,
        names="url|uri|link|href|website|web|src|image",
    ),
    Domain(
        "domain_name",
        "Domain name",
        ("example.com", "mail.example.org", "static.example.co.uk"),
        rf"(?:\*\.)?(?:{_LABEL}\.)+[A-Za-z][A-Za-z0-9-]{{1,23}}\.?",
        check=_is_lower_host,
        chance=0.003,
        hit=0.9,
        floor=0.6,
        distinct=2,
        names="domain|host|server|fqdn|site|dns|query",
    ),
    Domain(
        "hostname",
        "Host name",
        ("PC-NEWMAN", "web01.shop.local", "db-2"),
        rf"(?:{_LABEL}\.)*{_LABEL}",
        chance=0.4,
        needs_name=True,
        distinct=2,
        names="host ?name|host|computer|computer name|machine|node|server|workstation",
        against="url|id|type|status",
    ),
    Domain(
        "uuid",
        "UUID",
        (
            "3F5AE95E-B87D-4AED-95B4-C379ABCD1234",
            "0fc7cc57-f7cb-43b0-8c45-cc73aabbccdd",
            "{A98C8400-4181-11D1-A520-00A0D10129C0}",
        ),
        r"\{?[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}\}?",
        check=_is_uuid,
        chance=1e-6,
        names="uuid|guid|id",
    ),
    Domain(
        "md5",
        "MD5 hash",
        ("9e107d9d372bb6826bd81d3542a419d6", "e4d909c290d0fb1ca068ffaddf22cbd0", "5d41402abc4b2a76b9719d911017c592"),
        _hex(32),
        check=_is_hash,
        chance=1e-5,
        names="md5|hash|checksum|etag",
    ),
    Domain(
        "sha1",
        "SHA-1 hash",
        (
            "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
            "de9f2c7fd25e1b3afad3e85a0bd17d9b100db4b3",
            "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d",
        ),
        _hex(40),
        check=_is_hash,
        chance=1e-5,
        names="sha ?1?|hash|commit|checksum|fingerprint",
    ),
    Domain(
        "sha256",
        "SHA-256 hash",
        (
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        ),
        rf"(?:{_hex(64)})(?:[,;| ](?:{_hex(64)}))*",
        check=_is_hash,
        chance=1e-6,
        names="sha ?256|hash|checksum|fingerprint|fps",
    ),
    Domain(
        "sha512",
        "SHA-512 hash",
        tuple(f"{seed}{'0123456789abcdef' * 7}{'fedcba987654321'}" for seed in "17c"),
        _hex(128),
        check=_is_hash,
        chance=1e-6,
        names="sha ?512|hash|checksum",
    ),
    Domain(
        "hex_string",
        "Hexadecimal string",
        ("00011394564F557229E2", "CC57FE54011E", "B831:5DD7:B14B:6EE3:20A4"),
        r"(?:0x)?[0-9a-f]{8,}|(?:0x)?[0-9A-F]{8,}|[0-9A-Fa-f]{2,4}(?::[0-9A-Fa-f]{2,4}){3,}",
        check=_is_hex,
        chance=0.01,
        hit=0.9,
        floor=0.7,
        distinct=3,
        names="hex|serial|hash|key|checksum",
    ),
    Domain(
        "hex_color",
        "Colour (hexadecimal)",
        ("#E3C1B2", "#ba673e", "#FFF"),
        r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})",
        chance=1e-4,
        names="colou?r|hex|tone|rgb",
    ),
    Domain(
        "file_path",
        "File path",
        ("/var/log/app/a.log", r"C:\Users\x\b.txt", r"\\server\share\c.doc"),
        r"(?:/(?!/)|~/|\.{1,2}/|[A-Za-z]:[\\/]|\\{2,4})[^\0<>|\"?*:]*[\\/][^\0<>|\"?*]*|/[\w.-]{2,}|"
        r"(?:[\w.-]+/)+[\w.-]+\.\w{1,5}",
        chance=0.003,
        hit=0.93,
        floor=0.7,
        distinct=2,
        names="path|file|dir|directory|folder|filename",
    ),
    Domain(
        "file_name",
        "File name",
        ("report.pdf", "photo-2020.jpg", "data_2.csv.gz"),
        r"[^/\\:*?\"<>|\r\n]{1,200}\.[A-Za-z0-9]{1,8}",
        check=_is_file,
        chance=0.003,
        floor=0.8,
        distinct=2,
        names="file|filename|file name|image|attachment|document",
    ),
    Domain(
        "mime_type",
        "MIME type",
        ("application/json", "image/png", "text/html; charset=utf-8"),
        r"(?:application|audio|font|image|message|model|multipart|text|video)/[\w.+*-]+(?:\s*;.*)?",
        chance=1e-4,
        names="mime|content type|media type",
    ),
    Domain(
        "user_agent",
        "User agent",
        ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36", "curl/8.5.0", "Dalvik/2.1.0 (Linux; U; Android 9)"),
        rf"{_AGENTS}/\S.*",
        chance=1e-4,
        hit=0.85,
        floor=0.5,
        names="user agent|agent|ua|browser",
    ),
    Domain(
        "version",
        "Version number",
        ("1.2.3", "v10.0.1-rc1", "2.4.0+build7"),
        r"(?:[vV]?\d{1,4}\.\d{1,5}\.\d{1,6}(?:\.\d{1,6})?(?:[-+~.]?[A-Za-z][\w.+-]{0,40})?)|(?:TLS|SSL)v\d(?:\.?\d)?",
        check=lambda text: (
            not re.fullmatch(r"\d{1,3}(?:\.\d{1,3}){3}|\d\d?\.\d\d?\.\d{4}|\d\d?\.\d\d?\.\d\d|\d{4}\.\d\d\.\d\d", text)
        ),
        chance=0.002,
        floor=0.8,
        distinct=2,
        names="version|ver|release|build",
    ),
    Domain(
        "http_method",
        "HTTP method",
        ("GET", "POST", "PUT"),
        check=lambda text: text.upper() in _METHODS,
        chance=0.003,
        floor=0.9,
        distinct=2,
        names="method|verb|http method",
    ),
    Domain(
        "http_status",
        "HTTP status code",
        ("200", "404", "503"),
        r"[1-5]\d\d",
        check=lambda text: 100 <= int(text) <= 511 and int(text) % 100 <= 51,
        chance=0.02,
        needs_name=True,
        names="status|http status|status ?code|response code|http code",
        kinds=NUMERIC,
    ),
    Domain(
        "log_level",
        "Log level",
        ("INFO", "WARNING", "ERROR"),
        check=lambda text: text.lower() in _LEVELS,
        chance=0.005,
        floor=0.9,
        distinct=3,
        names="level|severity|log level|priority|loglevel",
    ),
    Domain(
        "port_proto",
        "Transport protocol",
        ("tcp", "udp", "icmp"),
        r"(?:\d{1,5}[/-])?[A-Za-z][\w-]{1,8}",
        check=lambda text: re.split(r"[/-]", text, maxsplit=1)[-1].lower() in _TRANSPORTS,
        chance=0.002,
        floor=0.9,
        distinct=2,
        names="proto|protocol|transport|port proto",
    ),
    Domain(
        "cve_id",
        "CVE identifier",
        ("CVE-2021-44228", "CVE-2014-0160", "CVE-2017-5754"),
        r"CVE-(?:19|20)\d\d-\d{4,7}",
        chance=1e-6,
        names="cve|vulnerability",
    ),
    Domain(
        "base64",
        "Base64 data",
        ("SGVsbG8sIFdvcmxkIQ==", "VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcw==", "MTIzNDU2Nzg5MGFiY2RlZg=="),
        r"[A-Za-z0-9+/]+={0,2}",
        check=_is_base64,
        chance=0.001,
        floor=0.9,
        distinct=3,
        names="base ?64|b64|blob|data|payload|encoded",
    ),
    Domain(
        "json",
        "JSON document",
        ('{"a": 1}', "[1, 2, 3]", '{"b": {"c": null}}'),
        check=_is_json,
        chance=1e-4,
        names="json|payload|document|data",
    ),
    Domain(
        "xml",
        "XML or HTML fragment",
        ("<a><b>1</b></a>", '<p class="x">text</p>', "<br/>"),
        r"(?s)\s*(?:<\?xml.*|<!DOCTYPE.*|<([A-Za-z_][\w:.-]*)(?:\s[^<>]*)?(?:/>|>.*</\1>))\s*",
        chance=1e-4,
        names="xml|html|markup",
    ),
    Domain(
        "jwt",
        "JSON web token",
        (
            "eyJhbGciOiJIUzI1NiJ9.e30.ZRrHA1JJJW8opsbCGfG_HACGpVUMN_a9IV7pAx_Zmeo",
            "eyJhbGciOiJub25lIn0.e30.",
            "eyJhbGciOiJSUzI1NiJ9.eyJhIjoxfQ.c2ln",
        ),
        r"[\w-]{10,}\.[\w-]{2,}\.[\w-]*",
        check=_is_jwt,
        chance=1e-6,
        sensitive=True,
        names="token|jwt|bearer",
    ),
    Domain(
        "password",
        "Password or secret",
        ("correct horse battery", "$2b$12$KIXQ4e8vVnS7Zk0p9d3bUe", "Tr0ub4dor&3"),
        r"\S.{2,199}",
        chance=0.5,
        hit=0.99,
        needs_name=True,
        distinct=2,
        sensitive=True,
        names=(
            "password|passwords|passwd|pwd|passphrase|pass ?code|pass ?word ?hash|senha|hasło|haslo|contraseña|"
            "contrasena|kennwort|passwort|mot de passe|secret|secrets|secret ?key|client ?secret|api ?key|access ?key|"
            "private ?key|access ?token|refresh ?token|auth ?token|pin|pin ?code|otp|security ?answer"
        ),
        against=(
            "at|date|time|changed|expires|expiry|expired|reset|resets|updated|created|policy|length|strength|count|"
            "attempts|enabled|required|id|type|is|has|status|name|hint|question|city|state"
        ),
        kinds=NUMERIC,
    ),
    Domain(
        "arn",
        "AWS resource name",
        ("arn:aws:s3:::bucket", "arn:aws:iam::123456789012:user/ann", "arn:aws:sns:eu-west-1:123456789012:t"),
        r"arn:aws[\w-]*:[\w-]+:[\w-]*:\d*:.+",
        chance=1e-6,
        names="arn|resource",
    ),
)
