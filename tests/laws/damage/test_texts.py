"""What happened to texts of which no two have a shape in common, by the characters that stand beside each other."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from catalog.causes.guesses import strings, texts
from catalog.damage import STRINGS
from catalog.states.folding.fold import fold

WORDS = (
    "delivery late customer called about missing parcel please refund order returned damaged box arrived without the "
    "label Olga Ivan London Oslo Lille invoice total looks wrong ask carrier for proof of local pickup tomorrow"
).split()


def notes(seed: int, n: int = 600) -> list[str]:
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS, int(rng.integers(5, 12)))) + f" {int(rng.integers(9))}" for _ in range(n)]


def said(key: str, share: float) -> list[str]:
    """The causes guessed, the best first, of notes some of which are damaged."""
    kind, rng = next(one for one in STRINGS if one.key == key), np.random.default_rng(5)
    values = notes(2)
    change = kind.plan(values, rng)
    assert change is not None
    damaged = [change(v) or v if rng.random() < share else v for v in values]
    before, now = (fold(pa.table({"c": some})).columns["c"] for some in (notes(1), damaged))
    found = strings.guesses(now, before, {}, {"new_values": 1.0, "dist_val_count": 600.0})
    return [one.cause for one in found if one.fit >= 0.35]


@pytest.mark.parametrize(
    ("key", "cause"),
    [("transposed", "transposed"), ("letter_as_digit", "digits_letters"), ("lower", "case")],
)
def test_damage_to_free_text_is_named(key: str, cause: str) -> None:
    assert said(key, 1.0)[:1] == [cause]


def test_characters_exchanged_in_a_third_of_the_texts_are_named() -> None:
    assert "transposed" in said("transposed", 0.4)[:2]


def test_other_texts_of_the_same_kind_are_no_damage() -> None:
    assert texts.exchanged(notes(2)[:64], notes(1)[:64]) is None
    assert not list(texts.guesses(notes(2)[:64], notes(1)[:64], ()))


def test_a_rare_pair_in_one_of_two_new_texts_is_no_exchange() -> None:
    """Nearly all values stay; of two that are new one has characters that seldom stand together."""
    known = notes(1)[:64]
    assert texts.exchanged([*known[:-2], notes(2)[0], "refnud ordre retunred damgaed bxo 4"], known) is None


def test_known_values_with_two_neighbours_exchanged_are_told_from_codes_that_permute() -> None:
    known = ["playerone", "marinaio", "goldberg", "sanchez", "whitman", "ferreira", "kowalski", "lindqvist"] * 3
    assert texts.exchanged([v[1] + v[0] + v[2:] for v in known], known) == 1.0
    codes = [f"{a}{b}{c}" for a in "1234" for b in "1234" for c in "1234"]
    assert texts.exchanged([*codes[1:], "5121"], codes[:-1]) is None


def test_blanks_before_a_twentieth_of_names_are_told_though_few_values_are_known() -> None:
    names = ["_".join(name.split()[:4]) for name in notes(1, 300)]
    before, now = (
        fold(pa.table({"c": some})).columns["c"] for some in (names, [f" {v}" for v in names[:15]] + names[15:])
    )
    found = strings.guesses(now, before, {}, {"new_values": 0.01, "dist_val_count": 300.0})
    assert (found[0].cause, round(found[0].share, 2)) == ("spaces", 0.05)


def test_texts_that_lost_their_last_character_are_not_padded_though_the_usual_ones_end_with_a_blank() -> None:
    """What ended with a digit is the same value thereafter, and known as one of the few that stand in several rows."""
    texts = [f"{word} {k}" for word in ("Heading", "Title", "Column", "Row") for k in range(9)]
    texts += [" ".join(note.split()[:-1]) for note in notes(1, 1500)]
    before, now = (fold(pa.table({"c": some})).columns["c"] for some in (texts, [text[:-1] for text in texts]))
    assert "spaces" not in [g.cause for g in strings.guesses(now, before, {}, {}) if g.fit >= 0.35]
