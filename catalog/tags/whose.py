"""Whose data a column holds: a person's, or those of an organisation, a place or a machine.

A telephone number is personal where it is a customer's, and is not where it is a restaurant's: nothing in the number
says so. The evidence is the column's name, the table's, the columns beside it with what they were tagged as, and, for
mailboxes, whether they are named after a function. Each piece has a weight in log odds that a person is meant; what
nothing speaks of follows the default that a steward sets.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from catalog.domains.asked import indicated, of_one, trait
from catalog.domains.domain import Domain, named_regex, words

# Chosen: the name of the column outweighs its table's, which outweighs a neighbour; three neighbours outweigh a table.
OWN, TABLE, NEIGHBOUR, DEFAULT = 3.0, 2.0, 0.75, 1.0
MOST_NEIGHBOURS = 3.0  # bound of the log odds that the columns beside it come to

PERSON = (
    r"customers?|clients?|persons?|people|persona|patients?|employees?|staff|users?|members?|students?|pupils?|"
    r"passengers?|"
    r"guests?|subscribers?|authors?|players?|contestants?|artists?|directors?|contacts?|owners?|applicants?|drivers?|"
    r"voters?|citizens?|residents?|household|donors?|candidates?|teachers?|doctors?|physicians?|recipients?|"
    r"beneficiar\w+|tenants?|parents?|guardian|spouse|(?:next of )?kin|relatives?|payers?|cardholders?|purchasers?|"
    r"sessions?|referr?er|user agent|browser|shipping|delivery|personal|private|home|mobile|"
    r"cell|login|logins|signups?|accounts?|profiles?|crm|hr|payroll|"
    r"buyers?|participants?|respondents?|visitors?|followers?|friends?|dob|personas|"
    r"(?:first|last|given|family|full|maiden|middle) ?name|sur ?name|gender|sex|marital|spouse|birth\w*|ssn|age|"
    r"kund\w*|mitarbeiter\w*|benutzer|nutzer|patienten|schüler\w*|studenten|bewerber|mieter|vorname|nachname|"
    r"clientes?|usuarios?|empleados?|pacientes?|alumnos?|empregados?|funcionári\w+|utilisateurs?|employés?|salarié|"
    r"élèves?|utent[ei]|dipendent[ei]|client[ei]|pazient[ei]|gebruikers?|klant\w*|medewerkers?|klien\w+|pracowni\w+|"
    r"użytkowni\w+|uczeń|uczniowie|顧客|社員|患者|会員|客户|员工|用户|клиент\w*|пользовател\w*|сотрудник\w*|"
    r"клієнт\w*|користувач\w*|(?:спів)?працівник\w*|работник\w*|пац[иі]ент\w*|ученик\w*|учн\w+|студент\w*|"
    r"kunder?|medarbejder\w*|ansat\w*|anställd\w*|elev(?:er|erne)?|medlem(?:mer|mar)?|borgere?|asiakka\w*|asiakas|"
    r"työntekij\w*|potila\w*|opiskelij\w*|jäsen\w*|zákazn\w+|zaměstnan\w+|zamestnan\w+|pacient\w*|žiac\w*|žác\w*|"
    r"uživatel\w*|ügyfel\w*|ügyfél\w*|dolgozó\w*|munkavállal\w+|beteg(?:ek)?|vásárló\w*|müşteri\w*|çalışan\w*|"
    r"personel|hasta(?:lar)?|öğrenci\w*|kullanıcı\w*|üyeler?|alumnos?|alumnas?|personas|πελάτ\w*|pelat\w+|υπάλληλ\w*|"
    r"회원|고객|환자|직원|사원|학생|会员|学生|病人|عملاء|موظفين|مرضى|לקוחות|עובדים|pelanggan|karyawan|pasien|siswa|"
    r"angajaț\w*|clienți|pacienț\w*|klijent\w*|zaposlen\w*|kliendi\w*|töötaja\w*|darbinie\w+|darbuotoj\w+|"
    r"referent[ei]|ansprechpartner\w*|kontaktperson\w*|interlocut\w+|yhteyshenkilö\w*|osoba kontaktowa|"
    # buyers, subscribers, members, donors, parents, drivers
    r"kupac|kup[cč]\w+|kupuj\w+|nabywc\w+|köpare\w*|kjøper\w*|køber\w*|ostaj\w*|покуп\w+|vevő\w*|αγοραστ\w*|alıcı\w*|pembeli|"
    r"người mua|khách hàng|nhân viên|bệnh nhân|học sinh|sinh viên|thành viên|买家|買家|会員|購入者|구매자|"
    r"acheteu\w+|comprador\w*|acquirent\w*|koper\w*|käufer\w*|pircēj\w*|pirkėj\w*|ostj\w*|abonn[eé]\w*|abonent\w*|abonad\w*|assinant\w*|"
    r"tilaaj\w*|predplatitel\w*|előfizető\w*|abone\w*|mitglied\w*|membres?|miembros?|membros?|soci|leden|lid|członk\w*|"
    r"člen\w*|član\w*|член\w*|участник\w*|учасник\w*|μέλ\w+|anggota|donateur\w*|donant\w*|doador\w*|spender\w*|eltern\w*|"
    r"padres|genitor\w*|rodzic\w*|rodič\w*|roditelj\w*|szülő\w*|părin\w+|родител\w*|батьк\w*|vecāk\w*|fahrer\w*|conducteu\w+|"
    r"conductor\w*|schüler\w*|skolēn\w*|audzēk\w*|klient\w*|mokini\w*|õpila\w*|učen\w*|učni\w*|"
    # who is asked for on forms: users, participants, relatives, authors, holders, whom something is paid to
    r"bruger\w*|brukere?|användar\w*|käyttäj\w*|kasutaja\w*|korisni\w+|uporabni\w+|felhaszná\w+|pengguna|usuari(?:s|a)?|"
    r"usuári\w+|utilizador\w*|utilizator\w*|používateľ\w*|lietotāj\w*|vartotoj\w*|χρήστ\w*|потребител\w*|使用者|ユーザー|사용자|"
    r"کاربر\w*|المستخدم\w*|משתמש\w*|उपयोगकर्ता|ผู้ใช้|người dùng|attendees?|registrants?|speakers?|"
    r"subordinates?|prescribers?|"
    r"teilnehm\w+|deltag\w+|deltak\w+|osallistuj\w+|účastn\w+|sudioni\w+|udeležen\w+|uczestni\w+|résztvev\w+|"
    r"partecipant\w*|participantes?|asistentes?|peserta|katılımcı\w*|参加者|参与者|參與者|참가자|참석자|συμμετέχ\w+|deelneme\w+|"
    r"dalībniek\w*|dalyvi\w+|المشارك\w*|משתתפ?\w*|ผู้เข้าร่วม|hij[oa]s?|enfants?|figli[oa]?|crianças?|filh[oa]s?|çocu[kğ]\w*|"
    r"dzieck\w+|gyermek\w*|дит\w+|діти|дети|реб[её]н\w+|子ども|children|child|angehörig\w*|familiares?|parientes?|"
    r"parent[ei]s?|proches|verwandt\w+|συγγεν\w+|родич\w*|родствен\w+|亲属|家庭成员|家族構成員|familienmitglied\w*|"
    r"membr[io] familiar[ei]s?|familjemedlem\w*|aile üye\w+|father|mother|vater|mutter|père|mère|padre|madre|мать|отец|"
    r"werknemer\w*|djelatni\w+|empleat\w*|angestellt\w*|کارمند\w*|الموظف\w*|المريض|ασθεν\w+|doentes?|"
    r"პაციენტ\w*|ผู้ป่วย|病患|personnes?|pessoas?|osob[ay]?|особ[аи]|άτομ\w+|شخص|بیمار\w*|"
    r"العميل|مشتری\w*|לקוח|მომხმარებ\w+|stranke?|顾客|客戶|お客様|ลูกค้า|ग्राहक|bezero\w*|"
    r"beneficiar\w*|bénéficiaires?|příjemc\w+|leistungsempfänger\w*|edunsaaj\w*|begunstigden?|mottaker\w*|modtager\w*|"
    r"förmånstagar\w*|δικαιούχ\w*|получател\w+|одержувач\w*|upravičen\w+|beneficjen\w+|kedvezményezett\w*|受益[人者]|수혜자|"
    r"auteurs?|autor(?:en|es?|as|a|ów)?|autori|författar\w*|forfatter\w*|yazar\w*|автор\w*|作者|著者|συγγραφ\w+|"
    r"policy ?holder|insuree|(?:account|card) ?holder|kontoinhaber\w*|titulaires?|titolar[ei]|rekeninghouder\w*|"
    r"kontoinn?eha\w+|tilinhaltij\w*|majitel\w*|vlasnik\w*|właściciel\w*|владел\w+|власник\w*|hesap sahibi|口座名義人|"
    r"账户持有人|帳戶持有人|számlatulajdonos\w*|subordonnés?|supervisor\w*"
)
OTHER = (
    r"stores?|shops?|offices?|branch|branches|compan(?:y|ies)|business|businesses|organi[sz]ations?|org|orgs|vendors?|"
    r"suppliers?|restaurants?|hotels?|schools?|universit\w+|colleges?|hospitals?|clinics?|airports?|stations?|"
    r"librar\w+|"
    r"museums?|venues?|facilit\w+|issuers?|emisor\w*|emittent\w*|aussteller\w*|"
    r"warehouses?|agenc\w+|dealers?|banks?|merchants?|outlets?|buildings?|"
    r"places?|cit(?:y|ies)|towns?|countr(?:y|ies)|regions?|parks?|gateways?|devices?|networks?|subnets?|"
    r"dns|routers?|sensors?|publishers?|clubs?|teams?|stadiums?|airlines?|resellers?|headquarters?|hq|"
    r"cent(?:re|er)s?|incidents?|events?|crimes?|earthquakes?|weather|volcano\w*|landmarks?|attractions?|"
    r"organisation|department|authorit\w+|council|corporate|work|registrar|opening|hours|website|cuisine|"
    r"resp|src|dst|dest|source|destination|orig|tx|rx|prefix|cidr|netmask|proto|port|ttl|packets?|bytes|listings?|"
    r"propert\w+|sites?|routes?|stops?|trees?|bridges?|capitals?|elevation|population|"
    r"filialen?|firm[aey]|firmen|lieferant\w*|händler|krankenh\w+|schulen?|behörden?|entreprises?|fournisseurs?|"
    r"magasins?|écoles?|établissements?|empresas?|proveedor\w*|fornecedor\w*|tiendas?|sucursal\w*|loj(?:a|as)|"
    r"aziend[ae]|fornitor[ei]|negoz\w+|scuol[ae]|bedrij\w+|winkels?|leveranciers?|sklep\w*|dostawc\w+|szkoł\w+|"
    r"会社|店舗|企業|公司|商店|компан[иі]\w+|магазин\w*|организаци\w+|поставщик\w*|постачальник\w*|предприят\w+|"
    r"підприємств\w*|школ\w*|больниц\w*|leverantör\w*|företag\w*|butik(?:er)?|skol(?:a|or|er)|sjukhus|kontor(?:er)?|"
    r"leverandør\w*|virksomhed\w*|firmaer|toimittaj\w+|yrity\w+|myymäl\w+|koulu\w*|dodavatel\w*|dodávateľ\w*|"
    r"prodejn\w+|společnost\w*|spoločnos\w+|škol\w+|nemocnic\w*|beszállító\w*|cégek?|üzletek?|iskolák?|tedarikçi\w*|"
    r"şirket\w*|mağaza\w*|okul(?:lar)?|şube\w*|προμηθευτ\w*|promitheft\w+|εταιρ\w*|etair\w+|거래처|공급업체|업체|회사|"
    r"매장|학교|병원|取引先|仕入先|支店|病院|学校|供应商|医院|门店|موردين|شركات|ספקים|חברות|pemasok|perusahaan|toko|furnizor\w*|"
    r"magazin(?:e|ul)?|societ(?:ăți|ate)|dobavljač\w*|tvrtk\w+|poduzeć\w+|trgovin\w*|tarnija\w*|ettevõt\w*|tiekėj\w+|"
    r"công ty|cửa hàng|nhà cung cấp|trường(?: học)?|bệnh viện|khách sạn|uzņēmum\w*|"
    r"piegādātāj\w*|veikal\w*|skola[sm]?|įmon\w+|parduotuv\w*|podružnic\w*|pobočk\w*|oddział\w*|filial[ei]?|fióko?k?|филиал\w*|філі\w+|отделени\w*|відділенн\w*|"
    r"підрозділ\w*|cabang|υποκατάστημα\w*|分行|分店|分公司|지점|厂商|廠商|ospedal\w*|hospital\w*|hôpita\w+|szpital\w*|kórház\w*|"
    # institutions and trades that are no persons' trades
    r"haul(?:i)?ers?|wholesalers?|distributors?|importers?|exporters?|retailers?|franchisees?|institutions?|"
    r"establishments?|foundations?|charit(?:y|ies)|associations?|pharmac(?:y|ies)|nurser(?:y|ies)|kindergartens?|"
    r"(?:care|nursing) homes?|factor(?:y|ies)|farms?|garages?|salons?|gyms?|cinemas?|theat(?:re|er)s?|switchboard|"
    r"einrichtung(?:en)?|tr(?:ä|ae)ger|heime?|pflegeheime?|anstalt(?:en)?|zentrale|praxen|apotheken?|niederlassung(?:en)?|"
    r"zweigstellen?|vereine?|kitas?|kindergärten|betriebe?|crèches?|pharmacies|ehpad|siège|succursales?|usines?|"
    r"farmacias?|residencias?|asociaci(?:ón|ones)|entidad(?:es)?|sede|enti|farmaci[ae]|stabiliment[oi]|"
    r"placówk\w*|aptek\w*|przedszkol\w*|siedziba|instelling(?:en)?|vestiging(?:en)?|apothe(?:ek|ken)|stichting(?:en)?|"
    r"hoofdkantoor|apotek|barnehager?|förskol(?:a|or)|vårdhem|plejehjem|sykehjem|hovedkontor|huvudkontor|lékárn\w*|sídlo|"
    r"аптек\w*|учрежден\w*|установ[аи]|завод\w*|"
    r"spital\w*|bolnic\w*|лікарн\w*|hastane\w*|rumah sakit|sairaal\w*|sykehus|ziekenhuis\w*"
)
_TELLING = re.compile(r"^(?!(?:col|column|field|c|f|x|v|var|attr)\b).*[a-z]{2}")
_PERSON, _OTHER = (named_regex(one, before=True) or _TELLING for one in (PERSON, OTHER))
#: What is counted or averaged over many people: each row is a group of them, a place or a year.
_GROUPS = re.compile(
    r"\b(?:deaths|fatalities|casualties|cases|hospitali[sz]ations|vaccinat\w+|mortality|incidence|prevalence|population|"
    r"inhabitants|households|per capita|age adjusted|(?:birth|death|fertility|crime|poverty|literacy|unemployment|"
    r"employment|divorce|marriage|crude|adjusted|survival) rates?|todesfälle|sterblichkeit|bevölkerung|einwohner|décès|"
    r"mortalité|habitants|muertes|defunciones|mortalidad|población|habitantes|óbitos|população|decessi|mortalità|"
    r"popolazione|abitanti|zgony|ludność|sterfte|inwoners|смертность|население|смертність|населення|死亡|人口)\b"
)
#: How often each row stands for somebody: tables of what was asked, by all its answers.
_TABULATED = re.compile(r"freq(?:uency|s)?|counts?")

#: What leads to a person only together with something else.
LINKED = frozenset(
    "ipv4 ipv6 mac_address postcode latitude longitude geo_point plus_code imei "
    "house_number blood_group marital_status religion ethnicity salary health_condition political_opinion "
    "test_result".split()
)
#: What a provider can lead to its owner, even where it stands alone.
_OWNED = frozenset("ipv4 ipv6 mac_address imei".split())
#: What tells of places alone.
_PLACES = frozenset(
    "latitude longitude geo_point plus_code postcode city region admin_area_code us_state_code us_state_name "
    "country_name country_code2 country_code3 continent timezone".split()
)
#: What tells of a time, and what of an amount: where nothing else stands beside places and times, rows are those.
_PERIODS = frozenset("year date datetime month quarter year_month year_range weekday season time".split())
_NUMBERS = frozenset("integer decimal money percentage number_range ratio_score measurement".split())
#: What reaches somebody by itself: whose it is, the place and the postcode beside it are, too.
REACHING = frozenset("street_address email phone".split())
#: Weight of standing in a table of that many columns none of which speaks of a person, or of no other column. Chosen.
ALONE, LEAST_BESIDE = 1.5, 3

#: How the column is called that says what each row is, and the tags that it has where a row is a person.
_NAMING = re.compile(
    r"(?:(?:business|store|shop|facility|official|legal|trade|display|full|long|short) )?(?:names?|title)|naam|navn|"
    r"namn|nimi|nom|nombre|nome|nazwa|název|nazev|názov|naziv|név|название|наименование|назва|名称|名稱|명칭|상호"
)
NAMES = frozenset("first_name last_name person_name username".split())
_ID = re.compile(r"\b(?:id|uid|guid|key|identifier|no|nr|num|number|code|sk|pk)$")
_NAMED = re.compile(
    r"(?<!\w)(?:names?|nm|title|nom|nombre|nome|naam|namn|navn|nimi|nazwa|název|naziv|название|名称|名稱|명칭)$"
)
#: Who is asked for at a firm, or runs it: the row is the firm's all the same.
_CONTACT = re.compile(
    r"\b(?:manager|ceo|managing director|geschäftsführer\w*|leitung|leiter|gérant\w*|dirigeant\w*|gerente|direttore|"
    r"kierownik|prezes|jednatel\w*|ředitel\w*|ügyvezető\w*|управител\w*|руководител\w*|керівник\w*|yönetici\w*|"
    r"contact\w*|attn|attention|rep|representative|referent[ei]|ansprechpartner\w*|kontaktperson\w*|interlocut\w+)\b"
)

#: Names and births that are not people's where a column of the table, or its name, says that its rows are animals,
#: ships or storms.
BEINGS = frozenset("first_name last_name person_name birth_date birth_year".split())
_BEINGS = re.compile(
    r"\b(?:species|breeds?|genus|subspecies|taxon\w*|pedigree|pets?|dogs?|cats|horses?|cattle|cows?|sheep|livestock|"
    r"animals?|whales?|dolphins?|birds?|vessels?|ships?|boats?|yachts?|hurricanes?|storms?|cyclones?|typhoons?|"
    r"rasse|tierart|tiere?|hunde?|pferde?|schiff\w*|espèces?|animaux|navires?|especies?|raza|animales|razza|specie|"
    r"animali|gatunek|zwierzęta)\b"
)

#: What a neighbour's tag says of a row: it is a person, or something else.
OF_PERSONS = frozenset(
    "first_name last_name person_name birth_date gender national_id username marital_status blood_group salutation "
    "age_band religion ethnicity job_title user_agent passport_number driving_licence medical_record nhs_number "
    "card_number password".split()
)
OF_OTHERS = frozenset(
    "company_name vat_number cnpj siren siret lei port port_proto http_method airport_iata airport_icao domain_name "
    "hostname isbn barcode company_number gstin abn bic "
    "issn imo_number isin stock_ticker routing_number".split()
)
_FUNCTION = re.compile(
    r"(?i)(?:mailto:)?(?:info|sales|contact|support|office|hello|admin|service|help|enquir(?:y|ies)|press|jobs|billing|"
    r"team|mail|kontakt|webmaster|noreply|no-reply|reception|bookings?|orders?|marketing|hr|news)[0-9]*@.*"
)
_PRIVATE = re.compile(
    r"(?i).*@(?:(?:gmail|googlemail|yahoo|ymail|hotmail|outlook|live|icloud|aol|msn|gmx|protonmail|yandex)\.[a-z.]{2,6}|"
    r"(?:me|mac|proton|rocketmail)\.(?:com|me)|(?:web|t-online|freenet)\.de|mail\.ru|(?:orange|free|laposte|wanadoo)\.fr|"
    r"libero\.it|wp\.pl|o2\.pl|interia\.pl|seznam\.cz|(?:uol|bol|terra)\.com\.br|(?:qq|163|126)\.com|(?:naver|daum)\.(?:com|net))"
)
FUNCTIONS = 0.5  # share of mailboxes named after a function from which they are an organisation's; chosen: most of them


@dataclass(frozen=True)
class Around:
    """Where a column stands: its table's name, the columns beside it, the tags of those that have one, and those of
    which most rows have a value of their own."""

    table: str = ""
    columns: tuple[str, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    own: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Whose:
    """`odds` are log odds that a person is meant; `reasons` the pieces ``(what, weight)`` they are made of."""

    odds: float
    reasons: tuple[tuple[str, float], ...]

    @property
    def person(self) -> bool:
        return self.odds > 0


def whose(domain: Domain, name: str, texts: Sequence[str], around: Around, *, default: str = "person") -> Whose:
    """Whose data the values of one domain are.

    >>> from catalog.domains.known import KNOWN
    >>> phone = KNOWN["phone"]
    >>> whose(phone, "phone", [], Around("restaurants", ("cuisine", "opening_hours"))).person
    False
    >>> whose(phone, "customer_phone", [], Around("orders", ("amount",))).person, whose(phone, "c", [], Around()).person
    (True, True)
    >>> firms = Around("customers", ("firm", "contact_name"), {"firm": "company_name", "contact_name": "person_name"})
    >>> whose(phone, "phone", [], firms).person, whose(phone, "contact_phone", [], firms).person
    (False, True)
    """
    found = [("default", DEFAULT if default == "person" else -DEFAULT)]
    if sign := _sign(words(name)):
        found.append((f"name {name}", sign * OWN))
    if sign := _sign(words(around.table)):
        found.append((f"table {around.table}", sign * TABLE))
    firm = _of_firms(around)
    contact = bool(_CONTACT.search(words(name)))  # of a firm's contact its other columns of contacts tell, no others
    beside = [
        (other, _beside(other, around.tags.get(other)))
        for other in around.columns
        if other != name and not (firm and contact != bool(_CONTACT.search(words(other))))
    ]
    total = sum(sign for _, sign in beside) * NEIGHBOUR
    if total:
        told = [other for other, sign in beside if sign * total > 0][:3]
        found.append((f"beside {', '.join(told)}", max(-MOST_NEIGHBOURS, min(MOST_NEIGHBOURS, total))))
    if total > 0 and not _sign(words(name)) and (of_one(name) or indicated(name)):
        found.append((f"{name} is asked of people, too", NEIGHBOUR))
    if firm and not contact:
        found.append((f"rows are firms, by {firm}, that name a contact", -OWN))
    elif not firm and (naming := _things(name, around)):
        found.append((f"rows are named by {naming}, not by people's names", -TABLE))
    if domain.name in LINKED and (counted := _counted(name, around)):
        found.append((f"rows are groups of people, by {counted}", -OWN))
    if domain.name in LINKED and _sign(words(around.table)) <= 0 and _by_itself(domain.name, beside, around):
        found.append(("no column of a person beside", -ALONE))
    if domain.name == "email" and texts:
        share = sum(bool(_FUNCTION.fullmatch(text)) for text in texts) / len(texts)
        if share >= FUNCTIONS:
            found.append(("mailboxes of functions", -OWN))
        if sum(bool(_PRIVATE.fullmatch(text)) for text in texts) / len(texts) >= FUNCTIONS:
            found.append(("mailboxes of private people's providers", TABLE))
    if domain.name in ("ipv4", "ipv6") and sum("/" in text for text in texts) > 0.5 * len(texts) > 0:
        found.append(("networks, not hosts", -OWN))
    return Whose(sum(weight for _, weight in found), tuple(found))


def _of_firms(around: Around) -> str:
    """The column of firms in a table whose people are all the firms' contacts; empty where there is none."""
    named = [words(other) for other, tag in around.tags.items() if tag in NAMES]
    firms = (other for other, tag in around.tags.items() if tag == "company_name")
    return next(firms, "") if named and all(_CONTACT.search(one) for one in named) else ""


