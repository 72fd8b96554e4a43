"""What happens to data, written once: for drills, for learning, for measuring and for saying what happened."""

from catalog.damage.formats import WRITTEN
from catalog.damage.further import FURTHER
from catalog.damage.kind import Kind
from catalog.damage.numbers import NUMBERS
from catalog.damage.tables import TABLES, Damaged, TableKind
from catalog.damage.times import TIMES
from catalog.damage.values import CHARACTERS, exchanges, neighbour

#: Every kind of damage to strings, in the order in which they are shown.
STRINGS = CHARACTERS + WRITTEN

#: Every kind of damage to the values of one column, by key; the last ones are no drills.
DAMAGE_KINDS: dict[str, Kind] = {kind.key: kind for kind in (*STRINGS, *NUMBERS, *TIMES, *FURTHER)}

#: Kinds whose change is chosen by chance: what was chosen is read off the batch.
DRAWN = frozenset("prefix separators missing_text default_text typo check_digit suffix rewritten recoded".split())

__all__ = [
    "DAMAGE_KINDS",
    "DRAWN",
    "FURTHER",
    "NUMBERS",
    "STRINGS",
    "TABLES",
    "TIMES",
    "Damaged",
    "Kind",
    "TableKind",
    "exchanges",
    "neighbour",
]
