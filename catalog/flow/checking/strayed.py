"""Sensitive values in columns that never held any, as where a file has a column too many: tags know of them only after
the batch is judged, and what is said of it must not show them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from catalog.domains.known import in_force
from catalog.rules.verdict import Batch
from catalog.states.column import ColumnState
from catalog.tags.discovery.sample import sample
from catalog.tags.privacy.hiding import Hiding

#: Of a column that holds sensitive values for the first time so many of the values, at least, are such: fewer are what
#: a recogniser of names takes for them by chance. Chosen.
COME = 0.1


def hiding_of_batch(hide: Hiding, batch: Batch, meant: Mapping[str, str]) -> Hiding:
    """What is hidden of a table while a batch of it is judged: `hide`, and columns in which values stand now that are
    hidden elsewhere in the table, or mean the same (`meant`: the domain of each column), and did not before."""
    columns = batch.state.columns
    hidden = [name for name in columns if name in hide.whole]
    domains = [in_force()[name] for name in sorted({meant.get(one, "") for one in hidden} & in_force().keys())]
    texts: set[str] = set()
    for name in hidden:
        for state in (batch.state, batch.previous):
            if state is not None and (one := state.columns.get(name)) is not None and one.kind == "string":
                texts |= set(sample(one).texts)

    def is_sensitive(text: str) -> bool:
        return text in texts or any(domain.validate(text) for domain in domains)

    before = batch.previous.columns if batch.previous is not None else {}
    open_ones = [name for name, one in columns.items() if one.kind == "string" and not hide.private(name)]
    came = {name for name in open_ones if _came(columns[name], before.get(name), is_sensitive)} if hidden else set()
    return replace(hide, whole=hide.whole | came) if came else hide


def _came(now: ColumnState, before: ColumnState | None, is_sensitive: Callable[[str], bool]) -> bool:
    """Whether values that are sensitive came into a column: twice as many of its values as before are such."""
    share = sample(now).share(is_sensitive)[1]
    return share >= COME and share >= 2 * (sample(before).share(is_sensitive)[1] if before is not None else 0.0)
