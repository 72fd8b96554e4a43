"""Whether the data files that a version names are there, and as large as its log says.

States are kept of files that were read before, so that they are not opened again: what a wrong VACUUM, a rule on the
age of objects or a broken disk did to them since would be seen by nobody. Looking costs a call of the operating system
a file, or one listing of the table's folder in a store.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence

import pyarrow.fs as pafs

from catalog.errors import AssayError, MissingFile, TableError, UnreadableFile
from catalog.lake.reading.storage import Storage
from catalog.lake.types import DataFile, TableInfo

#: Files of a store that are asked for one by one, where they cannot be listed or are not as listed; a bound of time.
MOST_ASKED = 64


def look_for_files(info: TableInfo, options: dict[str, str] | None = None) -> None:
    """See that the data files of a table's version are there and as large as the log says.

    Errors: `MissingFile`, `UnreadableFile` of the first one that is not, with how many more there are; `OutsideSource`.
    A store that does not answer is no proof of anything: it is passed over.
    """
    storage = Storage(info.uri, options or {}, info.roots)
    wrong = list(_local(storage, info.files) if storage.local is not None else _elsewhere(storage, info.files))
    if not wrong:
        return
    first = next((error for error in wrong if isinstance(error, MissingFile)), wrong[0])
    alike = sum(error.kind == first.kind for error in wrong)
    least = "at least " if storage.local is None and alike == MOST_ASKED else ""
    more = f", and {least}{alike - 1:,} more of {len(info.files):,}" if alike > 1 else ""
    raise type(first)(first.cause + more) from first


def _local(storage: Storage, files: Sequence[DataFile]) -> Iterator[TableError]:
    folders: dict[str, str] = {}  # resolved once each: it costs more than the look
    for file in files:
        folder, name = os.path.split(file.path)
        if folder not in folders:
            folders[folder] = storage.place(folder)
        place = os.path.join(folders[folder], name)
        try:
            told = os.lstat(place)
            if stat.S_ISLNK(told.st_mode):
                place = storage.place(file.path)
                told = os.stat(place)
        except (FileNotFoundError, NotADirectoryError):
            yield _missing(file)
        except OSError as error:
            yield _closed(file, error)
        else:
            if not os.access(place, os.R_OK):
                yield _closed(file, PermissionError("no right to read it"))
            elif damage := _damage(file, told.st_size):
                yield damage


def _elsewhere(storage: Storage, files: Sequence[DataFile]) -> Iterator[TableError]:
    """What is not as the listing of the table's folder has it is asked for as its reader would: names may be written
    otherwise in a listing, and files of clones lie in other folders."""
    listed = _listed(storage)
    suspects = [file for file in files if listed.get(file.path) != file.size]
    step = max(1, len(suspects) // MOST_ASKED)
    for file in suspects[::step][:MOST_ASKED]:
        try:
            with storage.open(file.path) as stream:
                wrong: TableError | None = _damage(file, stream.seek(0, os.SEEK_END))
        except AssayError:
            raise
        except FileNotFoundError:
            wrong = _missing(file)
        except Exception:  # each store's client raises its own; whoever reads the file says it
            wrong = None
        if wrong is not None:
            yield wrong


def _listed(storage: Storage) -> Mapping[str, int | None]:
    """Sizes of the files under a table's folder, by path; nothing where it cannot be listed."""
    try:
        system, root = storage.remote
        infos = system.get_file_info(pafs.FileSelector(root.rstrip("/"), allow_not_found=True, recursive=True))
    except Exception:  # each store's client raises its own
        return {}
    return {info.path.removeprefix(root): info.size for info in infos if info.type == pafs.FileType.File}


def _missing(file: DataFile) -> MissingFile:
    return MissingFile(f"the data file {file.path} is missing")


def _closed(file: DataFile, error: OSError) -> UnreadableFile:
    cause = f"the data file {file.path} cannot be read ({type(error).__name__}: {error.strerror or error})"
    return UnreadableFile(cause, remedy="see who may read it")


def _damage(file: DataFile, size: int) -> UnreadableFile | None:
    """What is wrong with a file of so many bytes. A log that names no size says nothing of it."""
    if not file.size or size == file.size:
        return None
    return UnreadableFile(f"the data file {file.path} is damaged: it has {size:,} bytes, the log says {file.size:,}")
