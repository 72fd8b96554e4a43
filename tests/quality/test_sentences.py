"""How long the sentences are that people read of string rules."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from benchmarks.fmdv.__main__ import SPLIT
from benchmarks.fmdv.data import load
from benchmarks.fmdv.own import halves, judge_of
from catalog import learn
from catalog.evidence.pattern_index.index import PatternIndex
from catalog.evidence.pattern_index.starter import starter_columns
from catalog.flow.learning.index import prepare_starter
from catalog.learners.strings import learn_strings
from catalog.rules.clauses.strings import NEARLY_ALL
from catalog.settings import Settings
from catalog.states.folding.fold import fold

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def starter(spark_settings: Settings) -> PatternIndex:
    """What a new lake begins with."""
    return PatternIndex.open(prepare_starter(spark_settings))


def lengths(starter: PatternIndex, columns: Iterable[Sequence[str]]) -> list[int]:
    """How many characters are read of the rule of each column of values that has one."""
    states = (fold(pa.table({"x": pa.array(list(column), pa.string())})).columns["x"] for column in columns)
    rules = (learn_strings(state, starter, column="x", own_table=None, budget=0.01) for state in states)
    return [len(rule.sentence) for rule in rules if rule is not None]


def test_rules_of_generated_columns_are_not_long(starter: PatternIndex) -> None:
    """Prose is among them, of which more has to be said."""
    drawn = [values for _, values in starter_columns(120, seed=14)]
    found = lengths(starter, drawn)
    assert len(found) > 0.9 * len(drawn)
    assert np.quantile(found, 0.9) <= 160


def test_rules_of_real_columns_are_read_at_a_glance(starter: PatternIndex, data_dir: Path) -> None:
    """Half of the sentences hold 80 characters, nine of ten 160, of machine-like columns of the repositories that
    choices are made on."""
    lake, queries = load(data_dir)
    develop, _ = halves(lake, SPLIT)
    columns = [lake[query] for query in queries if lake[query].machine_like and lake[query].repo in develop]
    found = lengths(starter, (column.train for column in columns))
    assert len(found) > 150
    assert np.median(found) <= 80
    assert np.quantile(found, 0.9) <= 160


def drawn(kind: str, rows: int = 400) -> list[str]:
    """Values of a meaning, by seed."""
    r = random.Random(14)
    makes = {
        "country_code2": lambda: r.choice("US DE FR GB IT ES NL PL SE CH AT DK".split()),
        "ipv4": lambda: ".".join(str(r.randint(1, 254)) for _ in range(4)),
        "email": lambda: f"{r.choice(['ann', 'bo', 'cy', 'di'])}{r.randint(1, 9999)}@{r.choice('abcdef')}mail.org",
        "boolean": lambda: r.choice(["yes", "no"]),
        "month": lambda: r.choice(["March", "April", "May", "June", "July"]),
        "date": lambda: f"{r.randint(2010, 2024)}-{r.randint(1, 12):02d}-{r.randint(1, 28):02d}",
    }
    return [makes[kind]() for _ in range(rows)]


@pytest.mark.parametrize(
    ("meant", "said", "none"),
    [
        ("country_code2", "country codes", "ZZ"),
        ("ipv4", "IPv4 addresses", "999.999.999.999"),
        ("email", "e-mail addresses", "ann@@mail"),
        ("boolean", "boolean flags", "oh"),
        ("month", "months", "Mayor"),
        ("date", "dates", "2024-02-31"),
    ],
)
def test_a_rule_says_what_its_column_is_tagged_with(starter: PatternIndex, meant: str, said: str, none: str) -> None:
    """Where values allow it a person reads what they are, and values that are only written so break the rule."""
    state = fold(pa.table({"x": pa.array(drawn(meant), pa.string())})).columns["x"]
    rule = learn_strings(state, starter, column="x", own_table=None, budget=0.01, horizon=1.0, meant={meant})
    assert rule is not None
    clause = next((one for one in rule.program if one.is_of_domain and one.accepted == (meant,)), None)
    listed = next((one for one in rule.program if one.listed), None)
    assert said in rule.sentence or (listed is not None and listed.theta <= NEARLY_ALL), rule.sentence
    assert judge_of(rule)([none] * 400)
    assert not judge_of(rule)(drawn(meant))
    assert clause is None or clause.theta <= NEARLY_ALL


def test_what_two_capitals_mean_is_known_from_the_tag_alone(starter: PatternIndex) -> None:
    """Two capitals are many things: by the values alone no rule asks for countries, and none does where too few are."""
    codes = drawn("country_code2")
    seen = {"tagged": codes, "untagged": codes, "others": [*codes[:300], *(["QQ", "ZZ"] * 50)]}
    meant = {"tagged": {"country_code2"}, "untagged": set(), "others": {"country_code2"}}
    states = {name: fold(pa.table({"x": pa.array(values, pa.string())})).columns["x"] for name, values in seen.items()}
    asked = {}
    for name, state in states.items():
        rule = learn_strings(
            state, starter, column="x", own_table=None, budget=0.01, horizon=1.0, meant=meant[name] | {"city"}
        )
        asked[name] = rule is not None and "country codes" in rule.sentence
    assert asked == {"tagged": True, "untagged": False, "others": False}


def test_the_rule_of_a_frame_asks_for_its_tag_too(starter: PatternIndex, spark_settings: Settings) -> None:
    frame = pa.table({"country_code": drawn("country_code2")})
    rule = learn(frame, "country_code", home=spark_settings.home)
    assert rule is not None
    assert "country codes" in rule.sentence
