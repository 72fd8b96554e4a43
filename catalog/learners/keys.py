"""Learning which columns identify rows: those that are called so and never held a value twice, in a batch or across
loads; and, where no column does, which few of them do together. Elements of lists identify no rows."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations

from catalog.domains.domain import words
from catalog.domains.known import in_force
from catalog.domains.names.asked import KEYED
from catalog.history.earlier import Again
from catalog.history.series import Past, column_series
from catalog.rules.chances import AGAIN, REPEATED, REPEATS
from catalog.rules.clauses.band import filled
from catalog.rules.kinds.key import KeyRule, NewKeyRule, NewRowsRule, listed, repeats
from catalog.states.column import ColumnState
from catalog.states.elements import list_of
from catalog.states.parts.distinct import share_bounds
from catalog.states.table import TableState
from catalog.wording import counted

#: Rows that every batch must have had, and values of loads that were compared with earlier ones. Chosen: of 20 to 50
#: rows numbers of something else are often all different, and two columns called so held 2 and 5% of them twice later;
#: with 50 or more none did (`catalog.rules.chances`).
ENOUGH = 50
#: Of whole rows as many may have come in earlier loads before, at most; chosen: where more did, rows say what is usual
#: rather than what happened, and half of what is left is no clear sign of a load that came again.
SHARED = 0.5
KINDS = ("string", "number")  # of columns that identify something
TOGETHER = "together"  # the learner of those that several columns are
#: Most columns that identify rows together, and candidates that are counted; bounds.
MOST_TOGETHER, MOST_COUNTED = 3, 40
#: What a column is called that tells a row from others of its kind by a place in an order, or by a day.
_PLACED = re.compile(
    r"\b(?:line|seq|sequence|pos|position|index|idx|row|rank|item|step|level|bracket|page|slot|version|revision|edition"
    r"|date|day|week|month|quarter|year|period|time|timestamp|at|from|since|until|start|end|begin)$"
)
_CODED = re.compile(r"\b(?:uuid|code)$")
#: ... where the word for a key stands first, as Romance and Slavic languages have it.
_FIRST = re.compile(r"^(?:id|cod|código|codigo|codice|kod|clave) \w")
#: ... and that a count may be called as well.
_COUNTING = re.compile(r"\b(?:number|no|nr|num)$")
#: What a column is said to be that names things and is of no known domain (`catalog.tags.generic`).
CODES = frozenset({"code", "opaque_id", "person_key"})
#: What people of a household or neighbours share: numbers that no two rows have by chance, until the next one comes.
SHARED_NUMBERS = frozenset({"phone", "postcode", "house_number"})
#: Whole numbers that all have so many digits, and no fewer, count nothing. Chosen: as a card or telephone number has.
MANY_DIGITS = 10
_JOINED = re.compile(r"\b([a-z]{3,})(?:id|key)$")


def is_called_key(column: str, table: str) -> bool:
    """Whether a column's name, with that of its table, says that it identifies rows.

    >>> [is_called_key(name, "orders") for name in ("order_id", "OrderNo", "id_pedido", "o_orderkey", "paid", "status")]
    [True, True, True, True, False, False]
    """
    named = words(column)
    joined = _JOINED.search(named)
    of_table = joined is not None and any(word.startswith(joined[1]) for word in words(table).split())
    return any(regex.search(named) for regex in (KEYED, _CODED, _FIRST)) or of_table


def may_name_rows(column: str) -> bool:
    """Whether a column may be called as another table's key is: more are than those that `is_called_key`.

    >>> [may_name_rows(name) for name in ("o_custkey", "customer_id", "paid", "status")]
    [True, True, False, False]
    """
    return is_called_key(column, "") or _JOINED.search(words(column)) is not None


def is_code(column: str, state: ColumnState, meant: Collection[str]) -> bool:
    """Whether a column's numbers name things and measure nothing, so that an average of them says nothing: it is tagged
    as a code, is called as keys are, or holds digits as of card numbers.

    Parameters
    ----------
    meant : the domains that it is tagged with.

    >>> import pyarrow as pa
    >>> from catalog.states.folding.fold import fold
    >>> numbers = {"customer_id": [7, 9], "card": [4556737586899855, 4716461583322103], "lines_no": [1, 2], "x": [7, 9]}
    >>> columns = fold(pa.table(numbers | {"user_id": [0.5, 0.7]})).columns
    >>> [is_code(name, columns[name], ()) for name in columns]
    [True, True, False, False, False]
    >>> [is_code("x", columns["x"], {tag}) for tag in ("phone", "salary", "person_key")]
    [True, False, True]
    """
    if state.kind != "number":
        return False
    known = [in_force()[name] for name in meant if name in in_force()]
    if known or not CODES.isdisjoint(meant):
        return all(one.limits is None for one in known)
    if not state.is_whole and (state.quantiles is None or not all(map(float.is_integer, state.quantiles.values))):
        return False
    digits = {len(str(abs(int(one)))) for one in (state.low, state.high) if one is not None and math.isfinite(one)}
    if len(digits) == 1 and min(digits) >= MANY_DIGITS:
        return True
    counts = _COUNTING.search(words(column)) is not None and state.distinct.estimate() < ENOUGH
    return may_name_rows(column) and not counts


def may_be_keys(kinds: Mapping[str, str], meant: Mapping[str, Collection[str]]) -> dict[str, str]:
    """The kinds of those columns that are not tagged with what several rows share, though it may be called a number.

    >>> may_be_keys({"client_no": "string", "phone_no": "string"}, {"phone_no": {"phone"}})
    {'client_no': 'string'}
    """
    return {name: kind for name, kind in kinds.items() if SHARED_NUMBERS.isdisjoint(meant.get(name, ()))}


def learn_keys(series: Past, table: str, kinds: Mapping[str, str]) -> list[KeyRule]:
    """One rule for each column that is called a key and never held a value twice.

    Parameters
    ----------
    series : metrics of the batches of one kind, oldest first, None for those that are not healthy.
    table : its name.
    kinds : kind of each column now; others than strings and whole numbers identify nothing.

    >>> from catalog.history.series import TableMetrics
    >>> ids = {"row_count": 90.0, "complete_ratio": 1.0, "unique_ratio": 1.0}
    >>> past = [TableMetrics(90, {"order_id": ids, "customer_id": ids | {"unique_ratio": 0.8}, "note": ids})] * 2
    >>> for rule in learn_keys(past, "orders", dict.fromkeys(past[0].columns, "string")):
    ...     print(rule.column, rule.sentence)
    order_id No two rows have the same value; at most 0.5% of them repeat one (as in its last 2 batches).
    """
    called = [n for n, kind in kinds.items() if kind in KINDS and not list_of(n) and is_called_key(n, table)]
    pasts = {name: [one for one in column_series(series, name) if one] for name in called}
    return [_rule(name, past) for name, past in pasts.items() if past and all(map(is_key, past))]


def own_key(columns: Iterable[str], table: str) -> str | None:
    """The column that is called a table's own key: the first one that is called a key. Those behind it are often keys
    of what its rows are about, all different for a while: of tables of 11 repositories cut into loads two such broke.

    >>> own_key(["placed", "order_id", "customer_id"], "orders")
    'order_id'
    """
    return next((name for name in columns if not list_of(name) and is_called_key(name, table)), None)


def learn_new_keys(
    series: Past, table: str, kinds: Mapping[str, str], loads: Mapping[str, Sequence[Again]]
) -> list[NewKeyRule]:
    """The rule on a table's own key, where no load held a value twice or one of an earlier load: as few may come again
    as those that were compared leave possible.

    Parameters
    ----------
    series, table, kinds : as of `learn_keys`.
    loads : what each load but the first shared with those before it, by column.

    >>> from catalog.history.series import TableMetrics
    >>> past = [TableMetrics(90, {"order_id": {"row_count": 90.0, "complete_ratio": 1.0, "unique_ratio": 1.0}})] * 3
    >>> for rule in learn_new_keys(past, "orders", {"order_id": "number"}, {"order_id": [Again(0, 90), Again(0, 90)]}):
    ...     print(rule.sentence)
    No load brings a value that an earlier one brought; at most 2.6% of its rows do (as in its last 2 loads).
    >>> learn_new_keys(past, "orders", {"order_id": "number"}, {"order_id": [Again(0, 90), Again(1, 90)]})
    []
    """
    name = own_key(kinds, table)
    if name is None:  # loads of several columns together, and of whole rows, have rules of their own
        return []
    past = [one for one in column_series(series, name) if one] if kinds.get(name) in KINDS else []
    compared = [one for one in loads.get(name, ()) if one.compared]
    if not all(map(is_of_each, past)):
        return []
    rule = _new_key_rule(name, {}, "keys", compared)
    return [] if rule is None else [rule]


def learn_new_rows(loads: Sequence[Again]) -> list[NewRowsRule]:
    """The rule that no load is an earlier one, for tables of increments of which no column tells that: where few rows
    of any load came before, most of a load that does is broken.

    Parameters
    ----------
    loads : what each load but the first shared with those before it, of whole rows.

    >>> for rule in learn_new_rows([Again(0, 90), Again(9, 90)]):
    ...     print(rule.sentence)
    No load brings an earlier one again; at most 55% of its rows are in one (10% in its last 2 loads).
    >>> learn_new_rows([Again(0, 90), Again(60, 90)]), learn_new_rows([Again(0, 9)])
    ([], [])
    """
    compared = [one for one in loads if one.compared]
    most = max((one.share for one in compared), default=1.0)
    if sum(one.compared for one in compared) < ENOUGH or most > SHARED:
        return []
    tolerated = round((1 + most) / 2, 2)
    said = f"last {counted(len(compared), 'load')}" if len(compared) > 1 else "last load"
    sentence = "No load brings an earlier one again; at most"
    sentence = f"{sentence} {tolerated:.0%} of its rows are in one ({most:.0%} in its {said})."
    return [NewRowsRule("new_rows", None, {"again": tolerated}, AGAIN, sentence, "keys", {"loads": len(compared)})]


def _new_key_rule(
    column: str | None, params: Mapping[str, Sequence[str]], learner: str, loads: Sequence[Again]
) -> NewKeyRule | None:
    """The rule that these loads, compared with earlier ones, allow for; None of too few, or where some share values."""
    values = sum(one.compared for one in loads)
    if values < ENOUGH or any(one.seen for one in loads):
        return None
    tolerated = round(max(REPEATED, share_bounds(0, values)[1]), 4)
    said = f"last {counted(len(loads), 'load')}" if len(loads) > 1 else "last load"
    of = f" {listed(params['columns'])} together" if params else " value"
    sentence = f"No load brings a{of} that an earlier one brought"
    sentence = f"{sentence}; at most {tolerated:.1%} of its rows do (as in its {said})."
    told = {"again": tolerated, **{name: list(some) for name, some in params.items()}}
    return NewKeyRule("new_key", column, told, AGAIN, sentence, learner, {"loads": len(loads)})


def together(state: TableState, size: int) -> list[tuple[str, ...]]:
    """The sets of so many columns that may identify the rows of a table together, in the order of its columns, as far
    as what is known of each column tells; none where a column does by itself.

    A set is one if there are as many combinations of its values as rows, while some rows that have a value of its most
    different column in common would, by chance, have the others in common too with all but `REPEATS` of probability,
    whichever of the sets that were looked at: as each of m such pairs does with 1 / d, of d combinations of the others,
    none does with exp(-m / d). The least m for so many values is taken: one value that came twice is no evidence.

    >>> import pyarrow as pa
    >>> from catalog.states.folding.fold import fold
    >>> lines = pa.table({"order_id": [n // 3 for n in range(90)], "line_no": [n % 3 for n in range(90)]})
    >>> together(fold(lines), 2), together(fold(lines.append_column("id", pa.array(range(90)))), 2)
    ([('order_id', 'line_no')], [])
    """
    whole = {name: one for name, one in state.of_rows.items() if _names_rows(one)}
    if state.rows < ENOUGH or any(not repeats(one) for one in whole.values()):
        return []
    parts = [name for name in whole if _is_part(name) or name in _leading(state, whole)]
    sets = list(combinations(parts, size))
    enough = math.log(max(len(sets), 1) / REPEATS)
    found = []
    for one in sets:
        most, *others = sorted((whole[name].distinct.estimate() for name in one), reverse=True)
        rest = math.prod(others)
        if most * rest >= state.rows and _fewest_pairs(state.rows, round(most)) / rest >= enough:
            found.append(one)
    return found[:MOST_COUNTED]


def _fewest_pairs(rows: int, values: int) -> int:
    """How many pairs of rows have a value in common at least, where so many rows hold so many different values.

    >>> _fewest_pairs(90, 30), _fewest_pairs(800, 799), _fewest_pairs(5, 2)
    (90, 1, 4)
    """
    each, over = divmod(rows, min(values, rows))
    return min(values, rows) * each * (each - 1) // 2 + over * each


def _names_rows(column: ColumnState) -> bool:
    """Whether every row has a text, whole number or time."""
    is_kind = column.kind in ("string", "time") or column.is_whole
    return is_kind and column.non_null > 0 and not column.nulls and not column.empties


def _is_part(column: str) -> bool:
    """Whether a column is called what several that identify rows together are.

    >>> [_is_part(name) for name in ("order_id", "line_no", "valid_from", "sale_date", "status")]
    [True, True, True, True, False]
    """
    return may_name_rows(column) or bool(_PLACED.search(words(column)))


def _leading(state: TableState, whole: Mapping[str, ColumnState]) -> set[str]:
    """The first columns of a table, up to one that may lack a value, or is a number called no part of a key."""
    found: set[str] = set()
    for name, column in state.of_rows.items():
        if name not in whole or (column.kind == "number" and not _is_part(name)):
            break
        found.add(name)
    return found


def learn_together(columns: Sequence[str], batches: int, loads: Sequence[Again]) -> list[KeyRule | NewKeyRule]:
    """The rules on columns that identified each row of so many batches together, and of the loads compared.

    >>> [rule.sentence for rule in learn_together(("order_id", "line_no"), 3, [Again(0, 90)])]
    ['Each order_id and line_no together once; at most 0.5% of the rows repeat one (as in its last 3 batches).', ...]
    """
    params: dict[str, Sequence[str]] = {"columns": list(columns)}
    said = f"last {counted(batches, 'batch', 'batches')}" if batches > 1 else "first batch"
    sentence = (
        f"Each {listed(columns)} together once; at most {REPEATED:.1%} of the rows repeat one (as in its {said})."
    )
    told = {"repeated": REPEATED, **params}
    key = KeyRule("key", None, told, REPEATS, sentence, TOGETHER, {"batches": batches})
    again = _new_key_rule(None, params, TOGETHER, [one for one in loads if one.compared])
    return [key] if again is None else [key, again]


def is_of_each(batch: Mapping[str, float]) -> bool:
    """Whether a column of these metrics held a whole number or text of its own in each row."""
    return not batch.get("decimals") and batch.get("unique_ratio") == 1.0


def is_key(batch: Mapping[str, float]) -> bool:
    """Whether a column of these metrics held a whole number or text of its own in each of `ENOUGH` rows or more."""
    return is_of_each(batch) and filled(batch) >= ENOUGH


def _rule(column: str, past: Sequence[Mapping[str, float]]) -> KeyRule:
    said = f"last {counted(len(past), 'batch', 'batches')}" if len(past) > 1 else "first batch"
    sentence = f"No two rows have the same value; at most {REPEATED:.1%} of them repeat one (as in its {said})."
    return KeyRule("key", column, {"repeated": REPEATED}, REPEATS, sentence, "keys", {"batches": len(past)})
