"""What a rule on strings says: one sentence of its clauses, each as strict as it is judged.

A clause that more than half of the rows may break is no demand that a person signs: it stands with the clauses, and in
the sentence only where nothing else says what values are. Nor is said again what another clause says already.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from catalog.evidence.clauses.candidate import (
    DAMAGED,
    FEWER,
    MISSING,
    NOT,
    OTHERS,
    is_known,
    percent,
    tolerating,
)
from catalog.rules.clauses.forms import in_words, quoted
from catalog.rules.clauses.implied import needed
from catalog.rules.clauses.strings import NEARLY_ALL, StringClause

Forms = Mapping[str, Sequence[Sequence[str]]]  # the known forms of clauses by their keys
OTHERWISE = f"{DAMAGED} otherwise"
UNSAID = ("ends",)  # kinds that judge in rules learned earlier, and are not read where another clause can be
#: In the words of what went wrong with values; needless where it is said what did.
LIKE_USUAL, OF_USUAL = "like usual ones, ", "of the usual form "
EXCHANGED, IN_A_WORD = "with characters exchanged", "transposed"
BROAD = ("clean", "trimmed")  # kinds of guards that compare with no usual value
DOMAIN = "domain"  # the kind of which one is said: what is a telephone number is no address


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
    'values are dates; at most 6% others, 1% not (a number, “/”, a number).'
    >>> clean, cut = StringClause.of(Candidate("clean", ("padded",)), 0.0), Candidate("truncated", ("cut",))
    >>> said_of([clean, StringClause.of(Candidate("shape", ("A0",)), 0.8)])
    'none damaged; at least 20% are one capital, one digit.'
    >>> said_of([clean, StringClause.of(cut, 0.06), StringClause.of(Candidate("shape", ("A0",)), 0.0)])
    'every value is one capital, one digit; at most 6% cut short; no other damage.'
    >>> said_of([StringClause.of(cut, 0.0), StringClause.of(Candidate("shape", ("A0",)), 0.0), presence])
    'every value is one capital, one digit; at most 2% missing; none cut short.'
    >>> said_of([StringClause.of(Candidate("clean", ("padded",)), 0.02), presence])
    'at most 2% missing, 2% damaged.'
    >>> all_dates, dotted = (Candidate(*one) for one in (("domain", ("date",)), ("shape", ("00.00.00",))))
    >>> said_of([StringClause.of(one, 0.0) for one in (all_dates, dotted)])
    'all values are dates; all are written 00.00.00.'
    >>> capitals = StringClause.of(Candidate("runs", ("A",)), 0.01)
    >>> said_of([capitals], alone=True, only="AB"), said_of([dates, presence], alone=True)
    ('one value so far, “AB”: capitals; at most 1% others.', 'values are dates; at most 6% others, 2% missing.')
    """
    clauses = [one for one in clauses if one.kind not in UNSAID] or list(clauses)
    bound, known = shown(clauses), {} if private else forms or {}
    given = [one for one in bound if one.most_missing is not None]
    guards = [one for one in bound if one.guards]
    of_values = [one for one in bound if one not in given and not one.guards]
    told, shares = [], []
    for one in of_values[:1]:
        told.append(_first(one, known, private, f"one value so far{_quoted(only)}: " if alone else ""))
        shares += [(one.theta, OTHERS)] if 0 < one.theta < FEWER else []
    others = of_values[1:]
    shares += [(one.theta, one.breach(private=private)) for one in others if one.theta]
    some, none = _shares([*shares, *((one.theta, MISSING) for one in given), *_damaged(guards)])
    every = [f"all are {_what(one, known, private)}" for one in others if not one.theta]
    told += [*some, *every, *none, *([] if of_values else _loosely(clauses, known, private))]
    return "; ".join(told or [one.sentence(private=private) for one in clauses[:1]]) + "."


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


def _first(what: StringClause, known: Forms, private: bool, alone: str) -> str:
    """What values are, and, where others are more than a few, how many are so at least."""
    said = _what(what, known, private)
    if not is_known(what.kind):
        return said
    if alone and not what.names:
        told = alone + said
    else:
        told = what.says(private=private).replace(what.candidate.said(private=private), said)
    return told + (tolerating(what.theta) if what.theta >= FEWER else "")


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
    order = sorted(clauses, key=lambda c: (c.kind != DOMAIN, c.kind != "value", not c.says_what, c.theta))
    meanings = sorted((c for c in order if c.kind == DOMAIN), key=lambda c: (c.theta, c.risk_stated))
    bound = max((c.theta for c in meanings[:1] if c.theta <= NEARLY_ALL), default=1.0)
    beside = [one for one in order if one.theta < bound or not one.theta or (one.listed and one.theta <= bound)]
    return needed([*meanings[:1], *(one for one in beside if one not in meanings)])


def _loosely(clauses: Sequence[StringClause], known: Forms, private: bool) -> list[str]:
    """What values are by the clause that binds the most of them, where each may be broken by more than half."""
    loose = [c for c in clauses if c.is_minor and is_known(c.kind) and not c.guards and not c.of_missing]
    best = sorted(loose, key=lambda c: (c.theta, c.kind != DOMAIN, c.kind != "value", not c.says_what))[:1]
    least = [(percent(round(1 - one.theta, 6)), _what(one, known, private)) for one in best]
    return [f"at least {share} are {what}" for share, what in least]


def _damaged(guards: Sequence[StringClause]) -> list[tuple[float, str]]:
    """How many rows may be damaged: in one word where all kinds of damage are tolerated alike and more is asked than
    whether values are usual ones gone wrong; of several kinds with shares of their own the largest. Which kind may be
    how often is read with the clauses."""
    shares, broadly = {one.theta for one in guards}, any(one.kind in BROAD for one in guards)
    if len(shares) == 1 and broadly:
        return [(theta, DAMAGED) for theta in shares]
    wrong = [(one.theta, _wrong(one)) for one in guards]
    named = sorted(dict.fromkeys(wrong), key=lambda one: ", " in one[1])  # what is itself a list comes last
    some = [one for one in named if one[0]]
    if len(some) > 1 and broadly:
        return [(max(shares), f"{DAMAGED} (less of most kinds)")]
    if len(some) > 1:
        kinds = f"{', '.join(what for _, what in some[:-1])} or {some[-1][1]}"
        less = " (less of some)" if len({theta for theta, _ in some}) > 1 else ""
        return [(max(shares), f"{kinds}{less}"), *(one for one in named if not one[0])]
    if not broadly:
        return named
    return [*some, *([(0.0, OTHERWISE)] if 0.0 in shares else [])]


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
