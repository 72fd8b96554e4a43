"""How names of persons are written: titles, initials, particles, degrees, several in a list; and whose mailbox is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from catalog.domains.lexicon import fold, vocabulary, words

_INITIALS = re.compile(r"[^\W\d_]\.?(?:-?[^\W\d_]\.?)?")
NAME_PART = re.compile(r"[^\W\d_](?:[^\W\d_]|['’.\-])*")
_TITLES = vocabulary(
    "mr mrs ms miss dr prof sir lady lord rev hon mx mme mlle herr frau sr sra jr capt col mlle don dona "
    "dott dottssa ing arch avv geom rag mgr bc judr mudr phdr rndr paeddr pharmdr mvdr doc dipl dra srta maitre pr "
    "dhr mevr drs ir fru hra rouva bay bayan av uzm doç dt д-р проф доц инж пан пані"
)
PARTICLES = vocabulary(
    "de da do dos das del della di van von der den la le el al bin ibn ter ten zu y st saint mac jr sr ii iii iv md phd"
)


#: Degrees and orders that stand behind a name.
DEGREES = re.compile(
    r"(?:,? (?:M\.? ?D|Ph\.? ?D|D\.?D\.?S|D\.?M\.?D|D\.?V\.?M|D\.?O|R\.?N|M\.?B\.?A|MPH|M\.?Sc|B\.?Sc|M\.?A|B\.?A|"
    r"LL\.?[BM]|Pharm\.?D|Ed\.?D|Psy\.?D|CPA|Esq|FACS|FRCS|OBE|MBE|CBE|Jr|Sr|CSc|DrSc|DiS|MBBS|MSN|NP|PA-C|LCSW|P\.?Eng)\.?)+"
)


def parts_of(text: str) -> list[str]:
    """The words of a name; initials may stand right before the family name: B.Hardy. Degrees behind it are none."""
    plain = re.sub(r"\([^)]*\)|\"[^\"]*\"", " ", text)
    return [part for part in re.split(r"[\s,]+|(?<=\b[^\W\d_a-z]\.)(?=[^\W\d_a-z][^\W\d_])", plain) if part]


_LIST = re.compile(r"\s*[;|/]\s*|,? (?:and|&|und|et|y|e) |,\s+")


def is_person(text: str) -> bool:
    """One person, or several in a list: every part is one, or follows one that is."""
    text = DEGREES.sub("", text)
    if is_one(text):
        return True
    parts = [part for part in _LIST.split(text[:400]) if part]
    return len(parts) > 1 and sum(" " in part and is_one(part) for part in parts) > 0.7 * len(parts)


#: How firms end that are written like names otherwise: Nordic Steel AS.
FORMS = frozenset("AS ASA AG AB OY OYJ SA SAS SE NV BV KG APS GmbH Ltd Inc LLC Corp PLC SpA SRL Kft".split())


def is_one(text: str) -> bool:
    """Two to six words, written like names, one of them a known name in a place where names have it."""
    if not 4 <= len(text) <= 60 or any(char.isdigit() for char in text) or re.search(r"[/@:;!?&_|<>#*=]", text):
        return False
    parts = parts_of(text)
    keys = [fold(part).replace(".", "") for part in parts]
    titled = bool(keys) and any(key in _TITLES for key in keys[:2])
    rest = [(p, k) for p, k in zip(parts, keys, strict=True) if k not in _TITLES and k not in PARTICLES]
    if not 1 <= len(rest) <= 5 or (len(rest) < 2 and not titled) or not all(NAME_PART.fullmatch(p) for p, _ in rest):
        return False
    if any(p[0].islower() for p, _ in rest) or not words("institution_words").isdisjoint(keys) or parts[-1] in FORMS:
        return False
    return titled or _known_name([part for part, _ in rest], [key for _, key in rest], "," in text)


def _known_name(parts: list[str], keys: list[str], turned: bool) -> bool:
    """Is a known name where names have it: first names first, or after the comma, or after the family name?"""
    firsts, lasts = words("first_names"), words("last_names")
    if keys[-1] in words("street_words") and keys[-1] not in lasts:
        return False
    if turned:
        return keys[1] in firsts or (keys[0] in lasts and keys[1] in lasts)
    if keys[0] in firsts or (keys[0] in lasts and keys[1] in firsts):
        return True
    if _INITIALS.fullmatch(parts[0]) and len(keys[-1]) > 2:
        return True
    return keys[-1] in lasts and len(keys[0]) > 2 and keys[0] in lasts


#: A family name before or behind initials: Smith J., Иванов П.С., J. K. Smith.
_WITH_INITIALS = re.compile(
    r"[^\W\d_a-z][^\W\d_]+(?:-[^\W\d_]+)?,? [^\W\d_a-z]\.(?: ?[^\W\d_a-z]\.)?|"
    r"(?:[^\W\d_a-z]\. ?){1,3}[^\W\d_a-z][^\W\d_]{2,}(?:-[^\W\d_]+)?"
)


def is_turned(text: str) -> bool:
    """A person, or words written like names behind the first of which is a known first name, as registers list people,
    or a family name with initials; trusted only where the column's name says so."""
    if _WITH_INITIALS.fullmatch(text):
        return True
    parts = parts_of(text)
    keys = {fold(part) for part in parts}
    turned = 2 <= len(parts) <= 4 and all(NAME_PART.fullmatch(part) and part[0].isupper() for part in parts)
    listed = turned and parts[-1] not in FORMS and not keys & (words("street_words") | words("institution_words"))
    return is_person(text) or (listed and any(fold(part) in words("first_names") for part in parts[1:]))


