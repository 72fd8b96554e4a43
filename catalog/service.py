"""The service on one machine: broker, worker, scheduler and web page as child processes that are kept alive.

A child that dies is started again, after a pause that doubles up to half a minute. Children live in sessions of their
own, so that Ctrl-C reaches the supervisor alone, which stops them in order. On Linux they end with it even if it is
killed.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from catalog.errors import BrokerError, UsageError
from catalog.settings import Settings
from workers import broker

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0  # chosen: doubling from the one to the other
#: A child that lived this long had no trouble starting: its next pause is short again; chosen.
SETTLED_SECONDS = 60.0
STOP_SECONDS = 10.0  # a bound


@dataclass
class Child:
    """A process of the service. `stop_with` asks it to end; after `STOP_SECONDS` it is killed."""

    name: str
    command: list[str]
    stop_with: signal.Signals = signal.SIGTERM
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    pause: float = FIRST_PAUSE
    due: float = 0.0
    restarts: int = 0
    log: IO[bytes] | None = field(default=None, repr=False)

    def start(self, environment: dict[str, str], folder: Path) -> None:
        self.log = self.log or open(folder / f"{self.name}.log", "ab")  # noqa: SIM115 - closed by stop
        self.process = subprocess.Popen(  # noqa: S603 - our own programs
            self.command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            start_new_session=True,
            preexec_fn=_end_with_parent(self.stop_with),
        )
        self.started = time.monotonic()

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(self.stop_with)
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
        if self.log is not None:
            self.log.close()
            self.log = None


class Service:
    """All processes of one ASSAY_HOME, for as long as a ``with`` block runs.

    Parameters
    ----------
    settings : the settings in force; the children get the same. Port 0 becomes a free one.

    The catalog is brought to the newest schema before any of them starts, however long that takes. Errors: `UsageError`
    when a service of this home runs already or the home has no room, `StoreError` when the catalog cannot be used,
    `BrokerError` when the broker does not start.
    """

    def __init__(self, settings: Settings) -> None:
        if not settings.port:
            claim_port(settings)
        port = settings.port or _free_port(settings.host)
        url = broker.broker_url(settings)
        self.bundled = not settings.redis_url
        self.settings = settings.model_copy(update={"home": settings.home.absolute(), "port": port, "redis_url": url})
        self.logs = self.settings.home / "logs"
        self.children: list[Child] = []
        self._stopping = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name="service", daemon=True)
        self._lock: IO[str] | None = None

    @property
    def url(self) -> str:
        """Address of the page."""
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self.settings.host, self.settings.host)  # noqa: S104
        return f"http://{host}:{self.settings.port}/"

    def __enter__(self) -> Service:
        home = self.settings.make_home()
        if running_url(home) is None:
            claim_port(self.settings)
        try:
            self.logs.mkdir(exist_ok=True, mode=0o700)
            self._lock = hold_home(home, self.url)
            self._bring_up_to_date()
            self._start_all()
        except BaseException as error:
            self.__exit__()
            if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
                remedy = "make room there, or set another ASSAY_HOME"
                raise UsageError(f"there is no room left in {home}", remedy=remedy) from error
            raise
        self._keeper.start()
        return self

    def _bring_up_to_date(self) -> None:
        """Its children would do so too, but one that is stopped half-way begins anew, and none says here what is wrong
        with the catalog."""
        from catalog.store.engine import make_engine, upgrade

        engine = make_engine(self.settings.database)
        upgrade(engine)
        engine.dispose()

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        if self._keeper.is_alive():
            self._keeper.join()
        for child in reversed(self.children):
            child.stop()
        if self._lock is not None:
            (self.settings.home / "service.json").unlink(missing_ok=True)
            self._lock.close()

    def _start_all(self) -> None:
        environment = {**os.environ, **self.settings.as_environment()}
        if self.bundled and not broker.answers(self.settings, 0.3):
            child = Child("broker", broker.command(self.settings.model_copy(update={"redis_url": ""})))
            self._start(child, environment)
            broker.wait_for(self.settings, child.process)
        elif not broker.answers(self.settings):
            raise broker.no_answer(self.settings)
        program = [sys.executable, "-m", "catalog.cli"]
        # SIGQUIT: the worker gives a running task some seconds, then puts it back into the queue
        self._start(Child("worker", [*program, "worker"], signal.SIGQUIT), environment)
        self._start(Child("scheduler", [*program, "scheduler"]), environment)
        self._start(Child("web", [*program, "web"]), environment)

    def _start(self, child: Child, environment: dict[str, str]) -> None:
        child.start(environment, self.logs)
        self.children.append(child)

    def _keep(self) -> None:
        """Start again whatever ended."""
        environment = {**os.environ, **self.settings.as_environment()}
        while not self._stopping.wait(0.2):
            for child in self.children:
                if child.process is None or child.process.poll() is None:
                    continue
                moment = time.monotonic()
                if not child.due:
                    child.pause = FIRST_PAUSE if moment - child.started > SETTLED_SECONDS else child.pause
                    child.due = moment + child.pause
                    child.pause = min(LONGEST_PAUSE, 2 * child.pause)
                elif moment >= child.due:
                    child.due, child.restarts = 0.0, child.restarts + 1
                    child.start(environment, self.logs)

    def wait_ready(self, seconds: float = 60.0, stop: threading.Event | None = None) -> None:
        """Wait until a worker beats and the page listens, or `stop` is set. Errors: `BrokerError`."""
        deadline = time.monotonic() + seconds
        while not (broker.workers_alive(self.settings) and answers(self.url)) and not (stop and stop.is_set()):
            if time.monotonic() > deadline:
                ended = [child.name for child in self.children if child.restarts or child.due]
                what = f"the {' and the '.join(ended)} ended again and again" if ended else "it is not ready"
                files = " and ".join(str(self.logs / f"{name}.log") for name in ended) or self.logs
                raise BrokerError(f"the service did not start in {seconds:.0f} s: {what}", remedy=f"see {files}")
            time.sleep(0.1)

    def status(self) -> list[dict[str, Any]]:
        """The processes as JSON data."""
        return [
            {
                "name": child.name,
                "pid": child.process.pid if child.process else None,
                "running": child.process is not None and child.process.poll() is None,
                "restarts": child.restarts,
            }
            for child in self.children
        ]


def hold_home(home: Path, url: str) -> IO[str]:
    """Take the lock that says a service of this home runs. Errors: `UsageError` when another one does."""
    lock = open(home / "service.lock", "w")  # noqa: SIM115 - held as long as the service runs
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise UsageError(f"a service of {home} runs already", remedy="use it, or set another ASSAY_HOME") from None
    try:
        (home / "service.json").write_text(json.dumps({"pid": os.getpid(), "url": url}))
    except OSError:
        lock.close()
        raise
    return lock


def running_url(home: Path) -> str | None:
    """Address of the page of the service of this home, None when none runs."""
    try:
        with open(home / "service.lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return json.loads((home / "service.json").read_text())["url"]
    except FileNotFoundError:
        pass
    return None


def _end_with_parent(with_signal: signal.Signals) -> Any:
    """What a child does before it becomes its program: on Linux, ask to be ended with its parent."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl
    return lambda: prctl(1, with_signal)  # PR_SET_PDEATHSIG


