"""The documents for contributors are true: the files that recipes name are there, and the first
recipe is followed here with a toy."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest

from catalog.domains.load import domains
from catalog.states.folding.fold import fold
from catalog.tags.table import propose_table

REPOSITORY = Path(__file__).resolve().parents[2]
CONTRIBUTING = (REPOSITORY / "CONTRIBUTING.md").read_text()
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", CONTRIBUTING, re.M | re.S))
RECIPES = ("A domain", "A metric", "A kind of rule", "A page with API and command", "A state field")
PLACE = re.compile(r"`((?:catalog|web|workers|tests|docs|benchmarks)/[\w./]*)`|\]\(([\w./]+)\)")


@pytest.mark.parametrize("title", [*RECIPES, "A walk of one value"])
def test_what_a_recipe_names_is_there(title: str) -> None:
    named = [one or other for one, other in PLACE.findall(SECTIONS[title])]
    assert len(named) >= 4
    missing = [name for name in named if not (REPOSITORY / name).exists()]
    assert not missing, missing


@pytest.mark.parametrize("document", ["CONTRIBUTING.md", "README.md", *(f"docs/{name}.md" for name in (
    "alerts", "architecture", "glossary", "domains", "figures", "library", "people", "pipelines", "troubleshooting")),
    *(f"docs/figures/{path.name}" for path in sorted((REPOSITORY / "docs/figures").glob("*.md")))])  # fmt: skip
def test_what_a_document_refers_to_is_there(document: str) -> None:
    path = REPOSITORY / document
    links = [link.split("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", path.read_text()) if "://" not in link]
    missing = [link for link in links if link and not (path.parent / link).exists()]
    assert not missing, missing


def test_a_domain_is_data() -> None:
    """The recipe's first step is all of it: the text of a YAML file, and columns are tagged."""
    text = "parcel: {title: Parcel, pattern: 'PX-\\d{6}', examples: [PX-123456, PX-000001, PX-999999], broader: code}"
    (parcel,) = domains(text, "trade.yaml")
    state = fold(pa.table({"sent": [f"PX-{k:06d}" for k in range(0, 9000, 90)]}))
    assert propose_table(state.columns, "orders", domains=[parcel])["sent"][0].domain == "parcel"


def test_a_kind_of_rule_is_named_in_one_line() -> None:
    from catalog.rules.registry import PLACES

    for place in PLACES.values():
        assert (REPOSITORY / (place.split(":")[0].replace(".", "/") + ".py")).is_file()
