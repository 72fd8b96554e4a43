"""The direction of imports between rooms, and the habits of the repository's files."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def test_rooms_import_only_what_lies_before_them() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"], cwd=REPOSITORY, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("room", ["patterns", "states", "evidence", "domains", "rules", "checks"])
def test_pure_rooms_read_no_clock_and_no_environment(room: str) -> None:
    forbidden = re.compile(
        r"^\s*(import (os|time|secrets)\b|from (os|random|time|secrets) import)|datetime\.now\(|\.utcnow\("
        r"|(?<![.\w])random\.(?!Random\b)\w"  # a seeded random.Random is no clock
        r"|np\.random\.(rand|randn|randint|random|choice|shuffle|seed)\("
    )
    allowed = {"catalog/evidence/index.py"}  # opens and swaps its own file
    found = [
        f"{path.relative_to(REPOSITORY)}:{number}: {line.strip()}"
        for path in sorted((REPOSITORY / "catalog" / room).rglob("*.py"))
        if str(path.relative_to(REPOSITORY)) not in allowed
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if forbidden.search(line)
    ]
    assert not found, "\n".join(found)


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
