"""The starter index: generated columns of common kinds, so that a lake of ten tables has something to compare with.

Each family draws the format of one column (which separator, how long, which prefix) and then its values; an order (as
drawn, sorted, in blocks, counted up, late comers) makes the first rows of a column as unlike the later ones as in
real files, because the calibration learns from that difference. Everything comes from one seed.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from catalog.evidence.calibrated.calibration import calibrate
from catalog.evidence.calibrated.replay import sides
from catalog.evidence.pattern_index.index import STARTER, PatternIndex
from catalog.evidence.pattern_index.views import profile_rows

Draw = Callable[[], str]
Family = Callable[[random.Random], Draw]


def _list(text: str) -> list[str]:
    return text.split()


_FIRST = _list("""
    James Mary Robert Patricia John Jennifer Michael Linda David Elizabeth José María Wei Li Anna Lars Ingrid Olga
    Ivan Fatima Mohammed Aisha Yuki Hiroshi Pierre Chloé Jürgen Zoë Priya Raj Mary-Ann Jean-Luc Siobhán Giulia Marco
    Nils Eva Tom Ana Kofi
""")
_LAST = _list("""
    Smith Johnson Williams Brown Jones García Müller Schmidt Rossi Dubois Ivanov Kim Nguyen Chen Tanaka Singh Patel
    O'Brien McDonald van-Dijk Andersson Kowalski Silva Santos Lopez Martin Bernard Weber Costa Novak Haddad Cohen
    Okafor Mensah Lee
""")
_PLACES_TEXT = """
    London|Paris|New York|São Paulo|Zürich|Rome|Saint-Étienne|Los Angeles|Tokyo|Cairo|Lagos|Oslo
    Reykjavík|San José|Kyiv|Madrid|Berlin|Vienna|Porto|Ghent|Leeds|York|Nice|Lyon|Bath
    Stoke-on-Trent|Quebec City|St. Louis|Washington, D.C.|Hong Kong|Lima|Bonn
"""
_PLACES = [place for line in _PLACES_TEXT.split("\n") for place in line.strip().split("|") if place]
_WORDS = _list("""
    active pending closed open failed success error new old high low medium red green blue male female yes no
    unknown other cash credit debit online offline north south east west small large extra basic premium gold silver
    standard express first second morning evening paid unpaid shipped returned draft final approved rejected public
    private internal external manual automatic water fire road house market garden river school library station
    bridge forest table window letter number paper music light
""")
_COUNTRIES = _list("""
    US GB DE FR IT ES NL BE CH AT SE NO DK FI PL CZ PT IE GR HU RO BG HR SK SI EE LV LT LU MT CY JP CN IN BR MX CA
    AU NZ ZA EG NG KE
