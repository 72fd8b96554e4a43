"""Contracts as teams keep them, one a tool: what each demand becomes, word by word (`told.txt`), and hostile ones."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.declared.constraint import Constraint
from catalog.errors import UsageError
from catalog.rules.exchange.documents import form_of
from catalog.rules.exchange.registry import READERS, read_contract

HERE = Path(__file__).parent
FILES = {
    "orders.odcs.yaml": "odcs",
    "orders.dqdl": "dqdl",
    "orders.gx.json": "gx",
    "orders.dqx.yml": "dqx",
    "orders.soda.yml": "soda",
    "schema.yml": "dbt",
    "orders.sql": "check",
}


def told() -> Iterator[str]:
    for name in FILES:
        form, asked = read_contract((HERE / name).read_bytes())
        yield f"== {name}: {form}"
        for one in asked:
            yield one.place
            for check in one.checks:
                level = "warning: " if check.level == "warning" else ""
                yield f"    {check.name}: {level}{check.sentence}" + (f" [{check.hint}]" if check.hint else "")
            yield from [f"    not taken: {one.why}"] if one.why else []
            yield from [f"    but: {one.note}"] if one.note else []


def test_each_demand_becomes_the_check_that_a_person_would_write() -> None:
    assert list(told()) == (HERE / "told.txt").read_text(encoding="utf-8").splitlines()


def test_each_format_has_a_contract_and_is_guessed_from_it() -> None:
    assert set(FILES.values()) == set(READERS)
    for name, form in FILES.items():
        assert form_of((HERE / name).read_text(encoding="utf-8")) == form


def checks(text: str, form: str = "") -> list[Constraint]:
    return [check for one in read_contract(text.encode(), form)[1] for check in one.checks]


def whys(text: str, form: str = "") -> list[str]:
    return [one.why for one in read_contract(text.encode(), form)[1] if one.why]


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
WRONG = [
    (BOMB, "aliases of the file stand for more than"),
    ("a: &a\n  b: *a\n", "an alias of the file stands for itself"),
    ("- " * 5_000 + "a", "no YAML"),
    ("[" * 5_000, "nests more than"),
    ("kind: DataContract\napiVersion: v2.2.1\ndataset: []\n", "version v2.2.1"),
    ("kind: DataContract\napiVersion: v4.0.0\nschema: []\n", "version v4.0.0"),
    ("version: 1\nmodels:\n  - name: a\n", "version 1 of a schema.yml"),
    ("tables:\n  shop/orders:\n    - is_unique: id\n", "checks of Assay itself"),
    ("hello: there\n", "nothing in the file tells"),
    ("", "empty"),
    ("models: [\n", "line "),
    ("models: !!python/object/apply:os.system ['true']\n", "line 1"),
    ("x" * (2 << 20), "characters"),
    ("checks for orders: []\n", "no demand"),
    ("a: 12:99:99\nb: 2024-99-99\n", "no YAML"),
]


@pytest.mark.parametrize(("text", "said"), WRONG, ids=[said for _, said in WRONG])
def test_a_file_that_cannot_be_read_says_why_at_once(text: str, said: str) -> None:
    began = time.process_time()
    with pytest.raises(UsageError, match=said):
        read_contract(text.encode())
    assert time.process_time() - began < 20


def test_files_in_other_encodings_are_read_or_refused() -> None:
    text = 'Rules = [ IsComplete "größe" ]'
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        assert read_contract(text.encode(encoding))[1][0].checks[0].columns == ("größe",)
    with pytest.raises(UsageError, match="no text in UTF-8"):
        read_contract(text.encode("latin-1"))
    with pytest.raises(UsageError, match="no text in UTF-8"):
        read_contract(b"PK\x03\x04\xff\xfe")


def test_what_is_hostile_costs_itself_alone() -> None:
    long = "a" * 100_000
    text = f"""
checks for "it's; DROP TABLE x":
  - missing_count(id) = 0
  - failed rows: {{fail condition: "1 = 1; DROP TABLE orders"}}
  - failed rows: {{fail condition: "id IN (SELECT secret FROM passwords)"}}
  - failed rows: {{fail condition: "java_method('java.lang.Runtime', 'exit', 1) = 1"}}
  - failed rows: {{fail query: "SELECT * FROM orders, passwords WHERE id = 1"}}
  - failed rows: {{fail query: "DELETE FROM orders"}}
  - failed rows: {{fail condition: "{"(" * 5_000}"}}
  - failed rows: {{fail condition: "{long}"}}
  - invalid_count(id) = 0: {{valid regex: "{long}"}}
  - invalid_count(name) = 0: {{valid values: ["it's", "'; DROP TABLE x; --"]}}
"""  # noqa: S608 - what is refused
    form, asked = read_contract(text.encode())
    assert form == "soda"
    assert {one.table for one in asked} == {"it's; DROP TABLE x"}
    taken = [check for one in asked for check in one.checks]
    assert [one.kind for one in taken] == ["is_complete", "is_in"]
    assert taken[1].failing() == "NOT COALESCE(`name` IS NULL OR `name` IN ('it\\'s', '\\'; DROP TABLE x; --'), FALSE)"
    assert len([one.why for one in asked if one.why]) == 8


def test_sql_of_a_contract_is_never_more_than_a_condition() -> None:
    head = "kind: DataContract\napiVersion: v3.0.2\nschema:\n  - name: t\n    quality:\n"
    queries = [
        "SELECT COUNT(*) FROM {object}; DROP TABLE t",
        "DROP TABLE t",
        "SELECT COUNT(*) FROM {object} JOIN u ON true",
        "SELECT COUNT(*) FROM (SELECT 1)",
        "SELECT COUNT(*) FROM u",
        "WITH x AS (SELECT 1) SELECT COUNT(*) FROM {object}",
        "SELECT COUNT(*) FROM {object} WHERE a > current_date()",
        "SELECT COUNT(*) FROM {object} WHERE input_file_name() = 'x'",
        "SELECT a FROM {object}",
        "SELECT COUNT(*) FROM {object} GROUP BY a",
        "SELECT COUNT(*) FROM {object} LIMIT 0",
        "SELECT COUNT(*)",
        "SELECT max(a) OVER () FROM {object}",
    ]
    text = head + "".join(f'      - {{type: sql, query: "{query}", mustBe: 0}}\n' for query in queries)
    assert len(whys(text)) == len(queries)
    right = "SELECT sum(CASE WHEN o.a < 0 THEN 1 ELSE 0 END) AS bad FROM t AS o WHERE o.b = 'x'"
    (one,) = checks(head + f'      - {{type: sql, query: "{right}", mustBeLessOrEqualTo: 3}}\n')
    assert (one.kind, one.at_most, one.where) == ("has_size", 3, "(b = 'x') AND (a < 0)")


def test_bounds_are_taken_as_each_tool_means_them() -> None:
    assert [(one.at_least, one.at_most) for one in checks("checks for t:\n  - row_count between (1 and 9)\n")] == [
        (2, 8)
    ]
    assert [(one.at_least, one.at_most) for one in checks("Rules = [RowCount between 1 and 9, RowCount != 0]")] == [
        (2, 8), (1, None)]  # fmt: skip
    assert "has no band" in whys("Rules = [RowCount != 5]")[0]
    one, two = checks('Rules = [ColumnValues "a" > 1 where "b = 1", ColumnValues "a" != 1]')[::2]
    assert (one.arguments, one.where) == ({"low": 1, "exclusive": True}, "b = 1")
    assert two.kind == "is_not_in"
    assert len(checks('Rules = [ColumnValues "a" not in [1, NULL]]')) == 2
