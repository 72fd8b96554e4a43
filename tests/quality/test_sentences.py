"""How long the sentences are that people read of string rules."""

from __future__ import annotations

import random
from collections.abc import Sequence
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
from catalog.patterns.language.characters import shape_of
from catalog.rules.clauses.sentences import phrases_of, shown
from catalog.rules.clauses.strings import NEARLY_ALL
from catalog.rules.kinds.strings import StringsRule
from catalog.settings import Settings
from catalog.states.folding.fold import fold

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def starter(spark_settings: Settings) -> PatternIndex:
    """What a new lake begins with."""
    return PatternIndex.open(prepare_starter(spark_settings))


def learned(starter: PatternIndex, values: Sequence[str]) -> StringsRule | None:
    """The rule of a column of values, if it has one."""
    state = fold(pa.table({"x": pa.array(list(values), pa.string())})).columns["x"]
    return learn_strings(state, starter, column="x", own_table=None, budget=0.01)


def forms_read(rule: StringsRule) -> int:
    """How many phrases of a rule's sentence say what whole values are."""
    return sum(phrase[0].says_what for phrase in phrases_of(shown(rule.program)))


def test_rules_of_generated_columns_are_not_long(starter: PatternIndex) -> None:
    """Prose is among them, of which more has to be said."""
    drawn = [values for _, values in starter_columns(120, seed=14)]
    rules = [rule for values in drawn if (rule := learned(starter, values)) is not None]
    assert len(rules) > 0.9 * len(drawn)
    assert np.quantile([len(rule.sentence) for rule in rules], 0.9) <= 160


def test_rules_of_real_columns_are_read_at_a_glance(starter: PatternIndex, data_dir: Path) -> None:
    """Half of the sentences hold 80 characters, nine of ten 140, of machine-like columns of the repositories that
    choices are made on; nine of ten columns of one format read as one form."""
    lake, queries = load(data_dir)
    develop, _ = halves(lake, SPLIT)
    columns = [lake[query] for query in queries if lake[query].machine_like and lake[query].repo in develop]
    rules = [(column, rule) for column in columns if (rule := learned(starter, column.train)) is not None]
    assert len(rules) > 150
    read = [len(rule.sentence) for _, rule in rules]
    assert np.median(read) <= 80
    assert np.quantile(read, 0.9) <= 140
    fixed = [rule for column, rule in rules if len({shape_of(value) for value in column.values}) == 1]
    assert len(fixed) > 80
    assert np.mean([forms_read(rule) == 1 for rule in fixed]) >= 0.9


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
