"""Validators of people."""

from __future__ import annotations

import re

from catalog.domains.lexicon import fold, unmarked, vocabulary, words
from catalog.domains.validators.temporal import by_the_minute, is_date, is_datetime
from catalog.domains.written import DEGREES, NAME_PART, PARTICLES, is_person, is_turned, parts_of

SOME = 0.15  # share of known names among what a column with a fitting name holds; chosen: no list is whole

FEW = 8  # chosen: distinct days from which their spread tells something
GENERATION = 25  # chosen: years; people leave firms and shops sooner, grown-ups are born further apart
WHOLE = 0.8  # chosen: share of names that are whole, or single; some have two given names
_YEAR = re.compile(r"(?<!\d)(?:18|19|20)\d\d(?!\d)")

_PAIR = re.compile(r"(?=\b([A-Z][^\W\d_'’-]+) (?:[A-Z]\. |[A-Z][^\W\d_]+ )?([A-Z][^\W\d_'’-]+)\b)")
_ADDRESSED = re.compile(r"\b(?:Mr|Mrs|Ms|Miss|Dr|Sir|Lady|Lord|Prof|Rev)\b\.? [A-Z][\w'’-]+")


def names_inside(text: str) -> bool:
    """Does a longer text name a person: a known first name followed by a known family name, or a title and a name?

    >>> names_inside("Presented by Richard Hamilton 1978"), names_inside("from Mrs. Tate"), names_inside("Oil on board")
    (True, True, False)
    """
    short = text[:400]
    if _ADDRESSED.search(short):
        return True
    pairs = _PAIR.findall(short)
    firsts, lasts, streets = words("first_names"), words("last_names"), words("street_words")
    return any(fold(one) in firsts and fold(two) in lasts and fold(two) not in streets for one, two in pairs)


_LOOSE = re.compile(r"[^\W\d_](?:[^\W\d_]|['’.\-])*(?: [^\W\d_](?:[^\W\d_]|['’.\-])*){0,2}")


#: How families and orders of living beings end by the codes of nomenclature (ICZN article 29.2, ICN articles 16 to 19).
_TAXON = re.compile(r"[A-Z][a-z]+(?:idae|inae|oidea|aceae|oideae|iformes|viridae)")


def _loose_name(text: str) -> bool:
    """Written like a name; trusted only where the column's name says so and some are known."""
    written = 2 <= len(text) <= 40 and not text[0].islower() and bool(_LOOSE.fullmatch(text))
    return written and not _TAXON.fullmatch(text)


def _any_name(text: str) -> bool:
    """Written like a name, in any case and language; trusted only where the column's name leaves no doubt."""
    short = len(text) < 2 and text < "\u2e80"  # one character is a name in Chinese
    return not short and len(text) <= 40 and not _TAXON.fullmatch(text) and bool(_LOOSE.fullmatch(unmarked(text)))


def _loose_person(text: str) -> bool:
    """Written like the full name of a person, of any language; trusted only where the column's name leaves no doubt."""
    if not 2 <= len(text) <= 80 or any(char.isdigit() for char in text):
        return False
    if text > "\u2e80":  # Chinese, Japanese and Korean names stand without a blank
        return all(char.isalpha() or char in " ・" for char in text) and len(text) <= 12
    parts = parts_of(unmarked(DEGREES.sub("", text)))
    named = [part for part in parts if fold(part).strip(".") not in PARTICLES]
    alive = words("institution_words").isdisjoint(map(fold, parts))
    return alive and 2 <= len(parts) <= 7 and all(NAME_PART.fullmatch(p) and not _small(p[0]) for p in named)


def _small(letter: str) -> bool:
    """Lower case in a script whose names have capitals (Georgian has letters of one case)."""
    return letter.islower() and letter < "\u0590"