def _things(name: str, around: Around) -> str:
    """The column that names the rows of a table that are no persons; empty where there is none."""
    others = [other for other in around.columns if other != name]
    tags = {one: around.tags.get(one) for one in others}
    people = [one for one in others if tags[one] in NAMES]
    if not people:
        firms = (one for one in others if tags[one] == "company_name")
        named = (one for one in others if tags[one] not in OF_PERSONS and _NAMING.fullmatch(words(one)))
        return next(firms, "") or next(named, "")
    if len(people) > 1 or _PERSON.search(words(people[0])) or _NAMED.search(words(people[0])):
        return ""
    # One person in a role beside what the rows are named by, and nothing else of persons: who runs a school or a shop.
    before = others[: others.index(people[0])]
    told = any(tags[one] in OF_PERSONS or _sign(words(one)) > 0 for one in others if one != people[0])
    things = (one for one in before if one in around.own and _NAMED.search(words(one)))
    return "" if told else next(things, "")


def _by_itself(domain: str, beside: Sequence[tuple[str, int]], around: Around) -> bool:
    """Whether nothing beside a column leads to a person: enough other columns, or none in a table that is known."""
    if not beside:
        return bool(around.columns) and domain not in _OWNED
    telling = sum(other in around.tags or bool(_TELLING.search(words(other))) for other, _ in beside)
    reached = any(around.tags.get(other) in REACHING for other, _ in beside)
    placed = _keyed([other for other, _ in beside], around)
    return (telling >= LEAST_BESIDE or placed) and not reached and all(sign <= 0 for _, sign in beside)