""")


def _word(r: random.Random, low: int = 3, high: int = 10) -> str:
    return "".join(r.choice("aeiou" if i % 2 else "bcdfghklmnprstvw") for i in range(r.randint(low, high)))


def _date(r: random.Random) -> Draw:
    form = r.choice([
        "%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%Y%m%d", "%d-%b-%Y", "%b %d %Y", "%Y-%m-%dT%H:%M:%SZ", "%H:%M",
        "%d/%m/%y",        "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%S.000", "%m/%d/%Y %H:%M", "%B %d, %Y",
        "%Y/%m/%d", "%H:%M:%S", "%Y-%m", "%A",
        "%b-%y",
    ])  # fmt: skip
    start = datetime(r.randint(1900, 2024), 1, 1)
    days = r.choice([30, 365, 3650])
    unpadded = r.random() < 0.25 and "/" in form

    def draw() -> str:
        text = (start + timedelta(days=r.random() * days)).strftime(form)
        return "/".join(part.lstrip("0") or "0" for part in text.split("/")) if unpadded else text

    return draw


def _code(r: random.Random) -> Draw:
    """A code of fixed segments: constants, letters, digits, hex, variable counts."""
    pieces: list[Draw] = []
    for i in range(r.randint(1, 4)):
        size = r.randint(1, 6)
        kind = r.choice(["const", "upper", "lower", "digit", "digit", "count", "hex", "alnum", "choice"])
        constant = "".join(r.choice(string.ascii_uppercase) for _ in range(size))
        options = [
            "".join(r.choice(string.ascii_uppercase) for _ in range(r.randint(1, 3))) for _ in range(r.randint(2, 6))
        ]
        if i and r.random() < 0.5:
            separator = r.choice("-_/.: #")
            pieces.append(lambda separator=separator: separator)  # type: ignore[misc]
        alphabet = {
            "upper": string.ascii_uppercase, "lower": string.ascii_lowercase, "digit": string.digits,
            "hex": "0123456789abcdef",
            "alnum": string.ascii_uppercase + string.digits,
        }.get(kind)  # fmt: skip
        if kind == "const":
            pieces.append(lambda constant=constant: constant)  # type: ignore[misc]
        elif kind == "choice":
            pieces.append(lambda options=options: r.choice(options))  # type: ignore[misc]
        elif kind == "count":
            most = 10 ** r.randint(1, 6)
            pieces.append(lambda most=most: str(int(most ** r.random())))  # type: ignore[misc]
        else:
            pieces.append(lambda a=alphabet, n=size: "".join(r.choice(a) for _ in range(n)))  # type: ignore[misc]
    return lambda: "".join(piece() for piece in pieces)


def _hex(r: random.Random) -> Draw:
    sizes = r.choice([(8, 4, 4, 4, 12), (32,), (40,), (64,), (12,), (2,) * 6])
    joint = "-" if len(sizes) == 5 else r.choice(":-")
    upper = r.random() < 0.3
    alphabet = "0123456789ABCDEF" if upper else "0123456789abcdef"
    return lambda: joint.join("".join(r.choice(alphabet) for _ in range(n)) for n in sizes)


def _token(r: random.Random) -> Draw:
    size = r.randint(6, 24)
    alphabet = string.ascii_letters + string.digits + r.choice(["", "-_", "+/"])
    jitter = r.choice([0, 0, 1, 2])
    prefix = r.choice(["", "", "C", "id_", "x-"])
    return lambda: prefix + "".join(r.choice(alphabet) for _ in range(size - r.randint(0, jitter)))


def _network(r: random.Random) -> Draw:
    kind = r.choice(["ip", "local", "url", "host", "path", "email", "agent"])
    domain = r.choice(["example.com", "shop.co.uk", "data.gov", "acme.io"])
    net = f"{r.randint(1, 192)}.{r.randint(0, 255)}"
    end = r.choice([".html", "", "/", ".json"])

    def draw() -> str:
        if kind == "ip":
            return ".".join(str(r.randint(0, 255)) for _ in range(4))
        if kind == "local":
            return f"{net}.{r.randint(0, 255)}.{r.randint(0, 255)}"
        if kind == "host":
            return f"{_word(r)}{r.choice(['', '-' + _word(r, 2, 4), str(r.randint(1, 99))])}.{domain}"
        if kind == "email":
            return f"{r.choice([_word(r), _word(r, 2, 5) + '.' + _word(r), _word(r) + str(r.randint(0, 99))])}@{domain}"
        if kind == "agent":
            return f"{_word(r).title()}/{r.randint(1, 99)}.{r.randint(0, 9)} ({_word(r)}; {_word(r)})"
        tail = "/".join(_word(r) for _ in range(r.randint(1, 3))) + end
        return f"https://www.{domain}/{tail}" if kind == "url" else "/" + tail

    return draw


def _number(r: random.Random) -> Draw:
    kind = r.choice(["int", "decimal", "money", "percent", "unit", "range", "dims", "coordinate", "thousands", "year"])
    size, places = 10 ** r.randint(1, 6), r.randint(1, 3)
    unit = r.choice(["kg", "cm", " mm", " km", "%", "ms"])

    def draw() -> str:
        x = size ** r.random() if r.random() < 0.9 else size * r.random()
        return {
            "int": f"{int(x)}", "decimal": f"{x:.{places}f}", "money": f"${x:,.2f}",
            "percent": f"{100 * r.random():.{places - 1}f}%",
            "unit": f"{int(x)}{unit}", "range": f"{int(x)}-{int(x) + r.randint(1, 20)}",
            "dims": f"{r.randint(10, 999)} x {int(x)} mm",
            "coordinate": f"{360 * r.random() - 180:.{2 * places}f}", "thousands": f"{int(x * 1000):,}",
            "year": f"{r.randint(1900, 2030)}",
        }[kind]  # fmt: skip

    return draw


def _name(r: random.Random) -> Draw:
    form = r.choice(["{f} {l}", "{l}, {f}", "{f}", "{l}", "{f} {i}. {l}", "{l} {i}", "{u}"])
    extra = r.random() < 0.3

    def draw() -> str:
        first = r.choice(_FIRST) if r.random() < 0.7 else _word(r).title()
        last = r.choice(_LAST) if r.random() < 0.6 else _word(r).title()
        text = form.format(f=first, l=last, i=r.choice(string.ascii_uppercase), u=(first[0] + last).lower())
        return text + r.choice([" Jr.", " III", "*", " (Sr)"]) if extra and r.random() < 0.05 else text

    return draw


def _place(r: random.Random) -> Draw:
    form = r.choice(["{p}", "{p}, {c}", "{c}", "{n} {w} Street", "{p} {z}", "{z}"])
    zips: Draw = r.choice(
        [lambda: f"{r.randint(0, 99999):05d}", lambda: f"{r.choice('ABCDEFG')}{r.randint(1, 99)} {r.randint(1, 9)}XY"]
    )
    return lambda: form.format(
        p=r.choice(_PLACES) if r.random() < 0.7 else _word(r).title(), c=r.choice(_COUNTRIES), n=r.randint(1, 400),
        w=_word(r).title(), z=zips(),
    )  # fmt: skip


def _choice(r: random.Random) -> Draw:
    """A closed vocabulary with uneven frequencies."""
    source = r.choice(
        [_WORDS, _COUNTRIES, list(string.ascii_uppercase), [w.upper() for w in _WORDS], [w.title() for w in _WORDS]]
    )
    cases: list[Callable[[str], str]] = [
        str,
        str,
        lambda w: f"{w}_{r.choice(_WORDS)}",
        lambda w: f"{w} {r.choice(_WORDS)}",
        lambda w: f"{w}-{r.randint(1, 3)}",
    ]
    case = r.choice(cases)
    options = [case(w) for w in r.sample(source, min(len(source), r.choice([2, 2, 3, 3, 4, 6, 10, 20, 26])))]
    weights = [1 / (i + 1) ** r.choice([0.0, 1.0, 2.0]) for i in range(len(options))]
    return lambda: r.choices(options, weights)[0]


def _text(r: random.Random) -> Draw:
    low, high = r.choice([(1, 3), (2, 8), (5, 30)])
    title = r.random() < 0.5

    def draw() -> str:
        words = [r.choice(_WORDS) if r.random() < 0.7 else _word(r) for _ in range(r.randint(low, high))]
        text = " ".join(words)
        text = text.title() if title else text.capitalize()
        if r.random() < 0.2:
            text = text.replace(" ", r.choice([", ", " - ", "'s ", " & ", ": "]), 1)
        return text + r.choice(["", "", "", ".", "!", f" ({r.randint(1, 9)})", f" {r.randint(1900, 2020)}"])

    return draw


def _phone(r: random.Random) -> Draw:
    forms = r.sample(
        ["###-###-####", "(###) ###-####", "+1 ### ### ####", "1 (11) 500 ###-####", "+44 #### ######", "0## ## ## ##"],
        r.choice([1, 1, 2]),
    )
    return lambda: "".join(str(r.randint(0, 9)) if c == "#" else c for c in forms[0 if r.random() < 0.7 else -1])


def _version(r: random.Random) -> Draw:
    before, short, behind = r.choice(["", "", "v"]), r.choice([0.0, 0.0, 0.02, 0.2]), r.choice([0.0, 0.02, 0.1, 0.4])
    forms: list[Draw] = [
        lambda: f"-rc.{r.randint(1, 5)}",
        lambda: f"-beta.{r.randint(1, 9)}",
        lambda: f"rc{r.randint(1, 3)}",
        lambda: f"-canary-{r.randint(20230101, 20251231)}",
        lambda: f"+{r.randint(16**6, 16**7):x}",
    ]
    form, most = r.choice(forms), [r.choice([2, 5, 30]) for _ in range(3)]

    def draw() -> str:
        numbers = [str(int(one ** r.random())) for one in most]
        text = before + ".".join(numbers[: 2 if r.random() < short else 3])
        return text + form() if r.random() < behind else text

    return draw


FAMILIES: dict[str, Family] = {
    "date": _date, "code": _code, "hex": _hex, "token": _token, "network": _network, "number": _number, "name": _name,
    "place": _place, "choice": _choice, "text": _text, "phone": _phone,
}  # fmt: skip
# How often each family comes; codes and choices are most of what real tables hold.
_OFTEN = {"code": 4, "choice": 5, "date": 3, "name": 3, "text": 2, "number": 2}
_VERSIONS = 30  # of so many columns one more is of versions; chosen
_MARKERS = ("NA", "N/A", "-", "null", "(none)", "(empty)")
_MISSING = ("NA", "N/A", "-", "null", "?", "(none)", "0", "unknown", "NaN", ".")


def _ordered(r: random.Random, values: list[str]) -> list[str]:
    kind = r.choices(["drawn", "sorted", "blocks", "counted"], [5, 2, 2, 1])[0]
    if kind == "sorted":
        return sorted(values)
    if kind == "counted":
        return sorted(values, key=lambda v: (len(v), v))
    if kind == "blocks":
        places = {v: r.random() for v in dict.fromkeys(values)}  # a set has another order in each process
        return sorted(values, key=lambda v: places[v])
    return values


def column(r: random.Random, family: Family) -> list[str]:
    """Values of one column in file order."""
    draw = family(r)
    n = r.choice([100, 200, 400, 700, 1000, 1000])
    distinct = r.choice([n, n, max(2, n // 5), max(2, n // 20)])
    pool = [draw() for _ in range(distinct)]
    values = _ordered(r, pool if distinct == n else [r.choice(pool) for _ in range(n)])
    if r.random() < 0.06:  # ad-hoc values among the others, from the start or only later
        missing, share = r.choice(_MISSING), r.choice([0.003, 0.02, 0.1, 0.4])
        first = 0 if r.random() < 0.6 else n // 2
        values = [missing if i >= first and r.random() < share else v for i, v in enumerate(values)]
    if r.random() < 0.02:  # another producer takes over
        other = family(r)
        values = [other() if i > n // 2 else v for i, v in enumerate(values)]
    if r.random() < 0.03:
        values = _sparse(r, values)
    return [v for v in values if v]


def _sparse(r: random.Random, values: list[str]) -> list[str]:
    """A column that is filled never, seldom, from some row on, or up to one."""
    n, missing, kind = len(values), r.choice(_MARKERS), r.choice(["never", "seldom", "late", "once"])
    turn, share = r.randint(1, n), r.choice([0.9, 0.97, 0.99])
    gone: Callable[[int], bool] = {
        "never": lambda i: True, "seldom": lambda i: r.random() < share,
        "late": lambda i: i < turn, "once": lambda i: i >= turn,
    }[kind]  # fmt: skip
    return [missing if gone(i) else value for i, value in enumerate(values)]


def starter_columns(count: int = 900, seed: int = 20210611) -> Iterator[tuple[str, list[str]]]:
    """(name, values in file order) of `count` generated columns, and some of versions.

    >>> next(starter_columns(1))[1] == next(starter_columns(1))[1]
    True
    """
    r = random.Random(seed)
    names = list(FAMILIES)
    for i in range(count):
        name = r.choices(names, [_OFTEN.get(n, 1) for n in names])[0]
        yield f"{name}{i}", column(random.Random(seed * 1_000_003 + i), FAMILIES[name])
    for i in range(count, count + count // _VERSIONS):  # more, so that the others are drawn as if there were none
        yield f"version{i}", column(random.Random(seed * 1_000_003 + i), _version)


def add_starter(index: PatternIndex, count: int = 900) -> None:
    """Put the starter columns and their replays into an index."""
    for name, values in starter_columns(count):
        if len(values) < 20:
            continue
        pairs = [(profile_rows(a), profile_rows(b)) for a, b in sides(values)[::2]]  # enough of what is made alike
        index.update(f"{STARTER}{name}", {name: profile_rows(values)}, {name: pairs})
    index.settle()


def pretrain(index: PatternIndex, count: int = 900) -> None:
    """Put the starter columns into an index and fit its calibration anew. Takes about half a minute."""
    add_starter(index, count)
    index.model = calibrate(index)
