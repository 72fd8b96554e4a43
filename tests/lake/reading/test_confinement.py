"""A log may name any path: what lies outside the source is not read, and no other store is ever asked."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake

from catalog.errors import AssayError, OutsideSource
from catalog.lake.logs.discover import discover
from catalog.lake.logs.log import read_table
from catalog.lake.logs.replaying import LOG, commit_name
from catalog.lake.reading.confinement import local_place, refuse_metadata, remote_place
from catalog.lake.reading.deletion import deleted_rows
from catalog.lake.reading.files import ReadPlan, read_file
from catalog.lake.reading.storage import Storage

ROWS = pa.table({"id": [1, 2, 3]})


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """A table in a lake, and a file outside of the lake that is nobody's business."""
    write_deltalake(str(tmp_path / "lake" / "t"), ROWS)
    pq.write_table(pa.table({"id": [666]}), tmp_path / "secret.parquet")
    (tmp_path / "lake" / "other").mkdir()
    shutil.copy(tmp_path / "secret.parquet", tmp_path / "lake" / "other" / "shared.parquet")
    return tmp_path / "lake"


def point_to(table: Path, path: str, **more: Any) -> str:
    """Make the log of a table name that path instead of its own file."""
    log = table / commit_name(0)
    actions = [json.loads(line) for line in log.read_text().splitlines()]
    for action in actions:
        if "add" in action:
            action["add"] |= {"path": path, **more}
    log.write_text("\n".join(map(json.dumps, actions)))
    return str(table)


def ids(uri: str, roots: tuple[str, ...] = ()) -> list[int]:
    info = read_table(uri, roots=roots)
    return [
        i for file in info.files for batch in read_file(ReadPlan.of(info), file) for i in batch.column(0).to_pylist()
    ]


WAYS_OUT = [
    "../../secret.parquet",
    "%2e%2e/%2e%2e/secret.parquet",
    "x/../../../secret.parquet",
    "{outside}/secret.parquet",
    "file:{outside}/secret.parquet",
    "file://{outside}/secret.parquet",
    "link.parquet",
    "folder/secret.parquet",
    "s3://bucket/secret.parquet",
    "s3://a|b",
    "http://169.254.169.254/latest/meta-data/iam/security-credentials/role",
    "nosuch://x/y",
    "memory://x/y",
    "file:///proc/self/environ",
]


@pytest.mark.parametrize("path", WAYS_OUT)
def test_no_path_leads_out_of_the_source(lake: Path, path: str) -> None:
    (lake / "t" / "link.parquet").symlink_to(lake.parent / "secret.parquet")
    (lake / "t" / "folder").symlink_to(lake.parent, target_is_directory=True)
    uri = point_to(lake / "t", path.format(outside=lake.parent))
    for roots in ((), (str(lake),)):
        with pytest.raises(OutsideSource, match="assay source allow"):
            ids(uri, roots)


def test_what_a_person_allowed_is_read(lake: Path) -> None:
    """Files of another table of the source, and of folders allowed beside it: shallow clones."""
    uri = point_to(lake / "t", f"file://{lake}/other/shared.parquet")
    with pytest.raises(OutsideSource):
        ids(uri)
    assert ids(uri, (str(lake),)) == [666]
    uri = point_to(lake / "t", str(lake.parent / "secret.parquet"))
    assert ids(uri, (str(lake), str(lake.parent))) == [666]


def test_a_source_behind_a_link_is_its_own_root(lake: Path) -> None:
    (lake.parent / "link").symlink_to(lake, target_is_directory=True)
    uri = str(lake.parent / "link" / "t")
    assert ids(uri) == ids(uri, (str(lake.parent / "link"),)) == [1, 2, 3]


