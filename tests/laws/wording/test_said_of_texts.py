"""The sentence of a rule on strings is as strict as the rule: neither more nor less is signed than is judged."""

from __future__ import annotations

import pyarrow as pa
import pytest

from catalog.evidence.clauses.candidates import Candidate, candidates
from catalog.evidence.pattern_index.index import PatternIndex
from catalog.evidence.pattern_index.views import profile_values
from catalog.flow.learning import propose
from catalog.learners.strings import broken_by_own_rows, other_meanings
from catalog.rules.clauses.forms import forms_of
from catalog.rules.clauses.implied import implies, needed
from catalog.rules.clauses.sentences import said_of
from catalog.rules.clauses.strings import StringClause
from catalog.rules.rule import Rule
from catalog.settings import Settings
from catalog.states.folding.fold import fold
from catalog.store.models import Table


def clause(kind: str, theta: float, *accepted: str, risk: float | None = None) -> StringClause:
    made = StringClause.of(Candidate(kind, accepted), theta)
    return made if risk is None else StringClause.from_json(made.to_json() | {"risk": risk})


CLEAN, GIVEN = clause("clean", 0.0, "padded"), clause("presence", 0.5, "given")


def test_what_most_rows_may_break_is_no_demand_beside_what_binds_them() -> None:
    """A date that a fifth of the values have to be is not "values are dates"."""
    written = clause("formats", 0.0, "<digit>{4}-<digit>{2}")
    assert said_of([written, clause("domain", 0.8, "date")]) == "every value is written 0000-00."
    listed, form = clause("value", 0.8, "flu", "hiv"), clause("formats", 0.01, "<lower>{3}")
    assert said_of([form, listed]) == "values are three small letters; at most 1% others."


def test_what_few_values_have_to_be_is_said_where_nothing_else_is() -> None:
    """Which share of them is not told: at least 5% countries nobody would defend."""
    countries = clause("domain", 0.95, "country_name")
    assert said_of([CLEAN, countries]) == "none damaged."
    assert said_of([countries]) == "some values are still countries."
    characters = clause("marks", 0.15, " X", "X")
    assert said_of([CLEAN, characters]) == (
        "values are made of letters or digits and a space; at most 15% others; none damaged."
    )


def test_each_clause_that_binds_is_said_in_its_own_share() -> None:
    """The list tolerates 2%, which a form that tolerates none does not say; "others" stands behind what they differ
    from, and damage is said where less of it may be than of others. That half may be missing demands nothing."""
    listed, form = clause("value", 0.02, "DE1", "US22"), clause("runs", 0.0, "A0", "A")
    missing, cut = clause("presence", 0.06, "given"), clause("truncated", 0.1, "cut", "=DE1")
    assert said_of([form, listed, missing, CLEAN, cut]) == (
        "values are “DE1” or “US22”; at most 2% others, 6% missing; all are (capitals, digits) or capitals."
    )
    assert said_of([listed, CLEAN]) == "values are “DE1” or “US22”; at most 2% others; none damaged."
    assert said_of([form, GIVEN]) == "every value is (capitals, digits) or capitals."
    assert said_of([GIVEN]) == "at most 50% missing."


def test_no_more_damage_is_ruled_out_than_is_looked_for() -> None:
    """That no value is a usual one cut short is less than that none is damaged."""
    codes = clause("shape", 0.01, "AA00")
    cut = [clause("truncated", 0.0, "cut", "=DE17"), clause("truncated_form", 0.0, "form_cut", "~AA00")]
    assert said_of([codes, *cut]) == "values are two capitals, two digits; at most 1% others; none cut short."
    assert said_of([codes, *cut, CLEAN]).endswith("; none damaged.")
    cased = clause("misspelt", 0.001, "case", "=DE17")
    assert said_of([*cut, cased]) == "at most 0.1% misspelt or in another case; none cut short."
    assert said_of([codes, *cut, cased, CLEAN]).endswith("; at most 1% others, 0.1% damaged.")
    assert "damaged" not in said_of([codes, clause("misspelt", 0.01, "case", "=DE17"), CLEAN])


