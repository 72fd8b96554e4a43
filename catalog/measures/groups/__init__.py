"""Groups of values with their rows: exact, mergeable, in memory or in sorted files."""
