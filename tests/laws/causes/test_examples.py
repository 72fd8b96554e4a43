"""What a sentence shows of values: pairs of which one became the other, told apart where they differ."""

import pyarrow as pa

from catalog.causes.cause import Guess
from catalog.causes.quoting import example
from catalog.causes.words import Seen, sentence
from catalog.states.column import ColumnState
from catalog.states.folding.fold import fold


def column(values: list[str]) -> ColumnState:
    return fold(pa.table({"code": values})).columns["code"]


def test_a_value_is_shown_beside_one_that_it_was_and_never_beside_another() -> None:
    before = column(["PT-06", "VE-A", "FR-75", "DE-BY"] * 5)
    cut = Guess("last_cut", "cut", 0.97)
    assert example(cut, column(["PT-0", "VE-", "FR-7", "DE-B"]), before) in (
        ' ("PT-0" now, "PT-06" before)', ' ("VE-" now, "VE-A" before)', ' ("DE-B" now, "DE-BY" before)',
        ' ("FR-7" now, "FR-75" before)',
    )  # fmt: skip
    assert example(cut, column(["XXXXXXXXXX"]), before) == ' ("XXXXXXXXXX" now)'


def test_of_addresses_that_are_all_new_what_one_was_is_what_taking_it_back_makes() -> None:
    before = column([f"{name}{k}@shop.example" for k, name in enumerate(("anna", "bert", "cora"))])
    guess = Guess("suffix", "suffix", 0.9, mend=lambda v: v.replace("_at_", "@"))
    now = column([f"{name}{k}_at_shop.example" for k, name in enumerate(("dora", "emil", "fred"))])
    assert example(guess, now, before) == ' ("dora0_at_shop.example" now, "dora0@shop.example" before)'


def test_two_long_values_are_told_apart() -> None:
    long = "http://creativecommons.org/liceses/by/4.0"
    detail = {"new": [long], "like": [f"{long}/"], "old": [f"{long}/"]}
    seen = Seen("articles", column([long]), column([f"{long}/"]))
    said = sentence(Guess("typo", "typo", 0.96, 0.01, detail), ("license",), seen)
    assert '"...ses/by/4.0" looks like "...ses/by/4.0/"' in said