#: Family names of one character that four in five Chinese bear, in both ways of writing them.
_HAN = (
    "王李張张劉刘陳陈楊杨趙赵黃黄周吳吴徐孫孙胡朱高林何郭馬马羅罗梁宋鄭郑謝谢韓韩唐馮冯于董蕭萧程曹袁鄧邓許许傅沈曾彭呂吕蘇苏"
    "盧卢蔣蒋蔡賈贾丁魏薛葉叶閻阎余潘杜戴夏鍾钟汪田任姜范方石姚譚谭廖鄒邹熊金陸陆郝孔白崔康毛邱秦江史顧顾侯邵孟龍龙萬万段雷"
    "錢钱湯汤尹黎易常武喬乔賀贺賴赖龔龚文"
)
_HAN_NAME = re.compile(rf"[{_HAN}][\u4e00-\u9fff]{{1,2}}")


#: A Korean name: one of the families that nearly all belong to, and one to three syllables.
_HANGUL_NAME = re.compile(
    "[김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구나민진지엄채원천방공현함변염여추도소석선설마길연위표명기"
    "반왕금옥육인맹제모탁국어은편용빈봉사부경][가-힣]{1,3}"
)


def _named_person(text: str) -> bool:
    """A Chinese or Korean name, written without a blank; trusted only where the column's name speaks of a person."""
    return bool(_HAN_NAME.fullmatch(text) or _HANGUL_NAME.fullmatch(text)) or is_turned(text)


def _any_job(text: str) -> bool:
    """A few words; trusted only where the column's name leaves no doubt. A machine's jobs are called by codes."""
    words_in = re.findall(r"[^\W\d_]{2,}", text)
    return 2 <= len(text) <= 90 and bool(words_in) and not re.search(r"[\d_=@{}<>|\\]|[a-z][A-Z]|[a-z]:|-.*-", text)


def _bare_blood_group(text: str) -> bool:
    """Of the ABO system alone; trusted only where the column's name leaves no doubt."""
    return re.fullmatch(r"(?i)(?:A|B|AB|O|0) ?(?:rh)? ?(?:\([+−–-]\))?", text) is not None


def _some_first(values: set[str]) -> bool:
    return sum(map(_is_first, values)) >= SOME * len(values)


def _some_last(values: set[str]) -> bool:
    return sum(map(_is_last, values)) >= SOME * len(values)


def _is_first(text: str) -> bool:
    return fold(text) in words("first_names")


def _is_last(text: str) -> bool:
    return fold(text) in words("last_names")


def _is_handle(text: str) -> bool:
    """An account name made of a person's: jdoe7, ann.lee, sarah28; or with its Windows domain before it."""
    if re.fullmatch(r"[A-Za-z][\w.\-]{0,30}\\[A-Za-z][\w.\-$]{1,39}", text):
        return True
    found = re.fullmatch(r"([a-z]+)(?:([._-])([a-z]+))?(\d{0,4})", text)
    if not found:
        return False
    one, two, digits = found[1], found[3], found[4]
    firsts, lasts = words("first_names"), words("last_names")
    if two:
        return (one in firsts or len(one) == 1) and (two in lasts or two in firsts)
    if any(one[:i] in firsts and one[i:] in lasts for i in range(3, len(one) - 2)):
        return True
    if (one[1:] in lasts and len(one) > 4) or (one[:-1] in firsts and len(one) > 5 and digits):
        return True
    return bool(digits) and len(one) > 2 and (one in firsts or one in lasts)


def _is_whole_handle(text: str) -> bool:
    """An account name made of both names of a person: ann.lee, j.farrow.

    >>> [_is_whole_handle(one) for one in ("rosa.martinez", "j.johnson", "info", "rosa", "blue.bakery")]
    [True, True, False, False, False]
    """
    return bool(re.search(r"[a-z][._-][a-z]", text)) and _is_handle(text)


MIXED = 3  # chosen: numbers apart in an account name that a program made; who chooses one writes a year or a day