def test_a_folder_that_leads_out_is_named_and_refused(lake: Path) -> None:
    write_deltalake(str(lake.parent / "away" / "deep" / "t"), ROWS)
    write_deltalake(str(lake.parent / "away" / "one"), ROWS)
    (lake / "linked").symlink_to(lake.parent / "away" / "one", target_is_directory=True)
    (lake / "up").symlink_to(lake.parent / "away", target_is_directory=True)
    found = dict(discover(str(lake)))
    assert list(found) == ["t", "linked"]
    with pytest.raises(OutsideSource) as raised:
        read_table(found["linked"], roots=(str(lake),))
    assert f"by the link {lake / 'linked'}" in raised.value.cause
    assert "that the link leads to" in raised.value.remedy
    assert "clone" not in raised.value.remedy
    with pytest.raises(OutsideSource, match="shallow clone"):
        ids(point_to(lake / "t", str(lake.parent / "secret.parquet")), (str(lake),))
    away = (str(lake), str(lake.parent / "away"))
    assert list(dict(discover(str(lake), roots=away[1:]))) == ["t", "linked", "up/deep/t"]  # one is there already
    assert ids(found["linked"], away) == [1, 2, 3]


@pytest.mark.parametrize("path", ["{outside}/dv.bin", "file://{outside}/dv.bin", "http://169.254.169.254/dv.bin"])
def test_deletion_vectors_stay_inside(lake: Path, path: str) -> None:
    (lake.parent / "dv.bin").write_bytes(b"\1" * 100)
    with pytest.raises(OutsideSource):
        deleted_rows(str(lake / "t"), "p" + path.format(outside=lake.parent) + "@1", {}, (str(lake),))


@pytest.mark.parametrize("path", ["{outside}/side.parquet", "..%2f..%2f..%2fside.parquet", "s3://b/side.parquet"])
def test_sidecars_stay_inside(lake: Path, path: str) -> None:
    table = lake / "t"
    actions = [json.loads(line) for line in (table / commit_name(0)).read_text().splitlines()]
    adds = pa.table({"add": [action["add"] | {"partitionValues": None} for action in actions if "add" in action]})
    pq.write_table(adds.select(["add"]), lake.parent / "side.parquet")
    told = [a for a in actions if "add" not in a] + [{"sidecar": {"path": path.format(outside=lake.parent)}}]
    name = f"{0:020d}.checkpoint.3a0d65cd-4056-49b8-937b-95f9e3ee90e5.json"
    (table / LOG / name).write_text("\n".join(map(json.dumps, told)))
    (table / commit_name(0)).unlink()
    with pytest.raises(OutsideSource):
        read_table(str(table))


def test_a_log_that_is_a_link_is_not_read(lake: Path) -> None:
    (lake.parent / "passwords").write_text("root:secret")
    log = lake / "t" / commit_name(0)
    log.unlink()
    log.symlink_to(lake.parent / "passwords")
    with pytest.raises(OutsideSource) as told:
        read_table(str(lake / "t"))
    assert "root:secret" not in str(told.value)


@pytest.mark.parametrize("name", [commit_name(0), "data"])
def test_pipes_and_devices_are_not_waited_for(lake: Path, name: str) -> None:
    table = lake / "t"
    place = table / (name if name != "data" else read_table(str(table)).files[0].path)
    place.unlink()
    os.mkfifo(place)
    with pytest.raises(AssayError, match="no regular file"):
        ids(str(table))


