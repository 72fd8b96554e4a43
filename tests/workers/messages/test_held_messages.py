"""A living worker keeps its messages while it works on them or they wait for their time; a dead one does not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kombu.transport.redis import Mutex
from processes import until

from catalog.settings import Settings
from workers.app import make_app
from workers.broker import Broker, connect, workers_alive
from workers.names import QUEUE

TIMEOUT = 4  # seconds after which what nobody holds is given to another worker

WORKER = f"""
import os, sys, time
from pathlib import Path
from catalog.settings import Settings
from workers.app import make_app

app = make_app(Settings(home=Path(sys.argv[1]), redis_url="", task_timeout={TIMEOUT}), with_tasks=False)

@app.task(name="note")
def note(name, seconds):
    with open(sys.argv[2], "a") as file:
        print(name, os.getppid(), file=file, flush=True)
    time.sleep(seconds)

app.worker_main(["worker", "--hostname", sys.argv[3] + "@%h", "--loglevel", "INFO"])
"""


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[Settings]:
    settings = Settings(home=tmp_path / "home", redis_url="", task_timeout=TIMEOUT)
    with Broker(settings):
        yield settings


@pytest.fixture
def begin(settings: Settings, tmp_path: Path) -> Iterator[Callable[[str], subprocess.Popen[bytes]]]:
    """Starts a worker of that name."""
    started: list[subprocess.Popen[bytes]] = []

    def start(name: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", WORKER, str(settings.home), str(tmp_path / "done"), name]
        with open(tmp_path / "log", "ab") as log:
            started.append(subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True))
        until(lambda: workers_alive(settings) >= len(started), "the worker beats", tmp_path / "log", 60)
        return started[-1]

    yield start
    for one in started:
        if one.poll() is None:
            os.killpg(one.pid, signal.SIGKILL)
        one.wait()


def done(tmp_path: Path) -> list[str]:
    """What was begun: the name of the task and the process of its worker."""
    path = tmp_path / "done"
    return path.read_text().splitlines() if path.exists() else []


def test_what_takes_or_waits_longer_than_the_timeout_is_done_once(
    settings: Settings, begin: Callable[[str], subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    app = make_app(settings, with_tasks=False)
    begin("one")
    app.send_task("note", args=["later", 0], countdown=3 * TIMEOUT)
    app.send_task("note", args=["long", 3 * TIMEOUT])
    with connect(settings) as client:
        until(
            lambda: len(done(tmp_path)) == 1 and client.hlen("unacked") == 2,
            "both are held",
            tmp_path / "log",
            30,
            every=0.02,
        )
        begin("two")  # it would take what turns visible
        until(lambda: not client.hlen("unacked") and not client.llen(QUEUE), "all is done", tmp_path / "log", 60)
    assert sorted(line.split()[0] for line in done(tmp_path)) == ["later", "long"]


def test_what_a_dead_worker_held_goes_to_another(
    settings: Settings, begin: Callable[[str], subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    app = make_app(settings, with_tasks=False)
    first = begin("one")
    app.send_task("note", args=["later", 0], countdown=2)
    app.send_task("note", args=["long", 2])
    with connect(settings) as client:
        until(lambda: client.hlen("unacked") == 2, "both are held", tmp_path / "log", 30, every=0.02)
        os.killpg(first.pid, signal.SIGKILL)
        first.wait()
        second = begin("two")

        def by_second() -> list[str]:
            return sorted(line.split()[0] for line in done(tmp_path) if line.split()[1] == str(second.pid))

        # a message is nowhere for a moment, between leaving the queue and being held: an empty queue is no sign
        until(lambda: len(by_second()) >= 2, "both are begun by the second", tmp_path / "log", 60, every=0.02)
        until(lambda: not client.hlen("unacked") and not client.llen(QUEUE), "all is done", tmp_path / "log", 60)
    assert by_second() == ["later", "long"]


def test_a_worker_killed_while_it_gave_back_messages_holds_up_others_for_seconds(
    settings: Settings, begin: Callable[[str], subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    app = make_app(settings, with_tasks=False)
    first = begin("one")
    app.send_task("note", args=["lost", 60])
    until(lambda: len(done(tmp_path)) == 1, "it is begun", tmp_path / "log", 30, every=0.02)
    os.killpg(first.pid, signal.SIGKILL)
    with app.connection_for_read() as connection, connect(settings) as client:
        channel = connection.default_channel
        until(lambda: not client.exists(channel.unacked_mutex_key), "nobody gives back", seconds=60, every=0.02)
        killed = Mutex(client, channel.unacked_mutex_key, channel.unacked_mutex_expire)
        killed.__enter__()  # it gives the lock back only when it is done, and it never is
    begin("two")
    until(lambda: len(done(tmp_path)) == 2, "another worker begins it", tmp_path / "log", 60)
