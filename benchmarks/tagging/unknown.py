"""What anybody sees of sensitive columns before somebody looked, what is hidden in error, and what answers are worth:
``python -m benchmarks.tagging.unknown --data DIR ... [--half one|other] --json OUT``.

`DIR` is as for ``python -m benchmarks.tagging``. Counted are sure labels: of the sensitive columns those whose values
anybody sees (*leaked*), before and with hiding what is not known (`catalog.tags.privacy.unknown`); of the others those
that are hidden, and by that. A steward who knows the labels answers table after table, in the order of the review:
after none, half and all of the tables that are asked about it is counted how many sensitive columns are said to be so
(*found*), how many of what is said to be so are (*precision*), and how many questions and ticks that took. A tick is a
line that is not ticked beforehand as the steward answers; where columns of one family differ, one for each that does.

``--fit DIR ...`` prints `FITTED` of that module, from the read half of each folder, ``--whole`` from all of it. The
columns that it is fitted to are those without a meaning of their own under names that are not understood; sensitive
ones that a name is known of count as if it were not, since that is what hidden ones are like. With it stands what a fit
to other sources says: how many of the columns that are not sensitive are hidden for a share of those that are.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict

from benchmarks.tagging.cases import HALVES, Case, halves, labelled, load
from catalog.tags.privacy.levels import ABOUT
from catalog.tags.privacy.pseudonyms import identifies
from catalog.tags.privacy.unknown import not_known, rows_of_unknown, signs
from catalog.tags.proposal import TagProposal
from catalog.tags.propose import propose_tags
from catalog.tags.review import Proposed, Question, family, questions

FOLDS = 10  # parts that sources are dealt to
SHARES = (0.9, 0.95, 0.98, 0.99)  # of sensitive columns
Example = tuple[tuple[float, ...], bool, str]
ASKED = {"none": 0.0, "half": 0.5, "all": 1.0}  # of the tables


@dataclass(frozen=True)
class Seen:
    """A column with what is said of it, the question about it where there is one, and whether it is said to hold
    identifiers of persons."""

    case: Case
    said: list[TagProposal]
    asked: list[TagProposal]
    key: bool = False

    @property
    def told(self) -> bool:
        """Whether it is said to be sensitive."""
        return any(one.sensitive for one in self.said)


def seen(cases: Iterable[Case]) -> list[Seen]:
    out = []
    for case in cases:
        where = case.name, case.state
        said = propose_tags(case.state, case.name, around=case.around)
        key = bool(identifies(*where, said, case.around))
        out.append(Seen(case, said, [] if key else not_known(*where, said, case.around), key))
    return out


def figures(found: Sequence[Seen]) -> dict[str, Any]:
    """What is leaked and hidden, and what answers add."""
    sure = [one for one in found if one.case.sure]
    sensitive, others = ([one for one in sure if one.case.sensitive is kind] for kind in (True, False))
    asked = asking(found)
    return {
        "columns": len(sure),
        "sensitive": len(sensitive),
        "leaked_before": sum(not one.told for one in sensitive),
        "leaked": sum(not one.told and not one.asked for one in sensitive),
        "others": len(others),
        "hidden_before": sum(one.told for one in others),
        "hidden": sum(one.told or bool(one.asked) for one in others),
        "tables": len({_table(one.case) for one in found}),
        "tables_asked": len(asked),
        "columns_asked": sum(len(one.items) for one in asked),
        "identifiers": identifiers(sure),
        "answered": {name: answered(found, asked, share) for name, share in ASKED.items()},
    }


def identifiers(sure: Sequence[Seen]) -> dict[str, int]:
    """Columns labelled as identifiers of persons, those said to be, and those that are both, of lists that say."""
    told = [one for one in sure if one.case.person_key is not None]
    return {
        "labelled": sum(bool(one.case.person_key) for one in told),
        "said": sum(one.key for one in told),
        "right": sum(one.key and bool(one.case.person_key) for one in told),
    }


def asking(found: Sequence[Seen]) -> list[Question]:
    """The questions about what is not known, as the review asks them."""
    tables: dict[tuple[object, ...], int] = {}
    out = []
    for number, one in enumerate(found):
        table = tables.setdefault(_table(one.case), len(tables))
        for tag in one.asked:
            kind = one.said[0].domain if one.said else ""
            where = {"column_id": number, "column": one.case.name, "table_id": table, "table": one.case.around.table}
            shown = {"title": tag.title, "score": tag.score, "match_share": 0.0, "sensitive": True, "contains": False}
            out.append(
                Proposed(tag_id=number, **where, source=one.case.repo, type="", kind=kind, domain=ABOUT, **shown)
            )
    return questions(out)


def _table(case: Case) -> tuple[object, ...]:
    return case.repo, case.around.table, case.around.columns


def answered(found: Sequence[Seen], asked: Sequence[Question], share: float) -> dict[str, Any]:
    """What is said to be sensitive when a share of the questions was answered, and what that took."""
    part = asked[: round(share * len(asked))]
    about = {one.tag_id for question in part for one in question.items if found[one.tag_id].case.sensitive}
    said = [one for number, one in enumerate(found) if one.case.sure and (one.told or number in about)]
    right = sum(one.case.sensitive for one in said)
    return {
        "found": right / max(sum(one.case.sensitive for one in found if one.case.sure), 1),
        "precision": right / max(len(said), 1),
        "still_hidden": sum(
            found[one.tag_id].case.sure and not found[one.tag_id].case.sensitive
            for question in asked[len(part) :]
            for one in question.items
        ),
        "questions": len(part),
        "ticks": ticks(found, part),
        "per_100_columns": {
            "questions": 100 * len(part) / len(found),
            "ticks": 100 * ticks(found, part) / len(found),
        },
    }


def ticks(found: Sequence[Seen], asked: Iterable[Question]) -> int:
    """Ticks set and taken away; how columns of a family were answered for is remembered for the next tables."""
    remembered: dict[str, set[bool]] = defaultdict(set)
    count = 0
    for question in asked:
        answers: list[tuple[Proposed, bool]] = []
        for line in question.lines:
            past = remembered[family(line.items[0].column)]
            told = "" if len(past) != 1 else "accepted" if past == {True} else "rejected"
            items = tuple(item.model_copy(update={"answered": told}) for item in line.items)
            right = [found[item.tag_id].case.sensitive for item in items]
            wrong = sum(one is not replace(line, items=items).ticked for one in right)
            count += min(wrong, 1 + len(right) - wrong) if len(right) > 1 else wrong
            answers += zip(items, right, strict=True)
        for item, right_ in answers:
            remembered[family(item.column)].add(right_)
    return count


def examples(found: Iterable[Seen]) -> Iterator[Example]:
    """(signs, is it sensitive, source) of the columns that are not known, whatever is read of their names."""
    for one in found:
        case = one.case
        plain = [replace(tag, sensitive=False) for tag in one.said if not tag.contains]
        rows = rows_of_unknown(case.name, case.state, plain, case.around) if case.sure else None
        if rows is not None:
            yield signs(case.name, case.state, plain, rows, case.around), case.sensitive, case.repo


def fit(parts: Sequence[Example]) -> None:
    """Print the weights, and what they hide where they were fitted to other sources."""
    x, y = np.array([one for one, *_ in parts]), np.array([right for _, right, _ in parts])
    model = LogisticRegression(C=1.0, fit_intercept=False, max_iter=1000)
    apart = cross_val_predict(
        model, x, y, groups=[one for *_, one in parts], cv=GroupKFold(FOLDS), method="predict_proba"
    )[:, 1]
    print(f"{len(y)} columns, {y.sum()} sensitive")
    for share in SHARES:
        least = np.sort(apart[y])[int((1 - share) * y.sum())]
        print(f"  {share} of the sensitive ones at {least:.3f} and above, with {(apart[~y] >= least).sum()} others")
    print("FITTED =", tuple(round(float(one), 2) for one in model.fit(x, y).coef_[0]))


def show(name: str, said: dict[str, Any]) -> str:
    head = (
        f"{name}: {said['leaked']} of {said['sensitive']} sensitive columns leaked ({said['leaked_before']} before), "
        f"{said['hidden']} of {said['others']} others hidden ({said['hidden_before']} before); "
        f"{said['columns_asked']} columns of {said['tables_asked']} of {said['tables']} tables are asked about"
    )
    lines = [
        f"  {what} asked: found {one['found']:.3f} at {one['precision']:.3f}, {one['still_hidden']} others hidden;"
        f" {one['questions']} questions, {one['ticks']} ticks; per 100 columns"
        f" {one['per_100_columns']['questions']:.1f}, {one['per_100_columns']['ticks']:.1f}"
        for what, one in said["answered"].items()
    ]
    keys = said["identifiers"]
    if keys["labelled"]:
        lines.append(f"  identifiers of persons: {keys['right']} of {keys['labelled']} found, {keys['said']} said")
    return "\n".join([head, *lines])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, nargs="*", default=[], help="labelled folders to measure on")
    parser.add_argument("--half", choices=HALVES, help="only the sources of one half")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument("--fit", type=Path, nargs="*", default=[], help="labelled folders, of which one half was read")
    parser.add_argument("--whole", type=Path, nargs="*", default=[], help="of these, those read whole")
    arguments = parser.parse_args()
    report = {}
    for data in arguments.data:
        cases = load(labelled(data))
        report[data.name] = figures(seen(halves(cases)[arguments.half] if arguments.half else cases))
        print(show(data.name, report[data.name]), flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=1), encoding="utf-8")
    parts: list[Example] = []
    for data in arguments.fit:
        cases = load(labelled(data))
        parts += examples(seen(cases if data in arguments.whole else halves(cases)[HALVES[0]]))
    if parts:
        fit(parts)


if __name__ == "__main__":
    main()
