"""Names in the broker: the queue, the tasks, and the keys by which living workers are known."""

QUEUE = "assay"
CRAWL, CRAWL_SOURCE, CRAWL_TABLES = "assay.crawl", "assay.crawl_source", "assay.crawl_tables"
TICK, WARM, REPORTS, ALERTS = "assay.tick", "assay.warm", "assay.reports", "assay.alerts"
UNMASK = "assay.unmask"
ALIVE, ANSWER = "assay:worker:", "assay:answer:"
