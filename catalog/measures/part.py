"""Parts: what declared checks ask to be counted of a file's rows, each under a key of its own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from catalog.errors import AssayError, StateError, UsageError
from catalog.measures.counts import Matches, matches_of, merge_matches
from catalog.measures.groups.frequency import Frequencies, Groups, frequencies, merge_frequencies
from catalog.measures.groups.stored import Open, Stored
from catalog.measures.numbers import Numbers, Pair, merge_numbers, merge_pairs, numbers, pairs
from catalog.measures.sample import Sample, merge_samples, sample_of
from catalog.measures.tuples import Tuples, merge_tuples, tuples_of
from catalog.measures.types import TypeCounts, merge_types, type_counts
from catalog.predicates.engine import Mask, answers, kinds_of
from catalog.predicates.kinds import NeedsSpark
from catalog.predicates.predicate import Predicate, PredicateError
from catalog.predicates.typed import compile_predicate

State = Matches | Groups | Sample | Numbers | Pair | TypeCounts | Tuples
#: Version of the encoding; a change of what a kind counts raises it, so that old bytes are never taken for new ones.
ENCODING = 1


@dataclass(frozen=True)
class Part:
    """What is counted.

    Parameters
    ----------
    kind : ``matches`` (rows where `predicate` holds; all rows without one), ``frequencies`` (groups of `columns`),
        ``numbers`` (of a column), ``times`` (of a column, as microseconds since 1970 in UTC), ``lengths`` (of the
        texts of a column), ``pair`` (of two columns of numbers), ``types``, ``sample`` (rows of `columns`, bounded) or
        ``tuples`` (hashes of the rows of `columns`, bounded).
    columns : dotted names of leaf columns.
    predicate, where : conditions in SQL (`catalog.predicates`); `where` limits the rows that are asked, and a row of
        which it is null is out.

    >>> Part("matches", predicate="a > 0").key == Part("matches", predicate="a>0").key
    True
    >>> Part("frequencies", ("a",)).key == Part("frequencies", ("a",), where="b = 1").key
    False
    """

    kind: str
    columns: tuple[str, ...] = ()
    predicate: str | None = None
    where: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in PART_KINDS:
            raise UsageError(
                f"{self.kind!r} is none of the kinds of parts", remedy="use one of " + ", ".join(PART_KINDS)
            )

    @cached_property
    def key(self) -> str:
        """SHA-256 (first 24 hex digits) of what is counted: under it the states of files are kept."""
        told = [ENCODING, self.kind, list(self.columns), *(_canonical(text) for text in (self.predicate, self.where))]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:24]

    @property
    def conditions(self) -> list[Predicate]:
        return [Predicate(text) for text in (self.predicate, self.where) if text is not None]

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns that have to be read, each once."""
        return tuple(dict.fromkeys([*self.columns, *(name for one in self.conditions for name in one.columns)]))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Part:
        return cls(data["kind"], tuple(data["columns"]), data.get("predicate"), data.get("where"))

    def merge(self, states: Iterable[State]) -> State:
        """The state of the rows of all; the empty state where there are none."""
        return PART_KINDS[self.kind].merge(states)

    def encode(self, state: State) -> bytes:
        if isinstance(state, Frequencies | Stored | Sample):
            return bytes([ENCODING]) + state.encode()
        if isinstance(state, Groups):
            return bytes([ENCODING]) + Frequencies(state.table, state.nulls).encode()
        return bytes([ENCODING]) + json.dumps(state.to_json()).encode()

    def decode(self, data: bytes, open: Open | None = None) -> State:
        """Inverse of `encode`; `open` maps files of groups into memory. Raises `StateError` for bytes of another
        version or damaged ones."""
        if data[:1] != bytes([ENCODING]):
            raise StateError("a counted part is of another version", remedy="crawl the table again")
        try:
            if self.kind == "frequencies" and data[1:2] == b"{":
                return Stored.decode(data[1:], open)
            if self.kind == "frequencies":
                return Frequencies.decode(data[1:])
            if self.kind == "sample":
                return Sample.decode(data[1:])
            found: State = PART_KINDS[self.kind].state.from_json(json.loads(data[1:]))
            return found
        except (ValueError, TypeError, KeyError, pa.ArrowException) as error:
            raise StateError(f"a counted part is damaged ({error})", remedy="crawl the table again") from error


def _canonical(text: str | None) -> str | None:
    return None if text is None else Predicate(text).canonical


@dataclass(frozen=True)
class _Kind:
    state: Any
    merge: Callable[[Iterable[Any]], State]
    fold: Callable[[Part, Mapping[str, pa.Array], Mask], State]


def _asked(array: pa.Array, asked: Mask) -> pa.Array:
    return array if asked.all() else array.filter(pa.array(asked))


def _fold_frequencies(part: Part, columns: Mapping[str, pa.Array], asked: Mask) -> State:
    return frequencies([columns[name] for name in part.columns], None if asked.all() else asked)


def _fold_numbers(part: Part, columns: Mapping[str, pa.Array], asked: Mask) -> State:
    return numbers(_asked(columns[part.columns[0]], asked))


def _fold_times(part: Part, columns: Mapping[str, pa.Array], asked: Mask) -> State:
    array = _asked(columns[part.columns[0]], asked)
    if not (pa.types.is_timestamp(array.type) or pa.types.is_date(array.type)):
        raise TypeError(f"values of type {array.type} are no times")
    zone = array.type.tz if pa.types.is_timestamp(array.type) else None
    return numbers(array.cast(pa.timestamp("us", zone), safe=False).cast(pa.int64()))


