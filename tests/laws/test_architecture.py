"""The direction of imports between rooms, and the habits of the repository's files."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_constants import test_tuned_numbers_say_where_they_come_from  # noqa: F401 - held before every change

REPOSITORY = Path(__file__).resolve().parents[2]


def test_rooms_import_only_what_lies_before_them() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"], cwd=REPOSITORY, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


#: What a pure room may not ask for: (module, attribute); None stands for the module itself.
IMPURE = {
    ("os", None), ("time", None), ("secrets", None), ("datetime", "now"), ("datetime", "utcnow"), ("datetime", "today"),
    *(("random", name) for name in ("random", "randint", "choice", "choices", "shuffle", "sample", "uniform", "seed")),
    *(("np.random", name) for name in ("rand", "randn", "randint", "random", "choice", "shuffle", "seed")),
}  # fmt: skip


PURE = """reports metrics patterns states domains evidence history tags rules learners papers checks damage causes
    predicates measures declared""".split()


@pytest.mark.parametrize("room", PURE)
def test_pure_rooms_read_no_clock_and_no_environment(room: str) -> None:
    allowed = {"catalog/evidence/pattern_index/index.py"}  # opens and swaps its own file
    found = [
        f"{path.relative_to(REPOSITORY)}:{line}: {what}"
        for path in sorted((REPOSITORY / "catalog" / room).rglob("*.py"))
        if str(path.relative_to(REPOSITORY)) not in allowed
        for line, what in impure(ast.parse(path.read_text()))
    ]
    assert not found, "\n".join(found)


def test_pure_rooms_are_the_same_for_imports_strict_types_and_coverage() -> None:
    tools = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]
    rooms = {f"catalog.{room}" for room in PURE}
    contract = next(one for one in tools["importlinter"]["contracts"] if one["name"].startswith("Pure rooms"))
    assert set(contract["source_modules"]) == rooms
    (strict,) = (one for one in tools["mypy"]["overrides"] if one.get("disallow_untyped_defs"))
    assert set(strict["module"]) == {f"{room}.*" for room in rooms}
    assert set(tools["slipcover"]["source"]) == {room.replace(".", "/") for room in rooms}
    assert "--fail-under 97" in (REPOSITORY / "Makefile").read_text()


def impure(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Imports and calls that make a result depend on more than its arguments. A seeded generator does not."""
    imported = {
        name.asname or name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names if (name.name, None) in IMPURE)
        elif isinstance(node, ast.ImportFrom) and node.module:
            wrong = [name.name for name in node.names if {(node.module, None), (node.module, name.name)} & IMPURE]
            yield from ((node.lineno, f"{node.module}.{name}") for name in wrong)
        elif isinstance(node, ast.Attribute):
            owner = ast.unparse(node.value)
            known = owner == "datetime" or owner.split(".")[0] in imported
            if known and (owner, node.attr) in IMPURE:
                yield node.lineno, f"{owner}.{node.attr}"


def test_the_map_has_every_folder_and_only_those() -> None:
    told = set(re.findall(r"^\| `([\w/]+)/` \|", (REPOSITORY / "docs/architecture.md").read_text(), re.M))
    there = {
        str(parent)
        for room in ("catalog", "web", "workers", "benchmarks", "docs")
        for file in (REPOSITORY / room).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
        for parent in file.relative_to(REPOSITORY).parents
    } - {".", "catalog"}
    assert told == {*there, "tests"}


MOST_FILES = 8  # chosen: what a newcomer takes in at once; where there are more, a room is parted by subject


def crowded(repository: Path) -> dict[str, int]:
    """Folders with more modules than `MOST_FILES`. As many migrations stand together as there were."""
    rooms = Counter(
        path.parent.relative_to(repository)
        for room in ("catalog", "web", "workers", "benchmarks", "tests")
        for path in (repository / room).rglob("*.py")
        if path.name != "__init__.py" and path.parent.parts[-2:] != ("migrations", "versions")
    )
    return {str(room): count for room, count in rooms.items() if count > MOST_FILES}


def test_rooms_are_small() -> None:
    assert crowded(REPOSITORY) == {}


