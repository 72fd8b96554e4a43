"""What a kind of rule or clause does, its class says: no other line of the product asks which kind it is by name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
#: What rules, their rows and their clauses are called where they are at hand.
CALLED = set("rule row typed by judged clause incident first demand account constraint candidate".split())
IN_TEMPLATES = re.compile(r"\b(rule|clause|incident|outcome|o)\.kind (==|!=|in|not in) ")


def asked(tree: ast.AST) -> Iterator[int]:
    """Lines that compare the kind of a rule or clause with a name, or look for a key in one."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        kind = any(isinstance(one, ast.Attribute) and one.attr == "kind" and named(one.value) for one in sides)
        text = any(is_name_of_kind(one) for side in sides for one in ast.walk(side))
        if kind and text:
            yield node.lineno
        key = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
        if key and isinstance(node.ops[0], ast.In | ast.NotIn) and named(node.comparators[0]):
            yield node.lineno


def is_name_of_kind(node: ast.AST) -> bool:
    """A text, or a constant that may hold some."""
    return (isinstance(node, ast.Constant) and isinstance(node.value, str)) or (
        isinstance(node, ast.Name) and node.id.isupper()
    )


def named(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in CALLED


@pytest.mark.parametrize(
    "line",
    [
        "rule.kind == 'schema'",
        "row.kind in ('history', 'volume')",
        "'presence' in clause",
        "'x' != typed.kind",
        "account.kind in PROTECTED",
        "constraint.kind not in (*ONCE, 'references')",
    ],
)
def test_such_lines_are_seen(line: str) -> None:
    assert list(asked(ast.parse(line))) == [1]


def test_no_line_asks_which_kind_a_rule_is() -> None:
    found = []
    for room in ("catalog", "web", "workers"):
        for path in sorted((REPOSITORY / room).rglob("*.py")):
            if path.is_relative_to(REPOSITORY / "catalog" / "rules") or "versions" in path.parts:
                continue  # the registry and its classes; migrations of what was stored then
            found += [f"{path.relative_to(REPOSITORY)}:{line}" for line in asked(ast.parse(path.read_text()))]
    assert not found


def test_no_template_asks_which_kind_a_rule_is() -> None:
    found = [
        f"{path.name}: {match[0]}"
        for path in sorted((REPOSITORY / "web" / "templates").rglob("*.html"))
        for match in IN_TEMPLATES.finditer(path.read_text())
    ]
    assert not found
