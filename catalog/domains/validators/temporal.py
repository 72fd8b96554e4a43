"""Validators of time."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Collection
from functools import cache

from catalog.domains.lexicon import fold, words

_MON = r"[^\W\d_]{3,10}\.?"
_CLOCK = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2}(?:[.,]\d{1,9})?)?(?: ?[AaPp]\.?[Mm]\.?)?"
_ZONE = r"(?: ?(?:Z|UTC|GMT|[A-Z]{3,4}|(?:UTC|GMT)[+-]\d{1,2}|[+-]\d{2}:?\d{2}|[+-]\d{2}))?"
#: Hungarian, Serbian and Croatian end the last number with a dot too, and may have a blank behind each.
_NUMERIC_DATE = (
    r"\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2(?:\d{4}|\d{2})"
    r"|\d{4}\. ?\d{1,2}\. ?\d{1,2}\.|\d{1,2}\. ?\d{1,2}\. ?\d{4}\."
    r"|\d{4}年 ?\d{1,2}月 ?\d{1,2}日|\d{4}년 ?\d{1,2}월 ?\d{1,2}일"
)
_WORDY_DATE = (
    rf"(?:{_MON},? )?\d{{1,2}}(?:st|nd|rd|th)?(?:\. |[-/. ])(?:de )?{_MON}(?:[-/., ]+(?:de )?(?:\d{{4}}|\d{{2}}))?"
    rf"|(?:{_MON},? )?{_MON}[-/. ]\d{{1,2}}(?:st|nd|rd|th)?(?:,? +\d{{4}}|[-/]\d{{2,4}})|"
    rf"\d{{4}}[-/. ]{_MON}[-/. ]\d{{1,2}}"
)
_DATE = re.compile(rf"(?:{_NUMERIC_DATE}|(?:19|20)\d{{6}}|{_WORDY_DATE})")
_VERSION = re.compile(r"\d\.\d\.\d\d")  # two digits of a year come after a day and a month of two digits
_DATETIME = re.compile(
    rf"(?P<date>.{{5,30}}?)(?:T|,? +|:)(?P<clock>{_CLOCK}){_ZONE}(?: \d{{4}})?|(?P<packed>(?:19|20)\d{{6}})T?\d{{6}}Z?"
)


#: Languages that the lists lack.
_MONTHS = """
    gener febrer març abril maig juny juliol agost setembre octubre novembre desembre
    tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu marraskuu joulukuu
    siječanj veljača ožujak travanj svibanj lipanj srpanj kolovoz rujan listopad studeni prosinac
    януари февруари март април май юни юли август септември октомври ноември декември
    січень лютий березень квітень травень червень липень серпень вересень жовтень листопад грудень
    sausis vasaris kovas balandis gegužė birželis liepa rugpjūtis rugsėjis spalis lapkritis gruodis
    janvāris februāris marts aprīlis maijs jūnijs jūlijs augusts septembris oktobris novembris decembris
    jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember
    január február március április május június július augusztus szeptember október november december
    јануар фебруар март април мај јун јул август септембар октобар новембар децембар
    јануари фебруари јуни јули септември октомври ноември декември
    januar februar mart april maj jun jul avgust septembar oktobar novembar decembar september oktober november december
    januari februari maret april mei juni juli agustus september oktober november desember
    janúar febrúar mars apríl maí júní júlí ágúst september október nóvember desember
    января февраля марта апреля мая июня июля августа сентября октября ноября декабря
    जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर सितम्बर अक्टूबर नवंबर नवम्बर दिसंबर दिसम्बर
    januari februari machi aprili mei juni julai agosti septemba oktoba novemba desemba
    jannar frar marzu april mejju ġunju lulju awwissu settembru ottubru novembru diċembru
    eanáir feabhra márta aibreán bealtaine meitheamh iúil lúnasa samhain nollaig
    يناير فبراير مارس أبريل ابريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
    janar shkurt mars prill maj qershor korrik gusht shtator tetor nëntor dhjetor
