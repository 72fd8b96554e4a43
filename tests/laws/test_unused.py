"""What nobody calls is not there: every name of the product is used by the product, not by tests alone."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
#: Names that are called by others than our own lines, or asked for by their text.
CALLED_ELSEWHERE = {
    "process_bind_param", "process_result_value",  # SQLAlchemy's types
    "resolving_builder",  # a program that another process is given
    "_mixed",  # one of `catalog.states.wire`'s ways to write values, found by its name
    "inferred",  # what deequ calls the type of a column; the comparison with it reads it
}  # fmt: skip
#: Decorators that hand what they decorate to somebody who calls it.
HANDED_OVER = re.compile(r"router|command|callback|task|validator|app\.|connect|listens|exception|register|setter")


def test_nothing_is_called_by_tests_alone() -> None:
    used: Counter[str] = Counter()
    for path in product("py", "html", "toml"):
        used.update(words(path))
    unused = [
        f"{path.relative_to(REPOSITORY)}:{line} {name}"
        for path in product("py")
        for name, line in defined(ast.parse(path.read_text()))
        if not used[name] and name not in CALLED_ELSEWHERE
    ]
    assert not unused, "\n".join(unused)


def product(*endings: str) -> Iterator[Path]:
    for room in ("catalog", "web", "workers"):
        for ending in endings:
            found = (REPOSITORY / room).rglob(f"*.{ending}")
            yield from (path for path in found if "versions" not in path.parts)  # Alembic asks for what migrations hold
    yield from [REPOSITORY / "pyproject.toml"] if "toml" in endings else []


def words(path: Path) -> Iterator[str]:
    """Names that a file reads; texts that may name something count too."""
    text = path.read_text()
    if path.suffix != ".py":
        yield from re.findall(r"\w+", text)
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"[\w.:]+", node.value):
            yield from re.split(r"[.:]", node.value)


def defined(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Functions, classes and constants, with their lines; but what is handed over."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith("__"):
            continue
        if not any(HANDED_OVER.search(ast.unparse(one)) for one in node.decorator_list):
            yield node.name, node.lineno
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            if isinstance(target, ast.Name) and not target.id.startswith("__"):
                yield target.id, node.lineno
