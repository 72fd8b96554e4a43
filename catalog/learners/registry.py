"""The learners that a person may choose for a table or a source, and their settings: the way to the papers' learners.

Nothing heavy is imported here; what learns is named and loaded when it does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from catalog.errors import UsageError

OURS = "ours"
#: What a learner is chosen for: rules on strings, rules from history.
STRINGS, HISTORY = "strings", "history"


@dataclass(frozen=True)
class Setting:
    """One number: what it means, its default in words, from where to where it may be."""

    words: str
    default: str
    low: float
    high: float
    whole: bool = False


SETTINGS: dict[str, Setting] = {
    "r": Setting("largest expected share of false alarms among values", "0.1", 0.0, 1.0),
    "m": Setting(
        "fewest columns of the lake that show a pattern", "a fifth of a per cent of them, 3 to 100", 1, 1e6, True
    ),
    "tau": Setting("most tokens of a value, or of a segment of one", "13", 1, 64, True),
    "theta": Setting("largest share of values that may be cut off", "0.1", 0.0, 0.5),
    "delta": Setting("false-alarm rate that a program may have", "0.001", 1e-6, 0.5),
}


@dataclass(frozen=True)
class Learner:
    """A learner that can be chosen.

    Parameters
    ----------
    part : `STRINGS` or `HISTORY`: which of the product's own learners it takes the place of.
    words : what it does. source : where it is published.
    settings : names in `SETTINGS`.
    place : ``module:function`` that learns.
    """

    name: str
    part: str
    words: str
    source: str
    settings: tuple[str, ...]
    place: str

    def load(self) -> Any:
        module, _, function = self.place.partition(":")
        return getattr(import_module(module), function)


_SIGMOD, _KDD = "Auto-Validate, SIGMOD 2021", "Auto-Validate-by-History, KDD 2023"
_BASIC = ("r", "m", "tau")


def _pattern(name: str, words: str, *settings: str) -> Learner:
    return Learner(name, STRINGS, words, _SIGMOD, (*_BASIC, *settings), "catalog.learners.published:learn_pattern")


_ALL = (
    _pattern("fmdv", "the pattern of least expected false alarms that every value has"),
    _pattern("fmdv-v", "the same of values cut into segments"),
    _pattern("fmdv-h", "the same of whole values, a few of which may not have it", "theta"),
    _pattern("fmdv-vh", "segments, and a few values may not have it", "theta"),
    _pattern("cmdv", "the pattern that the fewest columns of the lake show"),
    Learner(
        "avh",
        HISTORY,
        "bands of metrics with bounds of their false-alarm rate",
        _KDD,
        ("delta",),
        "catalog.learners.published:learn_program",
    ),
)
LEARNERS: dict[str, Learner] = {one.name: one for one in _ALL}


@dataclass(frozen=True)
class Choice:
    """A learner with the settings that a person gave; the others are the learner's own.

    >>> Choice.of("fmdv-h", {"r": 0.05, "m": 20}).words
    'fmdv-h (r 0.05, m 20)'
    >>> Choice.of("avh", {"theta": 0.1})
    Traceback (most recent call last):
    catalog.errors.UsageError: learner 'avh' has no setting 'theta'; it has delta
    """

    name: str
    settings: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, settings: Mapping[str, float]) -> Choice:
        """Raises `UsageError` for a learner or a setting that there is not, or a value out of its range."""
        if name == OURS:
            raise UsageError("the product's own learners take no settings here", remedy="leave the settings out")
        if name not in LEARNERS:
            raise UsageError(f"there is no learner {name!r}", remedy=f"use {', '.join([OURS, *LEARNERS])}")
        learner = LEARNERS[name]
        for key, value in settings.items():
            if key not in learner.settings:
                raise UsageError(
                    f"learner {name!r} has no setting {key!r}", remedy=f"it has {', '.join(learner.settings)}"
                )
            one = SETTINGS[key]
            if not one.low <= value <= one.high or (one.whole and value != int(value)):
                kind = "a whole number" if one.whole else "a number"
                raise UsageError(f"{key} is {value:g}", remedy=f"give {kind} from {one.low:g} to {one.high:g}")
        return cls(name, {key: int(v) if SETTINGS[key].whole else float(v) for key, v in settings.items()})

    @property
    def learner(self) -> Learner:
        return LEARNERS[self.name]

    @property
    def words(self) -> str:
        told = ", ".join(f"{key} {value:g}" for key, value in self.settings.items())
        return f"{self.name} ({told})" if told else self.name


def chosen(stored: Mapping[str, Any] | None) -> dict[str, Choice]:
    """What was chosen, by part, from what is stored; what this release does not know is left to the product."""
    found = {}
    for part, told in (stored or {}).items():
        if told.get("name") in LEARNERS and LEARNERS[told["name"]].part == part:
            found[part] = Choice(told["name"], dict(told.get("settings") or {}))
    return found
