"""The grammar of DQDL: a ruleset taken apart into rules, each by itself, so that one that is wrong costs no other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from catalog.errors import UsageError
from catalog.rules.exchange.bands import Band, band_of

_TOKEN = re.compile(
    r"""(?P<space>\s+|\#[^\n]*)|(?P<text>"(?:\\.|[^"\\\n])*")|(?P<number>-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"""
    r"""|(?P<sign>>=|<=|!=|=|>|<)|(?P<mark>[\[\](){},:$+*/-])|(?P<word>[A-Za-z_]\w*)|(?P<other>.)""",
    re.S,
)
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_KEYWORDS = {"null": None, "empty": "", "whitespaces_only": " "}
_BLANK = "texts of blanks alone are not told apart in a list"


@dataclass(frozen=True)
class Token:
    """A piece of the text: its kind, its text, and the line it stands on."""

    kind: str
    text: str
    line: int


@dataclass(frozen=True)
class Rule:
    """One rule.

    Parameters
    ----------
    kind : its type, such as ``ColumnValues``. names : its parameters.
    sign : how it compares (a sign, ``between``, ``in``, ``matches``), "" where it does not. denied : after not.
    values : what it compares with; None for NULL. threshold : the share of rows that has to keep to it.
    where : condition on rows. dynamic : whether it compares with what earlier runs said.
    """

    kind: str
    names: tuple[str, ...] = ()
    sign: str = ""
    values: Sequence[Any] = ()
    denied: bool = False
    threshold: Band | None = None
    where: str | None = None
    dynamic: bool = False


Parts = list[tuple[str, Rule]]


def rules_of(text: str) -> Iterator[tuple[int, str, Parts | UsageError]]:
    """The rules of a text with their lines, as they are written, each as parts with ``and`` or ``or`` before them; in
    place of one that cannot be read, why. Raises `UsageError` where there is no list of rules.

    >>> [(line, parts[0][1].kind) for line, _, parts in rules_of('Rules = [ IsComplete "id", RowCount > 5 ]')]
    [(1, 'IsComplete'), (1, 'RowCount')]
    """
    tokens = list(_tokens(text))
    start = next(
        (at + 3 for at in range(len(tokens) - 2) if [one.text for one in tokens[at : at + 3]] == ["Rules", "=", "["]),
        None,
    )
    if start is None:
        raise UsageError("the text has no list of rules", remedy='write Rules = [ IsComplete "id", ... ]')
    for piece in _split(tokens[start:]):
        said = " ".join(token.text for token in piece)
        try:
            yield piece[0].line, said, list(_parts(piece, ""))
        except UsageError as error:
            yield piece[0].line, said, error
        except RecursionError:
            yield piece[0].line, said, UsageError("it is nested too deeply")


def _tokens(text: str) -> Iterator[Token]:
    line = 1
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup or "other"
        if kind != "space":
            yield Token(kind, found[0], line)
        line += found[0].count("\n")


