"""The `assay` command over a home of its own: as a process, and within this one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from catalog.cli import main
from catalog.settings import Settings, get_settings


class Assay:
    """Runs the command over a home of its own."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.environment = {**os.environ, **settings.as_environment(), "COLUMNS": "200"}

    def __call__(self, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "catalog.cli", *words], env=self.environment, capture_output=True, text=True
        )
        assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def json(self, *words: str, code: int = 0) -> Any:
        return json.loads(self(*words, "--json", code=code).stdout)


class Within(Assay):
    """Runs the command in this process, whose Spark session is there already."""

    def __init__(self, settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
        super().__init__(settings)
        self.capsys = capsys

    def __call__(self, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        self.capsys.readouterr()
        get_settings.cache_clear()
        returned = main(list(words))
        told = self.capsys.readouterr()
        assert returned == code, f"{words}: {returned}\n{told.out}\n{told.err}"
        return subprocess.CompletedProcess(words, returned, told.out, told.err)
