"""The bundled broker: starts, keeps its queue over a restart, and says what to do when it cannot."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from catalog.errors import BrokerError
from catalog.settings import Settings
from workers.app import make_app
from workers.broker import LONGEST_SOCKET, Broker, answers, broker_url, connect, socket_path, workers_alive
from workers.names import CRAWL, QUEUE
from workers.queueing import claim, clear


def at(home: Path, **more: object) -> Settings:
    return Settings(home=home, **{"redis_url": "", **more})


def test_it_answers_its_owner_only_while_it_runs(tmp_path: Path) -> None:
    settings = at(tmp_path / "home")
    with Broker(settings):
        assert answers(settings)
        assert socket_path(settings).stat().st_mode & 0o077 == 0
        assert connect(settings).config_get("port") == {"port": "0"}
    assert not answers(settings)


def test_a_queue_outlives_a_killed_broker(tmp_path: Path) -> None:
    settings = at(tmp_path)
    with Broker(settings) as broker:
        make_app(settings, with_tasks=False).send_task(CRAWL, kwargs={"run_id": 7})
        with connect(settings) as client:
            client.set("later", 1)  # what is waited for are this connection's own writes, and all before them
            assert client.execute_command("WAITAOF", 1, 0, 5000)[0] == 1
        assert broker.process is not None
        os.kill(broker.process.pid, signal.SIGKILL)
        broker.process.wait()
    with Broker(settings):
        assert connect(settings).llen(QUEUE) == 1


def test_a_second_one_uses_the_first(tmp_path: Path) -> None:
    settings = at(tmp_path)
    with Broker(settings), Broker(settings) as second:
        assert second.process is None
        assert answers(settings)


def test_a_long_home_has_a_short_socket(tmp_path: Path) -> None:
    settings = at(tmp_path / ("x" * 90))
    assert len(os.fsencode(socket_path(settings))) <= LONGEST_SOCKET
    with Broker(settings):
        assert answers(settings)


def test_a_redis_that_is_not_there_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    settings = at(tmp_path, redis_url="redis://127.0.0.1:1/0")
    assert broker_url(settings) == "redis://127.0.0.1:1/0"
    assert workers_alive(settings) == 0
    with (
        pytest.raises(BrokerError, match=r"no task queue answers at .*; start it, or unset ASSAY_REDIS_URL"),
        Broker(settings),
    ):
        pass


def test_a_table_is_claimed_once_until_it_is_cleared(tmp_path: Path) -> None:
    settings = at(tmp_path)
    with Broker(settings):
        assert claim(settings, [1, 2]) == [1, 2]
        assert claim(settings, [2, 3]) == [3]
        clear(settings, [2])
        assert claim(settings, [1, 2, 3]) == [2]
    clear(settings, [1])  # nothing to clear where no broker is
