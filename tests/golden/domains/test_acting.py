"""Tags as SQL and OpenLineage: what is written, and that no name gets out of its quotes."""

from __future__ import annotations

import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st
from sqlglot.tokens import TokenType

from catalog.errors import UsageError
from catalog.tags.acting.lineage import dataset
from catalog.tags.acting.sql import Meaning, comment, name, statements, table_name, text

MAIL = Meaning("mail", "string", "email", "E-mail address", "accepted", "ann", True, "For receipts.", ("customer",))
DEEP = Meaning("who.mail", "string", "email", "E-mail address", "accepted", "ann", True)
TOTAL = Meaning("total", "decimal(10,2)", "amount", "Amount", "accepted", "bob", True)
PLAIN = Meaning("n", "bigint")


def test_unity_gets_comments_tags_and_masks() -> None:
    made = statements(table_name("main.shop.orders"), [MAIL, DEEP, TOTAL, PLAIN], system="unity", group="readers")
    said = "\n".join(made)
    assert made[0].startswith("CREATE OR REPLACE FUNCTION `main`.`shop`.`assay_mask_decimal_10_2`(value DECIMAL(10,2))")
    assert "WHEN is_account_group_member('readers') THEN value ELSE '***' END;" in said
    assert (
        "ALTER TABLE `main`.`shop`.`orders` ALTER COLUMN `mail` SET TAGS ('assay_domain' = 'email', "
        "'assay_status' = 'accepted', 'sensitivity' = 'personal', 'terms' = 'customer');" in said
    )
    assert "ALTER COLUMN `mail` SET MASK `main`.`shop`.`assay_mask_string`;" in said
    assert "ALTER COLUMN `who`.`mail` COMMENT 'Assay: E-mail address; sensitive; accepted by ann';" in said
    assert "-- who.mail is a nested field" in said
    assert "`n`" not in said
    functions = [at for at, one in enumerate(made) if one.startswith("CREATE")]
    assert max(functions) < min(at for at, one in enumerate(made) if "SET MASK" in one)


def test_delta_gets_comments_only() -> None:
    made = statements("delta.`/lake/orders`", [MAIL, PLAIN], system="delta", description="One row an order.")
    assert made == [
        "COMMENT ON TABLE delta.`/lake/orders` IS 'One row an order.';",
        "ALTER TABLE delta.`/lake/orders` ALTER COLUMN `mail` COMMENT "
        "'For receipts. (Assay: E-mail address; sensitive; accepted by ann)';",
    ]
    with pytest.raises(UsageError, match="use one of unity, delta"):
        statements("t", [], system="oracle")
    with pytest.raises(UsageError, match=r"catalog\.schema\.table"):
        table_name("a.b.c.d")


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_name_or_text_ends_a_statement(column: str, said: str) -> None:
    parsed = sqlglot.parse(f"SELECT {name(column or 'x')}, {text(said)}", dialect="databricks")
    assert len(parsed) == 1
    found = parsed[0].selects
    assert len(found) == 2
    assert found[0].name == (column or "x")
    assert found[1].this == " ".join(said.split())


@given(st.text(min_size=1, max_size=30), st.text(max_size=60))
def test_every_statement_ends_where_it_ends(column: str, said: str) -> None:
    hostile = Meaning(column, "string", "email", said, "accepted", said, True, said, (said,))
    for one in statements(table_name("main.orders"), [hostile], system="unity", description=said):
        if one.startswith("--"):
            assert len(one.splitlines()) == 1
            continue
        kinds = [token.token_type for token in sqlglot.tokenize(one, read="databricks")]
        assert kinds.count(TokenType.SEMICOLON) == 1
        assert kinds[-1] == TokenType.SEMICOLON


def test_a_dataset_has_the_facets_of_which_something_is_known() -> None:
    verdicts = [{"assertion": "pattern: looks so", "success": False, "column": "mail"}]
    made = dataset("s3://lake/shop/orders", [MAIL, PLAIN], description="Orders.", owner="sales", verdicts=verdicts)
    assert (made["namespace"], made["name"]) == ("s3://lake", "shop/orders")
    assert set(made["facets"]) == {"schema", "tags", "documentation", "ownership"}
    assert {(one["key"], one["value"], one["field"]) for one in made["facets"]["tags"]["tags"]} == {
        ("domain", "email", "mail"),
        ("status", "accepted", "mail"),
        ("sensitivity", "personal", "mail"),
        ("term", "customer", "mail"),
    }
    assert made["inputFacets"]["dataQualityAssertions"]["assertions"] == verdicts
    facets = (*made["facets"].values(), *made["inputFacets"].values())
    assert all(one["_schemaURL"].startswith("https://openlineage.io/spec/facets/") for one in facets)
    assert set(dataset("/lake/t", [PLAIN])["facets"]) == {"schema"}


def test_what_is_not_known_is_no_comment() -> None:
    assert comment(PLAIN) == ""
    assert comment(Meaning("n", "bigint", description="A number.")) == "A number."