LISTED = 0.6  # chosen: share of such names, as rolls of pupils and owners have where dictionaries lack some
LEAST_LISTED = 5  # chosen: names; fewer may be villas and saints


def are_listed(texts: Sequence[str]) -> bool:
    """Whether texts are persons as a roll lists them, whatever the column is called: most have a known given name
    behind another word, and that word differs from one to the next.

    >>> are_listed(["Neri Carla", "Coffaro Antonella", "Zinni Antonio", "Rizzotto Maria", "Bárta Matěj"])
    True
    >>> are_listed(["Villa Maria", "Villa Anna", "Villa Carla", "Villa Rosa", "Villa Paola"])
    False
    """
    turned = [text for text in texts if (is_turned(text) and not is_person(text)) or _behind(text)]
    first = {text.split()[0] for text in turned}
    return len(turned) >= max(LISTED * len(texts), LEAST_LISTED) and len(first) >= 0.8 * len(turned)


def are_initialled(texts: Sequence[str]) -> bool:
    """Whether texts are families' names with initials, which differ, whatever the column is called.

    >>> are_initialled(["Громов П.П.", "Ли Е.В."]), are_initialled(["T. Gil", "A. Nowak", "T. Gil"])
    (True, True)
    >>> are_initialled(["Vitamin B."]), are_initialled(["T. Gil", "closed"])
    (False, False)
    """
    return len({re.sub(r"\W", "", max(text.split(), key=len)) for text in texts}) > 1 and all(
        map(_WITH_INITIALS.fullmatch, texts)
    )


def _behind(text: str) -> bool:
    """Whether a known given name ends words written like names."""
    return is_turned(text) and fold(parts_of(text)[-1]) in words("first_names")


#: Mailboxes named after what an office does, and of providers whom private people use.
FUNCTION = re.compile(
    r"(?i)(?:mailto:)?(?:info|sales|contact|support|office|hello|admin|service|help|enquir(?:y|ies)|press|jobs|billing|"
    r"team|mail|kontakt|webmaster|noreply|no-reply|reception|bookings?|orders?|marketing|hr|news|abuse|noc|hostmaster|"
    r"postmaster|privacy|legal|media|events|accounts?|secretar\w*|sekretariat|poststelle|contacto|contato|ventes|ventas|"
    r"vendas|commandes?|mairie|(?:[\w-]+[._-])?security)[0-9]*@.*"
)
PRIVATE = re.compile(
    r"(?i).*@(?:(?:gmail|googlemail|yahoo|ymail|hotmail|outlook|live|icloud|aol|msn|gmx|protonmail|yandex)\.[a-z.]{2,6}|"
    r"(?:me|mac|proton|rocketmail)\.(?:com|me)|(?:web|t-online|freenet)\.de|mail\.ru|(?:orange|free|laposte|wanadoo)\.fr|"
    r"libero\.it|wp\.pl|o2\.pl|interia\.pl|seznam\.cz|(?:uol|bol|terra)\.com\.br|(?:qq|163|126)\.com|(?:naver|daum)\.(?:com|net))"
)
