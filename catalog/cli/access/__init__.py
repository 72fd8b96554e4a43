"""Nouns about people: users, tokens, the audit log."""
