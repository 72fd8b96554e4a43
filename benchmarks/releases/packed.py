"""What an archive says of its files beside what is in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Member:
    """What an archive says of a file: its path, how many bytes it has and has packed, its checksum, when it was written
    (year, month, day, hour, minute, second)."""

    path: str
    size: int
    packed: int
    checksum: int
    written: tuple[int, int, int, int, int, int]


class Packed(dict[str, Callable[[], bytes]]):
    """The files of an archive that says more of each than what is in it."""

    members: Sequence[Member] = ()
