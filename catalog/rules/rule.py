"""What may be demanded of a column or a table, and the registry of its kinds.

A rule is immutable: a change makes a new revision. Everything in it survives JSON unchanged, so that the same rule
judges the same state the same way years later.

Each kind of rule is a class that judges, describes, hides values, compares and tells what it needs; as ``pathlib.Path``
does, ``Rule(kind, ...)`` makes the class registered for that kind. `catalog.rules.registry` lists those of the product.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cached_property
from importlib import import_module
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from catalog.rules.clauses.clause import CHANGES, Clause, Difference
from catalog.rules.registry import PLACES
from catalog.rules.verdict import NOT_APPLICABLE, Needs, Subject, Verdict, Wait

if TYPE_CHECKING:
    from catalog.measures.part import Part
    from catalog.states.table import TableState

SCOPES = ("batch", "table")
RULE_LEVELS = ("error", "warning")
#: Name in a rule's evidence of its clauses as they were learned, before any decision.
LEARNED = "learned"
#: How learners of declared checks are named: the rest is the check's own name, which is its identity over revisions.
DECLARED = "declared:"

_KINDS: dict[str, type[Rule]] = {}
R = TypeVar("R", bound="type[Rule]")


@dataclass(frozen=True)
class Rule:
    """One demand.

    Parameters
    ----------
    kind : one of `meanings()`.
    column : dotted leaf name (``a.b``), or None for a demand on the whole table.
    params : what judging needs, as JSON data.
    fpr : stated false-alarm rate: the chance that a healthy version breaks this rule so that it may alarm, 0..1; None
        for a rule that a person put, which states none and is held to none.
    sentence : the demand in words.
    learner : who proposed it (``strings``, ``avh``, ``person`` ...).
    evidence : why, as JSON data; never needed for judging.
    level : ``error`` or ``warning``.
    scope : ``batch``, the rows a version brought, or ``table``, all rows as they stand after it.
    where : condition on the rows that are judged, as SQL; None for all.
    hint : what to do when it breaks, as its author says.
    other : a second table that judging needs, as ``source/name``.

    Class attributes: `meanings` says of each kind of the class what it demands, and kinds of one class on one column
    are one rule over its revisions; `clause_type` reads its clauses, if it has any; `of_series` compares a batch with
    earlier ones; `of_values` puts a batch under suspicion when it breaks; `of_waits` judges waits between versions and
    no batch; `of_tables` is judged beside another table when both were taken in, and says nothing of a batch alone;
    `of_parts` may ask for `parts`; `of_schema` is asked of versions that change no data too; `across_loads` compares a
    load with earlier ones; `of_all_rows` says nothing of a part of a batch; `graded` says how improbable what it found
    is, by which it may be held back; `kept_level` is told however often its alarms were false: only a person demotes
    it.

    >>> rule = Rule("schema", None, {"columns": [["id", "long"]]}, 0.0001, "Columns stay.", "schema")
    >>> Rule.from_json(rule.to_json()) == rule
    True
    >>> rule.fingerprint == replace(rule, evidence={"versions": 3}).fingerprint
    True
    """

    kind: str
    column: str | None
    params: dict[str, Any]
    fpr: float | None
    sentence: str
    learner: str
    evidence: dict[str, Any] = field(default_factory=dict)
    level: str = "error"
    scope: str = "batch"
    where: str | None = None
    hint: str | None = None
    other: str | None = None

    meanings: ClassVar[Mapping[str, str]] = {}
    clause_type: ClassVar[type[Clause] | None] = None
    of_series: ClassVar[bool] = False
    of_values: ClassVar[bool] = False
    of_waits: ClassVar[bool] = False
    of_tables: ClassVar[bool] = False
    of_parts: ClassVar[bool] = False
    of_schema: ClassVar[bool] = False
    across_loads: ClassVar[bool] = False
    graded: ClassVar[bool] = False
    of_all_rows: ClassVar[bool] = False
    kept_level: ClassVar[bool] = False

    def __new__(cls, kind: str = "", *args: Any, **kwargs: Any) -> Rule:
        return object.__new__(class_of(kind) if cls is Rule and kind else cls)

    def __post_init__(self) -> None:
        if self.kind not in self.meanings:
            raise ValueError(f"rule kind {self.kind!r} is none of {sorted(self.meanings)}")
        if self.fpr is not None and not 0 <= self.fpr <= 1:
            raise ValueError(f"stated false-alarm rate {self.fpr!r} is not in 0..1")
        if self.scope not in SCOPES:
            raise ValueError(f"scope {self.scope!r} of a rule is none of {SCOPES}")
        if self.level not in RULE_LEVELS:
            raise ValueError(f"level {self.level!r} of a rule is none of {RULE_LEVELS}")

    # ------------------------------------------------------------------------------------------ as data

    @property
    def fingerprint(self) -> str:
        """SHA-256 (first 16 hex digits) of what judging depends on: kind, column, params, level and, where they are
        set, scope, condition and second table."""
        parts: list[Any] = [self.kind, self.column, self.params, self.level]
        more = {name: getattr(self, name) for name in ("scope", "where", "other") if not _is_default(self, name)}
        text = json.dumps([*parts, more] if more else parts, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def to_json(self) -> dict[str, Any]:
        """The rule as stored: fields that later releases added are left out where they say nothing."""
        return {
            one.name: getattr(self, one.name)
            for one in fields(self)
            if one.name not in _LATER or not _is_default(self, one.name)
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Rule:
        return Rule(**data)

    @property
    def identity(self) -> tuple[str, str, str]:
        """What stays the same over all revisions: (first kind of the class, column, learner)."""
        return family(self.kind)[0], self.column or "", self.learner

    # ------------------------------------------------------------------------------------------ judging

    @property
    def needs(self) -> Needs:
        """What judging needs beside the state of the batch."""
        return Needs(series=self.of_series, whole=self.scope == "table", others=(self.other,) if self.other else ())

    @property
    def parts(self) -> tuple[Part, ...]:
        """What has to be counted of the rows of its scope beside their state."""
        return ()

    def judge(self, batch: Subject) -> Verdict:
        """What the rule says of a batch: a function of the rule, the batch's state and its history, so that judged
        again from the same it is the same. A rule `of_waits` says nothing of a batch."""
        if self.of_series and batch.kind == "rewrite":
            return self._of_rewrite(batch)
        if self.other and self.other not in batch.others:
            return Verdict(NOT_APPLICABLE, f"Table {self.other!r} is not known here.")
        rows = batch.state if self.scope == "batch" else batch.whole
        if rows is None:
            return Verdict(NOT_APPLICABLE, "The table as it stands is not known for this version.")
        if self.column is not None and not rows.rows and not rows.columns:
            return Verdict(NOT_APPLICABLE, "This version has no rows.")
        if self.column is not None and self.column not in rows.columns:
            return Verdict(NOT_APPLICABLE, f"Column {self.column!r} is not in this version.")
        if self.column is not None and rows.rows == 0:
            return Verdict(NOT_APPLICABLE, "The batch has no rows.")
        return self._judge(batch, rows)

    def _judge(self, batch: Subject, rows: TableState) -> Verdict:
        raise NotImplementedError

    def _of_rewrite(self, batch: Subject) -> Verdict:
        """What a rule `of_series` says of rows that were rewritten in a table of increments."""
        said = "The version rewrote rows that were there; its past batches are new rows."
        return Verdict(NOT_APPLICABLE, said)

    @property
    def of_new_days(self) -> bool:
        """Of a rule `of_waits`, whether only versions count that bring a partition of a new day."""
        return False

    def judge_wait(self, wait: Wait) -> Verdict | None:
        """What a rule `of_waits` says of a wait between two versions, None while it is too early to say."""
        return None

    @property
    def metrics(self) -> tuple[str, ...]:
        """Metrics that the rule compares with those of earlier batches, to be drawn with their `bands`."""
        return ()

    def bands(
        self, values: Mapping[str, float], earlier: Sequence[Mapping[str, float]]
    ) -> dict[str, tuple[float, float]]:
        """From where to where each of `metrics` may be in a batch of these values after the `earlier` ones."""
        return {}

    def fired(self, verdict: Verdict) -> set[str]:
        """Names of what broke, of a violated verdict: the clauses, where the rule tells them apart."""
        return {self.kind}

    @classmethod
    def continues(cls, before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
        """Whether a violation goes on with what an earlier one of the same rule saw, and nothing worse: one change that
        stays, however many versions it is seen in. Given is what outcomes keep: `observed` and `expected`."""
        return False

    @classmethod
    def stays(cls, accepted: Mapping[str, float], now: Mapping[str, Any]) -> bool:
        """Whether a violation is of a state that people called right: of a batch with the metrics `accepted`."""
        return False

    # ------------------------------------------------------------------------------------------ clauses

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """The clauses in force; none for a rule that is one demand."""
        return self.read_clauses(self.params.get("clauses"))

    @property
    def learned(self) -> tuple[Clause, ...]:
        """The clauses as they were learned, before any decision."""
        return self.read_clauses(self.evidence.get(LEARNED)) or self.clauses

    def read_clauses(self, data: Iterable[Mapping[str, Any]] | None) -> tuple[Clause, ...]:
        if self.clause_type is None:
            return ()
        return tuple(self.clause_type.from_json(one) for one in data or ())

    def with_clauses(self, clauses: Sequence[Clause]) -> Rule:
        """The rule with other clauses: its sentence is theirs, its stated rate stays."""
        raise NotImplementedError

    def words_of(self, clause: Clause, *, private: bool = False) -> str:
        """A clause of the rule in words and round figures; of a sensitive column (`private`) without values."""
        return clause.brief(private=private)

    def compare(self, old: Rule, *, private: bool = False) -> list[Difference]:
        """What became of each clause of an older revision, changes first.

        Parameters
        ----------
        private : leave the column's values out of the words.
        """
        pairs: dict[str, list[list[Clause]]] = defaultdict(lambda: [[], []])
        for side, rule in enumerate((old, self)):
            for clause in rule.clauses:
                pairs[clause.key][side].append(clause)
        found = []
        for name, (before, after) in pairs.items():
            for a, b in zip_longest(before, after):
                words = [None if c is None else c.sentence(private=private) for c in (a, b)]
                change = "added" if a is None else "dropped" if b is None else b.change(a)
                found.append(Difference(name, change, *words))
        return ordered(found)

    # ------------------------------------------------------------------------------------------ privacy

    @property
    def tells_values(self) -> bool:
        """Whether what is said by the rule may hold values of its column."""
        return any(clause.tells for clause in self.clauses)

    @property
    def most_missing(self) -> float | None:
        """The share of its column's values that may be missing by it; None of a rule that says nothing of it."""
        return min((c.most_missing for c in self.clauses if c.most_missing is not None), default=None)

    def said(self, *, private: bool = False, most_missing: float | None = None) -> str:
        """The demand in words; of a sensitive column (`private`) without values. How much may be missing is left out
        where another rule of the column lets less of it pass (`most_missing`)."""
        return self._private_sentence() if private and self.tells_values else self.sentence

    def _private_sentence(self) -> str:
        return self.sentence

    def private(self) -> Rule:
        """The rule, judging as before, with words that tell no value: what its verdicts say follows from them."""
        return replace(self, sentence=self.said(private=True))

    def hide(self, verdict: Verdict) -> Verdict:
        """A verdict of the `private` rule without values of its column: that it broke, and by how many rows.

        How offending rows are found is left out where that lists values: find them first."""
        return verdict

    def hide_text(self, sentence: str) -> str:
        """What a verdict said, without values; for one of which only the sentence is left."""
        return sentence

    def retold(self) -> list[tuple[str, str]]:
        """Words of clauses that tell values, each with what is said instead."""
        return []

    def shown_params(self, *, private: bool = False) -> dict[str, Any]:
        """`params` as they may be shown; without values they judge no more."""
        return self._shown(self.params, "clauses") if private else dict(self.params)

    def shown_evidence(self, *, private: bool = False) -> dict[str, Any]:
        """`evidence` as it may be shown."""
        return self._shown(self.evidence, LEARNED) if private else dict(self.evidence)

    def _shown(self, data: Mapping[str, Any], clauses: str) -> dict[str, Any]:
        hidden = [one.hidden() for one in self.read_clauses(data.get(clauses))]
        return {**data, clauses: hidden} if hidden else dict(data)