def _split(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """What commas part up to the closing bracket."""
    depth, piece = 0, list[Token]()
    for token in tokens:
        opens = token.kind == "mark" and token.text in _CLOSING
        closes = token.kind == "mark" and token.text in _CLOSING.values()
        if closes and depth == 0:
            break
        depth += opens - closes
        if token.text == "," and token.kind == "mark" and depth == 0:
            if piece:
                yield piece
            piece = []
            continue
        piece.append(token)
    if piece:
        yield piece


def _parts(tokens: list[Token], word: str) -> Iterator[tuple[str, Rule]]:
    """Rules of one entry, without the brackets around them and with the word before each."""
    depth, piece, following = 0, list[Token](), word
    for token in tokens:
        depth += (token.text in ("(", "[")) - (token.text in (")", "]")) if token.kind == "mark" else 0
        lower = token.text.lower()
        if depth == 0 and token.kind == "word" and lower in ("and", "or") and not _between(piece):
            yield from _bare(piece, following)
            piece, following = [], lower
            continue
        piece.append(token)
    yield from _bare(piece, following)


def _between(piece: Sequence[Token]) -> bool:
    """Whether an AND belongs to a BETWEEN, or to columns that a type names one after the other."""
    words = [token.text.lower() for token in piece if token.kind == "word"]
    return "between" in words and not any(token.text.lower() == "&" for token in piece)


def _bare(piece: list[Token], word: str) -> Iterator[tuple[str, Rule]]:
    if not piece:
        raise UsageError("a rule is missing beside and, or or")
    if piece[0].text == "(" and piece[-1].text == ")":
        inner = list(_parts(piece[1:-1], word))
        yield from inner
    else:
        yield word, _rule(piece)


def _rule(tokens: list[Token]) -> Rule:
    if tokens[0].kind != "word":
        raise UsageError("it does not begin with the type of a rule")
    reader = _Reader(tokens[1:])
    names: list[str] = []
    while reader.next.kind == "text" or reader.next.text.lower() in ("of", "and"):
        token = reader.take()
        names += [_text(token)] if token.kind == "text" else []
    rule = reader.condition(Rule(tokens[0].text, tuple(names)))
    while reader.next.kind != "end":
        word = reader.take().text.lower()
        if word == "where":
            rule = replace(rule, where=_text(reader.take("text")))
        elif word == "with" and reader.take("word").text == "threshold":
            rule = replace(rule, threshold=reader.threshold())
        elif word == "labels":
            break  # words for people
        else:
            raise UsageError(f"{word[:40]!r} is not understood there")
    return rule


def _text(token: Token) -> str:
    r"""A text without its quotes. Only a quote is escaped: a backslash is one of a regular expression.

    >>> _text(Token("text", r'"a\"b\d"', 1))
    'a"b\\d'
    """
    return token.text[1:-1].replace('\\"', '"')


def read_back(text: str) -> str | None:
    """What a text in quotes is read as; None where it is no single one."""
    tokens = list(_tokens(text))
    return _text(tokens[0]) if len(tokens) == 1 and tokens[0].kind == "text" else None


class _Reader:
    """What stands behind the names of a rule, from left to right."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens, self.at = tokens, 0

    @property
    def next(self) -> Token:
        return self.tokens[self.at] if self.at < len(self.tokens) else Token("end", "", 0)

    def take(self, *kinds: str) -> Token:
        token = self.next
        if token.kind == "end" or (kinds and token.kind not in kinds):
            raise UsageError(f"{token.text[:40] or 'the end'!r} is not understood there")
        self.at += 1
        return token

    def condition(self, rule: Rule) -> Rule:
        denied = self.next.text.lower() == "not"
        if denied:
            self.take()
        word = self.next.text.lower()
        if self.next.kind != "sign" and word not in ("between", "in", "matches"):
            if denied:
                raise UsageError("something is missing after not")
            return rule
        self.take()
        values, dynamic = self._values(word)
        return replace(rule, sign=word, denied=denied, values=values, dynamic=dynamic)

    def _values(self, word: str) -> tuple[list[Any], bool]:
        if word == "in":
            return self._list(), False
        first, dynamic = self._value()
        if word != "between":
            return [first], dynamic
        if self.take("word").text.lower() != "and":
            raise UsageError("between lacks its and")
        second, other = self._value()
        return [first, second], dynamic or other

    def _list(self) -> list[Any]:
        if self.take().text != "[":
            raise UsageError("in is followed by no list of values")
        found: list[Any] = []
        while self.next.text != "]":
            found.append(self._value()[0])
            if self.next.text == ",":
                self.take()
        self.take()
        if " " in found:
            raise UsageError(_BLANK)
        return found

    def _value(self) -> tuple[Any, bool]:
        """A value, and whether it is one of earlier runs."""
        token = self.take()
        if token.kind == "text":
            return _text(token), False
        if token.kind == "number":
            value = float(token.text) if re.search(r"[.eE]", token.text) else int(token.text)
            if self.next.kind == "word" and self.next.text in ("days", "hours", "minutes"):
                return f"{token.text} {self.take().text}", False
            return value, self._rest()
        if token.kind == "word" and token.text.lower() in _KEYWORDS:
            return _KEYWORDS[token.text.lower()], False
        if token.kind == "word" and self.next.text == "(":
            return self._called(token)
        if token.text == "(":
            return self._called(self.take())
        raise UsageError(f"{token.text[:40]!r} is no value that is known")

    def _rest(self) -> bool:
        """Whether a number is the first of a calculation, which only figures of earlier runs need."""
        if self.next.kind == "mark" and self.next.text in "+-*/":
            self.at = len(self.tokens)
            return True
        return False

    def _called(self, token: Token) -> tuple[Any, bool]:
        if token.text.lower() == "now":
            raise UsageError("it asks the clock: use DataFreshness")
        self.at = len(self.tokens)
        return 0, True

    def threshold(self) -> Band:
        if self.next.text.lower() == "between":
            self.take()
            low, _ = self._value()
            self.take("word")
            high, _ = self._value()
            return Band(low, high, True, True)
        return band_of(self.take("sign").text, self._value()[0])