"""
_WEEKDAYS = """
    hétfő kedd szerda csütörtök péntek szombat vasárnap
    maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai
    ponedjeljak utorak srijeda četvrtak petak subota nedjelja ponedeljek torek sreda četrtek petek sobota nedelja
    понеділок вівторок середа четвер пʼятниця п'ятниця субота неділя понеделник вторник сряда четвъртък петък събота
    dilluns dimarts dimecres dijous divendres dissabte diumenge
    pirmadienis antradienis trečiadienis ketvirtadienis penktadienis šeštadienis sekmadienis
    pirmdiena otrdiena trešdiena ceturtdiena piektdiena sestdiena svētdiena
    måndag tisdag onsdag torsdag fredag lördag söndag mandag tirsdag lørdag søndag
    mánudagur þriðjudagur miðvikudagur fimmtudagur föstudagur laugardagur sunnudagur
    понедељак уторак среда четвртак петак субота недеља недела
    सोमवार मंगलवार बुधवार गुरुवार शुक्रवार शनिवार रविवार senin selasa rabu kamis jumat sabtu minggu ahad
    jumatatu jumanne jumatano alhamisi ijumaa jumamosi jumapili tnejn tlieta erbgħa ħamis ġimgħa sibt ħadd
    周一 周二 周三 周四 周五 周六 周日 週一 週二 週三 週四 週五 週六 週日 月曜 火曜 水曜 木曜 金曜 土曜 日曜
    월요일 화요일 수요일 목요일 금요일 토요일 일요일 segunda terça quarta quinta sexta
    esmaspäev teisipäev kolmapäev neljapäev reede laupäev pühapäev
