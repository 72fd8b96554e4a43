"""Nouns about what columns mean: domains, tags, the glossary."""
