"""The Celery application, made from settings.

A task is acknowledged when it is done. One whose worker was killed comes back: the child's death is noticed by its
parent at once (``task_reject_on_worker_lost``); when the parent is gone too, the message turns visible again
`Settings.task_timeout` seconds after the parent last said that it lives (`Heartbeat`), so a crawl may take any time
while a lost one is given to the next worker soon. Tasks are therefore idempotent.

``celery -A workers.app worker`` works as well as ``assay worker``.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from typing import Any

from celery import Celery, bootsteps
from celery.signals import task_received, worker_process_init, worker_process_shutdown
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from catalog.settings import Settings, get_settings
from workers.broker import broker_url, connect
from workers.names import ALIVE, QUEUE

BEAT_SECONDS = 3.0  # chosen: a worker is missed after a few of them
#: Seconds for which a worker that was killed while it gave back lost messages keeps others from that: of the library's
#: five minutes nothing lost would come back. Chosen: far more than giving ten of them back takes.
GIVING_BACK = 10


def make_app(settings: Settings, *, with_tasks: bool = True) -> Celery:
    """The application. Nothing is connected yet.

    Senders go ``with_tasks=False``: the tasks import the flow and what it needs.
    """
    app = Celery("assay", broker=broker_url(settings), set_as_current=False)
    app.conf.update(
        task_default_queue=QUEUE,
        task_ignore_result=True,  # what a task found is in the catalog
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        worker_prefetch_multiplier=1,
        worker_concurrency=1,  # one Spark session, which spreads the work itself
        worker_pool="prefork",  # the child runs the crawl (and its JVM); the parent answers and beats meanwhile
        worker_hijack_root_logger=False,
        worker_cancel_long_running_tasks_on_connection_loss=True,
        worker_soft_shutdown_timeout=3.0,  # then the task is put back: it goes on where it was
        broker_connection_retry_on_startup=True,
        broker_transport_options={
            "visibility_timeout": settings.task_timeout,
            "unacked_restore_interval": max(1, min(10, settings.task_timeout // 4)),
            "unacked_restore_throttle": 1,
            "unacked_mutex_expire": GIVING_BACK,
            "socket_connect_timeout": 5.0,
        },
        timezone="UTC",
    )
    app.settings = settings
    app.steps["consumer"].add(Heartbeat)
    if with_tasks:
        from workers.tasks import register

        register(app, settings)
    return app


class Heartbeat(bootsteps.StartStopStep):
    """Keeps the messages a living worker holds from turning visible, and says that the worker is there.

    `held` are the requests that came over this connection, those that wait for their time among them, by the tag of
    their message. A lost connection makes the consumer start its steps again: what came before comes again, to whoever
    is there."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        self.timer: Any = None
        self.held: dict[str, Any] = {}

    def start(self, parent: Any) -> None:
        settings: Settings = parent.app.settings
        self.client = connect(settings)
        self.name = f"{ALIVE}{parent.hostname}"
        self.held.clear()
        task_received.connect(self.received, sender=parent, weak=False)
        interval = min(BEAT_SECONDS, settings.task_timeout / 4)
        self.beat(parent)
        self.timer = parent.timer.call_repeatedly(interval, self.beat, (parent,), priority=10)

    def stop(self, parent: Any) -> None:
        task_received.disconnect(self.received, sender=parent)
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
            with contextlib.suppress(RedisError):  # the key runs out by itself
                self.client.delete(self.name)
            self.client.close()

    def received(self, request: Any, **_: Any) -> None:
        """A message came, to be worked on now or later."""
        self.held[str(request.message.delivery_tag)] = request

    def beat(self, parent: Any) -> None:
        """Say that this worker lives, and that it still works on what it was given."""
        try:
            self.client.set(self.name, os.getpid(), ex=int(4 * BEAT_SECONDS))
            self.held = {tag: request for tag, request in self.held.items() if not request.acknowledged}
            if self.held:
                held = dict.fromkeys(self.held, time.time())
                self.client.zadd(parent.task_consumer.channel.unacked_index_key, held, xx=True)
        except (RedisError, KombuError, OSError):
            pass  # the consumer notices a lost connection and starts its steps again


@worker_process_init.connect(weak=False)
def _die_with_parent(**_: Any) -> None:
    """A child whose parent was killed would go on unseen: on Linux the kernel ends it, elsewhere its lock does."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


@worker_process_shutdown.connect(weak=False)
def _stop_spark(**_: Any) -> None:
    session = sys.modules.get("catalog.lake.scanning.session")
    if session is not None:
        session.stop()


def __getattr__(name: str) -> Any:
    """`app`, made when somebody asks: ``celery -A workers.app``."""
    if name != "app":
        raise AttributeError(name)
    return make_app(get_settings())
