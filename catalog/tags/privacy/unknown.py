"""What is not known: columns of tables of persons that may be about the person, where nothing says that they are not.

Short private names (`bronch`, `PARTY_D`, `hkid`) cannot be known from outside. So a column whose values have no meaning
of their own (codes, words, numbers, yes and no), under a name that is not understood, in a table whose rows may be
persons, is said to be just that, and hidden until somebody has looked. How likely such a column is to be sensitive
orders the questions and bounds what is hidden; it claims nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from catalog.domains.domain import words
from catalog.domains.known import GENERIC, KNOWN
from catalog.domains.lexicon import vocabulary
from catalog.domains.names.asked import KEYED, asking, indicated, meant, trait
from catalog.domains.names.codebooks import in_words
from catalog.domains.names.illness import begun
from catalog.domains.names.meaning import meaning
from catalog.states.column import ColumnState
from catalog.tags.discovery.sample import sample
from catalog.tags.generic import CLASS_NAME, NAMED
from catalog.tags.privacy.levels import ABOUT
from catalog.tags.proposal import TagProposal
from catalog.tags.rows import AMOUNTS, CODES, OWN_VALUE
from catalog.tags.whose import AGES, ALONE, DEFAULT, EACH, TABLE, Around, Whose, patients, speaks_of, whose

TITLE = "About the person"
_LINKS = vocabulary("of the at in by")  # words between others
#: What says nothing of what values mean: the others were recognised by their values.
UNTOLD = CODES | AMOUNTS | frozenset(GENERIC)
#: What says how something is measured, not what: of a patient anything is of his health.
MEASURING = UNTOLD | vocabulary("percentage ratio_score star_rating log_level roman_numeral emoji")
PROSE = frozenset({"title", "free_text"})
TEXTS = PROSE | {"category"}
FEW = 12  # chosen: distinct values of a short list of answers
MOST_ODDS = 4.0  # bound: of what is known of the rows, a table's name and three columns beside
#: Fitted by `python -m benchmarks.tagging.unknown --fit`: intercept and weights of `signs`.
FITTED = (-3.01, 0.38, 1.49, 0.92, 1.24, -1.74, -1.11, 1.05)
#: Fitted by `python -m benchmarks.tagging.learned.meaning`: the same with what the words of spelled-out names mean.
NAMED_FITTED = (-2.78, 0.17, 0.21, 0.05, -0.05, -0.47, -0.2, 0.59)
LEAST = 0.1  # chosen: one column in ten; below, hardly any that is hidden is sensitive


def understood(name: str, around: Around) -> bool:
    """Whether a column's name says that it is about nothing sensitive: a domain that is not, a kind, what each person
    is asked in the plainest words or as in a codebook, or the table's own key.

    >>> people = Around("people", ("id", "bronch", "department", "age", "race"), own=frozenset({"id"}))
    >>> [name for name in people.columns if understood(name, people)]
    ['id', 'department', 'age']
    """
    called = around.called(name)
    full, named = words(called), _asked_of(words(called))
    if around.columns[:1] == (name,) and name in around.own:
        return True
    cared = bool(patients(around))
    asked = [one for one in asking(named) if not (one.against_regex and one.against_regex.search(named))]
    asked = [one for one in asked if not (cared and one.name in MEASURING)]
    if meant(called) or any(one.sensitive and one.name not in AGES for one in asked):  # an age of nobody tells nothing
        return False
    if asked or EACH.fullmatch(named) or trait(named) or name in in_words(around.columns):
        return True
    if KEYED.fullmatch(named):
        return named != full  # the number of a customer is given out by who keeps the table
    return any(regex.search(named) for regex in ((CLASS_NAME,) if cared else NAMED) if regex is not KEYED)


def asks(called: str) -> str:
    """The domain that a name asks for in words; what is called by one of its values (`black`) may be a colour."""
    return "" if indicated(called) else meant(called)


def _asked_of(named: str) -> str:
    """The words of a name without those that say of whom, where others are left.

    >>> _asked_of("customer id"), _asked_of("age of patient"), _asked_of("customer")
    ('id', 'age', 'customer')
    """
    parts = [one for one in named.split() if one not in _LINKS]
    left = [one for one in parts if not speaks_of(one) or EACH.fullmatch(one)]
    return " ".join(left or parts) or named


def signs(name: str, state: ColumnState, said: Sequence[TagProposal], rows: Whose, around: Around) -> tuple[float, ...]:
    """What orders columns that are not known: 1, the log odds that rows are persons, whether values are yes and no, few
    answers, each row's own, fractions, words, and the log odds (base 10) of how words of medicine begin so."""
    found = sample(state)
    kind = said[0].domain if said else ""
    two = state.kind == "boolean" or name in around.pairs
    return (
        1.0,
        min(rows.odds, MOST_ODDS),
        float(two),
        float(not two and len(found.values) <= FEW),
        float(found.distinct >= OWN_VALUE * max(found.rows, 1)),
        float(kind == "decimal" and not all(text.isdigit() for text in found.texts)),
        float(state.kind == "string" and kind in TEXTS),
        begun(around.called(name))[1],
    )


