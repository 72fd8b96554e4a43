"""What the figures of runs and of tags are called on pages: the catalog and its interface name them as programs do."""

from __future__ import annotations

#: Of a run, of the steps of one, and of why a column has its tag.
WORDS = {
    "tables": "tables that were read",
    "failed": "tables that could not be read",
    "busy": "tables left to another crawl",
    "files": "new data files",
    "domains": "patterns found in the lake",
    "state_bytes": "size of what is kept of data files",
    "data_bytes": "size of the data files",
    "part_bytes": "size of what is kept of groups of rows",
    "group_file_bytes": "size of sorted groups of rows",
    "gather_seconds": "collecting patterns",
    "logs_seconds": "reading logs",
    "scan_seconds": "reading data files",
    "judge_seconds": "judging versions",
    "propose_seconds": "tagging columns and learning rules",
    "survey_seconds": "comparing patterns of the lake",
    "quiet_on_healthy_batch": "no alarm on the healthy batch itself",
    "alarmed": "columns with an alarm on the healthy batch",
    "tried": "damages tried",
    "caught": "of them detected",
    "recall": "share detected",
    "recall_by_type": "share detected by kind of damage",
    "chance": "share of other values that match too",
    "log_odds": "weight of all that speaks for it",
    "weights": "weight of each part (below 0: against it)",
    "prior": "how common such columns are",
    "beside": "columns beside it",
    "placed": "told by the columns beside it",
    "matching": "values that match",
    "failing": "values that do not match",
    "rivals": "what else was thought of",
    "score": "confidence",
    "columns_with_it": "columns with this pattern",
    "their_impurity": "share of their values without it",
    "whose": "whose data it is",
    "whose_because": "why it is theirs",
    "what": "reason",
    "not_known": "not recognised",
    "said_by": "said by",
    "main_pattern_in_words": "main pattern, in words",
}


def called(name: str) -> str:
    """What a figure is called.

    >>> called("busy"), called("match_share")
    ('tables left to another crawl', 'match share')
    """
    return WORDS.get(name, name.replace("_", " "))
