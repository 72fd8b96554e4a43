"""What happened to a batch: from states and metrics of it and of its healthy past to causes, each with its proof."""

from catalog.causes.cause import TITLES, Cause
from catalog.causes.diagnose import Diagnosis, diagnose

__all__ = ["TITLES", "Cause", "Diagnosis", "diagnose"]
