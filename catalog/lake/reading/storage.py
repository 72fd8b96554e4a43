"""Reading bytes under a table's folder, wherever it lies: a local path, an object store, any fsspec address.

Local folders are read by the operating system's own calls, because a look at the log of a thousand tables must cost
milliseconds. ``s3://``, ``gs://``, ``abfss://`` and the like go through deltalake's object store with its option names
(``AWS_ACCESS_KEY_ID`` ...); every other scheme goes through fsspec, to which the options are given as arguments.
"""

from __future__ import annotations

import os
import stat
import sys
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

import fsspec
import pyarrow as pa
import pyarrow.fs as pafs
from deltalake.fs import DeltaStorageHandler

from catalog.addresses import OBJECT_STORES
from catalog.lake.reading.confinement import local_path, local_place, refuse_metadata, remote_place


@dataclass(frozen=True)
class Entry:
    """A file or folder: `name` within its folder, `size` in bytes, `modified` in epoch seconds (0 where unknown).

    A link (`is_link`; of local folders, as `Storage.list` has them) is told as what it leads to.
    """

    name: str
    is_folder: bool
    size: int
    modified: float
    is_link: bool = False

    @property
    def stamp(self) -> str:
        """Changes when another file takes this one's place.

        >>> Entry("0.json", False, 812, 1700000000.25).stamp
        '812@1700000000.25'
        """
        return f"{self.size}@{self.modified}"


@dataclass(frozen=True)
class Storage:
    """A folder and how to read it.

    Paths are relative to the folder, or absolute as a log may have them; none leads out of the `roots` (addresses of
    folders; without any, the folder itself). Every method raises `FileNotFoundError` for what is not there, `OSError`
    for what cannot be read, and `catalog.errors.OutsideSource`.
    """

    uri: str
    options: dict[str, str] = field(default_factory=dict)
    roots: tuple[str, ...] = ()

    @cached_property
    def local(self) -> Path | None:
        """The folder on this machine, None when it is elsewhere."""
        return local_path(self.uri)

    @cached_property
    def remote(self) -> tuple[Any, str]:
        """An Arrow file system and the folder's path in it (empty, or ending in ``/``)."""
        refuse_metadata(self.uri)
        scheme = urlsplit(self.uri).scheme.lower()
        if scheme in OBJECT_STORES:
            return pafs.PyFileSystem(DeltaStorageHandler(self.uri, options=dict(self.options) or None)), ""
        system, path = fsspec.url_to_fs(self.uri, **self.options)
        return pafs.PyFileSystem(pafs.FSSpecHandler(system)), path.rstrip("/") + "/"

    def place(self, path: str) -> str:
        """The real path of a file of a local folder."""
        assert self.local is not None
        return local_place(self.local, path, self.roots or (self.uri,))

    def _find(self, path: str) -> tuple[Any, str]:
        """File system and path in it of a file elsewhere."""
        folder, name = remote_place(self.uri, path, self.roots or (self.uri,))
        system, root = (self if folder == self.uri.rstrip("/") else Storage(folder, self.options)).remote
        return system, root + name

    def read(self, path: str, most: int | None = None) -> bytes:
        """All bytes of a file; `OSError` for one of more than `most`."""
        if self.local is not None:
            place = self.place(path)
            if _regular(place) > (most or sys.maxsize):
                raise OSError(f"it is larger than {most} bytes")
            return Path(place).read_bytes()
        system, name = self._find(path)
        with system.open_input_file(name) as stream:
            if most is not None and stream.size() > most:
                raise OSError(f"it is larger than {most} bytes")
            return stream.read()

    def open(self, path: str) -> IO[bytes] | pa.NativeFile:
        """A file for random access."""
        if self.local is not None:
            place = self.place(path)
            _regular(place)
            return pa.OSFile(place) if place.isprintable() else pa.PythonFile(open(place, "rb"))
        system, name = self._find(path)
        return system.open_input_file(name)

    def list(self, path: str = "") -> list[Entry]:
        """What a folder holds, sorted by name; an absent folder raises `FileNotFoundError`."""
        if self.local is not None:
            with os.scandir(self.place(path)) as found:
                entries = [_local_entry(item) for item in found]
            return sorted(entries, key=lambda entry: entry.name)
        system, root = self.remote
        infos = system.get_file_info(pafs.FileSelector((root + path).rstrip("/"), allow_not_found=False))
        return sorted(map(_remote_entry, infos), key=lambda entry: entry.name)

    def look(self, path: str) -> Entry | None:
        """A file or folder as `list` has it; None when there is nothing."""
        if self.local is not None:
            return look(f"{self.local}/{path}")
        system, root = self.remote
        info = system.get_file_info(root + path)
        return None if info.type == pafs.FileType.NotFound else _remote_entry(info)


def _regular(place: str) -> int:
    """The size of a local file; `OSError` for a pipe or device, whose reading might never end."""
    told = os.stat(place)
    if not stat.S_ISREG(told.st_mode):
        raise OSError("it is no regular file")
    return told.st_size


def look(path: str) -> Entry | None:
    """A local file or folder as `Storage.list` has it, by one call of the operating system; None when there is none."""
    try:
        told = os.stat(path)
    except (OSError, ValueError):
        return None
    return Entry(os.path.basename(path), stat.S_ISDIR(told.st_mode), told.st_size, told.st_mtime)


def _remote_entry(info: pafs.FileInfo) -> Entry:
    is_folder = info.type == pafs.FileType.Directory
    return Entry(info.base_name, is_folder, info.size or 0, info.mtime.timestamp() if info.mtime else 0.0)


def _local_entry(item: os.DirEntry[str]) -> Entry:
    try:
        told = item.stat()
    except OSError:  # a dangling link, gone since, or in a folder that may be listed and no more: it is named
        return Entry(item.name, item.is_dir(follow_symlinks=False), 0, 0.0)
    return Entry(item.name, item.is_dir(), told.st_size, told.st_mtime, item.is_symlink())