def _counted(name: str, around: Around) -> str:
    """The column that counts the people of a group, in a table without a column of a person; empty where none does."""
    others = [other for other in around.columns if other != name]
    if not NAMES & set(around.tags.values()):
        tabulated = (other for other in others if _TABULATED.fullmatch(words(other)))
        if often := next(tabulated, ""):
            return often
    counted = [other for other in others if _GROUPS.search(words(other))]
    single = any(around.tags.get(one) in OF_PERSONS or trait(words(one)) for one in others if one not in counted)
    return "" if single or not counted else counted[0]


def _keyed(others: Sequence[str], around: Around) -> bool:
    """Whether all other columns are places, or places and times with amounts of them: nobody is in such a table.

    >>> tags = {"county": "region", "year": "year", "jobs": "integer", "worker_id": "integer"}
    >>> around = Around("", tuple(tags), tags)
    >>> _keyed(["county", "year", "jobs"], around), _keyed(["year", "worker_id"], around), _keyed(["jobs"], around)
    (True, False, False)
    """
    tags = {other: around.tags.get(other) for other in others}
    amounts = {other for other, tag in tags.items() if tag in _NUMBERS and not _ID.search(words(other))}
    keys = {other for other, tag in tags.items() if tag in _PLACES | _PERIODS}
    return bool(keys) and keys | amounts == tags.keys()


