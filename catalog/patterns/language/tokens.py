"""Tokens of the pattern language: the nodes of the generalisation hierarchy (Auto-Validate, figure 4).

A token is a constant or a class with a length: exactly k, or ``+`` for one or more. Letters include everything beyond
ASCII, so every value has a pattern; symbols and blanks stand for themselves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from catalog.patterns.language.characters import quote
from catalog.patterns.language.regex import ALNUM, ANY, LETTER

CONST, DIGIT, NUM, UPPER, LOWER, LETTERS, ALNUMS, ALL = (
    "const",
    "digit",
    "num",
    "upper",
    "lower",
    "letter",
    "alphanum",
    "all",
)
MORE = 0  # size of a token of one or more characters

_REGEX = {DIGIT: "[0-9]", UPPER: "[A-Z]", LOWER: "[a-z]", LETTERS: LETTER, ALNUMS: ALNUM}
_WORDS = {DIGIT: "digit", UPPER: "capital", LOWER: "small letter", LETTERS: "letter", ALNUMS: "letter or digit"}
_NUM = r"[-+]?[0-9]+(?:\.[0-9]+)?"
# Height in the hierarchy: how general a class is by itself.
_HEIGHT = {CONST: 0, DIGIT: 1, UPPER: 1, LOWER: 1, LETTERS: 2, NUM: 3, ALNUMS: 3, ALL: 5}


@dataclass(frozen=True, order=True)
class Token:
    """One token: `kind`, and its `text` (constants) or its `size` (classes; `MORE` for one or more).

    >>> str(Token("digit", size=3)), str(Token("letter")), str(Token("const", "a<b")), str(Token("num"))
    ('<digit>{3}', '<letter>+', 'a\\\\<b', '<num>')
    """

    kind: str
    text: str = ""
    size: int = MORE

    def __str__(self) -> str:
        if self.kind == CONST:
            return re.sub(r"([<\\{+])", r"\\\1", self.text)
        if self.kind in (NUM, ALL):
            return f"<{self.kind}>"
        return f"<{self.kind}>" + (f"{{{self.size}}}" if self.size else "+")

    @property
    def regex(self) -> str:
        """Regular expression for Java and Python."""
        if self.kind == CONST:
            return quote(self.text)
        if self.kind == NUM:
            return _NUM
        if self.kind == ALL:
            return f"{ANY}*"
        return _REGEX[self.kind] + (f"{{{self.size}}}" if self.size else "+")

    @property
    def generality(self) -> float:
        """Height in the hierarchy; half a step more without a fixed length."""
        return _HEIGHT[self.kind] + (0.5 if self.kind not in (CONST, NUM, ALL) and self.size == MORE else 0.0)

    @property
    def words(self) -> str:
        """The token in words."""
        if self.kind == CONST:
            return {" ": "a space"}.get(self.text, f"“{self.text}”")
        if self.kind in (NUM, ALL):
            return {NUM: "a number", ALL: "anything"}[self.kind]
        one = {DIGIT: "digit", UPPER: "capital", LOWER: "small letter", LETTERS: "letter", ALNUMS: "letter or digit"}[
            self.kind
        ]
        many = "letters or digits" if self.kind == ALNUMS else one + "s"
        return many if self.size == MORE else f"{self.size} {one if self.size == 1 else many}"


_TOKEN = re.compile(r"<(digit|upper|lower|letter|alphanum)>(?:\{(\d+)\}|\+)|<(num|all)>|((?:\\[\s\S]|[^<\\])+)")


def parse_tokens(text: str) -> tuple[Token, ...]:
    """Inverse of joining ``str(token)``; neighbouring constants come back as one.

    >>> parse_tokens("<digit>{2}:<num>")
    (Token(kind='digit', text='', size=2), Token(kind='const', text=':', size=0), Token(kind='num', text='', size=0))
    """
    out, at = [], 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise ValueError(f"pattern {text!r} cannot be read at position {at}")
        kind, size, plain, constant = found.groups()
        if constant is not None:
            out.append(Token(CONST, re.sub(r"\\([\s\S])", r"\1", constant)))
        else:
            out.append(Token(kind or plain, size=int(size) if size else MORE))
        at = found.end()
    return tuple(out)


_LEXER = re.compile(rf"[0-9]+|{LETTER}+|[\s\S]")
_CHUNKS = re.compile(rf"(?<![0-9A-Za-z.\-\x80-\uffff])-?[0-9]+\.[0-9]+(?![0-9A-Za-z.\x80-\uffff])|{ALNUM}+|[\s\S]")


_SIGNED = re.compile(
    rf"(?<![0-9A-Za-z.+\-\x80-\uffff])[-+]?[0-9]+(?:\.[0-9]+)?(?![0-9A-Za-z.\x80-\uffff])|{ALNUM}+|[\s\S]"
)


@lru_cache(maxsize=65536)
def lex(value: str) -> tuple[str, ...]:
    """Runs of digits, runs of letters, single symbols.

    >>> lex("9:07 pm")
    ('9', ':', '07', ' ', 'pm')
    """
    return tuple(_LEXER.findall(value))


@lru_cache(maxsize=65536)
def chunks(value: str) -> tuple[str, ...]:
    """Runs of letters and digits, decimal numbers, single symbols: the units that generalise on their own.

    >>> chunks("0.1|ab12-c")
    ('0.1', '|', 'ab12', '-', 'c')
    """
    return tuple(_CHUNKS.findall(value))


@lru_cache(maxsize=65536)
def signed_chunks(value: str) -> tuple[str, ...]:
    """The same, and a sign belongs to the number behind it, as in figure 4's <num>.

    >>> signed_chunks("-30"), signed_chunks("2024-01-02"), signed_chunks("x -0.5")
    (('-30',), ('2024', '-', '01', '-', '02'), ('x', ' ', '-0.5'))
    """
    return tuple(_SIGNED.findall(value))
