"""The pattern index: what the columns of the lake look like, kept so that any rule's coverage, impurity and power is
one lookup.

Every string column leaves its classes in each view and its domains with their shares
(`catalog.evidence.pattern_index.postings`), and, where its table came in batches, one replay: what a learner would have
demanded after the first batches and how the later ones kept to it (`catalog.evidence.calibrated.calibration`). A
table's part can be replaced or taken out exactly. On disk the index is a folder of numbered generations of plain
arrays; ``CURRENT`` names the one in force and is replaced at once, so readers keep the generation they opened while a
writer swaps in the next.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from catalog.errors import StateError
from catalog.evidence.calibrated.replay import LEAST_REPLAYED, Replay, join_replays, replay_of, split_replays
from catalog.evidence.calibrated.risk import Risk
from catalog.evidence.clauses.candidate import Candidate, class_of_kind
from catalog.evidence.clauses.candidates import ABSENT, PRESENT
from catalog.evidence.pattern_index.postings import LENGTH_KEYS, Keys, Postings, Shares, key_of, keys_of, mask_of
from catalog.evidence.pattern_index.views import Profile, profile
from catalog.patterns.language.hierarchy import VIEWS
from catalog.states.column import ColumnState

FORMAT = 10
STARTER = "starter:"  # prefix of the tables of the starter index
CLASSES_PER_VIEW = 256  # a column leaves at most so many classes of each view, the most frequent ones; a bound
INDEXED = ("value", *VIEWS, "domain", "presence")
MadeOf = dict[str, str]
Pair = tuple[ColumnState | Profile, ColumnState | Profile]  # (first batches, later ones)
_BIT = {view: 1 << i for i, view in enumerate(INDEXED)}


@dataclass
class Part:
    """What one table leaves: one row per (class, column), columns numbered within the table."""

    names: list[str]
    known: list[int]  # bits of the views known of each column
    keys: NDArray[np.uint64]
    columns: NDArray[np.int32]
    shares: Shares
    symbols: dict[int, tuple[int, int]]  # key of a class of `symbols` -> its characters as a mask of 128 bits
    replays: list[Replay] = field(default_factory=list)


def part_of(columns: Mapping[str, ColumnState | Profile]) -> Part:
    """Part of a table from the states (or profiles) of its columns; those that are not of strings are left out."""
    names: list[str] = []
    known: list[int] = []
    keys: list[int] = []
    at: list[int] = []
    shares: list[float] = []
    symbols: dict[int, tuple[int, int]] = {}
    for name, column in columns.items():
        seen = column if isinstance(column, Profile) else profile(column)
        if seen is None or not seen.all_rows:
            continue
        known.append(sum(_BIT[view] for view in ((*seen.tables, "domain", "presence") if seen.rows else ("presence",))))
        for kind, count in ((PRESENT, seen.rows), (ABSENT, seen.missing)):
            keys.append(key_of("presence", kind))
            shares.append(count / seen.all_rows)
            at.append(len(names))
        for domain, share in seen.domains.items():
            keys.append(key_of("domain", domain))
            shares.append(share)
        at.extend([len(names)] * len(seen.domains))
        for view, table in seen.tables.items():
            top = sorted(table.items(), key=lambda item: (-item[1], item[0]))[:CLASSES_PER_VIEW]
            for text, count in top:
                key = key_of(view, text)
                keys.append(key)
                shares.append(count / seen.rows)
                if view == "symbols":
                    symbols[key] = mask_of(text)
            at.extend([len(names)] * len(top))
        names.append(name)
    return Part(names, known, np.array(keys, np.uint64), np.array(at, np.int32), np.array(shares, np.float32), symbols)


class PatternIndex:
    """The index in memory; `open` maps it from a folder.

    >>> from catalog.evidence.pattern_index.views import profile_values
    >>> index = PatternIndex()
    >>> index.update("a", {"x": profile_values([("12", 3), ("7", 1)])})
    >>> index.update("b", {"y": profile_values([("99", 1)])})
    >>> [float(s) for s in index.match(Candidate("shape", ("00",)))]
    [0.75, 1.0]
    >>> index.subtract("a"); len(index.columns)
    1
    """

    def __init__(self) -> None:
        self.tables: list[str] = []  # key of each table number
        self.columns: list[tuple[int, str]] = []  # (table number, column name) of each column number
        self.known = np.empty(0, np.int32)
        self.postings = Postings.build(np.empty(0, np.uint64), np.empty(0, np.int32), np.empty(0, np.float32))
        self.symbol_keys = np.empty(0, np.uint64)
        self.symbol_masks = np.empty((0, 2), np.uint64)
        self.replays: list[Replay] = []
        self.model: Risk | None = None
        self.fitted = 0  # replayed columns of the lake that the model was fitted to
        self.made_of: MadeOf = {}  # fingerprints of the views and of each domain that the postings were made with
        self._new: dict[str, Part | None] = {}

    # ------------------------------------------------------------------------------------------------ writing

    @classmethod
    def build(cls, tables: Mapping[str, Mapping[str, ColumnState | Profile]]) -> PatternIndex:
        """Index of whole tables at once: {table key: {column: state}}."""
        index = cls()
        for key, columns in tables.items():
            index.update(key, columns)
        index.settle()
        return index

    def update(
        self,
        table_key: str,
        columns: Mapping[str, ColumnState | Profile],
        replays: Mapping[str, Pair | Sequence[Pair]] | None = None,
    ) -> None:
        """Put in a table, in place of what it left before.

        `replays`, where the table came in batches: {column: (state of the first batches, state of the later ones)}, or
        several such pairs.
        """
        part = part_of(columns)
        for name, given in (replays or {}).items():
            for head, tail in [given] if isinstance(given, tuple) else given:
                first, later = (p if isinstance(p, Profile) else profile(p) for p in (head, tail))
                if first is None or later is None or first.blank:
                    continue
                if min(first.all_rows, later.all_rows) >= LEAST_REPLAYED:
                    part.replays.append(replay_of(table_key, name, first, later))
        self._new[table_key] = part

    def subtract(self, *table_keys: str) -> None:
        """Take tables out, exactly: what is left is what it would be had they never been put in."""
        self._new |= dict.fromkeys(table_keys)
        self.settle()

    def replace_domains(self, names: Collection[str], shares: Mapping[tuple[str, str], Mapping[str, float]]) -> None:
        """Replace what the columns leave of some domains, and nothing else.

        Parameters
        ----------
        names : the domains that changed, came or went.
        shares : {(table key, column): {domain: share of its rows}}; columns that hold none may be left out.
        """
        self.settle()
        place = {(self.tables[table], name): at for at, (table, name) in enumerate(self.columns)}
        keys, columns, values = self.postings.rows()
        stay = ~np.isin(keys, keys_of("domain", names))
        rows = [
            (key_of("domain", domain), place[of], share)
            for of, found in shares.items()
            for domain, share in found.items()
            if of in place and domain in names
        ]
        self.postings = Postings.build(
            np.concatenate([keys[stay], np.array([row[0] for row in rows], np.uint64)]),
            np.concatenate([columns[stay], np.array([row[1] for row in rows], np.int32)]),
            np.concatenate([values[stay], np.array([row[2] for row in rows], np.float32)]),
        )

    def settle(self) -> None:
        """Bring pending updates into the sorted arrays; lookups do it by themselves."""
        if not self._new:
            return
        new, self._new = self._new, {}
        keep = [i for i, key in enumerate(self.tables) if key not in new]
        number = {old: i for i, old in enumerate(keep)}
        stay = np.array([table in number for table, _ in self.columns], bool)
        place = np.cumsum(stay) - 1
        keys, columns, shares = self.postings.rows()
        rows = stay[columns] if len(columns) else np.empty(0, bool)
        all_keys, all_columns, all_shares = [keys[rows]], [place[columns[rows]].astype(np.int32)], [shares[rows]]
        self.columns = [(number[table], name) for (table, name), s in zip(self.columns, stay, strict=True) if s]
        known = [self.known[stay]]
        self.tables = [self.tables[i] for i in keep]
        self.replays = [r for r in self.replays if r.table not in new]
        symbols = dict(zip(self.symbol_keys.tolist(), map(tuple, self.symbol_masks.tolist()), strict=True))
        for key, part in new.items():
            if part is None or not part.names:
                continue
            self.tables.append(key)
            all_keys.append(part.keys)
            all_columns.append(part.columns + np.int32(len(self.columns)))
            all_shares.append(part.shares)
            known.append(np.array(part.known, np.int32))
            self.columns.extend((len(self.tables) - 1, name) for name in part.names)
            self.replays.extend(part.replays)
            symbols.update(part.symbols)
        self.known = np.concatenate(known).astype(np.int32)
        self.postings = Postings.build(
            np.concatenate(all_keys), np.concatenate(all_columns), np.concatenate(all_shares)
        )
        self._set_symbols(symbols)
        self.__dict__.pop("_table_of", None)
        self.__dict__.pop("_weights", None)
        self.__dict__.pop("_replays_of", None)

    def _set_symbols(self, symbols: Mapping[int, tuple[int, ...]]) -> None:
        keys = np.array(sorted(symbols), np.uint64)
        at = np.searchsorted(self.postings.keys, keys).clip(max=max(len(self.postings.keys) - 1, 0))
        keys = keys[self.postings.keys[at] == keys] if len(keys) and len(self.postings.keys) else keys[:0]
        self.symbol_keys = keys
        self.symbol_masks = np.array([symbols[int(k)] for k in keys], np.uint64).reshape(-1, 2)

    # ------------------------------------------------------------------------------------------------ asking

    @property
    def table_of(self) -> NDArray[np.int32]:
        """Table number of each column."""
        self.settle()
        if "_table_of" not in self.__dict__:
            self.__dict__["_table_of"] = np.array([table for table, _ in self.columns], np.int32)
        out: NDArray[np.int32] = self.__dict__["_table_of"]
        return out

    def replays_of(self, table_key: str, column: str) -> list[Replay]:
        """What became of one column's first batches."""
        self.settle()
        if "_replays_of" not in self.__dict__:
            found: dict[tuple[str, str], list[Replay]] = {}
            for replay in self.replays:
                found.setdefault((replay.table, replay.column), []).append(replay)
            self.__dict__["_replays_of"] = found
        return list(self.__dict__["_replays_of"].get((table_key, column), ()))

    def replayed(self) -> int:
        """How many columns of the lake itself were replayed."""
        self.settle()
        return len({(r.table, r.column) for r in self.replays if not r.table.startswith(STARTER)})

    def weights(self, excluded: Iterable[str] = ()) -> Shares:
        """Weight of each column as evidence: 0 in the `excluded` tables, 1 in the lake's, and less and less in the
        starter index's as the lake grows: 1 / (1 + columns of the lake / 500)."""
        table_of, out = self.table_of, frozenset(excluded)
        known: tuple[frozenset[str], Shares] | None = self.__dict__.get("_weights")
        if known is not None and known[0] == out:  # a table's columns are learned one after the other
            return known[1]
        starter = np.array([key.startswith(STARTER) for key in self.tables], bool)
        lake = int((~starter[table_of]).sum()) if len(table_of) else 0
        weight = np.where(starter, 1 / (1 + lake / 500), 1.0)
        weight[[key in out for key in self.tables]] = 0
        found = np.asarray(weight[table_of] if len(table_of) else np.empty(0), np.float32)
        found.flags.writeable = False
        self.__dict__["_weights"] = (out, found)
        return found

    def keys(self, kind: str, numbers: Keys) -> Keys:
        """Keys of all classes that a candidate accepts, from its `numbers`."""
        return class_of_kind(kind).keys(numbers, self)

    def symbol_sets_within(self, mask: Keys) -> Keys:
        """Keys of the sets of characters that have none outside a mask."""
        return np.asarray(self.symbol_keys[((self.symbol_masks & ~mask) == 0).all(axis=1)])

    def lengths(self, low: int, high: int) -> Keys:
        """Keys of the lengths in a range."""
        return LENGTH_KEYS[low : high + 1]

    def match(self, candidate: Candidate) -> Shares:
        """Share of each column's rows that conform; 1 where the column's state does not know the view."""
        return self.match_compact(candidate.kind, candidate.numbers())

    def match_compact(self, kind: str, numbers: Keys) -> Shares:
        """`match` of a candidate given as kind and numbers."""
        self.settle()
        found = self.postings.match(self.keys(kind, numbers), len(self.columns))
        return np.where(self.knows(kind), found, np.float32(1))

    def knows(self, kind: str) -> NDArray[np.bool_]:
        """Of which columns the state tells how many rows conform to a candidate of that kind."""
        self.settle()
        return np.asarray(self.known & _BIT.get(class_of_kind(kind).view_of(kind), 0), np.bool_)

    # ------------------------------------------------------------------------------------------------ on disk

    def save(self, folder: Path | str) -> Path:
        """Write a new generation and put it in force; returns its folder. Readers of the old one are not disturbed."""
        self.settle()
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        number = max((int(p.name[4:8]) for p in folder.glob("gen-*") if p.name[4:8].isdigit()), default=0)
        while True:
            number += 1
            temporary = folder / f"gen-{number:04d}.tmp"
            try:
                temporary.mkdir()
                break
            except FileExistsError:
                continue
        for name, array in self._arrays().items():
            np.save(temporary / f"{name}.npy", array)
        meta = {"format": FORMAT, "tables": self.tables, "columns": self.columns, "fitted": self.fitted}
        meta["made_of"] = self.made_of
        (temporary / "meta.json").write_text(json.dumps(meta), encoding="utf-8")
        final = folder / f"gen-{number:04d}"
        temporary.rename(final)
        pointer = folder / f"CURRENT.{number}"
        pointer.write_text(final.name, encoding="utf-8")
        os.replace(pointer, folder / "CURRENT")
        for old in sorted(p for p in folder.glob("gen-*") if p.name[4:8].isdigit())[:-2]:
            if old.name != final.name and not old.name.endswith(".tmp"):
                shutil.rmtree(old, ignore_errors=True)  # a map of a removed file stays readable
        return final

    def _arrays(self) -> dict[str, NDArray[np.generic]]:
        p = self.postings
        arrays: dict[str, NDArray[np.generic]] = {
            "keys": p.keys, "offsets": p.offsets, "posting_columns": p.columns, "shares": p.shares, "known": self.known,
            "symbol_keys": self.symbol_keys, "symbol_masks": self.symbol_masks,
        }  # fmt: skip
        arrays.update({f"replay_{k}": v for k, v in join_replays(self.replays).items()})
        if self.model is not None:
            arrays.update({f"model_{name}": array for name, array in self.model.arrays().items()})
        return arrays

    @classmethod
    def open(cls, folder: Path | str) -> PatternIndex:
        """Map the generation in force; an empty index where there is none.

        Raises
        ------
        StateError : the folder holds another format or a damaged generation.
        """
        folder = Path(folder)
        index = cls()
        if not (folder / "CURRENT").exists():
            return index
        for attempt in (1, 2):  # a writer may swap between reading the pointer and opening what it names
            home = folder / (folder / "CURRENT").read_text(encoding="utf-8").strip()
            try:
                index._load(home)
                return index
            except (OSError, ValueError, KeyError) as cause:
                if attempt == 2:
                    raise StateError(f"pattern index {home.name} cannot be read ({cause})") from cause
        return index

    def _load(self, home: Path) -> None:
        meta = json.loads((home / "meta.json").read_text(encoding="utf-8"))
        if meta["format"] != FORMAT:
            raise StateError(f"pattern index has format {meta['format']}, not {FORMAT}")
        self.fitted = int(meta.get("fitted", 0))
        self.made_of = meta.get("made_of", {})
        get = {p.stem: np.load(p, mmap_mode="r") for p in home.glob("*.npy")}
        self.tables, self.columns = meta["tables"], [(t, n) for t, n in meta["columns"]]
        self.postings = Postings(get["keys"], get["offsets"], get["posting_columns"], get["shares"])
        self.known = get["known"]
        self.symbol_keys, self.symbol_masks = get["symbol_keys"], get["symbol_masks"]
        self.replays = split_replays({k[7:]: v for k, v in get.items() if k.startswith("replay_")})
        if "model_edges" in get:
            self.model = Risk.of_arrays({k[6:]: v for k, v in get.items() if k.startswith("model_")})


def recorded(folder: Path | str) -> tuple[MadeOf, list[str]]:
    """What the index in a folder says it was made of, and the keys of its tables; nothing where there is none that can
    be read."""
    folder = Path(folder)
    try:
        home = folder / (folder / "CURRENT").read_text(encoding="utf-8").strip()
        meta = json.loads((home / "meta.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}, []
    return (dict(meta.get("made_of", {})), list(meta["tables"])) if meta.get("format") == FORMAT else ({}, [])