def test_what_another_clause_says_already_is_not_said_again() -> None:
    shapes, characters = clause("shape", 0.001, "AA-00"), clause("marks", 0.01, "-X")
    assert said_of([shapes, characters]) == "values are two capitals, “-”, two digits; at most 0.1% others."
    stricter = clause("marks", 0.0, "-X")
    assert said_of([shapes, stricter]).endswith("; at most 0.1% others; all are made of letters or digits and “-”.")


def test_what_values_mean_and_how_they_are_written_is_one_demand() -> None:
    """Each part keeps its own share: who signs it signs what is judged."""
    dates, flags = clause("domain", 0.06, "date"), clause("domain", 0.02, "boolean")
    day, capitals = clause("shape", 0.01, "0000-00-00"), clause("runs", 0.0, "A")
    assert said_of([day, dates]) == "values are dates written 0000-00-00; at most 6% others, 1% written otherwise."
    assert said_of([capitals, flags]) == "values are boolean flags, all in capitals; at most 2% others."
    mostly = said_of([clause("runs", 0.01, "A"), flags])
    assert mostly == "values are boolean flags in capitals; at most 2% others, 1% of another form."
    long = clause("shape", 0.0, "-".join(["XXXX"] * 3 + ["X0A"] * 3))
    assert said_of([long, clause("domain", 0.0, "uuid")]) == "all values are UUIDs in their usual form."
    codes = clause("runs", 0.03, "0-")
    beside = [clause("charset", 0.0, "-0"), clause("length_range", 0.01, "8", "12"), clause("length", 0.02, "8", "9")]
    assert said_of([dates, *beside]) == (
        "values are dates; at most 6% others, 2% not (8 or 9 characters long); all are made of digits and “-”."
    )
    assert said_of([codes, *beside]) == (
        "values are digits, “-”; at most 3% others, 2% not (8 or 9 characters long); all are made of digits and “-”."
    )


def test_a_list_that_holds_of_few_values_is_not_what_they_are() -> None:
    """Each of these is a capital, and a list that half of them are in tells nobody what is right."""
    capitals, one = clause("runs", 0.001, "A"), clause("length", 0.01, "1")
    said = {theta: said_of([clause("value", theta, "A", "D", "H"), capitals, one]) for theta in (0.15, 0.5)}
    assert said == {
        0.15: "values are “A”, “D” or “H”; at most 15% others.",
        0.5: "values are capitals; at most 0.1% others, 1% not 1 character long.",
    }


def test_of_two_meanings_the_stricter_one_of_less_risk_is_said() -> None:
    """An address of a computer that looks like a telephone number is not both."""
    phone, address = clause("domain", 0.1, "phone", risk=0.02), clause("domain", 0.1, "ipv4", risk=0.001)
    assert said_of([phone, address]) == said_of([address, phone]) == "values are IPv4 addresses; at most 10% others."


def test_the_only_value_is_named_but_not_of_a_sensitive_column() -> None:
    one = clause("runs", 0.01, "Aa")
    said = said_of([one], alone=True, only="Airport")
    assert said == "one value so far, “Airport”: a capitalised word; at most 1% others."
    params = {"clauses": [one.to_json()], "rows": 90, "alone": True}
    rule = Rule("pattern", "x", params, 0.01, said, "strings", {"examples": {"passing": ["Airport"]}})
    assert rule.with_clauses(rule.clauses).sentence == said
    hidden = "one value so far: a capitalised word; at most 1% others."
    assert rule.said(private=True) == rule.private().sentence == hidden


