"""Nouns about what the lake holds: sources, tables, the index, exports."""
