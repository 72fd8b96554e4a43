"""A real worker sends alerts, and again what was not taken, while nobody asks it to."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from processes import Workers, until
from sqlmodel import select

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "end_to_end"))
from broken_table import break_rule, table_of
from receivers import receiver

from catalog.alerts import address
from catalog.flow.context import Context
from catalog.settings import Settings
from catalog.store.alerts import deliveries, routes
from catalog.store.models import AlertDelivery
from catalog.vault import Vault
from workers.app import make_app
from workers.schedule import Scheduler

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"alert_networks": "127.0.0.1"})


def test_the_worker_tells_and_tries_again(
    context: Context, workers: Workers, settings: Settings, tmp_path: Path
) -> None:
    workers.start()
    scheduler = Scheduler(settings, make_app(settings, with_tasks=False))

    def state() -> tuple[str, int]:
        with context.reading() as session:
            one = session.exec(select(AlertDelivery)).first()
        return (one.status, one.attempts) if one else ("", 0)

    with receiver(tmp_path / "web") as web:
        web.answer(503)
        to = address.usable(f"http://{web.place}/flaky")
        with context.transaction() as session:
            routes.add_route(session, "hook", Vault(settings).seal(to), address.shown(to), actor="ann")
        with context.transaction() as session:
            break_rule(session, table_of(session, "orders"), 7)
        until(lambda: scheduler.tell() or state() == ("pending", 1), "the alert was refused", workers.log)
        web.answer(200)
        with context.transaction() as session:
            deliveries.send_again(session)
        until(lambda: scheduler.tell() or state()[0] == "delivered", "the alert was taken", workers.log)
        assert len(web.got()) == 2
    scheduler.context.close()
