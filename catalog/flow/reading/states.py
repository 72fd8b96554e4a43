"""The state of any set of a table's data files, from what was merged before.

A set of many files is merged along a tree (`catalog.states.tree`) whose merged nodes are kept in the catalog: an append
merges what it added and the nodes above it. What is kept is a copy of what can be had from the files' states again: it
is pruned to the sets that come next, and whatever is missing or damaged is merged again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence

import structlog

from catalog.errors import StateError
from catalog.flow.context import Context
from catalog.states.encoding import decode, encode
from catalog.states.parts.summaries import INNER
from catalog.states.table import TableState, merge_all, shortened
from catalog.states.tree import FLAT, Node, tree_of
from catalog.store.lake import merges, versions

log = structlog.get_logger()

#: Columns of decoded states that are held in memory: some 50 MB; a bound.
HELD_COLUMNS = 4_000
#: Merged nodes that are stored at once; a bound of transactions.
STORED_AT_ONCE = 64


class States:
    """States of one table's files and of sets of them.

    Parameters
    ----------
    keep : whether nodes that had to be merged are stored, for the next time; else this only reads.
    """

    def __init__(self, context: Context, table_id: int, *, keep: bool = False) -> None:
        self.context, self.table_id, self.keep = context, table_id, keep
        self._order: dict[str, int] = {}
        self._held = _Held()
        self._last: tuple[list[str], TableState] | None = None
        self._new: dict[str, bytes] = {}
        self._stored_since = 0

    def merged(self, keys: Iterable[str]) -> TableState | None:
        """The state of the rows of these files; None when one of them is not there. A function of the set of files."""
        wanted = sorted(keys)
        if self._last is not None and self._last[0] == wanted:
            return self._last[1]
        if not self._known(wanted):
            return None
        if len(wanted) <= FLAT:
            parts = self._files(wanted)
            state = None if parts is None else merge_all(parts)
        else:
            state = self._along_tree(wanted)
        if state is not None:
            self._last = wanted, state
        return state

    def prune(self, sets: Iterable[Iterable[str]]) -> None:
        """Forget the stored nodes of all sets of files but these."""
        trees = [self._tree(list(keys)) for keys in sets]
        keep = {node.digest for tree in trees if tree is not None for node in tree.inner()}
        with self.context.transaction() as session:
            merges.drop_merged_states(session, self.table_id, keep)
        self._stored_since = 0

    def _known(self, keys: Sequence[str]) -> bool:
        if any(key not in self._order for key in keys):
            with self.context.reading() as session:
                self._order = versions.file_order(session, self.table_id)
        return all(key in self._order for key in keys)

    def _tree(self, keys: Sequence[str]) -> Node | None:
        """The tree of a set that is worth one, its files in the order in which they were written."""
        if len(keys) <= FLAT or not self._known(keys):
            return None
        return tree_of(sorted(keys, key=lambda key: (self._order[key], key)))

    def _along_tree(self, keys: Sequence[str]) -> TableState | None:
        tree = self._tree(keys)
        assert tree is not None
        found = self._nodes([tree])
        self._store()
        nodes = sum(1 for _ in tree.inner())
        if self._stored_since > 2 * nodes:  # many versions at once, each with its own nodes
            self.prune([keys])
        return None if found is None else shortened(found[0])

    def _nodes(self, nodes: Sequence[Node]) -> list[TableState] | None:
        """States of neighbouring nodes: held, stored, or merged from what lies below; None when a file's is gone."""
        files = self._files([node.key for node in nodes if node.is_file])
        if files is None:
            return None
        stored = self._stored([node.digest for node in nodes if not node.is_file])
        of_files = iter(files)
        found = []
        for node in nodes:
            state = next(of_files) if node.is_file else stored.get(node.digest) or self._merge(node)
            if state is None:
                return None
            found.append(state)
        return found

    def _merge(self, node: Node) -> TableState | None:
        parts = self._nodes(node.children)
        if parts is None:
            return None
        state = merge_all(parts, INNER)
        self._held.put((node.digest, False), state)
        if self.keep:
            self._new[node.digest] = encode(state)
            if len(self._new) >= STORED_AT_ONCE:
                self._store()
        return state

    def _stored(self, digests: Sequence[str]) -> dict[str, TableState]:
        """The merged states of these digests that are held or stored. A damaged one is forgotten."""
        found = {digest: state for digest in digests if (state := self._held.get((digest, False))) is not None}
        missing = [digest for digest in digests if digest not in found]
        if not missing:
            return found
        with self.context.reading() as session:
            stored = merges.merged_states(session, self.table_id, missing)
        for digest, data in stored.items():
            try:
                found[digest] = decode(data)
            except StateError as error:
                log.warning("a merged state is made again", table=self.table_id, error=str(error))
                self._forget(digest)
            else:
                self._held.put((digest, False), found[digest])
        return found

    def _files(self, keys: Sequence[str]) -> list[TableState] | None:
        """The states of single files, in the order asked for; None when one is gone."""
        found = {key: state for key in keys if (state := self._held.get((key, True))) is not None}
        missing = [key for key in keys if key not in found]
        if missing:
            with self.context.reading() as session:
                stored = versions.file_states(session, self.table_id, missing)
            for key, data in stored.items():
                found[key] = decode(data)
                self._held.put((key, True), found[key])
        return [found[key] for key in keys] if all(key in found for key in keys) else None

    def _store(self) -> None:
        if self._new:
            with self.context.transaction() as session:
                merges.put_merged_states(session, self.table_id, self._new)
            self._stored_since += len(self._new)
            self._new = {}

    def _forget(self, digest: str) -> None:
        if self.keep:
            with self.context.transaction() as session:
                merges.forget_merged_state(session, self.table_id, digest)


class _Held:
    """Decoded states by name (and whether it is a file's, for those are anybody's choice), those asked for longest ago
    dropped beyond `HELD_COLUMNS` columns."""

    def __init__(self) -> None:
        self.states: OrderedDict[tuple[str, bool], TableState] = OrderedDict()
        self.columns = 0

    def get(self, name: tuple[str, bool]) -> TableState | None:
        state = self.states.get(name)
        if state is not None:
            self.states.move_to_end(name)
        return state

    def put(self, name: tuple[str, bool], state: TableState) -> None:
        if name in self.states:
            return
        self.states[name] = state
        self.columns += len(state.columns)
        while self.columns > HELD_COLUMNS and len(self.states) > 1:
            _, dropped = self.states.popitem(last=False)
            self.columns -= len(dropped.columns)