def _is_login(text: str) -> bool:
    """A bare account name; trusted only where the column's name says so. Programs mix letters and digits as nobody does
    who has to remember them."""
    mixed = len(re.findall(r"\d+", text)) >= MIXED
    return not mixed and bool(re.fullmatch(r"@?(?=.*[^\W\d_])\w[\w.\-$]{1,39}", text))


#: How illnesses begin in many languages, most of them Greek or Latin, and how their names end.
_ILL = re.compile(
    r"(?<![^\W_])(?:disabilit|discapacit|behinderung|niepełnosprawn|інвалідн|инвалидн|carcinom|sarcom|lymphom|melanom|leuk|leuc[eé]m|diabet|asthm|asma|astm|hypertens|hypertoni|hipertens|"
    r"hiperton|ipertens|pneumon|neumon|bronchi|bronqui|arthrit|artrit|arthros|artros|infar[ck]t|epilep|migr[aä]n|migraine|"
    r"depress|depres[ij]|anxiety|ansiedad|schizo|esquizo|alzheimer|parkinson|an[aä]?emi|influenza|gripp|gripe|hepatit|cancer|"
    r"c[aá]ncer|krebs|tumou?r|insomni|sleep apn|apno?ea|obesi|malaria|tubercul|gastri|nephr|nefr|fractur|fraktur|ulcer|"
    r"e[ck]zem|allerg|alerg|covid|hiv\b|aids\b|sepsis|stroke|demen[tzc]|hypothyr|hyperthyr|hipotir|psoria|coronary|cardiac|"
    r"kidney|renal|chronic|ascit|aszit|cirrho|zirrho|arrh?ythmi|paralys|psychos[ie]s|диабет|астм|гиперт|бронх|пневмон|грипп|аллерг|алерг|онколог|гастр|анеми|мигрен|артри)"
    r"|\w{4,}(?:itis|aemia|emia|opathy|plegia|algia|orrho?ea|phrenia|sclerosis|stenosis|fibrosis|thrombosis|cirrhosis|"
    r"blastoma|adenoma|myeloma|glioma|carcinoma|sarcoma|lymphoma|melanoma|oedema|pathie)(?![^\W_])"
)
MOST_ILL = 8  # chosen: words of what somebody suffers from; longer texts tell about it


def _is_illness(text: str) -> bool:
    """What somebody suffers from, by stems that languages share."""
    return len(text.split()) <= MOST_ILL and bool(_ILL.search(text.lower()))


def _is_told_of_health(text: str) -> bool:
    """Any words; trusted only where the column's name speaks of health."""
    return len(text) <= 200 and bool(re.search(r"[^\W\d_]{3}", text))


_LISTED = re.compile(r"^[\W\d]{1,4}(?=[^\W\d_])")
_COLOURS = vocabulary("black white brown yellow")
_ORIGINS = _COLOURS | vocabulary(
    "caucasian cauc afam nonwhite asian african hispanic hispan hisp latino latina latinx indian native indigenous "
    "aboriginal maori pakeha "
    "polynesian pacific arab arabic jewish roma mestizo mulatto mulato pardo preta preto branca branco blanco negro "
    "indigena amarela amarelo chinese malay slavic inuit metis american european islander alaska alaskan hawaiian "
    "multiracial biracial mixed coloured colored"
)
_SOME_ORIGIN = _ORIGINS | vocabulary(
    "other others and or of the non not race races ethnicity ethnic group two more multiple unknown any east south "
    "eastern southern north middle west western central background british irish welsh scottish english origin decline "
    "declined to answer specified reported stated people person islanders americans"
)


def _is_origin(text: str) -> bool:
    """What a census calls an ethnic group, with the number that a form gives it: white, 2. Black, Asian or Pacific."""
    keys = [key for key in re.split(r"[\W_]+", fold(_LISTED.sub("", text))) if key]
    return 0 < len(keys) <= 8 and all(key in _SOME_ORIGIN for key in keys)


