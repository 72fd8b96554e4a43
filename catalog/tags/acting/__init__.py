"""Acting on tags: comments, tags and column masks as SQL of other systems, and as OpenLineage facets."""
