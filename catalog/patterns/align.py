"""Aligning token sequences: two of them for an explanation, many of them to cut a column vertically.

Global alignment by dynamic programming (Needleman and Wunsch, 1970); many sequences are joined one at a time to the
profile of those before, which Auto-Validate (section 3) found to be optimal for most machine-generated columns.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

GAP = ""
LONGEST_SEQUENCE = 64  # tokens; longer sequences are not aligned (quadratic time)


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
