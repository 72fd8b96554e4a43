"""States as bytes, and back.

Layout: ``AS``, a version byte, CRC-32 of the rest (4 bytes), length of the compressible stream before compression
(LEB128 varint), length of its zstd frame (varint), the frame, and the incompressible stream as it is. A column kept
value by value is written as its table of values only; hashes of listed values are computed again on reading.
"""

from __future__ import annotations

import zlib
from dataclasses import replace

import numpy as np
import pyarrow as pa

from catalog.errors import StateError
from catalog.states.column import ColumnState, Parts
from catalog.states.folding.hashing import hash_values
from catalog.states.parts.calendar import Before, Calendar
from catalog.states.parts.distinct import FULL, Distinct, truncate
from catalog.states.parts.moments import Moments
from catalog.states.parts.order import Order
from catalog.states.parts.shapes import Lengths, Shape, Shapes
from catalog.states.parts.summaries import Frequent, Quantiles
from catalog.states.table import TableState
from catalog.states.wire import Reader, Writer

MAGIC = b"AS"
VERSION = 6
# version 1 knows no order of rows, 1 and 2 not how far counts of merged states fall short, 1 to 3 nothing of calendars,
# the order of times and garbled text, 1 to 4 not how the sampled values are written, 1 to 5 not how exact times are
READABLE = (1, 2, 3, 4, 5, 6)
_KINDS = ("string", "number", "boolean", "time", "binary", "list", "other")
_LENGTHS = (
    "n",
    "chars",
    "letters",
    "digits",
    "punctuation",
    "spaces",
    "upper",
    "lower",
    "other",
    "shortest",
    "longest",
)


def encode(state: TableState) -> bytes:
    """The state as bytes; equal states give equal bytes.

    >>> from catalog.states.folding.fold import fold
    >>> state = fold(pa.table({"x": ["a", None], "y": [0.5, 1.5]}))
    >>> decode(encode(state)) == state
    True
    """
    out = Writer()
    out.unsigned(state.rows)
    out.unsigned(state.complete_rows)
    _put_distinct(out, state.row_distinct)
    out.unsigned(len(state.columns))
    for name, column in state.columns.items():
        out.text(name)
        _put_column(out, column)
    frame = pa.Codec("zstd", compression_level=9).compress(bytes(out.plain), asbytes=True)
    head = Writer()
    head.unsigned(len(out.plain))
    head.unsigned(len(frame))
    body = bytes(head.plain) + frame + bytes(out.noise)
    return b"".join((MAGIC, bytes([VERSION]), zlib.crc32(body).to_bytes(4, "little"), body))


def decode(data: bytes) -> TableState:
    """The state that `encode` wrote; `StateError` when the bytes are damaged or of another version."""
    if data[:2] != MAGIC or len(data) < 9:
        raise StateError("these bytes are no state")
    if data[2] not in READABLE:
        raise StateError(f"the state is of version {data[2]}, this program reads version {VERSION}")
    body = data[7:]
    if zlib.crc32(body) != int.from_bytes(data[3:7], "little"):
        raise StateError("the state is damaged (its checksum does not match)")
    try:
        head = Reader(body[:20], b"")
        size, length = head.unsigned(), head.unsigned()
        plain = pa.Codec("zstd").decompress(body[head.at : head.at + length], size, asbytes=True)
        return _get_table(Reader(plain, body[head.at + length :]), data[2])
    except (IndexError, KeyError, ValueError, TypeError, OverflowError, pa.ArrowException) as error:
        raise StateError(f"the state is damaged ({error})") from error


def _get_table(source: Reader, version: int) -> TableState:
    rows, complete = source.unsigned(), source.unsigned()
    row_distinct = _get_distinct(source)
    columns = {}
    for _ in range(source.unsigned()):
        name = source.text()
        columns[name] = _get_column(source, version)
    return TableState(rows, complete, columns, row_distinct)


# --------------------------------------------------------------------------------------------------------- columns


def _put_column(out: Writer, c: ColumnState) -> None:
    out.unsigned(_KINDS.index(c.kind) << 1 | (c.table is not None))
    out.text(c.type)
    for count in (c.rows, c.nulls, c.empties, c.nans):
        out.unsigned(count)
    if c.kind == "string":
        _put_order(out, c.order)
    if c.kind == "time":
        _put_before(out, c.before)
    if c.table is not None:
        out.unsigned(len(c.table))
        out.values([v for v, _ in c.table])
        _put_falling(out, [n for _, n in c.table])
    else:
        _put_parts(out, c.parts)


