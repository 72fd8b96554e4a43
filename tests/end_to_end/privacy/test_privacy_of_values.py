"""A lake with people in it goes through: what is kept for people to read holds none of their addresses."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import CommitProperties, DeltaTable, write_deltalake
from sqlmodel import select

from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source, crawl_tables
from catalog.flow.reading.sources import add_source
from catalog.rules.rule import Rule
from catalog.store.expectations import rules
from catalog.store.lake import tables
from catalog.store.lake.versions import told_by_log
from catalog.store.meaning import privacy
from catalog.store.models import Incident, LakeColumn, Outcome, RuleRow, Tag, Version
from catalog.store.schemas.lake import VersionOut

pytestmark = pytest.mark.spark

PEOPLE = ["ann.lee@mail.example", "bob.ray@mail.example", "zoe.kim@mail.example"]


def test_nothing_that_is_kept_to_be_read_holds_an_address(context: Context, tmp_path: Path) -> None:
    uri = str(tmp_path / "lake" / "visits")
    for day in range(3):
        rows = [PEOPLE[(i + day) % 3] for i in range(60)]
        write_deltalake(uri, pa.table({"email": rows, "n": list(range(60))}), mode="append")
    crawl_source(context, add_source(context, "lake", str(tmp_path / "lake")).id)
    words = "every value is “" + "” or “".join(PEOPLE) + "”"
    clause = {"kind": "value", "accepted": PEOPLE, "theta": 0.0, "risk": 0.01, "words": words}
    listed = Rule("vocabulary", "email", {"clauses": [clause], "rows": 60}, 0.01, f"{words}.", "person")
    with context.transaction() as session:
        table = tables.get_table(session, "visits")
        assert tables.get_column(session, table.id, "email").sensitive
        rules.put_rules(session, table.id, [listed], learners="person", since_version=2)
    strangers = [f"new.person{i}@other.example" for i in range(60)]
    write_deltalake(uri, pa.table({"email": strangers, "n": list(range(60))}), mode="append")
    crawl_tables(context, [table.id])
    with context.reading() as session:
        broken = session.exec(
            select(Outcome).join(RuleRow).where(RuleRow.learner == "person", Outcome.status == "violated")
        ).one()
        assert broken.rows  # and they were found by what the verdict keeps to itself
        assert "one of 3 known values" in broken.sentence
        kept = [str(one.sentence) for one in session.exec(select(RuleRow))]
        kept += [str(one.model_dump()) for one in session.exec(select(Outcome))]
        kept += [str(one.model_dump()) for one in session.exec(select(Incident))]
        kept += [str(one.profile) for one in session.exec(select(LakeColumn))]
        kept += [str(one.evidence) for one in session.exec(select(Tag))]
    said = " ".join(kept)
    assert "mail.example" not in said
    assert "new.person" not in said
    assert "other.example" not in said


def test_what_is_personal_by_its_place_alone_is_hidden_everywhere(context: Context, tmp_path: Path) -> None:
    uri = str(tmp_path / "lake" / "zglbrs")
    first = ["Linda", "Michael", "Hannah", "Peter", "Julia", "Andrea", "Thomas", "Maria"] * 10
    jobs = ["Nurse", "Teacher", "Accountant", "Software Engineer"] * 20
    accounts = [f"{71828 + 37 * i}-{10_000_019 * (i + 3) % 99_999_989:08}-{i % 10}" for i in range(80)]
    pay = [61803 + 1117 * (i * 13 % 80) for i in range(80)]
    rows = pa.table({
        "k": list(range(80)), "first_name": first, "last_name": [f"Lee{'abcdefghij'[i % 10]}" for i in range(80)],
        "email": [f"x{i}@mail.example" for i in range(80)], "job_title": jobs, "zglbr": accounts, "vrnk": pay,
    })  # fmt: skip
    write_deltalake(uri, rows)
    crawl_source(context, add_source(context, "lake", str(tmp_path / "lake")).id)
    with context.reading() as session:
        table = tables.get_table(session, "zglbrs")
        hidden = privacy.hiding(session, table.id)
        assert {"zglbr", "vrnk", "email"} <= hidden.whole
        assert "k" not in hidden.whole
        shown = hidden.row(rows.to_pylist()[1])
        kept = [str(one.model_dump()) for one in session.exec(select(LakeColumn))]
        kept += [str(one.evidence) for one in session.exec(select(Tag))]
    assert shown["zglbr"] == "99999-99999999-9"
    assert shown["vrnk"] == "99999"
    said = " ".join(kept)
    assert not any(account in said for account in accounts)
    assert not any(str(one) in said for one in pay)


def test_what_a_log_says_of_its_commits_is_bounded_and_names_nobody(context: Context, tmp_path: Path) -> None:
    uri = str(tmp_path / "lake" / "visits")
    people = pa.table({"email": PEOPLE * 20, "ill": ["flu", "Marburg fever", "cold"] * 20})
    write_deltalake(uri, people, description=f"ask {PEOPLE[2]} " + "Z" * 9000)
    by = CommitProperties(custom_metadata={"userName": "eva@shop.example", "note": f"for {PEOPLE[0]}"})
    DeltaTable(uri).delete(f"email = '{PEOPLE[0]}' AND ill <> 'Marburg fever'", commit_properties=by)
    large = {
        "commitInfo": {"x": "Z" * 3_000_000, "y": {str(i): "Z" * 900 for i in range(3000)}, "operation": "W" * 9000}
    }
    Path(uri, "_delta_log", f"{2:020}.json").write_text(json.dumps(large))
    crawl_source(context, add_source(context, "lake", str(tmp_path / "lake")).id)
    with context.reading() as session:
        kept = list(session.exec(select(Version).order_by(Version.number)))
        told = " ".join(VersionOut.whole(one).model_dump_json() for one in kept)
        properties = tables.get_table(session, "visits").properties
    assert [one.number for one in kept] == [0, 1, 2]
    assert properties["description"].startswith("ask aaa.aaa@aaaa.aaaaaaa ZZZ")
    assert len(properties["description"]) < 3000
    assert "email" in properties["schema"]
    assert kept[1].commit_info["userName"] == "eva@shop.example"
    assert "mail.example" not in told
    assert "Marburg" not in told
    assert len(json.dumps(kept[2].commit_info)) + len(kept[2].operation) < 40_000
    old = Version(table_id=1, number=3, committed_at=kept[0].committed_at, commit_info=large["commitInfo"])
    assert len(json.dumps(told_by_log(old.commit_info))) < 40_000
