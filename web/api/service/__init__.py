"""The product as a whole, for programs: health, metrics, sources, runs, reports."""