def _get_column(source: Reader, version: int) -> ColumnState:
    head = source.unsigned()
    kind = _KINDS[head >> 1]
    name = source.text()
    rows, nulls, empties, nans = (source.unsigned() for _ in range(4))
    order = _get_order(source) if kind == "string" and version > 1 else None
    before = _get_before(source) if kind == "time" and version > 3 else ()
    if not head & 1:
        parts = _get_parts(source, version)
        return ColumnState(kind, name, rows, nulls, empties, nans, None, parts, order, before)
    size = source.unsigned()
    values = source.values(size)
    table = tuple(zip(values, _get_falling(source, size), strict=True))
    return ColumnState(kind, name, rows, nulls, empties, nans, table, order=order, before=before)


def _put_order(out: Writer, order: Order | None) -> None:
    out.unsigned(0 if order is None else order.pairs + 1)
    if order is not None:
        out.unsigned(order.equal)
        out.unsigned(order.rising)


def _get_order(source: Reader) -> Order | None:
    pairs = source.unsigned()
    return Order(pairs - 1, source.unsigned(), source.unsigned()) if pairs else None


def _put_before(out: Writer, before: tuple[Before, ...]) -> None:
    out.unsigned(len(before))
    for one in before:
        out.text(one.column)
        out.unsigned(one.rows)
        out.unsigned(one.earlier)


def _get_before(source: Reader) -> tuple[Before, ...]:
    return tuple(Before(source.text(), source.unsigned(), source.unsigned()) for _ in range(source.unsigned()))


def _put_falling(out: Writer, counts: list[int]) -> None:
    """Counts, largest first, as their differences."""
    last = 0
    for i, count in enumerate(counts):
        out.unsigned(last - count if i else count)
        last = count


def _get_falling(source: Reader, size: int) -> list[int]:
    counts, last = [], 0
    for i, step in enumerate(source.unsigned_list(size)):
        last = last - step if i else step
        counts.append(last)
    return counts


def _put_parts(out: Writer, p: Parts) -> None:
    there = (p.moments, p.low, p.quantiles, p.lengths, p.shapes, p.calendar)
    out.unsigned(sum(1 << i for i, part in enumerate(there) if part is not None))
    if p.moments is not None:
        _put_moments(out, p.moments)
    if p.low is not None:
        out.values([p.low])
        out.values([p.high])
    _put_distinct(out, p.distinct)
    _put_frequent(out, p.frequent)
    if p.quantiles is not None:
        _put_quantiles(out, p.quantiles)
    if p.lengths is not None:
        for name in _LENGTHS:
            out.unsigned(getattr(p.lengths, name))
        out.double(p.lengths.m2)
    if p.shapes is not None:
        _put_shapes(out, p.shapes)
    out.unsigned(p.parsed)
    out.unsigned(0 if p.garbled is None else p.garbled + 1)
    _put_written(out, p)
    if p.calendar is not None:
        for counts in (p.calendar.hours, p.calendar.weekdays, p.calendar.whole):
            out.unsigned(len(counts))
            for count in counts:
                out.unsigned(count)


def _get_parts(source: Reader, version: int) -> Parts:
    there = source.unsigned()
    moments = _get_moments(source) if there & 1 else None
    low, high = (source.values(1)[0], source.values(1)[0]) if there & 2 else (None, None)
    distinct, frequent = _get_distinct(source), _get_frequent(source, version)
    quantiles = _get_quantiles(source) if there & 4 else None
    lengths = Lengths(**{name: source.unsigned() for name in _LENGTHS}, m2=source.double()) if there & 8 else None
    shapes = _get_shapes(source) if there & 16 else None
    distinct = distinct.without([(h, n) for h, (_, n) in zip(frequent.hashes, frequent.items, strict=True)])
    parsed = source.unsigned()
    garbled = (source.unsigned() or None) if version > 3 else None
    garbled = None if garbled is None else garbled - 1
    if version > 4:
        distinct = replace(distinct, values=_get_written(source, frequent))
    calendar = Calendar(*(_get_counts(source) for _ in range(3 if version > 5 else 2))) if there & 32 else None
    return Parts(moments, low, high, distinct, frequent, quantiles, lengths, shapes, parsed, garbled, calendar)


def _put_written(out: Writer, p: Parts) -> None:
    """The sampled values as they are written: one that is frequent by its place among these."""
    places = {h: i for i, h in enumerate(p.frequent.hashes)}
    values = list(zip(p.distinct.values, p.distinct.hashes.tolist(), strict=False))
    there = [places.get(h, -1) for _, h in values]
    out.unsigned(len(values))
    for place in there:
        out.unsigned(place + 1)
    out.values([text for (text, _), place in zip(values, there, strict=True) if place < 0])


