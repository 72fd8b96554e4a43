"""Rules on strings: a column keeps to a program of clauses, or to a vocabulary."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from catalog.evidence.calibrated.calibration import limits
from catalog.evidence.calibrated.replay import replay_of
from catalog.evidence.calibrated.risk import TOLERANCES
from catalog.evidence.calibrated.trials import OF_SNAPSHOTS, Trial, trials_of
from catalog.evidence.clauses.candidate import ROOM, tolerated
from catalog.evidence.clauses.candidates import grown
from catalog.evidence.pattern_index.views import Profile, profile
from catalog.patterns.align import align_classes
from catalog.patterns.describe import describe, loosely
from catalog.rules.clauses.clause import Clause
from catalog.rules.clauses.forms import in_words
from catalog.rules.clauses.sentences import said_of
from catalog.rules.clauses.strings import ClauseVerdict, StringClause, kind_of
from catalog.rules.rule import Rule, is_looser
from catalog.rules.verdict import NOT_APPLICABLE, PASSED, VIOLATED, Subject, Verdict
from catalog.states.table import TableState
from catalog.wording import counted, do

FORMS = "forms"  # in the evidence: the known forms of clauses that count them
UNPROVEN = "unproven"  # in what was observed: it breaks what one version taught, and another may
NEARLY = 0.9  # chosen: clauses broken by so many of the rows that most break are broken alike
SIGMAS = 3.0  # chosen: standard errors by which a share of rows may be larger and be the same change


class StringsRule(Rule):
    """A program of clauses on the strings of a column, which is a vocabulary where it lists values only.

    ``params``: ``{"clauses": [...], "rows": learned from, "alone": where one value filled them, "untried": where a
    single version did}``.
    """

    meanings: ClassVar[Mapping[str, str]] = {
        "pattern": "the texts of a column look as they did, or mean what they did",
        "vocabulary": "the texts of a column are those of a list",
    }
    clause_type = StringClause
    of_values = True
    graded = True

    @property
    def program(self) -> tuple[StringClause, ...]:
        """Its clauses."""
        return tuple(clause for clause in self.clauses if isinstance(clause, StringClause))

    def _judge(self, batch: Subject, rows: TableState) -> Verdict:
        state = rows.columns[self.column or ""]
        seen = profile(state)
        if seen is None:
            return Verdict(NOT_APPLICABLE, f"Column {self.column!r} is not of strings but of {state.type}.")
        verdict = self.judge_profile(seen, self._before(batch))
        if verdict.status != VIOLATED or not self.graded:
            return verdict
        return replace(verdict, observed={**verdict.observed, "trial": self._trial(batch, seen).to_json()})

    def _before(self, batch: Subject) -> Profile | None:
        """The healthy batch before."""
        state = batch.previous.columns.get(self.column or "") if batch.previous is not None else None
        return None if state is None else profile(state)

    def untried(self, named: float) -> StringsRule:
        """The rule where a single version taught it: most of what breaks it is a warning (`UNPROVEN`) and no false
        alarm, so that it states what breaks for certain, and of the rest the part `named` whose cause is sure.

        >>> digits = {"kind": "charset", "accepted": ["0"], "theta": 0.0, "risk": 0.02, "risks": [0.02, *[0.01] * 13]}
        >>> rule = StringsRule("pattern", "x", {"clauses": [digits], "rows": 9}, 0.02, "", "strings")
        >>> round(rule.untried(0.5).fpr, 6), rule.untried(0.5).params["untried"]
        (0.015, True)
        """
        stated = self.fpr or 0.0
        certain = min(sum(clause.risk_certain for clause in self.program), stated)
        return replace(self, params=self.params | {"untried": True}, fpr=certain + named * (stated - certain))

    def judge_profile(self, seen: Profile, before: Profile | None = None) -> Verdict:
        """The same for a profile, and that of the healthy batch before."""
        results = self.findings(seen)
        known = [one for one in results if before is not None and one.alarm and _was_there(one, before)]
        results = [replace(one, alarm=False) if one in known else one for one in results]
        broken = [found for found in results if found.alarm]
        if not broken and not any(found.rows > found.nonconforming for found in results) and not seen.rows:
            return Verdict(NOT_APPLICABLE, f"Column {self.column!r} holds no text in this batch.")
        observed: dict[str, Any] = {"rows": seen.rows, "clauses": [_measured(found) for found in results]}
        expected = {"clauses": [found.clause.words for found in results], "rows": self.params["rows"]}
        if not broken:
            worst = max(results, key=lambda found: found.share - found.theta)
            values, fit = counted(worst.rows, "value"), worst.rows - worst.nonconforming
            others = tolerated(worst.theta) if worst.share <= worst.theta else f"{tolerated(worst.bound)} of so few"
            others = "as before" if worst.clause in [one.clause for one in known] else others
            some = f"{fit:,} of {values} {do(fit, 'conform')} (others: {others})."
            sentence = some if worst.nonconforming else f"{values} {do(worst.rows, 'conform')}."
            sentence += self._looked_at(seen)
            return Verdict(PASSED, sentence, observed, expected, "nonconforming", worst.share, 0.0, worst.most)
        found = _most_telling(broken)
        candidate = found.clause.candidate
        many, what = found.nonconforming, found.clause.broken(seen)
        sentence = (
            f"{many:,} of {counted(found.rows, 'value')} ({_per_cent(found.share)}) {do(many, 'are', 'is')} {what}"
        )
        sentence += f", expected {tolerated(found.theta)}"
        if candidate.of_form:
            observed.update(_change(self.evidence.get("shapes") or [], seen))
            sentence += "" if candidate.guards else _change_words(observed)
        if self.params.get("untried") and not any(one.certain for one in broken):
            observed[UNPROVEN] = True
        band = ("nonconforming", found.share, 0.0, found.most)
        p = self.fpr * min(one.surprise for one in broken) if self.graded and self.fpr is not None else None
        return Verdict(VIOLATED, f"{sentence}.", observed, expected, *band, candidate.offenders(), p)

    def _looked_at(self, seen: Profile) -> str:
        """How many values were asked for what they mean or for damage, where a state does not keep them all."""
        by_value = any(one.candidate.names or one.candidate.sampled for one in self.program)
        if seen.values is not None or not by_value:
            return ""
        return f" {len(seen.texts.values):,} of the different ones were looked at one by one."

    def findings(self, seen: Profile) -> list[ClauseVerdict]:
        """Each clause on a batch."""
        out = []
        for clause in self.program:
            rows, broken = clause.candidate.rows(seen), clause.candidate.nonconforming(seen)
            share = broken / max(rows, 1)
            bounds, here = self._bounds(rows), TOLERANCES.index(clause.theta)
            beyond = share > bounds + 1e-9
            found = ClauseVerdict(clause, broken, rows, bool(beyond[here]), int(beyond.sum()), float(bounds[here]))
            out.append(found)
        return out

    @classmethod
    def continues(cls, before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
        """The same clauses broken, by no more than chance adds to their shares, and by the same new shape, or by none
        that is new any more: of a table that people answered for the values that came are those of the batch before."""
        if not now.get("observed"):
            return False
        was, out = _broken(before), _broken(now)
        shape = [((one.get("observed") or {}).get("new") or [None])[0] for one in (before, now)]
        rows = max(now["observed"].get("rows") or 0, 1)
        known = {demand: share + SIGMAS * math.sqrt(share * (1 - share) / rows) for demand, share in was.items()}
        same = shape[1] in (None, shape[0])
        return bool(out) and same and all(share <= known.get(demand, -1.0) for demand, share in out.items())

    def _trial(self, batch: Subject, seen: Profile) -> Trial:
        """What the rows of a batch break of all that could be demanded after the one before it: kept with a violation,
        so that what people call a false alarm is demanded in no other words either."""
        known = self._before(batch)
        if known is None or known.blank or not known.all_rows or not seen.all_rows:
            return Trial()
        replay = replay_of("", self.column or "", known, seen)
        return next(iter(trials_of([replay], OF_SNAPSHOTS)), Trial())  # however large it is: a person looked at it

    @staticmethod
    def trial(detail: Mapping[str, Any]) -> Trial:
        """What a violation, of which `detail` is the outcome's, showed of everything that could be demanded."""
        return Trial.from_json((detail.get("observed") or {}).get("trial") or ())

    def _bounds(self, rows: int) -> NDArray[np.float64]:
        """Largest share of so many rows that is no alarm, at each of `TOLERANCES`. More than nine times the rows
        learned from are judged as that many: the tolerance was calibrated no further."""
        return limits(min(rows, 9 * self.params["rows"]))

    def with_clauses(self, clauses: Sequence[Clause]) -> StringsRule:
        program = [clause for clause in clauses if isinstance(clause, StringClause)]
        forms = self.evidence.get(FORMS)
        sentence = said_of(program, alone=self.params.get("alone", False), only=self._only, forms=forms)
        params = {**self.params, "clauses": [clause.to_json() for clause in clauses]}
        return replace(self, kind=kind_of(clauses), params=params, sentence=sentence)

    def words_of(self, clause: Clause, *, private: bool = False) -> str:
        """A clause in words, its known forms as the rule's sentence tells them.

        >>> clause = {"kind": "runs", "accepted": ["A-0"], "theta": 0.0, "words": "all are in one of 1 known forms"}
        >>> rule = Rule("pattern", "x", {"clauses": [clause], "rows": 9}, 0.01, "", "strings", {FORMS: {}})
        >>> rule.words_of(rule.clauses[0])
        'all are in one of 1 known forms'
        """
        words, known = clause.brief(private=private), (self.evidence.get(FORMS) or {}).get(clause.key)
        if private or not known or not isinstance(clause, StringClause):
            return words
        said = clause.candidate.said()
        return words.replace(said, in_words(said, len(clause.accepted), known))

    # ------------------------------------------------------------------------------------------ privacy

    @property
    def _only(self) -> str | None:
        """The value of a column of a single one."""
        return next(iter((self.evidence.get("examples") or {}).get("passing") or ()), None)

    def said(self, *, private: bool = False, most_missing: float | None = None) -> str:
        """The demand in words.

        >>> clauses = [{"kind": "value", "accepted": ["hiv"], "theta": 0.0, "words": "every value is “hiv”"}]
        >>> rule = Rule("vocabulary", "x", {"clauses": clauses, "rows": 9}, 0.01, "every value is “hiv”.", "strings")
        >>> rule.said(private=True), rule.shown_params(private=True)["clauses"]
        ('every value is one of 1 known value.', [{'kind': 'value', 'accepted': 1, 'theta': 0.0, 'words': 'every value
        is one of 1 known value'}])
        """
        looser = is_looser(self.most_missing, most_missing)
        if not self.program or not (private or looser):
            return self.sentence
        said = [one for one in self.program if one.most_missing is None] if looser else self.program
        alone, only = self.params.get("alone", False), None if private else self._only
        return said_of(said or self.program, private=private, alone=alone, only=only, forms=self.evidence.get(FORMS))

    def private(self) -> StringsRule:
        clauses = [clause.private().to_json() for clause in self.program]
        params = {**self.params, "clauses": clauses} if clauses else self.params
        return replace(self, params=params, sentence=self.said(private=True))

    def hide(self, verdict: Verdict) -> Verdict:
        return replace(verdict, offenders={}) if self.tells_values else verdict

    def retold(self) -> list[tuple[str, str]]:
        said = [(c.words, c.sentence(private=True)) for c in self.program if c.words and c.tells]
        return said + [(c.broken(), c.private().broken()) for c in self.program if c.tells]


