"""Domains as people write them: what a YAML file may say, and what is said of one that is wrong."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from catalog.domains.known import THEMES
from catalog.domains.lexicon import fold, words
from catalog.domains.load import KEYS, Validator, domains, read
from catalog.errors import UsageError

ORDER = r"""
order_number:
  title: Order number
  description: Sales orders of the shop.
  pattern: SO\d{5}
  examples: [SO43701, SO43702, SO43703]
  counter_examples: [PO43701, SO4370]
  name_words: [order, 'order ?no']
  sensitive: person
  broader: code
"""


def test_a_domain_is_read_as_it_stands() -> None:
    (order,) = domains(ORDER, "mine.yaml", theme="the shop")
    assert order.validate("SO43710")
    assert not order.validate("so43710")
    assert (order.sensitive, order.of_persons, order.theme, order.broader) == (True, True, "the shop", ("code",))
    assert order.name_regex is not None
    assert order.name_regex.search("order no")


def test_a_key_of_an_earlier_release_is_read() -> None:
    (order,) = domains(ORDER.replace("  broader: code", "  floor: 0.3"), "mine.yaml")
    (same,) = domains(ORDER.replace("  broader: code", "  least_share: 0.3"), "mine.yaml")
    assert order.least_share == same.least_share == 0.3


def test_scalars_are_what_they_look_like() -> None:
    (odd,) = domains("odd: {title: Odd, values: [no, 007, 2024-01-31, ~], examples: [no, 007, 2024-01-31]}", "o.yaml")
    assert odd.examples == ("no", "007", "2024-01-31")
    assert odd.validate("NO")
    assert not odd.validate("7")


def test_values_words_and_validators_may_be_joined() -> None:
    text = "aa: {title: A, words: country_codes2, case: exact, pattern: '[A-M].', examples: [BE, DE], "
    text += "counter_examples: [NL, be]}"
    (code,) = domains(text, "a.yaml")
    assert code.validate("FR")
    text = "bb: {title: B, validator: [stdnum.isbn, stdnum.issn], examples: [978-1-61779-766-8, 0317-8471]}"
    (either,) = domains(text, "b.yaml")
    assert not either.validate("0317-8472")


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("a: [", "is not YAML"),
        ("- a\n- b", "map names"),
        ("a: 1", "map names"),
        ("A-b: {title: x, pattern: a, examples: [a, a]}", "cannot be used"),
        ("ab: {title: x, pattern: a, examples: [a, a], colour: red}", "'colour' is not known"),
        ("ab: {title: x, examples: [a, a]}", "nothing says how"),
        ("ab: {pattern: a, examples: [a, a]}", "title and examples"),
        ("ab: {title: x, pattern: a}", "title and examples"),
        ("ab: {title: x, pattern: '(', examples: [a, a]}", "unterminated|missing"),
        ("ab: {title: x, pattern: a, examples: [a, b]}", "'b' is not recognised"),
        ("ab: {title: x, pattern: '[ab]', examples: [a, b], counter_examples: [b]}", "'b' is recognised"),
        ("ab: {title: x, pattern: '(a+)+', examples: [a, aa]}", "for ever"),
        ("ab: {title: x, pattern: a, examples: [a, a], name_words: '(a*)*b'}", "for ever"),
        ("ab: {title: x, validator: os.system, examples: [a, a]}", "no validator"),
        ("ab: {title: x, validator: stdnum.util, examples: [a, a]}", "no validator"),
        ("ab: {title: x, validator: trade.__class__, examples: [a, a]}", "no validator"),
        ("ab: {title: x, words: ../../x, examples: [a, a]}", "word list"),
        ("ab: {title: x, pattern: a, examples: [a, a], chance: 2}", "shares"),
        ("ab: {title: x, pattern: a, examples: [a, a], chance: much}", "much"),
        ("ab: {title: x, pattern: a, examples: [a, a], types: [blob]}", "types are"),
        ("ab: {title: x, pattern: a, examples: [a, a], sensitive: maybe}", "sensitive is"),
    ],
)
def test_what_is_wrong_is_said(text: str, cause: str) -> None:
    with pytest.raises(UsageError, match=cause) as error:
        domains(text, "mine.yaml")
    assert "mine.yaml" in str(error.value) or "validator" in str(error.value)
    assert error.value.remedy


def test_validators_are_those_that_are_named() -> None:
    assert Validator("stdnum.iban")("DE89370400440532013000")
    for name in ("stdnum", "os.path", "stdnum.numdb", "contact.re", "contact._is_phone", "stdnum.gb..vat", ""):
        with pytest.raises(UsageError, match="no validator"):
            Validator(name).function  # noqa: B018


def test_word_lists_say_where_they_come_from() -> None:
    folder = Path(__file__).parents[3] / "catalog" / "domains" / "words"
    files = sorted(folder.glob("*.txt"))
    assert len(files) >= 19
    for file in files:
        lines = file.read_text(encoding="utf-8").splitlines()
        assert lines[0].startswith("# ")
        assert "licence" in lines[1]
        assert len(words(file.stem)) == len(lines) - 2 == len(set(lines)) - 2
    assert all(word == fold(word) for word in words("cities"))
    with pytest.raises(KeyError):
        words("no_such_list")


def test_the_page_on_domains_explains_every_key() -> None:
    text = (Path(__file__).parents[3] / "docs" / "domains.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.M)) == set(KEYS)


def test_naming_the_domains_reads_no_file() -> None:
    code = "import sys; from catalog.domains.known import KNOWN; sys.exit('yaml' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_product_does_without_what_the_lists_were_written_from() -> None:
    root = Path(__file__).parents[3]
    importing = [
        str(file.relative_to(root))
        for room in ("catalog", "web", "workers")
        for file in (root / room).rglob("*.py")
        if re.search(r"^\s*(?:from|import) faker\b", file.read_text(encoding="utf-8"), re.M)
    ]
    assert importing == []


@pytest.mark.parametrize("theme", sorted(THEMES))
def test_the_known_domains_pass_what_is_asked_of_a_persons_own(theme: str) -> None:
    text = (files("catalog.domains") / "data" / f"{theme}.yaml").read_text(encoding="utf-8")
    assert domains(text, f"{theme}.yaml")


@pytest.mark.parametrize(
    "regex",
    [
        r"(\w+\s?)+",
        r"(?:a|aa)*b",
        r"(?:[a-z]+[ -]*)+",
        r"(?:\d*\.?\d*)+",
        r"(?i:(?:x+y?)+)",
        r"(?:\s*,?\s*)*;",
        r"(?:a{2}|aa)*",
    ],
)
def test_a_repetition_that_can_match_the_same_text_in_many_ways_is_refused(regex: str) -> None:
    text = f"one: {{title: One, values: [aa, bb, cc], examples: [aa, bb], name_words: ['{regex}']}}"
    with pytest.raises(UsageError, match="for ever"):
        domains(text, "one.yaml")


@pytest.mark.parametrize("regex", ["(.*a){25}b", r"(?:\w+\s?){12}!"])
def test_what_is_repeated_many_times_and_read_in_several_ways_is_refused(regex: str) -> None:
    text = f"one: {{title: One, values: [aa, bb, cc], examples: [aa, bb], name_words: ['{regex}']}}"
    with pytest.raises(UsageError, match="can take for ever"):
        domains(text, "one.yaml")


@pytest.mark.parametrize("regex", [r"(?:\w+,)+", r"(?:[A-Z][a-z]{1,3} ?)*", r"(?:\d{3}-)+\d{4}", r"(?i:(?:ab+c)+)"])
def test_a_repetition_within_another_where_a_sign_decides_is_not(regex: str) -> None:
    text = f"one: {{title: One, values: [aa, bb, cc], examples: [aa, bb], name_words: ['{regex}']}}"
    assert domains(text, "one.yaml")


def test_all_that_is_wrong_is_told_at_once() -> None:
    """A person corrects a file once, and a regex that could take for ever is never hidden behind another mistake."""
    text = """
evil: {title: Evil, pattern: (a+)+$, examples: [a, aa, aaa]}
two: {pattern: '['}
good: {title: Good, pattern: '[a-z]', examples: [a, b]}
three: {title: T, values: no such, exmples: [a], examples: ['no', yes], chance: 2}
four: {title: F, values: [x, y], examples: [x, z], counter_examples: [y]}
five: {title: F, validator: stdnum.nothing, examples: [x, z]}
"""
    found, errors = read(text, "mine.yaml")
    assert [one.name for one in found] == ["good"]
    assert [str(one).partition("; ")[0] for one in errors] == [
        "mine.yaml: domain 'evil': a repetition within a repetition can take for ever",
        "mine.yaml: domain 'two': it needs a title and examples",
        "mine.yaml: domain 'two': its pattern cannot be read: unterminated character set at position 0",
        "mine.yaml: domain 'three': 'exmples' is not known",
        "mine.yaml: domain 'three': chance, hit and least_share are shares, chance the smaller than hit",
        "mine.yaml: domain 'four': its example 'z' is not recognised",
        "mine.yaml: domain 'four': its counter-example 'y' is recognised",
        "mine.yaml: domain 'five': there is no validator 'stdnum.nothing'",
    ]
