"""The real deequ in an environment of its own: Spark 3.5 does not live beside the Spark of this project."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any

from benchmarks.environments import ensure

#: What pip installs; the jar comes by Spark's own Ivy from Maven Central.
PACKAGES = ("pyspark==3.5.6", "pydeequ==1.7.0", "pandas<3", "setuptools")
_SESSION = Path(__file__).with_name("session35.py")


class Deequ:
    """A session of deequ that answers questions one by one (`session35`); a context manager.

    Parameters
    ----------
    cache : folder of the environment. log : file for what Spark says.
    """

    def __init__(self, cache: Path, log: Path, memory: str = "4g") -> None:
        python = ensure(cache, PACKAGES)
        self._log = log.open("w")
        command = [str(python), str(_SESSION), str(cache / "ivy"), memory]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, text=True
        )
        self.started = self._answer()

    def ask(self, do: str, **told: Any) -> dict[str, Any]:
        """The answer to a question, with ``seconds`` (processor, process tree), ``jobs`` and ``rows_read``.

        Raises RuntimeError with what deequ said where it failed.
        """
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": do, **told}) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"deequ's session ended; what it said is in {self._log.name}")
        found: dict[str, Any] = json.loads(line)
        if "error" in found:
            raise RuntimeError(found["error"])
        return found

    def __enter__(self) -> Deequ:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._log.close()