def _most_telling(broken: Sequence[ClauseVerdict]) -> ClauseVerdict:
    """The clause that most rows break beyond those that may; of such as nearly as many break the strictest."""
    most = max(found.share - found.theta for found in broken)
    near = [found for found in broken if found.share - found.theta >= NEARLY * most]
    return min(near, key=lambda found: found.theta)


def _was_there(found: ClauseVerdict, before: Profile) -> bool:
    """Whether what does not conform was there in the healthy batch before, but for one more value of the kind: what
    came is not worth a word. How many are missing is no matter of values."""
    candidate = found.clause.candidate
    return not candidate.of_missing and found.share <= grown(candidate, before)


def _broken(detail: Mapping[str, Any]) -> dict[str, float]:
    """The share of the rows that does not conform to each demand that any row breaks, of an outcome: what a demand lets
    pass is another share where its rule was learned again."""
    clauses = (detail.get("observed") or {}).get("clauses") or ()
    return {one.get("broken") or one["words"]: float(one["share"]) for one in clauses if one["nonconforming"]}


def _measured(found: ClauseVerdict) -> dict[str, Any]:
    figures = {"nonconforming": found.nonconforming, "share": found.share, "theta": found.theta}
    return {"words": found.clause.words, "broken": found.clause.broken(), **figures}