def beings(domain: Domain, name: str, around: Around) -> str:
    """The column or table that says that the names and births of a table are those of animals, ships or storms; empty
    where none does, or the column speaks of persons.

    >>> from catalog.domains.known import KNOWN
    >>> first = KNOWN["first_name"]
    >>> beings(first, "name", Around("sightings", ("name", "species"))), beings(first, "owner", Around("dogs"))
    ('species', '')
    """
    if domain.name not in BEINGS or _PERSON.search(
        re.sub(r"\b(?:first|last|birth\w*|dob|full) ?(?:name)?", "", words(name))
    ):
        return ""
    return next((one for one in (*around.columns, around.table) if one != name and _BEINGS.search(words(one))), "")


def _sign(named: str) -> int:
    """1 where words speak of persons, -1 of something else, 0 of neither or both.

    >>> _sign("customer phone"), _sign("store phone"), _sign("phone"), _sign("store manager customer")
    (1, -1, 0, 0)
    """
    return bool(_PERSON.search(named)) - bool(_OTHER.search(named))


def _beside(name: str, tag: str | None) -> int:
    named = words(name)
    if tag in OF_PERSONS or (of_one(name) and not _GROUPS.search(named)):
        return 1
    if tag in OF_OTHERS:
        return -1
    return 0 if _GROUPS.search(named) else _sign(named)