class TestElsewhere:
    """Stores of other machines, whose paths are compared as text."""

    ROOTS = ("s3://bucket/lake",)

    @pytest.mark.parametrize(
        ("path", "place"),
        [
            ("p=1/x.parquet", ("s3://bucket/lake/t", "p=1/x.parquet")),
            ("s3a://bucket/lake/u/x.parquet", ("s3://bucket/lake/u", "x.parquet")),
            ("/lake/u/x.parquet", ("s3://bucket/lake/u", "x.parquet")),
        ],
    )
    def test_inside(self, path: str, place: tuple[str, str]) -> None:
        assert remote_place("s3://bucket/lake/t", path, self.ROOTS) == place

    @pytest.mark.parametrize(
        "path",
        ["../x", "a/%2e%2e/%2e%2e/x", "a\\..\\..\\x", "/other/x", "/lakes/x", "s3://other/lake/x", "gs://bucket/lake/x",
         "http://bucket/lake/x", "file:///etc/passwd", "http://169.254.169.254/x", "a/./x", "s3://bucket/lake/../x"],
    )  # fmt: skip
    def test_outside(self, path: str) -> None:
        with pytest.raises(OutsideSource):
            remote_place("s3://bucket/lake/t", path, self.ROOTS)

    @pytest.mark.parametrize(
        "address",
        ["http://169.254.169.254/", "http://2852039166/", "http://0xa9fea9fe/x", "http://0251.0376.0251.0376/",
         "http://[::ffff:169.254.169.254]/", "http://[fd00:ec2::254]/", "http://metadata.google.internal/",
         "http://METADATA.google.internal./", "http://user@169.254.169.254:80/", "http://169.254.170.2/v2",
         "http://100.100.100.200/", "http://[fe80::1%25eth0]/", "http://①⑥⑨.254.169.254/", "http://169。254。169。254/",
         "http://[64:ff9b::a9fe:a9fe]/", "http://[2002:a9fe:a9fe::]/", "http://169.254.169.254\\@example.com/",
         "http://192.0.0.192/", "http://metadata.azure.internal/", "simplecache::http://169.254.169.254/x",
         "zip://x::http://[::ffff:a9fe:a9fe]/a.zip", "http://[broken/"],
    )  # fmt: skip
    def test_never_a_metadata_address(self, address: str) -> None:
        with pytest.raises(OutsideSource, match="never read"):
            refuse_metadata(address)
        with pytest.raises(OutsideSource):
            Storage(address).list()

    def test_other_addresses_are_none(self) -> None:
        for address in ("http://10.0.0.1/", "s3://bucket/169.254.169.254", "abfss://c@a.dfs.core.windows.net/x", "/x"):
            refuse_metadata(address)


def test_a_zero_character_is_no_path(tmp_path: Path) -> None:
    with pytest.raises(OutsideSource):
        local_place(tmp_path, "a\0b", (str(tmp_path),))


_ALONE = """
import socket, sys
from pathlib import Path

def refuse(*told, **more):
    print("NETWORK", told, flush=True)
    raise OSError("no network here")

socket.socket.connect = refuse
socket.getaddrinfo = refuse
sys.path.insert(0, sys.argv[2])
from test_confinement import WAYS_OUT, ids, point_to
from catalog.errors import OutsideSource

lake = Path(sys.argv[1])
for path in WAYS_OUT:
    uri = point_to(lake / "t", path.format(outside=lake.parent))
    try:
        print("READ", path, ids(uri, (str(lake),)))
    except OutsideSource:
        print("refused")
    except Exception as error:
        print("OTHER", path, repr(error))
"""


def test_nobody_is_asked_in_a_machine_without_a_network(lake: Path) -> None:
    """In a network namespace of its own, with dummy keys: no path makes a client look for a way out."""
    alone = ["unshare", "--map-root-user", "-n"]
    if subprocess.run([*alone, "true"], capture_output=True).returncode:
        alone = []  # not allowed here: calls of the network are still told
    keys = {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "AWS_EC2_METADATA_DISABLED": "true"}
    (lake / "t" / "link.parquet").symlink_to(lake.parent / "secret.parquet")
    (lake / "t" / "folder").symlink_to(lake.parent, target_is_directory=True)
    command = [*alone, sys.executable, "-c", _ALONE, str(lake), str(Path(__file__).parent)]
    done = subprocess.run(command, env={**os.environ, **keys}, capture_output=True, text=True, timeout=300)
    assert done.stdout.split() == ["refused"] * len(WAYS_OUT), done.stdout + done.stderr


def test_deltalake_reads_the_same_table(lake: Path) -> None:
    assert DeltaTable(str(lake / "t")).to_pyarrow_table()["id"].to_pylist() == ids(str(lake / "t"))
