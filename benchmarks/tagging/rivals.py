"""Presidio and DataProfiler, each in an environment of its own: they are installed there when first asked for.

A rival reads ``[[cell, ...], ...]`` as JSON and answers ``[[label or null, score], ...]``. Its labels are put into the
words of ours by `WORDS`; a column is what most of its cells are said to be.
"""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.tagging.cases import Case
from benchmarks.tagging.score import Tagger
from catalog.domains.known import KNOWN

CELLS = 40  # of each column, evenly spaced: language models are slow

#: packages of each rival's environment
PACKAGES = {"presidio": ["presidio-analyzer", "click"], "dataprofiler": ["DataProfiler[ml]"]}

WORDS: dict[str, Mapping[str, str]] = {
    "presidio": {
        "EMAIL_ADDRESS": "email",
        "PHONE_NUMBER": "phone",
        "CREDIT_CARD": "card_number",
        "IBAN_CODE": "iban",
        "IP_ADDRESS": "ipv4",
        "URL": "url",
        "US_SSN": "national_id",
        "UK_NHS": "nhs_number",
        "UK_NINO": "national_id",
        "DATE_TIME": "date",
        "PERSON": "person_name",
        "LOCATION": "city",
        "NRP": "nationality",
        "CRYPTO": "bitcoin_address",
        "US_PASSPORT": "passport_number",
        "US_BANK_NUMBER": "bank_account",
        "US_DRIVER_LICENSE": "driving_licence",
        "US_ITIN": "national_id",
        "ES_NIF": "national_id",
        "IT_FISCAL_CODE": "national_id",
        "PL_PESEL": "national_id",
        "IT_VAT_CODE": "vat_number",
        "AU_ABN": "abn",
        "AU_ACN": "company_number",
        "IN_PAN": "national_id",
        "IN_AADHAAR": "national_id",
        "FI_PERSONAL_IDENTITY_CODE": "national_id",
        "MAC_ADDRESS": "mac_address",
        "SG_NRIC_FIN": "national_id",
        "ORGANIZATION": "company_name",
        "IN_VEHICLE_REGISTRATION": "vehicle_plate",
    },
    "dataprofiler": {
        "EMAIL_ADDRESS": "email",
        "PHONE_NUMBER": "phone",
        "CREDIT_CARD": "card_number",
        "IBAN": "iban",
        "IPV4": "ipv4",
        "IPV6": "ipv6",
        "URL": "url",
        "SSN": "national_id",
        "UUID": "uuid",
        "MAC_ADDRESS": "mac_address",
        "DATE": "date",
        "DATETIME": "datetime",
        "TIME": "time",
        "PERSON": "person_name",
        "ADDRESS": "street_address",
        "INTEGER": "integer",
        "FLOAT": "decimal",
        "COUNTRY": "country_name",
        "HASH_OR_KEY": "hex_string",
        "BAN": "iban",
        "DRIVERS_LICENSE": "driving_licence",
        "ORDINAL": "ordinal",
        "QUANTITY": "measurement",
        "BACKGROUND": "free_text",
    },
}

PROGRAMS = {
    "presidio": """
import json, sys
from collections import Counter
from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
from presidio_analyzer.nlp_engine import NerModelConfiguration, SpacyNlpEngine
import spacy

class Blank(SpacyNlpEngine):
    def __init__(self):
        super().__init__(ner_model_configuration=NerModelConfiguration(labels_to_ignore=[]))
        self.nlp = {"en": spacy.blank("en")}
    def load(self):
        pass

registry = RecognizerRegistry()
registry.load_predefined_recognizers(languages=["en"])
engine = AnalyzerEngine(nlp_engine=Blank(), registry=registry, supported_languages=["en"])
out = []
for cells in json.load(sys.stdin):
    votes = Counter()
    for cell in cells:
        found = [r for r in engine.analyze(cell[:200], "en") if r.end - r.start >= 0.8 * len(cell[:200])]
        if found:
            votes[max(found, key=lambda r: r.score).entity_type] += 1
    label, count = votes.most_common(1)[0] if votes else (None, 0)
    out.append([label if count >= 0.5 * len(cells) else None, count / max(len(cells), 1)])
print("ANSWER" + json.dumps(out))
""",
    "dataprofiler": """
import json, sys
import dataprofiler as dp
labeler = dp.DataLabeler(labeler_type="structured")
out = []
for cells in json.load(sys.stdin):
    pred = list(labeler.predict(cells)["pred"]) if cells else []
    best = max(set(pred), key=pred.count) if pred else None
    out.append([best, pred.count(best) / len(pred) if pred else 0])
print("ANSWER" + json.dumps(out))
""",
}


def environment(name: str, folder: Path) -> Path:
    """The Python of a rival's environment, made when it is not there. Errors: `subprocess.CalledProcessError`."""
    python = folder / name / "bin" / "python"
    if not (folder / name / "ready").exists():
        venv.create(folder / name, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES[name]], check=True, stdout=sys.stderr)
        (folder / name / "ready").touch()
    return python


def rival(name: str, cases: Sequence[Case], folder: Path) -> Tagger:
    """A rival's answers to these cases, as a method. Errors: `subprocess.CalledProcessError` where it does not run."""
    python = environment(name, folder)
    asked = json.dumps([_some(case.cells) for case in cases])
    done = subprocess.run(
        [python, "-c", PROGRAMS[name]], input=asked, capture_output=True, text=True, check=True, timeout=7200
    )
    answers = json.loads(done.stdout.split("ANSWER", 1)[1])
    said = {case.column_id: answer for case, answer in zip(cases, answers, strict=True)}

    def tagger(case: Case) -> tuple[str | None, bool, float | None]:
        label, score = said[case.column_id]
        domain = WORDS[name].get(label or "")
        return domain, domain is not None and domain in KNOWN and KNOWN[domain].sensitive, score if domain else None

    return tagger


def _some(cells: Sequence[str]) -> list[str]:
    step = max(len(cells) // CELLS, 1)
    return list(cells[::step][:CELLS])
