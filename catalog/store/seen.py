"""What a person saw when deciding. A page or a program hands back the state that it was made from (`seen`); where the
thing is in another one by now, nothing is decided: who decides is told what is so now, and asked again. Who hands back
nothing decides whatever is so."""

from __future__ import annotations

import json
from hashlib import sha256

from catalog.errors import Changed


def mark(*said: object) -> str:
    """The state of what is too long to be handed back as it is.

    >>> mark("In euros.", ["margin"]) == mark("In euros.", ["margin"]), mark("In euros.") == mark("In dollars.")
    (True, False)
    """
    return sha256(json.dumps(said).encode()).hexdigest()[:16]


def demand_seen(seen: str, is_now: str, cause: str, told: str = "") -> None:
    """Raise `Changed` for the `cause` where something is not as it was `seen`; `told` is what is so now, for people."""
    if seen and seen != is_now:
        raise Changed(cause, seen=is_now, told=told)
