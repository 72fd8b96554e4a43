"""No sentence of a sensitive column holds a value of it, whichever came first: the tag, the rule or the verdict."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest
from singly import put_tags, upsert_table
from sqlmodel import Session, select

from catalog.learners.series.history import learn_column
from catalog.rules.rule import Rule
from catalog.rules.verdict import VIOLATED, Batch, Verdict
from catalog.states.folding.fold import fold
from catalog.store.expectations import rules
from catalog.store.expectations.weekly import level_of
from catalog.store.incidents import outcomes
from catalog.store.lake import sources, tables, versions
from catalog.store.meaning import privacy, tags
from catalog.store.models import Incident, LakeColumn, Outcome, RuleRow, Table, now
from catalog.store.pages.columns import find_tags
from catalog.tags.privacy.figures import private_profile, profile
from catalog.tags.proposal import TagProposal

SECRET = "Marburg fever"  # noqa: S105 - an illness
WORDS = f"every value is “{SECRET}” or “flu”"
CLAUSE = {"kind": "value", "accepted": [SECRET, "flu"], "theta": 0.0, "risk": 0.01, "words": WORDS}
ILLNESS = Rule("vocabulary", "illness", {"clauses": [CLAUSE], "rows": 100}, 0.01, f"{WORDS}.", "strings")
TAG = TagProposal("diagnosis", "Diagnosis", 0.9, 1.0, True)


def pay() -> Rule:
    same = {"row_count": 100.0, "min": 31337.0, "std": 18.0, "complete_ratio": 1.0}
    series = [same | {"max": 31400.0 + i % 3} for i in range(20)]
    rule = learn_column(series, column="pay", kind="number", budget=0.001)
    assert rule is not None
    return rule


@pytest.fixture
def table(db: Session) -> Table:
    table = upsert_table(db, sources.add_source(db, "lake", "/lake").id, "people", "/lake/people")
    tables.set_columns(db, table.id, [["illness", "string"], ["pay", "double"]])
    tables.set_profile(db, table.id, {name: {"rows": 100} for name in ("illness", "pay")})
    versions.record_versions(db, table.id, [{"number": 1, "committed_at": now(), "batch": "snapshot"}])
    return table


def verdict(rule: Rule):

    rows = pa.table({"illness": ["cold"] * 50 + [SECRET] * 50, "pay": [77777.5] * 100})
    return rule.judge(Batch(1, "snapshot", fold(rows), None, [], now(), history=[]))


def record(db: Session, table: Table, rule: Rule, said) -> None:
    row = next(one for one in rules.active_rules(db, table.id) if one.column_name == rule.column)
    outcomes.follow_up(db, outcomes.record_outcomes(db, [outcomes.outcome_row(table.id, 1, row.id, said)]))


def texts(db: Session) -> str:
    """Everything that pages and commands show of rules, outcomes and incidents."""
    db.expire_all()
    found = [row.sentence for row in db.exec(select(RuleRow))]
    found += [f"{o.sentence} {o.detail} {o.value} {o.low} {o.high}" for o in db.exec(select(Outcome))]
    return " ".join(found + [one.sentence for one in db.exec(select(Incident))])


def test_rules_learned_of_a_sensitive_column_tell_no_value(db: Session, table: Table) -> None:
    for column in tables.list_columns(db, table.id):
        put_tags(db, column.id, [TAG], 1)
    rules.put_rules(db, table.id, [ILLNESS, pay()], learners=["strings", "avh", "history"], since_version=0)
    for rule in (ILLNESS, pay()):
        said = verdict(rule.private())
        assert said.status == verdict(rule).status == VIOLATED  # it judges as before
        record(db, table, rule, rule.private().hide(said))
    said = texts(db)
    assert SECRET not in said
    assert "77777" not in said
    assert not any(rounded in said for rounded in ("77,77", "78,000"))
    assert "every value is one of 2 known values" in said
    assert "are not one of 2 known values" in said
    assert "minimum is not as expected" in said


def test_a_tag_that_comes_later_hides_what_was_said_before(db: Session, table: Table) -> None:
    rules.put_rules(db, table.id, [ILLNESS, pay()], learners=["strings", "avh", "history"], since_version=0)
    for rule in (ILLNESS, pay()):
        record(db, table, rule, verdict(rule))
    assert SECRET in texts(db)
    assert "78,000" in texts(db)
    for column in tables.list_columns(db, table.id):
        put_tags(db, column.id, [TAG], 1)
    said = texts(db)
    assert SECRET not in said
    assert "77777" not in said
    assert not any(rounded in said for rounded in ("77,77", "78,000"))
    assert "are not one of 2 known values" in said
    body = next(row.body for row in rules.active_rules(db, table.id) if row.kind == "vocabulary")
    assert verdict(Rule.from_json(body)).status == VIOLATED  # what judging needs is still there


SEEN = {"passing": [SECRET, "flu"], "breaking": ["ann.lee@mail.example"]}
TAUGHT = replace(ILLNESS, evidence={"examples": SEEN, "columns": [["1", "illness", 1.0]]})


def examples(db: Session) -> list[dict[str, list[str]]]:
    """Those of every revision, as the database has them."""
    db.expire_all()
    return [row.body["evidence"]["examples"] for row in db.exec(select(RuleRow).order_by(RuleRow.id))]


def test_examples_of_a_sensitive_column_are_kept_masked(db: Session, table: Table) -> None:
    masked = {"passing": ["Aaaaaaa aaaaa", "aaa"], "breaking": ["aaa.aaa@aaaa.aaaaaaa"]}
    rules.put_rules(db, table.id, [TAUGHT], learners="strings", since_version=0)
    assert examples(db) == [{**SEEN, "breaking": masked["breaking"]}]  # an address is one, whatever the column is
    other = replace(TAUGHT, params={**TAUGHT.params, "rows": 101})
    rules.put_rules(db, table.id, [other], learners="strings", since_version=0)  # a second revision
    put_tags(db, tables.get_column(db, table.id, "illness").id, [TAG], 1)
    assert examples(db) == [masked, masked]
    rules.put_rules(db, table.id, [other], learners="strings", since_version=0)  # learned once more
    assert examples(db) == [masked, masked]
    (row,) = rules.active_rules(db, table.id)
    assert row.body["evidence"]["columns"] == [["1", "illness", 1.0]]
    assert verdict(rules.as_rule(row)).status == VIOLATED
    (tag,) = find_tags(db, domain="diagnosis").items
    tags.decide_tag(db, tag.Tag.id, "rejected", "ann", reason="no illness")
    rules.put_rules(
        db, table.id, [other], learners="strings", since_version=0
    )  # they are seen again when it is learned
    assert examples(db) == [masked, {**SEEN, "breaking": masked["breaking"]}]


def test_what_was_held_back_stays_so_when_its_values_are_hidden(db: Session, table: Table) -> None:
    rules.put_rules(db, table.id, [ILLNESS], learners="strings", since_version=0)
    (row,) = rules.active_rules(db, table.id)
    said = replace(verdict(ILLNESS), p_value=0.004)
    outcomes.record_outcomes(db, [outcomes.outcome_row(table.id, 1, row.id, said, held_back=True)])
    put_tags(db, tables.get_column(db, table.id, "illness").id, [TAG], 1)
    assert SECRET not in texts(db)
    (kept,) = db.exec(select(Outcome))
    assert (kept.detail["p_value"], level_of(kept, row)) == (0.004, "warning")


def test_a_rejected_tag_gives_the_rule_its_words_back(db: Session, table: Table) -> None:
    column = tables.get_column(db, table.id, "illness")
    put_tags(db, column.id, [TAG], 1)
    rules.put_rules(db, table.id, [ILLNESS], learners="strings", since_version=0)
    assert SECRET not in texts(db)
    (item,) = find_tags(db, table_id=table.id, limit=1000).items
    tags.decide_tag(db, item.Tag.id, "rejected", "ann", "made up")
    assert db.get_one(LakeColumn, column.id).sensitive is False
    assert SECRET in texts(db)


def test_relearning_the_same_rule_keeps_its_words_hidden(db: Session, table: Table) -> None:
    put_tags(db, tables.get_column(db, table.id, "illness").id, [TAG], 1)
    for evidence in ({}, {"rows": 5}):
        again = replace(ILLNESS, evidence=evidence)
        rules.put_rules(db, table.id, [again], learners="strings", since_version=0)
        assert SECRET not in texts(db)


NESTED = [["id", "long"], ["customer.email", "string"], ["customer.age", "long"], ["note", "string"]]
NESTED += [["who", "array<struct<mail:string>>"], ["by_key", "map<string,string>"]]
ROW = {
    "id": 7,
    "customer": {"email": "ann.lee", "age": 41, "new": "secret"},  # `new` came a moment ago: nobody looked at it yet
    "note": "ask bob.ray@mail.example",
    "who": [{"mail": "zoe", "n": 5}],
    "by_key": [["home", "Elm Street"]],
}
MASKED = {
    "id": 7,
    "customer": {"email": "aaa.aaa", "age": 41, "new": "aaaaaa"},
    "note": "aaa aaa.aaa@aaaa.aaaaaaa",
    "who": [{"mail": "aaa", "n": "9"}],
    "by_key": [["aaaa", "Aaa Aaaaaa"]],
}


def nested(db: Session) -> Table:
    table = upsert_table(db, sources.add_source(db, "deep", "/deep").id, "orders", "/deep/orders")
    tables.set_columns(db, table.id, NESTED)
    tables.set_profile(db, table.id, {name: {"rows": 100} for name, _ in NESTED})
    return table


def test_rows_are_masked_by_leaf(db: Session) -> None:
    table = nested(db)
    put_tags(db, tables.get_column(db, table.id, "customer.email").id, [TAG], 1)
    assert privacy.hiding(db, table.id).row(ROW) == MASKED


def test_rows_that_are_kept_follow_a_tag_of_a_leaf(db: Session) -> None:
    table = nested(db)
    versions.record_versions(db, table.id, [{"number": 1, "committed_at": now(), "batch": "snapshot"}])
    rules.put_rules(db, table.id, [replace(ILLNESS, column="note")], learners="strings", since_version=0)
    (rule,) = rules.active_rules(db, table.id)
    said = Verdict(VIOLATED, "x")
    outcomes.record_outcomes(db, [outcomes.outcome_row(table.id, 1, rule.id, said, rows=[ROW])])
    put_tags(db, tables.get_column(db, table.id, "customer.email").id, [TAG], 1)
    db.expire_all()
    assert db.exec(select(Outcome).where(Outcome.table_id == table.id)).one().rows == [MASKED]


def test_what_some_values_hold_masks_these_only(db: Session, table: Table) -> None:
    column = tables.get_column(db, table.id, "illness")
    mail = TagProposal("email", "E-mail address", 0.9, 0.01, True, {}, contains=True)
    put_tags(db, column.id, [mail], 1)
    assert not db.get_one(LakeColumn, column.id).sensitive
    cells = [privacy.hiding(db, table.id).cell("illness", one) for one in ("flu", "flu, says a@b.io")]
    assert cells == ["flu", "aaa, aaaa a@a.aa"]
    (item,) = find_tags(db, table_id=table.id, limit=1000).items
    tags.decide_tag(db, item.Tag.id, "rejected", "ann", "made up")  # a person says that these are no addresses
    assert privacy.hiding(db, table.id).cell("illness", "flu, says a@b.io") == "flu, says a@b.io"


def test_a_rule_that_quotes_what_some_values_hold_is_told_without_values(db: Session, table: Table) -> None:
    words = "every value is “ann.lee@mail.example”"
    clause = {**CLAUSE, "accepted": ["ann.lee@mail.example"], "words": words}
    quoting = replace(ILLNESS, params={"clauses": [clause], "rows": 100}, sentence=f"{words}.")
    rules.put_rules(db, table.id, [quoting], learners="strings", since_version=0)
    (row,) = rules.active_rules(db, table.id)
    assert row.sentence == "every value is one of 1 known value."
    assert privacy.is_private(db, row)


def test_a_form_is_said_with_values_only_while_its_column_is_not_sensitive(db: Session, table: Table) -> None:
    clause = {"kind": "runs", "accepted": ["A0A-A", "Aa a", "a"], "theta": 0.0, "words": "every value is of 3 forms"}
    known = {"forms": {"runs": [["Aa a", SECRET], ["a", "flu"], ["A0A-A", "H1N-X"]]}}
    forms = Rule("pattern", "illness", {"clauses": [clause], "rows": 100}, 0.01, "x.", "strings", known)
    rules.put_rules(db, table.id, [forms.with_clauses(forms.clauses)], learners="strings", since_version=0)
    assert f"written like “{SECRET}”" in texts(db)
    column = next(one for one in tables.list_columns(db, table.id) if one.name == "illness")
    put_tags(db, column.id, [TAG], 1)
    assert SECRET not in texts(db)


def test_figures_of_a_sensitive_number_hold_no_value_at_rest(db: Session, table: Table) -> None:
    figures = {"rows": 9, "low": "31337", "high": "99999", "top": [["31337", 3]], "quartiles": [31337.0]}
    figures |= {"metrics": {"min": 31337.0, "max": 99999.0, "mean": 50000.0, "std": 9.0, "q25": 31339.0}}
    tables.set_profile(db, table.id, {"pay": figures})
    put_tags(db, tables.get_column(db, table.id, "pay").id, [TAG], 1)
    db.expire_all()
    kept = tables.get_column(db, table.id, "pay").profile
    assert kept["metrics"] == {"std": 9.0}
    assert not any(told in str(kept) for told in ("3133", "99999.0"))


def test_a_bad_batch_shows_no_values(db: Session, table: Table) -> None:
    """What looked like places no longer does, since many are wrong now; nobody said that they may be seen."""
    column = tables.get_column(db, table.id, "pay")
    put_tags(db, column.id, [TAG, replace(TAG, domain="plain", sensitive=False)], 1)
    put_tags(db, column.id, [], 2)
    assert [item.Tag.domain for item in find_tags(db, table_id=table.id, limit=1000).items] == ["diagnosis"]
    assert db.get_one(LakeColumn, column.id).sensitive


FLAGS = {"flags": ("boolean", "True", "False"), "texts": ("string", "yes", "NO"), "kept": ("boolean", "Aaaa", "Aaaaa")}


@pytest.mark.parametrize(("kind", "true", "false"), FLAGS.values(), ids=FLAGS)
def test_masked_flags_do_not_tell_how_many_are_true(kind: str, true: str, false: str) -> None:
    more = {"shapes": [["Aaaa", 30], ["Aaaaa", 70]], "metrics": {"str_len": 4.7, "upper_len": 1.0, "top_ratio": 0.7}}
    seen = {"kind": kind, "low": false, "high": true, "top": [[false, 70], [true, 30]]} | more
    found = private_profile(seen)
    assert found == private_profile(seen | {"low": true, "high": false, "top": [[true, 70], [false, 30]]})
    assert "shapes" not in found
    assert found["metrics"] == {"top_ratio": 0.7}
    assert private_profile(found) == found


def test_the_length_of_one_of_few_values_tells_nobody_which_it_is(db: Session, table: Table) -> None:
    cells = {"illness": ["flu"] * 60 + [SECRET] * 40, "pay": [f"{at % 90:05}" for at in range(100)]}
    state = fold(pa.table(cells))
    for column in tables.list_columns(db, table.id):
        column.profile = profile(state.columns[column.name], private=column.name == "illness")
        put_tags(db, column.id, [TAG], 1)
    hide = privacy.hiding(db, table.id)
    rows = [hide.row({"illness": one, "pay": "00017"}) for one in (SECRET, "flu", None)]
    assert rows == [{"illness": one, "pay": "99999"} for one in ("aaa", "aaa", None)], "codes are all as long"
    (illness, pay) = tables.list_columns(db, table.id)
    shown = privacy.shown_profile(illness, hide)
    assert (shown["low"], shown["high"], shown["top"]) == ("aaa", "aaa", [["aaa", 60], ["aaa", 40]])
    assert "shapes" not in shown
    assert not [name for name in shown["metrics"] if name.endswith("_len") or name == "len_std"]
    assert [one[0] for one in privacy.shown_profile(pay, hide)["shapes"]] == ["00000"]
