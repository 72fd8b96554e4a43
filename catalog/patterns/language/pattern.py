"""Patterns: sequences of tokens that print, parse, match and compare."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from catalog.patterns.language.regex import whole
from catalog.patterns.language.tokens import Token, parse_tokens


@dataclass(frozen=True)
class Pattern:
    """A sequence of tokens.

    >>> p = Pattern.parse("<letter>{3} <digit>{2} <digit>{4}")
    >>> p.match("Mar 01 2019"), p.match("March 1 2019"), str(p)
    (True, False, '<letter>{3} <digit>{2} <digit>{4}')
    >>> p.words
    '3 letters, a space, 2 digits, a space, 4 digits'
    """

    tokens: tuple[Token, ...]

    @classmethod
    def parse(cls, text: str) -> Pattern:
        """From the text form. Raises ValueError where it cannot be read."""
        return cls(parse_tokens(text))

    def __str__(self) -> str:
        return "".join(map(str, self.tokens))

    @property
    def body(self) -> str:
        """Regular expression, unanchored."""
        return "".join(token.regex for token in self.tokens)

    @cached_property
    def regex(self) -> str:
        """Regular expression of the whole value, for Java and Python."""
        return whole([self.body])

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.regex)

    def match(self, value: str) -> bool:
        """Whether the value is consistent with the pattern."""
        return self._compiled.search(value) is not None

    @property
    def generality(self) -> float:
        """Sum of the tokens' heights in the hierarchy: grows when any token is generalised."""
        return sum(token.generality for token in self.tokens)

    @property
    def words(self) -> str:
        return ", ".join(token.words for token in self.tokens)
