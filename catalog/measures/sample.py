"""A bounded sample of rows, the same however they were cut, and how well one column follows from others in it."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from catalog.measures.groups.frequency import frequencies
from catalog.measures.groups.grouping import grouped
from catalog.measures.groups.runs import KEY, ROWS, names_of
from catalog.states.folding.hashing import hash_rows, hash_strings, splitmix

#: Distinct rows that are kept: those of the smallest hashes. A bound on memory; the paper's smallest sample is 100,000.
KEPT = 20_000
#: Characters of a cell that are looked at. A bound.
CELL = 500
#: Labels that are told apart, and buckets that words are hashed to (as in deequ's own attempt at this metric).
#: Bounds of memory.
LABELS, BUCKETS = 100, 10_000
#: One distinct row in so many is held out of training (the paper's 20%, chosen there).
HELD_OUT = 5
ALPHA = 1.0  # Laplace's: chosen, one unseen case more of each label


@dataclass(frozen=True, eq=False)
class Sample:
    """Distinct rows of some columns with how often they occur: those `KEPT` of the smallest hashes.

    A row that is among the smallest of all is among the smallest of every part that has it: parts merge exactly.

    Parameters
    ----------
    table : ``g0`` (the target), ``g1`` ... as text, ``rows`` and ``key``, ascending in its key. rows : all rows that
        have a target.
    """

    table: pa.Table
    rows: int = 0

    @property
    def whole(self) -> bool:
        """Whether every distinct row is in it."""
        return int(self.table.num_rows) < KEPT

    @cached_property
    def predictability(self) -> float | None:
        """How well the first column follows from the others, 0..1: the weighted F1 score, on a fifth of the distinct
        rows, of a multinomial naive Bayes with a uniform prior that learned from the rest.

        Schelter et al., "Automating Large-Scale Data Quality Verification" (VLDB 2018), sections 3.2 and 5.1. None
        where there is nothing to learn from, or to try it on. A row stands wholly in one part, as often as it occurs.

        >>> towns = ["Rome", "Paris"] * 40
        >>> zips = [f"{'00 roma' if t == 'Rome' else '75 paris'} {at}" for at, t in enumerate(towns)]
        >>> round(sample_of([pa.array(towns), pa.array(zips)]).predictability, 2)
        1.0
        """
        if not self.table.num_rows:
            return None
        held = splitmix(self.table[KEY].to_numpy()) % np.uint64(HELD_OUT) == 0
        counts, (labels, names) = self.table[ROWS].to_numpy(), self._labels(~held)
        if not held.any() or not len(names):
            return None
        row, bucket = self._words
        learned = np.zeros((len(names), BUCKETS))
        used = ~held[row] & (labels[row] >= 0)
        np.add.at(learned, (labels[row[used]], bucket[used]), counts[row[used]])
        weights = np.log(learned + ALPHA) - np.log(learned.sum(1, keepdims=True) + ALPHA * BUCKETS)
        scores = np.zeros((self.table.num_rows, len(names)))
        tried = held[row]
        np.add.at(scores, row[tried], weights[:, bucket[tried]].T)
        return _weighted_f1(labels[held], scores[held].argmax(1), counts[held], len(names))

    def _labels(self, train: NDArray[np.bool_]) -> tuple[NDArray[np.int64], list[str]]:
        """(label of each row by its place among the frequent ones of training, -1 of others; the frequent ones)."""
        texts = pl.from_arrow(self.table["g0"].combine_chunks())
        frame = pl.DataFrame({"label": texts, "rows": self.table[ROWS].to_numpy()}).filter(pl.Series(train))
        common = frame.group_by("label").agg(pl.col("rows").sum()).sort(["rows", "label"], descending=[True, False])
        names = common["label"].head(LABELS).to_list()
        known = pc.index_in(self.table["g0"].combine_chunks(), pa.array(names, pa.large_string()))
        return known.fill_null(-1).to_numpy().astype(np.int64), names

    @cached_property
    def _words(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(row, bucket) of every word of the columns beside the target."""
        rows, buckets = [], []
        for name in names_of(self.table)[1:]:
            texts = pl.Series(pl.from_arrow(self.table[name].combine_chunks()))
            words = texts.str.to_lowercase().str.extract_all(r"\w+")
            frame = pl.DataFrame({"row": np.arange(len(texts)), "word": words}).explode("word").drop_nulls()
            rows.append(frame["row"].to_numpy())
            buckets.append((hash_strings(name + "=" + frame["word"]) % np.uint64(BUCKETS)).astype(np.int64))
        return np.concatenate(rows), np.concatenate(buckets)

    def encode(self) -> bytes:
        """As an Arrow stream."""
        out = io.BytesIO()
        table = self.table.replace_schema_metadata({b"rows": str(self.rows).encode()})
        with pa.ipc.new_stream(out, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
            writer.write_table(table)
        return out.getvalue()

    @classmethod
    def decode(cls, data: bytes) -> Sample:
        table = pa.ipc.open_stream(data).read_all()
        return cls(table.replace_schema_metadata(None), int((table.schema.metadata or {})[b"rows"]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sample) and self.rows == other.rows and bool(self.table.equals(other.table))

    __hash__ = None  # type: ignore[assignment]  # a table has no hash


def sample_of(columns: Sequence[pa.Array], asked: NDArray[np.bool_] | None = None) -> Sample:
    """The sample of a batch: of the rows `asked` that have a target, the first of the columns."""
    there = columns[0].is_valid()
    there = there if asked is None else pc.and_(there, pa.array(asked))
    texts = [_text(one.filter(there)) for one in columns]
    table = frequencies(texts).table
    if not table.num_rows:
        return merge_samples([])
    keys = hash_rows(pa.StructArray.from_arrays([table[n].combine_chunks() for n in names_of(table)], names_of(table)))
    return _smallest(table.append_column(KEY, pa.array(keys)), len(texts[0]))


def merge_samples(parts: Iterable[Sample]) -> Sample:
    """The sample of the rows of all."""
    found = [part for part in parts if part.table.num_rows]
    if not found:
        return Sample(pa.table({}))
    table = pa.concat_tables([part.table for part in found])
    names = [KEY, *names_of(table)]
    summed = grouped(table, names, [ROWS])
    return _smallest(summed.select(found[0].table.column_names), sum(part.rows for part in found))


def _smallest(table: pa.Table, rows: int) -> Sample:
    order = [(KEY, "ascending"), *((name, "ascending") for name in names_of(table))]
    return Sample(table.sort_by(order).slice(0, KEPT).combine_chunks(), rows)


def _text(values: pa.Array) -> pa.Array:
    if pa.types.is_nested(values.type) or pa.types.is_binary(values.type) or pa.types.is_large_binary(values.type):
        raise TypeError(f"values of type {values.type} have no words")
    return pc.utf8_slice_codeunits(values.cast(pa.large_string()), 0, CELL)


def _weighted_f1(labels: NDArray[np.int64], said: NDArray[np.int64], weights: NDArray[np.int64], classes: int) -> float:
    """F1 of each label, weighed by its rows; a label that training had too seldom is never said right."""
    there = labels >= 0
    right = np.bincount(said[said == labels], weights[said == labels], classes)
    really = np.bincount(labels[there], weights[there], classes)
    f1 = 2 * right / np.maximum(np.bincount(said, weights, classes) + really, 1)
    return float((f1 * really).sum() / weights.sum())
