"""Options of the commands that choose a learner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import typer

from catalog.cli.console import say
from catalog.learners.registry import LEARNERS, OURS, SETTINGS


def _help(name: str) -> str:
    who = ", ".join(one.name for one in LEARNERS.values() if name in one.settings)
    one = SETTINGS[name]
    return f"{one.words[:1].upper()}{one.words[1:]} ({who}; without: {one.default})."


LEARNER_HELP = f"{', '.join([OURS, *LEARNERS])}; without: say who is chosen."
R = Annotated[float | None, typer.Option("--r", help=_help("r"))]
M = Annotated[int | None, typer.Option("--m", help=_help("m"))]
Tau = Annotated[int | None, typer.Option("--tau", help=_help("tau"))]
Theta = Annotated[float | None, typer.Option("--theta", help=_help("theta"))]
Delta = Annotated[float | None, typer.Option("--delta", help=_help("delta"))]


def given(**settings: float | None) -> dict[str, float]:
    """The settings that were given."""
    return {name: value for name, value in settings.items() if value is not None}


def say_learners(name: str, words: Mapping[str, str]) -> None:
    say(f"{name}: rules on strings by {words['strings']}; rules from history by {words['history']}")
