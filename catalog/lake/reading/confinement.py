"""Where the paths that a log names may lead: nowhere but under the roots of the table's source.

A log is written by whoever can write to the lake. Its paths are resolved (links, ``..``) and compared with the roots:
the source's own address, and what a person allowed beside it (shallow clones keep their files with another table).
Another scheme than the roots' is never followed, nor is the address at which clouds hand out credentials.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from catalog.addresses import hands_out_credentials
from catalog.errors import OutsideSource

#: Schemes of one and the same store.
_ALIASES = {"s3a": "s3", "s3n": "s3", "gcs": "gs", "abfs": "abfss", "azure": "az", "wasb": "wasbs"}
#: Between the file systems of a chain, of which the last one is asked first.
_CHAINED = re.compile(r"::(?=[A-Za-z][A-Za-z0-9+.\-]*:/)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:/")


def local_path(uri: str) -> Path | None:
    """The local folder an address means, None for an address elsewhere. Names that are no UTF-8 are percent-encoded.

    >>> str(local_path("file:///data/a%20b")), str(local_path("/data/a%20b")), local_path("s3://bucket/a")
    ('/data/a b', '/data/a%20b', None)
    """
    if uri.startswith("file:"):
        return Path(unquote(urlsplit(uri).path, errors="surrogateescape"))
    return None if "://" in uri else Path(uri)


def local_place(folder: Path, path: str, roots: Iterable[str]) -> str:
    """The real path of a file or folder that is named relative to a local folder, or absolutely.

    Raises `OutsideSource` when it lies under none of the local `roots`, or elsewhere than on this machine.
    """
    where = "/" + path[len("file:") :].lstrip("/") if path.startswith("file:") else path
    if _SCHEME.match(where) or "\0" in where:
        raise OutsideSource(f"the log names a file of another kind of store: {_short(path)}")
    real = os.path.realpath(os.path.join(folder, where))
    for root in roots:
        base = local_path(root)
        if base is not None and _under(real, os.path.realpath(base)):
            return real
    link = _link_out(os.path.join(folder, where), real, roots)
    cause = f"the path {_short(path)} leads out of the source, to {_short(real)}"
    if link is None:
        raise OutsideSource(cause)
    raise OutsideSource(
        f"{cause}, by the link {_short(link)}",
        remedy="if that is meant, allow the folder that the link leads to on the source (`assay source allow`)",
    )


def _link_out(path: str, real: str, roots: Iterable[str]) -> str | None:
    """The link by which a path leads out of the roots that lies in one of them as it is written; None for another."""
    written = os.path.abspath(path)
    for root in roots:
        at = os.path.abspath(local_path(root) or os.sep)
        if not _under(written, at):
            continue
        for part in os.path.relpath(written, at).split(os.sep):
            at = os.path.join(at, part)
            if os.path.islink(at) and _under(real, os.path.realpath(at)):
                return at
    return None


def remote_place(uri: str, path: str, roots: Iterable[str]) -> tuple[str, str]:
    """Folder address and path in it of a file that is named relative to a folder elsewhere, or absolutely.

    Raises `OutsideSource` when it lies under none of the `roots`.

    >>> remote_place("s3://b/lake/t", "p=1/x.parquet", ["s3://b/lake"])
    ('s3://b/lake/t', 'p=1/x.parquet')
    >>> remote_place("s3://b/lake/t", "s3a://b/lake/u/x.parquet", ["s3://b/lake"])
    ('s3://b/lake/u', 'x.parquet')
    """
    uri = uri.rstrip("/")
    if any(part in ("..", ".") for part in re.split(r"[/\\]", unquote(path))) or "\0" in path:
        raise OutsideSource(f"the path {_short(path)} leads out of the source")
    if not path.startswith("/") and not _SCHEME.match(path):
        folder, name = uri, path
    else:
        own = urlsplit(uri)
        whole = f"{own.scheme}://{own.netloc}{path}" if path.startswith("/") else path
        told = urlsplit(whole)
        if _store(told.scheme) != _store(own.scheme):
            raise OutsideSource(f"the log names a file of another kind of store: {_short(path)}")
        folder, _, name = f"{own.scheme}://{told.netloc}{told.path}".rpartition("/")
    wanted = urlsplit(f"{folder}/{name}")
    refuse_metadata(folder)
    for root in roots:
        base = urlsplit(root.rstrip("/"))
        if (_store(base.scheme), base.netloc) == (_store(wanted.scheme), wanted.netloc) and _under(
            wanted.path.rstrip("/"), base.path.rstrip("/")
        ):
            return folder, name
    raise OutsideSource(f"the path {_short(path)} leads out of the source")


def refuse_metadata(uri: str) -> None:
    """Raise `OutsideSource` for an address at which clouds hand out credentials, in any of the ways to write it.

    >>> refuse_metadata("http://2852039166/latest/")
    Traceback (most recent call last):
    catalog.errors.OutsideSource: the address 2852039166 is where a cloud hands out credentials; it is never read
    """
    for part in _CHAINED.split(uri):
        try:
            host = (urlsplit(part.replace("\\", "/")).hostname or "") if "://" in part else ""
        except ValueError as error:
            raise OutsideSource(f"{_short(part)} is no address ({error})", remedy="it is never read") from error
        if hands_out_credentials(host):
            raise OutsideSource(
                f"the address {_short(host)} is where a cloud hands out credentials", remedy="it is never read"
            )


def same_store(uri: str, other: str) -> bool:
    """Whether two addresses are of one kind of store.

    >>> same_store("s3a://a/b", "s3://c/d"), same_store("/a", "file:///b"), same_store("http://a/b", "/c")
    (True, True, False)
    """
    one, two = (None if local_path(each) is not None else _store(urlsplit(each).scheme) for each in (uri, other))
    return one == two


def _store(scheme: str) -> str:
    return _ALIASES.get(scheme.lower(), scheme.lower())


def _under(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")


def _short(path: str) -> str:
    return path if len(path) <= 200 else path[:199] + "…"