def _fold_lengths(part: Part, columns: Mapping[str, pa.Array], asked: Mask) -> State:
    array = _asked(columns[part.columns[0]], asked)
    if not (
        pa.types.is_string(array.type) or pa.types.is_large_string(array.type) or pa.types.is_string_view(array.type)
    ):
        raise TypeError(f"values of type {array.type} have no length in characters")
    import pyarrow.compute as pc

    return numbers(pc.utf8_length(array.cast(pa.large_string())))


def _fold_pair(part: Part, columns: Mapping[str, pa.Array], asked: Mask) -> State:
    return pairs(*(_asked(columns[name], asked) for name in part.columns))


def _fold_sample(part: Part, columns: Mapping[str, pa.Array], asked: Mask) -> State:
    return sample_of([columns[name] for name in part.columns], None if asked.all() else asked)


def _fold_tuples(part: Part, columns: Mapping[str, pa.Array], asked: Mask) -> State:
    return tuples_of([columns[name] for name in part.columns], None if asked.all() else asked)


def _fold_types(part: Part, columns: Mapping[str, pa.Array], asked: Mask) -> State:
    return type_counts(_asked(columns[part.columns[0]], asked))


def _fold_matches(part: Part, columns: Mapping[str, pa.Array], asked: Mask) -> State:
    everything = np.ones(len(asked), bool)
    return matches_of(everything, everything, asked)


PART_KINDS: dict[str, _Kind] = {
    "matches": _Kind(Matches, merge_matches, _fold_matches),
    "frequencies": _Kind(Frequencies, merge_frequencies, _fold_frequencies),
    "numbers": _Kind(Numbers, merge_numbers, _fold_numbers),
    "times": _Kind(Numbers, merge_numbers, _fold_times),
    "lengths": _Kind(Numbers, merge_numbers, _fold_lengths),
    "pair": _Kind(Pair, merge_pairs, _fold_pair),
    "sample": _Kind(Sample, merge_samples, _fold_sample),
    "types": _Kind(TypeCounts, merge_types, _fold_types),
    "tuples": _Kind(Tuples, merge_tuples, _fold_tuples),
}


def fold_parts(
    columns: Mapping[str, pa.Array], rows: int, parts: Sequence[Part]
) -> dict[str, State | AssayError | NeedsSpark]:
    """Every part's state of a batch by its key, in one evaluation of all conditions.

    What is wrong with one part is its own answer: an error in place of a state, `NeedsSpark` where a condition has to
    be evaluated by Spark.

    Parameters
    ----------
    columns : leaf columns by dotted name; `rows` long, also where there are none.

    >>> data = {"a": pa.array([1, 5, None, 11])}
    >>> inside = Part("matches", predicate="a IS NULL OR a BETWEEN 1 AND 10")
    >>> found = fold_parts(data, 4, [inside, Part("numbers", ("b",))])
    >>> found[inside.key].share, list(map(str, found.values()))[1]
    (0.75, "there is no column 'b' in this version; name one of: a")
    """
    said = _conditions(columns, rows, parts)
    out: dict[str, State | AssayError | NeedsSpark] = {}
    for part in parts:
        if part.key not in out:
            out[part.key] = _fold(part, columns, rows, said)
    return out


Said = dict[str, tuple[Mask, Mask] | PredicateError | NeedsSpark]


def _fold(part: Part, columns: Mapping[str, pa.Array], rows: int, said: Said) -> State | AssayError | NeedsSpark:
    missing = next((name for name in part.columns if name not in columns), None)
    if missing is not None:
        return UsageError(
            f"there is no column {missing!r} in this version", remedy="name one of: " + ", ".join(list(columns)[:12])
        )
    answers = [said[one.fingerprint] for one in part.conditions]
    for answer in answers:
        if isinstance(answer, Exception):
            return answer
    known = [answer for answer in answers if not isinstance(answer, Exception)]
    asked = known[-1][0] if part.where is not None else np.ones(rows, bool)
    if part.predicate is not None:
        return matches_of(*known[0], asked)
    try:
        return PART_KINDS[part.kind].fold(part, columns, asked)
    except (TypeError, pa.ArrowException) as error:
        names = ", ".join(part.columns)
        return UsageError(
            f"column {names}: {error}", remedy="ask for something that fits the column's type, or CAST it"
        )


def _conditions(columns: Mapping[str, pa.Array], rows: int, parts: Sequence[Part]) -> Said:
    """(true, not null) of each distinct condition; one that fails fails by itself."""
    # of an Arrow table without columns nobody knows how many rows it has
    columns = columns or {"": pa.nulls(rows)}
    kinds = kinds_of({name: array.type for name, array in columns.items()})
    said: Said = {}
    good: list[tuple[Predicate, str]] = []
    for key, predicate in {one.fingerprint: one for part in parts for one in part.conditions}.items():
        try:
            good.append((predicate, compile_predicate(predicate, kinds)))
        except (PredicateError, NeedsSpark) as error:
            said[key] = error
    try:
        return said | _answered(columns, good)
    except PredicateError:  # one of them, in some row: each by itself tells which
        for one in good:
            try:
                said |= _answered(columns, [one])
            except PredicateError as error:
                said[one[0].fingerprint] = error
    return said


def _answered(columns: Mapping[str, pa.Array], compiled: Sequence[tuple[Predicate, str]]) -> Said:
    found = answers(columns, compiled)
    return {one.fingerprint: answer for (one, _), answer in zip(compiled, found, strict=True)}
