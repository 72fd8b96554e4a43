"""LIKE patterns and Java's regular expressions as RE2 reads them."""

from __future__ import annotations

import re
from contextlib import suppress

_SPECIAL = set("\\.^$|?*+()[]{}")


def like_regex(pattern: str) -> str:
    """The regular expression of a LIKE pattern: % is anything, _ one character, a backslash takes the next as it is.

    >>> like_regex("a_c%"), like_regex("100\\\\%")
    ('a.c.*', '100%')
    """
    out, at = [], 0
    while at < len(pattern):
        character = pattern[at]
        if character == "\\" and at + 1 < len(pattern):
            at += 1
            out.append(_quoted(pattern[at]))
        else:
            out.append({"%": ".*", "_": "."}.get(character) or _quoted(character))
        at += 1
    return "".join(out)


def _quoted(character: str) -> str:
    return "\\" + character if character in _SPECIAL else character


#: What Java's dot does not match, and what may stand behind its dollar.
_LINE_ENDS = r"\n\r\x{85}\x{2028}\x{2029}"
#: Java's \\s; RE2's has no vertical tab.
_BLANKS = r"\t\n\x0B\f\r "
#: Escapes that both engines read alike.
_SAME = set("dDwWtnrfbB.^$|?*+()[]{}\\-/ ,:;#@&%=!~_<>'\"")
#: Marks of what RE2 has not, or has otherwise.
_OTHER = re.compile(r"\(\?(?!:)|[*+?}]\+|&&|\[[^\]]*\[")


def rlike_regex(pattern: str) -> str | None:
    """Java's regular expression for RE2; None where RE2 has no equal.

    Java's dot stops at five line ends and its dollar stands before a last one, too.

    >>> rlike_regex("^[A-Z]{2}$")
    '\\\\A[A-Z]{2}(?:\\\\r\\\\n|[\\\\n\\\\r\\\\x{85}\\\\x{2028}\\\\x{2029}])?\\\\z'
    >>> rlike_regex("(?=a)b") is None
    True
    """
    if _OTHER.search(pattern) or not pattern.isascii():
        return None
    out, at, inside = [], 0, False
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            at += 1
            if pattern[at : at + 1] in ("s", "S") and not (inside and pattern[at] == "S"):
                out.append(_BLANKS if inside else f"[{'^' if pattern[at] == 'S' else ''}{_BLANKS}]")
                at += 1
                continue
            if at == len(pattern) or pattern[at] not in _SAME or (inside and pattern[at] in "bB"):
                return None
            out.append("\\" + pattern[at])
        elif inside:
            inside = character != "]"
            out.append(character)
        else:
            inside = character == "["
            out.append(_outside(character))
        at += 1
    found = "".join(out)
    try:
        re.compile(pattern)
    except re.error:
        return None
    return found


#: What Java reads as it is between \\Q and \\E, and pairs of a backslash and what it takes its meaning from.
_LITERAL = re.compile(r"\\Q.*?(?:\\E|$)|\\.", re.S)

#: Classes within classes, which Python does not read as Java does.
_SETS = re.compile(r"&&|--|~~|\|\||\[[^\]]*\[")


def regex_mistake(pattern: str) -> str:
    """What keeps an expression from being one, in words; empty of one that Java may read. What Python reads is taken
    for right; of what is Java's alone only brackets, and what is repeated, are looked at.

    >>> regex_mistake("(["), regex_mistake("a)"), regex_mistake("*a"), regex_mistake("a\\\\")
    ('a [ is not closed', 'a ) closes nothing', 'nothing stands before * to be repeated', 'it ends in a backslash')
    >>> regex_mistake(r"\\p{L}[a-z&&[^b]]\\Q(\\E"), regex_mistake("(?<n>a)(?i)b")
    ('', '')
    """
    if not _SETS.search(pattern):
        with suppress(re.error, OverflowError, RecursionError):
            re.compile(pattern)
            return ""
    plain = _LITERAL.sub("c", pattern)
    groups = brackets = 0
    before = "("
    for at, character in enumerate(plain):
        if character == "[":
            brackets += 1
        elif brackets:
            # the first of a class may be a bracket that closes nothing
            brackets -= character == "]" and plain[at - 1] != "[" and plain[at - 2 : at] != "[^"
        elif character == ")" and not groups:
            return "a ) closes nothing"
        elif character in "*+?" and before in "(|" and plain[at - 1 : at + 1] != "(?":
            return f"nothing stands before {character} to be repeated"
        else:
            groups += (character == "(") - (character == ")")
        before = character
    if brackets or groups:
        return f"a {'[' if brackets else '('} is not closed"
    return "it ends in a backslash" if plain.endswith("\\") else ""


#: A group that is repeated, and gives back what it took; a repeat without an end.
_REPEATED = re.compile(r"\)(?:[*+]|\{\d+,\d*\})(?!\+)")
_ENDLESS = re.compile(r"[*+](?!\+)|\{\d+,\}")
_TIMES = re.compile(r"\)\{\d+\}")
#: Chosen: repeats without an end, of which each may multiply the time by a text's length: three conditions on a text,
#: and how long it is.
MOST_ENDLESS = 4


def may_hang(pattern: str) -> bool:
    """Whether an engine that goes back over its choices, as Java's does, may take time that doubles with each
    character: a group is repeated, in which a text may be read in several ways. RE2 takes time as the text is long.

    >>> may_hang("(?=x)(a+)+b"), may_hang("(?=.*[0-9])[a-z]+"), may_hang(r"(?i)\\(a\\)+")
    (True, False, False)
    >>> may_hang("(.*a){25}b"), may_hang("(?:[0-9]{3}-){2}"), may_hang(".*a.*a.*a.*a.*a.*b")
    (True, False, True)
    """
    plain = re.sub(r"\[[^\]]*\]", "c", re.sub(r"\\.", "c", pattern, flags=re.S))
    if _REPEATED.search(plain) or len(_ENDLESS.findall(plain)) > MOST_ENDLESS:
        return True
    return any(re.search(r"[*+?|,]", _group(plain, one.start())) for one in _TIMES.finditer(plain))


def _group(plain: str, end: int) -> str:
    """What a group holds that ends at a bracket, without what says of which kind it is."""
    depth = 0
    for at in range(end, -1, -1):
        depth += (plain[at] == ")") - (plain[at] == "(")
        if not depth:
            return plain[at + 1 : end].removeprefix("?:")
    return plain[:end]


def _outside(character: str) -> str:
    match character:
        case ".":
            return f"[^{_LINE_ENDS}]"
        case "^":
            return "\\A"
        case "$":
            return f"(?:\\r\\n|[{_LINE_ENDS}])?\\z"
    return character
