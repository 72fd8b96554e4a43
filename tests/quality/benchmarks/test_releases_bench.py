"""Archives of releases are read as tables; nothing is fetched here."""

import io
import json
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.releases.__main__ import opened
from benchmarks.releases.damaged import write
from benchmarks.releases.inside.readers import objects
from benchmarks.releases.lists import CARRIED


def test_a_wheel_is_read_as_a_table(tmp_path: Path) -> None:
    path = tmp_path / "pytz-2026.1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(
            "pytz/zoneinfo/zone1970.tab", "# codes\nAD\t+4230+00131\tEurope/Andorra\nAE,OM\t+2518\tAsia/Dubai\tx\n"
        )
    with opened(path) as files:
        table = CARRIED["first"]["zones"].read(files)
    assert table["codes"] == ["AD", "AE,OM"]
    assert table["comments"] == ["", "x"]


def test_a_packed_archive_is_read_as_a_table(tmp_path: Path) -> None:
    path = tmp_path / "electron-to-chromium-1.0.0.tgz"
    data = json.dumps({"1.0.0": "49.0", "1.1.0": "50.0"}).encode()
    with tarfile.open(path, "w:gz") as packed:
        member = tarfile.TarInfo("package/full-versions.json")
        member.size = len(data)
        packed.addfile(member, io.BytesIO(data))
    with opened(path) as files:
        table = CARRIED["first"]["electron"].read(files)
    assert table == {"electron": ["1.0.0", "1.1.0"], "chromium": ["49.0", "50.0"]}


def test_objects_by_their_names_are_rows() -> None:
    said = {"v": 1, "data": {"grid": {"title": "Grid", "parts": ["a", "b"], "stats": {"x": 1}}, "note": "none"}}
    files = {"package/data.json": lambda: json.dumps(said).encode()}
    assert objects("data.json", "data")(files) == {"key": ["grid"], "title": ["Grid"], "parts": ["a b"]}
    assert objects("data.json", "data")({"package/data.json": lambda: b'{"data": [{"id": 7, "gone": null}, 3]}'}) == {
        "id": ["7"],
        "gone": [""],
    }


def test_faults_are_put_in_where_the_labels_say(tmp_path: Path) -> None:
    folder, out = tmp_path / "codes", tmp_path / "out" / "codes"
    folder.mkdir()
    items = [{"index": n, "date": "2026-01-01"} for n in range(1, 41)]
    (folder / "manifest.json").write_text(json.dumps({"repo": "codes", "first": "2026-01-01", "items": items}))
    (folder / "incidents.json").write_text(json.dumps({"incidents": [], "clean_windows": []}))
    for n in range(1, 41):
        cells = {"code": [f"SO{i:05d}" for i in range(n, n + 50)], "price": [f"{i}.50" for i in range(n, n + 50)]}
        pq.write_table(pa.table(cells), folder / f"{n:04d}.parquet")
    count = write(folder, out, np.random.default_rng(3))
    told = json.loads((out / "incidents.json").read_text())["incidents"]
    changed = {
        n for n in range(1, 41)
        if (folder / f"{n:04d}.parquet").read_bytes() != (out / f"{n:04d}.parquet").read_bytes()
    }  # fmt: skip
    assert count == len(told) >= 3
    assert {one["index"] for one in told} == changed
