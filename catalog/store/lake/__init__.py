"""What the lake holds: sources, tables, versions, batches, and the states of their data files."""
