"""A process that was forked from one that evaluated conditions evaluates its own."""

from __future__ import annotations

import subprocess
import sys

FORKED = """
import os, pyarrow as pa
from catalog.predicates.engine import evaluate
from catalog.predicates.predicate import Predicate
said = lambda: evaluate({"n": pa.array([1, None])}, [Predicate("n > 0")])[0].to_pylist()
said()
child = os.fork()
if child == 0:
    os._exit(0 if said() == [True, None] else 1)
assert os.waitpid(child, 0)[1] == 0
"""


def test_a_forked_process_has_an_engine_of_its_own() -> None:
    subprocess.run([sys.executable, "-c", FORKED], check=True, timeout=60)
