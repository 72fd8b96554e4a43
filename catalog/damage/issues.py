"""Data-quality issues on demand: ten types, sixty procedures, seeded (Auto-Validate-by-History, appendix B).

The paper lists ten types with thirty settings that make sixty variations of a column. Each setting comes in two forms
here, named in `ISSUES`, such as nulls that are NULL and nulls that are written as an empty string or zero. Injected
issues train recall, measure it (`benchmarks.avh`), and drill a user's own rules.

An issue that does not apply to a column (a unit of a string), or that changes nothing of its distribution (upper case
of digits, values permuted among rows), is no issue: None comes back and nobody is blamed for not seeing it.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Rng = np.random.Generator

#: Relative difference of doubles that is no difference: a digit appended to the seventeen of 2.0416666666666665.
#: A bound.
ROUNDING = 1e-12
PRINTABLE = np.array([chr(c) for c in range(33, 127)])


@dataclass(frozen=True)
class Issue:
    """One procedure.

    Parameters
    ----------
    type : name of one of the ten types.
    setting : the paper's parameter: per cent of rows or characters, or a factor.
    form : which of the setting's two forms.
    """

    type: str
    setting: float
    form: str

    @property
    def key(self) -> str:
        return f"{self.type}/{self.setting:g}/{self.form}"


#: What a procedure does to a column; None where it can do nothing to its type.
Damage = Callable[[pa.Array, Issue, Rng], pa.Array | None]


def _issues() -> tuple[Issue, ...]:
    settings: list[tuple[str, tuple[float, ...], tuple[str, str]]] = [
        ("schema_change", (1, 10, 100), ("sampled", "shifted")),
        ("unit_change", (10, 100, 1000), ("times", "divided")),
        ("casing", (1, 10, 100), ("upper", "lower")),
        ("nulls", (1, 50, 100), ("null", "blank")),
        ("volume", (0.1, 0.5, 2, 10), ("random", "in_order")),
        ("distribution_first", (10, 50), ("resampled", "cut")),
        ("distribution_last", (10, 50), ("resampled", "cut")),
        ("perturbation", (1, 10, 100), ("random", "next")),
        ("insertion", (10, 50), ("anywhere", "end")),
        ("deletion", (10, 50), ("anywhere", "half")),
        ("padding", (10, 50, 100), ("leading", "trailing")),
    ]
    return tuple(
        Issue(kind.split("_first")[0].split("_last")[0], value, form if not kind.endswith(("_first", "_last"))
              else f"{kind.split('_')[1]}_{form}")
        for kind, values, forms in settings
        for value in values
        for form in forms
    )  # fmt: skip


ISSUES = _issues()
TYPES = tuple(dict.fromkeys(issue.type for issue in ISSUES))


def inject(table: pa.Table, column: str, issue: Issue, seed: int = 0) -> pa.Table | None:
    """The table with one issue in one column; None where the issue does not apply or changes nothing.

    Volume and cut distributions change whole rows; all other issues change cells of `column` only. The neighbour of a
    schema change is the next column of the same type (round the end), as in the paper. A data frame goes through Arrow:
    ``polars.from_arrow(inject(frame.to_arrow(), ...))``.

    >>> table = pa.table({"a": ["x", "y"], "b": ["u", "v"]})
    >>> inject(table, "a", Issue("schema_change", 100, "shifted"))["a"].to_pylist()
    ['u', 'v']
    >>> inject(table, "a", Issue("unit_change", 10, "times")) is None
    True
    """
    index = table.schema.get_field_index(column)
    array = _flat(table.column(index))
    rng = np.random.default_rng([seed, zlib.crc32(f"{issue.key}/{column}".encode())])
    rows = _row_change(array, issue, rng)
    if rows is not None:
        changed = table.take(pa.array(rows))
        return None if _same(array, _flat(changed.column(index))) else changed
    new = change_column(array, issue, rng, neighbour=_neighbour(table, index))
    return None if new is None or _same(array, new) else table.set_column(index, table.schema.field(index), new)


def change_column(array: pa.Array, issue: Issue, rng: Rng, neighbour: pa.Array | None = None) -> pa.Array | None:
    """The cells of a column or a sample of it with an issue that keeps the number of rows; None where it does not
    apply."""
    change = _CHANGES.get(issue.type)
    if change is None or len(array) == 0:
        return None
    if issue.type == "schema_change":
        return None if neighbour is None else _schema_change(array, neighbour, issue, rng)
    return change(array, issue, rng)


def _flat(column: pa.ChunkedArray) -> pa.Array:
    array = column.combine_chunks()
    return pa.concat_arrays(array.chunks) if isinstance(array, pa.ChunkedArray) else array


def _neighbour(table: pa.Table, index: int) -> pa.Array | None:
    order = [*range(index + 1, table.num_columns), *range(index)]
    kind = table.schema.field(index).type
    found = next((i for i in order if table.schema.field(i).type == kind), None)
    return None if found is None else _flat(table.column(found))


def _same(a: pa.Array, b: pa.Array) -> bool:
    """Whether both hold the same values equally often; of floats but for the last digits, which hold rounding alone."""
    if len(a) != len(b):
        return False
    if a.equals(b):
        return True
    if pa.types.is_nested(a.type):
        return False
    if pa.types.is_floating(a.type):
        x, y = (np.sort(side.drop_null().to_numpy()) for side in (a, b))
        return len(x) == len(y) and bool(np.allclose(x, y, rtol=ROUNDING, atol=0, equal_nan=True))
    return bool(a.take(pc.array_sort_indices(a)).equals(b.take(pc.array_sort_indices(b))))


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _chosen(able: NDArray[np.bool_], per_cent: float, rng: Rng) -> NDArray[np.bool_]:
    """`per_cent` of all rows, at least one, out of those that the change is able to change; all of these if they are
    fewer."""
    places = np.flatnonzero(able)
    mask = np.zeros(len(able), bool)
    size = min(len(places), max(1, round(len(able) * per_cent / 100)))
    mask[rng.choice(places, size=size, replace=False) if size else places] = True
    return mask


def _differs(a: pa.Array, b: pa.Array) -> NDArray[np.bool_]:
    """Rows in which two columns differ; null differs from every value."""
    same: NDArray[np.bool_] = pc.fill_null(pc.equal(a, b), False).to_numpy(zero_copy_only=False)
    both: NDArray[np.bool_] = (a.is_null().to_numpy(zero_copy_only=False)) & (
        b.is_null().to_numpy(zero_copy_only=False)
    )
    return ~(same | both)


def _replace(array: pa.Array, mask: NDArray[np.bool_], values: pa.Array) -> pa.Array:
    return pc.if_else(pa.array(mask), values, array)


# ----------------------------------------------------------------------------------------------------- changes of rows


def _row_change(array: pa.Array, issue: Issue, rng: Rng) -> NDArray[np.int64] | None:
    """The rows of a changed volume or a biased sample; None for other issues."""
    n = len(array)
    if issue.type == "volume" and n:
        size = max(1, round(n * issue.setting))
        if issue.form == "in_order":
            return np.arange(size) % n
        return np.sort(rng.choice(n, size=size, replace=size > n))
    if issue.type == "distribution" and n and not pa.types.is_nested(array.type):
        order = pc.array_sort_indices(array, null_placement="at_end").to_numpy()[: n - array.null_count]
        end, form = issue.form.split("_")
        size = max(1, round(len(order) * issue.setting / 100))
        biased = order[:size] if end == "first" else order[len(order) - size :]
        return np.sort(biased) if form == "cut" or not len(biased) else rng.choice(biased, size=n)
    return None


# ---------------------------------------------------------------------------------------------------- changes of cells


def _schema_change(array: pa.Array, neighbour: pa.Array, issue: Issue, rng: Rng) -> pa.Array:
    if issue.form == "sampled":
        neighbour = neighbour.take(pa.array(rng.integers(0, len(neighbour), len(array))))
    return _replace(array, _chosen(_differs(array, neighbour), issue.setting, rng), neighbour)


def _unit_change(array: pa.Array, issue: Issue, rng: Rng) -> pa.Array | None:
    if not _is_number(array.type):
        return None
    if pa.types.is_decimal(array.type):
        factor = Decimal(int(issue.setting)) if issue.form == "times" else 1 / Decimal(int(issue.setting))
        return _as_decimals([None if v is None else v * factor for v in array.to_pylist()], array.type)
    values = pc.cast(array, pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    changed = values * issue.setting if issue.form == "times" else values / issue.setting
    return _as_type(changed, array)


def _as_type(values: NDArray[np.float64], array: pa.Array) -> pa.Array:
    """Numbers back in the column's type: integers are truncated, what does not fit becomes null."""
    null = array.is_null().to_numpy(zero_copy_only=False)
    if pa.types.is_floating(array.type):
        return pa.array(values, array.type, mask=null)
    bits = array.type.bit_width if pa.types.is_integer(array.type) else 64
    limit = 2.0 ** (bits - 1)
    bad = null | ~np.isfinite(values) | (np.abs(values) >= limit)
    whole = pa.array(np.trunc(np.where(bad, 0, values)).astype(np.int64), pa.int64(), mask=bad)
    return pc.cast(whole, array.type, safe=False)