def _get_written(source: Reader, frequent: Frequent) -> tuple[str, ...]:
    places = source.unsigned_list(source.unsigned())
    others = iter(source.values(places.count(0)))
    return tuple(frequent.items[place - 1][0] if place else next(others) for place in places)


def _get_counts(source: Reader) -> tuple[int, ...]:
    return tuple(source.unsigned_list(source.unsigned()))


# ----------------------------------------------------------------------------------------------------------- parts


def _put_moments(out: Writer, m: Moments) -> None:
    out.unsigned(m.n)
    out.values([m.total])
    for value in (m.mean, m.m2, m.m3, m.m4):
        out.double(value)


def _get_moments(source: Reader) -> Moments:
    n, total = source.unsigned(), source.values(1)[0]
    return Moments(n, source.double(), source.double(), source.double(), source.double(), total)


def _put_distinct(out: Writer, d: Distinct) -> None:
    out.unsigned((d.threshold < FULL) << 1 | (d.known is not None))
    out.unsigned(d.rows)
    if d.threshold < FULL:
        out.unsigned(d.threshold >> 16)
        if d.known is not None:
            out.unsigned(d.known[0])
            out.unsigned(d.known[1])
    out.hashes(d.hashes)
    for count in d.counts.tolist():
        out.unsigned(count)


def _get_distinct(source: Reader) -> Distinct:
    head, rows = source.unsigned(), source.unsigned()
    threshold = source.unsigned() << 16 if head & 2 else FULL
    known = (source.unsigned(), source.unsigned()) if head == 3 else None
    hashes = source.hashes()
    counts = np.array(source.unsigned_list(len(hashes)), np.int64)
    if head == 1:
        known = (len(hashes), int(np.count_nonzero(counts == 1)))
    return Distinct(hashes, counts, threshold, rows, known)


def _put_frequent(out: Writer, f: Frequent) -> None:
    out.unsigned(len(f.items) << 1 | f.exact)
    out.unsigned(f.most_unlisted)
    out.unsigned(f.undercount)
    values = [v for v, _ in f.items]
    out.values(values)
    _put_falling(out, [n for _, n in f.items])
    # a value that was cut or damaged does not hash to its hash any more
    differing = [(i, h) for i, (h, own) in enumerate(zip(f.hashes, _hashes(values), strict=True)) if h != own]
    out.unsigned(len(differing))
    for i, h in differing:
        out.unsigned(i)
        out.unsigned(h >> 16)


def _get_frequent(source: Reader, version: int) -> Frequent:
    head, most_unlisted = source.unsigned(), source.unsigned()
    undercount = source.unsigned() if version > 2 else most_unlisted
    size = head >> 1
    values = source.values(size)
    counts = _get_falling(source, size)
    hashes = _hashes(values)
    for _ in range(source.unsigned()):
        i = source.unsigned()
        hashes[i] = source.unsigned() << 16
    return Frequent(tuple(zip(values, counts, strict=True)), most_unlisted, bool(head & 1), tuple(hashes), undercount)


def _hashes(values: list[object]) -> list[int]:
    return [int(h) for h in truncate(hash_values(values))]


def _put_quantiles(out: Writer, q: Quantiles) -> None:
    out.unsigned(len(q.values))
    out.values([float(x) for x in q.values])
    for weight in q.weights.tolist():
        out.unsigned(weight)
    out.double(q.error)


def _get_quantiles(source: Reader) -> Quantiles:
    size = source.unsigned()
    values = np.array(source.values(size), np.float64)
    return Quantiles(values, np.array(source.unsigned_list(size), np.int64), source.double())


def _put_shapes(out: Writer, s: Shapes) -> None:
    out.unsigned(len(s.items))
    out.unsigned(s.other)
    out.unsigned(s.level)
    for shape in s.items:
        out.text(shape.text)
        out.text(shape.low)
        out.text(shape.high)
    _put_falling(out, [shape.count for shape in s.items])


def _get_shapes(source: Reader) -> Shapes:
    size, other, level = source.unsigned(), source.unsigned(), source.unsigned()
    texts = [(source.text(), source.text(), source.text()) for _ in range(size)]
    counts = _get_falling(source, size)
    items = tuple(Shape(t, n, low, high) for (t, low, high), n in zip(texts, counts, strict=True))
    return Shapes(items, other, level)