def _is_one_origin(text: str) -> bool:
    """What a column is called that says of each person whether this is the origin: black, hispan, nonwhite."""
    return _is_origin(text) and any(key in _ORIGINS for key in re.split(r"[\W_]+", fold(text)))


#: What offices write for white, black, Hispanic, Asian, native, other, unknown ...; white and black are always there.
_ORIGIN_LETTERS = frozenset("wbhanioupmx")


def _is_origin_letter(text: str) -> bool:
    return text.lower() in _ORIGIN_LETTERS


def _are_origins(values: set[str]) -> bool:
    """Of several at least two are groups of people, and not all of them are colours; or all are letters for them."""
    letters = {text.lower() for text in values}
    if {"w", "b"} <= letters <= _ORIGIN_LETTERS:
        return True
    found = {key for text in values for key in re.split(r"[\W_]+", fold(text)) if key in _ORIGINS}
    return len(found) >= 2 and bool(found - _COLOURS)


_GENDERS = vocabulary(
    "male female m f man woman boy girl masculino femenino feminino masculin feminin homme femme h w x u "
    "o maschio femmina"
)
_GENDERS |= vocabulary(
    "mannlich weiblich divers nonbinary non-binary other diverse nonconforming transgender genderqueer transgenero "
    "neutral neutro neutre neutrum neuter onzijdig nijaki man woman andere otro autre altro outro annet annen andet "
    "annad annat ostalo inne sekilde diger muu muut inny jiny iny egyeb alt altul drugo друго другое інше その他 기타 "
    "其他 lainnya khac دیگر أخرى آخر אחר अन्य อื่นๆ სხვა այլ басқа boshqa digər annað tjetër lain-lain muu altres"
)


def _is_gender(text: str) -> bool:
    return fold(text) in _GENDERS


def _is_gender_code(text: str) -> bool:
    """A letter or two for it in any language (N for naine); trusted only where the column's name leaves no doubt."""
    return _is_gender(text) or bool(re.fullmatch(r"[^\W\d_]\W?", text.strip()))


_SEXES: tuple[frozenset[str], ...] = (
    vocabulary(
        "male m man boy masculino masculin homme h maschio mannlich males men masculine mannelijk uomo hombre "
        "varon homem mann mies mand herr muz mezczyzna ferfi barbat muskarac muski moski мъж мужчина мужской муж муж. "
        "м чоловік чоловіча чол чол. virietis vyras mees erkek ανδρας laki-laki pria nam 男 男性 남 남자 남성 "
        "ذكر זכר पुरुष ชาย "
        "مذكر مذکر مرد karlkyn karl ер еркек erkek kişi мушки эр արական პაცი კაცი მამრობითი পুরুষ lelaki mashkull lalaki"
    ),
    vocabulary(
        "female f woman girl femenino feminino feminin femme w femmina weiblich mujer females women feminine "
        "vrouwelijk kvenkyns donna mulher frau vrouw kvinna kvinne kvinde nainen zena kobieta no femeie zenska zenski "
        "жена женщина женский жен жен. ж жінка жіноча жін жін. sieviete moteris naine kadin γυναικα perempuan wanita "
        "nu 女 女性 여 여자 여성 أنثى נקבה महिला หญิง "
        "مؤنث زن kona kvenkyn әйел ayol qadın женски женско эм эмэгтэй իգական ქალი მდედრობითი মহিলা "
        "নারী femër babae"
    ),
)  # folded below as values are
_SEXES = tuple(frozenset(fold(word) for word in sex) for sex in _SEXES)
_GENDERS |= _SEXES[0] | _SEXES[1]


