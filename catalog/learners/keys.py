"""Learning which columns identify rows: those that are called so and never held a value twice."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from catalog.domains.domain import words
from catalog.domains.names.asked import KEYED
from catalog.history.series import Past, column_series
from catalog.rules.chances import REPEATED, REPEATS
from catalog.rules.clauses.band import filled
from catalog.rules.kinds.key import KeyRule
from catalog.wording import counted

#: Rows that every batch must have had. Chosen: of 20 to 50 rows numbers of something else are often all different, and
#: two columns called so held 2 and 5% of them twice later; with 50 or more none did (`catalog.rules.chances`).
ENOUGH = 50
_CODED = re.compile(r"\b(?:uuid|code)$")
_JOINED = re.compile(r"\b([a-z]{3,})(?:id|key)$")


def is_called_key(column: str, table: str) -> bool:
    """Whether a column's name, with that of its table, says that it identifies rows.

    >>> [is_called_key(name, "orders") for name in ("order_id", "OrderNo", "o_orderkey", "paid", "status")]
    [True, True, True, False, False]
    """
    named = words(column)
    joined = _JOINED.search(named)
    of_table = joined is not None and any(word.startswith(joined[1]) for word in words(table).split())
    return bool(KEYED.search(named) or _CODED.search(named)) or of_table


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
    called = [name for name, kind in kinds.items() if kind in ("string", "number") and is_called_key(name, table)]
    pasts = {name: [one for one in column_series(series, name) if one] for name in called}
    return [_rule(name, past) for name, past in pasts.items() if past and all(map(is_key, past))]


def is_key(batch: Mapping[str, float]) -> bool:
    """Whether a column of these metrics held a whole number or text of its own in each of `ENOUGH` rows or more."""
    whole = not batch.get("decimals")
    return whole and batch.get("unique_ratio") == 1.0 and filled(batch) >= ENOUGH


def _rule(column: str, past: Sequence[Mapping[str, float]]) -> KeyRule:
    said = f"last {counted(len(past), 'batch', 'batches')}" if len(past) > 1 else "first batch"
    sentence = f"No two rows have the same value; at most {REPEATED:.1%} of them repeat one (as in its {said})."
    return KeyRule("key", column, {"repeated": REPEATED}, REPEATS, sentence, "keys", {"batches": len(past)})
