"""Contracts of other tools taken in as declared checks. Never commits.

A contract is known by its tool and the name of its file. Imported again it changes nothing. What it demands otherwise
since is changed here too, unless a person changed or retired the check meanwhile: that stays, and is told. What it no
longer demands stays, as does what another contract brought.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count

from sqlmodel import Session, col, select

from catalog.declared.check import Check
from catalog.declared.constraint import Constraint
from catalog.errors import Held, UsageError
from catalog.rules.exchange.demands import Asked
from catalog.rules.rule import DECLARED
from catalog.store.expectations import declared
from catalog.store.expectations.declared import IMPORTED
from catalog.store.lake import tables
from catalog.store.models import RuleRow, Table

ADDED, CHANGED, SAME, KEPT, SKIPPED = "added", "changed", "same", "kept", "skipped"
_AGAIN = "import with --replace to take the contract's"


@dataclass(frozen=True)
class Taken:
    """What became of one demand of a contract.

    Parameters
    ----------
    place : where it stands in the contract. table : of the catalog, or as the contract names it.
    what : ``added``, ``changed``, ``same``, ``kept`` (a person changed it since) or ``skipped``.
    check, sentence : the check's name, and what it demands. reason : why it was kept or skipped.
    note : how the other tool judges otherwise.
    """

    place: str
    table: str
    what: str
    check: str = ""
    sentence: str = ""
    reason: str = ""
    note: str = ""


@dataclass
class _Plan:
    """What one table is to be held to.

    Parameters
    ----------
    origin : tool and file: the contract. listed : its checks by name, as they will be. rows : those that stand.
    ever : by the fingerprint of a check that the contract brought once, its name. mine : names that this contract has
    given already. origins : of what it brings, by name.
    """

    table: Table
    name: str
    origin: dict[str, str]
    rows: dict[str, RuleRow]
    listed: dict[str, Constraint]
    ever: dict[str, str]
    mine: set[str] = field(default_factory=set)
    origins: dict[str, dict[str, str]] = field(default_factory=dict)

    def is_of_contract(self, name: str) -> bool:
        """Whether a check that stands under a name is one that the contract brought, as it came or changed since."""
        origin = (self.rows[name].body.get("evidence") or {}).get(IMPORTED)
        return origin == self.origin or (origin is None and name in self.ever.values())


def take(
    session: Session,
    asked: Sequence[Asked],
    *,
    form: str,
    file: str,
    chosen: Mapping[str, str],
    actor: str,
    replacing: bool = False,
    draft: bool = False,
) -> list[Taken]:
    """Take the demands of a contract in. What became of each check, in the order of the contract.

    Parameters
    ----------
    form, file : the tool, and where it came from, for people.
    chosen : which table of the catalog is meant, by the name in the contract; by "" where the contract has one table,
        or where of several only that one is wanted.
    replacing : take what the contract says where a person changed it since, too.
    draft : what is new judges nothing until somebody approves it, and nothing that judges is changed.

    Raises `NotFound` for a chosen table that is not there, `Held` where a second person is needed.
    """
    places = _places(session, {one.table for one in asked}, chosen)
    origin = {"format": form, "file": file[:200]}
    plans = {
        table.id: _plan(session, table, origin)
        for table in places.values()
        if isinstance(table, Table) and any(places[one.table] is table for one in asked)
    }
    found: list[tuple[Asked, _Plan | None, Constraint | None, str]] = []
    for one in asked:
        table = places[one.table]
        plan = None if isinstance(table, str) else plans[table.id]
        if plan is None or one.why:
            found.append((one, plan, None, one.why or str(table)))
            continue
        found += [(one, plan, *_fitted(session, plan, check)) for check in one.checks]
    done: list[Taken] = []
    for one, plan, check, why in found:
        if plan is None or check is None or why:
            name, words = plan.name if plan is not None else one.table, check.sentence[:500] if check else ""
            done.append(Taken(one.place, name, SKIPPED, sentence=words, reason=why))
            continue
        told = _decide(plan, check, replacing=replacing, draft=draft)
        done.append(replace(told, place=one.place, note=one.note))
    _put(session, plans.values(), actor, draft)
    return done


def _fitted(session: Session, plan: _Plan, check: Constraint) -> tuple[Constraint, str]:
    """A check as its table takes it, and why it does not. A name that is taken by the same demand is no other's."""
    try:
        check = declared.fit_table(session, plan.table, check)
    except UsageError as error:
        return check, str(error).removeprefix(f"{check.name}: ")
    plan.mine |= {name for name, one in plan.listed.items() if one.fingerprint == check.fingerprint}
    return check, ""