@pytest.mark.parametrize(
    ("one", "other", "holds"),
    [
        (("shape", "AA"), ("runs", "A"), True),
        (("runs", "A"), ("shape", "AA"), False),
        (("formats", "<digit>{2}/<digit>{2}"), ("numbers", "<num>/<num>"), True),
        (("shape", "AA00"), ("names", "PO<digit>{2}"), False),
        (("value", "PO17"), ("names", "PO<digit>{2}"), True),
        (("shape", "AA", "AAA"), ("length_range", "2", "3"), True),
        (("charset", "0A"), ("caseless", "0Aa"), True),
        (("domain", "date"), ("marks", "-X"), False),
        (("shape", "A0…"), ("length_range", "2", "9"), False),
    ],
)
def test_a_demand_holds_wherever_a_narrower_one_does(one: tuple[str, ...], other: tuple[str, ...], holds: bool) -> None:
    assert implies(*(Candidate(kind, tuple(accepted)) for kind, *accepted in (one, other))) is holds


def test_of_two_clauses_that_say_the_same_one_is_kept() -> None:
    same = [clause("runs", 0.01, "A"), clause("numbers", 0.01, "<upper>+")]
    assert [one.kind for one in needed(same)] == ["numbers"]
    assert len(needed([clause("shape", 0.01, "AA"), clause("shape", 0.01, "AA")])) == 1


CODES = clause("runs", 0.002, "A-0", "A-A", "A0A-A0")
KNOWN = [["A-0", "PT-06"], ["A-A", "AD-AN"], ["A0A-A0", "B1Q-Q2"]]


def test_known_forms_are_said_as_they_are_written_with_a_value_of_each() -> None:
    values = ["PT-06", "PT-07", "AD-AN", "nothing", "B1Q-Q2"]
    assert list(map(list, forms_of(CODES.candidate, values))) == KNOWN
    assert said_of([CODES], forms={"runs": KNOWN}) == (
        "values are written like “PT-06”, “AD-AN” or “B1Q-Q2”; at most 0.2% others."
    )
    rare = forms_of(CODES.candidate, values[:3])
    assert rare[2] == ("A0A-A0", "")
    assert "written like “PT-06” or “AD-AN”; " in said_of([CODES], forms={"runs": rare})
    assert forms_of(clause("shape", 0.0, "AA").candidate, ["PT"]) == []  # said in words
    patterns = clause("formats", 0.0, "<upper>{2}-<num>", "PO<digit>{3} <all>", "<lower>+ <alphanum>{2}")
    assert [form for form, _ in forms_of(patterns.candidate, ["DE-17", "PO123 x", "no 1a"])] == [
        "AA-0",
        "PO000 …",
        "a XX",
    ]


def test_of_many_forms_some_values_are_said() -> None:
    many = clause("tokens", 0.8, "X", "X X", "X-X", "X (X)", "X, X", "X X X")
    known = {"tokens": forms_of(many.candidate, ["Acer", "AG Mobile", "A" * 50 + "-X", "TCT (Alcatel)"])}
    said = said_of([CLEAN, many], forms=known)
    assert said == "none damaged."
    assert said_of([many], forms=known) == "some values are still written like “Acer” or “AG Mobile”."
    half = clause("tokens", 0.5, *many.accepted)
    assert said_of([half], forms=known) == "most values are written like “Acer” or “AG Mobile”."
    assert "known forms" not in said_of([half], private=True)


def test_of_a_sensitive_column_no_value_of_a_form_is_said() -> None:
    params = {"clauses": [CODES.to_json()], "rows": 90}
    rule = Rule("pattern", "x", params, 0.01, "x.", "strings", {"forms": {"runs": KNOWN}})
    rule = rule.with_clauses(rule.clauses)
    assert "PT-06" in rule.sentence
    (listed,) = rule.clauses
    assert "“AD-AN” or “B1Q-Q2”" in rule.words_of(listed), "the list of clauses tells the forms too"
    assert "PT-06" not in rule.words_of(listed, private=True)
    for hidden in (rule.said(private=True), rule.private().sentence):
        assert "made of digits, capitals and “-”; at most 0.2% others." in hidden
        assert not any(value in hidden for _, value in KNOWN)


