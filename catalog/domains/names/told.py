"""Words in the names of columns and tables that speak of a person, and those that speak of something else."""

from __future__ import annotations

import re
from functools import lru_cache

from catalog.domains.headers import PERSON as NATURAL
from catalog.domains.known import words_for
from catalog.domains.lexicon import vocabulary
from catalog.domains.lexicon import words as listed

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
    # by their numbers, as clinics, offices and schools shorten them
    r"(?:u?subj(?:ect)?|pt|pat|ptnt|respondent|bene|mbr|empl?|stud?|stdnt|pers|person|indiv|clnt|cust|pupil) ?"
    r"(?:id|no|nr|num|nbr|key)|mrn|hadm ?id|suspect|victim|offender|defendant|inmate|perp|susp|vic|"
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
    r"muse(?:en|os?|i|us?|umi)|mus[ée]es?|muzea|muze(?:um|j|u)\w*|музе[йїяи]\w*|bibliothe[ek]\w*|biblioth[èe]ques?|"
    r"bibliote[ck]\w*|knihovn\w*|knižnic\w*|könyvtár\w*|kirjasto\w*|kütüphane\w*|библиотек\w*|бібліотек\w*|"
    r"shelters?|hostels?|car ?parks?|parkings?|cafes?|synagogues?|mosques?|restauran[tc]\w*|ristorant[ei]|"
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
#: Who is cared for, and what each row of their records is kept by.
PATIENT = (
    r"(?:in|out)?patients?|patienten|pacientes?|pazient[ei]|patiënten|患者|病人|病患|환자|пац[иі]ент\w*|"
    r"pacient\w*|pacjen\w+|pasien\w*|potila\w*|(?:pt|pat|ptnt|subj(?:ect)?) ?(?:id|no|nr|num|nbr|key)|u?subjid|hadm|"
    r"encounters?|mrn"
)


def counts_persons(named: str) -> bool:
    """Whether the last word of a table's name means persons in English, one or many.

    >>> [counts_persons(one) for one in ("survey of women", "babies", "finalists 2024", "sales", "servers", "")]
    [True, True, True, False, False, False]
    """
    last = next((word for word in reversed(named.split()) if word.isalpha()), "")
    ends = (("s", ""), ("ies", "y"), ("men", "man"))
    singles = [last.removesuffix(many) + one for many, one in ends if last.endswith(many)]
    return not listed("person_nouns").isdisjoint([last, *singles])


#: Among the words that speak of a person those that are none: what persons have, where they are asked, what is counted.
_NO_PERSON = vocabulary(
    "session sessions referrer referer browser shipping delivery personal private home mobile cell login logins signup "
    "signups account accounts profile profiles crm hr payroll gender sex marital dob ssn age household kin child "
    "children birth births birthday birthdate birthyear birthplace employer"
)
_ONE = re.compile(PERSON)
WRITTEN_OUT = 5  # chosen: letters; shorter nouns are abbreviations of things, too (doc, pol, rep)


@lru_cache(maxsize=1 << 14)
def one_person(word: str) -> bool:
    """Whether a word means one person: it speaks of persons or is an English word for one, and is not a plural.

    >>> [one_person(one) for one in ("customer", "kunde", "angler", "customers", "session", "store", "gps")]
    [True, True, True, False, False, False, False]
    """
    if word in _NO_PERSON or re.fullmatch(OTHER, word):
        return False
    nouns = listed("person_nouns")
    many = word.endswith("s") and (word[:-1] in nouns or bool(_ONE.fullmatch(word[:-1])))
    return not many and ((word in nouns and len(word) >= WRITTEN_OUT) or bool(_ONE.fullmatch(word)))


#: Natural persons in English, and what else the name of a table of them holds.
_NATURAL = re.compile(
    r"employees?|staff|personnel|workers?|students?|pupils?|learners?|teachers?|instructors?|professors?|lecturers?|"
    r"patients?|doctors?|physicians?|nurses?|volunteers?|voters?|citizens?|residents?|drivers?|passengers?|players?|"
    r"candidates?|applicants?|councillors?|senators?|deputies|mayors?|people|persons?|attendees?|participants?|"
    r"children|parents?|guests?|actors?|athletes?|trainees?|interns?|judges?|lawyers?"
)
_LISTED = re.compile(r"\b(?:tbl|tb|dim|stg|raw|all|list|lists|table|data|dataset|csv|export|\d+|t)\b ?")


def of_persons(table: str) -> bool:
    """Whether the words of a table's name mean natural persons and nothing else: pupils, employees, patients.

    >>> [of_persons(one) for one in ("pracownicy", "students 2024", "tbl pegawai", "customers", "pupils of classes")]
    [True, True, True, False, False]
    """
    named = _LISTED.sub("", table).strip()
    return bool(_NATURAL.fullmatch(named)) or words_for(NATURAL).whole(named)