"""


@cache
def _more(text: str) -> frozenset[str]:
    return frozenset(map(fold, text.split()))


@cache
def _is_month_word(word: str) -> bool:
    key = fold(word).strip(".")
    return key in words("month_names") or key in _more(_MONTHS)


def _calendar(year: int, month: int, day: int) -> bool:
    if not (1 <= month <= 12 and day >= 1):
        return False
    return day <= monthrange(year if 1 <= year <= 9999 else 2000, month)[1]


def is_date(text: str) -> bool:
    """A day of the calendar in one of the usual notations: ISO, day or month first, with the month in words, packed.

    >>> [is_date(x) for x in ("2024-02-29", "2023-02-29", "31/12/99", "20240131", "3. März 2024", "5-Jan", "1/2")]
    [True, False, True, True, True, True, False]
    >>> is_date("31.12.1999."), is_date("1999. 12. 31."), is_date("31.13.1999."), is_date("1.2.3.")
    (True, True, False, False)
    >>> is_date("2026年11月05日"), is_date("2026년 11월 5일"), is_date("2026年13月05日")
    (True, True, False)
    >>> is_date("1.7.2013"), is_date("01.07.13"), is_date("1.7.13")  # the last one is a version
    (True, True, False)
    """
    if len(text) > 40 or not _DATE.fullmatch(text) or _VERSION.fullmatch(text):
        return False
    numbers = [int(n) for n in re.findall(r"\d+", text)]
    if re.fullmatch(r"\d{8}", text):
        return _calendar(int(text[:4]), int(text[4:6]), int(text[6:]))
    if words := re.findall(r"[^\W\d_]{3,}", text):
        day = next((n for n in numbers if n <= 31), 0)
        return 1 <= day <= 31 and any(_is_month_word(word) for word in words)
    if re.match(r"\d{4}", text):
        return _calendar(numbers[0], numbers[1], numbers[2]) and 1000 <= numbers[0] <= 9999
    one, two, year = numbers
    year = year if year > 99 else 2000 + year
    return _calendar(year, one, two) or _calendar(year, two, one)


_ENDS_WITH_YEAR = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2\d{4}(?!\d)")
DAY_FIRST, MONTH_FIRST = "day first", "month first"


def first_part(text: str) -> str:
    """Which of day and month stands first in a date of numbers that ends with a year of four digits, where one of them
    is over 12; empty where both may be months, and for any other notation.

    >>> first_part("25/03/2026 10:00"), first_part("03.25.2026"), first_part("05/03/2026"), first_part("2026-03-25")
    ('day first', 'month first', '', '')
    """
    found = _ENDS_WITH_YEAR.match(text)
    if found is None or max(int(found[1]), int(found[3])) <= 12:
        return ""
    return DAY_FIRST if int(found[1]) > 12 else MONTH_FIRST


def is_datetime(text: str) -> bool:
    """A date and a time of day.

    >>> [is_datetime(x) for x in ("2024-01-31T10:00:00Z", "31/01/2024 9:05 PM", "2024-01-31", "20240131T100000Z")]
    [True, True, False, True]
    >>> is_datetime("2023/07/12 7:38:23 PM UTC+3")  # as forms on the web write it
    True
    """
    found = _DATETIME.fullmatch(text) if len(text) <= 60 else None
    if not found:
        return False
    if found["packed"]:
        return is_date(found["packed"])
    return is_date(found["date"].rstrip(",")) and is_time(found["clock"].replace(".", ":", 2))


def is_time(text: str) -> bool:
    found = re.fullmatch(
        r"(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,:]\d{1,9})?)?( ?[AaPp]\.?[Mm]\.?)?(?:Z|[+-]\d{2}:?\d{2})?", text
    )
    return (
        found is not None
        and int(found[1]) <= (12 if found[4] else 24)
        and int(found[2]) < 60
        and int(found[3] or 0) < 61
    )


def _is_clock(text: str) -> bool:
    """Times of day as they stand in a column of their own: two digits for the hour, or seconds, or am and pm."""
    return is_time(text) and bool(re.match(r"\d\d:", text) or text.count(":") == 2 or text[-1:] in "mM")


def _is_year(text: str) -> bool:
    return 1000 <= int(text) <= 2100


def _is_year_text(text: str) -> bool:
    """A year, also as archives write it: c.1787, ?1819, born 1955, 1930s."""
    found = re.fullmatch(
        r"(?:\??(?:c|ca|circa|born|b|died|d|after|before|exhibited|published)?\.? ?)?(\d{4})s?\??", text.lower()
    )
    return found is not None and _is_year(found[1])


def _calendar_years(values: set[str]) -> bool:
    """Years only where nearly all are of the last centuries: numbering from 1001 is common."""
    years = [int(found[0]) for value in values if (found := re.search(r"\d{4}", value))]
    return sum(1600 <= year <= 2100 for year in years) >= 0.9 * max(len(years), 1)


def _is_year_range(text: str) -> bool:
    found = re.fullmatch(r"(?:c\.? ?)?(\d{4}) ?(?:-|–|—|/|to) ?(?:c\.? ?)?(\d{4}|\d{1,2}|present)?", text)
    if not found or not _is_year(found[1]):
        return False
    if found[2] and found[2].isdigit() and len(found[2]) == 2:
        # 2024-07 is a month; 1992-93 and 1939-45 are ranges, within one century.
        return int(found[2]) > int(found[1]) % 100 and (int(found[2]) > 12 or int(found[2]) == int(found[1]) % 100 + 1)
    return not found[2] or not found[2].isdigit() or len(found[2]) < 4 or int(found[2]) >= int(found[1])


def _is_year_month(text: str) -> bool:
    found = re.fullmatch(r"(\d{4})[-/.](\d{1,2})|(\d{1,2})[-/.](\d{4})", text)
    if found:
        return 1 <= int(found[2] or found[3]) <= 12 and _is_year(found[1] or found[4])
    wordy = re.fullmatch(rf"({_MON})[-/., ']+(?:\d{{4}}|\d{{2}})", text)
    return wordy is not None and _is_month_word(wordy[1])


def _is_month(text: str) -> bool:
    return _is_month_word(text) or bool(re.fullmatch(r"(?i)month (?:[1-9]|1[0-2])|(?:0?[1-9]|1[0-2])[月월]", text))


def _is_unix(text: str) -> bool:
    """Seconds (9 or 10 digits before the point) or milliseconds (13) since 1970, between 1990 and 2070."""
    whole = text.split(".")[0]
    seconds = int(whole) / {13: 1e3, 16: 1e6, 19: 1e9}.get(len(whole), 1)
    return 631_152_000 <= seconds <= 3_155_760_000


def _is_weekday(text: str) -> bool:
    keys = [fold(key).strip(".") for key in re.split(r"\s*[,;/|&]\s*", text) if key]
    return bool(keys) and all(key in words("weekday_names") or key in _more(_WEEKDAYS) for key in keys)


def _is_duration(text: str) -> bool:
    return text != "P" and (not re.fullmatch(r"\d+[dhms]", text) or int(text[:-1]) < 10000)


def _is_compact_day(text: str) -> bool:
    """A day in six digits without marks, in any order, or five where a number lost its zero; trusted only where the
    column's name says so.

    >>> [_is_compact_day(one) for one in ("170481", "91157", "810417", "991357", "19810417")]
    [True, True, True, False, False]
    """
    if not re.fullmatch(r"\d{5,6}", text):
        return False
    one, two, three = (int(text.zfill(6)[k : k + 2]) for k in (0, 2, 4))
    return any(1 <= day <= 31 and 1 <= month <= 12 for day, month in ((one, two), (two, one), (three, two)))


_MINUTES = re.compile(r"\d\d?:\d\d")


def by_the_minute(texts: Collection[str]) -> bool:
    """Whether most days have a time of their own: who came, paid or left; nobody's birth is kept so but in a register
    of births.

    >>> by_the_minute(["2011-02-20 12:39", "1990-08-29 07:12"]), by_the_minute(["1990-08-29 00:00", "1991-01-02 00:00"])
    (True, False)
    """
    return 2 * len({found[0] for text in texts if (found := _MINUTES.search(text))}) > len(texts)


VALIDATORS = {
    "compact_day": _is_compact_day,
    "date": is_date,
    "datetime": is_datetime,
    "clock": _is_clock,
    "unix": _is_unix,
    "month": _is_month,
    "weekday": _is_weekday,
    "year": _is_year_text,
    "calendar_years": _calendar_years,
    "year_month": _is_year_month,
    "year_range": _is_year_range,
    "duration": _is_duration,
}
