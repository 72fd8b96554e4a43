"""Runs the demo: a real service over a lake of its own, from the first crawl to the three bad versions."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlmodel import func, select

from catalog.cli import console, work
from catalog.cli.console import count, say
from catalog.demo.faults import FAULTS
from catalog.demo.lake import ShopLake
from catalog.demo.report import Report, caught, show_incidents, show_learned
from catalog.errors import UsageError
from catalog.flow.context import Context
from catalog.flow.learning.index import prepare_starter
from catalog.flow.reading.sources import add_source
from catalog.lake.scanning.session import ensure_jars, local_jars
from catalog.service import Service, in_the_way
from catalog.settings import Settings
from catalog.store.lake import sources, tables
from catalog.store.models import Tag

SOURCE = "shop"
#: Longest waits, in seconds: for the crawl, for a day's versions to be judged.
CRAWL_SECONDS, DAY_SECONDS = 900.0, 300.0


def run_demo(settings: Settings, *, once: bool, as_json: bool, keep: Path | None, days: int = 42, seed: int = 1) -> int:
    """The whole demo; its exit code: 0 when exactly the three bad versions were caught, else 1."""
    started = time.monotonic()
    with _folder(keep) as folder, Service(_own_settings(settings, folder, once)) as service:
        report = Demo(service, folder / "lake", started, quiet=as_json, days=days, seed=seed).play()
        if as_json:
            sys.stdout.write(json.dumps(report.to_json(), indent=2, ensure_ascii=False) + "\n")
            sys.stdout.flush()
        if not once:
            with work.stop_signals() as stop:
                console.err().print(f"\nThe page is at {service.url}  (Ctrl-C ends the demo)", style="bold")
                stop.wait()
        elif not as_json:
            say("`assay demo` without --once leaves the page open to look around in.")
    return console.PASSED if report.perfect else console.FAILED


def apart(settings: Settings, home: Path) -> Settings:
    """The settings with a home, catalog and queue of their own, and the jars and the starter index of the set-up."""
    ensure_jars(settings)
    return settings.model_copy(
        update={
            "home": home,
            "starter_index": str(prepare_starter(settings).absolute()),
            "delta_jars": ",".join(str(jar.absolute()) for jar in local_jars(settings)),
            "database_url": "",
            "redis_url": "",
        }
    )


def _own_settings(settings: Settings, folder: Path, once: bool) -> Settings:
    """The settings of the demo's service."""
    return apart(settings, folder / "home").model_copy(
        update={
            "port": 0 if once or in_the_way(settings.host, settings.port) else settings.port,
            "watch_seconds": min(1.0, settings.watch_seconds),
        }
    )


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    """The demo's folder: a temporary one, or one to keep, which must be empty."""
    if keep is not None:
        keep = keep.expanduser().absolute()
        keep.mkdir(parents=True, exist_ok=True)
        if any(keep.iterdir()):
            raise UsageError(f"{keep} is not empty", remedy="give a new folder")
        yield keep
        return
    folder = Path(tempfile.mkdtemp(prefix="assay-demo-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Demo:
    """One run of the demo.

    Parameters
    ----------
    service : the running service, whose catalog is empty.
    lake : folder the lake is written to.
    started : when the demo began, by `time.monotonic`.
    quiet : say nothing on the way.
    """

    def __init__(self, service: Service, lake: Path, started: float, *, quiet: bool, days: int, seed: int) -> None:
        self.started = started
        self.service, self.quiet = service, quiet
        self.context = Context(service.settings)
        yesterday = datetime.now(UTC) - timedelta(days=1)  # an ordinary day; the day after, the bad one, is today
        self.lake = ShopLake(lake, end=yesterday, days=days, seed=seed)
        self.first_tag: float | None = None

    def play(self) -> Report:
        """From nothing to the report."""
        self._say("A shop's lake: 12 Delta tables are written day by day ...")
        with console.bar("history", self.quiet) as tell:
            for done, total in self.lake.write_history():
                tell(done, total, "days written")
        self.service.wait_ready()
        stats = self._crawl()
        if not self.quiet:
            show_learned(self.context, stats)
        self._say("\nAn ordinary day arrives ...")
        self._await(self.lake.deliver())
        self._say("The next day arrives. In three tables something is wrong:")
        for fault in FAULTS.values():
            self._say(f"  {fault.table}.{fault.column}: {fault.sentence}")
        versions = self.lake.deliver(FAULTS)
        self._await(versions)
        report = caught(
            self.context,
            {(fault.table, fault.column, versions[fault.table]): fault.kind for fault in FAULTS.values()},
            seconds=time.monotonic() - self.started,
            first_tag_seconds=self.first_tag,
            url=self.service.url,
            phases=stats.get("phases", {}),
        )
        if not self.quiet:
            show_incidents(report)
        self.context.close()
        return report

    def _crawl(self) -> dict[str, Any]:
        self._say(f"Registering and crawling it; {self.service.url} shows the progress ...")
        source = add_source(self.context, SOURCE, str(self.lake.root))
        run_id = work.start(self.context, "crawl", SOURCE, source=source)
        work.send(self.context, run_id)
        return work.follow(self.context, run_id, quiet=self.quiet, each=self._look_for_tags, seconds=CRAWL_SECONDS)

    def _look_for_tags(self) -> None:
        if self.first_tag is None:
            with self.context.reading() as session:
                if session.exec(select(func.count()).select_from(Tag)).one():
                    self.first_tag = time.monotonic() - self.started

    def _await(self, versions: dict[str, int]) -> None:
        """Wait until the watcher noticed the versions and the worker judged them."""
        before = time.monotonic()

        def judged() -> bool:
            with self.context.reading() as session:
                source = sources.get_source(session, SOURCE)
                found = [one for one in tables.every_table(session) if one.source_id == source.id]
            return all(table.judged_version >= versions[table.name] for table in found)

        with console.bar("judging", self.quiet) as tell:
            tell(0, 0, "the watcher has noticed")
            work.until(judged, DAY_SECONDS, "judging the new versions")
        self._say(f"  {count(len(versions), 'new version')} noticed and judged in {time.monotonic() - before:.1f} s")

    def _say(self, text: str) -> None:
        if not self.quiet:
            say(text)
