"""What happened to a batch: from states and metrics of it and of its healthy past to causes, each with its proof.

`catalog.causes.diagnose` does it; what is imported here is quick to load.
"""

from catalog.causes.cause import TITLES, Cause

__all__ = ["TITLES", "Cause"]
