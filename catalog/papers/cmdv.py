"""CMDV: the feasible pattern of least coverage (Auto-Validate, section 2.3), the alternative FMDV is compared with.

Minimising Cov_T under FPR_T <= r prefers the most specific pattern; the paper finds the conservative FMDV more
effective. It is also the dual used for tagging: the most restrictive pattern that still describes the example column.
"""

from __future__ import annotations

from catalog.papers.fmdv import Counted, Found, Lake, fmdv


def cmdv(values: Counted, lake: Lake, *, theta: float = 0.0) -> Found | None:
    """min Cov_T(h) over h in H(C) such that FPR_T(h) <= r and Cov_T(h) >= m."""
    return fmdv(values, lake, theta=theta, least_coverage=True)
