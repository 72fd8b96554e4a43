"""Tuned numbers say where they come from: *fitted* (by which command of `benchmarks`), *chosen* (why), or a *bound*.

Looked at are the numbers at the top of modules, in a comment beside or above them; of what is drawn, and of the demo,
they are a matter of taste.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
ROOMS = ("catalog", "web", "workers")
OF_TASTE = ("catalog/cli", "catalog/demo", "catalog/store/migrations", "web/drawing")
SAID = re.compile(r"\b(fitted by|chosen|bound)", re.I)
PLAIN = (ast.Constant, ast.Tuple, ast.UnaryOp, ast.BinOp, ast.operator, ast.unaryop, ast.expr_context)
#: No number to tune: units, versions of formats, flags.
NAMED = re.compile(
    r"VERSION|READABLE|FORMAT|ENCODING|HOUR|DAY|SECONDS?_A_|EMPTY|FULL|MORE|UNKNOWN|NOBODY|LOCK|MAGIC|COOKIE|NO_DATE|RUNS|_THURSDAY|ALL_ROWS"
)


def constants(text: str) -> Iterator[tuple[str, str]]:
    """(names, what comments say) of each number at the top of a module.

    >>> list(constants("# Chosen: a guess.\\nA = 3\\nB = 4  # a bound\\nC = 'x'"))
    [('A', '# Chosen: a guess.'), ('B', '# a bound')]
    """
    lines = text.split("\n")
    for node in ast.parse(text).body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]
        parts = list(ast.walk(node.value))
        numbers = [one for one in parts if isinstance(one, ast.Constant)]
        plain = all(isinstance(one, PLAIN) for one in parts)
        if not plain or not numbers or any(type(one.value) not in (int, float) for one in numbers):
            continue
        if not all(re.fullmatch(r"_?[A-Z][A-Z0-9_]+|[A-Z]", name) for name in names):
            continue
        beside = "".join(re.findall(r"#.*", "\n".join(lines[node.lineno - 1 : node.end_lineno])))
        above, at = [], node.lineno - 2
        while at >= 0 and lines[at].lstrip().startswith("#"):
            above.insert(0, lines[at])
            at -= 1
        yield ",".join(names), " ".join([*above, beside] if beside else above)


def found() -> Iterator[tuple[str, str]]:
    for room in ROOMS:
        for path in sorted((REPOSITORY / room).rglob("*.py")):
            if any(path.is_relative_to(REPOSITORY / one) for one in OF_TASTE):
                continue
            for names, said in constants(path.read_text()):
                if not NAMED.search(names):
                    yield f"{path.relative_to(REPOSITORY)}: {names}", said


def test_what_is_looked_at() -> None:
    text = "# Chosen: a guess.\nA = 3\nB = 4  # a bound\nC = 'x'\nD = (1, -2.5)"
    assert list(constants(text)) == [("A", "# Chosen: a guess."), ("B", "# a bound"), ("D", "")]
    assert len(list(found())) > 100


def test_tuned_numbers_say_where_they_come_from() -> None:
    unsaid = [place for place, said in found() if not SAID.search(said)]
    assert not unsaid, "say whether these are fitted (by which command), chosen (why) or bounds"


def test_fitted_numbers_name_a_command_that_is_there() -> None:
    for place, said in found():
        if re.search(r"\bfitted by", said, re.I):
            named = re.findall(r"benchmarks[./]([\w./]+?)(?:\.py)?\b", said)
            assert named, f"{place}: name the command of benchmarks/ that fitted it"
            for one in named:
                path = REPOSITORY / "benchmarks" / one.replace(".", "/")
                assert path.with_suffix(".py").exists() or path.is_dir(), (place, one)
