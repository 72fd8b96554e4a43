"""Finding the Delta tables under a folder."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from urllib.parse import quote

from catalog.errors import NotFound, OutsideSource
from catalog.lake.logs.replaying import LOG
from catalog.lake.reading.confinement import local_path
from catalog.lake.reading.storage import Storage, look

#: Folders within folders that are looked into: no lake's tables lie deeper. A bound of time.
DEEPEST = 200
Place = tuple[int, int]  # device and number of a folder
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
    """The tables under a folder: name relative to the folder, and address. In the order of their names, but those that
    only links lead to come last.

    Parameters
    ----------
    include, exclude : globs on names (``sales/*``); ``*`` also crosses ``/``. No include takes all.
    on_error : told of each folder that cannot be listed and may hold tables that are wanted; the walk goes on.

    A folder is a table when it holds ``_delta_log``; folders inside a table and hidden ones (``.name``) are not looked
    into. A root that is a table itself has the name of its folder. A link names no table that has a real folder under
    the root, unless `include` takes the link's name and not the folder's. Links out of the root (and of `roots`,
    further folders that are allowed) are not looked into, but for a table they lead to at once, which is named so that
    its reading can say why it is refused. A name that is no UTF-8 is told with escapes, its address percent-encoded.
    Raises `NotFound` when the root cannot be listed.
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

    def named(path: str) -> str:
        return _readable(path or root.rstrip("/").rpartition("/")[2])

    def closed(path: str, error: OSError) -> None:
        if on_error is not None and _may_hold(path, include, exclude):
            on_error(path, error)

    for path in _walk(storage, closed, lambda path: selected(named(path), include, exclude), again=bool(include)):
        yield named(path), _address(f"{root}/{path}" if path else root, local=local is not None)


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


def _may_hold(folder: str, include: Iterable[str], exclude: Iterable[str]) -> bool:
    """Whether tables in a folder that nobody could look into may be wanted.

    >>> _may_hold("hr", [], ["*_tmp"]), _may_hold("hr", ["hr/pay/*"], []), _may_hold("hr", ["sales/*"], [])
    (True, True, False)
    >>> _may_hold("hr", [], ["hr/*"])
    False
    """
    beginning = f"{folder}/"
    fixed = [re.split(r"[*?\[]", glob, maxsplit=1)[0] for glob in include]
    wanted = not fixed or any(one.startswith(beginning) or beginning.startswith(one) for one in fixed)
    return wanted and not any(fnmatchcase(f"{beginning}*", glob) for glob in exclude)


def _walk(
    storage: Storage, on_error: Callable[[str, OSError], None], wanted: Callable[[str], bool], *, again: bool
) -> Iterator[str]:
    """Paths of the tables that are wanted, depth first; what links lead to after all real folders, each folder once.

    `again` lets links lead once more to folders of which no table was wanted under its real name.
    """
    waiting, links = [""], deque[str]()
    seen, given = set[Place](), set[Place]()
    while waiting or links:
        if not waiting and again:
            seen, again = given, False
        path = waiting.pop() if waiting else links.popleft()
        try:
            place = _place(storage, path)
            if place in seen:
                continue
            seen |= {place} if place else set()
            folders = {entry.name: entry.is_link for entry in storage.list(path) if entry.is_folder}
        except OutsideSource:
            if storage.local is not None and look(f"{storage.local}/{path}/{LOG}") is not None and wanted(path):
                yield path
            continue
        except OSError as error:
            on_error(_readable(path), error)
            continue
        if LOG in folders:
            if wanted(path):
                given |= {place} if place else set()
                yield path
        else:
            below = {f"{path}/{name}" if path else name: link for name, link in folders.items() if name[0] != "."}
            waiting += reversed([each for each, link in below.items() if not link])
            links += [each for each, link in below.items() if link]


def _place(storage: Storage, path: str) -> Place | None:
    """What a local folder is known by, whatever path leads to it."""
    if path.count("/") >= DEEPEST:
        raise OSError(f"folders lie in each other more than {DEEPEST} deep")
    if storage.local is None:
        return None
    told = (storage.local / path).stat()
    return told.st_dev, told.st_ino
