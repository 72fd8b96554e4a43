"""What a rule on strings says: one sentence of its clauses, which a person would sign.

It says what values are, in one phrase what they mean and how they are written, and how much else there may be; of what
up to half of the values may break, that most are so. What more than half may break is no demand, and stands with the
clauses alone; so does that half of the values may be missing, what another clause says already, damage that may be
as frequent as any other value or than `DAMAGE_SAID`, and, beside a meaning, a form that is any text. A share that is
said is that of the loosest clause of its kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from catalog.evidence.clauses.candidate import (
    ANOTHER_FORM,
    DAMAGED,
    FEWER,
    MISSING,
    NOT,
    OTHERS,
    Candidate,
    has_parts,
    is_known,
    percent,
)
from catalog.patterns.describe import WRITTEN
from catalog.rules.clauses.forms import LIKE, in_words, quoted
from catalog.rules.clauses.implied import needed
from catalog.rules.clauses.strings import HALF, NEARLY_ALL, StringClause

Forms = Mapping[str, Sequence[Sequence[str]]]  # the known forms of clauses by their keys
OTHERWISE, OTHER_THAN = f"{DAMAGED} otherwise", f"{DAMAGED} other than "
#: Kinds that are not read where another clause can be: of rules learned earlier; and lengths that no value came near.
UNSAID = ("ends", "wider_length_range")
#: In the words of what went wrong with values; needless where it is said what did.
LIKE_USUAL, OF_USUAL = "like usual ones, ", "of the usual form "
EXCHANGED, IN_A_WORD = "with characters exchanged", "transposed"
BROAD = ("clean", "trimmed")  # kinds of guards that compare with no usual value
DOMAIN = "domain"  # the kind of which one is said: what is a telephone number is no address
#: How the values of a meaning are written where that takes more than so many characters; a bound of length.
USUAL_FORM, LONGEST_BESIDE = "in their usual form", 45
#: Damage that is said, and values that may be missing, are of no more of the rows: nobody signs that one value in fifty
#: may be damaged, or one in ten missing where none is. Chosen.
DAMAGE_SAID, MISSING_SAID = 0.01, 0.06
MOST_ARE = "most values are "  # what a demand begins with that up to half of the values may break
ANY_TEXT = frozenset({"letters", "letters or digits", "words"})


def said_of(
    clauses: Sequence[StringClause],
    *,
    private: bool = False,
    alone: bool = False,
    only: str | None = None,
    forms: Forms | None = None,
) -> str:
    """What values are, how much of what else there may be, and what none is.

    `alone`, of a column of one value so far, of which a form says less than a person would; `only`, which one that is,
    where it may be told; `forms`, of clauses by their keys, the known forms (`catalog.rules.clauses.forms`).

    >>> from dataclasses import replace
    >>> from catalog.evidence.clauses.candidate import Candidate
    >>> presence = StringClause.of(Candidate("presence", ("given",)), 0.02)
    >>> dates, written = StringClause.of(Candidate("domain", ("date",)), 0.06), Candidate("numbers", ("<num>/<num>",))
    >>> said_of([dates, presence])
    'values are dates; at most 6% others, 2% missing.'
    >>> said_of([replace(dates, theta=0.8), StringClause.of(written, 0.01)])
    'values are a number, “/”, a number; at most 1% others.'
    >>> said_of([dates, StringClause.of(written, 0.01)])
    'values are dates (a number, “/”, a number); at most 6% others, 1% of another form.'
    >>> day = Candidate("shape", ("0000-00-00",))
    >>> said_of([dates, StringClause.of(day, 0.01)])
    'values are dates written 0000-00-00; at most 6% others, 1% written otherwise.'
    >>> said_of([dates, StringClause.of(day, 0.0)]), said_of([replace(dates, theta=0.0), StringClause.of(day, 0.0)])
    ('values are dates, all written 0000-00-00; at most 6% others.', 'all values are dates written 0000-00-00.')
    >>> clean, cut = StringClause.of(Candidate("clean", ("padded",)), 0.0), Candidate("truncated", ("cut",))
    >>> said_of([clean, StringClause.of(Candidate("shape", ("A0",)), 0.8)])
    'none damaged.'
    >>> said_of([StringClause.of(Candidate("shape", ("A0",)), 0.8)])
    'some values are still one capital, one digit.'
    >>> some, shape = StringClause.of(cut, 0.01), Candidate("shape", ("A0",))
    >>> [said_of([clean, some, StringClause.of(shape, theta)]) for theta in (0.02, 0.01)]
    ['values are one capital, one digit; at most 2% others, 1% damaged.', \
'values are one capital, one digit; at most 1% others.']
    >>> said_of([StringClause.of(cut, 0.0), StringClause.of(shape, 0.02), presence])
    'values are one capital, one digit; at most 2% others, 2% missing; none cut short.'
    >>> said_of([StringClause.of(Candidate("clean", ("padded",)), 0.02), presence])
    'at most 2% missing.'
    >>> said_of([clean, StringClause.of(Candidate("truncated", ("cut",)), 0.06), presence])
    'at most 2% missing; none damaged other than cut short.'
    >>> capitals = StringClause.of(Candidate("runs", ("A",)), 0.01)
    >>> said_of([capitals], alone=True, only="AB"), said_of([dates, presence], alone=True)
    ('one value so far, “AB”: capitals; at most 1% others.', 'values are dates; at most 6% others, 2% missing.')
    """
    clauses = [one for one in clauses if one.kind not in UNSAID] or list(clauses)
    bound, known = shown(clauses), {} if private else forms or {}
    missing = [(one.theta, MISSING) for one in bound if one.most_missing is not None and one.theta <= MISSING_SAID]
    guards, phrases = [one for one in bound if one.guards], phrases_of(bound)
    if not phrases:
        some, none = _shares([*missing, *_damaged(guards)])
        told = [*some, *none] or _loosely(clauses, known, private)
        return "; ".join(told or [one.sentence(private=private) for one in clauses[:1]]) + "."
    (what, *beside), *rest = phrases
    form = [one for one in beside[:1] if what.kind == DOMAIN and one.says_what and not _is_any_text(one)]
    others = [one for one in beside if one not in form and not (form or _is_any_text(one))]
    others += [one for phrase in rest for one in phrase]
    told = [_first(what, form, known, private, f"one value so far{_quoted(only)}" if alone else "")]
    shares = [(what.theta, OTHERS)] if 0 < what.theta < FEWER else []
    shares += [_otherwise(one, beside, known, private) for one in form if one.theta]
    few = [(one, said) for one in others if len(said := _what(one, known, private)) <= LONGEST_BESIDE]
    every = [f"all are {said}" for one, said in few if not one.theta][:1]
    more = {_about(one): (one.theta, NOT + said) for one, said in sorted(few, key=lambda told: told[0].theta)}
    shares += [one for one in more.values() if 0 < one[0] <= NEARLY_ALL and not what.listed]
    some, none = _shares([*_largest(shares), *missing, *_damage_beside(guards, what.theta)])
    return "; ".join([*told, *some, *every, *none]) + "."


def phrases_of(bound: Sequence[StringClause]) -> list[tuple[StringClause, ...]]:
    """The clauses on values as they are read, the first of them what values are. Each phrase is of one clause, or of
    what values mean, or which they are, and of how these look, the form first.

    >>> from catalog.evidence.clauses.candidate import Candidate
    >>> clauses = [("domain", "date"), ("shape", "0000-00-00"), ("charset", "-0"), ("value", "2024-02-29")]
    >>> [[one.kind for one in found]
    ...  for found in phrases_of([StringClause.of(Candidate(kind, (text,)), 0.02) for kind, text in clauses])]
    [['domain', 'shape', 'charset'], ['value']]
    """
    of_values = [one for one in bound if one.most_missing is None and not one.guards]
    if not of_values:
        return []
    what, rest = of_values[0], [one for one in of_values[1:] if one.theta < HALF]
    look = [one for one in rest if _names(what) and not _names(one) and is_known(one.kind)]
    look.sort(key=lambda one: not one.says_what)
    return [(what, *look), *((one,) for one in rest if one not in look)]


def _names(clause: StringClause) -> bool:
    """Whether a clause says what values mean, or which they are."""
    return clause.kind == DOMAIN or bool(clause.listed)


def shown(clauses: Sequence[StringClause]) -> list[StringClause]:
    """The clauses that bind values and that no other one says already, what says what values are first.

    >>> program = [StringClause("presence", ("given",), 0.02), StringClause("formats", ("<digit>+",)),
    ...            StringClause("value", ("1",), 0.06), StringClause("length_range", ("1", "2"), 0.95)]
    >>> [clause.kind for clause in shown(program)]
    ['value', 'formats', 'presence']
    """
    bound = [one for one in clauses if not one.is_minor]
    rest = [one for one in bound if one.most_missing is not None or one.guards]
    return [*_forms([one for one in bound if one not in rest]), *rest]


def _first(what: StringClause, form: Sequence[StringClause], known: Forms, private: bool, alone: str) -> str:
    """What values are, or most of them, and how those of a meaning are written; of a single value so far no form that
    many may break."""
    said = _what(what, known, private)
    if not is_known(what.kind):
        return said
    written = "".join(_beside(_what(one, known, private), what.theta and not one.theta) for one in form)
    if alone and not what.names:
        return alone if what.theta >= FEWER else f"{alone}: {said}{written}"
    if what.theta >= FEWER:
        return f"{MOST_ARE}{said}{written}"
    return what.says(private=private).replace(what.candidate.said(private=private), said) + written


def _beside(form: str, every: float | bool) -> str:
    """How the values of a meaning are written, behind it; `every`, where that is asked of more than have the meaning.

    >>> [_beside(form, False) for form in ("written 00/00", "two capitals", "capitals, digits", "x" * 50)]
    [' written 00/00', ' in two capitals', ' (capitals, digits)', ' in their usual form']
    >>> [_beside(form, True) for form in ("written 00/00", "two capitals")]
    [', all written 00/00', ', all in two capitals']
    """
    if len(form) > LONGEST_BESIDE and not form.startswith(LIKE):
        form = USUAL_FORM
    elif has_parts(form):
        form = form if every else f"({form})"
    elif not form.startswith((WRITTEN, "in ")):
        form = f"in {form}"
    return f", all {form}" if every else f" {form}"


def _otherwise(
    form: StringClause, beside: Sequence[StringClause], known: Forms, private: bool
) -> tuple[float, str]:  # fmt: skip
    """How many values may be written otherwise than those of a meaning are."""
    is_written = _what(form, known, private).startswith(WRITTEN)
    return max(one.theta for one in beside), f"{WRITTEN}otherwise" if is_written else ANOTHER_FORM


def _about(clause: StringClause) -> str:
    """What a clause is about, beside what values are: their form, their characters or how long they are."""
    return clause.candidate.unusual if is_known(clause.kind) else clause.kind


def _is_any_text(clause: StringClause) -> bool:
    """Whether a form, or one of those of a clause, is any text of letters: beside what values mean it says nothing.

    >>> from catalog.evidence.clauses.candidate import Candidate
    >>> [_is_any_text(StringClause.of(Candidate(kind, (text,)), 0.0)) for kind, text in (("words", "a"), ("runs", "A"))]
    [True, False]
    """
    if not clause.says_what or clause.listed or clause.kind == DOMAIN:
        return False
    return any(Candidate(clause.kind, (one,)).said(private=True) in ANY_TEXT for one in clause.accepted)


def _largest(shares: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """Of shares that are said in the same words the largest.

    >>> _largest([(0.02, "others"), (0.0, "of unusual length"), (0.01, "of unusual length")])
    [(0.02, 'others'), (0.01, 'of unusual length')]
    """
    most: dict[str, float] = {}
    for theta, what in shares:
        most[what] = max(theta, most.get(what, theta))
    return [(theta, what) for what, theta in most.items()]


def _what(clause: StringClause, known: Forms, private: bool) -> str:
    """What values that conform are, known forms with values of them."""
    if not is_known(clause.kind):
        return clause.sentence(private=private)
    return in_words(clause.candidate.said(private=private), len(clause.accepted), known.get(clause.key, ()))


def _quoted(only: str | None) -> str:
    return "" if only is None else f", {quoted(only)}"


def _forms(clauses: Sequence[StringClause]) -> list[StringClause]:
    """What says what values are, as it is read: what they mean, which they are, how they are written; then the rest.
    Beside what nearly all of them mean, how they are written is read where all or more of them are written so.

    >>> from catalog.evidence.clauses.candidate import Candidate
    >>> dates, written = Candidate("domain", ("date",)), Candidate("shape", ("0000-00-00",))
    >>> [[one.kind for one in _forms([StringClause.of(dates, 0.02), StringClause.of(written, theta)])]
    ...  for theta in (0.0, 0.01, 0.02)]
    [['domain', 'shape'], ['domain', 'shape'], ['domain']]
    """
    listed = [one for one in clauses if one.listed and one.theta < FEWER]
    order = sorted(clauses, key=lambda c: (c.kind != DOMAIN, c not in listed, not c.says_what, c.theta))
    meanings = sorted((c for c in order if c.kind == DOMAIN), key=lambda c: (c.theta, c.risk_stated))
    bound = max((c.theta for c in meanings[:1] if c.theta <= NEARLY_ALL), default=1.0)
    beside = [one for one in order if one.theta < bound or not one.theta or (one.listed and one.theta <= bound)]
    return needed([*meanings[:1], *(one for one in beside if one not in meanings)])


def _loosely(clauses: Sequence[StringClause], known: Forms, private: bool) -> list[str]:
    """What some values are by the clause that binds the most of them, where each may be broken by more than half and
    nothing else is asked."""
    loose = [c for c in clauses if c.is_minor and is_known(c.kind) and not c.guards and not c.of_missing]
    best = sorted(loose, key=lambda c: (c.theta, c.kind != DOMAIN, c.kind != "value", not c.says_what))[:1]
    return [f"some values are still {_what(one, known, private)}" for one in best]


def _damage_beside(guards: Sequence[StringClause], others: float) -> list[tuple[float, str]]:
    """How many rows may be damaged, where that is less than may be `others`: in one word where more is asked than
    whether values are usual ones gone wrong."""
    most = max((one.theta for one in guards), default=others)
    if most >= others or most > DAMAGE_SAID:
        return []
    if any(one.kind in BROAD for one in guards):
        return [(most, DAMAGED)]
    return [(most, what) for what in dict.fromkeys(map(_wrong, guards))]


def _damaged(guards: Sequence[StringClause]) -> list[tuple[float, str]]:
    """How many rows may be damaged, where nothing says what values are: in one word where more is asked than whether
    values are usual ones gone wrong, but for the one kind that more may be; nothing where more of several may be than
    are said."""
    broadly = any(one.kind in BROAD and one.theta <= DAMAGE_SAID for one in guards)
    guards = [one for one in guards if one.theta < HALF] or guards
    named = list(dict.fromkeys((one.theta, _wrong(one)) for one in guards))
    some = [one for one in named if one[0]]
    if more := [what for theta, what in named if theta > DAMAGE_SAID]:
        return [(0.0, f"{OTHER_THAN}{more[0]}")] if broadly and len(named) - len(some) and len(some) == 1 else []
    if not broadly:
        return named
    if not some or len({one.theta for one in guards}) == 1 or len(some) > 1:
        return [(max(one.theta for one in guards), DAMAGED)]
    return [*some, (0.0, OTHERWISE)]


def _wrong(guard: StringClause) -> str:
    """What went wrong with values, to stand in a list."""
    return guard.broken().removeprefix(LIKE_USUAL).removeprefix(OF_USUAL).replace(EXCHANGED, IN_A_WORD)


def _shares(shares: Sequence[tuple[float, str]]) -> tuple[list[str], list[str]]:
    """How many rows may be what, and what none is.

    >>> _shares([(0.0, "missing"), (0.0, "damaged")]), _shares([(0.06, "not a number, “%”"), (0.002, "missing")])
    (([], ['none missing or damaged']), (['at most 6% not (a number, “%”), 0.2% missing'], []))
    """
    some = [f"{percent(theta)} {_in_one(what)}" for theta, what in shares if theta]
    none = [part for theta, what in shares if not theta for part in what.split(" or ")]
    last = f"{', '.join(none[:-1])} or {none[-1]}" if len(none) > 1 else "".join(none)
    said = "no other damage" if none == [OTHERWISE] else f"none {last}"
    return [f"at most {', '.join(some)}"] if some else [], [said] if none else []


def _in_one(what: str) -> str:
    """What rows are, to stand in a list: of several parts in brackets."""
    form = what.removeprefix(NOT)
    of_parts = form != what and (", " in form or " or " in form) and not form.startswith("(")
    return f"{NOT}({form})" if of_parts else what
