"""What the lake holds: sources, tables, columns, and who answers for them."""
