"""Environments for tools that do not live beside this project's packages: built by name and version, once a folder."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def ensure(folder: Path, packages: Sequence[str]) -> Path:
    """The interpreter of an environment with these packages; built there when it is absent (once, with a network)."""
    python = folder / "venv" / "bin" / "python"
    told = folder / "packages.json"
    if python.exists() and told.exists() and json.loads(told.read_text()) == list(packages):
        return python
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder / "venv")], check=True)
    subprocess.run([str(python), "-m", "pip", "install", "-q", *packages], check=True)
    told.write_text(json.dumps(list(packages)))
    return python