def _places(session: Session, names: Iterable[str], chosen: Mapping[str, str]) -> dict[str, Table | str]:
    """By the contract's names the tables of the catalog, or why there is none."""
    wanted = {name: tables.get_table(session, ref) for name, ref in chosen.items()}
    named = {name for name in names if name}
    unknown = [name for name in wanted if name and name not in named]
    if unknown:
        raise UsageError(
            f"the contract has no table {unknown[0][:80]!r}", remedy=f"it has {', '.join(sorted(named)[:9]) or 'none'}"
        )
    found: dict[str, Table | str] = {}
    for name in names:
        if name in wanted:
            found[name] = wanted[name]
        elif "" in wanted:
            alone = len(named - wanted.keys()) <= 1 or not name
            found[name] = wanted[""] if alone or _is(session, name, wanted[""]) else "it is of another table"
        else:
            found[name] = _named(session, name)
    return found


def _is(session: Session, name: str, table: Table) -> bool:
    found = _named(session, name)
    return isinstance(found, Table) and found.id == table.id


def _named(session: Session, name: str) -> Table | str:
    if not name:
        return "the file does not say of which table it is: say it with --table"
    why = ""
    for ref in dict.fromkeys((name, name.rpartition(".")[2], name.replace(".", "/", 1))):
        try:
            if not ref.isdecimal():  # which would be an id
                return tables.get_table(session, ref)
        except UsageError as error:
            why = why or error.cause
    return f"{why or f'there is no table {name[:80]!r}'}: crawl it first, or say with --table which is meant"


def _plan(session: Session, table: Table, origin: dict[str, str]) -> _Plan:
    standing = declared.checks_of(session, table.id or 0)
    query = select(RuleRow).where(RuleRow.table_id == table.id, col(RuleRow.learner).startswith(DECLARED))
    past = declared.declared_rows(session.exec(query.order_by(col(RuleRow.id))))
    brought = [rule.constraint for _, rule in past if rule.evidence.get(IMPORTED) == origin]
    ever = {one.fingerprint: one.name for one in brought}
    rows = {rule.constraint.name: row for row, rule in standing}
    listed = {rule.constraint.name: rule.constraint for _, rule in standing}
    return _Plan(table, tables.full_name(session, table.id or 0), origin, rows, listed, ever)


def _decide(plan: _Plan, check: Constraint, *, replacing: bool, draft: bool) -> Taken:
    """What becomes of a check on its table; `plan` is brought up to date."""

    def told(what: str, name: str, reason: str = "") -> Taken:
        return Taken("", plan.name, what, name, check.sentence[:500], reason)

    same = next((name for name, one in plan.listed.items() if one.fingerprint == check.fingerprint), None)
    if same is not None:
        row = plan.rows.get(same)
        rests = row is not None and row.status in ("paused", "rejected")
        return told(SAME, same, f"it is {row.status} here" if row is not None and rests else "")
    name = _name(plan, check)
    row = plan.rows.get(name)
    once = plan.ever.get(check.fingerprint)
    if not replacing and row is not None and IMPORTED not in row.body["evidence"]:
        return told(KEPT, name, f"somebody changed it here since it was imported: {_AGAIN}")
    if not replacing and row is None and once is not None and once not in plan.listed:
        return told(KEPT, once, f"somebody retired it here since it was imported: {_AGAIN}")
    if row is not None and draft and row.status != "draft":
        return told(SKIPPED, name, "somebody who may decide on rules has to change it")
    plan.listed[name] = replace(check, name=name)
    plan.origins[name] = plan.origin
    plan.mine.add(name)
    return told(ADDED if row is None else CHANGED, name)


def _name(plan: _Plan, check: Constraint) -> str:
    """The name of a check: that under which the contract brought it, else its own; with a number where another demand
    of the contract, or a check that it did not bring, has that."""
    first = plan.ever.get(check.fingerprint, check.name)
    numbered = (f"{check.name}_{number}" for number in count(2))
    names = chain((first, check.name), numbered)
    return next(one for one in names if one not in plan.mine and (one not in plan.rows or plan.is_of_contract(one)))


def _put(session: Session, plans: Iterable[_Plan], actor: str, draft: bool) -> None:
    held: list[Held] = []
    for plan in plans:
        if not plan.origins:
            continue
        check = Check(plan.table.name, tuple(plan.listed.values()))
        try:
            declared.declare(session, plan.table, check, actor, alone=draft, origins=plan.origins)
        except Held as error:
            held.append(error)
            continue
        for row, rule in declared.checks_of(session, plan.table.id or 0) if draft else ():
            if rule.constraint.name in plan.origins:
                row.status, row.actor = "draft", actor
        session.flush()
    if held:
        raise held[0] if len(held) == 1 else Held(f"checks of {len(held)} tables wait for a second person")
