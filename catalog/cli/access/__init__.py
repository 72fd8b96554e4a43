"""Nouns about people: users, owners, tokens, approvals, the audit log."""
