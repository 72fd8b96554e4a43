"""How well columns of real tables are tagged: floors below which no change may fall, some way under what is reached."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.tagging import Case, load, measure, name_only, ours, ours_without_names, regex_votes
from catalog.domains.known import GENERIC
from catalog.tags.propose import propose_tags

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cases(data_dir: Path) -> list[Case]:
    if not (data_dir / "columns" / "labels.csv").exists():
        pytest.skip("no labelled columns")
    return load(data_dir / "columns")


def test_tags_are_right(cases: list[Case]) -> None:
    figures, said = measure(cases, ours)
    assert figures["macro_f1"] >= 0.93
    assert figures["precision"] >= 0.94
    assert figures["sensitive_recall"] >= 0.85
    assert figures["sensitive_precision"] >= 0.85
    specific = [(case, domain) for case, domain, _ in said if case.sure and domain and domain not in GENERIC]
    right = sum(domain in (case.label, case.alt) for case, domain in specific)
    assert right >= 0.97 * len(specific), "a particular meaning has to be right, or not be claimed"
    assert len(specific) >= 380


def test_values_alone_do_nearly_as_well_and_the_rivals_do_not(cases: list[Case]) -> None:
    with_names = measure(cases, ours)[0]["macro_f1"]
    assert measure(cases, ours_without_names)[0]["macro_f1"] >= with_names - 0.05
    assert measure(cases, regex_votes)[0]["macro_f1"] < 0.5 < with_names
    assert measure(cases, name_only)[0]["macro_f1"] < 0.5


def test_scores_say_how_often_tags_are_right(cases: list[Case]) -> None:
    scored = []
    for case in cases:
        found = propose_tags(case.state, case.name)
        if case.sure and found:
            scored.append((found[0].score, found[0].domain in (case.label, case.alt)))
    for low, high in ((0.4, 0.7), (0.7, 0.9), (0.9, 1.0)):
        part = [(score, right) for score, right in scored if low <= score < high]
        if len(part) >= 30:
            stated = sum(score for score, _ in part) / len(part)
            reached = sum(right for _, right in part) / len(part)
            assert abs(stated - reached) < 0.2, (low, stated, reached, len(part))