def _as_decimals(values: list[Decimal | None], kind: pa.DataType) -> pa.Array:
    """Decimals cut to the type's scale; what has too many digits for it becomes null."""
    unit, limit = Decimal(1).scaleb(-kind.scale), Decimal(10) ** (kind.precision - kind.scale)
    fit = [None if v is None or abs(v) >= limit else v.quantize(unit, ROUND_DOWN) for v in values]
    return pa.array(fit, kind)


def _casing(array: pa.Array, issue: Issue, rng: Rng) -> pa.Array | None:
    if not _is_text(array.type):
        return None
    changed = pc.utf8_upper(array) if issue.form == "upper" else pc.utf8_lower(array)
    return _replace(array, _chosen(_differs(array, changed), issue.setting, rng), changed)


def _nulls(array: pa.Array, issue: Issue, rng: Rng) -> pa.Array | None:
    blank = pa.scalar(None, array.type)
    if issue.form == "blank" and _is_text(array.type):
        blank = pa.scalar("", array.type)
    elif issue.form == "blank":
        if not _is_number(array.type):
            return None
        blank = pa.scalar(Decimal(0) if pa.types.is_decimal(array.type) else 0, array.type)
    filled = array.is_valid().to_numpy(zero_copy_only=False)
    if blank.is_valid:
        filled &= pc.fill_null(pc.not_equal(array, blank), False).to_numpy(zero_copy_only=False)
    return _replace(array, _chosen(filled, issue.setting, rng), blank)


