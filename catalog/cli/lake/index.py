"""`assay index`: what the lake's own columns look like; `assay tag-by-example`: the columns like an example."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from catalog.cli import console
from catalog.cli.common import Json, context
from catalog.cli.console import count, emit, grid, pairs, say, size
from catalog.errors import UsageError
from catalog.roles import APPROVE, EDIT

app = typer.Typer(no_args_is_help=True, help="The pattern index: what the lake's own columns look like.")
Why = Annotated[str, typer.Option("--reason", help="Why; kept in the audit log.")]
Ref = Annotated[str, typer.Argument(metavar="DOMAIN", help="Its id or name, as `assay index domains` shows it.")]


@app.command("pretrain")
def pretrain(as_json: Json = False) -> None:
    """Rebuild the starter index: columns of known kinds, generated, for lakes that are still small.

    Example: assay index pretrain
    """
    import shutil

    from catalog.flow.learning.index import prepare_starter
    from catalog.settings import get_settings

    settings, started = get_settings(), time.monotonic()
    shutil.rmtree(settings.starter_path, ignore_errors=True)
    folder = prepare_starter(settings)
    data = {"folder": str(folder), "seconds": round(time.monotonic() - started, 1)}
    emit(data, as_json, lambda: say(f"starter index in {folder}, {data['seconds']} s"))


@app.command("show")
def show(
    again: Annotated[bool, typer.Option("--survey", help="Recount the lake's patterns and domains.")] = False,
    as_json: Json = False,
) -> None:
    """What the index holds: size, tables, columns, the starter's share, and how its patterns are distributed by token
    length and by the number of columns that have them. A crawl of a whole source surveys them; so does --survey.

    Example: assay index show --survey
    """
    from catalog.flow.learning.index import open_index
    from catalog.flow.learning.survey import index_figures, survey
    from catalog.store.domains.surveyed import read_survey

    here = context()
    if again:
        survey(here)
    settings = here.settings
    figures = index_figures(open_index(settings), settings.index_path, settings.starter_path)
    data = {**(read_survey(settings) or {}), **figures}

    def tell() -> None:
        names = (
            "folder",
            "tables",
            "columns",
            "starter_columns",
            "starter_weight",
            "classes",
            "replays",
            "calibrated",
            "domains_known",
        )
        pairs({name.replace("_", " "): data[name] for name in names} | {"size": size(data["bytes"])})
        if data["out_of_date"]:
            say(f"the next crawl brings it up to date, from stored states: {data['out_of_date']}")
        if "patterns" not in data:
            say("the lake was not surveyed yet: `assay index show --survey`, or a crawl of a source, does it")
            return
        say(f"{count(data['patterns'], 'pattern')} in {count(data['columns'], 'column')} of strings", "bold")
        grid("by tokens", ("tokens", "patterns"), list(enumerate(data["by_tokens"], 1)))
        held = [(str(low) if low == high else f"{low} to {high}", found) for low, high, found in data["by_columns"]]
        grid("by frequency", ("columns that have it", "patterns"), held)

    emit(data, as_json, tell)


@app.command("diff")
def diff(
    with_rules: Annotated[bool, typer.Option("--rules", help="Also which rules would be learned otherwise.")] = False,
    as_json: Json = False,
) -> int:
    """Show which tags this version of Assay would change, column by column. Nothing is changed. Where
    people decided about tags or rules, such an upgrade waits for `assay index approve`. Ends with 2 when one waits.

    Example: assay index diff --rules
    """
    from functools import partial

    from catalog.cli import work
    from catalog.flow.upgrades.difference import work_out
    from catalog.flow.upgrades.standing import notice
    from catalog.store.domains import upgrades
    from catalog.store.schemas.meaning import RuleChangeOut, TagChangeOut, UpgradeOut

    here = context()
    notice(here)
    with here.reading() as session:
        found = upgrades.standing(session)
    assert found is not None
    run_id = work.start(here, upgrades.RUN, found.waiting or found.shipped)
    told = work.do(here, run_id, "diff", partial(work_out, here, run_id, with_rules=with_rules), quiet=as_json)
    with here.reading() as session:
        upgrade = UpgradeOut.of(session)
    tags = [TagChangeOut(**one) for one in told["tags"]]
    rules = None if told["rules"] is None else [RuleChangeOut(**one) for one in told["rules"]]

    def show() -> None:
        rows = [(one.domain, one.what, f"{one.table}.{one.column}") for one in tags]
        grid(count(len(tags), "tag") + " would change", ("domain", "what", "column"), rows, "no tag would change")
        if rules is not None:
            changed = [
                (f"{one.table}.{one.column}", one.kind, one.what, ", ".join(f"{n} {k}" for k, n in one.changes.items()))
                for one in rules
            ]
            heads = ("column", "rule", "what", "clauses")
            grid(count(len(rules), "rule") + " would be learned otherwise", heads, changed, "no rule would differ")
        if upgrade.waits:
            say(f"it waits{f', {upgrade.answer}' if upgrade.answer else ': assay index approve, or refuse'}")

    emit({"upgrade": upgrade, "tags": tags, "rules": rules}, as_json, show)
    return console.WARNED if upgrade.waits and upgrade.answer != upgrades.APPROVED else console.PASSED


@app.command("approve")
def approve(reason: Why = "", as_json: Json = False) -> None:
    """Approve the pending upgrade (see `assay index diff`): the next crawl uses it. People's decisions are kept.

    Example: assay index approve --reason 'looked at all of it'
    """
    _answer("approved", reason, as_json)


@app.command("refuse")
def refuse(reason: Why = "", as_json: Json = False) -> None:
    """Refuse the pending upgrade: tables keep their tags until the next upgrade, or until it is approved.

    Example: assay index refuse --reason 'after the audit'
    """
    _answer("refused", reason, as_json)


def _answer(said: str, reason: str, as_json: bool) -> None:
    from catalog.store.domains import upgrades
    from catalog.store.schemas.meaning import UpgradeOut

    here = context(APPROVE)
    with here.transaction() as session:
        upgrades.answer(session, said, actor=here.actor, reason=reason)
        data = UpgradeOut.of(session)
    more = "; the next crawl follows it" if said == upgrades.APPROVED else ""
    emit(data, as_json, lambda: say(f"the upgrade is {said}{more}"))


@app.command("domains")
def domains(as_json: Json = False) -> None:
    """The lake's common domains: patterns that many columns of several tables share and keep to, with the known domain
    that explains them or the name that a person gave them.

    Example: assay index domains --json
    """
    from catalog.store.domains import lakedomains
    from catalog.store.schemas.meaning import DomainOut

    with context().reading() as session:
        found = lakedomains.list_domains(session)
    data = [DomainOut.made(one) for one in found]
    rows = [
        (
            one.id, one.pattern, one.sentence, len(one.described), one.tables, f"{one.impurity:.1%}",
            one.label or one.title or "",
        )
        for one in found
    ]  # fmt: skip
    heads = ("id", "pattern", "in words", "columns", "tables", "do not match", "what it is")
    emit(data, as_json, lambda: grid("", heads, rows, "none found yet: a crawl of a source looks for them"))


@app.command("name")
def name(
    ref: Ref,
    called: Annotated[str, typer.Argument(metavar="NAME", help="Small letters, digits, underscores.")],
    label: Annotated[str, typer.Option(help="What people read.")] = "",
    sensitive: Annotated[bool, typer.Option("--sensitive", help="Its values identify a person: mask them.")] = False,
    as_json: Json = False,
) -> None:
    """Name a domain of the lake: the columns that it describes are tagged with it, and new ones as they come.

    Example: assay index name 4 order_number --label 'Order number'
    """
    from catalog.store.domains import lakedomains
    from catalog.store.schemas.meaning import DomainOut

    here = context(EDIT)
    with here.transaction() as session:
        row = lakedomains.name_domain(session, ref, called, label=label, sensitive=sensitive, actor=here.actor)
        data = DomainOut.made(row)
    columns = count(len(row.described), "column")
    emit(data, as_json, lambda: say(f"{row.pattern} is {row.label}: {columns} tagged {row.name}"))


@app.command("forget")
def forget(ref: Ref, as_json: Json = False) -> None:
    """Take back the name of a domain, and the tags that nobody accepted.

    Example: assay index forget order_number
    """
    from catalog.store.domains import lakedomains
    from catalog.store.schemas.meaning import DomainOut

    here = context(EDIT)
    with here.transaction() as session:
        row = lakedomains.forget_name(session, ref)
        data = DomainOut.made(row)
    emit(data, as_json, lambda: say(f"{row.pattern} has no name any more"))


def by_example(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="Name, source/name, or id.")] = "",
    column: Annotated[str, typer.Argument(metavar="COLUMN", help="A column of strings.")] = "",
    value: Annotated[list[str] | None, typer.Option(help="An example value, instead of a column; 3 to 20.")] = None,
    budget: Annotated[float, typer.Option(min=0, max=1, help="Share of like values a pattern may miss.")] = 0.1,
    as_json: Json = False,
) -> int:
    """Find columns like an example: ranked patterns, each with the columns of the lake that it describes.

    The recommended pattern is the most restrictive one that misses no more than the budget. Nothing is tagged. Ends
    with 1 when no column of the lake is like it.

    Example: assay tag-by-example shop/orders order_id
    """
    from catalog.evidence.pattern_index.views import profile
    from catalog.flow.learning.index import open_index
    from catalog.store.domains import lakedomains
    from catalog.store.lake import tables
    from catalog.store.meaning import privacy
    from catalog.store.schemas.meaning import LikeOut
    from catalog.tags.discovery.example import tag_by_example, tag_like

    here = context()
    index = open_index(here.settings)
    if value:
        found = tag_by_example(value, index, budget=budget)
    elif table and column:
        with here.reading() as session:
            key = tables.get_table(session, table).id or 0
            tables.get_column(session, key, column)
            hide = privacy.hiding(session, key)
            state = lakedomains.column_state(session, key, column)
        known = profile(state) if state is not None else None
        if known is None:
            raise UsageError(f"column {column!r} holds no strings", remedy="choose a column of strings")
        found = [
            p
            for p in tag_like(known, index, budget=budget)
            if not (p.kind == "value" and hide.private_rule(column, p.sentence))
        ]
    else:
        raise UsageError("an example is missing", remedy="name a table and a column, or give --value three times")
    with here.reading() as session:
        places = lakedomains.where(session, [one for p in found for one in p.described])
    data = [LikeOut.of(one, places) for one in found if one.described]

    def tell() -> None:
        rows = [
            ("*" if p.recommended else "", p.sentence, p.coverage, f"{p.impurity:.1%}", len(p.columns)) for p in data
        ]
        heads = ("", "pattern", "columns that have it", "their values that do not match", "describes")
        grid("", heads, rows, "no column of the lake is like it")
        best = next((p for p in data if p.recommended), data[0] if data else None)
        shown = [(one.table, one.column, f"{one.share:.1%}") for one in best.columns[:50]] if best else []
        if best and shown:
            grid(f"described by: {best.sentence}", ("table", "column", "values that match"), shown)

    emit(data, as_json, tell)
    return console.PASSED if data else console.FAILED