def test_what_some_values_do_not_mean_is_demanded_of_none_where_all_mean_something_less_likely() -> None:
    """Most addresses of computers can be dialled."""
    seen = profile_values((f"198.51.100.{last}", 1) for last in range(1, 150))
    found = candidates(seen, ["domain"])
    assert [one.accepted for one in found] == [("ipv4",), ("phone",)]
    broken = broken_by_own_rows(found, seen)
    assert broken[1, 0]
    assert other_meanings(found, broken).tolist() == [False, True]
    assert other_meanings(found[1:], broken[1:]).tolist() == [False]


@pytest.mark.parametrize(
    ("seen", "mode", "rate"), [(1, "snapshot", 0.01 / 2), (1, "increment", 0.01), (89, "snapshot", 0.03 / 90)]
)
def test_the_setting_says_what_rules_on_texts_may_state(
    seen: int, mode: str, rate: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are not made for the rate of the setting where few versions taught them."""
    asked: list[float] = []
    monkeypatch.setattr(propose, "learn_strings", lambda *_, budget, **__: asked.append(budget))
    state = fold(pa.table({"code": ["A1", "B2"] * 20}))
    propose.column_rules(Table(id=1, name="t", mode=mode), state, PatternIndex(), seen, 0.001, {}, {})
    assert asked[0] / propose._ahead(mode, seen)[1] == pytest.approx(rate)
    said = Settings.model_fields["fpr_budget"].description or ""
    assert f"{propose.LEAST_RISK:.0%} at the least and {propose.MOST_RISK:.0%} at the most" in said


def test_what_nobody_would_sign_is_left_to_the_clauses() -> None:
    """That half of the values are so is said in a word; damage of one in thirty, text beside a meaning, and lengths
    that no value came near are judged, and not said."""
    capitals, loose = clause("runs", 0.01, "A"), clause("runs", 0.5, "A")
    cut = clause("truncated", 0.03, "cut", "=DE17")
    assert said_of([loose, cut]) == "most values are capitals."
    assert (
        said_of([loose, clause("truncated", 0.01, "cut", "=DE17")]) == "most values are capitals; at most 1% cut short."
    )
    flags = clause("domain", 0.02, "boolean")
    assert said_of([flags, clause("words", 0.001, "a")]) == "values are boolean flags; at most 2% others."
    assert (
        said_of([capitals, clause("wider_length_range", 0.001, "1", "99")]) == "values are capitals; at most 1% others."
    )
    assert said_of([capitals, clause("presence", 0.1, "given")]) == "values are capitals; at most 1% others."


def test_a_form_of_many_parts_is_shown_by_a_value() -> None:
    mail = clause("formats", 0.01, "<lower>+.<lower>+@<lower>{7}.<lower>{3}")
    known = {"formats": forms_of(mail.candidate, ["ann.lee@example.org"])}
    assert said_of([mail], forms=known) == "values are written like “ann.lee@example.org”; at most 1% others."
    assert "ann" not in said_of([mail], forms=known, private=True)


def test_the_only_value_so_far_has_no_form_that_half_may_break() -> None:
    assert said_of([clause("runs", 0.5, "Aa")], alone=True, only="Airport") == "one value so far, “Airport”."


def test_of_two_demands_of_the_same_values_the_stricter_is_said() -> None:
    """Digits and what is made of digits are the same: at most 10% others, 3% not digits contradict each other."""
    digits = clause("runs", 0.1, "0")
    assert said_of([digits, clause("charset", 0.03, "0")]) == "values are made of digits; at most 3% others."
    assert said_of([clause("runs", 0.01, "0"), clause("charset", 0.03, "0")]) == "values are digits; at most 1% others."
