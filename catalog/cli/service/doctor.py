"""Is everything there? `assay setup`, `assay doctor`, `assay settings`."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catalog.addresses import without_password
from catalog.cli import console
from catalog.cli.common import Json
from catalog.cli.console import emit, say
from catalog.errors import AssayError
from catalog.wording import counted

if TYPE_CHECKING:
    from catalog.settings import Settings

Result = dict[str, Any]

#: Free space below which crawls soon fail.
LEAST_FREE_BYTES = 500_000_000


def setup(as_json: Json = False) -> None:
    """Bring Delta's jars, find a Java, prepare the starter index, and keep what Spark loads so that it starts sooner:
    afterwards nothing needs the network.

    Example: assay setup
    """
    from catalog.flow.learning.index import prepare_starter
    from catalog.lake.scanning.archive import write_archive
    from catalog.lake.scanning.session import ensure_jars, java_version, use_java
    from catalog.settings import get_settings

    settings = get_settings()
    started = time.monotonic()
    java = Path(use_java(settings.home)["JAVA_HOME"])
    jars = ensure_jars(settings)
    with ThreadPoolExecutor(1) as beside:
        writing = beside.submit(write_archive, settings, java)
        starter = prepare_starter(settings)
        classes = writing.result()
    data = {
        "java": str(java),
        "java_version": java_version(java / "bin" / "java"),
        "jars": len(jars),
        "starter_index": str(starter),
        "class_archive": str(classes) if classes else None,
        "seconds": round(time.monotonic() - started, 1),
    }
    emit(data, as_json, lambda: say(f"Java {data['java_version']} at {java}; {len(jars)} jars for Spark and Delta"))


def doctor(as_json: Json = False) -> int:
    """See whether everything is there and works. Ends with 3 when something needed is not.

    Example: assay doctor
    """
    from catalog.settings import get_settings

    found = examine(get_settings())
    rows = [({"ok": "ok", "idle": "-", "bad": "BAD"}[one["status"]], one["name"], one["detail"]) for one in found]
    emit(found, as_json, lambda: console.grid("", ("", "what", "found"), rows))
    return console.ERROR if any(one["status"] == "bad" for one in found) else console.PASSED


def show_settings(as_json: Json = False) -> None:
    """Show every setting: its environment variable, the value in force, what it is for.

    Example: ASSAY_PORT=9000 assay settings
    """
    from catalog.settings import Settings, get_settings

    values = get_settings().shown()
    data = [
        {
            "name": f"ASSAY_{name.upper()}",
            "value": values[name],
            "set": name in get_settings().model_fields_set,
            "help": field.description,
        }
        for name, field in Settings.model_fields.items()
    ]
    rows = [(one["name"], one["value"] if one["value"] not in ("", {}) else "", one["help"]) for one in data]
    emit(data, as_json, lambda: console.grid("", ("setting", "value", "what for"), rows))


def examine(settings: Settings) -> list[Result]:
    """Look at everything; each finding has a name, a status (ok, idle: not running and not needed now, bad) and a
    detail, which for what is bad says the remedy."""
    checks: tuple[tuple[str, Callable[[Settings], tuple[str, str]]], ...] = (
        ("Python", _python),
        ("settings", _settings),
        ("home", _home),
        ("Java", _java),
        ("Delta's jars", _jars),
        ("catalog", _catalog),
        ("pattern index", _index),
        ("task queue", _queue),
        ("workers", _workers),
        ("service", _service),
    )
    return list(_run(settings, checks))


def _run(settings: Settings, checks: Any) -> Iterator[Result]:
    for name, check in checks:
        try:
            status, detail = check(settings)
        except (AssayError, OSError, ImportError) as error:
            status, detail = "bad", str(error)
        yield {"name": name, "status": status, "detail": detail}


def _python(_: Settings) -> tuple[str, str]:
    return "ok", f"{sys.version.split()[0]} at {sys.executable}"


def _settings(settings: Settings) -> tuple[str, str]:
    """Variables that nobody reads and that are nearly called like one that is: a setting written wrongly is silent."""
    known = [name.upper() for name in type(settings).model_fields]
    given = [name.removeprefix("ASSAY_") for name in os.environ if name.startswith("ASSAY_")]
    near = {name: get_close_matches(name, known, 1) for name in sorted(set(given) - set(known))}
    wrong = [f"ASSAY_{name} is no setting; did you mean ASSAY_{found[0]}?" for name, found in near.items() if found]
    told = counted(len(set(given) & set(known)), "variable")
    if not settings.public_url and settings.host not in ("127.0.0.1", "::1", "localhost"):
        told += f"; links in alerts begin with {settings.page_url}, unless ASSAY_PUBLIC_URL says otherwise"
    return ("bad", " ".join(wrong)) if wrong else ("ok", told)


def _home(settings: Settings) -> tuple[str, str]:
    settings.make_home()
    probe = settings.home / ".probe"
    probe.touch()
    probe.unlink()
    free = shutil.disk_usage(settings.home).free
    text = f"{settings.home.absolute()}, {free / 1e9:.1f} GB free"
    return ("ok", text) if free > LEAST_FREE_BYTES else ("bad", f"{text}; make room or set another ASSAY_HOME")


def _java(settings: Settings) -> tuple[str, str]:
    if settings.spark_remote and not settings.spark_remote.startswith("local"):
        return "idle", f"not needed: Spark is at {without_password(settings.spark_remote)}"
    from catalog.lake.scanning.session import java_version, use_java

    home = Path(use_java(settings.home)["JAVA_HOME"])
    number = java_version(home / "bin" / "java")
    return ("ok" if number else "bad"), f"{number or 'does not run'}, {home}"


def _jars(settings: Settings) -> tuple[str, str]:
    from catalog.lake.scanning.session import local_jars

    if settings.spark_remote and not settings.spark_remote.startswith("local"):
        return "idle", "not needed: the Spark server has them"
    jars = local_jars(settings)
    return ("ok", counted(len(jars), "file")) if jars else ("bad", "not there yet; `assay setup` brings them")


def _catalog(settings: Settings) -> tuple[str, str]:
    from catalog.flow.context import Context
    from catalog.store.pages import home

    context = Context(settings)
    with context.reading() as session:
        found = home.totals(session)
    context.close()
    tags = sum(number for status, number in found["tags"].items() if status != "rejected")
    sizes = {"table": found["tables"], "column": found["columns"], "tag": tags, "rule": found["rules"].get("active", 0)}
    text = ", ".join(counted(count, noun) for noun, count in sizes.items())
    return "ok", f"{without_password(settings.database)}: {text}"


def _index(settings: Settings) -> tuple[str, str]:
    """Whether the index holds the tables that were learned from: a home may have been restored without it."""
    from catalog.flow.context import Context
    from catalog.flow.learning.index import indexed
    from catalog.store.lake import tables
    from catalog.store.models import GONE

    context = Context(settings)
    with context.reading() as session:
        wanted = {one.id for one in tables.every_table(session) if one.learned_at and one.status not in GONE}
    missing = len(wanted - indexed(context))
    context.close()
    if not wanted:
        return "idle", "nothing was learned yet; the first crawl fills it"
    told = f"{settings.index_path}: {counted(len(wanted) - missing, 'table')}"
    if missing:
        return "bad", f"{told}, {missing:,} missing; `assay crawl` puts them in again, from what is stored"
    return "ok", told


def _queue(settings: Settings) -> tuple[str, str]:
    from workers import broker

    where = without_password(broker.broker_url(settings))
    if broker.answers(settings):
        return "ok", f"answers at {where}"
    if settings.redis_url:
        return "bad", f"{where} does not answer; start it, or unset ASSAY_REDIS_URL"
    return "idle", f"starts with `assay up` ({broker.executable()})"


def _workers(settings: Settings) -> tuple[str, str]:
    from workers import broker

    number = broker.workers_alive(settings)
    return ("ok", f"{number} at work") if number else ("idle", "none: commands do their work themselves")


def _service(settings: Settings) -> tuple[str, str]:
    from catalog.service import answers, running_url

    url = running_url(settings.home)
    if url is None:
        return "idle", "not running; `assay up` starts it"
    if not answers(url):
        return "idle", f"{url} does not answer yet; if it stays so see {settings.home / 'logs' / 'web.log'}"
    return "ok", f"up at {url}"