def test_one_file_more_is_one_too_many(tmp_path: Path) -> None:
    for name in ("__init__", *map(str, range(MOST_FILES))):
        for room in ("catalog/lake/logs", "tests/lake", "catalog/store/migrations/versions"):
            (tmp_path / room).mkdir(parents=True, exist_ok=True)
            (tmp_path / room / f"{name}.py").touch()
    assert crowded(tmp_path) == {}
    for room in ("catalog/lake/logs", "tests/lake", "catalog/store/migrations/versions"):
        (tmp_path / room / "more.py").touch()
    assert crowded(tmp_path) == {"catalog/lake/logs": MOST_FILES + 1, "tests/lake": MOST_FILES + 1}


MOST_LINES = 400  # chosen: what is read in one sitting is far shorter; none was longer when this was written


def test_files_are_short() -> None:
    lines = {
        str(path.relative_to(REPOSITORY)): len(path.read_text().splitlines())
        for room in ("catalog", "web", "workers", "benchmarks", "tests")
        for path in (REPOSITORY / room).rglob("*.py")
    }
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_files_of_tests_have_names_of_their_own() -> None:
    """Python knows them by these alone: of two with one name the second is not collected where both are."""
    names = Counter(path.name for path in (REPOSITORY / "tests").rglob("*.py") if path.name != "conftest.py")
    assert [name for name, count in names.items() if count > 1] == []


#: What takes long to load. Help and version answer without any of it.
HEAVY = {"polars", "numpy", "scipy", "pyarrow", "sqlalchemy", "sqlmodel", "alembic", "pyspark", "pandas", "deltalake"}
HELPED = """
import json, sys
from catalog.cli import main
from catalog.cli.app import app

words = [[], *([one.name] for one in (*app.registered_commands, *app.registered_groups))]
words += [[group.name, one.name] for group in app.registered_groups for one in group.typer_instance.registered_commands]
codes = {main([*asked, "--help"]) for asked in words} | {main(["--version"])}
print(json.dumps([len(words), sorted(codes), sorted(name for name in sys.modules if "." not in name)]))
"""


def test_help_loads_nothing_that_takes_long() -> None:
    done = subprocess.run([sys.executable, "-c", HELPED], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    asked, codes, loaded = json.loads(done.stdout.splitlines()[-1])
    assert asked > 40
    assert codes == [0]
    assert HEAVY.isdisjoint(loaded)


def test_nothing_loads_the_named_distributions_of_scipy_at_once() -> None:
    """`scipy.stats` takes half a second of every command that crawls; what lies beneath it is in `scipy.special`."""
    named = re.compile(r"^(from scipy import .*\bstats\b|from scipy\.stats|import scipy\.stats)", re.MULTILINE)
    modules = [path for room in ("catalog", "web", "workers") for path in (REPOSITORY / room).rglob("*.py")]
    assert len(modules) > 500
    assert [str(path) for path in modules if named.search(path.read_text())] == []


def test_lock_file_names_no_registry() -> None:
    text = (REPOSITORY / "requirements.lock").read_text()
    assert "--hash=sha256:" in text
    assert not re.search(r"https?://", text)


def test_every_direct_dependency_is_locked() -> None:
    import tomllib

    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    wanted = project["dependencies"] + project["optional-dependencies"]["dev"]
    locked = {
        line.split("==")[0].split("[")[0].lower()
        for line in (REPOSITORY / "requirements.lock").read_text().splitlines()
        if "==" in line
    }
    names = {re.split(r"[\[=<>~! ]", one)[0].lower() for one in wanted}
    assert names <= locked, names - locked


def test_every_example_in_a_docstring_is_run() -> None:
    """Doctests that a pattern of the collection leaves out would pass for ever."""
    written = sum(
        ">>> " in (ast.get_docstring(node) or "")
        for folder in ("catalog", "web", "workers")
        for path in (REPOSITORY / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
    )
    asked = [
        sys.executable,
        "-m",
        "pytest",
        "--collect-only",
        "-q",
        "-p",
        "no:cacheprovider",
        "catalog",
        "web",
        "workers",
    ]
    done = subprocess.run(asked, cwd=REPOSITORY, capture_output=True, text=True)
    found = sum("::" in line for line in done.stdout.splitlines())
    assert found == written > 150, done.stdout
    assert done.returncode == 0
