"""The words for what is asked of people, by language: every language has every line, and no word means two things."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import pytest

from catalog.domains.domain import words
from catalog.domains.headers import ASKED, INSTITUTION, KIND, NUMBER, PARTY, PERSON, REMARK, ROLE, STOP, plain, runs
from catalog.domains.known import KNOWN, headers, words_for
from catalog.domains.names.told import of_persons
from catalog.tags.whose import speaks_of

LANGUAGES = (
    "de fr es pt it nl sv da no is fi et lv lt pl cs sk hu ro bg hr sr sl el tr ru uk ar hi id vi zh ja ko sw mt ga fa "
    "he ca sq mk th bn az uz kk ka hy ur ms eu"
).split()
LINES = {*ASKED, PERSON, PARTY, ROLE, INSTITUTION, STOP, KIND, REMARK, NUMBER}
#: Lines that ask for parts of one thing: a word for a name may be one for a given name.
NAMES = {"name", "full_name", "first_name", "last_name"}
#: Words that mean two things, one of them in another language, and why both may stay.
TWICE = {
    "usuario": "who uses something, and what he logs in with",
    "utente": "who uses something in Italian, a patient in Portuguese: both may be natural persons",
    "nacionalnost": "origin in Russian, citizenship in Croatian: both are asked of people",
    **dict.fromkeys(
        "bopael bosted bydlisko bydliste dzivesvieta elukoht gyvenamojivieta lakohely miejscezamieszkania noio "
        "prebivaliste trvalebydlisko местожительства місцепроживання".split(),
        "where somebody lives: a town or a whole address, which values tell",
    ),
}


def _keys() -> Iterator[tuple[str, str, str]]:
    """(language, line, word without accents and blanks)."""
    for language, lines in headers().items():
        for line, text in lines.items():
            for word in text.split(", "):
                yield language, line, plain(word.strip("~^$").lower()).replace(" ", "")


def test_every_language_has_every_line() -> None:
    assert list(headers()) == LANGUAGES
    lacking = {language: LINES ^ lines.keys() for language, lines in headers().items() if lines.keys() != LINES}
    assert not lacking


def test_no_word_means_two_things() -> None:
    meant: dict[str, set[str]] = defaultdict(set)
    for _, line, key in _keys():
        meant[key].add("name" if line in NAMES else line)
    assert {key for key, lines in meant.items() if len(lines) > 1} == TWICE.keys()


def test_no_word_stands_twice_in_a_line() -> None:
    for language, lines in headers().items():
        for line, text in lines.items():
            found = text.split(", ")
            assert len(found) == len(set(found)), (language, line)


def test_words_ask_for_their_domains() -> None:
    missed = []
    for language, lines in headers().items():
        for line, text in lines.items():
            if line not in ASKED:
                continue
            for word in text.split(", "):
                named = words(word.strip("~^$").replace("*", ""))
                regexes = [one for name in ASKED[line][0] for one in (KNOWN[name].name_regex, KNOWN[name].sure_regex)]
                if not any(one is not None and one.search(named) for one in regexes):
                    missed.append((language, line, word))
    assert not missed


@pytest.mark.parametrize(
    ("name", "domain"),
    [
        ("DataUrodzenia", "birth_date"),
        ("ngaysinh", "birth_date"),
        ("telefonni_cislo", "phone"),
        ("So_Dien_Thoai", "phone"),
        ("ΑΜΚΑ", "national_id"),
        ("ημερομηνια_γεννησης", "birth_date"),
        ("员工身份证号码", "national_id"),
        ("fuehrerscheinnummer", "driving_licence"),
        ("maas", "salary"),
        ("jina_la_kwanza", "first_name"),
    ],
)
def test_without_accents_and_blanks(name: str, domain: str) -> None:
    asked = {
        one.name for one in KNOWN.values() for r in (one.name_regex, one.sure_regex) if r and r.search(words(name))
    }
    assert domain in asked


@pytest.mark.parametrize(
    "name",
    [
        *(
            "gate",
            "lapsed",
            "tag",
            "pais",
            "burger",
            "born",
            "bolt",
            "arts",
            "market",
            "sole",
            "salaries_total",
            "guide",
        ),
        *(
            "zakazka",
            "vodicka",
            "clanak",
            "lekarstva",
            "pracovni_doba",
            "vozni_red",
            "pocet_obyvatel",
            "annee_scolaire",
            "ridiculed",
            "bernie",
            "statistics",
            "primarily",
            "voluntary",
        ),
    ],
)
def test_words_of_something_else_speak_of_nobody(name: str) -> None:
    """What is written like a word for persons or institutions of another language, or begins like one."""
    named = words(name)
    assert not words_for(PERSON, PARTY).search(named)
    assert not words_for(INSTITUTION, STOP).search(named)


def test_whose_rows() -> None:
    assert speaks_of("zaposleni") == 1
    assert speaks_of("wafanyakazi") == 1
    assert speaks_of("předplatitelé") == 1
    assert speaks_of("parduotuvės adresas") == -1
    assert speaks_of("rumah sakit") == -1
    assert of_persons("darbuotojai")
    assert not of_persons("klientai")


@pytest.mark.parametrize(
    "table", "bombeiros sudcovia адвокаты พนักงาน শিক্ষার্থী müəllimlər oquvchilar дәрігерлер ექიმები langileak".split()
)
def test_who_holds_an_office_or_learns_is_a_person(table: str) -> None:
    assert speaks_of(words(table)) == 1
    assert of_persons(words(table))


@pytest.mark.parametrize(
    "table", "kirkegårde boulangeries cimiteri müzeler ambasády мектептер โรงพยาบาล المدارس 図書館 bažnyčios".split()
)
def test_what_stands_in_a_town_is_no_person(table: str) -> None:
    assert speaks_of(words(table)) == -1


@pytest.mark.parametrize(
    "name", "inwoners habitants kiezers habitantes vittime obyvatelé жители electores mieszkańcy".split()
)
def test_what_is_counted_by_place_makes_no_row_a_person(name: str) -> None:
    """Inhabitants, voters, victims: a column called so counts them."""
    assert speaks_of(words(name)) == 0


def test_runs_are_bounded() -> None:
    """A name of a hundred thousand words costs what its length does."""
    assert len(runs(" ".join("ab" for _ in range(20_000)))[0]) == 6