def _free_port(host: str) -> int:
    with socket.create_server((host, 0)) as server:
        return server.getsockname()[1]


def claim_port(settings: Settings) -> None:
    """Errors: `UsageError` where the page cannot listen on its port, or on its address whatever the port."""
    found = in_the_way(settings.host, settings.port)
    if isinstance(found, socket.gaierror) or (found is not None and found.errno == errno.EADDRNOTAVAIL):
        raise UsageError(
            f"the page cannot listen on {settings.host}: that is no address of this machine",
            remedy="set ASSAY_HOST to one (0.0.0.0 is all of them, 127.0.0.1 this machine only)",
        )
    if found is not None:
        why = "is taken" if found.errno == errno.EADDRINUSE else f"cannot be used ({found.strerror or found})"
        raise UsageError(
            f"port {settings.port} of {settings.host} {why}", remedy="set another ASSAY_PORT (0 takes a free one)"
        )


def in_the_way(host: str, port: int) -> OSError | None:
    """What keeps one from listening there; None where nothing does."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.getaddrinfo(host or None, port)  # an unknown name is told as such
        with socket.create_server((host, port), family=family):
            return None
    except OSError as error:
        return error


def answers(url: str) -> bool:
    """Whether anybody listens at the page's address."""
    address = urlsplit(url)
    try:
        with socket.create_connection((address.hostname or "", address.port or 80), timeout=0.5):
            return True
    except OSError:
        return False