def _through_text(change: Callable[[list[str | None], Issue, Rng, bool], list[str | None]]) -> Damage:
    """A change of characters, of strings or of the digits that numbers are written with."""

    def apply(array: pa.Array, issue: Issue, rng: Rng) -> pa.Array | None:
        if _is_text(array.type):
            return pa.array(change(array.to_pylist(), issue, rng, False), array.type)
        if not _is_number(array.type):
            return None
        texts = change(pc.cast(array, pa.string()).to_pylist(), issue, rng, True)
        return _parse(texts, array.type)

    return apply


def _parse(texts: list[str | None], kind: pa.DataType) -> pa.Array:
    """Numbers of texts; a text that is no number of the type becomes null, as a reader with a schema does."""
    array = pa.array(texts, pa.string())
    try:
        return pc.cast(array, kind)
    except pa.ArrowInvalid:
        return pa.array([_number(text, kind) for text in texts], kind)


def _number(text: str | None, kind: pa.DataType) -> object:
    try:
        return None if text is None else pc.cast(pa.scalar(text), kind).as_py()
    except pa.ArrowInvalid:
        return None


_CLASSES = (b"0123456789", b"abcdefghijklmnopqrstuvwxyz", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def _perturbation(texts: list[str | None], issue: Issue, rng: Rng, numeric: bool) -> list[str | None]:
    """Change `setting` per cent of the characters to another of the same class."""
    joined = "\x00".join(t or "" for t in texts)
    data = np.frombuffer(joined.encode("utf-8", "surrogatepass"), np.uint8).copy()
    classes = _CLASSES[:1] if numeric else _CLASSES
    at = np.flatnonzero(np.isin(data, np.frombuffer(b"".join(classes), np.uint8)))
    if not len(at):
        return texts
    at = at[_chosen(np.ones(len(at), bool), issue.setting, rng)]
    for letters in classes:
        first, size = letters[0], len(letters)
        mine = at[(data[at] >= first) & (data[at] < first + size)]
        step = 1 if issue.form == "next" else rng.integers(1, size, len(mine))
        data[mine] = first + (data[mine] - first + step) % size
    changed = data.tobytes().decode("utf-8", "surrogatepass").split("\x00")
    if len(changed) != len(texts):  # a value holds the separator
        return texts
    return [None if old is None else new for old, new in zip(texts, changed, strict=True)]


def _each(texts: list[str | None], issue: Issue, rng: Rng, change: Callable[[str], str]) -> list[str | None]:
    mask = _chosen(np.array([bool(t) for t in texts]), issue.setting, rng)
    return [change(t) if m and t else t for t, m in zip(texts, mask, strict=True)]


def _insertion(texts: list[str | None], issue: Issue, rng: Rng, numeric: bool) -> list[str | None]:
    def change(text: str) -> str:
        place = len(text) if issue.form == "end" else int(rng.integers(0, len(text) + 1))
        new = str(rng.integers(0, 10)) if numeric else str(rng.choice(PRINTABLE))
        return text[:place] + new + text[place:]

    return _each(texts, issue, rng, change)


def _deletion(texts: list[str | None], issue: Issue, rng: Rng, numeric: bool) -> list[str | None]:
    def change(text: str) -> str:
        if issue.form == "half":
            return text[: max(1, len(text) // 2)]
        place = int(rng.integers(0, len(text)))
        return text[:place] + text[place + 1 :]

    return _each(texts, issue, rng, change)


def _padding(array: pa.Array, issue: Issue, rng: Rng) -> pa.Array | None:
    if not _is_text(array.type):
        return None

    def change(text: str) -> str:
        blank = " " * int(rng.integers(1, 4))
        return blank + text if issue.form == "leading" else text + blank

    return pa.array(_each(array.to_pylist(), issue, rng, change), array.type)


_CHANGES: dict[str, Damage] = {
    "schema_change": _unit_change,  # never called: it wants the neighbour, see `change_column`
    "unit_change": _unit_change,
    "casing": _casing,
    "nulls": _nulls,
    "perturbation": _through_text(_perturbation),
    "insertion": _through_text(_insertion),
    "deletion": _through_text(_deletion),
    "padding": _padding,
}
