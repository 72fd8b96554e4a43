"""Whether the data files of a version are still there: what folded them once reads them no more."""

from __future__ import annotations

import os
from pathlib import Path

from catalog.errors import MissingFile, UnreadableFile
from catalog.lake.reading.storage import Storage
from catalog.lake.types import TableInfo

MAGIC = b"PAR1"  # ends every Parquet file
NAMED = 3  # files that an error names; a bound of length


def demand_files(info: TableInfo) -> None:
    """Raise `MissingFile` where files of a table's latest version are gone, as after a clean-up of the wrong folder,
    and `UnreadableFile` where one is of another size than its log says and no Parquet file any more. Of tables on
    this machine only: elsewhere each look is a request that costs."""
    storage = Storage(info.uri, {}, info.roots)
    if storage.local is None:
        return
    gone = []
    for file in info.files:
        place = storage.place(file.path)
        try:
            size = os.stat(place).st_size
        except FileNotFoundError:
            gone.append(file.path)
            continue
        if size != file.size and not _is_parquet(place, size):
            raise UnreadableFile(f"data file {file.path} is damaged: it holds {size} bytes of {file.size}")
    if gone:
        more = f" and {len(gone) - NAMED} more" if len(gone) > NAMED else ""
        raise MissingFile(f"data files of the latest version are missing: {', '.join(gone[:NAMED])}{more}")


def _is_parquet(place: str, size: int) -> bool:
    if size < 2 * len(MAGIC):
        return False
    with Path(place).open("rb") as file:
        file.seek(-len(MAGIC), os.SEEK_END)
        return file.read() == MAGIC
