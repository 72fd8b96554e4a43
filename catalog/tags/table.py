"""Tags for all columns of a table: each by itself first, then by what stands beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from catalog.domains.domain import Domain
from catalog.domains.known import KNOWN
from catalog.evidence.pattern_index.index import PatternIndex
from catalog.states.column import ColumnState
from catalog.tags.proposal import TagProposal
from catalog.tags.propose import propose_tags, settle, silent
from catalog.tags.whose import Around

UNSURE = 0.9  # score below which a tag is thought over with the other columns in sight; chosen: surer ones stay


def propose_table(
    columns: Mapping[str, ColumnState],
    table: str,
    *,
    index: PatternIndex | None = None,
    domains: Iterable[Domain] | None = None,
    default: str = "person",
) -> dict[str, list[TagProposal]]:
    """Proposals for each column of a table (`propose_tags`), whose data they are settled with the others in sight.

    Parameters
    ----------
    columns : states by name.
    table : its name, which may say what its rows are.
    index, domains, default : as of `propose_tags`.
    """
    known = {one.name: one for one in (KNOWN.values() if domains is None else domains)}
    found = {
        name: propose_tags(state, name, index=index, domains=known.values(), around=Around(table))
        for name, state in columns.items()
    }
    tags = {name: ones[0].domain for name, ones in found.items() if ones and not ones[0].generic}
    around = Around(table, tuple(columns), tags)
    for name, ones in found.items():
        unsure = silent(name) or (ones and (ones[0].generic or ones[0].score < UNSURE))
        if unsure:  # what stands beside may settle it
            found[name] = propose_tags(
                columns[name], name, index=index, domains=known.values(), around=around, default=default
            )
    return {
        name: [settle(one, columns[name], name, known.get(one.domain), around, default) for one in ones]
        for name, ones in found.items()
    }
