"""The service as `assay up` starts it, and as containers do."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from assay_command import Assay
from deltalake import write_deltalake

from catalog.cli.app import app
from catalog.service import answers, running_url
from catalog.settings import Settings
from catalog.store.engine import make_engine, session
from catalog.store.lake import tables
from workers.broker import workers_alive

REPOSITORY = Path(__file__).resolve().parents[3]


def write_stock(lake: Path, day: int) -> None:
    stock = pl.DataFrame({"sku": [f"SKU-{i:04d}" for i in range(90 + day)], "count": list(range(90 + day))})
    write_deltalake(lake / "stock", stock.to_arrow(), mode="overwrite")


@pytest.mark.spark
@pytest.mark.slow
def test_the_service_notices_survives_a_dead_child_and_stops(assay: Assay, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    for day in range(16):
        write_stock(lake, day)
    (lake / "broken" / "_delta_log").mkdir(parents=True)
    (lake / "broken" / "_delta_log" / f"{0:020d}.json").write_text("not a log\n")
    log = open(tmp_path / "up.log", "w+")  # noqa: SIM115 - read below while it is written
    service = subprocess.Popen(
        [sys.executable, "-m", "catalog.cli", "up"], env=assay.environment, stdout=log, stderr=log
    )
    try:
        state = assay.settings.home / "service.json"
        wait(lambda: is_up(assay.settings))
        assert {"workers": "ok", "task queue": "ok", "service": "ok"}.items() <= health(assay).items()
        url = json.loads(state.read_text())["url"]
        with urllib.request.urlopen(url) as answer:  # noqa: S310 - our own page
            assert answer.status == 200
        assert "a service of" in assay("up", code=3).stderr

        assay("source", "add", "shop", str(lake), "--include", "stock")
        (queued,) = assay.json("crawl", "shop", "--no-wait")
        assert queued["status"] in ("queued", "running"), "a worker may have begun already"
        assert assay.json("crawl", "shop")[0]["stats"]["failed"] == 0  # done by the worker, followed from here
        assert assay.json("table", "list")["items"][0]["judged_version"] == 15

        for child in children(service.pid):
            os.kill(child, signal.SIGKILL)
        write_stock(lake, 16)
        wait(lambda: judged(assay) == [16])
        assert assay.json("table", "list")["items"][0]["judged_version"] == 16
    finally:
        service.send_signal(signal.SIGTERM)
        service.wait(60)
    assert service.returncode == 0
    log.seek(0)
    assert "Assay is up at" in log.read()
    assert {"service": "idle", "task queue": "idle"}.items() <= health(assay).items()


def children(pid: int) -> list[int]:
    """The four processes of a service."""
    listed = Path("/proc").glob("[0-9]*/stat")
    if not Path("/proc").exists():
        pytest.skip("children of a process are read from /proc")
    found = []
    for stat in listed:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(stat.parent.name))
    assert len(found) == 4
    return found


def health(assay: Assay) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "catalog.cli", "doctor", "--json"], env=assay.environment, capture_output=True, text=True
    )
    return {one["name"]: one["status"] for one in json.loads(done.stdout)}


def is_up(settings: Settings) -> bool:
    url = running_url(settings.home)
    return url is not None and answers(url) and workers_alive(settings) > 0


def judged(assay: Assay) -> list[int]:
    """Up to which version each table is judged, without a process that is started to say it."""
    engine = make_engine(assay.settings.database)
    with session(engine, write=False) as db:
        found = [table.judged_version for table in tables.every_table(db)]
    engine.dispose()
    return found


def wait(ready: Any, seconds: float = 240.0) -> None:
    deadline = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < deadline, f"not in {seconds:.0f} s"
        time.sleep(0.3)


def test_the_containers_run_real_commands_with_real_settings() -> None:
    compose = yaml.safe_load((REPOSITORY / "docker-compose.yml").read_text())
    services = compose["services"]
    assert set(services) == {"postgres", "redis", "web", "worker", "scheduler"}
    commands = {command.name for command in app.registered_commands}
    known = {f"ASSAY_{name.upper()}" for name in Settings.model_fields}
    for name in ("web", "worker", "scheduler"):
        service = services[name]
        assert service["build"] == "."
        assert service["command"][0] in commands
        assert set(service["environment"]) <= known
        unset = [name for name, value in service["environment"].items() if value is None]
        assert unset == [], "Compose unsets it where the shell has none, whatever assay.env says"
        assert set(service["depends_on"]) <= set(services)
        assert all(wanted["condition"] == "service_healthy" for wanted in service["depends_on"].values())
    for service in services.values():
        named = [volume.split(":")[0] for volume in service["volumes"] if not volume.startswith(("$", ".", "/"))]
        assert set(named) <= set(compose["volumes"])
    assert all("healthcheck" in services[name] for name in ("postgres", "redis"))
    lines = (REPOSITORY / "Dockerfile").read_text().splitlines()
    copied = [word for line in lines if line.startswith("COPY") for word in line.split()[1:-1]]
    assert copied
    assert all((REPOSITORY / word).exists() for word in copied)
