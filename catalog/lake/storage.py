"""Reading bytes under a table's folder, wherever it lies: a local path, an object store, any fsspec address.

Local folders are read by the operating system's own calls, because a look at the log of a thousand tables must cost
milliseconds. ``s3://``, ``gs://``, ``abfss://`` and the like go through deltalake's object store with its option names
(``AWS_ACCESS_KEY_ID`` ...); every other scheme goes through fsspec, to which the options are given as arguments.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote, urlsplit

import fsspec
import pyarrow as pa
import pyarrow.fs as pafs
from deltalake.fs import DeltaStorageHandler

#: Schemes that deltalake's object store understands.
OBJECT_STORES = {"s3", "s3a", "gs", "gcs", "az", "azure", "abfs", "abfss", "adl", "wasb", "wasbs", "hdfs", "oci"}


@dataclass(frozen=True)
class Entry:
    """A file or folder: `name` within its folder, `size` in bytes, `modified` in epoch seconds (0 where unknown)."""

    name: str
    is_folder: bool
    size: int
    modified: float

    @property
    def stamp(self) -> str:
        """Changes when another file takes this one's place.

        >>> Entry("0.json", False, 812, 1700000000.25).stamp
        '812@1700000000.25'
        """
        return f"{self.size}@{self.modified}"


@dataclass(frozen=True)
class Storage:
    """A folder and how to read it. All paths given to it are relative to the folder, ``/`` between their parts.

    Every method raises `FileNotFoundError` for what is not there and `OSError` for what cannot be read.
    """

    uri: str
    options: dict[str, str] = field(default_factory=dict)

    @cached_property
    def local(self) -> Path | None:
        """The folder on this machine, None when it is elsewhere."""
        return local_path(self.uri)

    @cached_property
    def _remote(self) -> tuple[Any, str]:
        """An Arrow file system and the folder's path in it (empty, or ending in ``/``)."""
        scheme = urlsplit(self.uri).scheme.lower()
        if scheme in OBJECT_STORES:
            return pafs.PyFileSystem(DeltaStorageHandler(self.uri, options=dict(self.options) or None)), ""
        system, path = fsspec.url_to_fs(self.uri, **self.options)
        return pafs.PyFileSystem(pafs.FSSpecHandler(system)), path.rstrip("/") + "/"

    def read(self, path: str) -> bytes:
        """All bytes of a file."""
        if self.local is not None:
            return (self.local / path).read_bytes()
        system, root = self._remote
        with system.open_input_file(root + path) as stream:
            return stream.read()

    def open(self, path: str) -> IO[bytes] | pa.NativeFile:
        """A file for random access."""
        if self.local is not None:
            return pa.OSFile(str(self.local / path))
        system, root = self._remote
        return system.open_input_file(root + path)

    def list(self, path: str = "") -> list[Entry]:
        """What a folder holds, sorted by name; an absent folder raises `FileNotFoundError`."""
        if self.local is not None:
            with os.scandir(self.local / path) as found:
                entries = [_local_entry(item) for item in found]
            return sorted(entries, key=lambda entry: entry.name)
        system, root = self._remote
        infos = system.get_file_info(pafs.FileSelector((root + path).rstrip("/"), allow_not_found=False))
        return sorted(map(_remote_entry, infos), key=lambda entry: entry.name)

    def look(self, path: str) -> Entry | None:
        """A file or folder as `list` has it; None when there is nothing."""
        if self.local is not None:
            return look(f"{self.local}/{path}")
        system, root = self._remote
        info = system.get_file_info(root + path)
        return None if info.type == pafs.FileType.NotFound else _remote_entry(info)


def look(path: str) -> Entry | None:
    """A local file or folder as `Storage.list` has it, by one call of the operating system; None when there is none."""
    try:
        told = os.stat(path)
    except OSError:
        return None
    return Entry(os.path.basename(path), stat.S_ISDIR(told.st_mode), told.st_size, told.st_mtime)


def _remote_entry(info: pafs.FileInfo) -> Entry:
    is_folder = info.type == pafs.FileType.Directory
    return Entry(info.base_name, is_folder, info.size or 0, info.mtime.timestamp() if info.mtime else 0.0)


def _local_entry(item: os.DirEntry[str]) -> Entry:
    try:
        told = item.stat()
    except OSError:  # a dangling link, or gone since: it is named, and nobody can read it
        return Entry(item.name, False, 0, 0.0)
    return Entry(item.name, item.is_dir(), told.st_size, told.st_mtime)


def local_path(uri: str) -> Path | None:
    """The local folder a table's address means, None for an address elsewhere.

    >>> str(local_path("file:///data/a%20b")), str(local_path("/data/a%20b")), local_path("s3://bucket/a")
    ('/data/a b', '/data/a%20b', None)
    """
    if uri.startswith("file:"):
        return Path(unquote(urlsplit(uri).path))
    return None if "://" in uri else Path(uri)


def locate(uri: str, path: str) -> tuple[str, str]:
    """Folder and relative path of a data file: a log may list files by absolute address (shallow clones).

    >>> locate("/lake/t", "part-0.parquet")
    ('/lake/t', 'part-0.parquet')
    >>> locate("/lake/t", "file:/lake/other/a b.parquet"), locate("s3://b/t", "s3://c/u/x.parquet")
    (('/lake/other', 'a b.parquet'), ('s3://c/u', 'x.parquet'))
    """
    if path.startswith("file:"):
        path = "/" + path[len("file:") :].lstrip("/")
    if not path.startswith("/") and "://" not in path:
        return uri, path
    folder, _, name = path.rpartition("/")
    if path.startswith("/") and "://" in uri and not uri.startswith("file:"):
        parts = urlsplit(uri)
        folder = f"{parts.scheme}://{parts.netloc}{folder}"
    return folder, name