def _change(before: Any, seen: Profile) -> dict[str, Any]:
    """The dominant shape before and now, aligned token by token."""
    view = next((v for v in ("runs", "tokens", "marks") if v in seen.tables), None)
    if not before or view is None:
        return {}
    now = sorted(seen.tables[view].items(), key=lambda item: (-item[1], item[0]))[:5]
    known = {text for text, _ in before}
    new: list[Any] | None = next(([text, count] for text, count in now if text not in known), None)
    out: dict[str, Any] = {"shapes_before": before, "shapes_now": [[t, c] for t, c in now]}
    if new is not None and view == "runs":
        out["alignment"] = align_classes(str(before[0][0]), str(new[0]))
        out["new"], out["old"] = [_briefly(view, str(new[0])), new[1]], [_briefly(view, before[0][0]), before[0][1]]
    return out


def _briefly(view: str, text: str) -> str:
    """A class in words; one of very many parts by what these have in common."""
    told = describe(view, text)
    return told if len(told) <= ROOM else loosely(view, [text])


def _change_words(observed: dict[str, Any]) -> str:
    if "new" not in observed:
        return ""
    (old, old_count), (new, new_count) = observed["old"], observed["new"]
    return f"; before mostly {old} ({counted(old_count, 'value')}), now also {new} ({new_count:,})"


def _per_cent(share: float) -> str:
    """A share of the values.

    >>> _per_cent(1.0), _per_cent(0.154), _per_cent(0.0004)
    ('100%', '15.4%', '<0.1%')
    """
    return "<0.1%" if 0 < share < 0.001 else f"{100 * share:.1f}".removesuffix(".0") + "%"
