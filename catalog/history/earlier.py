"""What earlier loads of a table hold already: of a column that identifies rows, the sampled values of load by load.

Samples are of the values whose hashes are least (`catalog.states.parts.distinct`), so that a value which two loads hold
is in both samples or beyond the threshold of one: two samples tell what two loads share.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from catalog.errors import StateError
from catalog.states.parts.distinct import FULL, Hashes, share_bounds


@dataclass(frozen=True)
class Again:
    """Values of a load that earlier loads hold.

    Parameters
    ----------
    seen, compared : of so many `compared` values of the load's sample so many are in an earlier load, too.
    version : the earlier load that holds most of them, the latest of several; None where none does.
    exact : whether all values were compared, rather than a sample.
    """

    seen: int
    compared: int
    version: int | None = None
    exact: bool = False

    @property
    def share(self) -> float:
        """Of the load's values, 0..1."""
        return self.seen / self.compared if self.compared else 0.0

    @property
    def least(self) -> float:
        """The least share that is meant, in 95 of 100 cases; `share` where all values were compared."""
        return self.share if self.exact else share_bounds(self.seen, self.compared)[0]


@dataclass
class Earlier:
    """Values of one column by the loads that brought them.

    Parameters
    ----------
    thresholds : of each load's sample, by version.
    loads : versions that hold a value, by its hash; nearly always one.
    """

    thresholds: dict[int, int] = field(default_factory=dict)
    loads: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))

    def add(self, version: int, hashes: Hashes, threshold: int) -> None:
        self.thresholds[version] = threshold
        for value in hashes.tolist():
            self.loads[value].append(version)

    def forget(self, version: int) -> None:
        """The rows of a load are there no more, or some of them."""
        if self.thresholds.pop(version, None) is not None:
            for versions in self.loads.values():
                if version in versions:
                    versions.remove(version)

    def again(self, hashes: Hashes, threshold: int, before: int) -> Again:
        """Which values of a load are those of loads `before` its version, as far as the samples tell.

        Loads answer together for those of its values that each of them could have shown: those that are sampled as
        closely as this one for all, and with less closely sampled ones for fewer. The answer that says most for sure
        counts.

        >>> of = lambda first: np.arange(first, first + 90, dtype=np.uint64)
        >>> past = Earlier()
        >>> past.add(3, of(0), FULL)
        >>> past.again(of(60), FULL, 4), past.again(of(500), FULL, 4).seen, past.again(of(60), FULL, 3).compared
        (Again(seen=30, compared=90, version=3, exact=True), 0, 0)
        >>> past.add(4, of(90), FULL)
        >>> past.again(of(60), FULL, 5)
        Again(seen=90, compared=90, version=4, exact=True)
        """
        known = {version: at for version, at in self.thresholds.items() if version < before}
        holding: dict[int, int] = defaultdict(int)
        closest = []  # how closely the load is sampled, at best, that holds each value; -1 of those that none holds
        for value in hashes.tolist():
            versions = [one for one in self.loads.get(value, ()) if one in known]
            closest.append(max((known[one] for one in versions), default=-1))
            for one in versions:
                holding[one] += 1
        most = max(holding, key=lambda one: (holding[one], one), default=None)
        exact = all(at == FULL for at in (threshold, *known.values()))
        found = []
        for at in {min(one, threshold) for one in known.values()}:
            shown = len(hashes) if at >= threshold else int(np.searchsorted(hashes, np.uint64(at)))
            seen = sum(one >= at for one in closest[:shown])
            found.append(Again(seen, shown, most if seen else None, exact))
        return max(found, key=lambda one: (one.least, one.seen, one.compared), default=Again(0, 0))


def encode(hashes: Hashes, threshold: int) -> bytes:
    """A sample as bytes: its threshold less one, and its hashes."""
    return np.concatenate([np.array([threshold - 1], np.uint64), hashes]).astype("<u8").tobytes()


def decode(data: bytes) -> tuple[Hashes, int]:
    """(hashes, threshold) of a sample. Raises `StateError` for bytes that are none.

    >>> hashes, threshold = decode(encode(np.array([5, 9], np.uint64), FULL))
    >>> hashes.tolist(), threshold == FULL
    ([5, 9], True)
    """
    if not data or len(data) % 8:
        raise StateError("a sample of an earlier load is damaged")
    found = np.frombuffer(data, "<u8").astype(np.uint64)
    return found[1:], int(found[0]) + 1
