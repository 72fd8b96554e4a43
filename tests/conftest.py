"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

from catalog.settings import Settings

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent

# Nothing is timed here: a busy machine must not fail a law. Where every service must run, the same examples come in
# every run: what lands must not depend on chance. `--hypothesis-profile=search` looks for new ones.
hypothesis.settings.register_profile("any", deadline=None)
hypothesis.settings.register_profile("same", deadline=None, derandomize=True)
hypothesis.settings.register_profile("search", deadline=None, max_examples=3000)
hypothesis.settings.load_profile("same" if os.environ.get("ASSAY_TEST_STRICT") == "1" else "any")

# A JVM of these tests lives for some minutes, too short for what its second compiler and its collector's threads cost:
# a session and its first table take 21 processor seconds instead of 35. What is computed is the same.
for _options in ("SPARK_SUBMIT_OPTS", "SPARK_LAUNCHER_OPTS"):
    os.environ.setdefault(_options, "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder of real columns, histories and tables; the test skips where it is absent."""
    folder = Path(os.environ.get("ASSAY_DATA", REPOSITORY.parent / "shared" / "data"))
    if not (folder / "columns").is_dir():
        pytest.skip(f"no real data at {folder}: set ASSAY_DATA to a folder with columns/, histories/, delta-tables/")
    return folder


@pytest.fixture(scope="session")
def jars_home() -> Path:
    """The home whose jars/ folder `make setup` filled."""
    return Path(os.environ.get("ASSAY_HOME", Path.home() / ".assay"))


@pytest.fixture(scope="session")
def furnished(jars_home: Path) -> Callable[[Path], Path]:
    """Makes a folder a home with what the set-up brought for Spark. In a home without it every process that starts a
    Spark fetches Delta's jars anew and loads all classes one by one."""

    def furnish(home: Path) -> Path:
        home.mkdir(parents=True, exist_ok=True)
        (jars_home / "jars").mkdir(parents=True, exist_ok=True)
        (home / "jars").symlink_to(jars_home / "jars", target_is_directory=True)
        return home

    return furnish


@pytest.fixture(scope="session")
def spark_settings(
    tmp_path_factory: pytest.TempPathFactory, jars_home: Path, furnished: Callable[[Path], Path]
) -> Settings:
    """Settings with a throw-away home that uses the jars already fetched, and the starter index as it is now: one of
    other domains would be brought up to date by every lake anew."""
    from catalog.flow.learning.index import prepare_starter

    home, starter = furnished(tmp_path_factory.mktemp("assay-home")), str(jars_home / "starter")
    # logs of a few lines: to begin a task costs more than its work
    logs = {"spark.databricks.delta.snapshotPartitions": "1"}
    local = {"spark_master": "local[2]", "spark_memory": "2g", "spark_conf": logs}
    settings = Settings(home=home, starter_index=starter, **local)  # type: ignore[arg-type]
    prepare_starter(settings)
    return settings


@pytest.fixture(scope="session")
def spark(spark_settings: Settings) -> Iterator[object]:
    """One real local Spark session with Delta for the whole test run."""
    from catalog.lake.scanning.session import session

    spark = session(spark_settings)
    yield spark
    spark.stop()


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with the schema in it, which tests copy: to migrate an empty one takes longer than many a test."""
    from catalog.store.engine import make_engine, upgrade

    path = tmp_path_factory.mktemp("template") / "assay.db"
    engine = make_engine(f"sqlite:///{path}")
    upgrade(engine)
    engine.dispose()
    return path


def pytest_xdist_auto_num_workers() -> int:
    """One process more than there are cores, since each waits for a server or a browser at times, and no more: each
    imports all tests and starts a Spark, some seventy processor seconds. Five would ask for much memory."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores + 1, 4)


#: The order of the folders: what takes long or waits long comes first, so that no process is left with it at the end.
ORDER = ("end_to_end", "workers", "quality", "web", "lake", "store")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def place(item: pytest.Item) -> int:
        folder = item.path.relative_to(HERE).parts[0] if item.path.is_relative_to(HERE) else ""
        return ORDER.index(folder) if folder in ORDER else len(ORDER)

    items.sort(key=place)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """With ASSAY_TEST_STRICT set (as in CI, which installs everything) a skipped test is a failed one."""
    outcome = yield
    report = outcome.get_result()  # type: ignore[attr-defined]
    if report.skipped and os.environ.get("ASSAY_TEST_STRICT") and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        report.outcome = "failed"
        report.longrepr = f"skipped where nothing may be: {reason}"
