"""Nouns about what is expected and what broke: rules, checks, incidents, alerts."""
