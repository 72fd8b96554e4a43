"""A catalog database for each test, on SQLite and on a real PostgreSQL.

PostgreSQL is the server that ASSAY_TEST_POSTGRES names (as a superuser), else a throw-away cluster from the binaries of
the system, over a unix socket, run as a user other than root. One database there is emptied for each test: to make a
new one takes longer than most tests.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy
from sqlalchemy import Engine, make_url
from sqlmodel import Session

from catalog.store.engine import make_engine, session, upgrade


def _binaries() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


def _start_cluster(binaries: Path, folder: Path, user: str | None) -> str:
    def run(*command: str) -> None:
        subprocess.run(
            command,
            user=user,
            check=True,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=120,
        )

    data = str(folder / "data")
    run(f"{binaries}/initdb", "-D", data, "-A", "trust", "-U", "assay", "-E", "UTF8", "--locale=C", "--no-sync")
    options = f"-c listen_addresses='' -k {folder} -c fsync=off -c synchronous_commit=off -c full_page_writes=off"
    run(f"{binaries}/pg_ctl", "-D", data, "-w", "-l", str(folder / "log"), "-o", options, "start")
    return f"postgresql://assay@/postgres?host={folder}"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Address of a PostgreSQL server whose user may create databases."""
    given = os.environ.get("ASSAY_TEST_POSTGRES")
    if given:
        yield given
        return
    binaries = _binaries()
    if binaries is None:
        pytest.skip("no PostgreSQL: install Debian's package postgresql, or set ASSAY_TEST_POSTGRES")
    user = None
    if os.geteuid() == 0:  # initdb refuses root
        user = next((name for name in ("postgres", "nobody") if name in {one.pw_name for one in pwd.getpwall()}), None)
        if user is None:
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres or nobody")
    folder = Path(tempfile.mkdtemp(prefix="assay-pg-"))
    try:
        if user:
            shutil.chown(folder, user)
        yield _start_cluster(binaries, folder, user)
    finally:
        stop = [f"{binaries}/pg_ctl", "-D", str(folder / "data"), "-m", "immediate", "stop"]
        subprocess.run(stop, user=user, check=False, capture_output=True, cwd="/")
        shutil.rmtree(folder, ignore_errors=True)


def _administer(server: str, statement: str) -> None:
    engine = make_engine(server)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(sqlalchemy.text(statement))
    engine.dispose()


def _database(server: str, name: str) -> str:
    return make_url(server).set(database=name).render_as_string(hide_password=False)


@pytest.fixture(scope="session")
def postgres_catalog(postgres_server: str) -> Iterator[str]:
    """Address of a PostgreSQL database with the schema in it, which tests have one after another."""
    name = f"assay_catalog_{uuid.uuid4().hex[:8]}"
    _administer(postgres_server, f"CREATE DATABASE {name}")
    address = _database(postgres_server, name)
    engine = make_engine(address)
    upgrade(engine)
    engine.dispose()
    yield address
    _administer(postgres_server, f"DROP DATABASE {name} WITH (FORCE)")


#: Sessions that a killed process left are ended. Triggers are off meanwhile: they keep rows of the audit log from being
#: deleted, and write down what was.
_EMPTY = """
DO $$ DECLARE name text; BEGIN
    PERFORM pg_terminate_backend(pid, 10000) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend';
    SET LOCAL session_replication_role = replica;
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version' LOOP
        EXECUTE format('DELETE FROM %I', name);
    END LOOP;
    PERFORM setval(format('%I', sequencename)::regclass, start_value, false)
        FROM pg_sequences WHERE schemaname = 'public';
END $$
"""


REPOSITORY = Path(__file__).resolve().parents[2]
BACKENDS = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]


@pytest.fixture(params=BACKENDS)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Address of a database without a schema."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'home' / 'assay.db'}"
        return
    server = request.getfixturevalue("postgres_server")
    name = f"assay_{uuid.uuid4().hex[:12]}"
    _administer(server, f"CREATE DATABASE {name}")
    yield _database(server, name)
    _administer(server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=BACKENDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Address of an empty catalog."""
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("sqlite_template"), tmp_path / "assay.db")
        yield f"sqlite:///{tmp_path / 'assay.db'}"
        return
    address = request.getfixturevalue("postgres_catalog")
    _administer(address, _EMPTY)
    yield address


@pytest.fixture
def engine(url: str) -> Iterator[Engine]:
    engine = make_engine(url)
    yield engine
    engine.dispose()


@pytest.fixture(scope="module", params=BACKENDS)
def kept(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path
) -> Iterator[Engine]:
    """An empty catalog for all tests of a file: what takes long to write is written once, and each test takes back what
    it wrote."""
    name = f"assay_kept_{uuid.uuid4().hex[:8]}"
    if request.param == "sqlite":
        address = f"sqlite:///{shutil.copy(sqlite_template, tmp_path_factory.mktemp('kept') / 'assay.db')}"
    else:
        server, template = (request.getfixturevalue(one) for one in ("postgres_server", "postgres_catalog"))
        _administer(template, _EMPTY)
        _administer(server, f"CREATE DATABASE {name} TEMPLATE {make_url(template).database}")
        address = _database(server, name)
    engine = make_engine(address)
    yield engine
    engine.dispose()
    if request.param != "sqlite":
        _administer(server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def db(engine: Engine) -> Iterator[Session]:
    """A session of an empty catalog; what the test writes is committed at its end."""
    with session(engine) as current:
        yield current


Together = Callable[..., list[str]]

#: Goes on in so many processes as the last argument says, which becomes the number of each. They part once everything
#: is imported: to import it takes longer than what they do. The first one ends when all have, badly if one did.
_APART = """
import os, sys, time
children = []
for number in range(int(sys.argv.pop())):
    children.append(os.fork())
    if not children[-1]:
        sys.argv.append(str(number))
        break
else:
    sys.exit(any([os.waitpid(child, 0)[1] for child in children]))
"""


@pytest.fixture
def together(tmp_path: Path) -> Together:
    """``together(code, count, *arguments)`` runs Python code in so many processes at the same moment, with
    ``sys.argv[1:]`` the arguments and the number of the process, and returns what each printed."""

    def run(code: str, count: int, *arguments: str) -> list[str]:
        before, _, body = code.partition("#go\n")
        shared = [line for line in before.splitlines() if line.startswith(("import ", "from "))]
        own = [line for line in before.splitlines() if line not in shared]
        folder = tmp_path / f"together-{uuid.uuid4().hex}"
        folder.mkdir()
        wait = "os.write(1, b'ready\\n')\nwhile not os.path.exists('go'): time.sleep(0.001)\n"
        wait += "sys.stdout = open(sys.argv[-1], 'w')\n"
        parent = subprocess.Popen(
            [sys.executable, "-c", "\n".join([*shared, _APART, *own, wait + body]), *arguments, str(count)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        )
        assert parent.stdout is not None
        ready = [parent.stdout.readline() for _ in range(count)]
        (folder / "go").touch()  # whatever was said: nobody waits for ever
        assert ready == ["ready\n"] * count
        parent.communicate(timeout=120)
        assert parent.returncode == 0
        return [(folder / str(number)).read_text().strip() for number in range(count)]

    return run
