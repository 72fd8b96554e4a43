"""Sensitive values that stand inside other texts, certain enough by shape and check digits to tell from a single find.

"Contains" is not "is": a column of notes in which a few rows hold an e-mail address is no column of e-mail addresses.
Only the values that hold one are masked, in every column, whether or not anybody looked at that row before.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from catalog.domains.known import KNOWN
from catalog.domains.lexicon import fold, vocabulary
from catalog.domains.validators.people import names_inside
from catalog.domains.validators.text import FLAGS
from catalog.tags.privacy.masking import mask

INSIDE: dict[str, re.Pattern[str]] = {
    "email": re.compile(
        r"(?<![\w.+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,24}(?![\w@])"
    ),
    "iban": re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b"),
    "card_number": re.compile(r"(?<![\d.-])(?:\d{4}[ -]){3}\d{4}(?![\d.-])|(?<![\d.-])\d{15,16}(?![\d.-])"),
    "national_id": re.compile(r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])"),
}
#: The secrets that name themselves by their form, where they stand between other words.
FORMED = ("api_key", "credentials_url", "jwt", "private_key")
INSIDE |= {one: re.compile(rf"(?<![\w-])(?:{(KNOWN[one].pattern or '').removeprefix('(?s)')})", re.S) for one in FORMED}
#: Secrets without a form, told by the key before them: in JSON, in settings and logs (key=value), in the query of an
#: address, behind a colon, in the header that lets a program in.
BEHIND = "password"
_KEY = (
    r"(?:pass(?:word|wort|wd|phrase|code)|passord|pwd|senha|has[lł]o|contrase[nñ]a|mot[_ ]de[_ ]passe|kennwort|"
    r"wachtwoord|lösenord|пароль|密[码碼]|パスワード|비밀번호|secret|(?:api|access|account|secret|private)[_ -]?key|"
    r"(?P<token>token)|(?:(?<![^\W_])|(?<=_))(?:pass|pw|pin|otp|cvv|cvc)|(?<=[?&])(?:sig|signature)|amz-signature)"
    r"(?:[_-]?hash)?"
)
INSIDE[BEHIND] = re.compile(
    rf"(?i){_KEY}(?:\\*[\"']\]?)?(?P<gap>\s{{0,3}}(?:=>?|:)\s{{0,3}})"
    r"(?:(?P<esc>\\*)(?P<mark>[\"'])(?P<quoted>(?:(?!(?<!\\)(?P=esc)(?P=mark)).){3,400})|(?P<bare>[^\s\"',;&<>{}\[\]()|\\]{3,400}))"
    r"|\b(?:bearer|basic)\s+(?P<bearer>[\w.~+/=-]{12,})"
)
ALWAYS = frozenset(INSIDE)
NAMES = "person_name"  # found by dictionaries, so only where a column is known to hold some
_HINT = re.compile(r"@|\d\d|[=:]|(?i:bearer|basic) |PRIVATE KEY|_")
MOST_LOOKED_THROUGH = 4000  # characters of a text that are looked at; a bound
#: Without one of these there is none of `FORMED` and nothing is `BEHIND` a key: quicker to look for than the whole.
_MARKS = {
    "credentials_url": ("://",),
    "jwt": (".",),
    "private_key": ("private key",),
    BEHIND: tuple(
        "pass pwd pw pin otp cvv cvc token secret key signature sig bearer basic senha has contrase mot kennwort "
        "wachtwoord lösenord пароль 密 パスワード 비밀번호".split()
    ),
}
_MADE_UP = re.compile(r"[\d!#$%*+/=@^~]")  # what no word has
LEAST_TOKEN = 8  # bound: characters of a token that nobody can guess; a shorter one is a word of a text
#: What stands behind such a key and is no secret: flags, and types in descriptions of interfaces.
_NO_SECRET = FLAGS | vocabulary("null none nil undefined required optional string text varchar password secret token")


def finds(text: str, domains: Collection[str] = ALWAYS) -> Iterator[tuple[str, tuple[int, int]]]:
    """(domain, from where to where) of the sensitive values inside a text."""
    if not _HINT.search(text):
        return
    text = text[:MOST_LOOKED_THROUGH]
    lower = text.lower()
    for name, regex in INSIDE.items():
        if name in domains and any(mark in lower for mark in _MARKS.get(name, ("",))):
            for found in regex.finditer(text):
                if name == BEHIND:
                    if place := _secret(found):
                        yield name, place
                elif name == "private_key" or KNOWN[name].validate(found.group()):
                    yield name, found.span()


def _secret(found: re.Match[str]) -> tuple[int, int] | None:
    """Where the secret behind a key stands; None of a word that is none. Behind a colon and a space words go on, so
    that only what no word is counts; a token is long and drawn."""
    part = next(name for name in ("quoted", "bare", "bearer") if found[name] is not None)
    value = found[part]
    if fold(value) in _NO_SECRET or not any(map(str.isalnum, value)):
        return None
    in_prose = part == "bare" and ":" in found["gap"] and found["gap"] != ":"
    drawn = part == "bearer" or found["token"] is not None
    if (in_prose or drawn) and not _MADE_UP.search(value):
        return None
    return None if drawn and len(value) < LEAST_TOKEN else found.span(part)


def holds(text: str, domains: Collection[str] = ALWAYS) -> bool:
    """Whether a text holds a sensitive value of one of these domains.

    >>> holds("write to ann@example.com"), holds("write to Ann Lee"), holds("from Mrs. Tate", {"person_name"})
    (True, False, True)
    >>> holds("login user=ann password=hunter2"), holds("The secret: a novel"), holds("token: noun")
    (True, False, False)
    """
    return any(True for _ in finds(text, domains)) or (NAMES in domains and names_inside(text))


def mask_inside(text: str, domains: Collection[str] = ALWAYS) -> str:
    """The text with the sensitive values in it masked; the rest stays.

    >>> mask_inside("every value is “ann7@example.com” or “none”")
    'every value is “aaa9@aaaaaaa.aaa” or “none”'
    >>> mask_inside('{"user": "ann", "password": "Tr0ub4dor"} from https://a.io/x?token=zq81f7aa0&n=1')
    '{"user": "ann", "password": "Aa9aa9aaa"} from https://a.io/x?token=aa99a9aa9&n=1'
    """
    out, done = [], 0
    for start, end in sorted(place for _, place in finds(text, domains)):
        if end > done:
            out += [text[done : max(start, done)], mask(text[max(start, done) : end])]
            done = end
    return "".join(out) + text[done:]


#: How libraries quote the cell that they cannot convert.
_QUOTED = re.compile(r"(?i)(\b(?:string:|convert|value|input|cell) )(['\"].{1,2000}?['\"](?!\w))")


def without_values(text: str) -> str:
    """A message of a program that may quote cells, fit for logs and for what is shown of an error.

    >>> without_values("Failed to parse string: 'Ann Lee' as a scalar of type int64, see ann@b.io")
    "Failed to parse string: 'Aaa Aaa' as a scalar of type int64, see aaa@a.aa"
    """
    lines = (_QUOTED.sub(lambda found: found[1] + mask(found[2], limit=2002), line) for line in text.split("\n"))
    return "\n".join(map(mask_inside, lines))
