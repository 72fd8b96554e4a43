"""What is known of a table as OpenLineage dataset facets (https://openlineage.io/spec/facets)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from catalog.tags.acting.sql import Meaning

SPEC = "https://openlineage.io/spec/facets"
PRODUCER = "https://github.com/assay-catalog/assay"


def dataset(
    uri: str,
    columns: Sequence[Meaning],
    *,
    description: str = "",
    owner: str = "",
    verdicts: Iterable[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """A dataset with the facets ``schema``, ``tags``, ``documentation``, ``ownership`` and
    ``dataQualityAssertions``; those of which nothing is known are left out.

    Parameters
    ----------
    uri : where the table is; its scheme and authority are the namespace.
    verdicts : ``assertion``, ``success`` and ``column`` (None: the whole table) of the last version that was judged.

    >>> dataset("s3://lake/orders", [])["namespace"], dataset("/data/orders", [])["name"]
    ('s3://lake', '/data/orders')
    """
    scheme, mark, rest = uri.partition("://")
    authority, _, place = rest.partition("/")
    namespace, name = (
        (f"{scheme}://{authority}", place) if mark and scheme != "file" else ("file", uri.removeprefix("file://"))
    )
    fields = [
        {"name": one.column, "type": one.type} | ({"description": one.description} if one.description else {})
        for one in columns
    ]
    facets = {"schema": _facet("SchemaDatasetFacet", "1-1-1", fields=fields)}
    tags = [tag for one in columns for tag in _tags(one)]
    if tags:
        facets["tags"] = _facet("TagsDatasetFacet", "1-0-0", tags=tags)
    if description:
        facets["documentation"] = _facet("DocumentationDatasetFacet", "1-0-1", description=description)
    if owner:
        facets["ownership"] = _facet("OwnershipDatasetFacet", "1-0-1", owners=[{"name": owner, "type": "OWNER"}])
    said = [
        {"assertion": one["assertion"], "success": one["success"]}
        | ({"column": one["column"]} if one["column"] else {})
        for one in verdicts
    ]
    inputs = {}
    if said:
        inputs["dataQualityAssertions"] = _facet("DataQualityAssertionsDatasetFacet", "1-0-1", assertions=said)
    return {"namespace": namespace, "name": name, "facets": facets} | ({"inputFacets": inputs} if inputs else {})


def _tags(one: Meaning) -> Iterable[dict[str, str]]:
    pairs = [("domain", one.domain)] if one.domain else []
    pairs += [("status", one.status)] if one.domain else []
    pairs += [("sensitivity", one.level)] if one.sensitive else []
    pairs += [("term", term) for term in one.terms]
    return [{"key": key, "value": value, "source": "ASSAY", "field": one.column} for key, value in pairs]


def _facet(kind: str, version: str, **values: Any) -> dict[str, Any]:
    return {"_producer": PRODUCER, "_schemaURL": f"{SPEC}/{version}/{kind}.json#/$defs/{kind}"} | values
