"""The regular expressions of rules find the same values in Spark (Java) and in Python."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest

from catalog.evidence.clauses.candidates import candidates
from catalog.evidence.pattern_index.starter import starter_columns
from catalog.evidence.pattern_index.views import profile_values
from catalog.patterns.generalise import space
from catalog.patterns.language.tokens import chunks

pytestmark = pytest.mark.spark
ALPHABET = "ab9 Zé-.,:/<{+\\\n\t日😀_X1$^[]()|*?\"'#~`@!%&;=\u00a0\u0085\u2028\x00\x7f"


def same_in_spark(spark, pairs: list[tuple[str, str]]) -> None:  # type: ignore[no-untyped-def]
    frame = spark.createDataFrame(pairs, "regex string, value string").selectExpr(
        "regex", "value", "value rlike regex as hit"
    )
    for row in frame.collect():
        assert row["hit"] == bool(re.search(row["regex"], row["value"])), (row["regex"], row["value"])


def regexes_of(values: list[str]) -> list[str]:
    """Those of all candidates that are one: what is said by a check of each value is not."""
    return [c.regex() for c in candidates(profile_values(Counter(values).items())) if c.is_pattern]


def test_on_arbitrary_strings(spark) -> None:  # type: ignore[no-untyped-def]
    r = random.Random(1)
    texts = ["".join(r.choice(ALPHABET) for _ in range(r.randint(1, 12))) for _ in range(150)]
    pairs = []
    for text in texts:
        others = [text, text + "\n", text[:-1], *r.sample(texts, 3)]
        regexes = regexes_of([text, r.choice(texts)])
        parts = chunks(text)
        found = space(parts, [True] * len(parts))
        regexes += [found.pattern(i).regex for i in range(0, found.size, max(9, found.size // 4))]
        pairs += [(regex, value) for regex in regexes for value in others if value]
    same_in_spark(spark, pairs)


def test_on_generated_columns(spark) -> None:  # type: ignore[no-untyped-def]
    r = random.Random(2)
    columns = [values for _, values in starter_columns(40)]
    pairs = []
    for values in columns:
        for regex in regexes_of(values[:20]):
            pairs += [(regex, v) for v in values[20:26] + r.choice(columns)[:4]]
    same_in_spark(spark, pairs)


def test_on_real_columns(spark, data_dir: Path) -> None:  # type: ignore[no-untyped-def]
    from benchmarks.fmdv.data import load

    lake, queries = load(data_dir)
    r = random.Random(3)
    pairs = []
    for q in r.sample(queries, 60):
        column = lake[q]
        for regex in regexes_of(column.train[:40]):
            pairs += [(regex, v) for v in column.test[:4] + lake[r.choice(queries)].test[:4]]
    same_in_spark(spark, pairs)
