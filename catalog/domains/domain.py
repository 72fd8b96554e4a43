"""What a column may mean, as plain data: a domain and how a value is known to belong to it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from catalog.domains.headers import DENSE, NOTHING, Called, plain

MOST_VALIDATED = (
    2000  # characters of a value that a validator is shown; longer values are no identifier of any kind, a bound
)

REMEMBERED = 512  # names of which each domain keeps what they say of it; a bound of memory


@dataclass(frozen=True)
class Domain:
    """One meaning that the values of a column can have. The files in ``data/`` hold the known ones.

    Parameters
    ----------
    name, title, description : identifier, what people read, and a sentence about it.
    examples, counter_examples : values that belong to it, and values that look like it and do not.
    pattern : regex that a whole value has to match, or None when `check` alone decides.
    check : what the regex cannot say (check digits, calendar, dictionary); gets the stripped value.
    chance : P(a value of a column of another meaning validates). The smaller, the more specific the domain.
    hit : P(a value validates | the column has this meaning). Below one for dictionaries that cannot be complete.
    least_share : least share of matching values at which the tag is proposed.
    distinct : least number of distinct matching values, unless the column's name agrees.
    names : regex searched in the words of the column's name (lower case); evidence for, never enough alone.
    sure : regex in the words of the name that leaves no doubt: `lax` is believed then, and `whole` not asked.
    against : regex in the words of the name that rules the domain out.
    called, called_sure : words of many languages, as `names` and `sure`.
    terms : what a name that says nothing else may be short for in a table of persons, a space between parts.
    needs_name : the values fit many meanings, so that the name has to agree.
    whole : what the distinct values have to satisfy together, where all of them are known.
    weak : laxer check, used where the name agrees.
    lax : check that is enough where the name leaves no doubt.
    alike : check that is enough for a value of a column that has this meaning: in a thousand random identifiers in
        hexadecimal one is all digits, which by itself would be a number.
    sensitive : the values identify or reach a person, or open a door.
    of_persons : they do so only where they are a person's, not an organisation's (a telephone, an address).
    kinds : kinds of column state it applies to.
    theme : heading under which people find it.
    beside : domains that often stand in another column of the same table.
    next_to, among : domains that, right beside a column whose name no domain knows, or anywhere in its table, stand for
        a name that agrees.
    placed : what the distinct values have to satisfy together there; the place then leaves no doubt.
    limits : the least and the greatest number that it can be, of numbers that measure something; None of codes, of
        which an average says nothing.
    broader : what a reader who does not know this domain would say instead.

    >>> pair = Domain("pair", "Pair", ("aa", "bb", "cc"), r"(.)\\1", chance=0.01)
    >>> pair.validate("aa"), pair.validate("ab"), pair.validate(" aa ")
    (True, False, True)
    """

    name: str
    title: str
    examples: tuple[str, ...]
    pattern: str | None = None
    check: Callable[[str], bool] | None = None
    chance: float = 0.01
    hit: float = 0.97
    least_share: float = 0.8
    distinct: int = 1
    names: str = ""
    sure: str = ""
    against: str = ""
    called: Called = NOTHING
    called_sure: Called = NOTHING
    terms: tuple[str, ...] = ()
    needs_name: bool = False
    weak: Callable[[str], bool] | None = None
    lax: Callable[[str], bool] | None = None
    whole: Callable[[set[str]], bool] | None = None
    alike: Callable[[str], bool] | None = None
    sensitive: bool = False
    of_persons: bool = False
    kinds: frozenset[str] = frozenset({"string"})
    description: str = ""
    counter_examples: tuple[str, ...] = ()
    theme: str = ""
    limits: tuple[float, float] | None = None
    broader: tuple[str, ...] = ()
    beside: frozenset[str] = frozenset()
    next_to: frozenset[str] = frozenset()
    among: frozenset[str] = frozenset()
    placed: Callable[[set[str]], bool] | None = None

    @property
    def example(self) -> str:
        return self.examples[0]

    @cached_property
    def regex(self) -> re.Pattern[str] | None:
        return re.compile(self.pattern) if self.pattern is not None else None

    @cached_property
    def name_regex(self) -> NameRegex | None:
        return named_regex(self.names, self.called)

    @cached_property
    def sure_regex(self) -> NameRegex | None:
        return named_regex(self.sure, self.called_sure)

    @cached_property
    def against_regex(self) -> NameRegex | None:
        return named_regex(self.against)

    @cached_property
    def told(self) -> Callable[[str], tuple[bool, bool, bool]]:
        """What the words of a name say of the domain: whether they rule it out, leave no doubt of it, agree with it. It
        is kept: a column is asked about again as its neighbours become known, and names recur from table to table."""
        return lru_cache(maxsize=REMEMBERED)(self._told)

    def _told(self, named: str) -> tuple[bool, bool, bool]:
        asked = (self.against_regex, self.sure_regex, self.name_regex)
        against, sure, agrees = (regex is not None and regex.search(named) for regex in asked)
        return against, sure, sure or agrees

    def validate(self, value: str, *, weak: bool = False, sure: bool = False) -> bool:
        """Does one value belong? Never raises on a value, however odd."""
        text = shown(value)
        if not text:
            return False
        if sure and self.lax is not None and self.lax(text):
            return True
        if weak and self.weak is not None and self.weak(text):
            return True
        return self.fits(text)

    def may_hold(self, value: str) -> bool:
        """Whether a value may stand in a column of this meaning: what a rule asks of each, rather than what tells the
        meaning."""
        text = shown(value)
        if not text or self.fits(text):
            return bool(text)
        regex = self.regex
        return self.alike is not None and (regex is None or regex.fullmatch(text) is not None) and self.alike(text)

    def fits(self, text: str) -> bool:
        """`validate` of what is `shown` of a value, which whoever asks many domains looks at once."""
        regex = self.regex
        if regex is not None and not regex.fullmatch(text):
            return False
        check = self.check
        return check is None or check(text)


def shown(value: str) -> str:
    """What validators are shown of a value: it without white space around; nothing of one that is too long."""
    text = value.strip()
    return text if len(text) <= MOST_VALIDATED else ""


#: Vowels and tones that the scripts of India and south-east Asia write over, under and beside letters: part of a word.
_SIGNS = "".join(chr(code) for code in range(0x0300, 0x1100) if unicodedata.category(chr(code)) in ("Mn", "Mc"))
_WORD = re.compile(rf"[\w{_SIGNS}]+")

#: Scripts that put no space between words, either, the word that counts first.
_HEAD_FIRST = "\u0e00-\u0eff"


@dataclass(frozen=True)
class NameRegex:
    """What finds one of the alternatives `either` between what `begin` and `end` ask for, or a word that is `called`.

    These two take longest to compile, by every process that looks at names: they are when a text holds an alternative,
    and characters of scripts that they are about. Elsewhere words end where letters, digits and underscores do.
    """

    either: str
    begin: str
    end: str
    called: Called = NOTHING

    @cached_property
    def _anywhere(self) -> re.Pattern[str]:
        return re.compile(self.either)

    @cached_property
    def _latin(self) -> re.Pattern[str]:
        return re.compile(rf"(?<!\w)(?:{self.either})(?!\w)")

    @cached_property
    def _whole(self) -> re.Pattern[str]:
        return re.compile(f"{self.begin}(?:{self.either}){self.end}")

    def search(self, text: str) -> bool:
        if self.either and self._anywhere.search(text):
            whole = self._latin if max(text, default="") < _SIGNS[0] else self._whole
            if whole.search(text):
                return True
        return self.called.search(text)


def named_regex(alternatives: str, called: Called = NOTHING, *, before: bool = False) -> NameRegex | None:
    """What finds one of the alternatives in the words of a name, also as they are written without accents; `before`
    another word too in scripts without spaces, for what tells whose a thing is.

    >>> regex = named_regex("prénom|adı|имя|이름")
    >>> [bool(regex.search(one)) for one in ("prenom", "prénom", "adi", "имя", "이름", "pre nom")]
    [True, True, True, True, True, False]
    >>> bool(named_regex("नाम").search("नाम")), bool(named_regex("न").search("नाम"))
    (True, False)

    Scripts without spaces write what a thing is of before it, and Thai and Lao behind it:

    >>> regex = named_regex("手机|名|전화번호|อีเมล")
    >>> [bool(regex.search(one)) for one in ("联系手机", "商品名", "고객전화번호", "อีเมลลูกค้า")]
    [True, False, True, True]
    """
    if not alternatives and called == NOTHING:
        return None
    bare = plain(alternatives)
    either = alternatives if bare == alternatives else alternatives + "|" + bare
    or_more = rf"|(?<=[{DENSE}]{{2}})(?=[{DENSE}])" if before else ""
    begin = rf"(?:(?<![\w{_SIGNS}])|(?<=[{DENSE}])(?=[{DENSE}]{{2}}))"
    end = rf"(?:(?![\w{_SIGNS}])|(?<=[{_HEAD_FIRST}]{{3}})(?=[{_HEAD_FIRST}]){or_more})"
    return NameRegex(either, begin, end, called)


#: What people write before another word without a mark between.
_HEAD = re.compile(
    r"(?i)(?<![a-z])(billing|shipping|delivery|mailing|customer|client|employee|patient|student|supplier|company)"
    r"(?=[a-z]{3,})(?!ing|ment|ary|ele|eles|en(?!ro|tr|d))"
)


@lru_cache(maxsize=1 << 16)
def words(name: str) -> str:
    """The words of a column name, lower case, one space between.

    >>> words("customer_birthCity"), words("HTTPStatus"), words("addr2"), words("billingpostalcode"), words("वेतन_1")
    ('customer birth city', 'http status', 'addr 2', 'billing postalcode', 'वेतन 1')
    >>> words("İlçe")  # a Turkish capital, whose dot is a sign of its own in lower case
    'ilçe'
    """
    split = re.sub(
        r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])", " ", name[:300]
    )
    return _HEAD.sub(r"\1 ", " ".join(_WORD.findall(split.replace("_", " ")))).lower().replace("i\u0307", "i")
