"""Archives of releases are read as tables; nothing is fetched here."""

import io
import json
import tarfile
import zipfile
from pathlib import Path

from benchmarks.releases.__main__ import opened
from benchmarks.releases.readers import CARRIED


def test_a_wheel_is_read_as_a_table(tmp_path: Path) -> None:
    path = tmp_path / "pytz-2026.1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(
            "pytz/zoneinfo/zone1970.tab", "# codes\nAD\t+4230+00131\tEurope/Andorra\nAE,OM\t+2518\tAsia/Dubai\tx\n"
        )
    with opened(path) as files:
        table = CARRIED["zones"].read(files)
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
        assert CARRIED["electron"].read(files) == {"electron": ["1.0.0", "1.1.0"], "chromium": ["49.0", "50.0"]}
