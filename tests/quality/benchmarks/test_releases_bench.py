"""Archives of releases are read as tables, and what string rules say of later ones is counted; nothing is fetched."""

import io
import json
import tarfile
import zipfile
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.lived.data import delivery, read_series
from benchmarks.lived.strings import History, Judged, grown, judged, report
from benchmarks.releases.__main__ import opened
from benchmarks.releases.damaged import damaged_values, write
from benchmarks.releases.inside.readers import objects
from benchmarks.releases.lists import CARRIED
from catalog.rules.kinds.strings import StringsRule

VERSIONS = [["a1", "b2"], ["a1", "c3"], ["a1", "c3", "d4"], ["a1", "zz", "d4"], ["a1", "zz", "d4"]]
CLAUSE = {"kind": "runs", "accepted": ["a0"], "theta": 0.0, "words": "every value is a letter and a digit"}
RULE = StringsRule("pattern", "x", {"clauses": [CLAUSE], "rows": 2}, 0.01, "", "strings")


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


def test_columns_that_are_named_as_times_are_such_and_are_damaged_as_such(tmp_path: Path) -> None:
    cells = {
        "at": [f"2026-03-{day:02d}T08:30:00" for day in range(1, 29)],
        "day": [f"2026-03-{d:02d}" for d in range(1, 29)],
    }
    pq.write_table(pa.table(cells), tmp_path / "0001.parquet")
    manifest = {"repo": "days", "first": "2026-01-01", "items": [{"index": 1}]}
    (tmp_path / "incidents.json").write_text("{}")
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    assert set(read_series(tmp_path).types.values()) == {pa.string()}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest | {"times": ["at", "day"]}))
    series = read_series(tmp_path)
    assert series.types == {"at": pa.timestamp("us", "UTC"), "day": pa.date32()}
    assert delivery(series, 1)["day"].to_pylist()[0] == date(2026, 3, 1)
    rng, kinds = np.random.default_rng(1), set()
    for _ in range(60):
        found = damaged_values(pa.table(cells), "at", series.types, rng, 1.0)
        if found is not None:
            assert found[0]["day"].to_pylist() == cells["day"]
            kinds.add(found[1].split("/")[0])
    assert kinds == {"time_zone", "default", "time_lost", "time_cut", "days_moved", "day_month"}


@pytest.fixture
def history(tmp_path: Path) -> History:
    """A table of five versions; of the fourth one value has another form."""
    items = []
    for at, values in enumerate(VERSIONS, 1):
        pq.write_table(pa.table({"x": [*values, None]}), tmp_path / f"{at:04d}.parquet")
        items.append({"index": at, "date": "2026-01-01"})
    (tmp_path / "manifest.json").write_text(json.dumps({"first": "2026-01-01", "items": items}))
    (tmp_path / "incidents.json").write_text("{}")
    return History.read(tmp_path)


def test_a_rule_judges_the_versions_after_until_its_first_alarm(history: History) -> None:
    found = judged(RULE, history, 2, 5)
    assert found.versions == 2
    assert found.alarm is not None
    assert found.alarm[0] == 3
    assert found.alarm[2] == pytest.approx(1 / 3)
    assert judged(RULE, history, 2, 3).alarm is None
    assert judged(RULE, history, 4, 5).alarm is None  # what was there in the version before is no news


def test_what_somebody_read_and_found_true_is_no_alarm(history: History) -> None:
    history.series.changes[4] = {"columns": ["x"]}
    found = judged(RULE, history, 2, 5)
    assert (found.versions, found.alarm) == (1, None)
    history.series.changes[4] = {"columns": ["y"]}
    assert judged(RULE, history, 2, 5).alarm is not None


def test_damage_is_of_the_version_after_the_one_learned_from(history: History) -> None:
    column = grown(history, "x", 2)
    assert column is not None
    assert (column.train, column.test) == (["a1", "c3"], ["a1", "c3", "d4"])
    assert grown(history, "y", 2) is None


def test_rates_are_of_rules_tables_and_versions() -> None:
    quiet = Judged("t", "s", RULE, 4, 4, None)
    loud = Judged("u", "s", RULE, 4, 1, (5, "", 0.5))
    found = report([quiet, quiet, quiet, loud])
    assert found["any"]["precision"] == 0.75
    assert found["any"]["precision_by_table"] == 0.5
    assert found["any"]["versions"]["rate"] == pytest.approx(1 / 13)
    assert found["few_rows"]["precision"] == 1.0
