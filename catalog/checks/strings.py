"""Judges a column of strings by a program of patterns or a vocabulary."""

from __future__ import annotations

from typing import Any

from catalog.checks.verdict import NOT_APPLICABLE, PASSED, VIOLATED, Batch, Verdict
from catalog.evidence.views import Profile, profile
from catalog.patterns.align import align_classes
from catalog.patterns.describe import describe
from catalog.rules.rule import Rule
from catalog.rules.strings import clause_candidate, findings


def judge_strings(rule: Rule, batch: Batch) -> Verdict:
    """Verdict of a rule of kind ``pattern`` or ``vocabulary`` on a batch."""
    state = batch.state.columns.get(rule.column or "")
    if state is None:
        return Verdict(NOT_APPLICABLE, f"The batch has no column {rule.column!r}.")
    seen = profile(state)
    if seen is None:
        return Verdict(NOT_APPLICABLE, f"Column {rule.column!r} is not of strings but of {state.type}.")
    return judge_profile(rule, seen)


def judge_profile(rule: Rule, seen: Profile) -> Verdict:
    """The same for a profile."""
    results = findings(rule, seen)
    broken = [found for found in results if found.alarm]
    if not broken and not any(found.rows > found.nonconforming for found in results) and not seen.rows:
        return Verdict(NOT_APPLICABLE, f"Column {rule.column!r} holds no text in this batch.")
    observed: dict[str, Any] = {
        "rows": seen.rows,
        "clauses": [
            {
                "words": found.clause["words"], "nonconforming": found.nonconforming, "share": found.share,
                "theta": found.theta,
            }
            for found in results
        ],
    }  # fmt: skip
    expected = {"clauses": [found.clause["words"] for found in results], "rows": rule.params["rows"]}
    if not broken:
        worst = max(results, key=lambda found: found.share - found.theta)
        sentence = f"{worst.rows:,} values keep to it."
        return Verdict(PASSED, sentence, observed, expected, "nonconforming", worst.share, 0.0, worst.theta)
    found = min(broken, key=lambda found: found.theta)
    candidate = clause_candidate(found.clause)
    sentence = f"{found.nonconforming:,} of {found.rows:,} values ({found.share:.1%}) "
    if candidate.of_looks:
        observed.update(_change(rule, seen))
    sentence += f"{candidate.broken_words(found.clause['words'])}{_change_words(observed)}."
    return Verdict(
        VIOLATED, sentence, observed, expected, "nonconforming", found.share, 0.0, found.theta, candidate.offenders()
    )


def _change(rule: Rule, seen: Profile) -> dict[str, Any]:
    """The dominant look before and now, aligned token by token."""
    before = rule.evidence.get("looks") or []
    view = next((v for v in ("runs", "tokens", "marks") if v in seen.tables), None)
    if not before or view is None:
        return {}
    now = sorted(seen.tables[view].items(), key=lambda item: (-item[1], item[0]))[:5]
    known = {text for text, _ in before}
    new: list[Any] | None = next(([text, count] for text, count in now if text not in known), None)
    out: dict[str, Any] = {"looks_before": before, "looks_now": [[t, c] for t, c in now]}
    if new is not None and view == "runs":
        out["alignment"] = align_classes(str(before[0][0]), str(new[0]))
        out["new"], out["old"] = [describe(view, str(new[0])), new[1]], [describe(view, before[0][0]), before[0][1]]
    return out


def _change_words(observed: dict[str, Any]) -> str:
    if "new" not in observed:
        return ""
    (old, old_count), (new, new_count) = observed["old"], observed["new"]
    return f"; mostly {old} before ({old_count:,} values), now also {new} ({new_count:,})"
