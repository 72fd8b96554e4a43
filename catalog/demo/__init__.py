"""The demo: a shop's Delta lake with weeks of history, three bad versions, and what Assay makes of them."""
