"""The pattern language: characters, tokens, the hierarchy, patterns, their regular expressions."""