def _both_genders(values: set[str]) -> bool:
    """Both sexes are there and little else: F may stand for false or Friday, F, M and D for places in a team."""
    keys = {fold(value) for value in values}
    if not all(keys & sex for sex in _SEXES):
        return False
    letters = {key for key in keys if len(key) == 1 and key < "\u2e80"}
    return len(keys - _GENDERS) <= (0 if letters else 1) and any(letters <= kind for kind in _LETTERS)


_LETTERS = (frozenset("mfuxon"), frozenset("mwdx"), frozenset("hfx"), frozenset("hmx"), frozenset("мж"))


def _is_day(text: str) -> bool:
    return is_date(text) or is_datetime(text)


def _are_births(values: set[str]) -> bool:
    """Days of many years, four in five of which lie a generation apart; trusted only beside people's names."""
    if by_the_minute(values):
        return False
    years = sorted(int(found[0]) for text in values if (found := _YEAR.search(text)))
    if len(years) < FEW or len(years) < len(values):
        return False
    cut = len(years) // 10
    return years[-1 - cut] - years[cut] >= GENERATION


def _are_single_names(values: set[str]) -> bool:
    """Words written like names, one or two to a value; trusted only right beside the other half of
    people's names, in a table that lacks this one."""
    if len(values) < FEW or not all(map(_any_name, values)):
        return False
    if all(len(text) <= 3 and text.isupper() for text in values):
        return False  # codes of countries, of teams
    if any(text[0].islower() and text == text.lower() and text[0] < "\u0590" for text in values):
        return False  # a particle may stand before a name: van Dijk
    return sum(len(text.split()) == 1 for text in values) >= WHOLE * len(values)


def _are_whole_names(values: set[str]) -> bool:
    """Names of two to four parts, each with a capital where its script has them, or of two short words of Chinese,
    Japanese or Korean; trusted only in a table of people that names none otherwise."""
    if len(values) < FEW:
        return False
    return sum(map(_is_whole_name, values)) >= WHOLE * len(values)


def _is_whole_name(text: str) -> bool:
    parts = parts_of(text)
    if text > "\u2e80":
        return bool(_HAN_NAME.fullmatch(text)) or (len(parts) == 2 and all(len(part) <= 3 for part in parts))
    named = [part for part in parts if fold(part).strip(".") not in PARTICLES]
    return 2 <= len(parts) <= 4 and all(NAME_PART.fullmatch(unmarked(one)) and not one[0].islower() for one in named)


def _is_age_band(text: str) -> bool:
    """From one age to another, or above or below one, with a word for years in any language behind it: the column's
    name says that they are ages."""
    found = re.fullmatch(r"(\d{1,3}) ?(?:-|–|~|to|bis|à|a|do|до|から|至) ?(\d{1,3})(?: ?[^\W\d_]{1,10}\.?)?", text)
    if found:
        return int(found[1]) < int(found[2]) <= 120
    return bool(re.fullmatch(r"(?:[<>]=?|≤|≥|under|over) ?\d{1,2}(?: ?years)?|\d{1,2} ?\+", text.lower()))


VALIDATORS = {
    "person": is_person,
    "first_name": _is_first,
    "last_name": _is_last,
    "loose_name": _loose_name,
    "any_name": _any_name,
    "loose_person": _loose_person,
    "named_person": _named_person,
    "any_job": _any_job,
    "bare_blood_group": _bare_blood_group,
    "some_first_names": _some_first,
    "some_last_names": _some_last,
    "handle": _is_handle,
    "whole_handle": _is_whole_handle,
    "login": _is_login,
    "gender": _is_gender,
    "gender_code": _is_gender_code,
    "illness": _is_illness,
    "told_of_health": _is_told_of_health,
    "origin": _is_origin,
    "one_origin": _is_one_origin,
    "origin_letter": _is_origin_letter,
    "origins": _are_origins,
    "both_genders": _both_genders,
    "day": _is_day,
    "births": _are_births,
    "single_names": _are_single_names,
    "whole_names": _are_whole_names,
    "age_band": _is_age_band,
}
