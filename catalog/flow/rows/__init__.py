"""Rows as they are in the lake, for who may see them: those that break checks, kept in their own tables, unmasked."""
