"""What a person can do with a form of a page a program can do by the JSON interface, with the same right."""

from __future__ import annotations

from sites import Site

from web.access.gate import needed
from web.app import PAGES

#: The route of the interface that does what a form does.
ALIKE = {
    "/alerts/again": "POST /alerts/again",
    "/alerts/routes": "POST /alerts/routes",
    "/alerts/routes/{route_id}/active": "PUT /alerts/routes/{route_id}",
    "/alerts/routes/{route_id}/remove": "DELETE /alerts/routes/{route_id}",
    "/alerts/routes/{route_id}/test": "POST /alerts/routes/{route_id}/test",
    "/approvals/setting": "PUT /approvals/setting",
    "/approvals/{approval_id}": "POST /approvals/{approval_id}",
    "/audit/{event_id}/undo": "POST /audit/{event_id}/undo",
    "/columns/{column_id}/level": "PUT /columns/{column_id}/level",
    "/columns/{column_id}/tags": "POST /columns/{column_id}/tags",
    "/columns/{column_id}/unmasked": "POST /columns/{column_id}/unmasked",
    "/glossary/describe/{kind}/{item_id}": "PUT /glossary/describe/{kind}/{item_id}",
    "/glossary/import": "POST /glossary/import",
    "/glossary/terms": "PUT /glossary/terms/{name}",
    "/glossary/terms/remove": "DELETE /glossary/terms/{name}",
    "/incidents/{incident_id}/reopen": "POST /incidents/{incident_id}/reopen",
    "/incidents/{incident_id}/resolve": "POST /incidents/{incident_id}/resolve",
    "/incidents/{incident_id}/status": "POST /incidents/{incident_id}",
    "/incidents/{incident_id}/unmasked": "POST /incidents/{incident_id}/unmasked",
    "/index/upgrade": "POST /index/upgrade",
    "/index/upgrade/difference": "POST /index/upgrade/difference",
    "/ledger/week": "PUT /ledger/week",
    "/owners/default": "PUT /owners/default",
    "/owners/teams/set": "PUT /owners/teams/{name}",
    "/owners/{kind}/{item_id}": "PUT /owners/{kind}/{item_id}",
    "/reports/schedules": "POST /reports/schedules",
    "/reports/schedules/{schedule_id}/remove": "DELETE /reports/schedules/{schedule_id}",
    "/review": "POST /review",
    "/review/table": "POST /review/tables",
    "/review/undo": "POST /audit/{event_id}/undo",
    "/rules/{rule_id}": "POST /rules/{rule_id}",
    "/rules/{rule_id}/clauses": "POST /rules/{rule_id}/clauses",
    "/rules/{rule_id}/demote": "POST /rules/{rule_id}/demote",
    "/rules/{rule_id}/promote": "POST /rules/{rule_id}/promote",
    "/runs/{run_id}/cancel": "POST /runs/{run_id}/cancel",
    "/sources": "POST /sources",
    "/sources/{source_id}": "PUT /sources/{source_id}",
    "/sources/{source_id}/crawl": "POST /sources/{source_id}/crawl",
    "/sources/{source_id}/learner": "POST /sources/{source_id}/learner",
    "/sources/{source_id}/remove": "DELETE /sources/{source_id}",
    "/tables/{table_id}/checks": "POST /tables/{table_id}/checks",
    "/tables/{table_id}/checks/import": "POST /tables/{table_id}/checks/import",
    "/tables/{table_id}/checks/preview": "POST /tables/{table_id}/checks/preview",
    "/tables/{table_id}/checks/{rule_id}/retire": "DELETE /tables/{table_id}/checks/{rule_id}",
    "/tables/{table_id}/drill": "POST /tables/{table_id}/drill",
    "/tables/{table_id}/learner": "POST /tables/{table_id}/learner",
    "/tables/{table_id}/mode": "POST /tables/{table_id}/mode",
    "/tables/{table_id}/remove": "DELETE /tables/{table_id}",
    "/tables/{table_id}/versions/{version}/label": "POST /tables/{table_id}/versions/{version}/label",
    "/tags/{tag_id}": "POST /tags/{tag_id}",
    "/tokens/{token_id}/revoke": "DELETE /tokens/{token_id}",
    "/workbench": "POST /workbench",
    "/workbench/accept": "POST /workbench/accept",
    "/workbench/{domain_id}/name": "POST /patterns/{domain_id}/name",
    "/workbench/{domain_id}/forget": "DELETE /patterns/{domain_id}/name",
}
#: What a browser alone does, and what a token may not: one that could make accounts or tokens, or change what opens
#: them, would outlive that it was revoked.
APART = """/login /logout /theme /account/password /account/tokens /account/tokens/{token_id}/revoke
    /people /people/{user_id}/active /people/{user_id}/password /people/{user_id}/role""".split()


def test_every_form_has_a_route_of_the_interface_with_the_same_right(site: Site) -> None:
    forms = {route.path for module in PAGES for route in module.router.routes if "POST" in route.methods}
    assert forms == {*ALIKE, *APART}
    routes = {
        f"{method.upper()} {path.removeprefix('/api/v1')}"
        for path, methods in site.client.get("/api/v1/openapi.json").json()["paths"].items()
        for method in methods
    }
    assert not set(ALIKE.values()) - routes
    rights = {form: (needed("POST", form), needed(*route.split())) for form, route in ALIKE.items()}
    assert {form: both for form, both in rights.items() if len(set(both)) > 1} == {}
