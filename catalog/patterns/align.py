"""Aligning token sequences: two of them for an explanation, many of them to cut a column vertically.

Global alignment by dynamic programming (Needleman and Wunsch, 1970); many sequences are joined one at a time to the
profile of those before, which Auto-Validate (section 3) found to be optimal for most machine-generated columns.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

GAP = ""
LONGEST_SEQUENCE = 64  # tokens; longer sequences are not aligned (quadratic time), a bound


def pair(
    a: Sequence[Hashable], b: Sequence[Hashable], similar: Callable[[Hashable, Hashable], float] | None = None
) -> list[tuple[int | None, int | None]]:
    """Positions of two sequences set side by side; None where one has nothing. Score: similarity, 1 for equal; gaps 0.

    >>> pair("abc", "ac")
    [(0, 0), (1, None), (2, 1)]
    """
    same = similar or (lambda x, y: 1.0 if x == y else -1.0)
    n, m = len(a), len(b)
    score = [[0.0] * (m + 1) for _ in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            score[i][j] = max(score[i + 1][j], score[i][j + 1], score[i + 1][j + 1] + same(a[i], b[j]))
    out: list[tuple[int | None, int | None]] = []
    i = j = 0
    while i < n and j < m:
        if score[i][j] == score[i + 1][j + 1] + same(a[i], b[j]):
            out.append((i, j))
            i, j = i + 1, j + 1
        elif score[i][j] == score[i + 1][j]:
            out.append((i, None))
            i += 1
        else:
            out.append((None, j))
            j += 1
    out.extend((k, None) for k in range(i, n))
    out.extend((None, k) for k in range(j, m))
    return out


def align_classes(old: str, new: str) -> list[list[str]]:
    """Two classes of one view, token by token: [old, new], "" for a gap.

    >>> align_classes("0-0", "0/0-0")
    [['0', '0'], ['', '/'], ['', '0'], ['-', '-'], ['0', '0']]
    """
    old, new = old[:LONGEST_SEQUENCE], new[:LONGEST_SEQUENCE]
    places = pair(old, new, lambda x, y: 1.0 if x == y else (0.2 if str(x).isalnum() and str(y).isalnum() else -1.0))
    return [[GAP if i is None else old[i], GAP if j is None else new[j]] for i, j in places]


def align_many(sequences: Sequence[Sequence[Hashable]]) -> list[list[int | None]]:
    """Aligns several sequences: for each, the position in it of every column of the alignment, or None for a gap.

    The longest comes first; each further one is aligned to the columns so far, a column being similar to what any of
    its members is.

    >>> align_many([["X", "-", "X"], ["X", "-", "X", "/", "X"]])
    [[0, 1, 2, None, None], [0, 1, 2, 3, 4]]
    """
    order = sorted(range(len(sequences)), key=lambda i: -len(sequences[i]))
    columns: list[set[Hashable]] = []
    placed: dict[int, list[int | None]] = {}
    for i in order:
        sequence = sequences[i]
        if not columns:
            columns = [{token} for token in sequence]
            placed[i] = list(range(len(sequence)))
            continue
        merged: list[set[Hashable]] = []
        mine: list[int | None] = []
        old: list[int | None] = []
        numbers = pair(range(len(columns)), sequence, _fits(columns))
        for a, b in numbers:
            merged.append((columns[a] if a is not None else set()) | ({sequence[b]} if b is not None else set()))
            old.append(a)
            mine.append(b)
        for k, row in placed.items():
            placed[k] = [None if a is None else row[a] for a in old]
        placed[i] = mine
        columns = merged
    return [placed[i] for i in range(len(sequences))]


def _fits(columns: list[set[Hashable]]) -> Callable[[Hashable, Hashable], float]:
    return lambda a, token: 1.0 if token in columns[a] else -1.0  # type: ignore[call-overload]
