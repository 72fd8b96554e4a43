"""Finding the Delta tables under a folder."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from urllib.parse import quote

from catalog.errors import NotFound, OutsideSource
from catalog.lake.logs.replaying import LOG
from catalog.lake.reading.confinement import local_path
from catalog.lake.reading.storage import Storage, look

#: Folders within folders that are looked into: no lake's tables lie deeper. A bound of time.
DEEPEST = 200
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def discover(
    root_uri: str,
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    options: dict[str, str] | None = None,
    *,
    on_error: Callable[[str, OSError], None] | None = None,
    roots: Iterable[str] = (),
) -> Iterator[tuple[str, str]]:
    """The tables under a folder, in the order of their names: name relative to the folder, and address.

    Parameters
    ----------
    include, exclude : globs on names (``sales/*``); ``*`` also crosses ``/``. No include takes all.
    on_error : told of each folder that cannot be listed; the walk goes on.

    A folder is a table when it holds ``_delta_log``; folders inside a table and hidden ones (``.name``) are not looked
    into. A root that is a table itself has the name of its folder. Links out of the root (and of `roots`, further
    folders that are allowed) are not looked into, but for a table they lead to at once, which is named so that its
    reading can say why it is refused. A name that is no UTF-8 is told with escapes, its address percent-encoded. Raises
    `NotFound` when the root cannot be listed.
    """
    include, exclude = tuple(include), tuple(exclude)
    local = local_path(root_uri)
    root = str(local.absolute()) if local is not None else root_uri.rstrip("/")
    storage = Storage(root, options or {}, (root, *roots))
    try:
        storage.list()
    except FileNotFoundError as error:
        remedy = "give the folder that holds the Delta tables, as the machine of the service names it"
        raise NotFound(f"there is no folder {root_uri}", remedy=remedy) from error
    except Exception as error:  # each store's client raises its own
        raise NotFound(
            f"the folder {root_uri} cannot be listed ({type(error).__name__}: {in_a_line(error)})",
            remedy="check the address, the rights and the storage options",
        ) from error
    for path in _walk(storage, "", on_error, set()):
        name = _readable(path or root.rstrip("/").rpartition("/")[2])
        if selected(name, include, exclude):
            yield name, _address(f"{root}/{path}" if path else root, local=local is not None)


def in_a_line(error: Exception) -> str:
    """What an error says, in one line: clients of stores draw trees in colours.

    >>> in_a_line(OSError("no rights\\n  \\x1b[31m↳\\x1b[0m no token\\n"))
    'no rights; no token'
    """
    plain = _COLOUR.sub("", str(error)).replace("↳", "")
    return "; ".join(line.strip() for line in plain.splitlines() if line.strip())


def _readable(name: str) -> str:
    return os.fsencode(name).decode("utf-8", "backslashreplace").replace("\0", "")


def _address(place: str, *, local: bool) -> str:
    """A place as the catalog keeps it: bytes that are no UTF-8 only survive percent-encoded."""
    try:
        place.encode()
    except UnicodeEncodeError:
        if local:
            return "file://" + quote(os.fsencode(place))
    return place


def selected(name: str, include: Iterable[str], exclude: Iterable[str]) -> bool:
    """Whether a table's name is wanted.

    >>> selected("sales/orders", ["sales/*"], ["*_tmp"]), selected("sales/x_tmp", [], ["*_tmp"])
    (True, False)
    """
    include = tuple(include)
    return (not include or any(fnmatchcase(name, glob) for glob in include)) and not any(
        fnmatchcase(name, glob) for glob in exclude
    )


def _walk(
    storage: Storage, path: str, on_error: Callable[[str, OSError], None] | None, seen: set[tuple[int, int]]
) -> Iterator[str]:
    """Paths of the tables at or under `path`, depth first. A folder that links lead to twice is looked into once."""
    waiting = [path]
    while waiting:
        path = waiting.pop()
        try:
            folders = _folders(storage, path, seen)
        except OutsideSource:
            if storage.local is not None and look(f"{storage.local}/{path}/{LOG}") is not None:
                yield path
            continue
        except OSError as error:
            if on_error is not None:
                on_error(_readable(path), error)
            continue
        if LOG in folders:
            yield path
        else:
            below = [f"{path}/{name}" if path else name for name in folders if not name.startswith(".")]
            waiting += reversed(below)


def _folders(storage: Storage, path: str, seen: set[tuple[int, int]]) -> list[str]:
    """Names of the folders in a folder; none where it was looked into before."""
    if path.count("/") >= DEEPEST:
        raise OSError(f"folders lie in each other more than {DEEPEST} deep")
    if storage.local is not None:
        told = (storage.local / path).stat()
        if (told.st_dev, told.st_ino) in seen:
            return []
        seen.add((told.st_dev, told.st_ino))
    return [entry.name for entry in storage.list(path) if entry.is_folder]