def is_looser(most: float | None, other: float | None) -> bool:
    """Whether a demand lets more pass than another one of the same; demands of other things never do.

    >>> is_looser(0.5, 0.02), is_looser(0.0, 0.02), is_looser(0.5, None), is_looser(None, 0.02)
    (True, False, False, False)
    """
    return most is not None and other is not None and most > other


_LATER = ("scope", "where", "hint", "other")


def _is_default(rule: Rule, name: str) -> bool:
    one = next(one for one in fields(rule) if one.name == name)
    return one.default is not MISSING and getattr(rule, name) == one.default


def ordered(found: Iterable[Difference]) -> list[Difference]:
    """Changes first, those that are the same last."""
    return sorted(found, key=lambda one: CHANGES.index(one.change))


# ---------------------------------------------------------------------------------------------- the registry


def register(cls: R) -> R:
    """Make a class that of the kinds it has `meanings` of."""
    for kind in cls.meanings:
        _KINDS[kind] = cls
    return cls


def class_of(kind: str) -> type[Rule]:
    """The class of a kind. Raises `ValueError` for one that this release does not know."""
    if kind not in _KINDS:
        if kind not in PLACES:
            raise ValueError(f"rule kind {kind!r} is none of {sorted({*PLACES, *_KINDS})}")
        module, _, name = PLACES[kind].partition(":")
        register(getattr(import_module(module), name))
    return _KINDS[kind]


def kinds() -> tuple[str, ...]:
    """Every kind; those that tell most of values first."""
    return tuple(dict.fromkeys([*PLACES, *_KINDS]))


def meanings() -> dict[str, str]:
    """Every kind with what it demands, in words."""
    return {kind: class_of(kind).meanings[kind] for kind in kinds()}


def kinds_where(attribute: str) -> tuple[str, ...]:
    """The kinds of which a class attribute holds.

    >>> kinds_where("of_series"), kinds_where("of_waits")
    (('history', 'volume'), ('freshness', 'declared_wait'))
    """
    return tuple(kind for kind in kinds() if getattr(class_of(kind), attribute))


def family(kind: str) -> tuple[str, ...]:
    """The kinds that are one rule over its revisions; of an unknown kind itself. Loads no class.

    >>> family("vocabulary"), family("schema")
    (('pattern', 'vocabulary'), ('schema',))
    """
    if kind in PLACES:
        return tuple(one for one, place in PLACES.items() if place == PLACES[kind])
    return tuple(_KINDS[kind].meanings) if kind in _KINDS else (kind,)
