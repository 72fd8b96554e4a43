"""Names of columns that other columns of the table explain: by its codebook, or by where their words meet.

Who asks the same of several people puts letters before what is asked without a mark between: `race`, `drace`; `mage`,
`meduc`, `mrace`, `fage`, `frace`; `husage`, `huseduc`, `husblck`. Beside each other they show where the word begins.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from catalog.domains.domain import words
from catalog.domains.lexicon import vocabulary
from catalog.domains.names.asked import coded_domain, trait
from catalog.domains.names.codebooks import in_words

#: Of whom: mother, father, dad, husband, wife, spouse, head, child, partner, respondent.
_OF_WHOM = vocabulary(
    "m f d h w s r p c hus husb wif sp spou mo mom moth mum dad fa fath mat pat par hd head ref kid ch chd child sib "
    "part resp"
)
_REST = re.compile(r"[a-z][a-z\d]{2,}")
SHARED = 2  # chosen: columns in which what is asked can be read behind the same letters, from which all are read so
#: What many words end with that have nothing to do with it: mileage, stage.
_ENDINGS = frozenset({"age", "sex", "gender"})


@lru_cache(maxsize=1 << 10)
def explained(columns: tuple[str, ...]) -> dict[str, str]:
    """What columns are called whose names the others explain.

    >>> explained(("race", "drace", "husage", "huseduc", "husblck", "page"))
    {'drace': 'd race', 'husage': 'hus age', 'huseduc': 'hus educ', 'husblck': 'hus blck'}
    """
    return _parted(columns) | in_words(columns)


def _parted(columns: tuple[str, ...]) -> dict[str, str]:
    names = {one.lower(): one for one in columns}
    cuts = [
        (low, letters, rest)
        for low in names
        for letters in sorted(_OF_WHOM, key=len)
        if low.startswith(letters) and _REST.fullmatch(rest := low[len(letters) :]) and not _asks(low)
    ]
    behind = Counter((len(letters), rest) for _, letters, rest in cuts)
    before = Counter(letters for _, letters, rest in cuts if _asks(rest))
    found: dict[str, str] = {}
    for low, letters, rest in cuts:
        twice = behind[len(letters), rest] > 1 or (rest in names and rest not in _ENDINGS)
        shared = before[letters] >= SHARED
        if (twice or shared) and (_asks(rest) or (shared and len(letters) > 1)):
            found.setdefault(names[low], f"{letters} {rest}")
    return found


def _asks(name: str) -> bool:
    """Whether a name says in full what is asked of each person."""
    return name in _ENDINGS or trait(words(name)) or bool(coded_domain(name))