def likely(told: Sequence[float], says: float | None) -> float:
    """The chance that a column that is not known is sensitive, by its `signs`; no more than with what the words of its
    name mean, where these say something.

    >>> told = (1.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    >>> likely(told, meaning("page_views")) < LEAST < likely(told, None)
    True
    """
    chance = _chance(FITTED, told, 0.0)
    return chance if says is None else min(chance, _chance(NAMED_FITTED, told, says))


def _chance(weights: Sequence[float], told: Sequence[float], more: float) -> float:
    return 1 / (1 + math.exp(-more - sum(weight * value for weight, value in zip(weights, told, strict=True))))


def reads(said: Sequence[TagProposal], around: Around) -> bool:
    """Whether the words of a column's name may say that it is about nothing sensitive: prose may hold anything, and
    where most columns are called otherwise an English word is one of another language, or an abbreviation.

    >>> reads([], Around("sessions", ("page_views", "browser"))), reads([], Around("eleves", ("nom", "hand")))
    (True, False)
    """
    return around.english and not (said and said[0].domain in PROSE)


def rows_of_unknown(
    name: str, state: ColumnState, said: Sequence[TagProposal], around: Around, default: str = "person"
) -> Whose | None:
    """What says that rows are persons, of a column that is not known; None where its meaning is known, it holds
    nothing, or nothing speaks of persons. A name that asks for origin, faith, party, marriage, pay or health is enough
    where nothing speaks against persons but that no column of one stands beside it."""
    called = around.called(name)
    asked = asks(called)
    if any(one.sensitive and not one.contains for one in said) or (said and said[0].domain not in UNTOLD | {asked}):
        return None
    if state.kind in ("binary", "list", "other", "time") or not state.non_null or understood(name, around):
        return None
    if state.kind == "number" and all(speaks_of(one) > 0 for one in words(called).split()):
        return None  # `customer`: the number by which whoever keeps the table knows the person
    rows = whose(KNOWN["health_condition"], name, (), around, default=default)
    if key := patients(around):
        rows = Whose(rows.odds + TABLE, (*rows.reasons, (f"rows are of patients, by {key}", TABLE)))
    sensitive = any(one.sensitive for one in asking(_asked_of(words(called))))
    least = DEFAULT - ALONE if asked else DEFAULT
    return rows if rows.odds > DEFAULT or ((asked or sensitive) and rows.odds >= least) else None


def not_known(
    name: str, state: ColumnState, said: Sequence[TagProposal], around: Around, default: str = "person"
) -> list[TagProposal]:
    """The proposal that a column be treated as about the person until somebody has looked; empty where it is known.

    Parameters
    ----------
    said : what is proposed of the column.
    around, default : as of `catalog.tags.propose.propose_tags`.
    """
    rows = rows_of_unknown(name, state, said, around, default)
    if rows is None:
        return []
    called = around.called(name)
    words_say = meaning(called) if reads(said, around) else None
    chance = likely(signs(name, state, said, rows, around), words_say)
    if chance < LEAST and not asks(called) and not patients(around):
        return []
    reasons = [{"what": what, "weight": round(weight, 2)} for what, weight in rows.reasons[1:] if weight > 0]
    evidence = {"not_known": True, "whose": "person", "whose_because": reasons}
    return [TagProposal(ABOUT, TITLE, round(max(chance, LEAST), 4), 0.0, True, evidence)]
