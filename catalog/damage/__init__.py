"""What happens to data, written once: for drills, for learning, for measuring and for saying what happened."""

from catalog.damage.formats import WRITTEN
from catalog.damage.further import FURTHER
from catalog.damage.kind import Kind
from catalog.damage.numbers import NUMBERS
from catalog.damage.tables import TABLES, Damaged, TableKind
from catalog.damage.times import TIMES
from catalog.damage.values import CHARACTERS, neighbour

#: Every kind of damage to strings, in the order in which they are shown.
STRINGS = CHARACTERS + WRITTEN

#: Every kind of damage to the values of one column, by key; the last ones are no drills.
DAMAGE_KINDS: dict[str, Kind] = {kind.key: kind for kind in (*STRINGS, *NUMBERS, *TIMES, *FURTHER)}

__all__ = [
    "DAMAGE_KINDS",
    "FURTHER",
    "NUMBERS",
    "STRINGS",
    "TABLES",
    "TIMES",
    "Damaged",
    "Kind",
    "TableKind",
    "neighbour",
]
