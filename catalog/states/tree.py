"""The shape of a tree of merges: what stays merged when a set of data files changes a little.

The shape is a function of the files and their order alone, never of the way by which a set came about, so that the
same version gives the same state whenever it is asked for. A file's digest says on how many levels a node ends behind
it, so that a file that comes or goes changes the nodes above itself and no others: an append of one file to n costs
about `FAN` log n merges, wherever it lies.

Auvolat and Taïani, "Merkle Search Trees: Efficient State-Based CRDTs in Open Networks" (SRDS 2019), section 3, has such
trees; here values lie in the lowest nodes only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

#: Children of a node on average; a power of two. And the most that it may have. Chosen: an append
#: to a million files merges some seven nodes of eight.
FAN, MOST_CHILDREN = 8, 32
#: Sets of so many files are merged at once: no tree is worth it. Chosen.
FLAT = 32
#: Changed whenever states are merged in another way: what was kept is then not found any more.
WAY = b"1"


@dataclass(frozen=True)
class Node:
    """A stretch of neighbouring files: one of them (`key`), or what lies below its `children`.

    `digest` (32 hexadecimal digits) names the stretch: two nodes of one digest hold the same files in the same tree.
    """

    digest: str
    key: str = ""
    children: tuple[Node, ...] = ()

    @property
    def is_file(self) -> bool:
        return not self.children

    def inner(self) -> Iterator[Node]:
        """This node and those below it that are no files."""
        if self.children:
            yield self
            for child in self.children:
                yield from child.inner()


def tree_of(keys: Sequence[str]) -> Node:
    """The tree over the keys of at least one file, in the order in which they were added.

    >>> root = tree_of([f"part-{i}" for i in range(1000)])
    >>> after = tree_of([f"part-{i}" for i in range(1001)])
    >>> len({node.digest for node in after.inner()} - {node.digest for node in root.inner()}) < 8
    True
    """
    digests = [blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16, person=WAY) for key in keys]
    nodes = [Node(digest.hexdigest(), key) for digest, key in zip(digests, keys, strict=True)]
    ends = [_levels(int.from_bytes(digest.digest(), "big")) for digest in digests]
    level = 1
    while len(nodes) > 1:
        nodes, ends = _level(nodes, ends, level)
        level += 1
    return nodes[0]


def _level(nodes: list[Node], ends: list[int], level: int) -> tuple[list[Node], list[int]]:
    """The nodes one level higher, with the levels that end behind each."""
    above: list[Node] = []
    above_ends: list[int] = []
    start = 0
    for at, end in enumerate(ends, 1):
        if end >= level or at - start == MOST_CHILDREN or at == len(nodes):
            above.append(_parent(tuple(nodes[start:at])))
            above_ends.append(end)
            start = at
    return above, above_ends


def _parent(children: tuple[Node, ...]) -> Node:
    if len(children) == 1:
        return children[0]
    joined = blake2b(digest_size=16, person=WAY)
    for child in children:
        joined.update(bytes.fromhex(child.digest))
    return Node(joined.hexdigest(), "", children)


def _levels(number: int) -> int:
    """How many levels end behind a file: one with chance 1/`FAN`, two with 1/`FAN`², ..."""
    zeros = (number & -number).bit_length() - 1 if number else 128
    return zeros // (FAN.bit_length() - 1)
